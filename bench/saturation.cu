// The paper's figure 9: how few DMA warps saturate memory. One CTA an SM, 8 compute warps that add up.

#include <dma/sync/libcuxx_barrier.hpp>

#include "by_hand/stream.cuh"
#include "dma_stream.cuh"
#include "sweeps.hpp"

#include <string>

namespace bench {
namespace {

constexpr int compute_warps = 8;
constexpr int compute_threads = compute_warps * 32;
constexpr int kb = 1024;

/// One row of the figure: a tile is one round of the DMA warps' loads.
template <int Warps, int Loads, int Stages, int TileBytes = Warps * 32 * Loads * 16>
struct Row {
  static constexpr int warps = Warps;
  static constexpr int loads = Loads;
  static constexpr int stages = Stages;
  static constexpr int tile_bytes = TileBytes;
};
using Rows =
    List<Row<1, 16, 4>, Row<1, 16, 7>, Row<2, 16, 7>, Row<4, 8, 4>, Row<4, 16, 4>, Row<8, 8, 4>, Row<4, 32, 3>>;

/// One copy a tile: its size and the stages are all there is to choose.
using BulkRows = List<Row<1, 1, 2, 8 * kb>, Row<1, 1, 4, 8 * kb>, Row<1, 1, 6, 8 * kb>, Row<1, 1, 3, 16 * kb>,
                      Row<1, 1, 4, 16 * kb>, Row<1, 1, 4, 32 * kb>>;

/// Without DMA warps: every warp loads ahead and adds up.
using UnspecializedRows = List<Row<8, 4, 4>, Row<16, 2, 4>, Row<32, 1, 4>>;

std::string name_of(int warps, int loads, int stages, int tile_bytes, const std::string& engine,
                    const std::string& barrier, const std::string& by) {
  return "saturation/warps:" + std::to_string(warps) + "/loads:" + std::to_string(loads) +
         "/stages:" + std::to_string(stages) + "/kb:" + std::to_string(tile_bytes / kb) + "/engine:" + engine +
         "/barrier:" + barrier + "/by:" + by;
}

// --- by hand ---------------------------------------------------------------------------------------------------------

template <by_hand::Way way, int Warps, int TileBytes, int Stages>
void add_by_hand(const std::string& name) {
  add(name, [] {
    return stream_subject(1, TileBytes, sms(), compute_threads, [](auto stream, const Stream& job) {
      launch(by_hand::stream<way, 1, compute_threads, Warps, 1, TileBytes, Stages, 16>, sms(),
             compute_threads + Warps * 32, Stages * TileBytes, stream, job);
    });
  });
}

template <class Row>
void add_row_by_hand() {
  using by_hand::Way;
  const auto name = [](const char* engine, const char* barrier) {
    return name_of(Row::warps, Row::loads, Row::stages, Row::tile_bytes, engine, barrier, "hand");
  };
  add_by_hand<Way::registers_phase, Row::warps, Row::tile_bytes, Row::stages>(name("registers", "mbarrier"));
  add_by_hand<Way::registers_named, Row::warps, Row::tile_bytes, Row::stages>(name("registers", "named"));
  add_by_hand<Way::cp_async, Row::warps, Row::tile_bytes, Row::stages>(name("cp.async", "mbarrier"));
}

template <class Row>
void add_bulk_row_by_hand() {
  add_by_hand<by_hand::Way::bulk, Row::warps, Row::tile_bytes, Row::stages>(
      name_of(Row::warps, Row::loads, Row::stages, Row::tile_bytes, "bulk", "mbarrier", "hand"));
}

/// Reads to registers without DMA warps.
template <int Threads, int Ctas, int Loads>
void add_plain() {
  const std::string name = "saturation/warps:" + std::to_string(Ctas * Threads / 32) +
                           "/loads:" + std::to_string(Loads) + "/engine:none/by:plain";
  add(name, [] {
    return stream_subject(1, Threads * Loads * 16, Ctas * sms(), Threads, [](auto stream, const Stream& job) {
      launch(by_hand::stream_plain<Threads, Ctas, Loads>, Ctas * sms(), Threads, 0, stream, job);
    });
  });
}

// --- ours ------------------------------------------------------------------------------------------------------------

template <class Row, class Choice>
void add_row_ours() {
  using Warps = dma::WarpLayout<dma::Compute<compute_warps>, dma::Dma<Row::warps>>;
  using Body = DmaStream<1, Warps, 1, Row::tile_bytes, Row::stages, 16, typename Choice::Barrier,
                         typename Choice::template Engine<Row::loads>>;
  add(name_of(Row::warps, Row::loads, Row::stages, Row::tile_bytes, Choice::engine, Choice::barrier, "dma"),
      [] { return dma_stream_subject<Body, 1, Row::tile_bytes>(sms()); });
}

template <class Row, class Choice>
void add_row_unspecialized() {
  using Body = DmaStream<1, dma::WarpLayout<dma::Compute<Row::warps>>, 1, Row::tile_bytes, Row::stages, 16,
                         typename Choice::Barrier, typename Choice::template Engine<Row::loads>>;
  add(name_of(Row::warps, Row::loads, Row::stages, Row::tile_bytes, Choice::engine, Choice::barrier, "dma_all_warps"),
      [] { return dma_stream_subject<Body, 1, Row::tile_bytes>(sms()); });
}

template <class Choice>
void add_ours() {
  if constexpr (Choice::moves_whole_runs) {
    for_each_type(BulkRows{}, [&]<class Row>() { add_row_ours<Row, Choice>(); });
  } else {
    for_each_type(Rows{}, [&]<class Row>() { add_row_ours<Row, Choice>(); });
  }
  for_each_type(UnspecializedRows{}, [&]<class Row>() { add_row_unspecialized<Row, Choice>(); });
}

/// What libcu++'s class costs, beside the rows of `CudaBarrier`: where memory is saturated, and where the latency of a
/// tile shows.
template <class Choice>
struct OnLibcuxx : Choice {
  static constexpr const char* barrier = "libcuxx";
  using Barrier = dma::LibcuxxBarrier;
};

void add_libcuxx() {
  for_each_type(List<Row<1, 16, 4>, Row<4, 16, 4>>{}, [&]<class Row>() {
    add_row_ours<Row, OnLibcuxx<RegistersPhase>>();
    add_row_ours<Row, OnLibcuxx<Async>>();
  });
  for_each_type(List<Row<1, 1, 2, 8 * kb>, Row<1, 1, 4, 32 * kb>>{},
                [&]<class Row>() { add_row_ours<Row, OnLibcuxx<Bulk>>(); });
}

}  // namespace

void add_saturation() {
  for_each_type(Rows{}, [&]<class Row>() { add_row_by_hand<Row>(); });
  for_each_type(BulkRows{}, [&]<class Row>() { add_bulk_row_by_hand<Row>(); });
  add_plain<128, 1, 1>();
  add_plain<256, 1, 1>();
  add_plain<512, 1, 1>();
  add_plain<1024, 1, 1>();
  add_plain<1024, 2, 1>();
  add_plain<1024, 2, 8>();
  for_each_type(Engines{}, [&]<class Choice>() { add_ours<Choice>(); });
  add_libcuxx();
}

}  // namespace bench
