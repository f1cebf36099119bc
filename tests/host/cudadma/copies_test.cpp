#include <dma/cudadma/copy_tile.hpp>
#include <dma/cudadma/two_phase_copy.hpp>
#include <dma/dma.hpp>
#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

using Catch::Matchers::ContainsSubstring;

namespace {

using dma::proof::FailsBy;
using dma::proof::FindingKind;
using dma::proof::IsProved;

enum class Calls { at_once, at_once_by_cp_async, by_cp_async, in_two_phases };

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
    const dma::cudadma::CopyWarps<2> warps(cta, job.first);
    dma::cudadma::TwoPhaseCopy<Tile, 2, dma::RegisterCopyTuning{.loads_in_flight = 2}> next(warps);
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
        dma::cudadma::copy_tile_async(warps, job.in + t * job.step, tile, job.from);
        dma::cudadma::wait_for_copies();
      } else if constexpr (calls == Calls::at_once_by_cp_async) {
        dma::cudadma::copy_tile<dma::AsyncCopy<>>(warps, job.in + t * job.step, tile, job.from);
      } else {
        dma::cudadma::copy_tile(warps, job.in + t * job.step, tile, job.from);
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
      dma::cudadma::copy_tile(warps, tile, job.out + t * job.step, dma::Store<Tile>(job.to));
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
                   (Case<Calls::at_once, RowsWithTails>), (Case<Calls::in_two_phases, RowsWithTails>),
                   (Case<Calls::at_once_by_cp_async, RowsWithTails>)) {
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
  std::vector<int> in(400, 3), out(400);
  const Rows tile{80};
  const auto check = [&]<class Kernel>(const Kernel& kernel) {
    const auto job = [&](bool meets) {
      return typename Kernel::Job{in.data(), out.data(), tile, tile, 0, 1, 2, 180, meets};
    };
    REQUIRE_THAT(dma::proof::prove({.outputs = {dma::proof::output(out)}}, kernel, {1}, job(true)), IsProved());
    REQUIRE_THAT(dma::proof::prove(kernel, {1}, job(false)), FailsBy(FindingKind::race));
  };
  check(Rounds<Calls::at_once, Rows>{});
  check(Rounds<Calls::at_once_by_cp_async, Rows>{});
  check(Rounds<Calls::by_cp_async, Rows>{});
  check(Rounds<Calls::in_two_phases, Rows>{});
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
      const dma::cudadma::CopyWarps<1> warp(cta);
      dma::cudadma::TwoPhaseCopy<Tile, 1> copy(warp);
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
      dma::cudadma::copy_tile(warp, tile, out, dma::Store<dma::Sequential<int, 96>>{});
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

TEST_CASE("a partial gather in two phases reads no index behind its own, in the warps that copy alone", "[copies]") {
  struct Gather {
    using Layout = dma::WarpLayout<dma::Compute<3>>;
    using Tile = dma::Indirect<int, 8, 12>;
    struct Shared {
      alignas(16) int tile[96];
    };
    void operator()(dma::KernelCta<Gather>& cta, const int* table, const int* list, int rows, int* out) const {
      int* const tile = cta.shared<Shared>().tile;
      const dma::cudadma::CopyWarps<1> warp(cta, 1);
      dma::cudadma::TwoPhaseCopy<Tile, 1> copy(warp);
      copy.start(table, Tile{.indices = list, .table_rows = 40, .rows = rows});
      copy.finish(tile);
      cta.sync();
      dma::cudadma::copy_tile(warp, tile, out,
                              dma::Store<dma::Sequential<int, 96>>(dma::Sequential<int, 96>{8 * rows}));
    }
  };
  std::vector<int> table(320);
  std::iota(table.begin(), table.end(), 0);
  for (const int rows : {0, 5, 12}) {
    std::vector<int> list(80, 1'000'000), out(96, -7);  // no rows of the table
    for (int i = 0; i < rows; ++i) {
      list[static_cast<std::size_t>(i)] = i * 17 % 40;
    }
    dma::host::launch(Gather{}, {1}, table.data(), list.data(), rows, out.data());
    for (int i = 0; i < 96; ++i) {
      REQUIRE(out[static_cast<std::size_t>(i)] == (i < 8 * rows ? i / 8 * 17 % 40 * 8 + i % 8 : -7));
    }
  }
}

namespace {

/// One warp copies 400 rows of 13 words there and back: more pieces and tails than it has in flight.
template <class Engine>
struct InRounds {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  using Tile = dma::Strided<int, 13, 400, dma::RowLayout{.alignment = 16}>;
  struct Shared {
    alignas(16) int tile[Tile::tile_bytes / 4];
  };
  void operator()(dma::KernelCta<InRounds>& cta, const int* in, int* out) const {
    int* const tile = cta.template shared<Shared>().tile;
    const dma::cudadma::CopyWarps<1> warp(cta);
    dma::cudadma::copy_tile<Engine>(warp, in, tile, Tile{80});
    cta.sync();
    dma::cudadma::copy_tile<Engine>(warp, tile, out, dma::Store<Tile>(Tile{64}));
  }
};

}  // namespace

TEMPLATE_TEST_CASE("rows and their tails move in rounds", "[copies]",
                   (dma::RegisterCopy<dma::RegisterCopyTuning{.loads_in_flight = 1}>), dma::AsyncCopy<>) {
  std::vector<int> in(400 * 20), out(400 * 16, -7);
  std::iota(in.begin(), in.end(), 0);
  dma::host::launch(InRounds<TestType>{}, {1}, in.data(), out.data());
  for (int i = 0; i < 400 * 16; ++i) {
    const int row = i / 16, col = i % 16;
    REQUIRE(out[static_cast<std::size_t>(i)] == (col < 13 ? 20 * row + col : -7));
  }
}

TEST_CASE("a tile without a pipeline needs room for its own bytes alone", "[copies]") {
  struct Edges {
    using Layout = dma::WarpLayout<dma::Compute<1>>;
    using Lists = dma::Csr<int, 16, 4, dma::RowLayout{.pitch_bytes = 64, .alignment = 4}>;
    struct Shared {
      alignas(16) int words[80];
    };
    void operator()(dma::KernelCta<Edges>& cta, const int* in, const int* offsets, int* out) const {
      int* const words = cta.shared<Shared>().words;
      const dma::cudadma::CopyWarps<1> warp(cta);
      dma::cudadma::copy_tile(warp, in, words + 16, dma::Sequential<int, 64>{});  // to the last byte
      dma::cudadma::copy_tile(warp, nullptr, words + 80, dma::Strided<int, 8, 4>{32, 0, 8});
      cta.sync();
      dma::cudadma::copy_tile(warp, words + 16, out, dma::Store<dma::Sequential<int, 64>>{});
      cta.sync();
      // Rows of 3, 13, 0 and 0 elements: no room is needed from the third on.
      dma::cudadma::copy_tile(warp, in, words + 51, Lists{offsets, 4});
      cta.sync();
      dma::cudadma::copy_tile(warp, words + 51, out + 64, dma::Store<dma::Sequential<int, 29, 4>>{});
    }
  };
  std::vector<int> in(80), out(93, -7);
  std::iota(in.begin(), in.end(), 1);
  const int offsets[] = {0, 3, 16, 16, 16};
  dma::host::launch(Edges{}, {1}, in.data(), &offsets[0], out.data());
  for (std::size_t i = 0; i < 64; ++i) {
    REQUIRE(out[i] == in[i]);
  }
  for (std::size_t i = 0; i < 29; ++i) {
    const int of_tile_before = in[51 - 16 + i];
    REQUIRE(out[64 + i] == (i < 3 ? in[i] : i < 16 ? of_tile_before : in[3 + i - 16]));
  }
}

namespace {

enum class Mistake {
  none,
  shared_out_of_bounds,
  shared_before,
  shared_misaligned,
  global_null,
  global_in_shared,
  global_misaligned,
  too_large,
  store_out_of_bounds,
  store_misaligned,
  store_to_null,
  store_to_misaligned,
  store_too_large,
  warps,
  negative_warp,
  part_of_a_warp,
  twice,
  not_started,
  start_null,
  start_misaligned,
  start_too_large,
  finish_out_of_bounds,
  finish_misaligned
};

struct Mistaken {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  using Tile = dma::Sequential<int, 64>;
  using Out = dma::Store<Tile>;
  static inline int line_of_misaligned = 0;
  struct Shared {
    alignas(16) int words[80];
  };
  void operator()(dma::KernelCta<Mistaken>& cta, int* array, Mistake mistake) const {
    int* const words = cta.shared<Shared>().words;
    const auto warp = dma::cudadma::CopyWarps<1>::from_thread(cta, mistake == Mistake::warps            ? 64
                                                                   : mistake == Mistake::negative_warp  ? -32
                                                                   : mistake == Mistake::part_of_a_warp ? 16
                                                                                                        : 32);
    dma::cudadma::TwoPhaseCopy<Tile, 1> copy(warp);
    switch (mistake) {
      case Mistake::none:
        dma::cudadma::copy_tile(warp, array, words, Tile{});
        return dma::cudadma::copy_tile(warp, words, array, Out{});
      case Mistake::shared_out_of_bounds:
        return dma::cudadma::copy_tile(warp, array, words + 20, Tile{});
      case Mistake::shared_before:
        return dma::cudadma::copy_tile(warp, array, words - 4, Tile{});
      case Mistake::shared_misaligned:
        line_of_misaligned = __LINE__ + 1;
        return dma::cudadma::copy_tile(warp, array, words + 1, Tile{});
      case Mistake::global_null:
        return dma::cudadma::copy_tile(warp, nullptr, words, Tile{});
      case Mistake::global_in_shared:
        return dma::cudadma::copy_tile(warp, words + 16, words, Tile{});
      case Mistake::global_misaligned:
        return dma::cudadma::copy_tile(warp, array + 1, words, Tile{});
      case Mistake::too_large:
        return dma::cudadma::copy_tile(warp, array, words, Tile{65});
      case Mistake::store_out_of_bounds:
        return dma::cudadma::copy_tile(warp, words + 20, array, Out{});
      case Mistake::store_misaligned:
        return dma::cudadma::copy_tile(warp, words + 1, array, Out{});
      case Mistake::store_to_null:
        return dma::cudadma::copy_tile(warp, words, nullptr, Out{});
      case Mistake::store_to_misaligned:
        return dma::cudadma::copy_tile(warp, words, array + 1, Out{});
      case Mistake::store_too_large:
        return dma::cudadma::copy_tile(warp, words, array, Out(Tile{65}));
      case Mistake::twice:
        copy.start(array);
        return copy.start(array);
      case Mistake::not_started:
        return copy.finish(words);
      case Mistake::start_null:
        return copy.start(nullptr);
      case Mistake::start_misaligned:
        return copy.start(array + 1);
      case Mistake::start_too_large:
        return copy.start(array, Tile{65});
      case Mistake::finish_out_of_bounds:
        copy.start(array);
        return copy.finish(words + 20);
      case Mistake::finish_misaligned:
        copy.start(array);
        return copy.finish(words + 1);
      case Mistake::warps:
      case Mistake::negative_warp:
      case Mistake::part_of_a_warp:
        return;
    }
  }
};

}  // namespace

TEST_CASE("a copy without a pipeline names the rule that a call breaks", "[copies][contracts]") {
  alignas(16) static int array[80] = {};
  const auto error = [&](Mistake mistake) { dma::host::launch(Mistaken{}, {1}, &array[0], mistake); };
  const auto out_of_bounds = ContainsSubstring("not inside the CTA's shared memory");
  const auto misaligned = ContainsSubstring("the shared address is not aligned");
  const auto null = ContainsSubstring("the global address is null");
  const auto global_misaligned = ContainsSubstring("not a multiple of the pattern's run_align");
  const auto too_large = ContainsSubstring("larger than its pattern");
  REQUIRE_NOTHROW(error(Mistake::none));
  REQUIRE_THROWS_WITH(error(Mistake::shared_out_of_bounds), out_of_bounds && ContainsSubstring("bytes 256"));
  REQUIRE_THROWS_WITH(error(Mistake::shared_before), out_of_bounds);
  REQUIRE_THROWS_WITH(error(Mistake::shared_misaligned), misaligned);
  REQUIRE_THROWS_WITH(error(Mistake::shared_misaligned),
                      ContainsSubstring("copies_test.cpp:" + std::to_string(Mistaken::line_of_misaligned)));
  REQUIRE_THROWS_WITH(error(Mistake::global_null), null);
  REQUIRE_THROWS_WITH(error(Mistake::global_in_shared), null);
  REQUIRE_THROWS_WITH(error(Mistake::global_misaligned), global_misaligned);
  REQUIRE_THROWS_WITH(error(Mistake::too_large), too_large);
  REQUIRE_THROWS_WITH(error(Mistake::store_out_of_bounds), out_of_bounds);
  REQUIRE_THROWS_WITH(error(Mistake::store_misaligned), misaligned);
  REQUIRE_THROWS_WITH(error(Mistake::store_to_null), null);
  REQUIRE_THROWS_WITH(error(Mistake::store_to_misaligned), global_misaligned);
  REQUIRE_THROWS_WITH(error(Mistake::store_too_large), too_large);
  REQUIRE_THROWS_WITH(error(Mistake::warps), ContainsSubstring("the CTA does not have these warps"));
  REQUIRE_THROWS_WITH(error(Mistake::negative_warp), ContainsSubstring("the CTA does not have these warps"));
  REQUIRE_THROWS_WITH(error(Mistake::part_of_a_warp), ContainsSubstring("the CTA does not have these warps"));
  REQUIRE_THROWS_WITH(error(Mistake::twice), ContainsSubstring("before the one before is finished"));
  REQUIRE_THROWS_WITH(error(Mistake::not_started), ContainsSubstring("was not started, or twice"));
  REQUIRE_THROWS_WITH(error(Mistake::start_null), null);
  REQUIRE_THROWS_WITH(error(Mistake::start_misaligned), global_misaligned);
  REQUIRE_THROWS_WITH(error(Mistake::start_too_large), too_large);
  REQUIRE_THROWS_WITH(error(Mistake::finish_out_of_bounds), out_of_bounds);
  REQUIRE_THROWS_WITH(error(Mistake::finish_misaligned), misaligned);
}
