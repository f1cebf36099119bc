// Accesses outside of the arrays that a proof or a launch names, and outside of shared memory: those of the library and
// its copies, which every program knows.
#include "host/proof/wrong_bounds.hpp"
#include "host/proof/wrong_expect.hpp"

#include <dma/host/launch.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <vector>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Catch::Matchers::MessageMatches;
using dma::proof::FindingKind;
using dma::proof::input;
using dma::proof::output;
using dma::proof::Verdict;

namespace {

constexpr int count = 64;
constexpr float untouched = -7;

using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>, dma::Dma<1>>;

/// Copies tiles of 64 floats by two pipelines.
template <class Engine>
struct Copies {
  using Layout = ::Layout;
  using Loads =
      dma::DmaPipeline<dma::Sequential<float, count>, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 0}>>;
  using Stores = dma::DmaPipeline<dma::Store<dma::Sequential<float, count>>,
                                  dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 1}>, dma::CudaBarrier, Engine>;
  struct Shared {
    typename Loads::Storage loads;
    typename Stores::Storage stores;
  };

  void operator()(dma::KernelCta<Copies>& cta, const float* x, float* y, int tiles) const {
    auto& shared = cta.template shared<Shared>();
    Loads loads(cta, shared.loads);
    Stores stores(cta, shared.stores);
    cta.take_roles(
        [&] {
          for (int t = 0; t < tiles; ++t) {
            const auto from = loads.as_compute().wait();
            auto to = stores.as_compute().wait();
            to[cta.thread()] = from[cta.thread()];
          }
        },
        [&] {
          for (int t = 0; t < tiles; ++t) {
            loads.as_dma().load(x + t * count);
          }
        },
        [&] {
          for (int t = 0; t < tiles; ++t) {
            stores.as_dma().store(y + t * count);
          }
        });
  }
};
/// The same of spans.
struct CopiesSpans : Copies<dma::BulkCopy<>> {
  using Whole = Copies<dma::BulkCopy<>>;
  void operator()(dma::KernelCta<CopiesSpans>& cta, std::span<const float> x, std::span<float> y, int tiles) const {
    dma::KernelCta<Whole> whole;
    static_cast<void>(cta);
    Whole::operator()(whole, x.data(), y.data(), tiles);
  }
};

struct Arrays {
  std::vector<float> x = std::vector<float>(256, 3);
  std::vector<float> y = std::vector<float>(256, untouched);

  /// The kernel may write 10 elements, and the others are there to see what it writes.
  [[nodiscard]] auto ten() { return output(y.data(), 10, "y"); }
  [[nodiscard]] bool is_harmed() const {
    return std::any_of(y.begin() + 10, y.end(), [](float element) { return element != untouched; });
  }
};

template <class Engine>
void expect_refused_store(const char* says) {
  Arrays arrays;
  const Verdict verdict = dma::proof::prove({.inputs = {input(arrays.x)}, .outputs = {arrays.ten()}}, Copies<Engine>{},
                                            {1}, arrays.x.data(), arrays.y.data(), 4);
  CAPTURE(verdict);
  CHECK(verdict.kind == FindingKind::out_of_bounds);
  CHECK_THAT(verdict.message, ContainsSubstring(says) && ContainsSubstring("bounds_test.cpp:"));
  CHECK_THROWS_MATCHES(
      dma::host::launch({.outputs = {arrays.ten()}}, Copies<Engine>{}, {1}, arrays.x.data(), arrays.y.data(), 4),
      dma::host::OutOfBounds, MessageMatches(ContainsSubstring(says)));
  CHECK(!arrays.is_harmed());
}

[[nodiscard]] std::string first_line_of(const Verdict& verdict) {
  std::ostringstream text;
  text << verdict;
  return text.str().substr(0, text.str().find('\n'));
}

}  // namespace

TEST_CASE("copies outside of an array or of shared memory are found", "[proof][bounds]") {
  wrong::expect_found(wrong::announced_bounds);
}

TEST_CASE("256 floats do not go into an array of 10, which is found before one is written", "[proof][bounds]") {
  expect_refused_store<dma::BulkCopy<>>("writes elements 0 to 63 of y, which has 10 elements");
  expect_refused_store<dma::RegisterCopy<>>("writes elements 8 to 11 of y, which has 10 elements");
}

TEST_CASE("a search of schedules finds an access outside of an array too", "[proof][bounds]") {
  Arrays arrays;
  const Verdict verdict = dma::proof::explore({.inputs = {input(arrays.x)}, .outputs = {arrays.ten()}},
                                              Copies<dma::BulkCopy<>>{}, {1}, arrays.x.data(), arrays.y.data(), 4);
  CAPTURE(verdict);
  CHECK(verdict.kind == FindingKind::out_of_bounds);
}

TEST_CASE("arguments that are spans name their arrays", "[proof][bounds]") {
  Arrays arrays;
  const std::span<const float> x(arrays.x);
  const std::span<float> y(arrays.y);
  const Verdict right = dma::proof::prove(CopiesSpans{}, {1}, x, y, 4);
  CHECK(right.is_proved());
  CHECK_THAT(first_line_of(right), !ContainsSubstring("bounds"));

  const Verdict wrong = dma::proof::prove(CopiesSpans{}, {1}, x, y.first(10), 4);
  CAPTURE(wrong);
  CHECK(wrong.kind == FindingKind::out_of_bounds);
  CHECK_THAT(wrong.message, ContainsSubstring("writes elements 0 to 63 of argument 1, which has 10 elements"));
  CHECK_THROWS_MATCHES(dma::host::launch(CopiesSpans{}, {1}, x.first(10), y, 4), dma::host::OutOfBounds,
                       MessageMatches(ContainsSubstring("of argument 0, which has 10 elements")));
}

