// Tiles changed in place, x = -x: one ring of slots for loads and stores, two rings with as many slots together, and a
// plain kernel.

#include "measure.hpp"
#include "sweeps.hpp"

#include <dma/dma.hpp>

#include <string>

namespace bench {
namespace {

template <class Compute, class From, class To>
DMA_DEVICE void negate(const Compute& compute, const From& from, const To& to) {
  const auto in = from.vectors();
  const auto out = to.vectors();
#pragma unroll 4
  for (int i = compute.rank(); i < in.size(); i += compute.size()) {
    out[i] = in[i] * -1.0F;
  }
}

template <class Tile, int Warps, int Slots>
struct OneRing {
  using Layout = dma::WarpLayout<dma::Compute<Warps>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<dma::Update<Tile>, dma::MultiBuffer<Layout, Slots>>;
  struct Shared {
    typename Pipe::Storage storage;
  };
  DMA_HOST_DEVICE void operator()(dma::KernelCta<OneRing>& cta, float* x, int tiles) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    const auto place = [&](int tile) { return x + static_cast<long long>(tile) * Tile::count; };
    pipe.for_each_tile(
        cta.tiles(tiles),  //
        [&](const auto& dma, int tile) { dma.load(place(tile)); },
        [&](const auto& compute, int) {
          const auto slot = compute.wait();
          negate(compute, slot, slot);
        },
        [&](const auto& dma, int tile) { dma.store(place(tile)); });
  }
};

template <class Tile, int Warps, int Slots>
struct TwoRings {
  using Layout = dma::WarpLayout<dma::Compute<Warps>, dma::Dma<1>, dma::Dma<1>>;
  using Load = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, Slots / 2, dma::DmaGroups{.first = 0}>>;
  using Store = dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<Layout, Slots / 2, dma::DmaGroups{.first = 1}>>;
  struct Shared {
    typename Load::Storage in;
    typename Store::Storage out;
  };
  DMA_HOST_DEVICE void operator()(dma::KernelCta<TwoRings>& cta, float* x, int tiles) const {
    auto& shared = cta.template shared<Shared>();
    Load load(cta, shared.in);
    Store store(cta, shared.out);
    const auto each = [&](const auto& body) {
      for (int tile : cta.tiles(tiles)) {
        body(x + static_cast<long long>(tile) * Tile::count);
      }
    };
    cta.take_roles(
        [&] {
          const auto full = load.as_compute();
          const auto empty = store.as_compute();
          each([&](const float*) { negate(full, full.wait(), empty.wait()); });
        },
        [&] {
          const auto dma = load.as_dma();
          each([&](const float* from) { dma.load(from); });
        },
        [&] {
          const auto dma = store.as_dma();
          each([&](float* to) { dma.store(to); });
        });
  }
};

__global__ void negate_plainly(float4* x) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const float4 v = x[i];
  x[i] = make_float4(-v.x, -v.y, -v.z, -v.w);
}

__global__ void count_unnegated(const float* x, const float* y, long long elements, unsigned long long* wrong) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += step) {
    if (y[i] != -x[i]) {
      atomicAdd(wrong, 1ULL);
    }
  }
}

/// `run(stream, x)` negates a window of the output.
template <class Run>
void add_subject(const std::string& name, const Run& run) {
  add("in_place/" + name, [=] {
    Subject subject;
    subject.bytes = 2.0 * static_cast<double>(window_bytes());
    subject.launch = [=](cudaStream_t stream, int i) { run(stream, output(i)); };
    subject.wrong = [=](cudaStream_t stream) -> std::string {
      check(cudaMemcpyAsync(output(), input(), static_cast<std::size_t>(window_bytes()), cudaMemcpyDeviceToDevice,
                            stream));
      run(stream, output());
      const auto wrong = count_on_device(stream, [&](unsigned long long* counter) {
        count_unnegated<<<1024, 256, 0, stream>>>(input(), output(), window_elements(), counter);
      });
      return wrong == 0 ? "" : std::to_string(wrong) + " elements are wrong";
    };
    return subject;
  });
}

template <int Bytes, int Slots, int Warps>
void add_rings() {
  using Tile = dma::Sequential<float, Bytes / 4>;
  const auto add_kernel = [](const std::string& by, auto kernel) {
    for (const int ctas : {1, 2}) {
      add_subject("bytes:" + std::to_string(Bytes) + "/slots:" + std::to_string(Slots) +
                      "/ctas:" + std::to_string(ctas) + "/by:" + by,
                  [=](cudaStream_t stream, float* x) {
                    dma::launch(kernel, {ctas * sms()}, stream, x, static_cast<int>(window_bytes() / Bytes));
                  });
    }
  };
  add_kernel("dma", OneRing<Tile, Warps, Slots>{});
  add_kernel("two_rings", TwoRings<Tile, Warps, Slots>{});
}

}  // namespace

void add_in_place() {
  add_rings<4096, 4, 4>();
  add_rings<4096, 8, 4>();
  add_rings<8192, 4, 4>();
  add_rings<16384, 4, 8>();
  add_subject("by:plain", [](cudaStream_t stream, float* x) {
    launch(negate_plainly, static_cast<int>(window_elements() / 4 / 256), 256, 0, stream, reinterpret_cast<float4*>(x));
  });
}

}  // namespace bench
