#pragma once

#include <dma/machine/host/instruction.hpp>
#include <dma/machine/matrix_operand.hpp>
#include <dma/proof/ptx/lane.hpp>
#include <dma/proof/ptx/products/operand_layout.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// An operand of a product in shared memory, of which one instruction takes 32 bytes of k, or what is copied from
/// there.
///
/// Source  PTX ISA, "Matrix Descriptor Format" of wgmma, "Shared Memory Descriptor" of tcgen05
struct SharedOperand {
  using Row = OperandLayout::Row;

  static constexpr int own_cta = -1;

  std::uint64_t descriptor;
  machine::Major major;
  int rank = own_cta;  ///< of the CTA of the cluster whose shared memory it is in
  int row_bytes = sizeof(Row);

  [[nodiscard]] SharedOperand of(int cta) const { return {descriptor, major, cta, row_bytes}; }

  /// Reports the bytes of some rows of A, or columns of B. Returns whether some of them are not known, and why.
  ///
  /// @param kind  of an operation that reads on
  [[nodiscard]] Unknown read(Lane& lane, const Instruction& i, machine::OperationKind kind, int first,
                             int extent) const {
    const std::vector<OperandLayout::Piece>& pieces = layout(lane.launch(), first, extent).pieces();
    const std::uint64_t last = pieces.back().first + pieces.back().bytes;
    const bool are_inside = pieces.front().first >= first_shared && last <= first_shared + lane.thread().shared_bytes();
    const std::uint64_t of_cta =
        rank == own_cta ? lane.shared_begin() - first_shared : static_cast<std::uint64_t>(rank) << rank_shift;
    // One that is not is named; one that is answers for all.
    for (std::size_t k = 0; k < (are_inside ? 1 : pieces.size()); ++k) {
      static_cast<void>(lane.shared(i, of_cta + pieces[k].first, pieces[k].bytes, machine::Access::read));
    }
    const unsigned char* const begin = window(lane);
    lane.thread().read_operand(kind, {begin, pieces.data(), pieces.size()});
    const UnknownBytes& unknown = lane.launch().unknown;
    Unknown is_unknown;
    if (unknown.may_have(begin + pieces.front().first, last - pieces.front().first)) {
      for (std::size_t k = 0; !is_unknown && k < pieces.size(); ++k) {
        is_unknown = unknown.any(begin + pieces[k].first, pieces[k].bytes);
      }
    }
    return is_unknown;
  }
  [[nodiscard]] OperandLayout& layout(LaunchState& launch, int first, int extent) const {
    const auto [known, is_new] =
        launch.operands.try_emplace({descriptor, major == machine::Major::mn, first, extent, row_bytes});
    if (is_new) {
      known->second.begin(descriptor, major, first, extent, row_bytes);
    }
    return known->second;
  }
  /// Where the window of the shared memory of its CTA begins.
  [[nodiscard]] const unsigned char* window(Lane& lane) const {
    void* const own = lane.thread().shared();
    return static_cast<const unsigned char*>(rank == own_cta ? own : lane.thread().peer_address(own, rank)) -
           first_shared;
  }
};

}  // namespace dma::inline v0_1::proof::ptx::detail
