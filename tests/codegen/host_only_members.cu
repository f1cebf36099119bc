// A pattern or a barrier whose members are functions of the host alone. Each of them is an error.

#include <dma/dma.hpp>
#include <dma/patterns/box.hpp>

/// pattern: is_full size run_count run_at is_valid global_pitch_bytes box place_of is_padding fill_value index part
struct HostPattern {
  using Element = float;
  static constexpr long long count = 64;
  static constexpr int tile_bytes = 256;
  static constexpr int max_run_count = 1;
  static constexpr int max_run_bytes = 256;
  static constexpr int run_alignment = 16;
  static constexpr int shared_pitch_bytes = 0;
  static constexpr dma::PatternTraits traits{.runs_are_uniform = true};

  int elements = 64;

  [[nodiscard]] constexpr bool is_full() const { return elements == 64; }
  [[nodiscard]] constexpr int size() const { return elements; }
  [[nodiscard]] constexpr int run_count() const { return 1; }
  [[nodiscard]] constexpr dma::Run run_at(int) const { return {0, 0, elements * 4}; }
  [[nodiscard]] constexpr bool is_valid() const { return elements <= 64; }
  [[nodiscard]] constexpr long long global_pitch_bytes() const { return 0; }
  [[nodiscard]] constexpr dma::Box<1> box() const { return {{64}, {64}, {4}, {0}}; }
  [[nodiscard]] static constexpr int place_of(int i) { return i; }
  [[nodiscard]] constexpr bool is_padding(int i) const { return i >= elements; }
  [[nodiscard]] constexpr float fill_value() const { return 0; }
  [[nodiscard]] static constexpr int index(int i) { return i; }
};

struct HostParts : dma::Sequential<float, 64> {
  static constexpr int part_count = 1;
  template <int Index>
  [[nodiscard]] constexpr auto part() const {
    return dma::Sequential<float, 64>{};
  }
  template <int Index>
  [[nodiscard]] static constexpr int part_shared_bytes() {
    return 0;
  }
};

/// barrier: open close arrive wait arrive_after expect is_complete
struct HostBarrier {
  struct State {
    unsigned long long word;
  };
  using Point = dma::BarrierPoint<State>;
  static constexpr int ids = 0;
  static constexpr bool needs_drain = false;
  static constexpr bool supports(dma::Completion) { return true; }
  static constexpr bool completes_asynchronously(dma::Completion) { return true; }
  template <dma::Participants, dma::Completion>
  static void open(Point) {}
  static void close(Point) {}
  template <dma::Participants, dma::Lanes>
  static void arrive(Point, const dma::machine::Site&) {}
  template <dma::Participants, dma::Lanes>
  static void wait(Point, unsigned, const dma::machine::Site&) {}
  template <dma::Completion, dma::Participants, dma::Lanes>
  static void arrive_after(Point, int, const dma::machine::Site&) {}
  static void expect(Point, int, const dma::machine::Site&) {}
  static bool is_complete(Point, unsigned) { return true; }
};

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;

template <class Pattern, class Barrier>
__global__ void uses_members(const float* in, float* out) {
  using Pipe = dma::DmaPipeline<Pattern, dma::SingleBuffer<Warps>, Barrier, dma::RegisterCopy<>>;
  __shared__ typename Pipe::Storage storage;
  Pipe pipe(dma::this_cta(), storage);
  if (pipe.is_dma()) {
    pipe.as_dma().load(in);
  } else {
    auto tile = pipe.as_compute().wait();
    out[threadIdx.x] = tile(static_cast<int>(threadIdx.x));
  }
}
#if defined(OF_BARRIER)
template __global__ void uses_members<dma::Sequential<float, 64>, HostBarrier>(const float*, float*);
#else
template __global__ void uses_members<HostPattern, dma::CudaBarrier>(const float*, float*);
template __global__ void uses_members<HostParts, dma::CudaBarrier>(const float*, float*);
#endif
