#pragma once

#include <dma/machine/host/instruction.hpp>
#include <dma/proof/record/byte_ranges.hpp>

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// The bytes that products between two operations read. Threads of a warpgroup issue the same ones, in each round of a
/// loop again, and an operand may have a piece for each of its rows: they are sorted and joined once.
class OperandBytes {
 public:
  /// @param shared    from which ranges count
  /// @return          tidy, and valid until the next call
  [[nodiscard]] const ByteRanges& bytes_of(const std::vector<machine::OperandPieces>& operands, const void* shared) {
    key_.clear();
    for (const machine::OperandPieces& operand : operands) {
      key_.emplace_back(operand.begin, operand.pieces);
    }
    const auto [known, is_new] = known_.try_emplace(key_);
    if (is_new) {
      ByteRanges all;
      for (const machine::OperandPieces& operand : operands) {
        const long long begin = operand.begin - static_cast<const unsigned char*>(shared);
        for (std::size_t i = 0; i < operand.count; ++i) {
          const long long first = begin + static_cast<long long>(operand.pieces[i].first);
          all.push_back({first, first + static_cast<long long>(operand.pieces[i].bytes)});
        }
      }
      known->second = tidy(std::move(all));
    }
    return known->second;
  }

 private:
  using Key = std::vector<std::pair<const unsigned char*, const machine::OperandPieces::Piece*>>;

  Key key_;
  std::map<Key, ByteRanges> known_;
};

}  // namespace dma::inline v0_1::proof::detail
