#pragma once

#include <dma/machine/host/instruction.hpp>
#include <dma/machine/matrix_operand.hpp>
#include <dma/proof/ptx/lane.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// An operand of a product in shared memory, of which one instruction takes 32 bytes of k.
///
/// Source  PTX ISA, "Matrix Descriptor Format" of wgmma, "Shared Memory Descriptor" of tcgen05
struct SharedOperand {
  static constexpr int inner = 16;  ///< pairs of bytes of k, whatever the type
  using Row = std::array<std::uint16_t, inner>;

  static constexpr int own_cta = -1;

  std::uint64_t descriptor;
  machine::Major major;
  int rank = own_cta;  ///< of the CTA of the cluster whose shared memory it is in

  [[nodiscard]] SharedOperand of(int cta) const { return {descriptor, major, cta}; }

  /// Reports the bytes of some rows of A, or columns of B. Returns whether some of them are not known.
  ///
  /// @param kind  of an operation that reads on
  [[nodiscard]] bool read(Lane& lane, const Instruction& i, machine::OperationKind kind, int first, int extent) const {
    bool is_unknown = false;
    for (const LaunchState::Range& range : ranges(lane.launch(), first, extent)) {
      const std::uint64_t window =
          rank == own_cta ? lane.shared_begin() - first_shared : static_cast<std::uint64_t>(rank) << rank_shift;
      const std::uint64_t address = window + range.first;
      const unsigned char* const place = lane.shared(i, address, range.bytes, machine::Access::read);
      lane.thread().execute({.kind = kind, .count = static_cast<int>(range.bytes), .from = place});
      is_unknown = is_unknown || lane.launch().unknown.any(place, range.bytes);
    }
    return is_unknown;
  }
  /// The 32 bytes of a row of A, or of a column of B.
  [[nodiscard]] Row row_of(Lane& lane, int mn) const {
    const auto operand = machine::MatrixOperand::decoded(descriptor);
    void* const own = lane.thread().shared();
    const unsigned char* const shared =
        static_cast<const unsigned char*>(rank == own_cta ? own : lane.thread().peer_address(own, rank)) - first_shared;
    Row row{};
    if (major == machine::Major::k) {  // 16 bytes lie together.
      std::memcpy(row.data(), shared + operand.place_of(major, mn, 0), sizeof row / 2);
      std::memcpy(row.data() + inner / 2, shared + operand.place_of(major, mn, inner / 2), sizeof row / 2);
    } else {
      for (int k = 0; k < inner; ++k) {
        std::memcpy(&row[static_cast<std::size_t>(k)], shared + operand.place_of(major, mn, k), sizeof row[0]);
      }
    }
    return row;
  }

 private:
  /// Its bytes, by their addresses in the window of shared memory.
  [[nodiscard]] const std::vector<LaunchState::Range>& ranges(LaunchState& launch, int first, int extent) const {
    const bool is_along_mn = major == machine::Major::mn;
    auto [known, is_new] = launch.operands.try_emplace({descriptor, is_along_mn, first, extent});
    if (is_new) {
      constexpr int piece = 16;
      const auto operand = machine::MatrixOperand::decoded(descriptor);
      std::vector<unsigned> places;
      for (int mn = first; mn < first + extent; mn += is_along_mn ? piece / 2 : 1) {
        for (int k = 0; k < inner; k += is_along_mn ? 1 : piece / 2) {
          places.push_back(operand.place_of(major, mn, k));
        }
      }
      std::sort(places.begin(), places.end());
      for (const unsigned place : places) {
        std::vector<LaunchState::Range>& found = known->second;
        if (!found.empty() && found.back().first + found.back().bytes == place) {
          found.back().bytes += piece;
        } else {
          found.push_back({place, piece});
        }
      }
    }
    return known->second;
  }
};

}  // namespace dma::inline v0_1::proof::ptx::detail
