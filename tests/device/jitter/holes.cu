#include "../../../examples/gpu.hpp"
#include "holes.hpp"

#include <dma/dma.hpp>

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <cuda_runtime.h>

namespace holes {

constexpr int ctas = 8;
constexpr int tiles = 12;  ///< of each CTA
constexpr int tile_count = 256;
constexpr int cta_count = tiles * tile_count;
constexpr int count = ctas * cta_count;

DMA_HOST_DEVICE float value(int i) { return static_cast<float>(i % 4099 + 1); }

struct Job {
  const float* in;
  float* out;
  float* spare;  ///< as large
  dma::ArrivalCounter* counter;
};

using Layout = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
using Tile = dma::Sequential<float, tile_count>;
using Stored = dma::Store<Tile>;

// Each kernel below doubles its numbers, in a way of its own; `planted` is the one with the hole.

/// A pointer into a tile is used after the slot's release.
template <bool planted>
struct ReadsAfterRelease {
  using Layout = holes::Layout;
  using Pipe = dma::DmaPipeline<Tile, dma::ManualDoubleBuffer<Layout>, dma::CudaBarrier, dma::BulkCopy<>>;
  struct Shared {
    Pipe::Storage storage;
  };

  __device__ void operator()(dma::KernelCta<ReadsAfterRelease>& cta, const Job& job) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    const int first = cta.block().x * cta_count;
    pipe.for_each_tile(
        {.last = tiles}, [&](const auto& dma, int t) { dma.load(job.in + first + t * tile_count); },
        [&](const auto& compute, int t) {
          auto tile = compute.wait();
          const volatile float* const values = tile.data();
          if (planted) {
            tile.release();
          }
          for (int i = compute.rank(); i < tile_count; i += compute.size()) {
            job.out[first + t * tile_count + i] = 2 * values[i];
          }
        });
  }
};

/// A tile to be stored is filled after its slot was handed to the DMA warp.
template <bool planted>
struct FillsAfterSignal {
  using Layout = holes::Layout;
  using Pipe = dma::DmaPipeline<Stored, dma::ManualDoubleBuffer<Layout>, dma::CudaBarrier, dma::BulkCopy<>>;
  struct Shared {
    Pipe::Storage storage;
  };

  __device__ void operator()(dma::KernelCta<FillsAfterSignal>& cta, const Job& job) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    const int first = cta.block().x * cta_count;
    pipe.for_each_tile(
        {.last = tiles}, [&](const auto& dma, int t) { dma.store(job.out + first + t * tile_count); },
        [&](const auto& compute, int t) {
          auto tile = compute.wait();
          volatile float* const values = tile.data();
          if (planted) {
            tile.release();
          }
          for (int i = compute.rank(); i < tile_count; i += compute.size()) {
            values[i] = 2 * job.in[first + t * tile_count + i];
          }
        });
  }
};

/// A second pipeline takes the bytes of the first one's tile, which was not closed.
template <bool planted>
struct ReusesOpenStorage {
  using Layout = holes::Layout;
  using First = dma::DmaPipeline<dma::Sequential<float, tiles / 2 * tile_count>, dma::SingleBuffer<Layout>>;
  using Second = dma::DmaPipeline<Tile, dma::ManualDoubleBuffer<Layout>, dma::NamedBarrier>;
  struct Shared {
    First::Storage storage;
  };
  static_assert(sizeof(Second::Storage) <= tiles / 2 * tile_count * sizeof(float));

  __device__ void operator()(dma::KernelCta<ReusesOpenStorage>& cta, const Job& job) const {
    First::Storage& storage = cta.template shared<Shared>().storage;
    const int first = cta.block().x * cta_count;
    First large(cta, storage);
    large.for_each_tile(
        {.last = 1}, [&](const auto& dma, int) { dma.load(job.in + first); },
        [&](const auto& compute, int) {
          auto tile = compute.wait();
          for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
            job.out[first + i] = 2 * tile[i];
          }
        });
    if (!planted) {
      large.close();
    }
    Second small(cta, *reinterpret_cast<typename Second::Storage*>(&storage));
    small.for_each_tile(
        {.first = tiles / 2, .last = tiles}, [&](const auto& dma, int t) { dma.load(job.in + first + t * tile_count); },
        [&](const auto& compute, int t) {
          auto tile = compute.wait();
          for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
            job.out[first + t * tile_count + i] = 2 * tile[i];
          }
        });
    small.close();
  }
};

