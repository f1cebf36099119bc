// draw_trace <trace> <folder>: a recording of kernels (dma/trace/trace_text.hpp) as <folder>/<name>.svg, one panel a
// kernel, all to one scale, and as <folder>/<name>.json for Perfetto (ui.perfetto.dev) and Chrome (about:tracing). The
// last kernel is a picture that moves, too, where it has few warps and slots: <folder>/<name>-moving.svg.

#include "moving_picture.hpp"
#include "perfetto.hpp"
#include "trace_picture.hpp"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using draw::Trace;

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
  const bool is_asked = argc > 1 && std::string_view(argv[1]) == "--help";
  if (is_asked || argc != 3) {
    std::fprintf(is_asked ? stdout : stderr, "usage: draw_trace <trace> <folder>\n");
    return is_asked ? 0 : 1;
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
  if (draw::can_move(traces.back())) {
    write(folder / (source.stem().string() + "-moving.svg"), draw::MovingPicture(traces.back()).svg());
  }
  write(folder / (source.stem().string() + ".json"), draw::perfetto_events(traces).dump(1) + "\n");
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
