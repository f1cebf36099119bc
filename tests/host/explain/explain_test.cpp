#include <dma/dma.hpp>
#include <dma/explain/print.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;

namespace {

using Warps = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
template <class Pattern, class Barrier = dma::CudaBarrier, class Engine = dma::RegisterCopy<>>
using Pipe = dma::DmaPipeline<Pattern, dma::MultiBuffer<Warps, 2>, Barrier, Engine>;
template <class Pattern, class Engine>
using PipeOf = Pipe<Pattern, dma::CudaBarrier, Engine>;
template <class Pattern, class Barrier = dma::CudaBarrier>
using DefaultPipe = dma::DmaPipeline<Pattern, dma::MultiBuffer<Warps, 2>, Barrier>;

/// Supports ordinary copies only.
struct SyncOnly : dma::CudaBarrier {
  static constexpr bool supports(dma::Completion completion) { return completion == dma::Completion::sync; }
  static constexpr bool completes_asynchronously(dma::Completion completion) { return supports(completion); }
};
using LongTile = dma::Sequential<float, 4096>;
static_assert(std::is_same_v<DefaultPipe<LongTile, SyncOnly>::Engine, dma::RegisterCopy<>>);
static_assert(std::is_same_v<DefaultPipe<dma::Store<LongTile>, SyncOnly>::Engine, dma::RegisterCopy<>>);
static_assert(std::is_same_v<DefaultPipe<dma::Store<LongTile>>::Engine, dma::BulkCopy<>>);

/// The default where the warps that compute load a tile of so many bytes.
template <int bytes, int stages = 1>
using DefaultOfAllWarps = dma::DmaPipeline<dma::Sequential<float, bytes / 4>,
                                           dma::MultiBuffer<dma::WarpLayout<dma::Compute<2>>, stages>>::Engine;
static_assert(std::is_same_v<DefaultOfAllWarps<512>, dma::RegisterCopy<>>);
static_assert(std::is_same_v<DefaultOfAllWarps<4096>, dma::RegisterCopy<>>);
static_assert(std::is_same_v<DefaultOfAllWarps<4096 + 512>, dma::BulkCopy<>>);
static_assert(std::is_same_v<DefaultOfAllWarps<4096, 2>, dma::BulkCopy<>>);

// Rows of half a sector, at distances that fall into sectors of other tiles, and of more.
static_assert(std::is_same_v<DefaultPipe<dma::Strided<float, 4, 512>>::Engine, dma::RegisterCopy<>>);
static_assert(std::is_same_v<DefaultPipe<dma::Tile2D<double, 2, 512, dma::RowLayout{.alignment = 16}>>::Engine,
                             dma::AsyncCopy<>>);
static_assert(std::is_same_v<DefaultPipe<dma::Strided<float, 4, 256>>::Engine, dma::AsyncCopy<>>);
static_assert(std::is_same_v<dma::DmaPipeline<dma::Strided<float, 4, 64>, dma::MultiBuffer<Warps, 1>>::Engine,
                             dma::RegisterCopy<>>);
using HalfSectors = dma::Strided<float, 4, 8>;
static_assert(!dma::detail::are_far_rows<HalfSectors>(64) && !dma::detail::are_far_rows<HalfSectors>(-64));
static_assert(dma::detail::are_far_rows<HalfSectors>(80) && dma::detail::are_far_rows<HalfSectors>(-80));
using HalfSectorBox = dma::Tile2D<float, 4, 8, dma::RowLayout{.alignment = 16}>;
static_assert(!dma::detail::are_far_rows<HalfSectorBox>(96) && dma::detail::are_far_rows<HalfSectorBox>(112));
static_assert(!dma::detail::HasRowsOfHalfSectors<dma::Strided<float, 8, 8>>);
static_assert(std::is_same_v<DefaultPipe<dma::Strided<float, 8, 256>>::Engine, dma::AsyncCopy<>>);
static_assert(std::is_same_v<DefaultPipe<dma::Strided<float, 1, 2048>>::Engine, dma::AsyncCopy<>>);
static_assert(std::is_same_v<DefaultPipe<dma::Indirect<float, 4, 64>>::Engine, dma::AsyncCopy<>>);

constexpr std::string_view nothing = "";
constexpr std::string_view narrow = "accesses are narrower than 16 bytes";
constexpr std::string_view sectors = "a warp's request touches more sectors than its bytes need";
constexpr std::string_view banks = "lanes of a warp have bank conflicts in shared memory";

/// What an explanation has to say where `reason` is all that keeps it from the fast path.
consteval bool is_held_back_by(std::string_view reason, const dma::Explanation& explanation) {
  const std::string_view remedy = explanation.remedy;
  return (reason == nothing ? remedy.empty() : remedy.starts_with(reason)) &&
         explanation.is_coalesced() == (reason != sectors) &&
         (explanation.bank_conflict_degree == 1 || reason == banks || reason == sectors) &&
         (explanation.bank_conflict_degree > 1 || reason != banks);
}

/// The same of a pattern's default pipelines in both directions, moved by the engines named.
template <class Pattern>
consteval bool is_held_back_by(std::string_view reason, std::string_view engine, std::string_view store_engine,
                               const Pattern& pattern) {
  constexpr auto explain_store = dma::explain<DefaultPipe<dma::Store<Pattern>>>;
  const dma::Explanation load = dma::explain<DefaultPipe<Pattern>>(pattern);
  const dma::Explanation store = explain_store(dma::Store<Pattern>(pattern));
  return is_held_back_by(reason, load) && load.engine == engine && is_held_back_by(reason, store) &&
         store.engine == store_engine;
}

constexpr std::string_view by_registers = "dma::RegisterCopy";
constexpr std::string_view by_async = "dma::AsyncCopy";
constexpr std::string_view by_bulk = "dma::BulkCopy";

struct alignas(16) Quad {
  float part[4];
};
struct Triple {
  float part[3];
};

constexpr dma::RowLayout aligned{.alignment = 16};
constexpr dma::RowLayout by_128{.swizzle = dma::Swizzle::bytes_128};
constexpr dma::RowLayout by_64{.swizzle = dma::Swizzle::bytes_64};
constexpr dma::RowLayout by_32{.swizzle = dma::Swizzle::bytes_32};

}  // namespace

