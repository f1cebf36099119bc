#include "device/device.hpp"
#include "device/patterns.cuh"
#include "kernels/box_list.hpp"
#include "patterns/composites/concat.hpp"

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
  const auto map = dma::tensor_map<LessCoarse::Tile>(dma::TensorArray{device_u.data(), fine},
                                                     dma::TensorArray{device_v.data(), coarse});
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

/// Boxes changed in place, one of each clipped at the far edges.
struct TriplesBoxes {
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Box = dma::Tile2D<float, 32, 8>;
  using Pipe = dma::DmaPipeline<dma::Update<Box>, dma::MultiBuffer<Layout, 4>, dma::CudaBarrier, dma::TensorCopy<>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<TriplesBoxes>& cta, const dma::TensorMap<Box>& map, Box array) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const int across = (array.array_cols + 31) / 32;
    const int down = (array.array_rows + 7) / 8;
    const auto box_at = [&](int t) {
      Box box = array;
      box.row = t / across * 8;
      box.col = t % across * 32;
      return box;
    };
    pipe.for_each_tile(
        cta.tiles(across * down),  //
        [&](const auto& dma, int t) { dma.load(map, box_at(t)); },
        [&](const auto& compute, int t) {
          const auto box = compute.wait(box_at(t));
          for (int i = compute.rank(); i < box.size(); i += compute.size()) {
            box[i] *= 3;
          }
        },
        [&](const auto& dma, int t) { dma.store(map, box_at(t)); });
  }
};

void triple_boxes(PatternResult& result) {
  const TriplesBoxes::Box array{.pitch_bytes = 144 * 4, .array_rows = 101, .array_cols = 140};
  std::vector<float> u(101 * 144);
  for (std::size_t i = 0; i < u.size(); ++i) {
    u[i] = static_cast<float>(i * 7 % 1009);
  }
  const OnDevice<float> device_u(u);
  dma::launch(TriplesBoxes{}, {5}, nullptr, dma::tensor_map<TriplesBoxes::Box>(device_u.data(), array), array);
  check(cudaDeviceSynchronize());
  const std::vector<float> out = device_u.values();
  for (std::size_t i = 0; i < out.size(); ++i) {
    result.wrong += out[i] == (i % 144 < 140 ? 3 * u[i] : u[i]) ? 0 : 1;
  }
  ++result.cases;
}

/// Tiles of more boxes than one warp looks up at a time.
void list_boxes(PatternResult& result) {
  const OnDevice<int> memory(box_list::memory());
  const OnDevice<int> table(box_list::page_table());
  const OnDevice<int> out(box_list::out_ints, 0xff);
  const box_list::Tile tile = box_list::tile_of(table.data());
  dma::launch(box_list::Body{}, {box_list::sequences}, nullptr, dma::tensor_map(memory.data(), tile), tile, out.data());
  check(cudaDeviceSynchronize());
  result.wrong += box_list::count_wrong(out.values());
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
  triple_boxes(result);
  list_boxes(result);
  return result;
}
