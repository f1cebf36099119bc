#pragma once

/// A kernel body that loads tiles by a pattern, shows what arrived and stores them by the same pattern: both directions
/// of every shape in a list, each with a place of its own to go to.

#include <dma/buffering/multi_buffer.hpp>
#include <dma/engines/tensor/tensor_copy.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/patterns/store.hpp>
#include <dma/pipeline.hpp>

#include <cstring>
#include <limits>

namespace round_trip {

template <class Pattern>
struct Job {
  const Pattern* shapes;
  int count;                   ///< shapes
  const unsigned char* in;     ///< where every load begins
  unsigned char* out;          ///< where the first store begins
  long long out_stride_bytes;  ///< from one shape's to the next
  unsigned char* arrived;      ///< `Pattern::tile_bytes` a shape: the tile as the compute warps saw it

  // For tensor maps: of `in`, and of each shape's stretch of `out`.
  const dma::TensorMap<Pattern>* in_map = nullptr;
  const dma::TensorMap<Pattern>* out_maps = nullptr;
};

/// What a pipeline takes when it is not told.
struct TheDefault {};
template <class Pattern, class Barrier, class Engine>
struct EngineFor {
  using Type = Engine;
};
template <class Pattern, class Barrier>
struct EngineFor<Pattern, Barrier, TheDefault> {
  using Type = dma::DefaultEngine<Pattern, Barrier>;
};

/// Whether an engine moves this shape at all: tensor maps only boxes that begin on a multiple of 16 bytes.
template <class Engine, class Pattern>
DMA_HOST_DEVICE bool is_moved([[maybe_unused]] const Pattern& shape) {
  bool is_aligned = true;
  if constexpr (dma::stdlib::is_same_v<Engine, dma::TensorCopy<>>) {
    dma::for_each_part(shape, [&](const auto& part, int, auto) {
      is_aligned = is_aligned && part.box().position[0] * int{sizeof(typename Pattern::Element)} % 16 == 0;
    });
  }
  return is_aligned;
}

/// The value that a pattern's tensor map delivers outside its array.
template <class Pattern>
inline constexpr dma::OutsideArray outside_of = dma::OutsideArray::zero;
template <class Pattern>
  requires requires { Pattern::outside; }
inline constexpr dma::OutsideArray outside_of<Pattern> = Pattern::outside;

/// The same shape, filled as its tensor map fills.
template <class Pattern>
Pattern filled_by_map(Pattern shape) {
  if constexpr (requires { shape.fill; }) {
    shape.fill = {};
    if constexpr (outside_of<Pattern> == dma::OutsideArray::nan) {
      shape.fill = std::numeric_limits<decltype(shape.fill)>::quiet_NaN();
    }
  }
  return shape;
}

/// Whether an element holds a fill value; any NaN is as good as another.
template <class Element>
bool holds(const unsigned char* place, const Element& value) {
  if constexpr (dma::stdlib::is_floating_point_v<Element>) {
    Element element;
    std::memcpy(&element, place, sizeof element);
    if (value != value) {
      return element != element;
    }
  }
  return std::memcmp(place, &value, sizeof value) == 0;
}

/// Whether it stores this shape: tensor maps none that begins before its array.
template <class Engine, class Pattern>
DMA_HOST_DEVICE bool is_stored([[maybe_unused]] const Pattern& shape) {
  bool is_inside = true;
  if constexpr (dma::stdlib::is_same_v<Engine, dma::TensorCopy<>>) {
    dma::for_each_part(shape, [&](const auto& part, int, auto) {
      for (const int place : part.box().position) {
        is_inside = is_inside && place >= 0;
      }
    });
  }
  return is_inside;
}

/// The loading pipeline and the storing one, on DMA groups of their own where there are any.
template <class Pattern, class Warps, class Barrier, class Engine = TheDefault>
struct Body {
  using Layout = Warps;
  using In = dma::DmaPipeline<Pattern, dma::MultiBuffer<Warps, 2, dma::DmaGroups{.first = 0}>, Barrier,
                              typename EngineFor<Pattern, Barrier, Engine>::Type>;
  using Out = dma::DmaPipeline<dma::Store<Pattern>,
                               dma::MultiBuffer<Warps, 2, dma::DmaGroups{.first = Warps::is_specialized ? 1 : 0}>,
                               Barrier, typename EngineFor<dma::Store<Pattern>, Barrier, Engine>::Type>;
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
          if (is_stored<Engine>(job.shapes[i])) {
            store(out, job, i);
          }
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
        if (is_stored<Engine>(job.shapes[i])) {
          fill(out, job, i);
          store(out, job, i);
        }
        out.close();
      }
    }
  }

 private:
  using Element = typename Pattern::Element;

  DMA_HOST_DEVICE static void load(In& in, const Job<Pattern>& job, int i) {
    if constexpr (dma::detail::TakesArrays<typename In::Engine, Pattern>) {
      in.as_dma().load(*job.in_map, job.shapes[i]);
    } else {
      in.as_dma().load(reinterpret_cast<const Element*>(job.in), job.shapes[i]);
    }
  }
  DMA_HOST_DEVICE static void store(Out& out, const Job<Pattern>& job, int i) {
    if constexpr (dma::detail::TakesArrays<typename Out::Engine, Pattern>) {
      out.as_dma().store(job.out_maps[i], job.shapes[i]);
    } else {
      out.as_dma().store(reinterpret_cast<Element*>(job.out + i * job.out_stride_bytes), job.shapes[i]);
    }
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
    const auto* from = reinterpret_cast<const unsigned char*>(full.data());
    copy_bytes(compute, arrived(job, i), from);
    if (is_stored<Engine>(job.shapes[i])) {
      const auto empty = out.as_compute().wait(job.shapes[i]);
      copy_bytes(compute, reinterpret_cast<unsigned char*>(empty.data()), from);
    }
  }
};

using WithDmaWarps = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>, dma::Dma<2>>;
using WithoutDmaWarps = dma::WarpLayout<dma::Compute<3>>;

}  // namespace round_trip
