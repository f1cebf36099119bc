#include "show.hpp"

#include "../../docs/guide/timelines/trace_picture.hpp"
#include "../../examples/trace/kernel.hpp"
#include "variants.hpp"

#include <dma/host/launch.hpp>
#include <dma/proof/prove.hpp>
#include <dma/trace/trace_text.hpp>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace sgemv {
namespace {

template <class Kernel>
dma::proof::Verdict prove_with_tiles(const Kernel& kernel, Op op, int tiles) {
  const int summed = tiles * Kernel::Tiles::summed;
  const int m = op == Op::n ? Kernel::outputs : summed;
  const int n = op == Op::n ? summed : Kernel::outputs;
  const std::vector<float> a(static_cast<std::size_t>(m) * static_cast<std::size_t>(n), 1.0F);
  const std::vector<float> x(static_cast<std::size_t>(summed), 1.0F);
  std::vector<float> y(static_cast<std::size_t>(Kernel::outputs));
  const Problem one_cta{op, m, n, 1.0F, a.data(), m, x.data(), 1, 0.0F, y.data(), 1};
  return dma::proof::prove({.outputs = {dma::proof::output(y)}}, kernel, {1}, one_cta, Workspace{});
}

template <Op op>
Proof prove_variant(std::string_view variant) {
  constexpr int most_tiles = 3 * 2 + 1;
  Proof proof;
  with_paper_variant<op, Access{}>(variant, [&](const auto& kernel) {
    for (int tiles = 1; tiles <= most_tiles && proof.is_proved; ++tiles) {
      const dma::proof::Verdict verdict = prove_with_tiles(kernel, op, tiles);
      proof.operations += verdict.operations;
      proof.seconds += verdict.seconds;
      if (!verdict.is_proved()) {
        std::ostringstream text;
        text << verdict;
        proof.is_proved = false;
        proof.finding = text.str();
      }
    }
  });
  return proof;
}

}  // namespace

Proof prove_on_host(std::string_view variant, Op op) {
  return op == Op::n ? prove_variant<Op::n>(variant) : prove_variant<Op::t>(variant);
}

std::string draw_timeline_on_host(const std::string& svg_file) {
  constexpr int tiles = 6;
  constexpr int columns = 62;
  std::vector<float> x(static_cast<std::size_t>(tiles) * trace::Tile::count);
  std::vector<float> y(x.size());
  std::stringstream recorded;
  trace::for_each_buffering(tiles, [&](const auto& kernel, trace::Recording& recording) {
    dma::host::launch(kernel, {1}, trace::Problem{x.data(), y.data(), tiles, 1}, recording.buffer());
    dma::write_trace(recorded, recording.name, "steps", recording.buffer(), recording.warps);
  });
  const std::vector<draw::Trace> traces = draw::read_traces(recorded);
  std::ofstream out(svg_file);
  out << draw::TracePicture(traces).svg();
  out.close();
  if (!out) {
    throw std::runtime_error("sgemv: cannot write " + svg_file);
  }
  long long last = 0;
  for (const draw::Trace& trace : traces) {
    last = std::max(last, draw::end_of(trace));
  }
  std::ostringstream text;
  text << "what the warps of three bufferings do, by the emulator's steps\n"
          "(a digit: moves or computes on that slot; -: issues loads ahead; .: waits)\n";
  for (const draw::Trace& trace : traces) {
    text << trace.name << '\n' << draw::text_timeline(trace, last, columns);
  }
  text << "drawn in " << svg_file << '\n';
  return text.str();
}

}  // namespace sgemv