TEST_CASE("runs of any length on 16 bytes are on the fast path by default", "[explain]") {
  using dma::Indirect, dma::Sequential, dma::Strided;
  STATIC_REQUIRE(is_held_back_by(nothing, by_bulk, by_bulk, Sequential<float, 4096>{}));
  STATIC_REQUIRE(is_held_back_by(nothing, by_bulk, by_registers, Sequential<unsigned char, 8192>{}));
  STATIC_REQUIRE(is_held_back_by(nothing, by_async, by_registers, Sequential<Triple, 64>{}));
  STATIC_REQUIRE(is_held_back_by(nothing, by_async, by_registers, Sequential<float, 32>{}));
  STATIC_REQUIRE(is_held_back_by(nothing, by_async, by_registers, Strided<float, 32, 16>{4096}));
  STATIC_REQUIRE(is_held_back_by(nothing, by_async, by_registers, Strided<float, 32, 16>{-4096}));
  STATIC_REQUIRE(is_held_back_by(nothing, by_async, by_registers, Strided<float, 64, 16>{4096}));
  STATIC_REQUIRE(is_held_back_by(nothing, by_async, by_bulk, Strided<float, 64, 64>{4096}));
  STATIC_REQUIRE(is_held_back_by(nothing, by_async, by_registers, Indirect<float, 32, 16>{}));
  STATIC_REQUIRE(is_held_back_by(nothing, by_async, by_bulk, Indirect<Quad, 32, 32>{}));
  STATIC_REQUIRE(is_held_back_by(nothing, by_async, by_registers,
                                 dma::Repeat<Strided<float, 32, 4>, 4>{Strided<float, 32, 4>{4096}, 1 << 20}));
  STATIC_REQUIRE(is_held_back_by(nothing, by_async, by_registers,
                                 dma::Repeat<Sequential<float, 128>, 4>{Sequential<float, 128>{}, 1 << 20}));
  STATIC_REQUIRE(
      is_held_back_by(nothing, by_async, by_registers,
                      dma::Concat{Strided<float, 32, 16>{4096}, dma::Tile2D<float, 32, 1, aligned>{4096, 64, 1024}}));
}

TEST_CASE("swizzled rows are on the fast path by default", "[explain]") {
  // Chunks of 16 bytes, a run each: too short for bulk copies, in banks of their own.
  STATIC_REQUIRE(is_held_back_by(nothing, by_async, by_registers, dma::Strided<float, 32, 16, by_128>{4096}));
  STATIC_REQUIRE(is_held_back_by(nothing, by_async, by_registers, dma::Strided<Quad, 4, 16, by_64>{4096}));
  STATIC_REQUIRE(is_held_back_by(nothing, by_async, by_registers, dma::Strided<float, 8, 16, by_32>{4096}));
  STATIC_REQUIRE(is_held_back_by(nothing, by_async, by_registers, dma::Indirect<float, 32, 16, by_128>{}));
  STATIC_REQUIRE(is_held_back_by(
      nothing, by_async, by_registers,
      dma::Tile2D<float, 32, 16, dma::RowLayout{.alignment = 16, .swizzle = dma::Swizzle::bytes_128}>{4096, 64, 1024}));
}

TEST_CASE("patterns that may begin at any element are coalesced by default, in accesses of an element", "[explain]") {
  STATIC_REQUIRE(is_held_back_by(narrow, by_async, by_registers, dma::Sequential<float, 1023>{}));
  STATIC_REQUIRE(is_held_back_by(narrow, by_registers, by_registers, dma::Sequential<char, 1023>{}));
  STATIC_REQUIRE(is_held_back_by(narrow, by_async, by_registers, dma::Tile2D<float, 32, 16>{4096, 64, 1024, 16, 32}));
  STATIC_REQUIRE(is_held_back_by(
      narrow, by_async, by_registers,
      dma::Tile3D<float, dma::TileShape{.cols = 32, .rows = 4, .planes = 4}>{4096, 1 << 16, 16, 16, 1024, 4, 4, 32}));
  STATIC_REQUIRE(is_held_back_by(
      narrow, by_async, by_registers,
      dma::Concat{dma::Strided<float, 32, 16>{4096}, dma::Tile2D<float, 32, 1>{4096, 64, 1024, 0, 32}}));

  // An element of 16 bytes is as wide as an access gets.
  STATIC_REQUIRE(is_held_back_by(nothing, by_async, by_registers, dma::Tile2D<Quad, 32, 8>{4096, 64, 256, 8, 32}));
  STATIC_REQUIRE(
      is_held_back_by(nothing, by_async, by_registers, dma::Tile2D<float, 32, 16, aligned>{4096, 64, 1024, 16, 32}));
}

