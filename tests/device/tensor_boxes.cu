#include "device/device.hpp"
#include "device/patterns.cuh"
#include "patterns/concat.hpp"

#include <vector>

namespace {

/// Boxes of two arrays in one tile, over the far edges of both.
void subtract_coarse(PatternResult& result) {
  const LessCoarse::Fine fine{.pitch_bytes = 144 * 4, .array_rows = 101, .array_cols = 141};
  const LessCoarse::Coarse coarse{.pitch_bytes = 76 * 4, .array_rows = 51, .array_cols = 71};
  std::vector<float> u(101 * 144);
  std::vector<float> v(51 * 76);
  for (std::size_t i = 0; i < u.size(); ++i) {
    u[i] = static_cast<float>(i * 7 % 1009);
  }
  for (std::size_t i = 0; i < v.size(); ++i) {
    v[i] = static_cast<float>(i * 5 % 997);
  }
  const OnDevice<float> device_u(u);
  const OnDevice<float> device_v(v);
  const OnDevice<float> device_out(101 * 141, 0xff);
  const auto map = dma::tensor_map<LessCoarse::Tile>(dma::of(device_u.data(), fine), dma::of(device_v.data(), coarse));
  dma::launch(LessCoarse{}, {1}, nullptr, map, fine, coarse, device_out.data());
  check(cudaDeviceSynchronize());
  const std::vector<float> out = device_out.values();
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t row = i / 141;
    const std::size_t col = i % 141;
    result.wrong += out[i] == u[row * 144 + col] - v[row / 2 * 76 + col / 2] ? 0 : 1;
  }
  ++result.cases;
}

}  // namespace

PatternResult run_tensor_boxes() {
  PatternResult result;
  run_by_tensor_maps<shapes::Box>(result);
  run_by_tensor_maps<shapes::SwizzledBox>(result);
  run_by_tensor_maps<shapes::Volume>(result);
  run_by_tensor_maps<shapes::SwizzledVolume>(result);
  run_by_tensor_maps<shapes::TwoBoxes>(result);
  subtract_coarse(result);
  return result;
}
