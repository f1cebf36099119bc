// Kernels that break a contract, built with DMA_CHECKED=1: each is named where it is broken.

#include "planted.hpp"
#include "run_planted.cuh"

#include <dma/dma.hpp>
#include <dma/matrix/multiply_add.hpp>

#include <cuda_bf16.h>

namespace {

enum class Breach {
  source_is_misaligned,
  source_is_in_shared_memory,
  source_is_null,
  source_is_behind_null,
  storage_is_in_global_memory,
  storage_is_misaligned,
  tile_is_too_large,
  compute_warp_asks_for_the_dma_role,
  dma_warp_asks_for_the_compute_role,
  compute_warp_loads,
  copy_before_the_wait,
  signal_full_twice,
  release_without_wait,
  release_twice,
  waits_for_a_held_slot,
  slot_is_touched_after_release,
  element_is_outside_the_tile,
  closes_with_a_slot,
  loads_after_close,
  waits_after_close,
  tile_is_short_on_one_side,
};

struct Streams {
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Tile = dma::Sequential<float, 256>;
  using Pipe = dma::DmaPipeline<Tile, dma::ManualDoubleBuffer<Layout>, dma::CudaBarrier, dma::BulkCopy<>>;
  struct Shared {
    Pipe::Storage storage;
    unsigned char misaligned[sizeof(Pipe::Storage) + 8];
    alignas(16) float values[256];
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Streams>& cta, float* global, Breach breach) const {
    auto& shared = cta.shared<Shared>();
    void* const storage = breach == Breach::storage_is_in_global_memory ? static_cast<void*>(global)
                          : breach == Breach::storage_is_misaligned     ? static_cast<void*>(shared.misaligned + 4)
                                                                        : &shared.storage;
    Pipe pipe(cta, *static_cast<Pipe::Storage*>(storage));
    const bool is_dma = pipe.is_dma();
    if (breach == Breach::loads_after_close || breach == Breach::waits_after_close) {
      pipe.close();
      if (is_dma && breach == Breach::loads_after_close) {
        pipe.as_dma().load(global);
      } else if (!is_dma && breach == Breach::waits_after_close) {
        static_cast<void>(pipe.as_compute().wait());
      }
      return;
    }
    if (is_dma || breach == Breach::compute_warp_asks_for_the_dma_role) {
      const float* const source = breach == Breach::source_is_misaligned         ? global + 1
                                  : breach == Breach::source_is_in_shared_memory ? shared.values
                                  : breach == Breach::source_is_null             ? nullptr
                                  : breach == Breach::source_is_behind_null      ? null() + 1024
                                                                                 : global;
      if (breach == Breach::dma_warp_asks_for_the_compute_role) {
        static_cast<void>(pipe.as_compute());
      }
      move(pipe.as_dma(), source, breach);
    } else {
      if (breach == Breach::compute_warp_loads) {
        dma::DmaHandle(pipe).load(global);
      }
      compute(pipe, global, breach);
    }
  }

  /// A null that the compiler does not know to be one, so that arithmetic with it is not undefined to it.
  DMA_HOST_DEVICE static const float* null() {
    const float* volatile null = nullptr;
    return null;
  }

  template <class Handle>
  DMA_HOST_DEVICE static void move(const Handle& dma, const float* source, Breach breach) {
    if (breach != Breach::copy_before_the_wait) {
      dma.wait_until_empty();
    }
    dma.copy(source, Tile{breach == Breach::tile_is_too_large ? 257 : 256});
    dma.signal_full();
    if (breach == Breach::signal_full_twice) {
      dma.signal_full();
    }
  }

