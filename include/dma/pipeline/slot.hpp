#pragma once

#include <dma/config.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/records.hpp>
#include <dma/machine/site.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>
#include <dma/unrolled.hpp>
#include <dma/vector.hpp>

namespace dma::inline v0_1 {

namespace detail {

/// The tile of a slot in accesses of `Size` elements: what `Slot::vectors()` returns. It refers to the slot: a host
/// reports a use after the slot's release or its end.
template <class Slot, int Size>
class SlotVectors : machine::LifetimeMark {
 public:
  using Value = Vector<typename Slot::Element, Size>;

  DMA_HOST_DEVICE explicit SlotVectors(const Slot& slot) : machine::LifetimeMark(slot), slot_(&slot) {}

  /// Whole vectors of this tile. The last `slot.size() % Size` elements are in none: read them as `slot[i]`.
  [[nodiscard]] DMA_HOST_DEVICE int size() const { return slot().size() / Size; }

  /// Elements `i * Size` and following.
  [[nodiscard]] DMA_HOST_DEVICE Value& operator[](int i) const { return slot().template touch_vector<Size>(i * Size); }
  /// The vector that begins at an element by the pattern's own index: `vectors(row, col)` of a `Strided`.
  template <class... Index>
  [[nodiscard]] DMA_HOST_DEVICE Value& operator()(Index... index) const {
    return slot().template touch_vector<Size>(slot().pattern_.index(index...));
  }

 private:
  [[nodiscard]] DMA_HOST_DEVICE const Slot& slot() const {
    DMA_EXPECTS(!this->is_over(),
                "dma::Slot: the vectors of a slot are touched after its end, which released it; keep the slot in scope "
                "as long as they are used");
    return *slot_;
  }

  const Slot* slot_;
};

/// Whether a pattern has an index of these. A concept of its own: nvcc 13.0 finds some calls in a function of parameter
/// packs wrong, where the requirement stands in it.
template <class Pattern, class... Index>
concept IndexedBy = requires(const Pattern& pattern, Index... index) {
  pattern.index(index...);
};

}  // namespace detail

class AsyncReads;

/// A slot that the compute warps hold while this object is in scope: full and to be read or, in a pipeline that stores,
/// empty and to be filled. The end of the scope releases it, or `release()` earlier.
///
/// Releasing is collective over the compute warps, as waiting is. Several slots may be held, and released in any order.
/// A second release would be one arrival too many for the next generation, so the end of the scope does not repeat one.
///
/// @pre No element is touched after `release()`.
template <class Pipeline>
class Slot : machine::ReadMark, machine::Lifetime {
 public:
  using Pattern = typename Pipeline::Pattern;
  using Element = typename Pattern::Element;

  DMA_HOST_DEVICE Slot(Pipeline& pipeline, int stage, const Pattern& pattern, machine::SourceLocation caller = {})
      : pipeline_(&pipeline), pattern_(pattern), stage_(stage), caller_(caller) {}
  /// On a host, stopping a CTA unwinds from here too.
  DMA_HOST_DEVICE ~Slot() noexcept(false) { release(caller_); }

  /// Moving transfers the slot, for a rolling window: `previous = std::move(next)` releases the previous slot.
  DMA_HOST_DEVICE Slot(Slot&& other) noexcept
      : machine::ReadMark(other),
        pipeline_(other.pipeline_),
        pattern_(other.pattern_),
        stage_(other.stage_),
        is_released_(other.is_released_),
        caller_(other.caller_) {
    other.is_released_ = true;
  }
  DMA_HOST_DEVICE Slot& operator=(Slot&& other) noexcept(false) {
    release(caller_);
    machine::ReadMark::operator=(other);
    pipeline_ = other.pipeline_;
    pattern_ = other.pattern_;
    stage_ = other.stage_;
    is_released_ = other.is_released_;
    caller_ = other.caller_;
    other.is_released_ = true;
    return *this;
  }

