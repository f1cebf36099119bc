#pragma once

/// What every transpose of blocks does: four rows of four elements in registers, turned round.

#include <dma/config.hpp>

namespace bench {

DMA_DEVICE void transpose_in_registers(float4 (&m)[4]) {
  const auto swap = [](float& a, float& b) {
    const float held = a;
    a = b;
    b = held;
  };
  swap(m[0].y, m[1].x);
  swap(m[0].z, m[2].x);
  swap(m[0].w, m[3].x);
  swap(m[1].z, m[2].y);
  swap(m[1].w, m[3].y);
  swap(m[2].w, m[3].z);
}

}  // namespace bench