  DMA_HOST_DEVICE static void compute(Pipe& pipe, float* out, Breach breach) {
    const auto compute = pipe.as_compute();
    if (breach == Breach::release_without_wait) {
      compute.signal_empty();
    }
    if (breach == Breach::waits_for_a_held_slot) {
      static_cast<void>(compute.wait_until_full());
      static_cast<void>(compute.wait_until_full());
    }
    if (breach == Breach::release_twice) {
      static_cast<void>(compute.wait_until_full());
      compute.signal_empty();
      compute.signal_empty();
    }
    auto tile = compute.wait(Tile{breach == Breach::tile_is_short_on_one_side ? 100 : 256});
    if (breach == Breach::closes_with_a_slot) {
      pipe.close();
    }
    if (breach == Breach::slot_is_touched_after_release) {
      tile.release();
    }
    out[compute.rank()] = tile[breach == Breach::element_is_outside_the_tile ? 256 : 255];
  }
};

enum class ReadBreach { none, released_while_read, released_before_the_commit };

/// C = A A^T of a tile: the tensor cores read its slot when it is released, or no group has their products.
struct ReleasesWhileRead {
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
  using Tile = dma::Tile2D<__nv_bfloat16, 64, 64, dma::RowLayout{.alignment = 16, .swizzle = dma::Swizzle::bytes_128}>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, dma::CudaBarrier, dma::AsyncCopy<>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ReleasesWhileRead>& cta, float* global, ReadBreach breach) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    constexpr int tiles = 4;
    if (pipe.is_dma()) {
      for (int t = 0; t < tiles; ++t) {
        pipe.as_dma().load(reinterpret_cast<const __nv_bfloat16*>(global));
      }
    } else {
      const dma::AsyncReads reads;
      dma::MatrixSums<64, 64> sums{};
      for (int t = 0; t < tiles; ++t) {
        auto slot = pipe.as_compute().wait();
        reads.begin(slot);
        const auto operand = dma::matrix_descriptor<dma::Major::k>(slot);
        dma::multiply_add(sums, operand, operand);
        if (breach == ReadBreach::released_before_the_commit) {
          slot.begin_async_reads();
          slot.release();
        }
        reads.commit(slot);
        if (breach == ReadBreach::released_while_read) {
          slot.release();
        }
        reads.wait<0>(sums);
      }
      sums.for_each([&](int row, int column, float sum) { global[4096 + row * 64 + column] = sum; });
    }
  }
};

/// A gather whose list names a row that its table has not.
struct Gathers {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Tile = dma::Indirect<float, 32, 8>;
  using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Layout>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Gathers>& cta, const float* table, const int* indices) const {
    const Tile tile{indices, 100};
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.for_each_tile(
        {.last = 1}, [&](const auto& dma, int) { dma.load(table, tile); },
        [&](const auto& compute, int) { compute.wait(tile).release(); });
  }
};

/// Two pipelines on the named barriers of one DMA group.
struct SharesBarriers {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<dma::Sequential<float, 32>, dma::SingleBuffer<Layout>, dma::NamedBarrier>;
  struct Shared {
    Pipe::Storage first, second;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<SharesBarriers>& cta) const {
    Pipe first(cta, cta.shared<Shared>().first);
    Pipe second(cta, cta.shared<Shared>().second);
  }
};

/// A kernel whose layout has register budgets, which its roles do not take, or take twice.
struct LeavesItsBudget {
  using Layout = dma::WarpLayout<dma::Compute<4, dma::Registers{200}>, dma::Dma<4, dma::Registers{40}>>;
  using Pipe =
      dma::DmaPipeline<dma::Sequential<float, 256>, dma::SingleBuffer<Layout>, dma::CudaBarrier, dma::BulkCopy<>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<LeavesItsBudget>& cta, const float* in, int takes) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    for (int i = 0; i < takes; ++i) {
      cta.take_roles([] {}, [] {});
    }
    if (pipe.is_dma()) {
      pipe.as_dma().load(in);
    } else {
      pipe.as_compute().wait().release();
    }
  }
};

