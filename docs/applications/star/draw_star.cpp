// draw_star <folder>: <folder>/star.svg, a star-shaped stencil with its halo.

#include "../../guide/timelines/program.hpp"
#include "star_picture.hpp"

#include <vector>

int main(int argc, char** argv) {
  return draw::run_program("draw_star <folder>", argc, argv, [](const std::vector<draw::Path>& arguments) {
    constexpr int radius = 2;
    draw::write(arguments[0] / "star.svg", draw::star_svg(draw::star_cells<6, 4, radius>(10, 14, 3, 4), radius, 3, 5));
  });
}
