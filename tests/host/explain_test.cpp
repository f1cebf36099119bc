#include <dma/dma.hpp>
#include <dma/host/print.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <sstream>

using Catch::Matchers::ContainsSubstring;

namespace {

using Warps = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
template <class Pattern, class Barrier = dma::CudaBarrier>
using Pipe = dma::DmaPipeline<Pattern, dma::MultiBuffer<Warps, 2>, Barrier>;

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
