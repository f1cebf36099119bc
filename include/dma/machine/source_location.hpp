#pragma once

#include <dma/config.hpp>
#include <dma/standard.hpp>

#if !defined(__CUDA_ARCH__) && !defined(__CUDACC_RTC__)
// clang++ has a builtin, and from version 16 on the standard's class too; g++ has the class alone.
#if defined(__has_builtin)
#if __has_builtin(__builtin_COLUMN)
#define DMA_DETAIL_COLUMN __builtin_COLUMN()
#endif
#endif
#if !defined(DMA_DETAIL_COLUMN)
#define DMA_DETAIL_COLUMN std::source_location::current().column()
#endif
#endif

namespace dma::inline v0_1::machine {

/// The place of a call in the source: file, line and column. Empty on a GPU.
class SourceLocation {
 public:
  SourceLocation() = default;

#if defined(__CUDA_ARCH__)
  [[nodiscard]] DMA_HOST_DEVICE static constexpr SourceLocation here() noexcept { return {}; }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr const char* file() noexcept { return ""; }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int line() noexcept { return 0; }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr unsigned column() noexcept { return 0; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr SourceLocation of_scope() const noexcept { return {}; }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr bool is_of_scope() noexcept { return false; }
#else
  /// As a default argument: the place of the call that omits it.
  [[nodiscard]] static constexpr SourceLocation here(const char* file = __builtin_FILE(), int line = __builtin_LINE(),
                                                     unsigned column = DMA_DETAIL_COLUMN) noexcept {
    SourceLocation caller;
    caller.file_ = file;
    caller.line_ = line;
    caller.column_ = column;
    return caller;
  }
  [[nodiscard]] constexpr const char* file() const noexcept { return file_; }
  [[nodiscard]] constexpr int line() const noexcept { return line_; }
  /// Calls that a macro makes have that of the macro.
  [[nodiscard]] constexpr unsigned column() const noexcept { return column_; }
  /// The same line as the one where a scope began: what happens at the scope's end is not there.
  [[nodiscard]] constexpr SourceLocation of_scope() const noexcept {
    SourceLocation begin = *this;
    begin.is_of_scope_ = true;
    return begin;
  }
  [[nodiscard]] constexpr bool is_of_scope() const noexcept { return is_of_scope_; }

 private:
  const char* file_ = "";
  int line_ = 0;
  unsigned column_ = 0;
  bool is_of_scope_ = false;
#endif
};

}  // namespace dma::v0_1::machine
