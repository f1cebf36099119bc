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

/// What messages and traces contain of a thread: its position in a kernel, what it waits for, how it accesses memory.
namespace dma::inline v0_1::machine {

/// The threads or copies that arrive or wait.
enum class Who : unsigned char { threads, lanes, compute_warps, dma_warps, bulk_copies, producers, consumers };

/// What they arrive at or wait for.
enum class Point : unsigned char {
  barrier,
  full,
  empty,
  cta,
  warp,
  opening,
  closing,
  async_copies,
  bulk_copies,
  pace,
  each_other,
  turn,
  cluster,
  products,
  done
};

/// The position of a thread in a kernel, for messages.
struct Site {
  Who who = Who::threads;
  Point point = Point::barrier;
  int stage = -1;                 ///< of which slot, -1 for a point that is no slot's
  const char* pipeline = "";      ///< of which pipeline: the name of its type
  const void* storage = nullptr;  ///< of which pipeline of that type: its shared memory
};

/// The calls of a pipeline and of a CTA. From `construction` on they are collective over a warp.
enum class Call : unsigned char {
  none,
  as_dma,
  as_compute,
  construction,
  end,
  close,
  load,
  store,
  wait_to_move,
  copy,
  signal_moved,
  wait,
  open_slots,
  release,
  compute_sync,
  cta_sync,
  take_roles,
  last_cta,
  pace,
  turn
};

[[nodiscard]] DMA_HOST_DEVICE constexpr const char* name_of(Who who) {
  switch (who) {
    case Who::threads:
      return "threads";
    case Who::lanes:
      return "lanes";
    case Who::compute_warps:
      return "compute warps";
    case Who::dma_warps:
      return "DMA warps";
    case Who::bulk_copies:
      return "bulk copies";
    case Who::producers:
      return "producing warps";
    case Who::consumers:
      return "consuming warps";
  }
  return "";
}
[[nodiscard]] DMA_HOST_DEVICE constexpr const char* name_of(Point point) {
  switch (point) {
    case Point::barrier:
      return "a barrier";
    case Point::full:
      return "full";
    case Point::empty:
      return "empty";
    case Point::cta:
      return "the CTA to synchronize";
    case Point::warp:
      return "their warp";
    case Point::opening:
      return "a barrier to open";
    case Point::closing:
      return "a barrier to close";
    case Point::async_copies:
      return "their asynchronous copies";
    case Point::bulk_copies:
      return "their bulk copies";
    case Point::pace:
      return "the pace of the other CTAs'";
    case Point::each_other:
      return "each other";
    case Point::turn:
      return "their turn";
    case Point::cluster:
      return "the cluster to synchronize";
    case Point::products:
      return "the warpgroup to begin products";
    case Point::done:
      return "done";
  }
  return "";
}

[[nodiscard]] DMA_HOST_DEVICE constexpr const char* name_of(Call call) {
  switch (call) {
    case Call::none:
      return "no call";
    case Call::as_dma:
      return "as_dma()";
    case Call::as_compute:
      return "as_compute()";
    case Call::construction:
      return "the constructor";
    case Call::end:
      return "the end";
    case Call::close:
      return "close()";
    case Call::load:
      return "load()";
    case Call::store:
      return "store()";
    case Call::wait_to_move:
      return "a DMA warp's wait";
    case Call::copy:
      return "copy()";
    case Call::signal_moved:
      return "a DMA warp's signal";
    case Call::wait:
      return "wait()";
    case Call::open_slots:
      return "open_slots()";
    case Call::release:
      return "the release of a slot";
    case Call::compute_sync:
      return "sync()";
    case Call::cta_sync:
      return "the CTA's sync()";
    case Call::take_roles:
      return "take_roles()";
    case Call::last_cta:
      return "is_last_cta()";
    case Call::pace:
      return "a step";
    case Call::turn:
      return "a turn";
  }
  return "";
}

/// The name of a type, inside a sentence of the compiler; `readable` (dma/machine/readable.hpp) extracts it.
template <class Type>
[[nodiscard]] DMA_HOST_DEVICE constexpr const char* type_name() {
#if defined(__CUDA_ARCH__) && !DMA_CHECKED
  return "";
#else
  return __PRETTY_FUNCTION__;
#endif
}

/// How shared memory is accessed. `either`: the kernel has a reference, and changed bytes show a write.
enum class Access : unsigned char { read, write, either };
/// How a thread holds a slot: an empty one, to fill it, or a full one, to use it.
enum class Holding : unsigned char { none, empty, full };

/// The place of a call in the source: file, line and column. Empty on a GPU.
class SourceLocation {
 public:
  SourceLocation() = default;

#if defined(__CUDA_ARCH__)
  [[nodiscard]] DMA_HOST_DEVICE static constexpr SourceLocation here(const char* = "", int = 0, unsigned = 0) noexcept {
    return {};
  }
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

}  // namespace dma::inline v0_1::machine