TEST_CASE("a box that begins inside a sector touches one more, and so does a ring's every column", "[explain]") {
  using Box = dma::Tile2D<float, 32, 16>;
  STATIC_REQUIRE(is_held_back_by(sectors, by_async, by_registers, Box{4096, 64, 1024, 16, 33}));
  STATIC_REQUIRE(dma::explain<DefaultPipe<Box>>(Box{4096, 64, 1024, 16, 33}).sectors_per_request == 5);
  STATIC_REQUIRE(dma::explain<DefaultPipe<Box>>(Box{4096, 64, 1024, 16, 33}).fewest_sectors == 4);

  using Ring = dma::Halo2D<float, dma::HaloShape{.cols = 32, .rows = 16, .radius = 1}>;
  STATIC_REQUIRE(is_held_back_by(sectors, by_async, by_registers, Ring{4096, 64, 1024, 16, 32}));
  STATIC_REQUIRE(dma::explain<DefaultPipe<Ring>>(Ring{4096, 64, 1024, 16, 32}).sectors_per_request == 16);
  STATIC_REQUIRE(dma::explain<DefaultPipe<Ring>>(Ring{4096, 64, 1024, 16, 32}).fewest_sectors == 2);
  STATIC_REQUIRE(dma::explain<DefaultPipe<Ring>>(Ring{4096, 64, 1024, 16, 32}).bank_conflict_degree == 1);

  // Two planes of 6 x 34 floats are 204 words apart: the rows of one have bank conflicts with those of the other.
  using Shell = dma::Halo3D<float, dma::HaloShape{.cols = 32, .rows = 4, .planes = 4, .radius = 1}>;
  constexpr Shell shell{4096, 1 << 16, 16, 16, 1024, 4, 4, 32};
  STATIC_REQUIRE(is_held_back_by(sectors, by_async, by_registers, shell));
  STATIC_REQUIRE(dma::explain<DefaultPipe<Shell>>(shell).bank_conflict_degree == 2);
}

TEST_CASE("a transposed block is on the fast path by default where its elements fill a bank", "[explain]") {
  STATIC_REQUIRE(is_held_back_by(nothing, by_async, by_registers, dma::Transpose<float, 32, 16>{4096}));
  STATIC_REQUIRE(is_held_back_by(nothing, by_async, by_registers, dma::Transpose<double, 32, 16>{4096}));
  STATIC_REQUIRE(is_held_back_by(nothing, by_async, by_registers, dma::Transpose<Quad, 32, 16>{4096}));
  STATIC_REQUIRE(is_held_back_by(banks, by_registers, by_registers, dma::Transpose<short, 32, 16>{4096}));
  STATIC_REQUIRE(is_held_back_by(banks, by_registers, by_registers, dma::Transpose<char, 32, 16>{4096}));
}

TEST_CASE("an explanation lists the accesses that registers make", "[explain]") {
  // A row of a warp's 512 bytes, in 16 sectors; 8 lanes of 16 bytes are a pass over all banks.
  constexpr dma::Explanation sequential = dma::explain<Pipe<dma::Sequential<float, 1024>>>();
  STATIC_REQUIRE(sequential.is_fast());
  STATIC_REQUIRE(sequential.access_bytes == 16);
  STATIC_REQUIRE(sequential.steps == 8);
  STATIC_REQUIRE(sequential.bytes_in_flight == 4096);
  STATIC_REQUIRE(sequential.sectors_per_request == 16);
  STATIC_REQUIRE(sequential.bank_conflict_degree == 1);
  STATIC_REQUIRE(sequential.storage_bytes == 2 * 4096 + 128);

  using Rows = dma::Strided<float, 32, 16>;
  constexpr dma::Explanation strided = dma::explain<Pipe<Rows>>(Rows{4096});
  STATIC_REQUIRE(strided.is_fast());
  STATIC_REQUIRE(strided.sectors_per_request == 16);
  STATIC_REQUIRE(strided.bank_conflict_degree == 1);

  using Gather = dma::Indirect<float, 32, 16>;
  constexpr dma::Explanation gather = dma::explain<Pipe<Gather>>();
  STATIC_REQUIRE(gather.is_fast());

  // Boxes begin at any element, so an access is one element: a warp's 128 bytes in 4 sectors.
  constexpr dma::Explanation box = dma::explain<Pipe<dma::Tile2D<float, 32, 16>>>();
  STATIC_REQUIRE(box.access_bytes == 4);
  STATIC_REQUIRE(box.is_coalesced());
  STATIC_REQUIRE(box.bank_conflict_degree == 1);
  STATIC_REQUIRE_FALSE(box.is_fast());
  REQUIRE_THAT(box.remedy, ContainsSubstring("align addresses"));

  // A transposed block is coalesced on its way in, and an odd pitch keeps its columns in banks of their own.
  using Turned = dma::Transpose<float, 32, 16>;
  constexpr dma::Explanation turned = dma::explain<Pipe<Turned>>(Turned{4096});
  STATIC_REQUIRE(turned.is_fast());
  STATIC_REQUIRE(turned.sectors_per_request == 4);
  STATIC_REQUIRE(turned.bank_conflict_degree == 1);
}

