#pragma once

#include <dma/machine/host/tensor_cells.hpp>
#include <dma/proof/ptx/lane.hpp>

namespace dma::inline v0_1::proof::ptx::detail {

/// The CTAs whose tensor memory an instruction uses: the thread's own, or both of its pair.
class TensorCtas {
 public:
  TensorCtas(Lane& lane, const Instruction& i)
      : thread_(lane.thread()), count_(i.statement->has("cta_group::2") ? 2 : 1) {}

  [[nodiscard]] int count() const noexcept { return count_; }
  /// In the cluster.
  [[nodiscard]] int rank_of(int number) const {
    const int own = thread_.cluster_rank();
    return count_ == 1 ? own : (own & ~1) + number;
  }
  [[nodiscard]] machine::TensorCells& cells_of(int number) const { return thread_.tensor_cells_of(rank_of(number)); }
  /// The other CTA of a pair has to be there.
  void expect_all() const {
    if (count_ == 2) {
      static_cast<void>(thread_.peer_address(thread_.shared(), thread_.cluster_rank() ^ 1));
    }
  }

 private:
  machine::EmulatedThread& thread_;
  int count_;
};

}  // namespace dma::inline v0_1::proof::ptx::detail