/// A second pipeline in the storage of one on phase barriers that was not closed.
struct ReusesStorage {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Pipe =
      dma::DmaPipeline<dma::Sequential<float, 32>, dma::SingleBuffer<Layout>, dma::CudaBarrier, dma::BulkCopy<>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ReusesStorage>& cta, const float* in) const {
    for (int i = 0; i < 2; ++i) {
      Pipe pipe(cta, cta.shared<Shared>().storage);
      pipe.for_each_tile(
          {.last = 1}, [&](const auto& dma, int) { dma.load(in); },
          [](const auto& compute, int) { compute.wait().release(); });
    }
  }
};

/// Without DMA warps: loads into the only slot while it is held.
struct LoadsIntoAHeldSlot {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  using Pipe = dma::DmaPipeline<dma::Sequential<float, 32>, dma::SingleBuffer<Layout>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<LoadsIntoAHeldSlot>& cta, const float* in) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.as_dma().load(in);
    const auto tile = pipe.as_compute().wait();
    pipe.as_dma().load(in);
  }
};

enum class StoreBreach { destination_is_null, destination_is_in_shared_memory, tile_is_short_on_one_side };

/// A pipeline that stores.
struct Stores {
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Tile = dma::Sequential<float, 256>;
  using Pipe = dma::DmaPipeline<dma::Store<Tile>, dma::ManualDoubleBuffer<Layout>, dma::CudaBarrier, dma::BulkCopy<>>;
  struct Shared {
    Pipe::Storage storage;
    alignas(16) float values[256];
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Stores>& cta, float* out, StoreBreach breach) const {
    auto& shared = cta.shared<Shared>();
    Pipe pipe(cta, shared.storage);
    float* const destination = breach == StoreBreach::destination_is_null               ? nullptr
                               : breach == StoreBreach::destination_is_in_shared_memory ? shared.values
                                                                                        : out;
    const int elements = breach == StoreBreach::tile_is_short_on_one_side ? 100 : 256;
    pipe.for_each_tile(
        {.last = 3}, [&](const auto& dma, int) { dma.store(destination); },
        [&](const auto& compute, int tile) { compute.wait(Tile{tile == 2 ? elements : 256}).release(); });
  }
};

/// A map of an array of other extents than the array that the tiles are of.
struct MapsAnotherArray {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Tile = dma::Tile2D<float, 32, 8, dma::RowLayout{.alignment = 16}>;
  using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Layout>, dma::CudaBarrier, dma::TensorCopy<>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<MapsAnotherArray>& cta, const dma::TensorMap<Tile>& map,
                                  int rows) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const Tile tile{.pitch_bytes = 128, .array_rows = rows, .array_cols = 32};
    pipe.for_each_tile(
        {.last = 1}, [&](const auto& dma, int) { dma.load(map, tile); },
        [&](const auto& compute, int) { compute.wait(tile).release(); });
  }
};

/// Stores the box at the end of rows, which the hardware ends at a multiple of 16 bytes.
struct StoresBoxes {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Tile = dma::Tile2D<float, 32, 8>;
  using Pipe = dma::DmaPipeline<dma::Store<Tile>, dma::SingleBuffer<Layout>, dma::CudaBarrier, dma::TensorCopy<>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<StoresBoxes>& cta, const dma::TensorMap<Tile>& map, Tile tile) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    tile.col = 32;
    pipe.for_each_tile(
        {.last = 1}, [&](const auto& dma, int) { dma.store(map, tile); },
        [&](const auto& compute, int) {
          auto box = compute.wait(tile);
          for (int i = compute.rank(); i < box.size(); i += compute.size()) {
            box[i] = 1;
          }
        });
  }
};

/// Without DMA warps: a tile is loaded that is never waited for.
struct LoadsTooMany {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  using Pipe = dma::DmaPipeline<dma::Sequential<float, 32>, dma::ManualDoubleBuffer<Layout>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<LoadsTooMany>& cta, const float* in) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.as_dma().load(in);
    pipe.as_dma().load(in);
    pipe.as_compute().wait().release();
  }
};

/// The kernel body in a CTA of another shape than its layout's.
__global__ void run_by_hand(float* global) {
  dma::KernelCta<Streams> cta;
  Streams{}(cta, global, Breach::closes_with_a_slot);
}

