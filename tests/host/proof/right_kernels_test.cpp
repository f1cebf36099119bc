#include "host/proof/right_kernels.hpp"

#include "kernels/right_loops.hpp"
#include "kernels/right_slots.hpp"
#include "kernels/right_stores.hpp"
#include "kernels/right_updates.hpp"

TEST_CASE("kernels with unusual loops are right and proved", "[proof][right]") {
  right::run_and_prove_all(right::Loops{});
  // Not on a GPU: ptxas takes long.
  right::run_and_prove_all(
      right::List<right::ReadAhead<right::Named, true>, right::ReadAheadInTurn<right::Phase, true>>{});
}

TEST_CASE("a load body that waits for another pipeline cannot read tiles ahead", "[proof][right]") {
  using Ahead = dma::RegisterCopy<dma::RegisterCopyTuning{.tiles_ahead = 3}>;
  using Kernel = right::TwoPipelinesInOneLoop<Ahead>;
  right::Arrays<Kernel> arrays;
  const dma::proof::Verdict verdict =
      dma::proof::prove({}, Kernel{}, {Kernel::ctas}, arrays.in(), arrays.out(), arrays.words.data());
  CHECK(verdict.kind == dma::proof::FindingKind::deadlock);
}

// Whether the load body is given the handle that reads ahead.
template <class Kernel, class Pipe>
struct TellsWhetherItReadsAhead : Kernel {
  using Shared = right::OneStorage<Pipe>;

  void operator()(dma::KernelCta<TellsWhetherItReadsAhead>& cta, const int* in, bool* reads_ahead) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    pipe.for_each_tile(
        {.last = 1},
        [&](const auto& dma, int) {
          *reads_ahead = !std::is_same_v<decltype(dma), const dma::DmaHandle<Pipe>&>;
          dma.load(in);
        },
        [](const auto& compute, int) { const auto slot = compute.wait(); });
  }
};

template <class Kernel, class Pipe>
bool reads_ahead() {
  const std::vector<int> in(Kernel::count);
  bool reads_ahead = false;
  dma::host::launch(TellsWhetherItReadsAhead<Kernel, Pipe>{}, {1}, in.data(), &reads_ahead);
  return reads_ahead;
}

template <int Stages>
void expect_read_ahead_where_named() {
  using Kernel = right::FewSlotsReadAhead<Stages>;
  using ByDefault = dma::DmaPipeline<typename Kernel::Tile, dma::MultiBuffer<typename Kernel::Layout, Stages>>;
  CHECK(reads_ahead<Kernel, typename Kernel::Pipe>());
  CHECK_FALSE(reads_ahead<Kernel, ByDefault>());
}

TEST_CASE("tiles are read ahead where the engine is named, and never by default", "[proof][right]") {
  expect_read_ahead_where_named<1>();
  expect_read_ahead_where_named<2>();
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
