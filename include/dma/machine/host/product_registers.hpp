#pragma once

#include <dma/config.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1::machine {

/// The registers of an emulated thread that products in flight read or write, by the products' group.
class ProductRegisters {
 public:
  static constexpr int most = 64;  ///< uses that are tracked; more are not

  void begin(const void* registers) noexcept {
    if (count_ < most) {
      uses_[count_++] = {registers, committed_};
    }
  }
  void commit() noexcept { ++committed_; }
  void wait(int pending) noexcept {
    int kept = 0;
    for (int i = 0; i < count_; ++i) {
      if (uses_[i].group >= committed_ - pending) {
        uses_[kept++] = uses_[i];
      }
    }
    count_ = kept;
  }
  [[nodiscard]] bool is_used(const void* registers) const noexcept {
    for (int i = 0; i < count_; ++i) {
      if (uses_[i].registers == registers) {
        return true;
      }
    }
    return false;
  }

 private:
  struct Use {
    const void* registers;
    int group;
  };

  Use uses_[most] = {};
  int count_ = 0;
  int committed_ = 0;
};

}  // namespace dma::v0_1::machine
