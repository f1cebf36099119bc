// The defaults sweep: tiles of 16 and 32 KB.

#include "defaults.cuh"
#include "sweeps.hpp"

namespace bench {

void add_defaults_of_large_tiles() {
  DefaultsRow<16384, 1>::add_subjects();
  DefaultsRow<16384, 8>::add_subjects();
  DefaultsRow<16384, 16>::add_subjects();
  DefaultsRow<32768, 1>::add_subjects();
  DefaultsRow<32768, 8>::add_subjects();
  DefaultsRow<32768, 16>::add_subjects();
}

}  // namespace bench
