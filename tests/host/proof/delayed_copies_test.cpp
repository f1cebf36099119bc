#include <dma/proof/replay/delayed_copies.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <string>

using dma::proof::detail::DelayedCopies;
using Kind = DelayedCopies::Kind;

namespace {

/// Copies with a letter each, and what of them is complete, in order.
class Letters {
 public:
  Letters& add(Kind kind, std::size_t began, char letter) {
    copies_.add(kind, began, [this, letter] { complete_ += letter; });
    return *this;
  }
  /// What a call completes.
  template <class Call>
  std::string by(const Call& call) {
    complete_.clear();
    call(copies_);
    return complete_;
  }

 private:
  DelayedCopies copies_;
  std::string complete_;
};

}  // namespace

TEST_CASE("a wait for cp.async completes these alone, in order", "[proof][replay]") {
  Letters copies;
  copies.add(Kind::async, 1, 'a').add(Kind::to_shared, 2, 'l').add(Kind::store, 3, 's').add(Kind::end_of_group, 3, 'g');
  copies.add(Kind::async, 4, 'b').add(Kind::arrival, 5, 'w');
  REQUIRE(copies.by([](DelayedCopies& all) { all.complete_async(); }) == "ab");
  REQUIRE(copies.by([](DelayedCopies& all) { all.complete_async(); }).empty());
  REQUIRE(copies.by([](DelayedCopies& all) { all.complete_all(); }) == "lsgw");
}

TEST_CASE("a wait for groups of stores leaves as many as it says, and what is in none", "[proof][replay]") {
  Letters copies;
  for (const char letter : {'1', '2', '3'}) {
    copies.add(Kind::store, 1, letter).add(Kind::async, 1, 'a').add(Kind::end_of_group, 1, 'g');
  }
  copies.add(Kind::store, 1, '4');
  const auto wait = [&](int pending) { return copies.by([=](DelayedCopies& all) { all.complete_groups(pending); }); };
  REQUIRE(wait(3).empty());
  REQUIRE(wait(2) == "1g");
  REQUIRE(wait(2).empty());
  REQUIRE(wait(0) == "2g3g");
  REQUIRE(wait(0).empty());
  REQUIRE(copies.by([](DelayedCopies& all) { all.complete_all(); }) == "aaa4");
}

TEST_CASE("the end of a move's copies is that of its loads, or of all cp.async before its arrival", "[proof][replay]") {
  Letters copies;
  copies.add(Kind::async, 1, 'a').add(Kind::to_shared, 2, 'l').add(Kind::to_shared, 3, 'm').add(Kind::arrival, 4, 'w');
  copies.add(Kind::async, 5, 'b').add(Kind::arrival, 6, 'x').add(Kind::store, 7, 's');
  const auto end = [&](std::size_t began) {
    return copies.by([=](DelayedCopies& all) { all.complete_those_of(began); });
  };
  REQUIRE(end(3) == "m");
  REQUIRE(end(4) == "aw");
  REQUIRE(end(7).empty());
  REQUIRE(end(6) == "bx");
  REQUIRE(copies.by([](DelayedCopies& all) { all.complete_all(); }) == "ls");
}
