// draw_paradigms <folder>: <folder>/paradigms.svg, two ways to move tiles through shared memory.

#include "../timelines/program.hpp"
#include "../timelines/trace_picture.hpp"
#include "paradigms.hpp"

#include <vector>

int main(int argc, char** argv) {
  return draw::run_program("draw_paradigms <folder>", argc, argv, [](const std::vector<draw::Path>& arguments) {
    constexpr draw::Work work{.tiles = 6, .load = 12, .compute = 36, .spread = 3};
    const std::vector<draw::Trace> ways{draw::load_synchronize_compute(work, 4),
                                        draw::dma_warp_and_compute_warps(work, 4)};
    draw::write(arguments[0] / "paradigms.svg", draw::TracePicture(ways, draw::BarText::work).svg());
  });
}
