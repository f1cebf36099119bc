#pragma once

#include "host/proof/fuzz/program.hpp"
#include "host/proof/fuzz/random.hpp"

#include <cstddef>
#include <utility>
#include <vector>

/// Pieces of programs, as kernels have them: an exchange over a barrier, a copy and what waits for it, a ring of slots.
/// Each is put behind what the program does so far, and may or may not be right there: the oracle says it.
namespace fuzz {

class Fragments {
 public:
  explicit Fragments(Random& random) : random_(&random) {
    program_.ctas = random.one_in(4) ? 2 : 1;
    program_.warps = program_.ctas == 2 ? 1 + random.below(2) : 1 + random.below(random.one_in(3) ? 4 : 2);
    program_.steps.resize(static_cast<std::size_t>(program_.ctas * program_.warps));
    // A proof needs something to judge, and an access to another CTA comes after its start.
    all_warps({.op = program_.ctas == 2 ? Op::sync_cluster : Op::sync_cta});
  }

  [[nodiscard]] const Program& program() const { return program_; }
  void add();

 private:
  using Fragment = void (Fragments::*)();

  struct Barrier {
    bool is_open = false;
    int arrivals = 0;
    int phases = 0;  ///< that the fragments so far complete
  };

  void exchange_in_warp();
  void exchange_in_cta();
  void hand_over_named();
  void hand_over_by_phase();
  void load_in_bulk();
  void store_in_bulk();
  void copy_by_threads();
  void store_one_value();
  void use_global();
  void reopen();
  void run_ring();
  void run_named_ring();
  void exchange_with_peer();
  void signal_peer();
  void send_to_peer();
  void do_anything();

  // Steps of a warp.
  void put(int warp, const Step& step) { program_.steps[static_cast<std::size_t>(warp)].push_back(step); }
  void all_warps(const Step& step) {
    for (auto& steps : program_.steps) {
      steps.push_back(step);
    }
  }
  void all_warps_of(int cta, const Step& step) {
    for (int warp = 0; warp < program_.warps; ++warp) {
      put(cta * program_.warps + warp, step);
    }
  }
  void sync_warp(int warp) { put(warp, {.op = Op::sync_warp}); }
  /// Most often, so that what is missing is found.
  [[nodiscard]] bool does() { return !random_->one_in(12); }
  void write(int warp, int block, Lanes lanes = Lanes::all, Element element = Element::its_own) {
    put(warp, {.op = Op::write, .lanes = lanes, .element = element, .block = block, .value = random_->below(2)});
  }
  void read(int warp, int block, Element element = Element::its_own) {
    put(warp, {.op = Op::read, .element = element, .block = block});
  }
  [[nodiscard]] int any_warp() { return random_->below(program_.ctas * program_.warps); }
  /// A warp of the same CTA, another one where there is one.
  [[nodiscard]] int partner_of(int warp) {
    const int cta = program_.cta_of(warp);
    const int step = program_.warps == 1 ? 0 : 1 + random_->below(program_.warps - 1);
    return cta * program_.warps + (warp % program_.warps + step) % program_.warps;
  }
  [[nodiscard]] int any_block() { return random_->below(shared_blocks); }
  [[nodiscard]] Lanes any_lane() { return random_->one_of(Lanes::lane0, Lanes::lane0, Lanes::lane1); }
  [[nodiscard]] Barrier& barrier_at(int cta, int barrier) { return barriers_[cta][barrier]; }
  /// An open barrier of so many arrivals; it is opened where none is.
  [[nodiscard]] int barrier_of(int cta, int arrivals);
  void open(int cta, int barrier, int arrivals);
  /// Waits for the next phase that the fragments complete.
  void wait(int warp, int barrier, Lanes lanes = Lanes::all) {
    const int cta = program_.cta_of(warp);
    put(warp, {.op = Op::wait, .lanes = lanes, .barrier = barrier, .count = barrier_at(cta, barrier).phases % 2});
  }
  void end_phase(int cta, int barrier) { ++barrier_at(cta, barrier).phases; }

  Random* random_;
  Program program_;
  Barrier barriers_[2][phase_barriers];
};

inline void Fragments::open(int cta, int barrier, int arrivals) {
  const int warp = cta * program_.warps;
  put(warp, {.op = Op::open, .lanes = Lanes::lane0, .barrier = barrier, .count = arrivals});
  if (does()) {
    put(warp, {.op = Op::fence, .lanes = Lanes::lane0});
  }
  barrier_at(cta, barrier) = {true, arrivals, 0};
}

inline int Fragments::barrier_of(int cta, int arrivals) {
  const int first = random_->below(phase_barriers);
  for (int i = 0; i < phase_barriers; ++i) {
    const int barrier = (first + i) % phase_barriers;
    if (barrier_at(cta, barrier).is_open && barrier_at(cta, barrier).arrivals == arrivals) {
      return barrier;
    }
  }
  for (int barrier = 0; barrier < phase_barriers; ++barrier) {
    if (!barrier_at(cta, barrier).is_open) {
      open(cta, barrier, arrivals);
      program_.ctas == 2 ? all_warps({.op = Op::sync_cluster}) : all_warps({.op = Op::sync_cta});
      return barrier;
    }
  }
  return first;
}

}  // namespace fuzz
