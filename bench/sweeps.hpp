#pragma once

/// The sweeps, each in a file of its name; scale and bags in fused.cu, layer norm and rows in rows.cu.

namespace bench {

void add_staging();
void add_saturation();
void add_saxpy();
void add_strided();
void add_strided_forms();
void add_gather();
void add_ragged();
void add_store();
void add_transpose();
void add_halo();
void add_stencil();
void add_stencil_gpus();
void add_latency();
void add_sgemv();
void add_small();
void add_scale();
void add_in_place();
void add_tile_queue();
void add_layer_norm();
void add_rows();
void add_bags();
void add_fft();
void add_fft_dma_warps();
void add_gemm();
void add_attention();
void add_attention_backward();
void add_sparse();
void add_fft_real();
void add_transpose_steps();
void add_transpose_loads();
void add_financial();
void add_scan();
void add_select();
void add_decode();
void add_linear();
void add_linear_fp8();
void add_defaults_of_small_tiles();
void add_defaults_of_large_tiles();

/// A program of its own: 255 kernels.
inline void add_defaults() {
  add_defaults_of_small_tiles();
  add_defaults_of_large_tiles();
}

void add_tuned_layer_norm();
void add_tuned_bags();

/// A program of its own: two spaces of variants.
inline void add_tuned() {
  add_tuned_layer_norm();
  add_tuned_bags();
}

/// A program of its own: 150 kernels.
void add_fft_variants();

inline void add_all_sweeps() {
  add_staging();
  add_saturation();
  add_saxpy();
  add_strided();
  add_strided_forms();
  add_gather();
  add_ragged();
  add_store();
  add_transpose();
  add_halo();
  add_stencil();
  add_latency();
  add_sgemv();
  add_small();
  add_scale();
  add_in_place();
  add_tile_queue();
  add_layer_norm();
  add_rows();
  add_bags();
  add_fft();
  add_fft_dma_warps();
  add_gemm();
  add_attention();
  add_attention_backward();
  add_sparse();
  add_fft_real();
  add_transpose_steps();
  add_transpose_loads();
  add_financial();
  add_scan();
  add_select();
  add_decode();
  add_linear();
  add_linear_fp8();
}

}  // namespace bench
