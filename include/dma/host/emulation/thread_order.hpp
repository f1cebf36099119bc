#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <vector>

namespace dma::inline v0_1::host::detail {

/// The order in which the threads of a CTA run and its copies complete. A seed decides it, so that a run can be
/// repeated.
///
/// | seed        | threads                                                                        | copies complete |
/// | ----------- | ------------------------------------------------------------------------------ | --------------- |
/// | 0           | by rank, round after round                                                     | after a round   |
/// | 1           | the first warp that can continue runs as far as it can                         | late            |
/// | 2           | the last one                                                                   | at once         |
/// | 3, 6, 9 ... | another order of the warps each time; all orders of up to 4 warps come up      | late or at once |
/// | 4, 7 ...    | a random order that changes at random operations, those without a wait too     | at random       |
/// | 5, 8 ...    | round after round, in a random order of the threads                            | at random       |
///
/// Source  the changing priorities: Burckhardt, Kothari, Musuvathi, Nagarakatte: A Randomized Scheduler with
///         Probabilistic Guarantees of Finding Bugs (ASPLOS 2010)
class ThreadOrder {
 public:
  enum class Threads : unsigned char {
    rounds,           ///< each thread runs up to its next wait, by rank
    shuffled_rounds,  ///< in a random order, another one each round
    priorities,       ///< the first warp of an order that can continue
  };
  enum class Copies : unsigned char {
    at_once,      ///< before another thread runs
    after_round,  ///< when each thread has run once
    late,         ///< when no thread can continue
    some,         ///< at random times, and in a random order
  };

  ThreadOrder(unsigned seed, int warps) : random_(seed), warps_(static_cast<std::size_t>(warps)) {
    std::iota(warps_.begin(), warps_.end(), 0);
    if (seed == 0) {
      return;
    }
    const unsigned kind = seed < 3 ? 0 : seed % 3;
    threads_ = kind == 2 ? Threads::shuffled_rounds : Threads::priorities;
    copies_ = kind != 0 ? Copies::some : seed % 2 == 0 ? Copies::at_once : Copies::late;
    if (seed == 2) {
      std::reverse(warps_.begin(), warps_.end());
    } else if (seed >= 3 && kind == 0 && warps <= few_warps) {
      permute(seed / 3);
    } else if (seed >= 3 && kind != 2) {
      std::shuffle(warps_.begin(), warps_.end(), random_);
    }
    if (kind == 1) {
      // From several changes a tile to one in many tiles.
      longest_stretch_ = 4U << random_() % 7;
      begin_stretch();
    }
  }

  [[nodiscard]] Threads threads() const noexcept { return threads_; }
  [[nodiscard]] Copies copies() const noexcept { return copies_; }
  [[nodiscard]] std::mt19937& random() noexcept { return random_; }
  /// Warps, the one that runs first in front.
  [[nodiscard]] const std::vector<int>& warps() const noexcept { return warps_; }

  /// Whether a thread stops after each operation, so that the lanes of a warp go on together.
  [[nodiscard]] bool is_by_operation() const noexcept { return longest_stretch_ != 0; }
  /// The first of the warps that can continue has run. It goes on last where its stretch is over.
  ///
  /// @return  whether the order has changed
  bool change_after(int warp) {
    if (!is_by_operation() || --operations_left_ > 0) {
      return false;
    }
    warps_.erase(std::find(warps_.begin(), warps_.end(), warp));
    warps_.push_back(warp);
    begin_stretch();
    return true;
  }

 private:
  static constexpr int few_warps = 4;

  void begin_stretch() { operations_left_ = 1 + static_cast<unsigned>(random_()) % longest_stretch_; }
  /// The orders between the first, which is by rank, and the last, which is its reverse; then from the first on again.
  void permute(unsigned number) {
    unsigned orders = 1;
    for (std::size_t i = 2; i <= warps_.size(); ++i) {
      orders *= static_cast<unsigned>(i);
    }
    const unsigned between = orders > 2 ? orders - 2 : 1;
    for (unsigned i = 0; i < (number - 1) % between + 1; ++i) {
      std::next_permutation(warps_.begin(), warps_.end());
    }
  }

  Threads threads_ = Threads::rounds;
  Copies copies_ = Copies::after_round;
  std::mt19937 random_;
  std::vector<int> warps_;
  unsigned longest_stretch_ = 0;  ///< operations of a warp between two changes of the order; 0: none changes it
  unsigned operations_left_ = 0;
};

}  // namespace dma::inline v0_1::host::detail
