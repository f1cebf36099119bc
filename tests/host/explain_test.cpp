#include <dma/dma.hpp>
#include <dma/host/print.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <sstream>
#include <string>
#include <type_traits>

using Catch::Matchers::ContainsSubstring;

namespace {

using Warps = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
template <class Pattern, class Barrier = dma::CudaBarrier, class Engine = dma::RegisterCopy<>>
using Pipe = dma::DmaPipeline<Pattern, dma::MultiBuffer<Warps, 2>, Barrier, Engine>;
template <class Pattern, class Engine>
using PipeOf = Pipe<Pattern, dma::CudaBarrier, Engine>;
template <class Pattern, class Barrier = dma::CudaBarrier>
using DefaultPipe = dma::DmaPipeline<Pattern, dma::MultiBuffer<Warps, 2>, Barrier>;

}  // namespace

TEST_CASE("the default of each pattern is coalesced and free of bank conflicts, or says why not", "[explain]") {
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

TEST_CASE("an explanation counts named barriers and says when they fill an SM's", "[explain]") {
  constexpr dma::Explanation two = dma::explain<Pipe<dma::Sequential<float, 64>, dma::NamedBarrier>>();
  STATIC_REQUIRE(two.hardware_barriers == 4);
  STATIC_REQUIRE(two.books_all_barriers);
  using Single = dma::DmaPipeline<dma::Sequential<float, 64>, dma::SingleBuffer<Warps>, dma::NamedBarrier>;
  STATIC_REQUIRE_FALSE(dma::explain<Single>().books_all_barriers);

  std::ostringstream text;
  text << two;
  REQUIRE_THAT(text.str(), ContainsSubstring("named barriers       4, in registers: at most 4 CTAs an SM"));
  REQUIRE_THAT(text.str(), ContainsSubstring("on the fast path"));
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
  using Ring = dma::Halo2D<float, 16, 8, 4, dma::Corners::left_out>;
  constexpr dma::Explanation ring = dma::explain<Pipe<Ring>>(Ring{1024, 64, 64, 16, 16});
  STATIC_REQUIRE(ring.run_count == 2 * 4 + 2 * 8);
  STATIC_REQUIRE(ring.access_bytes == 4);
  STATIC_REQUIRE(ring.steps == 2 + 2 + 1 + 1);
  REQUIRE_THAT(ring.remedy, ContainsSubstring("32 bytes"));
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
  REQUIRE(engine_of(Short{}, phase) == "dma::AsyncCopy");
  REQUIRE(engine_of(Narrow{}, phase) == "dma::AsyncCopy");
  REQUIRE(engine_of(Odd{}, phase) == "dma::RegisterCopy");
  REQUIRE(engine_of(Long{}, named) == "dma::RegisterCopy");
  REQUIRE(engine_of(dma::Store<Long>{}, named) == "dma::BulkCopy");
  REQUIRE(engine_of(dma::Store<Short>{}, phase) == "dma::RegisterCopy");

  using Fast = dma::require_engine<dma::BulkCopy<>, DefaultPipe<Long>>;
  STATIC_REQUIRE(std::is_same_v<Fast, DefaultPipe<Long>>);
}
