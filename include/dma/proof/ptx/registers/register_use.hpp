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
  void make_room(std::size_t registers) {
    uses_.resize(std::max(uses_.size(), registers));
    begun_.resize(uses_.size());
  }

  /// The accesses before are ordered before the products behind.
  void fence() { ++fences_; }
  [[nodiscard]] bool is_first_behind_fence() { return std::exchange(opened_, fences_) != fences_; }
  void commit() { ++groups_; }
  /// At most `pending` committed groups are in flight.
  void wait(int pending) {
    settle();
    sums_ = sums_.group < groups_ - pending ? Sums{} : sums_;
    std::erase_if(in_flight_, [&](std::size_t reg) {
      const bool is_over = begun_[reg].group < groups_ - pending;
      uses_[reg].by = is_over ? By::thread : uses_[reg].by;
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
    } else if (use.by != product.by || (product.by != By::operand && begun_[reg].columns != product.columns)) {
      return false;
    }
    use.by = product.by;
    begun_[reg] = {product.columns, groups_};
    return true;
  }
  /// Whether a product adds to just the sums that the last one in flight adds to. It takes them then: what was found of
  /// each register holds for it too.
  ///
  /// @param registers  of the sums; exists as long as this object
  [[nodiscard]] bool continues(std::size_t first, const std::vector<int>& registers, int columns) {
    const bool are_same = sums_.registers != nullptr && sums_.first == first && sums_.columns == columns &&
                          (sums_.registers == &registers || *sums_.registers == registers);
    sums_.group = are_same ? groups_ : sums_.group;
    return are_same;
  }
  /// A product takes these sums, each register if there is one. False: as of `take`.
  [[nodiscard]] bool take_sums(std::size_t first, const std::vector<int>& registers, int columns, bool& is_fenced) {
    settle();
    sums_ = {};
    for (const int reg : registers) {
      if (reg >= 0 && !take(first + static_cast<std::size_t>(reg), {By::sums, columns}, is_fenced)) {
        return false;
      }
    }
    sums_ = {&registers, first, columns, groups_};
    return true;
  }
  void begin(std::size_t reg, const Product& product) {
    Use& use = uses_[reg];
    if (use.by == By::thread) {
      in_flight_.push_back(reg);
    }
    use.by = product.by;
    begun_[reg] = {product.columns, groups_};
    has_loads_ = has_loads_ || product.by == By::load;
  }

 private:
  /// What each access asks for: little, since a thread has many registers.
  struct Use {
    int fences = 0;  ///< before the thread's last access
    By by = By::thread;
  };
  struct Begun {
    int columns = 0;
    int group = 0;
  };
  /// The sums that the last product has taken; no registers where none of it are in flight.
  struct Sums {
    const std::vector<int>* registers = nullptr;
    std::size_t first = 0;
    int columns = 0;
    int group = 0;  ///< of the last product that adds to them, which `begun_` has behind `settle`
  };
  void settle() {
    if (sums_.registers != nullptr) {
      for (const int reg : *sums_.registers) {
        if (reg >= 0) {
          begun_[sums_.first + static_cast<std::size_t>(reg)].group = sums_.group;
        }
      }
    }
  }
  [[nodiscard]] std::size_t first_in_use(std::size_t first, const std::vector<int>& registers) const {
    const auto found = std::find_if(registers.begin(), registers.end(), [&](int reg) {
      return uses_[first + static_cast<std::size_t>(reg)].by != By::thread;
    });
    return first + static_cast<std::size_t>(*found);
  }

  std::vector<Use> uses_;
  std::vector<Begun> begun_;            ///< by the products that use them
  std::vector<std::size_t> in_flight_;  ///< registers
  Sums sums_;
  int fences_ = 0;
  int opened_ = 0;  ///< of these, before the last product
  int groups_ = 0;
  bool has_loads_ = false;
};

}  // namespace dma::inline v0_1::proof::ptx::detail
