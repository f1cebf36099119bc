#pragma once

/// The sweeps, each in a file of its name.

namespace bench {

void add_staging();
void add_saturation();

inline void add_all_sweeps() {
  add_staging();
  add_saturation();
}

}  // namespace bench
