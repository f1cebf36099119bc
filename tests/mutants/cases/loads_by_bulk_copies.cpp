#include "mutants/stream_cases.hpp"

namespace mutants {

namespace {

using streams::Sequential;
using streams::Strided;

template <class Pattern, class Buffering>
using Pipe = dma::DmaPipeline<Pattern, Buffering, dma::CudaBarrier, dma::BulkCopy<>>;

}  // namespace

void add_loads_by_bulk_copies(Cases& cases) {
  add_stream<Pipe<Sequential, streams::Manual>, Style::scope>(cases);
  add_stream<Pipe<Strided, streams::Manual>, Style::explicit_calls>(cases);
  add_stream<Pipe<Sequential, streams::SingleOfTwoWarps>, Style::explicit_calls>(cases);
  add_stream<Pipe<Strided, streams::Double>, Style::early_release>(cases);
  add_stream<Pipe<Strided, streams::FourStagesTwoGroups>, Style::own_turns>(cases);
  add_stream<Pipe<Sequential, streams::ThreeStages>, Style::two_slots>(cases);
  add_stream<Pipe<Sequential, streams::AutomaticStages>, Style::scope>(cases);
  add_stream<Pipe<Strided, streams::NoDmaWarpsThree>, Style::one_body>(cases);
  add_stream<Pipe<Sequential, streams::NoDmaWarpsSingle>, Style::one_body>(cases);

  using TwoGroups = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>, dma::Dma<2>>;
  add_pair<Pipe<Sequential, dma::ManualDoubleBuffer<TwoGroups>>, Pipe<Strided, dma::SingleBuffer<TwoGroups, 1>>>(cases);
  add_pair<Pipe<Sequential, dma::MultiBuffer<TwoGroups, 3>>,
           Pipe<dma::Store<Strided>, dma::ManualDoubleBuffer<TwoGroups, 1>>>(cases);
}

}  // namespace mutants
