#pragma once

#include <dma/host/emulation/contexts/fiber.hpp>
#include <dma/host/emulation/kernel_error.hpp>

#if !defined(__wasm__)
#include <dma/host/emulation/contexts/ucontext.hpp>

#include <unwind.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// What fibers promise, whatever switches their stacks. A program without a test framework tries them too.
namespace fiber_laws {

/// What can switch stacks here, each to be tried.
#if defined(__wasm__)
using Platforms = std::tuple<dma::host::detail::Platform>;
#else
using Platforms = std::conditional_t<std::is_same_v<dma::host::detail::Platform, dma::host::detail::SystemPlatform>,
                                     std::tuple<dma::host::detail::SystemPlatform>,
                                     std::tuple<dma::host::detail::Platform, dma::host::detail::SystemPlatform>>;
#endif

/// Fibers of one body, which is called with the fiber and its number. They take turns until all have ended.
template <class Platform, class Body>
void take_turns(int count, const Body& body) {
  using Fiber = dma::host::detail::BasicFiber<Platform>;
  std::vector<std::unique_ptr<Fiber>> fibers(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    auto& fiber = fibers[static_cast<std::size_t>(i)];
    fiber = std::make_unique<Fiber>([&fiber, &body, i] { body(*fiber, i); });
  }
  for (bool is_any_left = true; is_any_left;) {
    is_any_left = false;
    for (const auto& fiber : fibers) {
      if (!fiber->is_finished()) {
        fiber->resume();
        is_any_left = true;
      }
    }
  }
  for (const auto& fiber : fibers) {
    if (fiber->error()) {
      std::rethrow_exception(fiber->error());
    }
  }
}

/// A value that a compiler cannot compute again.
template <class Value>
__attribute__((noinline)) Value value_of(int seed, int i) {
  static volatile std::uint64_t factor = 0x9E3779B97F4A7C15;
  return static_cast<Value>((static_cast<std::uint64_t>(seed) * 64 + static_cast<std::uint64_t>(i) + 1) * factor);
}

/// Whether values are the same after a switch: more of them than a call can keep in registers, in one function.
template <class Value, int Count = 20, class Switch>
__attribute__((always_inline)) inline bool are_kept(int seed, const Switch& switch_away) {
  if constexpr (Count == 0) {
    switch_away();
    return true;
  } else {
    const Value value = value_of<Value>(seed, Count);
    const bool are_others_kept = are_kept<Value, Count - 1>(seed, switch_away);
    return value == value_of<Value>(seed, Count) && are_others_kept;
  }
}

template <class Platform, class Value>
bool values_are_kept() {
  bool are_all_kept = true;
  take_turns<Platform>(3, [&](auto& fiber, int i) {
    for (int round = 0; round < 4; ++round) {
      are_all_kept = are_kept<Value>(10 * i + round, [&] { fiber.suspend(); }) && are_all_kept;
    }
  });
  // Of the stack that resumes, too: the fiber has other values in its registers.
  dma::host::detail::BasicFiber<Platform>* self = nullptr;
  dma::host::detail::BasicFiber<Platform> fiber(
      [&] { are_all_kept = are_kept<Value>(1000, [&] { self->suspend(); }) && are_all_kept; });
  self = &fiber;
  are_all_kept = are_kept<Value>(2000, [&] { fiber.resume(); }) && are_all_kept;
  fiber.resume();
  return are_all_kept && fiber.is_finished();
}

template <class Platform>
bool many_switches_are_in_order() {
  constexpr int fibers = 3;
  constexpr int rounds = 20'000;
  int turns = 0;
  int wrong = 0;
  take_turns<Platform>(fibers, [&](auto& fiber, int i) {
    for (int round = 0; round < rounds; ++round) {
      wrong += turns++ != round * fibers + i;
      fiber.suspend();
    }
  });
  return wrong == 0 && turns == fibers * rounds;
}

/// Fills three quarters of the stack, switches at each depth, and compares on the way back. The blocks have a size that
/// the compiler does not know, so that it finds them, and the way back, by a frame pointer.
template <class Fiber>
bool fill_stack(Fiber& fiber, int seed, int depth) {
  static volatile std::size_t bytes_of_block = 1024;
  const std::size_t bytes = bytes_of_block;
  auto* const block = static_cast<unsigned char*>(__builtin_alloca(bytes));
  std::memset(block, seed + depth, bytes);
  fiber.suspend();
  const auto range = fiber.stack();
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  const bool are_inner_kept = address - range.first < range.bytes / 4 || fill_stack(fiber, seed, depth + 1);
  const auto is_ours = [&](unsigned char byte) { return byte == static_cast<unsigned char>(seed + depth); };
  return range.contains(address) && std::all_of(block, block + bytes, is_ours) && are_inner_kept;
}

template <class Platform>
bool deep_stacks_are_kept() {
  bool are_all_kept = true;
  take_turns<Platform>(4, [&](auto& fiber, int i) { are_all_kept = fill_stack(fiber, 50 * i, 0) && are_all_kept; });
  return are_all_kept;
}

/// Whether the stack is at a multiple of 16 bytes where a function has its frame, as the calling conventions have it.
__attribute__((noinline)) inline bool is_aligned() {
  const volatile auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return frame % 16 == 0;
}

template <class Platform>
bool stacks_are_aligned() {
  bool are_all_aligned = true;
  for (int repetition = 0; repetition < 2; ++repetition) {  // the second time on used stacks
    take_turns<Platform>(20, [&](auto& fiber, int) {
      are_all_aligned = is_aligned() && are_all_aligned;
      fiber.suspend();
      are_all_aligned = is_aligned() && are_all_aligned;
    });
  }
  return are_all_aligned;
}

template <class Fiber>
struct SuspendsAtExit {
  Fiber& fiber;
  ~SuspendsAtExit() { fiber.suspend(); }
};

template <class Fiber>
__attribute__((noinline)) void throw_at(Fiber& fiber, int depth, int number) {
  const SuspendsAtExit<Fiber> at_exit{fiber};
  if (depth == 0) {
    throw std::runtime_error(std::to_string(number));
  }
  throw_at(fiber, depth - 1, number);
}

/// Thrown, passed through frames that switch while they are unwound, held during switches, and thrown again.
template <class Platform>
bool exceptions_are_caught_where_they_belong() {
  int right = 0;
  constexpr int fibers = 5;
  take_turns<Platform>(fibers, [&](auto& fiber, int i) {
    try {
      try {
        throw_at(fiber, 3 + i, i);
      } catch (const std::runtime_error&) {
        fiber.suspend();
        throw;
      }
    } catch (const std::exception& error) {
      fiber.suspend();
      right += error.what() == std::to_string(i) && std::uncaught_exceptions() == 0;
    }
  });
  return right == fibers;
}

template <class Platform>
bool exception_that_leaves_is_handed_over() {
  dma::host::detail::BasicFiber<Platform> fiber([] { throw std::runtime_error("of the body"); });
  fiber.resume();
  try {
    if (fiber.error()) {
      std::rethrow_exception(fiber.error());
    }
  } catch (const std::runtime_error& error) {
    return fiber.is_finished() && std::strcmp(error.what(), "of the body") == 0;
  }
  return false;
}

#if defined(__wasm__)

/// As a function with a local array does. Nothing else has its memory there.
template <class Fiber>
__attribute__((noinline)) void write_below(Fiber& fiber) {
  const auto bottom = fiber.stack().first;
  *reinterpret_cast<volatile char*>(bottom - 1) = 0;
}

template <class Platform>
bool an_overrun_stack_is_reported() {
  // Kept: its stack is not to be used again.
  dma::host::detail::BasicFiber<Platform>* fiber = nullptr;
  fiber = new dma::host::detail::BasicFiber<Platform>([&] { write_below(*fiber); });
  try {
    fiber->resume();
  } catch (const dma::host::KernelError& error) {
    return std::strstr(error.what(), "overran its stack of 65536 bytes") != nullptr;
  }
  return false;
}

#else

/// An unwinder that finds no handler, and a debugger, stop there: its return address is null, or it is the system's.
template <class Platform>
bool backtrace_ends_in_first_frame() {
  struct Trace {
    int frames = 0;
    std::uintptr_t last = 1;
  };
  constexpr int most = 100;
  Trace trace;
  auto reason = _URC_NO_REASON;
  take_turns<Platform>(1, [&](auto& fiber, int) {
    fiber.suspend();
    reason = _Unwind_Backtrace(
        [](_Unwind_Context* frame, void* argument) {
          auto& found = *static_cast<Trace*>(argument);
          found.last = _Unwind_GetIP(frame);
          return ++found.frames < most ? _URC_NO_REASON : _URC_NORMAL_STOP;
        },
        &trace);
  });
  return reason == _URC_END_OF_STACK && trace.frames > 1 && trace.frames < most &&
         (trace.last == 0 || std::is_same_v<Platform, dma::host::detail::SystemPlatform>);
}

#endif

struct Law {
  const char* sentence;
  bool (*holds)();
};

template <class Platform>
inline constexpr Law laws[] = {
    {"integers in registers are kept", &values_are_kept<Platform, std::uint64_t>},
    {"floats in registers are kept", &values_are_kept<Platform, double>},
    {"many switches are in order", &many_switches_are_in_order<Platform>},
    {"deep stacks are kept", &deep_stacks_are_kept<Platform>},
    {"stacks are aligned", &stacks_are_aligned<Platform>},
    {"exceptions are caught where they belong", &exceptions_are_caught_where_they_belong<Platform>},
    {"an exception that leaves the body is handed over", &exception_that_leaves_is_handed_over<Platform>},
#if defined(__wasm__)
    {"a stack that is overrun is reported", &an_overrun_stack_is_reported<Platform>},
#else
    {"a backtrace ends in the first frame", &backtrace_ends_in_first_frame<Platform>},
#endif
};

}  // namespace fiber_laws