TEST_CASE("a verdict's first line says which bounds were not judged", "[proof][bounds]") {
  using Kernel = Copies<dma::BulkCopy<>>;
  Arrays arrays;
  const auto line_of = [&](const dma::proof::Options& options) {
    const Verdict verdict = dma::proof::prove(options, Kernel{}, {1}, arrays.x.data(), arrays.y.data(), 4);
    CHECK(verdict.is_proved());
    return first_line_of(verdict);
  };
  CHECK_THAT(line_of({}), EndsWith("), bounds not judged"));
  CHECK_THAT(line_of({.inputs = {input(arrays.x)}}), EndsWith("), bounds of writes not judged"));
  CHECK_THAT(line_of({.outputs = {output(arrays.y)}}), EndsWith("), bounds of reads not judged"));
  CHECK_THAT(line_of({.inputs = {input(arrays.x)}, .outputs = {output(arrays.y)}}), !ContainsSubstring("bounds"));
  CHECK_THAT(line_of({.inputs = {input(arrays.x.data(), 1)}, .has_other_arrays = true}),
             EndsWith("), bounds not judged"));
  // Halves of one array: what is behind the first one is the second one.
  CHECK_THAT(line_of({.inputs = {input(arrays.x.data(), 128, "x"), input(arrays.x.data() + 128, 128, "z")},
                      .outputs = {output(arrays.y)}}),
             EndsWith("), bounds between x and z not judged, since they adjoin; allocate them apart"));
  CHECK_THAT(line_of({.inputs = {input(arrays.x.data(), 128, "x"), input(arrays.x.data() + 128, 128, "z")},
                      .outputs = {output(arrays.y)},
                      .has_other_arrays = true}),
             EndsWith("), bounds not judged"));
  // Of several proofs, what any leaves open.
  int proof = 0;
  const Verdict all = dma::proof::for_all_masks<1>([&](unsigned) {
    return dma::proof::prove(
        {.inputs = {input(arrays.x)}, .outputs = {output(arrays.y)}, .has_other_arrays = proof++ == 0}, Kernel{}, {1},
        arrays.x.data(), arrays.y.data(), 4);
  });
  CHECK_THAT(first_line_of(all), EndsWith("), bounds not judged"));
}

TEST_CASE("a message is the same wherever its arrays are", "[proof][bounds]") {
  using Kernel = Copies<dma::BulkCopy<>>;
  std::vector<std::string> told;
  std::vector<std::unique_ptr<float[]>> between;
  for (int i = 0; i < 3; ++i) {
    between.push_back(std::make_unique<float[]>(1000U + 700U * static_cast<unsigned>(i)));
    Arrays arrays;
    arrays.x.reserve(4096U << static_cast<unsigned>(i));
    std::ostringstream text;
    text << dma::proof::prove({.inputs = {input(arrays.x)}, .outputs = {arrays.ten()}}, Kernel{}, {1}, arrays.x.data(),
                              arrays.y.data(), 4);
    text << dma::proof::prove({.inputs = {input(arrays.x, "x")}}, Kernel{}, {1}, arrays.x.data() + 1, arrays.y.data(),
                              4);
    told.push_back(text.str());
  }
  CAPTURE(told[0]);
  CHECK_THAT(told[0], ContainsSubstring("out of bounds") &&
                          ContainsSubstring("[address element 1 of x (4 modulo 16), run_alignment 16"));
  CHECK_THAT(told[0], !ContainsSubstring("0x"));
  CHECK(told[0] == told[1]);
  CHECK(told[0] == told[2]);
}

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace {

/// Writes far from its array, where no process has memory.
struct StoresFarAway {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  void operator()(dma::KernelCta<StoresFarAway>& cta, float* y, long long at) const { y[at + cta.thread()] = 1; }
};

void take_fault(int) { std::_Exit(1); }

}  // namespace

TEST_CASE("an access to what is no memory of the process is a sentence, and its signal is given back",
          "[proof][bounds]") {
  struct sigaction own {};
  struct sigaction before {};
  own.sa_handler = &take_fault;
  sigaction(SIGSEGV, &own, &before);
  std::vector<float> y(32);
  constexpr long long far = 1LL << 44;
  for (int i = 0; i < 2; ++i) {
    CHECK_THROWS_MATCHES(dma::host::launch(StoresFarAway{}, {2}, y.data(), far), dma::host::OutOfBounds,
                         MessageMatches(ContainsSubstring(
                             "a thread accesses an address where the process has no memory (block (0, 0, 0), "
                             "thread 0); stay inside the arrays")));
  }
  const Verdict verdict = dma::proof::prove(StoresFarAway{}, {1}, y.data(), far);
  CHECK(verdict.kind == FindingKind::out_of_bounds);
  CHECK_NOTHROW(dma::host::launch(StoresFarAway{}, {1}, y.data(), 0LL));
  CHECK(y == std::vector<float>(32, 1.0F));
  struct sigaction after {};
  sigaction(SIGSEGV, &before, &after);
  CHECK(after.sa_handler == &take_fault);
}
#endif
