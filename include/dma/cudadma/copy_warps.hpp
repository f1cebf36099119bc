#pragma once

#include <dma/config.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/site.hpp>
#include <dma/roles/warp_layout.hpp>

namespace dma::inline v0_1::cudadma {

/// `Count` warps of a CTA, from warp `first` on, that copy tiles together: all of them or a part. One register.
///
/// The calls that take it, `copy_tile` and the like, do nothing in the other warps, so every warp of the CTA may make
/// them.
///
/// @pre The CTA's threads are along x, and it has warps `first` to `first + Count` - 1.
template <int Count>
class CopyWarps {
  static_assert(Count > 0 && Count <= 32, "dma::cudadma::CopyWarps: a CTA has 1 to 32 warps; name so many");

 public:
  static constexpr int count = Count;

  DMA_HOST_DEVICE explicit CopyWarps(const Cta& cta, int first = 0,
                                     machine::SourceLocation caller = machine::SourceLocation::here())
      : CopyWarps(FirstThread{first * warp_size}, cta, caller) {}

  /// The same from thread `first` on: a number that the kernel has compared threadIdx.x with costs no instruction here.
  /// @pre `first` is a multiple of 32.
  [[nodiscard]] DMA_HOST_DEVICE static CopyWarps from_thread(
      const Cta& cta, int first, machine::SourceLocation caller = machine::SourceLocation::here()) {
    return CopyWarps(FirstThread{first}, cta, caller);
  }

  /// Whether the calling thread is one of them.
  ///
  /// By the thread, at each call: a kernel that has compared threadIdx.x itself knows the answer, and no branch keeps
  /// the loads of its next copies behind a barrier.
  [[nodiscard]] DMA_HOST_DEVICE bool contains_this_thread() const {
    const int thread = machine::thread_rank();
    return thread >= first_thread_ && thread < first_thread_ + size();
  }
  /// The calling thread's rank among them. @pre contains_this_thread()
  [[nodiscard]] DMA_HOST_DEVICE int rank() const { return machine::thread_rank() - first_thread_; }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int size() { return Count * warp_size; }

 private:
  struct FirstThread {
    int rank;
  };

  DMA_HOST_DEVICE CopyWarps(FirstThread first, const Cta& /*cta*/, machine::SourceLocation caller)
      : first_thread_(first.rank) {
    machine::called_from(caller);
    DMA_EXPECTS(
        machine::cta_is_linear(),
        "dma::cudadma::CopyWarps: warps are counted along threadIdx.x and the CTA has threads along y or z; launch its "
        "threads along x");
    DMA_EXPECTS(
        first_thread_ >= 0 && first_thread_ % warp_size == 0 && first_thread_ + size() <= machine::cta_threads(),
        "dma::cudadma::CopyWarps: the CTA does not have these warps; name an earlier first warp or fewer warps",
        "first thread", first_thread_, "warps", Count, "threads of the CTA", machine::cta_threads());
  }

  int first_thread_;
};

}  // namespace dma::inline v0_1::cudadma
