// The star of radius 4 in three dimensions at the paper's sizes (SC'11, section 6.2), by the kernels of
// applications/stencil.

#include "../applications/stencil/launch.cuh"
#include "copied.hpp"
#include "measure.hpp"
#include "sweeps.hpp"

#include <cmath>
#include <cstddef>
#include <memory>
#include <string>

namespace bench {
namespace {

constexpr int radius = 4;
using Star3D = stencil::Star<float, radius>;
using In = stencil::Field<const float>;
using Store = stencil::StoreSum<float>;

/// The second derivative to the eighth order, along three axes at once.
constexpr Star3D laplacian{{-8.541667F, 1.6F, -0.2F, 0.025396825F, -0.0017857143F}};

struct Extents {
  int nx, ny, nz;

  [[nodiscard]] std::string name() const {
    return std::to_string(nx) + "x" + std::to_string(ny) + "x" + std::to_string(nz);
  }
  [[nodiscard]] long long points() const { return 1LL * nx * ny * nz; }
};

/// Points that are farther from the sum in float64 than one rounding for each product and sum explains.
__global__ void compare_with_float64(const In u, const Star3D star, const float* sums, unsigned long long* wrong) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y);
  const int z = static_cast<int>(blockIdx.z);
  if (x >= u.nx) {
    return;
  }
  double sum = 0;
  double size = 0;
  const auto add = [&](int k, int px, int py, int pz) {
    if (px >= 0 && px < u.nx && py >= 0 && py < u.ny && pz >= 0 && pz < u.nz) {
      const double term = static_cast<double>(star.c[k]) * u.data[(static_cast<long long>(pz) * u.ny + py) * u.nx + px];
      sum += term;
      size += fabs(term);
    }
  };
  add(0, x, y, z);
  for (int k = 1; k <= radius; ++k) {
    for (const int step : {-k, k}) {
      add(k, x + step, y, z);
      add(k, x, y + step, z);
      add(k, x, y, z + step);
    }
  }
  constexpr double rounding = 1.0 / (1 << 24);
  const double error = fabs(sums[(static_cast<long long>(z) * u.ny + y) * u.nx + x] - sum);
  if (!(error <= (6 * radius + 4) * rounding * size)) {
    atomicAdd(wrong, 1ULL);
  }
}

/// run(u, store, stream) computes the sums of u. Rows are as long as the domain: multiples of 32 bytes.
template <class Run>
void add_kernel(const Extents& n, const std::string& by, const Run& run) {
  add("stencil/size:" + n.name() + "/" + by, [=] {
    const auto field = [=](const float* from) { return In{from, n.nx, n.ny, n.nz, n.nx}; };
    return copy_subject(
        n.points(),
        [=](auto stream, const float* from, float* to) {
          run(field(from), Store{to}, stream);
          check(cudaGetLastError());
        },
        [=](const float* from, float* to, cudaStream_t stream) {
          return static_cast<long long>(count_on_device(stream, [&](unsigned long long* wrong) {
            const dim3 grid(static_cast<unsigned>((n.nx + 255) / 256), static_cast<unsigned>(n.ny),
                            static_cast<unsigned>(n.nz));
            compare_with_float64<<<grid, 256, 0, stream>>>(field(from), laplacian, to, wrong);
          }));
        });
  });
}

template <int Cols, int Rows>
void add_references(const Extents& n) {
  const std::string tile = "tile:" + std::to_string(Cols) + "x" + std::to_string(Rows);
  add_kernel(n, tile + "/by:reference", [](const In& u, const Store& store, cudaStream_t stream) {
    stencil::launch_2009<Cols, Rows>(u, laplacian, store, stream);
  });
  add_kernel(n, tile + "/by:cached", [](const In& u, const Store& store, cudaStream_t stream) {
    stencil::launch_cached<Cols, Rows>(u, laplacian, store, stream);
  });
}

void add_size(const Extents& n) {
  add("stencil/size:" + n.name() + "/by:memcpy", [=] { return driver_copy(n.points()); });
  add_references<32, 4>(n);
  add_references<32, 8>(n);
  add_references<64, 4>(n);
  add_references<128, 4>(n);
  for (const char* const name : {"halo-only-single", "halo-only-double", "halo-only-manual", "block-halo-single"}) {
    add_kernel(n, std::string("by:") + name, [=](const In& u, const Store& store, cudaStream_t stream) {
      stencil::with_paper_kernel<float, radius, Store>(
          name, [&](const auto& kernel) { dma::launch(kernel, stencil::paper_grid(u), stream, u, laplacian, store); });
    });
  }
  add_kernel(n, "by:dma", [](const In& u, const Store& store, cudaStream_t stream) {
    static const stencil::MarchLauncher march;
    march(u, laplacian, store, stream);
  });
}

