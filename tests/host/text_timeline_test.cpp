#include "../../docs/draw/trace_picture.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sstream>
#include <string>
#include <vector>

TEST_CASE("a text timeline has a line a warp, DMA warps first", "[trace]") {
  std::istringstream in(
      "trace Double steps 2\n"
      "0 0 0 0 empty compute begins 0\n"
      "0 0 0 0 full compute waits 2\n"
      "0 0 0 0 full compute goes_on 6\n"
      "0 0 0 0 empty compute arrives 10\n"
      "0 0 0 1 full compute waits 12\n"
      "0 0 0 1 full compute goes_on 14\n"
      "0 0 0 1 empty compute arrives 20\n"
      "0 1 0 0 empty dma begins 0\n"
      "0 1 0 0 full dma arrives 6\n"
      "0 1 0 1 empty dma waits 8\n"
      "0 1 0 1 empty dma goes_on 12\n"
      "0 1 0 1 full dma arrives 12\n"
      "0 1 0 1 full dma waits 13\n"
      "0 1 0 1 empty dma goes_on 14\n"
      "0 1 0 1 full dma arrives 15\n");
  const std::vector<draw::Trace> traces = draw::read_traces(in);
  REQUIRE(draw::end_of(traces[0]) == 20);
  CHECK(draw::text_timeline(traces[0], 20, 20) ==
        "  DMA warp 1      000000--....-.1\n"
        "  compute warp 0    ....0000  ..111111\n");
  // Half as wide, the last move is still there.
  CHECK(draw::text_timeline(traces[0], 20, 10) ==
        "  DMA warp 1      000-...1\n"
        "  compute warp 0   ..00 .111\n");
}
