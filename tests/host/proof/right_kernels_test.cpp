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

// Shared is the pipeline's Storage, or has anything beside it.
template <class Kernel, class Shared_>
struct TellsWhetherItReadsAhead : Kernel {
  using Shared = Shared_;
  using typename Kernel::Pipe;

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

template <class Kernel>
void expect_read_ahead_where_alone() {
  using Pipe = typename Kernel::Pipe;
  struct WithMore {
    typename Pipe::Storage storage;
    int more;
  };
  const std::vector<int> in(Kernel::count);
  bool reads_ahead = false;
  dma::host::launch(TellsWhetherItReadsAhead<Kernel, right::OneStorage<Pipe>>{}, {1}, in.data(), &reads_ahead);
  CHECK(reads_ahead);
  dma::host::launch(TellsWhetherItReadsAhead<Kernel, WithMore>{}, {1}, in.data(), &reads_ahead);
  CHECK_FALSE(reads_ahead);
}

TEST_CASE("the default engine of few slots reads ahead where a pipeline is all that a body shares", "[proof][right]") {
  expect_read_ahead_where_alone<right::FewSlotsByDefault<1>>();
  expect_read_ahead_where_alone<right::FewSlotsByDefault<2>>();
}

template <int Bytes, int Stages, int ComputeWarps, int... DmaWarps>
inline constexpr int tiles_ahead_by_default = [] {
  using Layout = dma::WarpLayout<dma::Compute<ComputeWarps>, dma::Dma<DmaWarps>...>;
  using Buffering = dma::MultiBuffer<Layout, Stages, sizeof...(DmaWarps)>;
  using Pipe = dma::DmaPipeline<dma::Sequential<int, Bytes / 4>, Buffering>;
  static_assert(Pipe::completion == dma::Completion::async_group);
  return Pipe::tiles_read_ahead_alone;
}();

TEST_CASE("two slots of 16 bytes a DMA thread are read ahead by default in kernels of up to three warps",
          "[proof][right]") {
  STATIC_REQUIRE(tiles_ahead_by_default<512, 2, 1, 1> == 4);
  STATIC_REQUIRE(tiles_ahead_by_default<512, 2, 2, 1> == 4);
  STATIC_REQUIRE(tiles_ahead_by_default<1024, 2, 1, 2> == 4);
  STATIC_REQUIRE(tiles_ahead_by_default<384, 2, 1, 1> == 1);
  STATIC_REQUIRE(tiles_ahead_by_default<1024, 2, 1, 1> == 1);
  STATIC_REQUIRE(tiles_ahead_by_default<512, 2, 3, 1> == 1);
  STATIC_REQUIRE(tiles_ahead_by_default<1024, 2, 2, 2> == 1);
  STATIC_REQUIRE(tiles_ahead_by_default<512, 3, 1, 1> == 1);
  STATIC_REQUIRE(tiles_ahead_by_default<512, 4, 1, 1> == 1);
  STATIC_REQUIRE(tiles_ahead_by_default<512, 2, 1, 1, 1> == 1);
  STATIC_REQUIRE(tiles_ahead_by_default<512, dma::automatic_stages, 1, 1> == 1);
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
