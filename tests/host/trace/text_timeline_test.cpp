#include "../../../docs/guide/timelines/trace_picture.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

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

TEST_CASE("a trace that no CTA can have recorded is refused", "[trace]") {
  const auto read = [](const std::string& text) {
    std::istringstream in(text);
    return draw::read_traces(in);
  };
  const std::string first = "trace K steps 2\n";
  const std::string begins = "0 0 0 0 full dma begins ";
  REQUIRE_NOTHROW(read(first + begins + "4611686018427387904\n"));
  for (const std::string event :
       {"0 0 0 0 full dma begins -1", "0 0 0 0 full dma begins 9223372036854775807", "0 2 0 0 full dma begins 1",
        "0 -1 0 0 full dma begins 1", "-1 0 0 0 full dma begins 1", "0 0 -1 0 full dma begins 1",
        "0 0 0 -7 full dma begins 1"}) {
    REQUIRE_THROWS_WITH(read(first + event + '\n'), Catch::Matchers::ContainsSubstring("numbers count from 0"));
  }
  REQUIRE_THROWS_WITH(read(first + begins + "1\n" + begins + "1125899906842626\n"),
                      Catch::Matchers::ContainsSubstring("a picture shows at most 2^50"));
  REQUIRE_THROWS_WITH(read("trace K steps 2000000000\n"), Catch::Matchers::ContainsSubstring("a CTA has 1 to 32"));
  for (const std::string line : {"0 0 0 0 half dma begins 1", "0 0 0 0 full dma ends 1", "0 0 0 0 full cpu begins 1",
                                 "0 0 0 0 full dma begins 99999999999999999999", "trace K\x01 steps 2", "trace"}) {
    REQUIRE_THROWS_WITH(read(first + line + '\n'), Catch::Matchers::ContainsSubstring("this is not a line"));
  }
}

TEST_CASE("a name in a picture is text", "[trace]") {
  std::istringstream in("trace Copy<4>&Co steps<i> 1\n0 0 0 0 full dma begins 0\n0 0 0 0 full dma arrives 5\n");
  const std::string svg = draw::TracePicture(draw::read_traces(in)).svg();
  REQUIRE_THAT(svg, Catch::Matchers::ContainsSubstring(">Copy&lt;4&gt;&amp;Co<") &&
                        Catch::Matchers::ContainsSubstring(">steps&lt;i&gt;<"));
}
