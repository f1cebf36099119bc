#pragma once

#include <dma/machine/index3.hpp>

#include <algorithm>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

namespace dma::inline v0_1::host::detail {

/// The clusters of a grid that have not begun, of which each begins once or is cancelled by one that runs. A host runs
/// one after another, so that an order says which one begins, and what each request for a cancellation gives.
///
/// A number names an order: n begin at first, and of m that are left a request cancels one, or fails and one of them
/// begins next, 2 m choices; behind a last request that has not failed, each of m begins next. That is n! 2^(n-1)
/// orders for n clusters, as long as each asks until a request fails. The number's digits are the choices that were
/// made, so that a run says which order is the next one. Without a number a seed chooses: with 0 each cancels one, with
/// 1 all, with 2 none, and with others at random.
class PendingClusters {
 public:
  /// @param clusters  the first CTA of each, in the order in which they begin
  /// @param ctas      of each
  /// @param number    of an order; below 0: the seed's
  PendingClusters(std::vector<Index3> clusters, int ctas, unsigned seed, long long number)
      : left_(std::move(clusters)), ctas_(ctas), seed_(seed), random_(seed), number_(number) {}

  /// How many orders there are for so many clusters that ask until a request fails, or a number above `most`.
  [[nodiscard]] static long orders_of(int clusters, long most) noexcept {
    long orders = 1;
    for (int left = 1; left <= clusters && orders <= most; ++left) {
      orders *= left == clusters ? left : 2L * left;
    }
    return orders;
  }

  [[nodiscard]] int ctas() const noexcept { return ctas_; }
  /// Of a run that is over, by a number: the next one whose choices differ, below 0 where there is none. From 0 on,
  /// each order of a kernel comes once, if none has more choices than a number has digits.
  [[nodiscard]] long long next_number() const noexcept { return next_number_; }
  [[nodiscard]] bool has_digits_left() const noexcept { return unit_ <= most_units; }
  /// The next one begins; false where none is left.
  [[nodiscard]] bool begin(Index3& first) {
    // A failure has chosen it.
    if (number_ >= 0 && !has_failed_ && !left_.empty()) {
      begins_next(choose(left_.size()));
    }
    requests_ = 0;
    has_failed_ = false;
    return take(0, first);
  }
  /// The one that runs asks for one; false where it gets none.
  [[nodiscard]] bool cancel(Index3& first) {
    const std::size_t choice = left_.empty() ? 0 : number_ >= 0 ? numbered_choice() : seeded_choice();
    ++requests_;
    if (choice >= left_.size()) {
      return false;
    }
    has_failed_ = false;
    return take(choice, first);
  }

 private:
  [[nodiscard]] bool take(std::size_t index, Index3& first) {
    if (left_.empty()) {
      return false;
    }
    const auto place = left_.begin() + static_cast<std::ptrdiff_t>(index);
    first = *place;
    left_.erase(place);
    return true;
  }
  /// A digit of the order's number.
  [[nodiscard]] std::size_t choose(std::size_t choices) {
    const auto radix = static_cast<long long>(choices);
    const long long digit = number_ % radix;
    number_ /= radix;
    if (digit + 1 < radix && has_digits_left()) {
      next_number_ = before_ + (digit + 1) * unit_;
    }
    before_ += digit * unit_;
    unit_ *= has_digits_left() ? radix : 1;
    return static_cast<std::size_t>(digit);
  }
  void begins_next(std::size_t index) {
    const auto place = left_.begin() + static_cast<std::ptrdiff_t>(index);
    std::rotate(left_.begin(), place, place + 1);
  }
  /// The index of the one to be cancelled, or the end. Behind a failure the one that begins next is chosen already.
  [[nodiscard]] std::size_t numbered_choice() {
    const std::size_t count = left_.size();
    const std::size_t choice = choose(has_failed_ ? count + 1 : 2 * count);
    if (choice < count) {
      return choice;
    }
    if (!has_failed_) {
      begins_next(choice - count);
    }
    has_failed_ = true;
    return count;
  }
  [[nodiscard]] std::size_t seeded_choice() {
    const std::size_t count = left_.size();
    const bool succeeds = seed_ == 0 ? requests_ == 0 : seed_ == 1 || (seed_ > 2 && random_() % 4 != 0);
    return !succeeds ? count : seed_ > 2 ? random_() % count : 0;
  }

  static constexpr long long most_units = 1LL << 40;

  std::vector<Index3> left_;
  int ctas_;
  unsigned seed_;
  std::mt19937 random_;
  long long number_;      ///< its digits that are left
  long long unit_ = 1;    ///< of the next digit
  long long before_ = 0;  ///< the number that the digits before it are
  long long next_number_ = -1;
  int requests_ = 0;         ///< of the one that runs
  bool has_failed_ = false;  ///< the last of them
};

}  // namespace dma::inline v0_1::host::detail
