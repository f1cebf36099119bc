#pragma once

#include <dma/host/emulation/kernel_error.hpp>

#include <cstddef>
#include <string>

namespace dma::inline v0_1::host::detail {

/// The limit, or the fault, that ended a run in the middle of a thread.
enum class Exceeded : unsigned char {
  nothing,
  spin_seconds,    ///< of a thread, without a wait
  recorded_bytes,  ///< of a recording
  memory,          ///< of the process
  address_space,   ///< an access to what is no memory of the process
};

/// The process gets no more memory.
///
/// @param what  that needs it
[[nodiscard]] inline OutOfMemory no_memory_for(const std::string& what) {
  return OutOfMemory("dma::host: the process has no memory left for " + what +
                     "; raise its limit (ulimit -v), or run a smaller problem");
}

/// @param place  where the thread was left
[[noreturn]] inline void throw_exceeded(Exceeded limit, const std::string& place, const std::string& legend) {
  switch (limit) {
    case Exceeded::recorded_bytes:
      throw OutOfMemory("dma::host: the recorded runs take more than dma::proof::Options::limits.bytes (" + place +
                        "); prove a smaller problem or allow more bytes, and if the thread loops until another one has "
                        "written memory, let it wait at a barrier or for a tile instead" +
                        legend);
    case Exceeded::memory:
      throw no_memory_for("what a thread does (" + place + ')');
    case Exceeded::address_space:
      throw OutOfBounds("dma::host::launch: a thread accesses an address where the process has no memory (" + place +
                        "); stay inside the arrays, and to be told which element it is, name them as inputs and "
                        "outputs in a program that sees every access (dma_see_every_access)" +
                        legend);
    default:
      throw Spin("dma::host::launch: a thread ran too long without a wait of the library (" + place +
                 "): host threads take turns at such waits, so a loop until another thread has written never ends; "
                 "wait at a barrier or for a tile instead" +
                 legend);
  }
}

}  // namespace dma::inline v0_1::host::detail
