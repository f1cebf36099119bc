#pragma once

/// The sweeps, each in a file of its name.

namespace bench {

void add_staging();
void add_saturation();
void add_strided();
void add_gather();

inline void add_all_sweeps() {
  add_staging();
  add_saturation();
  add_strided();
  add_gather();
}

}  // namespace bench
