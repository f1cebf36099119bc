#pragma once

/// The sweeps, each in a file of its name.

namespace bench {

void add_staging();
void add_saturation();
void add_strided();
void add_gather();
void add_store();
void add_transpose();
void add_halo();
void add_stencil();
void add_latency();
void add_sgemv();

inline void add_all_sweeps() {
  add_staging();
  add_saturation();
  add_strided();
  add_gather();
  add_store();
  add_transpose();
  add_halo();
  add_stencil();
  add_latency();
  add_sgemv();
}

}  // namespace bench
