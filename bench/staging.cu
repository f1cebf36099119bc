// The paper's figure 8: how much arithmetic an element hides behind memory. 512 compute threads a CTA, two CTAs an SM,
// K multiply-adds an element.

#include "by_hand/cuda_pipeline.cuh"
#include "by_hand/stream.cuh"
#include "dma_stream.cuh"
#include "sweeps.hpp"

#include <string>

namespace bench {
namespace {

constexpr int compute_threads = 512;
constexpr int compute_warps = compute_threads / 32;
constexpr int ctas = 2;  // an SM

std::string name_of(int k, int tile_bytes, int stages, const std::string& rest) {
  return "staging/K:" + std::to_string(k) + "/kb:" + std::to_string(tile_bytes / 1024) +
         "/stages:" + std::to_string(stages) + "/" + rest;
}

// --- peers -----------------------------------------------------------------------------------------------------------

template <int K>
void add_peers() {
  add("staging/K:" + std::to_string(K) + "/kb:2/stages:1/by:naive", [] {
    return stream_subject(K, compute_threads * 4, ctas * sms(), compute_threads, [](auto stream, const Stream& job) {
      launch(by_hand::stream_naive<K, compute_threads, ctas>, ctas * sms(), compute_threads, 0, stream, job);
    });
  });
  constexpr int tile_bytes = by_hand::pipeline_tile * 4;
  add(name_of(K, tile_bytes, by_hand::pipeline_stages, "by:pipeline"), [] {
    return stream_subject(K, tile_bytes, ctas * sms(), compute_threads, [](auto stream, const Stream& job) {
      launch(by_hand::stream_pipeline<K, compute_threads, ctas>, ctas * sms(), compute_threads, 0, stream, job);
    });
  });
  add(name_of(K, tile_bytes, by_hand::pipeline_stages, "by:thread_pipeline"), [] {
    return stream_subject(K, tile_bytes, ctas * sms(), compute_threads, [](auto stream, const Stream& job) {
      launch(by_hand::stream_thread_pipeline<K, compute_threads, ctas>, ctas * sms(), compute_threads, 0, stream, job);
    });
  });
  add(name_of(K, tile_bytes, by_hand::pipeline_stages, "by:roles"), [] {
    constexpr int producer_warps = 4;
    return stream_subject(K, tile_bytes, ctas * sms(), compute_threads, [](auto stream, const Stream& job) {
      launch(by_hand::stream_roles<K, compute_threads, producer_warps, ctas>, ctas * sms(),
             compute_threads + producer_warps * 32, 0, stream, job);
    });
  });
}

/// Transfers, DMA warps, tiles a CTA and CTAs of that benchmark, whose compute warp does nothing with what came.
template <int Stages>
void add_scheme_of_2011() {
  constexpr int tile_bytes = 4096;
  constexpr int dma_warps = 2;
  constexpr int tiles_a_cta = 32;
  add(name_of(1, tile_bytes, Stages, "by:scheme_of_2011"), [] {
    const int grid = static_cast<int>(window_bytes() / tile_bytes / tiles_a_cta);
    Subject subject = stream_subject(1, tile_bytes, grid, 32, [=](auto stream, const Stream& job) {
      launch(by_hand::stream_of_2011<true, Stages, tile_bytes, dma_warps>, grid, 32 + dma_warps * 32, 0, stream, job,
             tiles_a_cta);
    });
    subject.launch = [=](cudaStream_t stream, int i) {
      launch(by_hand::stream_of_2011<false, Stages, tile_bytes, dma_warps>, grid, 32 + dma_warps * 32, 0, stream,
             Stream{input(i), output(), grid * tiles_a_cta, 0, 0, 0}, tiles_a_cta);
    };
    return subject;
  });
}

template <int K, int TileBytes, int Stages, int Width>
void add_by_hand() {
  add(name_of(K, TileBytes, Stages, std::string("by:") + (Width == 4 ? "hand" : "hand_wide")), [] {
    return stream_subject(K, TileBytes, ctas * sms(), compute_threads, [](auto stream, const Stream& job) {
      launch(by_hand::stream<by_hand::Way::bulk, K, compute_threads, 1, ctas, TileBytes, Stages, Width>, ctas * sms(),
             compute_threads + 32, Stages * TileBytes, stream, job);
    });
  });
}

// --- ours ------------------------------------------------------------------------------------------------------------

template <int K, int TileBytes, int Stages, class Choice>
void add_ours() {
  using Engine = typename Choice::template Engine<Choice::staging_loads>;
  using Warps = dma::WarpLayout<dma::Compute<compute_warps>, dma::Dma<Choice::staging_warps>>;
  using Body = DmaStream<K, Warps, ctas, TileBytes, Stages, 16, typename Choice::Barrier, Engine>;
  add(name_of(K, TileBytes, Stages,
              std::string("engine:") + Choice::engine + "/barrier:" + Choice::barrier + "/by:dma"),
      [] { return dma_stream_subject<Body, K, TileBytes>(ctas * sms()); });
}

/// The same body without DMA warps: every warp loads ahead and computes.
template <int K, int TileBytes, int Stages, class Choice>
void add_ours_unspecialized() {
  using Engine = typename Choice::template Engine<TileBytes / 16 / compute_threads>;
  using Body = DmaStream<K, dma::WarpLayout<dma::Compute<compute_warps>>, ctas, TileBytes, Stages, 16,
                         typename Choice::Barrier, Engine>;
  add(name_of(K, TileBytes, Stages,
              std::string("engine:") + Choice::engine + "/barrier:" + Choice::barrier + "/by:dma_all_warps"),
      [] { return dma_stream_subject<Body, K, TileBytes>(ctas * sms()); });
}

/// As in the paper: 2 KB in one buffer, which four DMA warps fill through their registers, over named barriers.
template <int K>
void add_paper() {
  using Warps = dma::WarpLayout<dma::Compute<compute_warps>, dma::Dma<4>>;
  constexpr int tile_bytes = compute_threads * 4;
  using Body = DmaStream<K, Warps, ctas, tile_bytes, 1, 4, RegistersNamed::Barrier, RegistersNamed::Engine<1>>;
  add(name_of(K, tile_bytes, 1, "engine:registers/barrier:named/by:paper"),
      [] { return dma_stream_subject<Body, K, tile_bytes>(ctas * sms()); });
}

template <int K>
void add_row() {
  constexpr int kb = 1024;
  add_peers<K>();
  add_paper<K>();
  add_by_hand<K, 8 * kb, 4, 4>();
  add_by_hand<K, 8 * kb, 8, 4>();
  add_by_hand<K, 16 * kb, 6, 16>();
  add_by_hand<K, 24 * kb, 4, 16>();
  add_by_hand<K, 32 * kb, 2, 16>();
  add_by_hand<K, 48 * kb, 2, 16>();
  for_each_type(Engines{}, [&]<class Choice>() {
    add_ours<K, 16 * kb, 6, Choice>();
    add_ours<K, 48 * kb, 2, Choice>();
    add_ours_unspecialized<K, 16 * kb, 6, Choice>();
    if constexpr (Choice::moves_whole_runs) {
      add_ours<K, 24 * kb, 4, Choice>();
      add_ours<K, 32 * kb, 2, Choice>();
    }
  });
}

}  // namespace

void add_staging() {
  add_scheme_of_2011<1>();
  add_scheme_of_2011<2>();
  add_row<1>();
  add_row<8>();
  add_row<16>();
  add_row<24>();
  add_row<32>();
  add_row<48>();
  add_row<64>();
  add_row<256>();
}

}  // namespace bench
