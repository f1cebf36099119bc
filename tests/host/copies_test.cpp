#include <dma/dma.hpp>
#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstddef>
#include <numeric>
#include <vector>

using Catch::Matchers::ContainsSubstring;

namespace {

using dma::host::FailsBy;
using dma::host::FindingKind;
using dma::host::IsProved;

enum class Calls { at_once, by_cp_async, in_two_phases };

/// Two of four warps, from `first` on, copy `rows` x `cols` of a matrix to a place in shared memory that is known at
/// run time; all threads add one to each element; the same warps copy it to where `out` has it.
template <Calls calls, class Tile>
struct Rounds {
  using Layout = dma::WarpLayout<dma::Compute<4>>;
  static constexpr int room = 2048;
  static constexpr int cols = Tile::max_run_bytes / 4;
  struct Shared {
    alignas(16) int words[room];
  };
  struct Job {
    const int* in;
    int* out;
    Tile from;
    Tile to;
    int place;  ///< in `words`
    int first;  ///< warp
    int tiles;
    long long step;
    bool meets;
  };

  void operator()(dma::KernelCta<Rounds>& cta, const Job& job) const {
    int* const tile = cta.template shared<Shared>().words + job.place;
    const dma::CopyWarps<2> warps(cta, job.first);
    dma::TwoPhaseCopy<Tile, 2, dma::RegisterCopyTuning{.loads_in_flight = 2}> next(warps);
    if constexpr (calls == Calls::in_two_phases) {
      if (job.tiles > 0) {
        next.start(job.in, job.from);
      }
    }
    for (int t = 0; t < job.tiles; ++t) {
      if constexpr (calls == Calls::in_two_phases) {
        next.finish(tile);
        if (t + 1 < job.tiles) {
          next.start(job.in + (t + 1) * job.step, job.from);
        }
      } else if constexpr (calls == Calls::by_cp_async) {
        dma::copy_tile_async(warps, job.in + t * job.step, tile, job.from);
        dma::wait_for_copies();
      } else {
        dma::copy_tile(warps, job.in + t * job.step, tile, job.from);
      }
      if (job.meets) {
        cta.sync();
      }
      for (int i = cta.thread(); i < Tile::count; i += Layout::threads) {
        int* const element = tile + Tile::index(i / cols, i % cols);
        dma::machine::touched(element, 4, dma::machine::Access::write);
        *element += 1;
      }
      cta.sync();
      dma::copy_tile(warps, tile, job.out + t * job.step, dma::Store<Tile>(job.to));
      cta.sync();
    }
  }
};

using Rows = dma::Strided<int, 20, 9>;                                           // runs of 80 bytes
using PaddedRows = dma::Strided<int, 20, 9, dma::RowLayout{.pitch_bytes = 96}>;  // apart in shared memory
using RowsWithTails = dma::Strided<int, 21, 9, dma::RowLayout{.pitch_bytes = 96, .alignment = 16}>;
using OddRows = dma::Strided<int, 20, 9, dma::RowLayout{.pitch_bytes = 84, .alignment = 4}>;

/// The matrix of `pitch` columns, each tile `rows` down from the one before.
template <Calls calls, class Tile>
void check(int rows, int cols, int pitch, int place, int first, int tiles) {
  const long long step = static_cast<long long>(pitch) * rows;
  std::vector<int> in(static_cast<std::size_t>(step * tiles + 16 * pitch));
  std::iota(in.begin(), in.end(), 1);
  std::vector<int> out(in.size(), -7);
  const Tile tile{pitch * 4LL, rows, cols};
  dma::host::launch(
      Rounds<calls, Tile>{}, {1},
      typename Rounds<calls, Tile>::Job{in.data(), out.data(), tile, tile, place, first, tiles, step, true});
  int wrong = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto row = static_cast<long long>(i) / pitch;
    const auto col = static_cast<long long>(i) % pitch;
    const bool is_copied = row < 1LL * rows * tiles && col < cols;
    wrong += out[i] == (is_copied ? in[i] + 1 : -7) ? 0 : 1;
  }
  INFO("rows " << rows << ", cols " << cols << ", place " << place << ", first warp " << first);
  REQUIRE(wrong == 0);
}

template <Calls calls_, class Tile_>
struct Case {
  static constexpr Calls calls = calls_;
  using Tile = Tile_;
};

}  // namespace

TEMPLATE_TEST_CASE("warps copy tiles to shared memory of the kernel's own, and back", "[copies]",
                   (Case<Calls::at_once, Rows>), (Case<Calls::by_cp_async, Rows>), (Case<Calls::in_two_phases, Rows>),
                   (Case<Calls::at_once, PaddedRows>), (Case<Calls::in_two_phases, PaddedRows>),
                   (Case<Calls::by_cp_async, OddRows>), (Case<Calls::in_two_phases, OddRows>),
                   (Case<Calls::at_once, RowsWithTails>), (Case<Calls::in_two_phases, RowsWithTails>)) {
  using Tile = typename TestType::Tile;
  constexpr int cols = Tile::max_run_bytes / 4;
  check<TestType::calls, Tile>(9, cols, 24, 0, 0, 3);   // full tiles
  check<TestType::calls, Tile>(9, cols, 28, 64, 1, 2);  // at another place, by other warps
  check<TestType::calls, Tile>(7, 12, 32, 128, 2, 3);   // partial ones
  check<TestType::calls, Tile>(0, cols, 24, 4, 2, 2);
}

