// How long a slot takes from the compute warps to one DMA warp and back: one CTA, one slot, nothing moved. The time is
// that of one round trip.

#include "by_hand/round_trip.cuh"
#include "engines.hpp"
#include "measure.hpp"
#include "sweeps.hpp"

#include <dma/launch/launch.hpp>

#include <string>

namespace bench {
namespace {

constexpr int rounds = 4096;

/// run(stream, is_checked, wrong), `is_checked` a constant.
template <class Run>
void add_round_trips(int warps, const std::string& rest, const Run& run) {
  add("latency/warps:" + std::to_string(warps) + "/" + rest, [=] {
    Subject subject;
    subject.launches = 2;
    subject.rounds = rounds;
    subject.launch = [=](cudaStream_t stream, int) { run.template operator()<false>(stream, nullptr); };
    subject.wrong = [=](cudaStream_t stream) -> std::string {
      const auto wrong =
          count_on_device(stream, [&](auto* counter) { run.template operator()<true>(stream, counter); });
      return wrong == 0 ? "" : std::to_string(wrong) + " values are not those of their round";
    };
    return subject;
  });
}

/// The explicit calls of the library over one slot.
template <int ComputeWarps, class Barrier, bool IsChecked>
struct DmaRoundTrips {
  using Layout = dma::WarpLayout<dma::Compute<ComputeWarps>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<dma::Sequential<int, 4>, dma::SingleBuffer<Layout>, Barrier, dma::RegisterCopy<>>;

  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<DmaRoundTrips>& cta, unsigned long long* wrong) const {
#if defined(__CUDA_ARCH__)
    auto& storage = cta.template shared<Shared>().storage;
    Pipe pipe(cta, storage);
    volatile int* const slot = reinterpret_cast<volatile int*>(storage.tiles[0]);
    if (pipe.is_dma()) {
      const auto dma = pipe.as_dma();
#pragma unroll 1
      for (int round = 0; round < rounds; ++round) {
        dma.wait_until_empty();
        if constexpr (IsChecked) {
          *slot = round;
        }
        dma.signal_full();
      }
    } else {
      const auto compute = pipe.as_compute();
      unsigned long long own_wrong = 0;
#pragma unroll 1
      for (int round = 0; round < rounds; ++round) {
        static_cast<void>(compute.wait_until_full());
        if constexpr (IsChecked) {
          own_wrong += *slot == round ? 0 : 1;
        }
        compute.signal_empty();
      }
      if (IsChecked && own_wrong != 0) {
        atomicAdd(wrong, own_wrong);
      }
    }
#endif
  }
};

template <int Warps>
void add_row() {
  const auto by_hand = [&]<by_hand::Signal signal>(const std::string& barrier) {
    add_round_trips(
        Warps, "barrier:" + barrier + "/by:hand", [&]<bool IsChecked>(cudaStream_t stream, unsigned long long* wrong) {
          launch(by_hand::round_trips<signal, Warps, IsChecked>, 1, Warps * 32 + 32, 0, stream, rounds, input(), wrong);
        });
  };
  by_hand.template operator()<by_hand::Signal::syncthreads>("syncthreads");
  by_hand.template operator()<by_hand::Signal::named>("named");
  by_hand.template operator()<by_hand::Signal::mbarrier>("mbarrier");
  by_hand.template operator()<by_hand::Signal::transaction>("transaction");
  by_hand.template operator()<by_hand::Signal::bulk>("bulk_16_bytes");
  const auto ours = [&]<class Barrier>(const std::string& barrier) {
    add_round_trips(Warps, "barrier:" + barrier + "/by:dma",
                    [&]<bool IsChecked>(cudaStream_t stream, unsigned long long* wrong) {
                      dma::launch(DmaRoundTrips<Warps, Barrier, IsChecked>{}, {1}, stream, wrong);
                    });
  };
  ours.template operator()<dma::NamedBarrier>("named");
  ours.template operator()<dma::CudaBarrier>("mbarrier");
}

}  // namespace

void add_latency() {
  add_row<1>();
  add_row<2>();
  add_row<4>();
  add_row<8>();
  add_row<16>();
}

}  // namespace bench
