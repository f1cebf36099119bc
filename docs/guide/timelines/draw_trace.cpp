// draw_trace <trace> <folder>: a recording of kernels (dma/trace/trace_text.hpp) as <folder>/<name>.svg, one panel a
// kernel, all to one scale, and as <folder>/<name>.json for Perfetto (ui.perfetto.dev) and Chrome (about:tracing). The
// last kernel is a picture that moves, too, where it has few warps and slots: <folder>/<name>-moving.svg.

#include "moving_picture.hpp"
#include "perfetto.hpp"
#include "program.hpp"
#include "trace_picture.hpp"

#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  return draw::run_program("draw_trace <trace> <folder>", argc, argv, [](const std::vector<draw::Path>& arguments) {
    const draw::Path& source = arguments[0];
    const std::string name = (arguments[1] / source.stem()).string();
    std::ifstream in(source);
    const std::vector<draw::Trace> traces = draw::read_traces(in);
    if (traces.empty()) {
      throw std::runtime_error("no trace in " + source.string());
    }
    draw::write(name + ".svg", draw::TracePicture(traces).svg());
    if (draw::can_move(traces.back())) {
      draw::write(name + "-moving.svg", draw::MovingPicture(traces.back()).svg());
    }
    draw::write(name + ".json", draw::perfetto_events(traces).dump(1) + "\n");
  });
}