TEST_CASE("an explanation of rows that end between two accesses counts their tails", "[explain]") {
  // 15 lanes a row, 48 accesses of 16 bytes for 16 pairs of rows, and 12 bytes: 8 and 4, each of 32 rows at once.
  using Rows = dma::Strided<float, 183, 32, aligned>;
  constexpr dma::Explanation rows = dma::explain<Pipe<Rows>>();
  STATIC_REQUIRE(rows.access_bytes == 16);
  STATIC_REQUIRE(rows.tail_bytes == 12);
  STATIC_REQUIRE(rows.steps == 48 + 2);
  std::ostringstream text;
  text << rows;
  REQUIRE_THAT(text.str(), ContainsSubstring("runs                 32 of up to 732 bytes, the last 12 apart"));

  STATIC_REQUIRE(dma::explain<PipeOf<Rows, dma::BulkCopy<>>>().access_bytes == 720);
  STATIC_REQUIRE(dma::explain<PipeOf<Rows, dma::BulkCopy<>>>().tail_bytes == 12);
  STATIC_REQUIRE(dma::explain<Pipe<dma::Strided<float, 184, 32>>>().tail_bytes == 0);
}

TEST_CASE("an explanation tells a bad pitch and a short run from good ones", "[explain]") {
  // Rows of 4 floats, 512 bytes apart in shared memory: the 8 lanes of a pass all want the same 4 banks.
  using Conflicting = dma::Strided<float, 4, 8, dma::RowLayout{.pitch_bytes = 512}>;
  constexpr dma::Explanation conflicting = dma::explain<Pipe<Conflicting>>(Conflicting{16});
  STATIC_REQUIRE(conflicting.bank_conflict_degree == 8);
  REQUIRE_THAT(conflicting.remedy, ContainsSubstring("pitch_bytes"));

  // 16 of every 4,096 bytes: each access of a lane is half of a sector of its own.
  using Scattered = dma::Strided<float, 4, 32>;
  constexpr dma::Explanation scattered = dma::explain<Pipe<Scattered>>(Scattered{4096});
  STATIC_REQUIRE(scattered.sectors_per_request == 32);
  STATIC_REQUIRE(scattered.fewest_sectors == 16);
  REQUIRE_THAT(scattered.remedy, ContainsSubstring("multiples of 32 bytes"));
}

TEST_CASE("an explanation counts named barriers, and those that the assembler reserves", "[explain]") {
  // Number 0 is __syncthreads', 1 the compute warps' own, and a stage has the next two.
  using Small = dma::Sequential<float, 64>;
  constexpr dma::Explanation two = dma::explain<Pipe<Small, dma::NamedBarrier>>();
  STATIC_REQUIRE(two.hardware_barriers == 4);
  STATIC_REQUIRE(two.reserved_barriers == 2 + 4);
  using Single = dma::DmaPipeline<Small, dma::SingleBuffer<Warps>, dma::NamedBarrier>;
  STATIC_REQUIRE(dma::explain<Single>().reserved_barriers == 2 + 2);
  using Groups = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>, dma::Dma<1>>;
  using Double = dma::DmaPipeline<Small, dma::DoubleBuffer<Groups>, dma::NamedBarrier>;
  STATIC_REQUIRE(dma::explain<Double>().reserved_barriers == 2 + 4);
  using Second = dma::DmaPipeline<Small, dma::SingleBuffer<Groups, 1>, dma::NamedBarrier>;
  STATIC_REQUIRE(dma::explain<Second>().reserved_barriers == 2 + 7 + 2);
  STATIC_REQUIRE(dma::explain<Pipe<Small>>().reserved_barriers == 0);

  // Where 4 CTAs keep memory busy anyway, or no more would fit, numbers are in registers and all are reserved: two
  // slots of 16 KB; 512 threads.
  using Large = dma::DmaPipeline<dma::Sequential<float, 4096>, dma::DoubleBuffer<Groups>, dma::NamedBarrier>;
  STATIC_REQUIRE(dma::explain<Large>().reserved_barriers == 16);
  using Many = dma::WarpLayout<dma::Compute<15>, dma::Dma<1>>;
  using Full = dma::DmaPipeline<Small, dma::ManualDoubleBuffer<Many>, dma::NamedBarrier>;
  STATIC_REQUIRE(dma::explain<Full>().reserved_barriers == 16);

  std::ostringstream text;
  text << two;
  REQUIRE_THAT(text.str(), ContainsSubstring("named barriers       4, of 6 reserved: at most 10 CTAs an SM"));
  REQUIRE_THAT(text.str(), ContainsSubstring("on the fast path"));
}

TEST_CASE("an explanation tells where no tile moves while another is used", "[explain]") {
  using Tile = dma::Sequential<float, 64>;
  using NoDma = dma::WarpLayout<dma::Compute<4>>;
  constexpr auto overlaps = []<class Layout, int Stages, class Engine>() {
    return dma::explain<dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, Stages>, dma::CudaBarrier, Engine>>()
        .overlaps_compute;
  };
  STATIC_REQUIRE(overlaps.operator()<Warps, 2, dma::RegisterCopy<>>());
  STATIC_REQUIRE_FALSE(overlaps.operator()<Warps, 1, dma::BulkCopy<>>());
  STATIC_REQUIRE(overlaps.operator()<Warps, 1, dma::RegisterCopy<dma::RegisterCopyTuning{.tiles_ahead = 4}>>());
  // Warps of both roles load ahead, by copies that they need not wait for.
  STATIC_REQUIRE(overlaps.operator()<NoDma, 2, dma::BulkCopy<>>());
  STATIC_REQUIRE_FALSE(overlaps.operator()<NoDma, 2, dma::RegisterCopy<>>());

  std::ostringstream text;
  text << dma::explain<Pipe<Tile>>();
  REQUIRE_THAT(text.str(), !ContainsSubstring("without a pipeline"));
  REQUIRE_THAT(text.str(), EndsWith("\non the fast path\n"));
  text << dma::explain<dma::DmaPipeline<Tile, dma::MultiBuffer<Warps, 1>>>();
  REQUIRE_THAT(text.str(), ContainsSubstring("1 stage\n") && ContainsSubstring("measure a kernel without a pipeline"));
  REQUIRE_THAT(text.str(), EndsWith("\neach tile on the fast path\n"));
}

