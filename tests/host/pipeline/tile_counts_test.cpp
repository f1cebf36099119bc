// Numbers of tiles near the largest int, in each form of a loop over them.
#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <climits>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

using Tile = dma::Sequential<int, 32>;
template <class Pattern, int Stages, int... DmaWarps>
using PipeOf = dma::DmaPipeline<
    Pattern,
    dma::MultiBuffer<dma::WarpLayout<dma::Compute<1>, dma::Dma<DmaWarps>...>, Stages,
                     dma::DmaGroups{.count = (sizeof...(DmaWarps) > 0 ? int{sizeof...(DmaWarps)} : 1)}>,
    dma::CudaBarrier, dma::RegisterCopy<>>;

enum class Form : unsigned char { tiles, own_tiles };

/// Each thread counts in `first`, `first + step`, ...; the compute warp's first lane writes the numbers down.
template <class Pipe>
struct Counts {
  using Layout = typename Pipe::Layout;
  struct Shared {
    typename Pipe::Storage storage;
  };

  void operator()(dma::KernelCta<Counts>& cta, Form form, int first, int last, int step, int* array,
                  std::vector<int>& seen) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    const auto move = [&](const auto& dma, int) {
      if constexpr (Pipe::is_store) {
        dma.store(array);
      } else {
        dma.load(array);
      }
    };
    const auto use = [&](const auto& compute, int tile) {
      const auto slot = compute.wait();
      if (compute.rank() == 0) {
        seen.push_back(tile);
      }
    };
    if constexpr (Pipe::is_update) {
      const auto store = [&](const auto& dma, int) { dma.store(array); };
      pipe.for_each_tile({.first = first, .last = last, .step = step}, move, use, store);
    } else if (form == Form::own_tiles) {
      if constexpr (Pipe::Layout::is_specialized) {
        if (pipe.is_dma()) {
          const auto dma = pipe.as_dma();
          for (const int tile : dma.my_tiles({.first = first, .last = last, .step = step})) {
            move(dma, tile);
          }
        } else {
          for (long long tile = first; tile < last; tile += step) {
            use(pipe.as_compute(), static_cast<int>(tile));
          }
        }
      }
    } else {
      pipe.for_each_tile({.first = first, .last = last, .step = step}, move, use);
    }
  }
};

template <class Pipe>
std::vector<int> numbers(Form form, int first, int last, int step) {
  alignas(16) static int array[32];
  std::vector<int> seen;
  dma::host::launch(Counts<Pipe>{}, {1}, form, first, last, step, &array[0], std::ref(seen));
  return seen;
}

/// The numbers of a loop, by arithmetic that cannot overflow.
std::vector<int> expected(int first, int last, int step) {
  std::vector<int> all;
  for (long long tile = first; tile < last; tile += step) {
    all.push_back(static_cast<int>(tile));
  }
  return all;
}

template <class Pipe>
void expect_refusals(const char* name, std::initializer_list<Form> forms) {
  constexpr int room = Pipe::groups * 4;
  for (const Form form : forms) {
    CAPTURE(name, static_cast<int>(form));
    for (const int last : {INT_MAX - room - Pipe::stages, INT_MAX - room - Pipe::stages - 3}) {
      CHECK(numbers<Pipe>(form, last - 20, last, 4) == expected(last - 20, last, 4));
    }
    CHECK(numbers<Pipe>(form, -7, 9, 4) == expected(-7, 9, 4));
    CHECK(numbers<Pipe>(form, 3, 3, 0).empty());
    const auto past =
        MessageMatches(ContainsSubstring("dma::DmaPipeline: a loop over tiles counts past the largest int"));
    CHECK_THROWS_MATCHES(numbers<Pipe>(form, INT_MAX - 5, INT_MAX, 4), std::logic_error, past);
    CHECK_THROWS_MATCHES(numbers<Pipe>(form, INT_MAX - 20, INT_MAX - room + 1, 4), std::logic_error, past);
    CHECK_THROWS_MATCHES(numbers<Pipe>(form, INT_MIN, INT_MIN + 8, INT_MAX), std::logic_error, past);
    CHECK_THROWS_MATCHES(numbers<Pipe>(form, INT_MIN, INT_MAX - room, 1 << 30), std::logic_error, past);
    if (Pipe::groups == 1) {
      CHECK(numbers<Pipe>(form, INT_MAX, INT_MAX, INT_MAX).empty());
    } else {
      // Each group steps to its first tile before it asks whether there is one.
      CHECK_THROWS_MATCHES(numbers<Pipe>(form, INT_MAX, INT_MAX, INT_MAX), std::logic_error, past);
    }
    const auto steps = MessageMatches(ContainsSubstring("dma::DmaPipeline: a loop over tiles steps to larger numbers"));
    CHECK_THROWS_MATCHES(numbers<Pipe>(form, 0, 1, 0), std::logic_error, steps);
    CHECK_THROWS_MATCHES(numbers<Pipe>(form, 0, 4, -1), std::logic_error, steps);
  }
}

TEST_CASE("a loop over tiles that counts past an int is refused, and one that ends before it is not", "[contracts]") {
  const auto all = {Form::tiles, Form::own_tiles};
  const auto loops = {Form::tiles};
  expect_refusals<PipeOf<Tile, 2, 1>>("loads", all);
  expect_refusals<PipeOf<Tile, 4, 1, 1>>("loads by two groups", all);
  expect_refusals<PipeOf<dma::Store<Tile>, 2, 1>>("stores", all);
  expect_refusals<PipeOf<Tile, 2>>("loads without DMA warps", loops);
  expect_refusals<PipeOf<dma::Store<Tile>, 1>>("stores without DMA warps", loops);
  expect_refusals<PipeOf<dma::Update<Tile>, 2, 1>>("updates", loops);
}

struct TakesTiles {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  using Queue = dma::TileQueue<Layout, 8, 2>;
  struct Shared {
    Queue::Storage queue;
  };
  void operator()(dma::KernelCta<TakesTiles>& cta, dma::TileCounter* counter, int tiles, int most, int* taken) const {
    Queue queue(cta, cta.shared<Shared>().queue, *counter, tiles);
    if (tiles > most) {
      return;
    }
    for (const int tile : queue) {
      if (cta.thread() == 0) {
        taken[tile] += 1;
      }
    }
  }
};

TEST_CASE("a queue of more tiles than an int counts is refused", "[contracts]") {
  dma::TileCounter counter{};
  std::vector<int> taken(5);
  dma::host::launch(TakesTiles{}, {3}, &counter, 5, 5, taken.data());
  CHECK(taken == std::vector<int>(5, 1));
  // Three numbers a CTA, past the tiles.
  CHECK_NOTHROW(dma::host::launch(TakesTiles{}, {1}, &counter, INT_MAX - 3, 5, taken.data()));
  for (const int tiles : {INT_MAX - 2, INT_MAX}) {
    CHECK_THROWS_MATCHES(dma::host::launch(TakesTiles{}, {1}, &counter, tiles, 5, taken.data()), std::logic_error,
                         MessageMatches(ContainsSubstring("dma::TileQueue: it counts tiles")));
  }
}

TEST_CASE("a pace counter knows how many arrivals it holds", "[contracts]") {
  STATIC_REQUIRE(dma::PaceCounter::can_count(528, 8'134'407));
  STATIC_REQUIRE_FALSE(dma::PaceCounter::can_count(528, 8'134'408 + 1));
  STATIC_REQUIRE(dma::PaceCounter::can_count(1, UINT_MAX));
  STATIC_REQUIRE_FALSE(dma::PaceCounter::can_count(2, 1U << 31));
}

}  // namespace