/// A star whose magnitudes add up to less than 1.
template <int Radius>
constexpr stencil::Star<float, Radius> damped = [] {
  stencil::Star<float, Radius> star{};
  for (int k = 0; k <= Radius; ++k) {
    star.c[k] = (k % 2 == 0 ? -1.0F : 1.0F) / (static_cast<float>(k) + 1.5F) / 8;
  }
  return star;
}();

[[nodiscard]] std::shared_ptr<float> floats_on_device(long long count) {
  float* memory = nullptr;
  check(cudaMalloc(&memory, static_cast<std::size_t>(count) * sizeof *memory));
  return {memory, [](float* owned) { cudaFree(owned); }};
}

__global__ void count_differences(const float* one, const float* other, long long count, unsigned long long* wrong) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count && __float_as_int(one[i]) != __float_as_int(other[i])) {
    atomicAdd(wrong, 1ULL);
  }
}

/// Steps of the star: `one_pass` as `MarchLauncher::steps` makes them, or by as many launches of the march. Their bits
/// are those of the launches; a rate is that of one read and one write of the field.
template <int Radius, int Count>
void add_steps(const Extents& n, bool one_pass) {
  const std::string count = Count == 2 ? "two" : "three";
  const std::string name = "stencil/" + count + "_steps/radius:" + std::to_string(Radius) + "/size:" + n.name() +
                           (one_pass ? "/by:dma" : "/by:" + count + "_marches");
  add(name, [=] {
    static const stencil::MarchLauncher march;
    const auto between = floats_on_device(n.points());
    const auto field = [=](float* data) { return stencil::Field<float>{data, n.nx, n.ny, n.nz, n.nx}; };
    const auto view = [=](const float* data) { return In{data, n.nx, n.ny, n.nz, n.nx}; };
    const auto marches = [=](const float* from, float* to, cudaStream_t stream) {
      stencil::step_by_step(Count, view(from), between.get(), to,
                            [&](const In& u, float* next) { march(u, damped<Radius>, Store{next}, stream); });
    };
    return copy_subject(
        n.points(),
        [=](auto stream, const float* from, float* to) {
          if (one_pass) {
            march.steps<Count>(view(from), damped<Radius>, field(between.get()), field(to), stream);
          } else {
            marches(from, to, stream);
          }
          check(cudaGetLastError());
        },
        [=](const float* from, float* to, cudaStream_t stream) {
          const std::shared_ptr<float> expected = floats_on_device(n.points());
          marches(from, expected.get(), stream);
          return static_cast<long long>(count_on_device(stream, [&](unsigned long long* wrong) {
            count_differences<<<static_cast<unsigned>((n.points() + 255) / 256), 256, 0, stream>>>(to, expected.get(),
                                                                                                   n.points(), wrong);
          }));
        });
  });
}

/// The march with less slack of its pace than it has, and with as much as makes it none.
template <int Slack>
void add_slack(const Extents& n) {
  add_kernel(n, "slack:" + std::to_string(Slack) + "/by:dma", [](const In& u, const Store& store, cudaStream_t stream) {
    constexpr stencil::MarchShape shape = [] {
      stencil::MarchShape slackened = stencil::march_shapes<float, radius>[0];
      slackened.slack = Slack;
      return slackened;
    }();
    static const stencil::MarchLauncher march;
    march.launch<stencil::March<float, radius, shape, Store>>(u, laplacian, store, stream);
  });
}

}  // namespace

void add_stencil() {
  add_size({512, 512, 512});
  add_size({640, 640, 400});
  add_size({800, 800, 200});
  for (const Extents& n : {Extents{512, 512, 512}, {640, 640, 400}, {800, 800, 200}, {1024, 1024, 512}}) {
    for (const bool one_pass : {false, true}) {
      add_steps<1, 2>(n, one_pass);
      add_steps<2, 2>(n, one_pass);
      add_steps<3, 2>(n, one_pass);
      add_steps<1, 3>(n, one_pass);
    }
  }
  constexpr Extents cube{512, 512, 512};
  add_slack<1>(cube);
  add_slack<3>(cube);
  add_slack<6>(cube);
  add_slack<12>(cube);
  add_slack<1 << 20>(cube);
}

}  // namespace bench