TEST_CASE("an explanation tells where lengths of rows are read from memory, and which lanes share a row", "[explain]") {
  using Warps = dma::WarpLayout<dma::Compute<4>, dma::Dma<2>>;
  using Rows = dma::Csr<float, 32, 64>;
  constexpr auto explanation = dma::explain<dma::DmaPipeline<Rows, dma::MultiBuffer<Warps, 3>>>();
  STATIC_REQUIRE(explanation.reads_run_lengths);
  // Each warp has 32 rows of 32 floats; 8 lanes take a row, so that four rows take four steps.
  STATIC_REQUIRE(explanation.steps == 32 / 4 * 4);
  STATIC_REQUIRE(explanation.is_coalesced());
  std::ostringstream text;
  text << explanation;
  REQUIRE_THAT(text.str(), ContainsSubstring("lengths of rows are read from memory: measure a kernel without"));
  using Gather = dma::Indirect<float, 32, 64>;
  STATIC_REQUIRE_FALSE(dma::explain<dma::DmaPipeline<Gather, dma::MultiBuffer<Warps, 3>>>().reads_run_lengths);
}

TEST_CASE("an explanation of asynchronous copies has every stage in flight, unless its barrier makes a warp wait",
          "[explain]") {
  using Tile = dma::Sequential<float, 1024>;
  constexpr dma::Explanation async = dma::explain<PipeOf<Tile, dma::AsyncCopy<>>>();
  STATIC_REQUIRE(async.is_fast());
  STATIC_REQUIRE(async.steps == 8);
  STATIC_REQUIRE(async.bytes_in_flight == 2 * 4096);
  STATIC_REQUIRE(dma::explain<Pipe<Tile, dma::NamedBarrier, dma::AsyncCopy<>>>().bytes_in_flight == 4096);

  // One bulk copy a run, of the run's own bytes: 4,096 are 128 sectors.
  constexpr dma::Explanation bulk = dma::explain<PipeOf<Tile, dma::BulkCopy<>>>();
  STATIC_REQUIRE(bulk.is_fast());
  STATIC_REQUIRE(bulk.steps == 1);
  STATIC_REQUIRE(bulk.access_bytes == 4096);
  STATIC_REQUIRE(bulk.sectors_per_request == 128);
  STATIC_REQUIRE(bulk.bytes_in_flight == 2 * 4096);
  REQUIRE(std::string(bulk.engine) == "dma::BulkCopy");

  // Rows of 32 bytes, 48 apart: the second begins in the middle of a sector, and touches 2 where 1 would do.
  using Rows = dma::Strided<float, 8, 6>;
  constexpr dma::Explanation ragged = dma::explain<PipeOf<Rows, dma::BulkCopy<>>>(Rows{48});
  STATIC_REQUIRE(ragged.steps == 6);
  STATIC_REQUIRE(ragged.sectors_per_request == 2);
  STATIC_REQUIRE(ragged.fewest_sectors == 1);
  STATIC_REQUIRE_FALSE(ragged.is_fast());
}

TEST_CASE("an explanation adds up the parts of a composite, and goes run by run where lengths differ", "[explain]") {
  // A ring of radius 4 around 16 x 8: 2 boxes of 4 rows of 16 and 2 boxes of 8 rows of 4, in accesses of 4 bytes.
  using Ring =
      dma::Halo2D<float, dma::HaloShape{.cols = 16, .rows = 8, .radius = 4, .corners = dma::Corners::excluded}>;
  constexpr dma::Explanation ring = dma::explain<Pipe<Ring>>(Ring{1024, 64, 64, 16, 16});
  STATIC_REQUIRE(ring.run_count == 2 * 4 + 2 * 8);
  STATIC_REQUIRE(ring.access_bytes == 4);
  STATIC_REQUIRE(ring.steps == 2 + 2 + 1 + 1);
  REQUIRE_THAT(ring.remedy, ContainsSubstring("32 bytes"));

  // One part after another: the largest is in flight, 64 floats.
  STATIC_REQUIRE(ring.bytes_in_flight == 64 * 4);

  // Each part has accesses of its own width: 16 rows of 8 accesses of 16 bytes, and 32 of 4.
  using Both = dma::Concat<dma::Strided<float, 32, 16>, dma::Tile2D<float, 32, 1>>;
  constexpr dma::Explanation both = dma::explain<Pipe<Both>>();
  STATIC_REQUIRE(both.access_bytes == 4);
  STATIC_REQUIRE(both.steps == 4 + 1);
  STATIC_REQUIRE(both.sectors_per_request == 16);
  STATIC_REQUIRE(both.bytes_in_flight == 2048);
}

