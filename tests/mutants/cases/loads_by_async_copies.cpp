#include "mutants/stream_cases.hpp"

namespace mutants {

namespace {

using dma::CudaBarrier;
using dma::NamedBarrier;
using streams::Sequential;
using streams::Strided;

template <class Pattern, class Buffering, class Barrier>
using Pipe = dma::DmaPipeline<Pattern, Buffering, Barrier, dma::AsyncCopy<>>;

}  // namespace

void add_loads_by_async_copies(Cases& cases) {
  add_stream<Pipe<Sequential, streams::Manual, CudaBarrier>, Style::scope>(cases);
  add_stream<Pipe<Strided, streams::Double, CudaBarrier>, Style::explicit_calls>(cases);
  add_stream<Pipe<Strided, streams::FourStagesTwoGroups, CudaBarrier>, Style::own_turns>(cases);
  add_stream<Pipe<Sequential, streams::ThreeStages, CudaBarrier>, Style::early_release>(cases);
  add_stream<Pipe<Sequential, streams::NoDmaWarpsDouble, CudaBarrier>, Style::one_body>(cases);

  add_stream<Pipe<Sequential, streams::ManualOfSecondGroup, NamedBarrier>, Style::early_release>(cases);
  add_stream<Pipe<Strided, streams::Double, NamedBarrier>, Style::two_slots>(cases);
  add_stream<Pipe<Strided, streams::SixStagesThreeGroups, NamedBarrier>, Style::explicit_calls>(cases);
  // More stages than tiles.
  using NoDmaWarpsSix = dma::MultiBuffer<dma::WarpLayout<dma::Compute<3>>, 6>;
  add_stream<Pipe<Sequential, NoDmaWarpsSix, NamedBarrier>, Style::one_body>(cases);
}

}  // namespace mutants