struct NamedBreach {
  std::string_view name;
  Breach breach;
};
constexpr NamedBreach breaches[] = {
    {"a source that is misaligned", Breach::source_is_misaligned},
    {"a source in shared memory", Breach::source_is_in_shared_memory},
    {"a source that is null", Breach::source_is_null},
    {"a source that is a tile of a null array", Breach::source_is_behind_null},
    {"a storage in global memory", Breach::storage_is_in_global_memory},
    {"a storage that is misaligned", Breach::storage_is_misaligned},
    {"a tile that is too large", Breach::tile_is_too_large},
    {"a compute warp that asks for the DMA role", Breach::compute_warp_asks_for_the_dma_role},
    {"a DMA warp that asks for the compute role", Breach::dma_warp_asks_for_the_compute_role},
    {"a compute warp that loads", Breach::compute_warp_loads},
    {"a copy before the wait", Breach::copy_before_the_wait},
    {"a slot that is signalled full twice", Breach::signal_full_twice},
    {"a release without a wait", Breach::release_without_wait},
    {"a slot that is released twice", Breach::release_twice},
    {"a wait for a slot that is held", Breach::waits_for_a_held_slot},
    {"a slot that is touched after its release", Breach::slot_is_touched_after_release},
    {"an element outside of its tile", Breach::element_is_outside_the_tile},
    {"a pipeline that is closed while a slot is held", Breach::closes_with_a_slot},
    {"a load after close()", Breach::loads_after_close},
    {"a wait after close()", Breach::waits_after_close},
    {"a tile that is short on one side", Breach::tile_is_short_on_one_side},
};

enum class GroupBreach {
  other_groups_pipeline,
  other_side,
  turn_of_a_dma_warp,
};

/// A pipeline that the first of two compute groups uses, a hand-off between them, and turns.
struct Groups {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Compute<1>, dma::Dma<1>>;
  using Tile = dma::Sequential<float, 32>;
  using Pipe = dma::DmaPipeline<Tile, dma::UsedBy<0, dma::SingleBuffer<Layout>>>;
  using Passed = dma::HandOff<Tile, dma::FromTo{.from = 0, .to = 1}, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
    Passed::Storage passed;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Groups>& cta, GroupBreach breach) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    Passed passed(cta, cta.shared<Shared>().passed);
    dma::Turns<Layout> turns;
    if (breach == GroupBreach::other_groups_pipeline && cta.warp() == 1) {
      static_cast<void>(pipe.as_compute());
    } else if (breach == GroupBreach::other_side && cta.warp() == 1) {
      static_cast<void>(passed.as_producer());
    } else if (breach == GroupBreach::turn_of_a_dma_warp && pipe.is_dma()) {
      const auto turn = turns.take();
    }
  }
};

}  // namespace