namespace {

/// Rows of 4, 8, ... 32 floats.
struct Stairs {
  using Element = float;
  static constexpr int tile_bytes = 8 * 128;
  static constexpr int max_run_count = 8;
  static constexpr int max_run_bytes = 128;
  static constexpr int run_alignment = 16;

  [[nodiscard]] constexpr bool is_full() const { return true; }
  [[nodiscard]] constexpr int size() const { return 8 * 32; }
  [[nodiscard]] constexpr int run_count() const { return 8; }
  [[nodiscard]] constexpr dma::Run run_at(int run) const { return {run * 128, run * 128, (run + 1) * 16}; }
};

/// 32 runs of so many bytes, with a gap of as many behind each.
template <int bytes, bool are_uniform>
struct Gaps {
  using Element = float;
  static constexpr int tile_bytes = 32 * bytes;
  static constexpr int max_run_count = 32;
  static constexpr int max_run_bytes = bytes;
  static constexpr int run_alignment = 4;
  static constexpr dma::PatternTraits traits{.runs_are_uniform = are_uniform};

  [[nodiscard]] constexpr bool is_full() const { return true; }
  [[nodiscard]] constexpr int size() const { return 8 * bytes; }
  [[nodiscard]] constexpr int run_count() const { return 32; }
  [[nodiscard]] constexpr dma::Run run_at(int run) const { return {run * 2 * bytes, run * bytes, bytes}; }
};

/// The same with a transfer of its own, for loads only.
struct OwnStairs : Stairs {
  template <int Threads>
  void load_tile(const unsigned char* /*source*/, unsigned char* /*tile*/, int /*thread*/) const {}
};

}  // namespace

TEST_CASE("an explanation of runs of different lengths has one of them in flight", "[explain]") {
  constexpr dma::Explanation stairs = dma::explain<Pipe<Stairs>>();
  STATIC_REQUIRE(stairs.steps == 8);
  STATIC_REQUIRE(stairs.access_bytes == 16);
  STATIC_REQUIRE(stairs.bytes_in_flight == 128);
  STATIC_REQUIRE(dma::explain<PipeOf<Stairs, dma::AsyncCopy<>>>().bytes_in_flight == 2 * (1 + 8) * 4 * 16);
}

TEST_CASE("runs that a warp takes one by one, and that are too short for it, are not fast", "[explain]") {
  const auto says_so = [](const dma::Explanation& gaps) {
    return std::string_view(gaps.remedy).find("take one run at a time") != std::string_view::npos;
  };
  constexpr dma::Explanation short_runs = dma::explain<Pipe<Gaps<4, false>>>();
  STATIC_REQUIRE(short_runs.steps == 32);
  CHECK(says_so(short_runs));
  CHECK(says_so(dma::explain<PipeOf<Gaps<4, false>, dma::AsyncCopy<>>>()));
  CHECK(says_so(dma::explain<Pipe<Gaps<16, false>>>()));
  // A quarter of 32 lanes has an access of 4 bytes.
  CHECK(!says_so(dma::explain<Pipe<Gaps<32, false>>>()));
  // The lanes share runs of one length.
  constexpr dma::Explanation shared = dma::explain<Pipe<Gaps<4, true>>>();
  STATIC_REQUIRE(shared.steps == 1);
  CHECK(!says_so(shared));
}

TEST_CASE("an explanation does not list a pattern's own transfer", "[explain]") {
  constexpr dma::Explanation own = dma::explain<DefaultPipe<OwnStairs>>();
  REQUIRE(own.engine == by_registers);
  STATIC_REQUIRE(own.run_count == 8);
  STATIC_REQUIRE(own.steps == 0);
  STATIC_REQUIRE(own.bytes_in_flight == 0);
  STATIC_REQUIRE_FALSE(own.is_fast());
  REQUIRE_THAT(own.remedy, ContainsSubstring("transfer of its own"));

  // The other direction, and another engine, move its runs.
  STATIC_REQUIRE(dma::explain<DefaultPipe<dma::Store<OwnStairs>>>().steps == 8);
  STATIC_REQUIRE(dma::explain<PipeOf<OwnStairs, dma::AsyncCopy<>>>().steps == 8);
}

TEST_CASE("an explanation of bulk copies counts whole runs and names those that are too short", "[explain]") {
  // 4,092 bytes: the last 12 are no multiple of 16, and go through registers.
  using Odd = dma::Sequential<float, 1023, 16>;
  STATIC_REQUIRE(dma::explain<PipeOf<Odd, dma::BulkCopy<>>>().access_bytes == 4080);

  using Rows = dma::Strided<float, 32, 6>;
  constexpr dma::Explanation rows = dma::explain<PipeOf<Rows, dma::BulkCopy<>>>(Rows{4096});
  STATIC_REQUIRE(rows.is_coalesced());
  REQUIRE_THAT(rows.remedy, ContainsSubstring("dma::Thresholds::shortest_bulk_load_run"));

  // A tensor map copies a box as one copy, however short its rows, swizzled or not.
  using Box = dma::Tile2D<float, 32, 6, dma::RowLayout{.alignment = 16, .swizzle = dma::Swizzle::bytes_128}>;
  constexpr dma::Explanation box = dma::explain<PipeOf<Box, dma::TensorCopy<>>>(Box{4096, 64, 1024, 6, 32});
  STATIC_REQUIRE(box.steps == 1);
  STATIC_REQUIRE(box.access_bytes == 6 * 128);
  STATIC_REQUIRE(box.is_fast());
  STATIC_REQUIRE(dma::explain<PipeOf<dma::Concat<Box, Box>, dma::TensorCopy<>>>().steps == 2);
  // Rows of a list by one instruction each, or by fours on sm_100.
  constexpr dma::Explanation listed = dma::explain<PipeOf<dma::Indirect<float, 32, 8>, dma::TensorCopy<>>>();
  STATIC_REQUIRE((listed.steps == 8 && listed.access_bytes == 128 && listed.is_fast()));
  STATIC_REQUIRE(dma::explain<PipeOf<dma::Concat<Box, Box>, dma::TensorCopy<>>>().bytes_in_flight == 2 * 2 * 6 * 128);

  // Three of four slots are stored at a time, and one is filled; without a barrier that tells, one is stored.
  using Tile = dma::Store<dma::Sequential<float, 1024>>;
  using Four = dma::MultiBuffer<Warps, 4>;
  using Bulk = dma::BulkCopy<>;
  STATIC_REQUIRE(dma::explain<dma::DmaPipeline<Tile, Four, dma::CudaBarrier, Bulk>>().bytes_in_flight == 3 * 4096);
  STATIC_REQUIRE(dma::explain<dma::DmaPipeline<Tile, Four, dma::NamedBarrier, Bulk>>().bytes_in_flight == 4096);
}

