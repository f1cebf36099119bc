#pragma once

#include <dma/config.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>

namespace dma {

/// For a kernel body's `expects(args...)`: refuses, before the launch, a global address that a pattern cannot load
/// from.
///
/// @param name     of the argument, for the message
/// @throws std::invalid_argument
template <TransferPattern Pattern>
void expect_source(const char* name, const void* source, const Pattern& pattern = {});

#if !defined(__CUDACC_RTC__)
template <TransferPattern Pattern>
void expect_source(const char* name, const void* source, const Pattern& pattern) {
  constexpr int alignment = source_alignment_of<Pattern>();
  if (reinterpret_cast<std::uintptr_t>(source) % alignment != 0) {
    char address[32];
    std::snprintf(address, sizeof address, "%p", source);
    detail::throw_or_abort<std::invalid_argument>(
        std::string("dma::launch: ") + name + " is at address " + address + ", which is not a multiple of " +
        std::to_string(alignment) + ", its pattern's run_alignment; align it, or give the pattern a smaller alignment");
  }
  if constexpr (requires { pattern.is_valid(); }) {
    if (!pattern.is_valid()) {
      detail::throw_or_abort<std::invalid_argument>(
          std::string("dma::launch: the tiles of ") + name +
          " are larger than their pattern, or have a pitch or a length that is not a multiple "
          "of its run_alignment; use a smaller alignment");
    }
  }
}
#endif

}  // namespace dma