  /// Not for use: copying is a compile error by `static_assert` and not `= delete`, so that the message can name a fix.
  DMA_HOST_DEVICE Slot(const Slot& other) : Slot(*other.pipeline_, other.stage_, other.pattern_) {
    static_assert(detail::always_false<Pipeline>,
                  "dma::Slot: a slot is a scope and is released once, so it cannot be copied; "
                  "pass it by reference, move it, or copy the elements that you need");
  }

  /// The tile in shared memory, laid out as its pattern says.
  [[nodiscard]] DMA_HOST_DEVICE Element* data() const {
    Element* const elements = first();
    Observer::exposes(elements);
    return elements;
  }
  /// The same address for readers that are not threads: the tensor cores, whose reads `AsyncReads` reports.
  [[nodiscard]] DMA_HOST_DEVICE const void* address() const { return first(); }
  /// Reports that tensor cores read the tile, until a wait for the group that is open: `AsyncReads::commit` does.
  DMA_HOST_DEVICE void begin_async_reads() const {
    machine::begin_async_reads(address(), Pattern::tile_bytes);
    machine::mark_reads(*this);
  }
  /// Elements in this tile; fewer than the pattern's `count` in a partial one.
  [[nodiscard]] DMA_HOST_DEVICE int size() const { return pattern_.size(); }

  /// Element at a linear index, or at the pattern's own: `tile(row, col)` of a `Strided`.
  [[nodiscard]] DMA_HOST_DEVICE Element& operator[](int i) const { return touch(i); }
  template <class... Index>
  [[nodiscard]] DMA_HOST_DEVICE Element& operator()(Index... index) const {
    if constexpr (detail::IndexedBy<Pattern, Index...>) {
      return touch(pattern_.index(index...));
    } else {
      static_assert(detail::always_false<Pipeline, Index...>,
                    "dma::Slot: tile(...) takes what the pattern's index(...) takes, and this pattern's does not take "
                    "these; give an index for each axis of the tile, or write tile[i]");
      return touch(0);
    }
  }

  /// The tile in accesses of `Size` elements, by default those of 16 bytes: `tile.vectors()[i]` is elements `i * Size`
  /// and following, read or written at once. A host reports a use after the end of the slot.
  template <int Size = detail::vector_size<Element>>
  [[nodiscard]] DMA_HOST_DEVICE detail::SlotVectors<Slot, Size> vectors() const& {
    static_assert(detail::pattern_traits<Pattern>.tile_alignment % int{alignof(Vector<Element, Size>)} == 0,
                  "dma::Slot: a vector is larger than the tile_alignment of the pattern's traits, so that an access "
                  "would be misaligned; name a smaller size, as in tile.template vectors<1>(), or raise the alignment");
    return detail::SlotVectors<Slot, Size>(*this);
  }
  /// Not for use: the slot would be released at once.
  template <int Size = 0>
  DMA_HOST_DEVICE void vectors() const&& {
    static_assert(detail::always_false<Constant<Size>, Pipeline>,
                  "dma::Slot: vectors() of a slot without a name, which is released at the end of the statement; name "
                  "the slot first: auto tile = compute.wait(); auto vectors = tile.vectors();");
  }

  /// Releases the slot before the end of its scope: as soon as the values needed are in registers.
  DMA_HOST_DEVICE void release(machine::SourceLocation caller = machine::SourceLocation::here()) {
    release_as<true>(caller);
  }

 private:
  friend class AsyncReads;
  template <bool IsUsedByThreads>
  DMA_HOST_DEVICE void release_as(machine::SourceLocation caller) {
    if (!is_released_) {
      is_released_ = true;
      Observer::called_from(caller);
      machine::expect_reads_over(*this);
      if constexpr (IsUsedByThreads) {
        pipeline_->release(stage_);
      } else {
        pipeline_->template release<false>(stage_);
      }
    }
  }

