#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// What an agent knows to have happened: one number for each component, all below 2^31.
///
/// Agents that have synchronized know the same but for a few components. They share the numbers, in blocks: a join
/// skips those that both have, and takes over one whose numbers are all as high.
///
/// Source  Mathur, Pavlogiannis, Tunç, Viswanathan: A Tree Clock Data Structure for Causal Orderings in Concurrent
///         Executions (ASPLOS 2022), which too has joins cost what changes by them
class VectorClock {
 public:
  static constexpr std::size_t block = 32;  ///< numbers that are shared together: of the agents of a warp

  VectorClock() = default;
  explicit VectorClock(std::size_t size) : blocks_(blocks_of(size)) {}

  [[nodiscard]] static constexpr std::size_t blocks_of(std::size_t size) { return (size + block - 1) / block; }
  [[nodiscard]] std::size_t size() const noexcept { return blocks_.size() * block; }
  [[nodiscard]] std::uint32_t operator[](std::size_t component) const noexcept {
    const Numbers* const numbers = blocks_[component / block].get();
    return numbers == nullptr ? 0 : (*numbers)[component % block];
  }
  void raise(std::size_t component, std::uint32_t value) {
    if ((*this)[component] < value) {
      blocks_[component / block].own()[component % block] = value;
    }
  }
  void forget(std::size_t component) {
    if ((*this)[component] != 0) {
      blocks_[component / block].own()[component % block] = 0;
    }
  }
  /// Raises components from `to` on to those of a clock from `from` on.
  ///
  /// @pre `to` and `from` are multiples of `block`; behind `count`, whole blocks of both are raised
  void raise(std::size_t to, const VectorClock& other, std::size_t from, std::size_t count) {
    for (std::size_t i = 0; i < blocks_of(count); ++i) {
      blocks_[to / block + i].raise(other.blocks_[from / block + i]);
    }
  }
  void join(const VectorClock& other) {
    blocks_.resize(std::max(blocks_.size(), other.blocks_.size()));
    raise(0, other, 0, other.size());
  }
  /// Nothing is known.
  void clear() { std::fill(blocks_.begin(), blocks_.end(), Block()); }

 private:
  using Numbers = std::array<std::uint32_t, block>;
  /// Numbers that clocks share; zeros where there are none. A judge has one thread.
  class Block {
   public:
    Block() = default;
    Block(const Block& other) noexcept : shared_(other.shared_) {
      if (shared_ != nullptr) {
        ++shared_->owners;
      }
    }
    Block(Block&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
    Block& operator=(Block other) noexcept {
      std::swap(shared_, other.shared_);
      return *this;
    }
    ~Block() {
      if (shared_ != nullptr && --shared_->owners == 0) {
        delete shared_;
      }
    }
    [[nodiscard]] const Numbers* get() const noexcept { return shared_ == nullptr ? nullptr : &shared_->numbers; }
    /// Its numbers, to change: a copy where others have them too.
    [[nodiscard]] Numbers& own() {
      if (shared_ == nullptr || shared_->owners != 1) {
        Block copy;
        copy.shared_ = new Shared{1, shared_ == nullptr ? Numbers{} : shared_->numbers};
        std::swap(shared_, copy.shared_);
      }
      return shared_->numbers;
    }
    void raise(const Block& other) {
      if (shared_ == other.shared_ || other.shared_ == nullptr) {
        return;
      }
      if (shared_ == nullptr) {
        *this = other;
        return;
      }
      Numbers highest;
      raise_into(highest, shared_->numbers, other.shared_->numbers);
      if (highest == other.shared_->numbers) {
        *this = other;
      } else if (highest != shared_->numbers) {
        own() = highest;
      }
    }

   private:
    struct Shared {
      std::size_t owners;
      Numbers numbers;
    };
    /// A loop of a constant length: of this a compiler makes vector instructions at -O2 too. Signed: SSE2 compares no
    /// others.
    static void raise_into(Numbers& highest, const Numbers& one, const Numbers& other) {
      for (std::size_t i = 0; i < block; ++i) {
        const auto left = static_cast<std::int32_t>(one[i]);
        const auto right = static_cast<std::int32_t>(other[i]);
        highest[i] = static_cast<std::uint32_t>(left < right ? right : left);
      }
    }

    Shared* shared_ = nullptr;
  };

  std::vector<Block> blocks_;
};

}  // namespace dma::inline v0_1::proof::detail
