#include "host/proof/right_kernels.hpp"

#include "kernels/right_loops.hpp"
#include "kernels/right_slots.hpp"
#include "kernels/right_stores.hpp"
#include "kernels/right_updates.hpp"

TEST_CASE("kernels with unusual loops are right and proved", "[proof][right]") {
  right::run_and_prove_all(right::Loops{});
  right::run_and_prove_all(right::List<right::ReadAhead<right::Named, true>>{});  // not on a GPU: ptxas takes long
}

TEST_CASE("a load body that waits for another pipeline cannot read tiles ahead", "[proof][right]") {
  using Ahead = dma::RegisterCopy<dma::RegisterCopyTuning{.tiles_ahead = 3}>;
  using Kernel = right::TwoPipelinesInOneLoop<Ahead>;
  right::Arrays<Kernel> arrays;
  const dma::host::Verdict verdict =
      dma::host::prove({}, Kernel{}, {Kernel::ctas}, arrays.in(), arrays.out(), arrays.words.data());
  CHECK(verdict.kind == dma::host::FindingKind::deadlock);
}

// Shared is the pipeline's Storage, or has anything beside it.
template <class Shared_>
struct TellsWhetherItReadsAhead : right::OneSlotByDefault {
  using Shared = Shared_;

  void operator()(dma::KernelCta<TellsWhetherItReadsAhead>& cta, const int* in, bool* reads_ahead) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    pipe.for_each_tile(
        0, 1, 1,
        [&](const auto& dma, int) {
          *reads_ahead = !std::is_same_v<decltype(dma), const dma::DmaHandle<Pipe>&>;
          dma.load(in);
        },
        [](const auto& compute, int) { const auto slot = compute.wait(); });
  }
};

TEST_CASE("the default engine of one slot reads ahead where a pipeline is all that a body shares", "[proof][right]") {
  using Pipe = right::OneSlotByDefault::Pipe;
  struct WithMore {
    Pipe::Storage storage;
    int more;
  };
  const std::vector<int> in(right::count);
  bool reads_ahead = false;
  dma::host::launch(TellsWhetherItReadsAhead<right::OneStorage<Pipe>>{}, {1}, in.data(), &reads_ahead);
  CHECK(reads_ahead);
  dma::host::launch(TellsWhetherItReadsAhead<WithMore>{}, {1}, in.data(), &reads_ahead);
  CHECK_FALSE(reads_ahead);
}

TEST_CASE("kernels with unusual uses of slots are right and proved", "[proof][right]") {
  right::run_and_prove_all(right::Slots{});
  right::run_and_prove_all(right::SlotsReadAsynchronously{});
}

TEST_CASE("kernels with unusual stores are right and proved", "[proof][right]") {
  right::run_and_prove_all(right::Stores{});
}

TEST_CASE("kernels that change tiles in place are right and proved", "[proof][right]") {
  right::run_and_prove_all(right::Updates{});
}

TEST_CASE("kernels whose accesses a proof has to see are right", "[proof][right]") {
#if defined(DMA_EVERY_ACCESS)
  right::run_and_prove_all(right::SlotsByPointer{});
  right::run_and_prove_all(right::SharedElements{});
#else
  right::run_all(right::SlotsByPointer{});
  right::run_all(right::SharedElements{});
#endif
}
