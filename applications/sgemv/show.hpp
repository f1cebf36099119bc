#pragma once

/// What a host shows of the kernels beside their results: that they are right under every schedule, and when the warps
/// of a pipeline do what.

#include "problem.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace sgemv {

/// What `dma::proof::prove` found for a kernel.
struct Proof {
  bool is_proved = true;
  std::size_t operations = 0;  ///< that were judged, of all threads
  double seconds = 0;
  std::string finding;  ///< empty where it is proved
};

/// Proves one of the six variants, for accesses of 16 bytes. One CTA streams 1 tile, 2 tiles and so on, up to one more
/// than three rounds of two slots. Returns 0 operations for any other name.
[[nodiscard]] Proof prove_on_host(std::string_view variant, Op op);

/// Records the kernel of examples/trace under three bufferings, and draws what their warps do in an SVG.
///
/// @return  the same as text, a line a warp
/// @throws std::runtime_error  where the file cannot be written
[[nodiscard]] std::string draw_timeline_on_host(const std::string& svg_file);

}  // namespace sgemv
