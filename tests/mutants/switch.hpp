#pragma once

#include <cstdlib>
#include <type_traits>

/// What the copied sources ask at each place that a fault changes.
namespace mutants {

inline constexpr int most_faults = 4000;

/// The number of the fault that is switched on, 0 for none; a test takes it from the environment.
inline int switched_on = [] {
  const char* const number = std::getenv("DMA_MUTANT");
  return number == nullptr ? 0 : std::atoi(number);
}();
/// Whether the place of each fault was met, by number.
inline bool was_met[most_faults] = {};

/// Not seen by a proof that sees every access: the switches are no memory of the kernel's.
__attribute__((no_sanitize("thread"))) inline bool meets(int fault) {
  was_met[fault] = true;
  return fault == switched_on;
}
/// At compile time no fault is on.
constexpr bool is_on(int fault) {
  if (std::is_constant_evaluated()) {
    return false;
  }
  return meets(fault);
}

}  // namespace mutants