TEST_CASE("the default engine follows pattern and barrier", "[explain]") {
  using Long = dma::Sequential<float, 1024>;
  using Short = dma::Strided<float, 32, 16>;
  using Narrow = dma::Sequential<float, 1023>;
  using Odd = dma::Sequential<char, 1023, 1>;
  const auto engine_of = []<class Pattern, class Barrier>(Pattern, Barrier) {
    return std::string(dma::explain<DefaultPipe<Pattern, Barrier>>().engine);
  };
  const dma::CudaBarrier phase;
  const dma::NamedBarrier named;
  REQUIRE(engine_of(Long{}, phase) == "dma::BulkCopy");
  REQUIRE(engine_of(dma::Strided<float, 512, 4>{}, phase) == "dma::BulkCopy");
  REQUIRE(engine_of(dma::Indirect<float, 512, 4>{}, phase) == "dma::AsyncCopy");
  REQUIRE(engine_of(Short{}, phase) == "dma::AsyncCopy");
  REQUIRE(engine_of(Narrow{}, phase) == "dma::AsyncCopy");
  REQUIRE(engine_of(Odd{}, phase) == "dma::RegisterCopy");
  REQUIRE(engine_of(Long{}, named) == "dma::RegisterCopy");
  REQUIRE(engine_of(dma::Store<dma::Sequential<float, 2052>>{}, named) == "dma::BulkCopy");
  REQUIRE(engine_of(dma::Store<dma::Sequential<float, 2048>>{}, named) == "dma::RegisterCopy");
  REQUIRE(engine_of(dma::Store<Short>{}, phase) == "dma::RegisterCopy");

  // With an automatic number of stages threads move short tiles.
  using Automatic = dma::MultiBuffer<Warps>;
  using For8Ctas = dma::MultiBuffer<Warps, dma::AutomaticStages{.ctas_an_sm = 8}>;
  using Longer = dma::Sequential<float, 2052>;
  const auto engine_by = []<class Pattern, class Buffering, class Barrier>(Pattern, Buffering, Barrier) {
    return std::string(dma::explain<dma::DmaPipeline<Pattern, Buffering, Barrier>>().engine);
  };
  REQUIRE(engine_by(Long{}, Automatic{}, phase) == "dma::AsyncCopy");
  REQUIRE(engine_by(dma::Sequential<float, 2048>{}, Automatic{}, phase) == "dma::AsyncCopy");
  REQUIRE(engine_by(Long{}, For8Ctas{}, phase) == "dma::AsyncCopy");
  REQUIRE(engine_by(Longer{}, Automatic{}, phase) == "dma::BulkCopy");
  REQUIRE(engine_by(dma::Strided<float, 512, 4>{}, Automatic{}, phase) == "dma::AsyncCopy");
  REQUIRE(engine_by(dma::Strided<float, 512, 5>{}, Automatic{}, phase) == "dma::BulkCopy");
  REQUIRE(engine_by(dma::Store<dma::Sequential<float, 2048>>{}, Automatic{}, phase) == "dma::RegisterCopy");
  REQUIRE(engine_by(dma::Store<Longer>{}, Automatic{}, phase) == "dma::BulkCopy");
  REQUIRE(engine_by(dma::StoreAdd<Long>{}, Automatic{}, phase) == "dma::BulkCopy");
  REQUIRE(engine_by(Long{}, Automatic{}, named) == "dma::RegisterCopy");

  // Registers of a longer store would be those of all compute warps.
  const auto store_engine_of = []<int warps, int bytes>() {
    using Stages = dma::MultiBuffer<dma::WarpLayout<dma::Compute<warps>, dma::Dma<1>>, 2>;
    using Tile = dma::Store<dma::Sequential<float, bytes / 4>>;
    return std::string(dma::explain<dma::DmaPipeline<Tile, Stages>>().engine);
  };
  REQUIRE(store_engine_of.operator()<5, 4096>() == "dma::RegisterCopy");
  REQUIRE(store_engine_of.operator()<5, 4112>() == "dma::BulkCopy");

  // With stages that the kernel names they do so up to 512 bytes a compute warp, 1 KB at least and 4 KB at most.
  const auto engine_in = []<int warps, int stages, int bytes, int dma_warps = 1>() {
    using Layout = dma::WarpLayout<dma::Compute<warps>, dma::Dma<dma_warps>>;
    using Stages = dma::MultiBuffer<Layout, stages>;
    return std::string(dma::explain<dma::DmaPipeline<dma::Sequential<float, bytes / 4>, Stages>>().engine);
  };
  REQUIRE(engine_in.operator()<1, 2, 1024>() == "dma::AsyncCopy");
  REQUIRE(engine_in.operator()<1, 2, 1040>() == "dma::BulkCopy");
  REQUIRE(engine_in.operator()<4, 4, 2048>() == "dma::AsyncCopy");
  REQUIRE(engine_in.operator()<4, 4, 2064>() == "dma::BulkCopy");
  REQUIRE(engine_in.operator()<16, 2, 4096>() == "dma::AsyncCopy");
  REQUIRE(engine_in.operator()<16, 2, 4112>() == "dma::BulkCopy");

  // In the only stage registers do, up to 64 bytes a DMA thread and 4 KB.
  REQUIRE(engine_in.operator()<8, 1, 2048>() == "dma::RegisterCopy");
  REQUIRE(engine_in.operator()<8, 1, 2064>() == "dma::AsyncCopy");
  REQUIRE(engine_in.operator()<1, 1, 4096, 4>() == "dma::RegisterCopy");
  REQUIRE(engine_in.operator()<1, 1, 4112, 4>() == "dma::BulkCopy");

  using Fast = dma::require_engine<dma::BulkCopy<>, DefaultPipe<Long>>;
  STATIC_REQUIRE(std::is_same_v<Fast, DefaultPipe<Long>>);
}

