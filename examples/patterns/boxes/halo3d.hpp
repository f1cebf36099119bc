#pragma once

#include <dma/dma.hpp>

/// Sums the elements beside each block of 8 x 4 x 2 elements of a volume: on its six faces.
struct ShellSums {
  using Shell =
      dma::Halo3D<float,
                  dma::HaloShape{.cols = 8, .rows = 4, .planes = 2, .radius = 1, .corners = dma::Corners::excluded}>;
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Shell, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ShellSums>& cta, const float* in, int planes, int rows, int cols,
                                  float* sums) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const int across = cols / 8;
    const int down = rows / 4;
    const auto shell_at = [&](int t) {
      return Shell{.pitch_bytes = cols * 4LL,
                   .plane_pitch_bytes = rows * cols * 4LL,
                   .array_planes = planes,
                   .array_rows = rows,
                   .array_cols = cols,
                   .plane = t / (across * down) * 2,
                   .row = t / across % down * 4,
                   .col = t % across * 8,
                   .fill = 0.0F};
    };
    pipe.for_each_tile(
        {.last = across * down * (planes / 2)},  //
        [&](const auto& dma, int t) { dma.load(in, shell_at(t)); },
        [&](const auto& compute, int t) {
          const auto shell = compute.wait(shell_at(t));
          if (compute.rank() == 0) {
            float sum = 0;
            for (int r = 0; r < 4; ++r) {
              for (int c = 0; c < 8; ++c) {
                sum += shell(-1, r, c) + shell(2, r, c);
              }
            }
            for (int p = 0; p < 2; ++p) {
              for (int c = 0; c < 8; ++c) {
                sum += shell(p, -1, c) + shell(p, 4, c);
              }
              for (int r = 0; r < 4; ++r) {
                sum += shell(p, r, -1) + shell(p, r, 8);
              }
            }
            sums[t] = sum;
          }
        });
  }
};

static_assert(dma::explain<ShellSums::Pipe>(ShellSums::Shell{4096, 65536, 16, 16, 1024, 2, 4, 8}).access_bytes == 4);
static_assert(dma::explain<ShellSums::Pipe>(ShellSums::Shell{4096, 65536, 16, 16, 1024, 2, 4, 8}).steps == 6);
static_assert(!dma::explain<ShellSums::Pipe>(ShellSums::Shell{4096, 65536, 16, 16, 1024, 2, 4, 8}).is_coalesced());
