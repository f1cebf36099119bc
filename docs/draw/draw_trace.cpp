// draw_trace <trace> <folder>: a recording of kernels (dma/trace/trace_text.hpp) as <folder>/<name>.svg, one panel a
// kernel, all to one scale, and as <folder>/<name>.json for Perfetto (ui.perfetto.dev) and Chrome (about:tracing).

#include "trace_picture.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using draw::Span;
using draw::Trace;

std::set<int> ctas_of(const Trace& trace) {
  std::set<int> ctas;
  for (const draw::Event& event : trace.events) {
    ctas.insert(event.cta);
  }
  return ctas;
}

/// One process a CTA, one thread a warp. Chrome's microseconds show a thousand cycles, or steps, as one.
nlohmann::json chrome_events(const std::vector<Trace>& traces) {
  nlohmann::json events = nlohmann::json::array();
  int process = 0;
  for (const Trace& trace : traces) {
    for (const int cta : ctas_of(trace)) {
      const std::vector<Span> spans = draw::spans_of(trace, cta);
      events.push_back({{"name", "process_name"},
                        {"ph", "M"},
                        {"pid", process},
                        {"args", {{"name", trace.name + ", CTA " + std::to_string(cta)}}}});
      const std::vector<std::string> names = draw::warp_names(trace, spans);
      for (int warp = 0; warp < trace.warps; ++warp) {
        events.push_back({{"name", "thread_name"},
                          {"ph", "M"},
                          {"pid", process},
                          {"tid", warp},
                          {"args", {{"name", names[static_cast<std::size_t>(warp)]}}}});
      }
      for (const Span& span : spans) {
        events.push_back({{"name", draw::name_of(span)},
                          {"ph", "X"},
                          {"pid", process},
                          {"tid", span.warp},
                          {"ts", static_cast<double>(span.begin) / 1000},
                          {"dur", static_cast<double>(span.end - span.begin) / 1000},
                          {"args", {{"pipeline", span.pipeline}, {"slot", span.slot}}}});
      }
      ++process;
    }
  }
  return {{"displayTimeUnit", "ns"}, {"traceEvents", events}};
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path);
  out << text;
  out.close();  // what the stream still holds may not fit
  if (!out) {
    throw std::runtime_error("draw_trace: cannot write " + path.string());
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::fprintf(stderr, "usage: draw_trace <trace> <folder>\n");
    return 1;
  }
  const std::filesystem::path source = argv[1];
  const std::filesystem::path folder = argv[2];
  std::ifstream in(source);
  const std::vector<Trace> traces = draw::read_traces(in);
  if (traces.empty()) {
    throw std::runtime_error("draw_trace: no trace in " + source.string());
  }
  std::filesystem::create_directories(folder);
  write(folder / (source.stem().string() + ".svg"), draw::TracePicture(traces).svg());
  write(folder / (source.stem().string() + ".json"), chrome_events(traces).dump(1) + "\n");
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