/// Warps exchange numbers through shared memory of their own: without a sync before they read, or before they write the
/// next ones.
enum class Missing { nothing, sync_before_reads, sync_before_writes };
template <Missing missing>
struct Exchanges {
  using Layout = holes::Layout;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 4>, dma::CudaBarrier, dma::BulkCopy<>>;
  struct Shared {
    Pipe::Storage storage;
    float sums[Layout::compute_threads];
  };

  __device__ void operator()(dma::KernelCta<Exchanges>& cta, const Job& job) const {
    auto& shared = cta.template shared<Shared>();
    Pipe pipe(cta, shared.storage);
    const int first = cta.block().x * cta_count;
    pipe.for_each_tile(
        {.last = tiles}, [&](const auto& dma, int t) { dma.load(job.in + first + t * tile_count); },
        [&](const auto& compute, int t) {
          const int size = compute.size();
          volatile float* const sums = shared.sums;
          {
            auto tile = compute.wait();
            sums[compute.rank()] = tile[compute.rank()] + tile[compute.rank() + size];
          }
          if (missing != Missing::sync_before_reads) {
            compute.sync();
          }
          const float other = sums[(compute.rank() + 96) % size];
          if (missing != Missing::sync_before_writes) {
            compute.sync();
          }
          job.out[first + t * tile_count + compute.rank()] = other;
          job.out[first + t * tile_count + compute.rank() + size] = 0;
        });
  }
};
template <bool planted>
using ExchangesUnsynced = Exchanges<planted ? Missing::sync_before_reads : Missing::nothing>;
template <bool planted>
using ExchangesOverwritten = Exchanges<planted ? Missing::sync_before_writes : Missing::nothing>;

/// A table in shared memory that one warp fills after the pipeline's construction, the last point where all meet.
template <bool planted>
struct FillsTableLate {
  using Layout = holes::Layout;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 4>, dma::CudaBarrier, dma::BulkCopy<>>;
  struct Shared {
    Pipe::Storage storage;
    float factors[32];
  };

  __device__ void operator()(dma::KernelCta<FillsTableLate>& cta, const Job& job) const {
    auto& shared = cta.template shared<Shared>();
    volatile float* const factors = shared.factors;
    if (cta.warp() == 3) {
      factors[cta.lane()] = 0;
    }
    Pipe pipe(cta, shared.storage);
    if (cta.warp() == 3) {
      factors[cta.lane()] = 2;
    }
    if (!planted) {
      cta.sync();
    }
    const int first = cta.block().x * cta_count;
    pipe.for_each_tile(
        {.last = tiles}, [&](const auto& dma, int t) { dma.load(job.in + first + t * tile_count); },
        [&](const auto& compute, int t) {
          auto tile = compute.wait();
          for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
            job.out[first + t * tile_count + i] = factors[i % 32] * tile[i];
          }
        });
  }
};

/// What a pipeline stored is read back before `close()` has waited for it.
template <bool planted>
struct ReadsBackEarly {
  using Layout = holes::Layout;
  using Pipe = dma::DmaPipeline<Stored, dma::ManualDoubleBuffer<Layout>, dma::CudaBarrier, dma::BulkCopy<>>;
  struct Shared {
    Pipe::Storage storage;
  };

  __device__ void operator()(dma::KernelCta<ReadsBackEarly>& cta, const Job& job) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    const int first = cta.block().x * cta_count;
    pipe.for_each_tile(
        {.last = tiles}, [&](const auto& dma, int t) { dma.store(job.spare + first + t * tile_count); },
        [&](const auto& compute, int t) {
          auto tile = compute.wait();
          for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
            tile[i] = job.in[first + t * tile_count + i];
          }
        });
    if (!planted) {
      pipe.close();
    }
    for (int i = cta.thread(); i < cta_count; i += Layout::threads) {
      job.out[first + i] = 2 * static_cast<volatile float*>(job.spare)[first + i];
    }
  }
};

