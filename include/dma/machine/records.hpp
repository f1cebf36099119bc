#pragma once

#include <dma/config.hpp>

#if DMA_CHECKED && defined(__CUDA_ARCH__)
#include <dma/machine/checked/pipeline_record.hpp>
#endif

/// What the checked build keeps in a pipeline and in a slot, and a host in a slot; nothing elsewhere.
namespace dma::inline v0_1::machine {

#if DMA_CHECKED && defined(__CUDA_ARCH__)

/// Which of its warp's groups of asynchronous reads reads a slot. A host knows the bytes of each group.
struct ReadMark {
  static constexpr unsigned no_group = ~0U;
  mutable unsigned group = no_group;
};

#else

struct PipelineRecord {};
struct SlotPlace {};
struct ReadMark {};

#endif

/// Whether an object is still there, for another one that refers to it and may outlive it. Both are bases. Neither is
/// memory of the kernel's, and a GPU does not ask.
#if defined(__CUDA_ARCH__)

struct Lifetime {};
struct LifetimeMark {
  DMA_DEVICE explicit LifetimeMark(const Lifetime&) {}
  [[nodiscard]] DMA_DEVICE static constexpr bool is_over() { return false; }
};

#else

class LifetimeMark;

/// Of the object. A copy has its own.
class Lifetime {
 public:
  Lifetime() = default;
  Lifetime(const Lifetime&) {}
  Lifetime& operator=(const Lifetime&) { return *this; }
  ~Lifetime() { end(); }

 private:
  friend class LifetimeMark;
  DMA_DETAIL_UNSEEN void end() const;

  mutable LifetimeMark* first_ = nullptr;  ///< of a list of the marks that are there
};

/// Of what refers to it.
class LifetimeMark {
 public:
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdangling-pointer"  // g++ 13 does not see that the destructor unlinks a temporary
#endif
  DMA_DETAIL_UNSEEN explicit LifetimeMark(const Lifetime& of) : of_(&of), next_(of.first_) { of.first_ = this; }
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
  DMA_DETAIL_UNSEEN LifetimeMark(const LifetimeMark& other) : of_(other.of_) {
    if (of_ != nullptr) {
      next_ = of_->first_;
      of_->first_ = this;
    }
  }
  LifetimeMark& operator=(const LifetimeMark&) = delete;
  DMA_DETAIL_UNSEEN ~LifetimeMark() {
    if (of_ != nullptr) {
      LifetimeMark** link = &of_->first_;
      while (*link != this) {
        link = &(*link)->next_;
      }
      *link = next_;
    }
  }

  [[nodiscard]] DMA_DETAIL_UNSEEN bool is_over() const { return of_ == nullptr; }

 private:
  friend class Lifetime;

  const Lifetime* of_;  ///< null behind its end
  LifetimeMark* next_ = nullptr;
};

inline void Lifetime::end() const {
  for (LifetimeMark* mark = first_; mark != nullptr; mark = mark->next_) {
    mark->of_ = nullptr;
  }
}

#endif

}  // namespace dma::inline v0_1::machine
