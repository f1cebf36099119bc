#pragma once

/// The kernel: a warpgroup that multiplies, and one or two warps that load keys and values.

#include "../attention/head_tile.hpp"
#include "../prefetch_map.hpp"
#include "plan.hpp"
#include "problem.hpp"
#include "warpgroup.hpp"

#include <dma/dma.hpp>

namespace decode {

/// How many of what a kernel takes at a time.
struct Form {
  int head_size;
  int columns;   ///< queries of a group, up to: 8, 16 or 32
  int box_rows;  ///< keys of a box, which divide those of a page; CTAs have multiples of them
  int block;     ///< keys of a block: a slot has its keys or its values
  int slots;
  int loading_warps = 1;
  bool starts_early = false;  ///< programmatic launch: no grid before writes the keys and values of earlier tokens
};

/// The form of a kernel whose boxes have so many keys. The fastest on an H200.
[[nodiscard]] constexpr Form form_of(int head_size, int columns, int box_rows, bool starts_early = false) {
  return {head_size, columns, box_rows, head_size == 64 ? 256 : 128, 6, box_rows < 64 ? 2 : 1, starts_early};
}

/// The segments of a CTA, block by block, as a DMA warp walks along them.
class Walk {
 public:
  /// @param block  keys of a block
  DMA_HOST_DEVICE Walk(const Segment* list, const Segment& first, int block)
      : list_(list), segment_(first), key_(first.first), block_(block) {
    find_block();
  }

  [[nodiscard]] DMA_HOST_DEVICE bool is_planned() const { return key_ < segment_.end; }
  [[nodiscard]] DMA_HOST_DEVICE const Segment& segment() const { return segment_; }
  /// The block's first key, and the end of those that it has in this segment.
  [[nodiscard]] DMA_HOST_DEVICE int key() const { return key_; }
  [[nodiscard]] DMA_HOST_DEVICE int end() const { return key_ + block_ < segment_.end ? key_ + block_ : segment_.end; }
  DMA_HOST_DEVICE void advance() {
    key_ += block_;
    find_block();
  }

 private:
  DMA_HOST_DEVICE void find_block() {
    while (key_ >= segment_.end && !segment_.is_last()) {
      segment_ = segment_at(list_ + segment_.next);
      key_ = segment_.first;
    }
  }

  const Segment* list_;
  Segment segment_;
  int key_;
  int block_;
};

/// Scores have a row for each key and a column for each query of a group: a product has 64 rows, and a token's step
/// has keys enough for them.
template <class Type, Form form_>
struct Decode {
  using Element = Type;
  static constexpr Form form = form_;
  static constexpr int block = form.block;
  static constexpr int unit = form.box_rows;  ///< of plans
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Dma<form.loading_warps>>;
  using TileOfK =
      dma::Paged<Element,
                 dma::PagedShape{
                     .cols = 64, .rows = form.block, .box_rows = form.box_rows, .planes = form.head_size / 64},
                 attention::swizzled>;
  using Blocks =
      dma::DmaPipeline<TileOfK, dma::MultiBuffer<Layout, form.slots>, dma::CudaBarrier,
                       dma::TensorCopy<dma::TensorCopyTuning{.cache = {.l2 = dma::L2Priority::evict_first}}>>;
  using Part = PartOf<form.head_size, form.columns>;
  static constexpr dma::KernelTraits traits{.programmatic_launch = form.starts_early};

  struct Shared {
    typename Blocks::Storage blocks;
    SharedOfWarpgroup<Element, form.head_size, form.columns, form.block> own;
  };
  struct Maps {
    dma::TensorMap<TileOfK> k;
    dma::TensorMap<TileOfK> v;
  };

