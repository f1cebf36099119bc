#include "mutants/stream_cases.hpp"

namespace mutants {

namespace {

using dma::CudaBarrier;
using dma::NamedBarrier;
using streams::Sequential;
using streams::Strided;

template <class Pattern, class Buffering, class Barrier>
using Pipe = dma::DmaPipeline<Pattern, Buffering, Barrier, dma::RegisterCopy<>>;

/// Its DMA warps meet at a named barrier of their own first, for which the engine's caller converges their lanes.
struct CopyTogether : dma::RegisterCopy<> {
  template <class Pattern, int Threads, class Slot>
  static void load(const Pattern& pattern, const unsigned char* source, int thread, const Slot& slot) {
    dma::machine::barrier_sync(15, Threads, {.who = dma::machine::Who::dma_warps});
    dma::RegisterCopy<>::load<Pattern, Threads>(pattern, source, thread, slot);
  }
};

}  // namespace

void add_loads_by_registers(Cases& cases) {
  add_stream<Pipe<Sequential, streams::Single, CudaBarrier>, Style::scope>(cases);
  add_stream<Pipe<Strided, streams::Manual, CudaBarrier>, Style::explicit_calls>(cases);
  add_stream<dma::DmaPipeline<Strided, streams::Manual, CudaBarrier, CopyTogether>, Style::explicit_calls>(cases);
  add_stream<Pipe<Sequential, streams::Double, CudaBarrier>, Style::own_turns>(cases);
  add_stream<Pipe<Sequential, streams::ThreeStages, CudaBarrier>, Style::two_slots>(cases);
  add_stream<Pipe<Strided, streams::SixStagesThreeGroups, CudaBarrier>, Style::own_turns>(cases);
  add_stream<Pipe<Sequential, streams::NoDmaWarpsThree, CudaBarrier>, Style::one_body>(cases);
  add_stream<Pipe<Sequential, streams::NoDmaWarpsSingle, CudaBarrier>, Style::one_body>(cases);

  using Ahead = dma::RegisterCopy<dma::RegisterCopyTuning{.tiles_ahead = 3}>;
  add_stream<dma::DmaPipeline<Sequential, streams::ThreeStages, CudaBarrier, Ahead>, Style::one_body>(cases);
  add_stream<dma::DmaPipeline<Sequential, streams::Double, NamedBarrier, Ahead>, Style::one_body>(cases);

  add_stream<Pipe<Sequential, streams::SingleOfTwoWarps, NamedBarrier>, Style::early_release>(cases);
  add_stream<Pipe<Strided, streams::Manual, NamedBarrier>, Style::two_slots>(cases);
  add_stream<Pipe<Sequential, streams::Double, NamedBarrier>, Style::explicit_calls>(cases);
  add_stream<Pipe<Strided, streams::FourStagesTwoGroups, NamedBarrier>, Style::own_turns>(cases);
  add_stream<Pipe<Sequential, streams::ManualOfSecondGroup, NamedBarrier>, Style::scope>(cases);
  add_stream<Pipe<Strided, streams::NoDmaWarpsDouble, NamedBarrier>, Style::one_body>(cases);
}

}  // namespace mutants
