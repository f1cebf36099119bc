#pragma once

/// A kernel body that loads tiles by a pattern, shows what arrived and stores them by the same pattern: both directions
/// of every shape in a list, each with a place of its own to go to.

#include <dma/buffering/multi_buffer.hpp>
#include <dma/cta.hpp>
#include <dma/patterns/store.hpp>
#include <dma/pipeline.hpp>

namespace round_trip {

template <class Pattern>
struct Job {
  const Pattern* shapes;
  int count;                   ///< shapes
  const unsigned char* in;     ///< where every load begins
  unsigned char* out;          ///< where the first store begins
  long long out_stride_bytes;  ///< from one shape's to the next
  unsigned char* arrived;      ///< `Pattern::tile_bytes` a shape: the tile as the compute warps saw it
};

/// The loading pipeline and the storing one, on DMA groups of their own where there are any.
template <class Pattern, class Warps, class Barrier>
struct Body {
  using Layout = Warps;
  using In = dma::DmaPipeline<Pattern, dma::MultiBuffer<Warps, 2, 1, 0>, Barrier>;
  using Out =
      dma::DmaPipeline<dma::Store<Pattern>, dma::MultiBuffer<Warps, 2, 1, Warps::is_specialized ? 1 : 0>, Barrier>;
  struct Shared {
    typename In::Storage in;
    typename Out::Storage out;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Body>& cta, const Job<Pattern>& job) const {
    auto& shared = cta.template shared<Shared>();
    const int step = cta.blocks().x;
    if constexpr (Warps::is_specialized) {
      In in(cta, shared.in);
      Out out(cta, shared.out);
      if (in.is_dma()) {
        for (int i = cta.block().x; i < job.count; i += step) {
          load(in, job, i);
        }
      } else if (out.is_dma()) {
        for (int i = cta.block().x; i < job.count; i += step) {
          store(out, job, i);
        }
      } else {
        for (int i = cta.block().x; i < job.count; i += step) {
          use(in, out, job, i);
        }
      }
    } else {
      // Both pipelines have every warp, and on named barriers the same numbers: one after the other.
      for (int i = cta.block().x; i < job.count; i += step) {
        {
          In in(cta, shared.in);
          load(in, job, i);
          show(in, job, i);
          in.close();
        }
        Out out(cta, shared.out);
        fill(out, job, i);
        store(out, job, i);
        out.close();
      }
    }
  }

 private:
  using Element = typename Pattern::Element;

  DMA_HOST_DEVICE static void load(In& in, const Job<Pattern>& job, int i) {
    in.as_dma().load(reinterpret_cast<const Element*>(job.in), job.shapes[i]);
  }
  DMA_HOST_DEVICE static void store(Out& out, const Job<Pattern>& job, int i) {
    out.as_dma().store(reinterpret_cast<Element*>(job.out + i * job.out_stride_bytes), job.shapes[i]);
  }
  template <class Handle>
  DMA_HOST_DEVICE static void copy_bytes(const Handle& compute, unsigned char* to, const unsigned char* from) {
    for (int byte = compute.rank(); byte < Pattern::tile_bytes; byte += compute.size()) {
      to[byte] = from[byte];
    }
  }
  DMA_HOST_DEVICE static unsigned char* arrived(const Job<Pattern>& job, int i) {
    return job.arrived + static_cast<long long>(i) * Pattern::tile_bytes;
  }

  DMA_HOST_DEVICE static void show(In& in, const Job<Pattern>& job, int i) {
    const auto compute = in.as_compute();
    const auto slot = compute.wait(job.shapes[i]);
    copy_bytes(compute, arrived(job, i), reinterpret_cast<const unsigned char*>(slot.data()));
  }
  DMA_HOST_DEVICE static void fill(Out& out, const Job<Pattern>& job, int i) {
    const auto compute = out.as_compute();
    const auto slot = compute.wait(job.shapes[i]);
    copy_bytes(compute, reinterpret_cast<unsigned char*>(slot.data()), arrived(job, i));
  }
  DMA_HOST_DEVICE static void use(In& in, Out& out, const Job<Pattern>& job, int i) {
    const auto compute = in.as_compute();
    const auto full = in.as_compute().wait(job.shapes[i]);
    const auto empty = out.as_compute().wait(job.shapes[i]);
    const auto* from = reinterpret_cast<const unsigned char*>(full.data());
    copy_bytes(compute, arrived(job, i), from);
    copy_bytes(compute, reinterpret_cast<unsigned char*>(empty.data()), from);
  }
};

using WithDmaWarps = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>, dma::Dma<2>>;
using WithoutDmaWarps = dma::WarpLayout<dma::Compute<3>>;

}  // namespace round_trip