TEST_CASE("tiles of every length are copied without a pipeline", "[copies]") {
  for (const int rows : {1, 4, 9}) {
    for (int cols = 0; cols <= 21; ++cols) {
      check<Calls::in_two_phases, RowsWithTails>(rows, cols, 24, 0, 1, 1);
      check<Calls::at_once, RowsWithTails>(rows, cols, 24, 0, 1, 1);
    }
  }
}

TEST_CASE("copies without a barrier are proved, and the barrier that is missing is found", "[copies]") {
  using Kernel = Rounds<Calls::at_once, Rows>;
  using InPhases = Rounds<Calls::in_two_phases, Rows>;
  std::vector<int> in(400, 3), out(400);
  const Rows tile{80};
  const auto job = [&](auto kernel, bool meets) {
    return typename decltype(kernel)::Job{in.data(), out.data(), tile, tile, 0, 1, 2, 180, meets};
  };
  REQUIRE_THAT(dma::host::prove({.outputs = {dma::host::output(out)}}, Kernel{}, {1}, job(Kernel{}, true)), IsProved());
  REQUIRE_THAT(dma::host::prove(Kernel{}, {1}, job(Kernel{}, false)), FailsBy(FindingKind::race));
  REQUIRE_THAT(dma::host::prove({.outputs = {dma::host::output(out)}}, InPhases{}, {1}, job(InPhases{}, true)),
               IsProved());
  REQUIRE_THAT(dma::host::prove(InPhases{}, {1}, job(InPhases{}, false)), FailsBy(FindingKind::race));
}

TEST_CASE("a gather in two phases reads its list once", "[copies]") {
  struct Gather {
    using Layout = dma::WarpLayout<dma::Compute<1>>;
    using Tile = dma::Indirect<int, 8, 12>;
    struct Shared {
      alignas(16) int tile[96];
    };
    void operator()(dma::KernelCta<Gather>& cta, const int* table, int* list, int* out) const {
      int* const tile = cta.shared<Shared>().tile;
      const dma::CopyWarps<1> warp(cta);
      dma::TwoPhaseCopy<Tile, 1> copy(warp);
      copy.start(table, Tile{.indices = list, .table_rows = 40});
      cta.sync();
      if (cta.thread() == 0) {
        for (int i = 0; i < 12; ++i) {
          list[i] = 0;
        }
      }
      cta.sync();
      copy.finish(tile);
      cta.sync();
      dma::copy_tile(warp, tile, out, dma::Store<dma::Sequential<int, 96>>{});
    }
  };
  std::vector<int> table(320), list(12), out(96);
  std::iota(table.begin(), table.end(), 0);
  for (int i = 0; i < 12; ++i) {
    list[static_cast<std::size_t>(i)] = i * 17 % 40;
  }
  const std::vector<int> rows = list;
  dma::host::launch(Gather{}, {1}, table.data(), list.data(), out.data());
  for (std::size_t i = 0; i < 96; ++i) {
    REQUIRE(out[i] == rows[i / 8] * 8 + static_cast<int>(i % 8));
  }
}

namespace {

enum class Mistake {
  shared_out_of_bounds,
  shared_misaligned,
  global_null,
  global_misaligned,
  too_large,
  warps,
  twice,
  not_started
};

struct Mistaken {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  using Tile = dma::Sequential<int, 64>;
  struct Shared {
    alignas(16) int words[80];
  };
  void operator()(dma::KernelCta<Mistaken>& cta, const int* in, Mistake mistake) const {
    int* const words = cta.shared<Shared>().words;
    const dma::CopyWarps<1> warp(cta, mistake == Mistake::warps ? 2 : 1);
    dma::TwoPhaseCopy<Tile, 1> copy(warp);
    switch (mistake) {
      case Mistake::shared_out_of_bounds:
        return dma::copy_tile(warp, in, words + 20, Tile{});
      case Mistake::shared_misaligned:
        return dma::copy_tile(warp, in, words + 1, Tile{});
      case Mistake::global_null:
        return dma::copy_tile(warp, nullptr, words, Tile{});
      case Mistake::global_misaligned:
        return dma::copy_tile(warp, in + 1, words, Tile{});
      case Mistake::too_large:
        return dma::copy_tile(warp, in, words, Tile{65});
      case Mistake::twice:
        copy.start(in);
        return copy.start(in);
      case Mistake::not_started:
        return copy.finish(words);
      case Mistake::warps:
        return;
    }
  }
};

}  // namespace

TEST_CASE("a copy without a pipeline names the rule that a call breaks", "[copies][contracts]") {
  alignas(16) static const int in[80] = {};
  const auto error = [&](Mistake mistake) { dma::host::launch(Mistaken{}, {1}, &in[0], mistake); };
  REQUIRE_THROWS_WITH(error(Mistake::shared_out_of_bounds),
                      ContainsSubstring("not inside the CTA's shared memory") && ContainsSubstring("bytes 256"));
  REQUIRE_THROWS_WITH(error(Mistake::shared_misaligned), ContainsSubstring("the shared address is not aligned"));
  REQUIRE_THROWS_WITH(error(Mistake::global_null), ContainsSubstring("the global address is null"));
  REQUIRE_THROWS_WITH(error(Mistake::global_misaligned),
                      ContainsSubstring("not a multiple of the pattern's run_align"));
  REQUIRE_THROWS_WITH(error(Mistake::too_large), ContainsSubstring("larger than its pattern"));
  REQUIRE_THROWS_WITH(error(Mistake::warps), ContainsSubstring("the CTA does not have these warps"));
  REQUIRE_THROWS_WITH(error(Mistake::twice), ContainsSubstring("before the one before is finished"));
  REQUIRE_THROWS_WITH(error(Mistake::not_started), ContainsSubstring("was not started, or twice"));
}