/// The last CTA doubles what each has copied; a CTA counts itself before all of its warps have written.
template <bool planted>
struct CountsEarly {
  using Layout = holes::Layout;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 4>, dma::CudaBarrier, dma::BulkCopy<>>;
  struct Shared {
    Pipe::Storage storage;
    dma::ArrivalCounter arrivals;
  };

  __device__ void operator()(dma::KernelCta<CountsEarly>& cta, const Job& job) const {
    auto& shared = cta.template shared<Shared>();
    Pipe pipe(cta, shared.storage);
    const int first = cta.block().x * cta_count;
    pipe.for_each_tile(
        {.last = tiles}, [&](const auto& dma, int t) { dma.load(job.in + first + t * tile_count); },
        [&](const auto& compute, int t) {
          auto tile = compute.wait();
          for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
            job.spare[first + t * tile_count + i] = tile[i];
          }
        });
    bool is_last = false;
    if constexpr (planted) {
      if (cta.thread() == 0) {
        shared.arrivals.arrived = dma::machine::count_around(&job.counter->arrived, ctas - 1);
      }
      cta.sync();
      is_last = shared.arrivals.arrived == ctas - 1;
    } else {
      is_last = dma::is_last_cta(cta, *job.counter, ctas, shared.arrivals);
    }
    for (int i = cta.thread(); is_last && i < count; i += Layout::threads) {
      job.out[i] = 2 * static_cast<volatile float*>(job.spare)[i];
    }
  }
};

/// Two grids: the second starts early, and reads what the first writes.
template <bool planted, bool is_second>
struct Chained {
  using Layout = holes::Layout;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 4>, dma::CudaBarrier, dma::BulkCopy<>>;
  static constexpr dma::KernelTraits traits{.programmatic_launch = true};
  struct Shared {
    Pipe::Storage storage;
  };

  __device__ void operator()(dma::KernelCta<Chained>& cta, const Job& job) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    cta.trigger_dependent_launch();
    if (!(planted && is_second)) {
      cta.grid_dependency_wait();
    }
    const int first = cta.block().x * cta_count;
    const float* const in = is_second ? job.spare : job.in;
    float* const out = is_second ? job.out : job.spare;
    pipe.for_each_tile(
        {.last = tiles}, [&](const auto& dma, int t) { dma.load(in + first + t * tile_count); },
        [&](const auto& compute, int t) {
          auto tile = compute.wait();
          for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
            out[first + t * tile_count + i] = (is_second ? 2 : 1) * tile[i];
          }
        });
    if (planted && is_second) {
      cta.grid_dependency_wait();
    }
  }
};

/// A phase barrier where the first warp of a side arrives for all of its warps.
struct FirstWarpArrives : dma::CudaBarrier {
  template <dma::Participants participants, dma::Completion completion>
  DMA_HOST_DEVICE static void open(dma::BarrierPoint<State> point) {
    dma::machine::phase_init(point.state, 1);
  }
  template <dma::Participants participants, dma::Lanes lanes>
  DMA_HOST_DEVICE static void arrive(dma::BarrierPoint<State> point, const dma::machine::Site& site) {
    dma::machine::sync_warp();
    if (dma::machine::thread_rank() == 0 || dma::machine::thread_rank() == Layout::compute_threads) {
      dma::machine::phase_arrive(point.state, site);
    }
    dma::machine::sync_warp();
  }
};
template <bool planted>
struct OneWarpArrives {
  using Layout = holes::Layout;
  using Barrier = dma::stdlib::conditional_t<planted, FirstWarpArrives, dma::CudaBarrier>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 4>, Barrier, dma::RegisterCopy<>>;
  struct Shared {
    typename Pipe::Storage storage;
  };

  __device__ void operator()(dma::KernelCta<OneWarpArrives>& cta, const Job& job) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    const int first = cta.block().x * cta_count;
    pipe.for_each_tile(
        {.last = tiles}, [&](const auto& dma, int t) { dma.load(job.in + first + t * tile_count); },
        [&](const auto& compute, int t) {
          auto tile = compute.wait();
          for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
            job.out[first + t * tile_count + i] = 2 * tile[i];
          }
        });
  }
};

