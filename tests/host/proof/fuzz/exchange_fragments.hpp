#pragma once

#include "host/proof/fuzz/fragments.hpp"

namespace fuzz {

inline void Fragments::exchange_in_warp() {
  const int warp = any_warp();
  const int block = any_block();
  write(warp, block);
  if (does()) {
    sync_warp(warp);
  }
  read(warp, block, random_->one_of(Element::its_neighbours, Element::first));
  if (random_->one_in(2)) {
    sync_warp(warp);
  }
}

inline void Fragments::exchange_in_cta() {
  const int warp = any_warp();
  const int block = any_block();
  const Lanes lanes = random_->one_of(Lanes::all, Lanes::all, Lanes::lane0, Lanes::lane1);
  write(warp, block, lanes, lanes == Lanes::all ? Element::its_own : Element::second);
  if (does()) {
    all_warps_of(program_.cta_of(warp), {.op = Op::sync_cta});
  }
  read(partner_of(warp), block, lanes == Lanes::all ? Element::its_own : Element::second);
  if (random_->one_in(2)) {
    all_warps_of(program_.cta_of(warp), {.op = Op::sync_cta});
  }
}

inline void Fragments::hand_over_named() {
  const int warp = any_warp();
  const int other = partner_of(warp);
  const int block = any_block();
  const int id = 1 + random_->below(named_barriers - 1);
  const bool both_wait = random_->one_in(3);
  write(warp, block);
  sync_warp(warp);
  put(warp, {.op = both_wait ? Op::sync_named : Op::arrive_named, .barrier = id, .count = 2});
  sync_warp(other);
  put(other, {.op = Op::sync_named, .barrier = id, .count = 2});
  read(other, block, random_->one_of(Element::its_own, Element::its_neighbours));
}

/// The same over named barriers, of one slot.
inline void Fragments::run_named_ring() {
  const int filler = any_warp();
  const int user = partner_of(filler);
  const int block = any_block();
  const int tiles = 1 + random_->below(4);
  const auto meet = [&](int warp, Op op, int id) {
    sync_warp(warp);
    put(warp, {.op = op, .barrier = id, .count = 2});
  };
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile > 0) {
      meet(filler, Op::sync_named, 2);
    }
    write(filler, block);
    meet(filler, Op::arrive_named, 1);
    meet(user, Op::sync_named, 1);
    read(user, block);
    if (tile + 1 < tiles) {
      meet(user, Op::arrive_named, 2);
    }
  }
}

inline void Fragments::hand_over_by_phase() {
  const int warp = any_warp();
  const int other = partner_of(warp);
  const int block = any_block();
  const bool all_arrive = random_->one_in(3);
  const int barrier = barrier_of(program_.cta_of(warp), all_arrive ? lane_count : 1);
  write(warp, block);
  if (!all_arrive && does()) {
    sync_warp(warp);
  }
  put(warp, {.op = Op::arrive, .lanes = all_arrive ? Lanes::all : any_lane(), .barrier = barrier});
  wait(other, barrier);
  if (random_->one_in(3)) {
    sync_warp(other);
  }
  read(other, block, random_->one_of(Element::its_own, Element::its_neighbours));
  if (warp != other && random_->one_in(2)) {
    wait(warp, barrier);
  }
  end_phase(program_.cta_of(warp), barrier);
}

/// Lane 0 of the CTA's first warp closes a barrier and opens it for other arrivals.
inline void Fragments::reopen() {
  const int cta = random_->below(program_.ctas);
  const int barrier = barrier_of(cta, 1);
  all_warps_of(cta, {.op = Op::sync_cta});
  put(cta * program_.warps, {.op = Op::close, .lanes = Lanes::lane0, .barrier = barrier});
  barrier_at(cta, barrier).is_open = false;
  if (random_->one_in(2)) {
    open(cta, barrier, random_->one_of(1, 1, lane_count));
    all_warps_of(cta, {.op = Op::sync_cta});
  }
}

inline void Fragments::store_one_value() {
  const int warp = any_warp();
  const int block = any_block();
  write(warp, block, Lanes::all, random_->one_of(Element::first, Element::second));
  if (random_->one_in(2)) {
    sync_warp(warp);
    read(warp, block, Element::first);
  }
}

inline void Fragments::use_global() {
  const int warp = any_warp();
  const int block = random_->below(global_blocks);
  put(warp, {.op = Op::write, .memory = Memory::global, .block = block, .value = 1});
  if (random_->one_in(2)) {
    all_warps({.op = program_.ctas == 2 ? Op::sync_cluster : Op::sync_cta});
  } else if (does()) {
    sync_warp(warp);
  }
  put(random_->one_in(2) ? any_warp() : warp, {.op = Op::read,
                                               .memory = Memory::global,
                                               .element = random_->one_of(Element::its_own, Element::its_neighbours),
                                               .block = block});
}

inline void Fragments::exchange_with_peer() {
  if (program_.ctas == 1) {
    return exchange_in_cta();
  }
  const int warp = any_warp();
  const int peer = (1 - program_.cta_of(warp)) * program_.warps + random_->below(program_.warps);
  const int block = any_block();
  put(warp, {.op = Op::write, .memory = Memory::peer, .block = block, .value = 1});
  if (does()) {
    all_warps({.op = Op::sync_cluster});
  }
  read(peer, block);
  if (random_->one_in(3)) {
    put(warp, {.op = Op::read, .memory = Memory::peer, .block = block});
  }
  if (does()) {
    all_warps({.op = Op::sync_cluster});
  }
}

/// A warp writes into the other CTA and arrives at a barrier there.
inline void Fragments::signal_peer() {
  if (program_.ctas == 1) {
    return hand_over_by_phase();
  }
  const int warp = any_warp();
  const int cta = 1 - program_.cta_of(warp);
  const int peer = cta * program_.warps + random_->below(program_.warps);
  const int block = any_block();
  const int barrier = barrier_of(cta, 1);
  put(warp, {.op = Op::write, .memory = Memory::peer, .block = block, .value = 1});
  if (does()) {
    sync_warp(warp);
  }
  put(warp, {.op = Op::arrive_at_peer, .lanes = any_lane(), .barrier = barrier});
  put(peer, {.op = does() ? Op::wait_in_cluster : Op::wait,
             .barrier = barrier,
             .count = barrier_at(cta, barrier).phases % 2});
  read(peer, block);
  end_phase(cta, barrier);
  if (random_->one_in(2)) {
    all_warps({.op = Op::sync_cluster});
  }
}

inline void Fragments::do_anything() {
  const int warp = any_warp();
  switch (random_->below(5)) {
    case 0:
      return read(warp, any_block(), random_->one_of(Element::its_own, Element::its_neighbours, Element::second));
    case 1:
      return write(warp, any_block(), random_->one_of(Lanes::all, Lanes::lane0, Lanes::lane1),
                   random_->one_of(Element::its_own, Element::first));
    case 2:
      return put(warp, {.op = Op::fence, .lanes = random_->one_of(Lanes::all, Lanes::lane1)});
    case 3:
      return all_warps_of(program_.cta_of(warp), {.op = Op::sync_cta});
    default:
      return sync_warp(warp);
  }
}

}  // namespace fuzz
