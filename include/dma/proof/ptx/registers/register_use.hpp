#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// What a thread, its products in flight and its loads of tensor memory do with the thread's registers.
///
/// Source  PTX ISA, "wgmma.fence", "wgmma.mma_async", "wgmma.wait_group", "tcgen05.wait"
class RegisterUse {
 public:
  enum class By : unsigned char { thread, sums, operand, load };

  /// How a product uses a register.
  struct Product {
    By by;
    int columns;  ///< with the type of the sums: products of one shape add in order
  };

  static constexpr std::size_t none = ~std::size_t{0};

  /// The thread has registers for a function's, and those of its callers.
  void make_room(std::size_t registers) { uses_.resize(std::max(uses_.size(), registers)); }

  /// The accesses before are ordered before the products behind.
  void fence() { ++fences_; }
  [[nodiscard]] bool is_first_behind_fence() { return std::exchange(opened_, fences_) != fences_; }
  void commit() { ++groups_; }
  /// At most `pending` committed groups are in flight.
  void wait(int pending) {
    std::erase_if(in_flight_, [&](std::size_t reg) {
      Use& use = uses_[reg];
      const bool is_over = use.group < groups_ - pending;
      use.by = is_over ? By::thread : use.by;
      return is_over;
    });
  }
  /// Whether any product is in flight.
  [[nodiscard]] bool any_in_flight() const noexcept {
    return std::any_of(in_flight_.begin(), in_flight_.end(),
                       [&](std::size_t reg) { return uses_[reg].by != By::load; });
  }

  /// The thread reads or writes registers. Returns the first of them that a product in flight uses, else `none`.
  ///
  /// @param first  the place of register 0
  [[nodiscard]] std::size_t access(std::size_t first, const std::vector<int>& registers) {
    bool are_free = true;
    for (const int reg : registers) {
      Use& use = uses_[first + static_cast<std::size_t>(reg)];
      use.fences = fences_;
      are_free = are_free && use.by == By::thread;
    }
    return are_free ? none : first_in_use(first, registers);
  }
  [[nodiscard]] bool is_loaded(std::size_t reg) const { return uses_[reg].by == By::load; }
  /// Whether any register was ever one that `tcgen05.ld` writes.
  [[nodiscard]] bool has_loads() const noexcept { return has_loads_; }
  /// A product uses a register from here on. False: another one in flight uses it in another way.
  ///
  /// @param is_fenced  false behind it where no fence is behind the thread's accesses to the register
  [[nodiscard]] bool take(std::size_t reg, const Product& product, bool& is_fenced) {
    Use& use = uses_[reg];
    if (use.by == By::thread) {
      is_fenced = is_fenced && use.fences < fences_;
      in_flight_.push_back(reg);
    } else if (use.by != product.by || (product.by != By::operand && use.columns != product.columns)) {
      return false;
    }
    use = {product.by, product.columns, groups_, use.fences};
    return true;
  }
  void begin(std::size_t reg, const Product& product) {
    Use& use = uses_[reg];
    if (use.by == By::thread) {
      in_flight_.push_back(reg);
    }
    use = {product.by, product.columns, groups_, use.fences};
    has_loads_ = has_loads_ || product.by == By::load;
  }

 private:
  struct Use {
    By by = By::thread;
    int columns = 0;
    int group = 0;
    int fences = 0;  ///< before the thread's last access
  };
  [[nodiscard]] std::size_t first_in_use(std::size_t first, const std::vector<int>& registers) const {
    const auto found = std::find_if(registers.begin(), registers.end(), [&](int reg) {
      return uses_[first + static_cast<std::size_t>(reg)].by != By::thread;
    });
    return first + static_cast<std::size_t>(*found);
  }

  std::vector<Use> uses_;
  std::vector<std::size_t> in_flight_;  ///< registers
  int fences_ = 0;
  int opened_ = 0;  ///< of these, before the last product
  int groups_ = 0;
  bool has_loads_ = false;
};

}  // namespace dma::inline v0_1::proof::ptx::detail
