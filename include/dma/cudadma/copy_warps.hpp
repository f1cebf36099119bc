#pragma once

#include <dma/config.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/source_location.hpp>
#include <dma/roles/warp_layout.hpp>

namespace dma::cudadma {

/// `Count` warps of a CTA, from warp `first` on, that copy tiles together: all of them or a part. Two registers.
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

  DMA_HOST_DEVICE explicit CopyWarps(const Cta& /*cta*/, int first = 0,
                                     machine::SourceLocation caller = machine::SourceLocation::here())
      : first_thread_(first * warp_size) {
    machine::called_from(caller);
    DMA_EXPECTS(
        machine::cta_is_linear(),
        "dma::cudadma::CopyWarps: warps are counted along threadIdx.x and the CTA has threads along y or z; launch its "
        "threads along x");
    DMA_EXPECTS(first >= 0 && first_thread_ + size() <= machine::cta_threads(),
                "dma::cudadma::CopyWarps: the CTA does not have these warps; name an earlier first warp or fewer warps",
                "first", first, "warps", Count, "threads of the CTA", machine::cta_threads());
    // By the thread: a kernel that has compared threadIdx.x itself knows the answer, and no branch keeps the loads of
    // its next copies behind a barrier.
    const int thread = machine::thread_rank();
    contains_ = thread >= first_thread_ && thread < first_thread_ + size();
  }

  /// Whether the calling thread is one of them.
  [[nodiscard]] DMA_HOST_DEVICE bool contains_this_thread() const { return contains_; }
  /// The calling thread's rank among them. @pre contains_this_thread()
  [[nodiscard]] DMA_HOST_DEVICE int rank() const { return machine::thread_rank() - first_thread_; }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int size() { return Count * warp_size; }

 private:
  int first_thread_;
  bool contains_ = false;
};

}  // namespace dma::cudadma
