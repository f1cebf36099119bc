#include "mutants/stream_cases.hpp"

namespace mutants {

namespace {

using dma::CudaBarrier;
using dma::NamedBarrier;
using streams::Sequential;
using streams::Strided;

template <class Pattern, class Buffering, class Barrier>
using Pipe = dma::DmaPipeline<Pattern, Buffering, Barrier, dma::RegisterCopy<>>;

}  // namespace

void add_loads_by_registers(Cases& cases) {
  add_stream<Pipe<Sequential, streams::Single, CudaBarrier>, Style::scope>(cases);
  add_stream<Pipe<Strided, streams::Manual, CudaBarrier>, Style::explicit_calls>(cases);
  add_stream<Pipe<Sequential, streams::Double, CudaBarrier>, Style::own_turns>(cases);
  add_stream<Pipe<Sequential, streams::ThreeStages, CudaBarrier>, Style::two_slots>(cases);
  add_stream<Pipe<Strided, streams::SixStagesThreeGroups, CudaBarrier>, Style::own_turns>(cases);
  add_stream<Pipe<Sequential, streams::NoDmaWarpsThree, CudaBarrier>, Style::one_body>(cases);
  add_stream<Pipe<Sequential, streams::NoDmaWarpsSingle, CudaBarrier>, Style::one_body>(cases);

  add_stream<Pipe<Sequential, streams::SingleOfTwoWarps, NamedBarrier>, Style::early_release>(cases);
  add_stream<Pipe<Strided, streams::Manual, NamedBarrier>, Style::two_slots>(cases);
  add_stream<Pipe<Sequential, streams::Double, NamedBarrier>, Style::explicit_calls>(cases);
  add_stream<Pipe<Strided, streams::FourStagesTwoGroups, NamedBarrier>, Style::own_turns>(cases);
  add_stream<Pipe<Sequential, streams::ManualOfSecondGroup, NamedBarrier>, Style::scope>(cases);
  add_stream<Pipe<Strided, streams::NoDmaWarpsDouble, NamedBarrier>, Style::one_body>(cases);
}

}  // namespace mutants