/// The DMA warp reads an address that a compute warp writes, in shared memory, after the last point where all meet.
template <bool planted>
struct ReadsStaleIndex {
  using Layout = holes::Layout;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 4>, dma::CudaBarrier, dma::BulkCopy<>>;
  struct Shared {
    Pipe::Storage storage;
    int first;
  };

  __device__ void operator()(dma::KernelCta<ReadsStaleIndex>& cta, const Job& job) const {
    auto& shared = cta.template shared<Shared>();
    volatile int& shared_first = shared.first;
    if (cta.thread() == 0) {
      shared_first = (ctas - 1 - cta.block().x) * cta_count;  // another CTA's numbers
    }
    Pipe pipe(cta, shared.storage);
    const int first = cta.block().x * cta_count;
    if (cta.thread() == 0) {
      shared_first = first;
    }
    if (!planted) {
      cta.sync();
    }
    pipe.for_each_tile(
        {.last = tiles}, [&](const auto& dma, int t) { dma.load(job.in + shared_first + t * tile_count); },
        [&](const auto& compute, int t) {
          auto tile = compute.wait();
          for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
            job.out[first + t * tile_count + i] = 2 * tile[i];
          }
        });
  }
};

/// How long each of a warp's operations takes.
struct Measures {
  static constexpr int operations = 512;
  using Layout = dma::WarpLayout<dma::Compute<2>>;

  __device__ void operator()(dma::KernelCta<Measures>& cta, unsigned long long* nanoseconds) const {
    for (int i = 0; i < operations; ++i) {
      const unsigned long long start = dma::ptx::global_timer_ns();
      dma::machine::fence_async_proxy();
      if (cta.lane() == 0) {
        nanoseconds[cta.warp() * operations + i] = dma::ptx::global_timer_ns() - start;
      }
    }
  }
};

// --- the runs -------------------------------------------------------------------------------------------------------

void check(cudaError_t error) {
  if (error != cudaSuccess) {
    throw std::runtime_error(cudaGetErrorString(error));
  }
}

float doubled(int i) { return 2 * value(i); }
/// Of `Exchanges`: the sum of two numbers of the thread three warps on.
float exchanged(int i) {
  const int at = i % tile_count;
  const int first = i - at;
  const int other = (at + 96) % 128;
  return at < 128 ? value(first + other) + value(first + other + 128) : 0;
}

class Runs {
 public:
  Runs() : values_(count), result_(count) {
    float* in = nullptr;
    check(cudaMalloc(&in, count * sizeof(float)));
    check(cudaMalloc(&job_.out, count * sizeof(float)));
    check(cudaMalloc(&job_.spare, count * sizeof(float)));
    check(cudaMalloc(&job_.counter, sizeof *job_.counter));
    for (int i = 0; i < count; ++i) {
      values_[static_cast<std::size_t>(i)] = value(i);
    }
    check(cudaMemcpy(in, values_.data(), count * sizeof(float), cudaMemcpyHostToDevice));
    check(cudaStreamCreate(&stream_));
    job_.in = in;
  }
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;
  ~Runs() {
    cudaFree(const_cast<float*>(job_.in));
    cudaFree(job_.out);
    cudaFree(job_.spare);
    cudaFree(job_.counter);
    cudaStreamDestroy(stream_);
  }

  /// Elements that are wrong after `start(job, stream)` under a seed.
  long long count_wrong(unsigned seed, float (*expected)(int), void (*start)(const Job&, cudaStream_t)) {
    check(dma::set_jitter_seed(seed));
    check(cudaMemset(job_.out, 0xff, count * sizeof(float)));
    check(cudaMemset(job_.spare, 0xff, count * sizeof(float)));
    check(cudaMemset(job_.counter, 0, sizeof *job_.counter));
    check(cudaDeviceSynchronize());
    start(job_, stream_);
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(result_.data(), job_.out, count * sizeof(float), cudaMemcpyDeviceToHost));
    long long wrong = 0;
    for (int i = 0; i < count; ++i) {
      wrong += result_[static_cast<std::size_t>(i)] == expected(i) ? 0 : 1;
    }
    return wrong;
  }

 private:
  std::vector<float> values_;
  std::vector<float> result_;
  Job job_{};
  cudaStream_t stream_{};
};