namespace {

/// An engine of one's own that deals out pieces as `PieceMap` does, `Width` bytes at most.
template <int Width>
struct DealsOut {
  static constexpr dma::Completion completion = dma::Completion::sync;
  static constexpr dma::EngineTraits traits{.name = "DealsOut", .widest_access = Width, .loads_in_flight = 2};

  template <class Pattern, int Threads, class Slot>
  static void load(const Pattern& pattern, const unsigned char* source, int thread, const Slot& slot) {
    dma::RegisterCopy<>::load<Pattern, Threads>(pattern, source, thread, slot);
  }
};
template <int Width>
constexpr dma::Explanation dealt_out() {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Tile = dma::Sequential<float, 1024>;
  return dma::explain<dma::DmaPipeline<Tile, dma::SingleBuffer<Layout>, dma::CudaBarrier, DealsOut<Width>>>();
}

}  // namespace

TEST_CASE("an engine of one's own is explained as far as its traits say", "[explain]") {
  STATIC_REQUIRE(dealt_out<16>().access_bytes == 16);
  STATIC_REQUIRE(dealt_out<16>().steps == 1024 * 4 / 16 / 32);
  STATIC_REQUIRE(dealt_out<16>().bytes_in_flight == 2 * 32 * 16);
  STATIC_REQUIRE(dealt_out<16>().is_fast());
  STATIC_REQUIRE(dealt_out<4>().access_bytes == 4);
  STATIC_REQUIRE(dealt_out<4>().steps == 1024 / 32);
  REQUIRE_THAT(dealt_out<4>().remedy, ContainsSubstring("the engine's accesses are narrower"));
  STATIC_REQUIRE(dealt_out<0>().steps == 0);
  STATIC_REQUIRE(dealt_out<0>().bytes_in_flight == 0);
  STATIC_REQUIRE(!dealt_out<0>().is_fast());
}

TEST_CASE("an explanation says how many registers DMA warps cost, and what budgets give back", "[explain][registers]") {
  using dma::Compute, dma::Dma, dma::Registers;
  using Tile = dma::Sequential<float, 1024>;
  const auto text_of = []<class... Roles>() {
    std::ostringstream text;
    text << dma::explain<dma::DmaPipeline<Tile, dma::MultiBuffer<dma::WarpLayout<Roles...>, 2>>>();
    return text.str();
  };
  // 16 warps may have 128 registers a thread, 17 to 20 have 96; 12 have 168, 8 have 256.
  REQUIRE_THAT((text_of.operator()<Compute<16>, Dma<1>>()),
               ContainsSubstring("at most 96 a thread, 128 without DMA warps: register budgets give"));
  REQUIRE_THAT((text_of.operator()<Compute<4>, Dma<1>>()), ContainsSubstring("at most 255 a thread\n"));
  REQUIRE_THAT((text_of.operator()<Compute<8, Registers{232}>, Dma<1, Registers{40}>>()),
               ContainsSubstring("at most 168 a thread at launch, 232 a compute thread; 3 idle warps complete"));
}

TEST_CASE("a slot of several swizzled tiles is explained at compile time", "[explain]") {
  using Tile = dma::Tile2D<short, 64, 256, dma::RowLayout{.swizzle = dma::Swizzle::bytes_128}>;
  using Stage = dma::Concat<Tile, Tile, Tile>;
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Stage, dma::MultiBuffer<Layout, 2>, dma::CudaBarrier, dma::TensorCopy<>>;
  constexpr dma::Explanation stage = dma::explain<Pipe>();
  STATIC_REQUIRE(stage.is_fast());
  STATIC_REQUIRE(stage.steps == 3);
  STATIC_REQUIRE(stage.bytes_in_flight == 2 * 3 * 256 * 128);
}