  /// Rows of a page. An array of all sequences has pages of whole blocks, one for each, of which no row behind the last
  /// key is read.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int rows_of_page(const Problem<Element>& p) {
    return p.page_table != nullptr ? p.page_rows : (p.keys + block - 1) / block * block;
  }
  [[nodiscard]] DMA_HOST_DEVICE static TileOfK block_of(const Problem<Element>& p, const Heads<const Element>& heads,
                                                        const int* pages = nullptr, int end = 0, int key = 0,
                                                        int head = 0) {
    return {{p.page_table != nullptr ? p.pages : p.batches, rows_of_page(p), heads.batch * 2, heads.head * 2,
             heads.row * 2},
            pages,
            end,
            key,
            head};
  }
  /// The keys or values of a block.
  [[nodiscard]] DMA_HOST_DEVICE static TileOfK block_of(const Problem<Element>& p, const Heads<const Element>& heads,
                                                        const Walk& walk) {
    const int batch = walk.segment().batch;
    if (p.page_table != nullptr) {
      const int* const pages = p.page_table + static_cast<long long>(batch) * p.table_pitch;
      return block_of(p, heads, pages, walk.end(), walk.key(), walk.segment().head);
    }
    const int row = batch * rows_of_page(p);
    return block_of(p, heads, nullptr, row + walk.end(), row + walk.key(), walk.segment().head);
  }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Decode>& cta, const Maps& maps, const Problem<Element>& p,
                                  const Segment* list, const Workspace<Part>& workspace) const {
    auto& shared = cta.template shared<Shared>();
    const Segment first = segment_at(list + cta.block().x);
    if (cta.thread() == Layout::threads - 1) {
      prefetch_map(maps.k);
      prefetch_map(maps.v);
    }
    Blocks blocks(cta, shared.blocks);
    cta.take_roles(
        [&] {
          wait_for_grids(cta);
          Warpgroup<Decode>(cta, blocks, shared.own, p, workspace).attend(list, first);
        },
        [&] { load(cta, blocks.as_dma(), maps, p, Walk(list, first, block)); });
  }

 private:
  DMA_HOST_DEVICE static void wait_for_grids(const dma::Cta& cta) {
    if constexpr (form.starts_early) {
      cta.trigger_dependent_launch();
      cta.grid_dependency_wait();
    }
  }
  /// Loads the CTA's blocks: those of earlier tokens before earlier grids are complete, as many as there are slots for.
  template <class Dma>
  DMA_HOST_DEVICE static void load(const dma::Cta& cta, const Dma& dma, const Maps& maps, const Problem<Element>& p,
                                   Walk walk) {
    if constexpr (form.starts_early) {
      const auto is_of_earlier_tokens = [&] {
        return walk.is_planned() && walk.end() <= walk.segment().keys - p.queries;
      };
      for (int taken = 0; taken < form.slots / 2 && is_of_earlier_tokens(); ++taken) {
        dma.load(dma::constant(maps.k), block_of(p, p.k, walk));
        dma.load(dma::constant(maps.v), block_of(p, p.v, walk));
        walk.advance();
      }
    }
    wait_for_grids(cta);
    for (; walk.is_planned(); walk.advance()) {
      dma.load(maps.k, block_of(p, p.k, walk));
      dma.load(maps.v, block_of(p, p.v, walk));
    }
  }
};

#if !defined(__CUDACC_RTC__)
/// Throws for a problem or a plan that a kernel does not take.
template <class Kernel>
void expect_taken(const Problem<typename Kernel::Element>& p, const Plan& plan) {
  constexpr Form form = Kernel::form;
  decode::expect_valid(p, form.columns);
  if (p.head_size != form.head_size || (p.page_table != nullptr && p.page_rows % form.box_rows != 0)) {
    throw std::invalid_argument("decode: there are heads of " + std::to_string(p.head_size) + " and pages of " +
                                std::to_string(p.page_rows) + " keys, and this kernel takes heads of " +
                                std::to_string(form.head_size) + " and pages of a multiple of " +
                                std::to_string(form.box_rows) + "; use another form");
  }
  expect_plan_of(plan, p.batches, p.kv_heads, p.keys, form.box_rows);
}
#endif

}  // namespace decode
