#pragma once

/// The engines of the library as the sweeps build them: every subject `by:dma` exists once for each line of `Engines`.

#include <dma/dma.hpp>

namespace bench {

template <class... Types>
struct List {};

/// Calls `body.template operator()<Type>()` for each type of a list.
template <class Body, class... Types>
void for_each_type(List<Types...>, const Body& body) {
  (body.template operator()<Types>(), ...);
}

/// An engine over a barrier, with the names that the benchmarks give them.
struct RegistersPhase {
  static constexpr const char* engine = "registers";
  static constexpr const char* barrier = "mbarrier";
  /// DMA warps beside 16 compute warps, two CTAs an SM.
  static constexpr int staging_warps = 4;
  static constexpr int staging_loads = 8;  ///< in flight a thread
  static constexpr bool moves_through_registers = true;
  /// One instruction moves a run, whatever its length, so that loads in flight a thread say nothing.
  static constexpr bool moves_whole_runs = false;
  using Barrier = dma::CudaBarrier;
  template <int LoadsInFlight>
  using Engine = dma::RegisterCopy<dma::RegisterCopyTuning{.loads_in_flight = LoadsInFlight}>;
};

struct RegistersNamed : RegistersPhase {
  static constexpr const char* barrier = "named";
  using Barrier = dma::NamedBarrier;
};

struct Async {
  static constexpr const char* engine = "cp.async";
  static constexpr const char* barrier = "mbarrier";
  static constexpr int staging_warps = 1;
  static constexpr int staging_loads = 0;
  static constexpr bool moves_through_registers = false;
  static constexpr bool moves_whole_runs = false;
  using Barrier = dma::CudaBarrier;
  template <int LoadsInFlight>
  using Engine = dma::AsyncCopy<>;
};

struct Bulk {
  static constexpr const char* engine = "bulk";
  static constexpr const char* barrier = "mbarrier";
  static constexpr int staging_warps = 1;
  static constexpr int staging_loads = 0;
  static constexpr bool moves_through_registers = false;
  static constexpr bool moves_whole_runs = true;
  using Barrier = dma::CudaBarrier;
  template <int LoadsInFlight>
  using Engine = dma::BulkCopy<>;
};

/// Add an engine here: a struct as above, and its name in the list.
using Engines = List<RegistersPhase, RegistersNamed, Async, Bulk>;

}  // namespace bench
