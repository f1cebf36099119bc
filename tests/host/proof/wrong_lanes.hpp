#pragma once

#include "host/proof/wrong_kernels.hpp"

#include <dma/machine/machine.hpp>

/// Races between lanes of one warp, which no barrier of the CTA is there to order. Only a proof that sees every access
/// finds those on memory that no pipeline has.
namespace wrong {

using OneWarp = dma::WarpLayout<dma::Compute<1>>;

/// Lane t of the first warp has numbers at t and t + 32.
[[nodiscard]] inline int* numbers_of_a_warp(Thread& t) {
  auto& numbers = t.at<int[64]>(own);
  if (t.rank() < 32) {
    numbers[t.rank()] = t.rank();
    numbers[t.rank() + 32] = t.rank();
  }
  t.cta.sync();
  return numbers;
}

/// Lane 0 closes an mbarrier, and lane 1 opens it again there.
inline void reopen_by_another_lane(Thread& t, bool are_ordered) {
  auto& barrier = t.at<Word>(own);
  if (t.rank() == 0) {
    dma::machine::phase_init(&barrier, 1);
  }
  t.cta.sync();
  if (t.rank() == 0) {
    dma::machine::phase_invalidate(&barrier);
  }
  if (are_ordered && t.rank() < 32) {
    dma::machine::sync_warp();
  }
  if (t.rank() == 1) {
    dma::machine::phase_init(&barrier, 1);
  }
  t.cta.sync();
  if (t.rank() == 1) {
    dma::machine::phase_invalidate(&barrier);
  }
}

inline const std::vector<Program> lane_races = {
    {"the first step of a warp's sum is not ordered before the second",
     {Kind::race},
     [](Thread& t) {
       int* const s = numbers_of_a_warp(t);
       if (t.rank() < 32) {
         s[t.rank()] += s[t.rank() + 32];
         s[t.rank()] += s[t.rank() + 16];
       }
       if (t.rank() == 0) {
         t.out[0] = s[0];
       }
     }},
    {"half of a warp reads what the other half overwrites",
     {Kind::race},
     [](Thread& t) {
       int* const s = numbers_of_a_warp(t);
       if (t.rank() < 16) {
         s[t.rank()] += s[t.rank() + 16];
       } else if (t.rank() < 32) {
         s[t.rank()] = 7;
       }
     }},
    {"lanes store one value by two instructions",
     {Kind::race},
     [](Thread& t) {
       int* const s = numbers_of_a_warp(t);
       if (t.rank() == 0) {
         s[5] = 1;
       } else if (t.rank() == 1) {
         s[5] = here(1);
       }
     }},
    {"lanes store several values by one instruction",
     {Kind::race},
     [](Thread& t) {
       int* const s = numbers_of_a_warp(t);
       if (t.rank() < 32) {
         s[here(5)] = t.rank();
       }
     }},
    {"one lane closes an mbarrier and another opens it again",
     {Kind::race, Kind::broken_contract, Kind::barrier_not_open},
     [](Thread& t) { reopen_by_another_lane(t, false); }},
};

/// The same without the fault.
inline const std::vector<Program> ordered_lanes = {
    {"a step of a warp's sum",
     {Kind::none},
     [](Thread& t) {
       int* const s = numbers_of_a_warp(t);
       if (t.rank() < 32) {
         s[t.rank()] += s[t.rank() + 32];
       }
     }},
    {"two steps of a warp's sum",
     {Kind::none},
     [](Thread& t) {
       int* const s = numbers_of_a_warp(t);
       if (t.rank() < 32) {
         s[t.rank()] += s[t.rank() + 32];
         dma::machine::sync_warp();
         const int other = s[t.rank() + 16];
         dma::machine::sync_warp();
         s[t.rank()] += other;
       }
     }},
    {"all lanes store one value by one instruction",
     {Kind::none},
     [](Thread& t) {
       int* const s = numbers_of_a_warp(t);
       if (t.rank() < 32) {
         s[5] = 1;
       }
     }},
    {"one lane closes an mbarrier, and another opens it again behind a sync of the warp",
     {Kind::none},
     [](Thread& t) { reopen_by_another_lane(t, true); }},
};

}  // namespace wrong
