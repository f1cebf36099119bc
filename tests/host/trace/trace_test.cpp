#include "../../../docs/guide/timelines/timeline.hpp"
#include "../../../examples/trace/kernel.hpp"

#include <dma/dma.hpp>
#include <dma/host/launch.hpp>
#include <dma/trace/trace_text.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

using Catch::Matchers::ContainsSubstring;

namespace {

constexpr int tiles = 9;

/// The three bufferings on the host, as text and read again.
std::vector<draw::Trace> recorded(unsigned seed) {
  const std::vector<float> x(tiles * trace::Tile::count);
  std::vector<float> y(x.size());
  std::stringstream text;
  trace::for_each_buffering(tiles, [&](const auto& kernel, trace::Recording& recording) {
    dma::host::launch({seed}, kernel, {1}, trace::Problem{x.data(), y.data(), tiles, 1}, recording.buffer());
    dma::write_trace(text, recording.name, "steps", recording.buffer(), recording.warps);
  });
  return draw::read_traces(text);
}

std::vector<draw::Span> of_kind(const std::vector<draw::Span>& spans, draw::Doing doing) {
  std::vector<draw::Span> kind;
  for (const draw::Span& span : spans) {
    if (span.doing == doing) {
      kind.push_back(span);
    }
  }
  return kind;
}

/// A CTA beyond those that the buffer has room for, and a pipeline without a recording.
template <class Barrier>
struct CopiesUnseen {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Tile = dma::Sequential<float, 32>;
  using Pipe = dma::DmaPipeline<Tile, dma::ManualDoubleBuffer<Layout>, Barrier>;
  struct Shared {
    typename Pipe::Storage storage;
    dma::TraceState trace;
  };
  void operator()(dma::KernelCta<CopiesUnseen>& cta, const float* in, float* out,
                  const dma::TraceBuffer* buffer) const {
    auto& shared = cta.template shared<Shared>();
    Pipe pipe(cta, shared.storage);
    if (buffer != nullptr) {
      dma::start_trace(cta, *buffer, shared.trace, shared.storage);
    }
    pipe.for_each_tile(
        {.last = 5}, [&](const auto& dma, int t) { dma.load(in + t * 32); },
        [&](const auto& compute, int t) { out[t * 32 + compute.rank()] = compute.wait()[compute.rank()]; });
  }
};

}  // namespace

TEST_CASE("a trace has one wait and one arrival a tile and warp, and time goes on", "[trace]") {
  const auto seed = GENERATE(0U, 1U, 7U);
  const std::vector<draw::Trace> traces = recorded(seed);
  REQUIRE(traces.size() == 3);
  for (const draw::Trace& each : traces) {
    CAPTURE(each.name, seed);
    for (int warp = 0; warp < 4; ++warp) {
      int waits = 0;
      int arrivals = 0;
      long long before = -1;
      for (const draw::Event& event : each.events) {
        if (event.warp == warp) {
          REQUIRE(event.time > before);
          before = event.time;
          waits += event.mark == "waits" && event.state == "full" ? 1 : 0;
          arrivals += event.mark == "arrives" && event.state == "empty" ? 1 : 0;
        }
      }
      REQUIRE(waits == tiles);
      REQUIRE(arrivals == tiles);
    }
  }
}

TEST_CASE("a timeline has each tile moved once and computed on once by each warp", "[trace]") {
  for (const draw::Trace& each : recorded(3)) {
    const std::vector<draw::Span> spans = draw::spans_of(each, 0);
    CAPTURE(each.name);
    REQUIRE(of_kind(spans, draw::Doing::moves).size() == tiles);
    REQUIRE(of_kind(spans, draw::Doing::computes).size() == std::size_t{4} * tiles);
    for (std::size_t i = 1; i < spans.size(); ++i) {
      REQUIRE(spans[i].begin < spans[i].end);
      REQUIRE((spans[i].warp != spans[i - 1].warp || spans[i].begin >= spans[i - 1].end));
    }
  }
}

TEST_CASE("no slot is moved while a warp computes on it", "[trace]") {
  for (const draw::Trace& each : recorded(11)) {
    const std::vector<draw::Span> spans = draw::spans_of(each, 0);
    for (const draw::Span& moved : of_kind(spans, draw::Doing::moves)) {
      for (const draw::Span& used : of_kind(spans, draw::Doing::computes)) {
        REQUIRE((moved.slot != used.slot || moved.end <= used.begin || used.end <= moved.begin));
      }
    }
  }
}

TEST_CASE("a pipeline without a recording works like any other, and so does a CTA without room", "[trace]") {
  using Kernel = CopiesUnseen<dma::Traced<dma::CudaBarrier>>;
  alignas(16) float in[160];
  for (int i = 0; i < 160; ++i) {
    in[i] = static_cast<float>(i);
  }
  std::vector<float> out(160);
  dma::host::launch(Kernel{}, {1}, &in[0], out.data(), static_cast<const dma::TraceBuffer*>(nullptr));
  REQUIRE(out == std::vector<float>(&in[0], &in[160]));

  std::vector<dma::TraceEvent> events(2 * 32);
  const dma::TraceBuffer buffer{events.data(), 1, 32};
  dma::host::launch(Kernel{}, {2}, &in[0], out.data(), &buffer);
  std::ostringstream text;
  REQUIRE_NOTHROW(dma::write_trace(text, "first", "steps", buffer, 2));
}

TEST_CASE("a warp that had no room for its events is named", "[trace]") {
  using Kernel = CopiesUnseen<dma::Traced<dma::NamedBarrier>>;
  alignas(16) const float in[160] = {};
  std::vector<float> out(160);
  std::vector<dma::TraceEvent> events(2 * 4);
  const dma::TraceBuffer buffer{events.data(), 1, 4};
  dma::host::launch(Kernel{}, {1}, &in[0], out.data(), &buffer);
  std::ostringstream text;
  REQUIRE_THROWS_WITH(dma::write_trace(text, "short", "steps", buffer, 2),
                      ContainsSubstring("warp 0 of CTA 0 had no room for more than 4 events"));
}

TEST_CASE("an invalid line of a trace is shown", "[trace]") {
  std::istringstream early("0 0 0 0 full compute waits 5\n");
  REQUIRE_THROWS_WITH(draw::read_traces(early), ContainsSubstring("before the first line"));
  std::istringstream broken("trace x steps 2\n0 0 0 0 full\n");
  REQUIRE_THROWS_WITH(draw::read_traces(broken), ContainsSubstring("not a line of a trace: 0 0 0 0 full"));
}
