// y = a x as an operator of PyTorch, for torch.utils.cpp_extension.load.

#include "../scale/body.hpp"

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/extension.h>

torch::Tensor scale(const torch::Tensor& x, double a) {
  TORCH_CHECK(x.is_cuda() && x.is_contiguous() && x.scalar_type() == torch::kFloat, "scale: x is floats on a GPU");
  TORCH_CHECK(x.numel() % Scale::Tile::count == 0, "scale: x has whole tiles of ", Scale::Tile::count, " elements");
  const c10::cuda::CUDAGuard guard(x.device());
  torch::Tensor y = torch::empty_like(x);
  const int tiles = static_cast<int>(x.numel() / Scale::Tile::count);
  dma::launch(Scale{}, {tiles}, at::cuda::getCurrentCUDAStream(), x.data_ptr<float>(), y.data_ptr<float>(),
              static_cast<float>(a), tiles);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) { module.def("scale", &scale, "a x, tile by tile"); }