  /// The arrival comes when the products of the warp are complete.
  DMA_HOST_DEVICE void release_when_read(machine::SourceLocation caller) {
    if (!is_released_) {
      is_released_ = true;
      Observer::called_from(caller);
      pipeline_->release_when_read(stage_);
    }
  }

  using Observer = typename Pipeline::Observer;
  template <class, int>
  friend class detail::SlotVectors;

  [[nodiscard]] DMA_HOST_DEVICE Element* first() const {
    DMA_EXPECTS(!is_released_,
                "dma::Slot: a slot is touched after its release, when the next tile may already overwrite it; release "
                "it later");
    return reinterpret_cast<Element*>(pipeline_->ring_.tile(stage_));
  }
  [[nodiscard]] DMA_HOST_DEVICE Element& touch(int i) const {
    DMA_EXPECTS(i >= 0 && i < Pattern::tile_bytes / int{sizeof(Element)},
                "dma::Slot: an element is outside the tile; keep its index from 0 to below Pattern::tile_bytes / "
                "sizeof(Element), padding included",
                "index", i, "end", Pattern::tile_bytes / int{sizeof(Element)});
    expect_loaded(i);
    Element& element = first()[i];
    Observer::touches(&element);
    return element;
  }
  DMA_HOST_DEVICE void expect_loaded([[maybe_unused]] int i) const {
    DMA_EXPECTS(i < end(),
                "dma::Slot: an element is beyond the end of a partial tile, where an older tile's bytes are; loop to "
                "below size(), of the tile or of its vectors",
                "index", i, "end", end());
  }
  /// Beyond the last element that a load brings; of the whole slot where the tile is full, filled, stored or of parts,
  /// where memory has its runs, or where they are many: each access asks.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int end() const {
    constexpr bool is_known = !Pipeline::is_store && !detail::HasCustomLoad<Pattern> && !IndexedPattern<Pattern> &&
                              !PaddedPattern<Pattern> && !CompositePattern<Pattern> && Pattern::max_run_count <= 64;
    int bytes = Pattern::tile_bytes;
    if constexpr (is_known) {
      if (!pattern_.is_full()) {
        bytes = 0;
        for (int i = 0; i < pattern_.run_count(); ++i) {
          const Run run = pattern_.run_at(i);
          bytes = run.shared + run.bytes > bytes ? run.shared + run.bytes : bytes;
        }
        const int next =
            pattern_.run_count() < Pattern{}.run_count() ? Pattern{}.run_at(pattern_.run_count()).shared : 0;
        bytes = next > bytes ? next : bytes;  // the padding of its last row too
      }
    }
    return bytes / int{sizeof(Element)};
  }
  template <int Size>
  [[nodiscard]] DMA_HOST_DEVICE Vector<Element, Size>& touch_vector(int i) const {
    DMA_EXPECTS(i >= 0 && i + Size <= Pattern::tile_bytes / int{sizeof(Element)},
                "dma::Slot: a vector is outside the tile; keep its elements from 0 to below Pattern::tile_bytes / "
                "sizeof(Element), padding included",
                "first element", i, "elements", Size, "end", Pattern::tile_bytes / int{sizeof(Element)});
    DMA_EXPECTS(i % Size == 0,
                "dma::Slot: a vector begins at an element whose index is no multiple of the vector's size, where a GPU "
                "would fault; make the pitch of the rows and the column multiples of it",
                "first element", i, "elements", Size);
    expect_loaded(i);
    auto& vector = *reinterpret_cast<Vector<Element, Size>*>(first() + i);
    Observer::touches(&vector, int{sizeof vector});
    return vector;
  }

  Pipeline* pipeline_;
  Pattern pattern_;
  int stage_;
  bool is_released_ = false;
  machine::SourceLocation caller_;  ///< of the wait; empty on a GPU
};

}  // namespace dma::inline v0_1
