#include "mutants/stream_cases.hpp"

namespace mutants {

namespace {

using dma::CudaBarrier;
using dma::NamedBarrier;
using Sequential = dma::Store<streams::Sequential>;
using Strided = dma::Store<streams::Strided>;

template <class Pattern, class Buffering, class Barrier>
using ByRegisters = dma::DmaPipeline<Pattern, Buffering, Barrier, dma::RegisterCopy<>>;
template <class Pattern, class Buffering, class Barrier>
using InBulk = dma::DmaPipeline<Pattern, Buffering, Barrier, dma::BulkCopy<>>;

}  // namespace

void add_stores(Cases& cases) {
  add_stream<ByRegisters<Sequential, streams::Manual, CudaBarrier>, Style::scope>(cases);
  add_stream<ByRegisters<Strided, streams::Double, CudaBarrier>, Style::own_turns>(cases);
  add_stream<ByRegisters<Strided, streams::ThreeStages, CudaBarrier>, Style::explicit_calls>(cases);
  add_stream<ByRegisters<Sequential, streams::NoDmaWarpsThree, CudaBarrier>, Style::one_body>(cases);
  add_stream<ByRegisters<Sequential, streams::SingleOfTwoWarps, NamedBarrier>, Style::early_release>(cases);
  add_stream<ByRegisters<Strided, streams::FourStagesTwoGroups, NamedBarrier>, Style::explicit_calls>(cases);
  add_stream<ByRegisters<Sequential, streams::NoDmaWarpsDouble, NamedBarrier>, Style::one_body>(cases);

  add_stream<InBulk<Sequential, streams::Manual, CudaBarrier>, Style::scope>(cases);
  add_stream<InBulk<Strided, streams::ThreeStages, CudaBarrier>, Style::two_slots>(cases);
  add_stream<InBulk<Strided, streams::Manual, CudaBarrier>, Style::two_slots>(cases);
  add_stream<InBulk<Sequential, streams::FourStagesTwoGroups, CudaBarrier>, Style::own_turns>(cases);
  add_stream<InBulk<Strided, streams::SixStagesThreeGroups, CudaBarrier>, Style::scope>(cases);
  add_stream<InBulk<Strided, streams::Manual, CudaBarrier>, Style::explicit_calls>(cases);
  add_stream<InBulk<Sequential, streams::NoDmaWarpsThree, CudaBarrier>, Style::one_body>(cases);
  add_stream<InBulk<Sequential, streams::Double, NamedBarrier>, Style::scope>(cases);
  add_stream<InBulk<Strided, streams::ManualOfSecondGroup, NamedBarrier>, Style::explicit_calls>(cases);
}

}  // namespace mutants