template <class Kernel>
void start(const Job& job, cudaStream_t stream) {
  dma::launch(Kernel{}, {ctas}, stream, job);
}
template <bool planted>
void start_chain(const Job& job, cudaStream_t stream) {
  start<Chained<planted, false>>(job, stream);
  start<Chained<planted, true>>(job, stream);
}

struct Hole {
  std::string_view name;
  void (*start)(const Job&, cudaStream_t);
  void (*start_mended)(const Job&, cudaStream_t);
  float (*expected)(int) = doubled;
};
template <template <bool> class Kernel>
constexpr Hole hole(std::string_view name, float (*expected)(int) = doubled) {
  return {name, start<Kernel<true>>, start<Kernel<false>>, expected};
}

const Hole all[] = {
    hole<ReadsAfterRelease>("a pointer into a tile is read after the release"),
    hole<FillsAfterSignal>("a tile is filled after its slot is signalled"),
    hole<ReusesOpenStorage>("storage is used again without close()"),
    hole<ExchangesUnsynced>("own shared memory is read without a sync before", exchanged),
    hole<ExchangesOverwritten>("own shared memory is written without a sync before", exchanged),
    hole<FillsTableLate>("a table is filled after the last sync"),
    hole<ReadsBackEarly>("stored tiles are read back before close()"),
    hole<CountsEarly>("a CTA counts itself before its warps have written"),
    {"a grid reads before grid_dependency_wait()", start_chain<true>, start_chain<false>},
    hole<OneWarpArrives>("one warp arrives for four that wait"),
    hole<ReadsStaleIndex>("the DMA warp reads an index before it is written"),
};

HoleResult run(const Hole& hole, int most_seeds) {
  Runs runs;
  HoleResult result;
  for (int i = 0; i < most_seeds; ++i) {
    result.wrong_when_mended += runs.count_wrong(static_cast<unsigned>(i), hole.expected, hole.start_mended);
  }
  try {
    for (int i = 0; i < most_seeds; ++i) {
      result.wrong_without_delay += runs.count_wrong(0, hole.expected, hole.start) != 0 ? 1 : 0;
    }
    for (; result.seeds < most_seeds && result.wrong_elements == 0; ++result.seeds) {
      result.wrong_elements = runs.count_wrong(static_cast<unsigned>(result.seeds) + 1, hole.expected, hole.start);
    }
  } catch (const std::exception&) {
    result.is_stopped = true;
  }
  return result;
}

}  // namespace holes

std::string missing_device() { return gpu::missing(); }

ReplayResult run_replays() {
  using namespace holes;
  constexpr unsigned long long long_ns = 40'000;  // an operation without a delay takes less, a long delay mostly more
  constexpr std::size_t size = 2 * Measures::operations;
  unsigned long long* nanoseconds = nullptr;
  check(cudaMalloc(&nanoseconds, size * sizeof *nanoseconds));
  const auto delayed = [&](unsigned seed) {
    check(dma::set_jitter_seed(seed));
    dma::launch(Measures{}, {1}, nullptr, nanoseconds);
    std::vector<unsigned long long> measured(size);
    check(cudaMemcpy(measured.data(), nanoseconds, size * sizeof *nanoseconds, cudaMemcpyDeviceToHost));
    std::vector<int> operations;
    for (std::size_t i = 0; i < size; ++i) {
      if (measured[i] > long_ns) {
        operations.push_back(static_cast<int>(i));
      }
    }
    return operations;
  };
  static_cast<void>(delayed(0));  // loads the kernel's code
  const ReplayResult result{delayed(7), delayed(7), delayed(8), delayed(0)};
  cudaFree(nanoseconds);
  return result;
}

std::vector<std::string> hole_names() {
  std::vector<std::string> names;
  for (const holes::Hole& hole : holes::all) {
    names.emplace_back(hole.name);
  }
  return names;
}

HoleResult run_hole(const std::string& name, int most_seeds) {
  for (const holes::Hole& hole : holes::all) {
    if (hole.name == name) {
      return holes::run(hole, most_seeds);
    }
  }
  throw std::invalid_argument("there is no hole " + name);
}
