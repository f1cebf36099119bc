// The defaults sweep: tiles of 512 bytes to 4 KB.

#include "defaults.cuh"
#include "sweeps.hpp"

namespace bench {

void add_defaults_of_small_tiles() {
  DefaultsRow<512, 1>::add_subjects();
  DefaultsRow<512, 8>::add_subjects();
  DefaultsRow<512, 16>::add_subjects();
  DefaultsRow<1024, 1>::add_subjects();
  DefaultsRow<1024, 8>::add_subjects();
  DefaultsRow<1024, 16>::add_subjects();
  DefaultsRow<4096, 1>::add_subjects();
  DefaultsRow<4096, 8>::add_subjects();
  DefaultsRow<4096, 16>::add_subjects();
}

}  // namespace bench