int run_violation(std::string_view mistake) {
  for (const NamedBreach& each : breaches) {
    if (each.name == mistake) {
      return run_planted([&](float* global) { dma::launch(Streams{}, {1}, nullptr, global, each.breach); });
    }
  }
  if (mistake == "a misaligned source in each CTA of a grid") {
    return run_planted(
        [](float* global) { dma::launch(Streams{}, {264}, nullptr, global, Breach::source_is_misaligned); });
  }
  if (mistake == "a slot that is released while tensor cores read it") {
    return run_planted(
        [](float* global) { dma::launch(ReleasesWhileRead{}, {1}, nullptr, global, ReadBreach::released_while_read); });
  }
  if (mistake == "a slot that is released before its products are committed") {
    return run_planted([](float* global) {
      dma::launch(ReleasesWhileRead{}, {1}, nullptr, global, ReadBreach::released_before_the_commit);
    });
  }
  if (mistake == "none, with products") {
    return run_planted([](float* global) { dma::launch(ReleasesWhileRead{}, {1}, nullptr, global, ReadBreach::none); });
  }
  if (mistake == "an index outside of its table") {
    return run_planted([](float* table) {
      const int list[8] = {0, 7, 99, 100, 3, 4, 5, 6};
      int* const indices = reinterpret_cast<int*>(table + 100 * 32);
      cudaMemcpy(indices, list, sizeof list, cudaMemcpyHostToDevice);
      dma::launch(Gathers{}, {1}, nullptr, static_cast<const float*>(table), static_cast<const int*>(indices));
    });
  }
  if (mistake == "a compute group that asks for another one's pipeline") {
    return run_planted([](float*) { dma::launch(Groups{}, {1}, nullptr, GroupBreach::other_groups_pipeline); });
  }
  if (mistake == "consumers that ask for the producers' side") {
    return run_planted([](float*) { dma::launch(Groups{}, {1}, nullptr, GroupBreach::other_side); });
  }
  if (mistake == "a DMA warp that takes a turn") {
    return run_planted([](float*) { dma::launch(Groups{}, {1}, nullptr, GroupBreach::turn_of_a_dma_warp); });
  }
  if (mistake == "two pipelines on the same named barriers") {
    return run_planted([](float*) { dma::launch(SharesBarriers{}, {1}, nullptr); });
  }
  if (mistake == "a storage that is used again without close()") {
    return run_planted([](const float* in) { dma::launch(ReusesStorage{}, {1}, nullptr, in); });
  }
  if (mistake == "a load into a slot that is held") {
    return run_planted([](const float* in) { dma::launch(LoadsIntoAHeldSlot{}, {1}, nullptr, in); });
  }
  if (mistake == "a role that does not set its register budget") {
    return run_planted([](const float* in) { dma::launch(LeavesItsBudget{}, {1}, nullptr, in, 0); });
  }
  if (mistake == "a role that sets its register budget twice") {
    return run_planted([](const float* in) { dma::launch(LeavesItsBudget{}, {1}, nullptr, in, 2); });
  }
  if (mistake == "a destination that is null") {
    return run_planted([](float* out) { dma::launch(Stores{}, {1}, nullptr, out, StoreBreach::destination_is_null); });
  }
  if (mistake == "a destination in shared memory") {
    return run_planted(
        [](float* out) { dma::launch(Stores{}, {1}, nullptr, out, StoreBreach::destination_is_in_shared_memory); });
  }
  if (mistake == "a stored tile that is short on one side") {
    return run_planted(
        [](float* out) { dma::launch(Stores{}, {1}, nullptr, out, StoreBreach::tile_is_short_on_one_side); });
  }
  if (mistake == "a map of another array") {
    return run_planted([](float* array) {
      const MapsAnotherArray::Tile described{.pitch_bytes = 128, .array_rows = 20, .array_cols = 32};
      dma::launch(MapsAnotherArray{}, {1}, nullptr, dma::tensor_map(array, described), 64);
    });
  }
  if (mistake == "a stored box that crosses odd rows" || mistake == "none: a stored box that crosses even rows") {
    const int cols = mistake == "a stored box that crosses odd rows" ? 61 : 60;
    return run_planted([cols](float* array) {
      const StoresBoxes::Tile described{.pitch_bytes = 256, .array_rows = 8, .array_cols = cols};
      dma::launch(StoresBoxes{}, {1}, nullptr, dma::tensor_map(array, described), described);
    });
  }
  if (mistake == "a tile that is never used, without DMA warps") {
    return run_planted([](const float* in) { dma::launch(LoadsTooMany{}, {1}, nullptr, in); });
  }
  if (mistake == "a CTA with too few threads") {
    return run_planted([](float* global) { run_by_hand<<<1, 64, sizeof(Streams::Shared)>>>(global); });
  }
  if (mistake == "a CTA with a second axis") {
    return run_planted([](float* global) { run_by_hand<<<1, dim3(32, 3), sizeof(Streams::Shared)>>>(global); });
  }
  return has_no_such_mistake;
}
