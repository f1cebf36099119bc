"""Builds the operator beside this file and compares it with PyTorch's product; needs PyTorch, nvcc and a GPU."""

from pathlib import Path

import torch
from torch.utils.cpp_extension import load

HERE = Path(__file__).resolve().parent

extension = load(
    name="dma_scale",
    sources=[str(HERE / "scale.cu")],
    extra_include_paths=[str(HERE.parents[1] / "include")],
    extra_cuda_cflags=["-std=c++20", "-arch=sm_90a"],
)
x = torch.arange(4 * 1024, dtype=torch.float32, device="cuda")
assert torch.equal(extension.scale(x, 3.0), 3 * x)
