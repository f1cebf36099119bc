#pragma once

#include <vector>

/// Faults of the library, of its examples and of its prover, each a change of a few words. All of them are compiled
/// once: `write_sources` copies the sources and puts a switch at each place, and a run sets one switch.
namespace mutants {

/// One change. `right` is found once in the file or, where `after` is given, first behind `after`, which is found once.
///
/// Where `right` ends in `;` or `}` both are statements, and an empty `faulty` leaves them out. Otherwise both are
/// expressions of one type, which is not needed at compile time.
struct Edit {
  const char* file;  ///< under include/dma, or examples/... or applications/...
  const char* right;
  const char* faulty;
  const char* after = "";
};

/// A fault, in one place or in two.
struct Fault {
  const char* name;
  std::vector<Edit> edits;
  const char* test = "";        ///< the ordinary tests that find it: a target, and maybe which of its test cases
  const char* equivalent = "";  ///< why no kernel can tell it from the right code; empty where one can
  const char* unseen = "";      ///< why nothing finds it although a GPU may show it; empty where something does
};

using Faults = std::vector<Fault>;

}  // namespace mutants
