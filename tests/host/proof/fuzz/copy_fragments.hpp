#pragma once

#include "host/proof/fuzz/fragments.hpp"

namespace fuzz {

inline void Fragments::load_in_bulk() {
  const int warp = any_warp();
  const int other = random_->one_in(2) ? warp : partner_of(warp);
  const int block = any_block();
  const int barrier = barrier_of(program_.cta_of(warp), 1);
  const Lanes lane = any_lane();
  if (random_->one_in(2)) {
    put(warp, {.op = Op::fence, .lanes = random_->one_of(Lanes::all, lane)});
    sync_warp(warp);
  }
  put(warp, {.op = Op::expect, .lanes = lane, .barrier = barrier, .count = 1});
  put(warp,
      {.op = Op::load, .lanes = lane, .block = block, .other = random_->below(global_blocks), .barrier = barrier});
  put(warp, {.op = Op::arrive, .lanes = lane, .barrier = barrier});
  wait(other, barrier);
  read(other, block, random_->one_of(Element::its_own, Element::its_neighbours));
  if (other != warp && random_->one_in(2)) {
    wait(warp, barrier);
  }
  end_phase(program_.cta_of(warp), barrier);
}

inline void Fragments::store_in_bulk() {
  const int warp = any_warp();
  const int block = any_block();
  const Lanes lane = any_lane();
  write(warp, block);
  if (does()) {
    put(warp, {.op = Op::fence, .lanes = random_->one_in(8) ? lane : Lanes::all});
  }
  sync_warp(warp);
  if (random_->one_in(6)) {
    put(warp, {.op = Op::fence, .lanes = lane});
  }
  put(warp, {.op = Op::store, .lanes = lane, .block = block, .other = random_->below(global_blocks)});
  put(warp, {.op = Op::commit, .lanes = lane});
  if (random_->one_in(3)) {
    const int next = (block + 1) % shared_blocks;
    put(warp, {.op = Op::store, .lanes = lane, .block = next, .other = random_->below(global_blocks)});
    put(warp, {.op = Op::commit, .lanes = lane});
    put(warp, {.op = Op::await_reads, .lanes = lane, .count = 1});
  } else {
    put(warp, {.op = random_->one_of(Op::await_reads, Op::await_groups), .lanes = lane});
  }
  sync_warp(warp);
  if (random_->one_in(2)) {
    write(warp, block);
  }
  if (random_->one_in(2)) {
    put(warp, {.op = Op::await_groups, .lanes = lane});
  }
}

inline void Fragments::copy_by_threads() {
  const int warp = any_warp();
  const int block = any_block();
  const Lanes lane = any_lane();
  const int other = random_->one_in(2) ? warp : partner_of(warp);
  const int cta = program_.cta_of(warp);
  const bool by_barrier = random_->one_in(2);
  const int barrier = by_barrier ? barrier_of(cta, 1) : 0;
  put(warp, {.op = Op::copy_async, .lanes = lane, .block = block, .other = random_->below(global_blocks)});
  if (by_barrier) {
    put(warp, {.op = Op::arrive_when_copied, .lanes = lane, .barrier = barrier});
    wait(other, barrier);
    end_phase(cta, barrier);
  } else {
    if (does()) {
      put(warp, {.op = Op::await_async, .lanes = lane});
    }
    if (warp == other) {
      sync_warp(warp);
    } else {
      all_warps_of(cta, {.op = Op::sync_cta});
    }
  }
  read(other, block);
}

/// One warp fills slots and another uses them: a full and an empty barrier for each slot.
inline void Fragments::run_ring() {
  const int filler = any_warp();
  const int user = partner_of(filler);
  const int cta = program_.cta_of(filler);
  const int slots = 1 + random_->below(random_->one_in(4) ? 4 : 2);
  const int tiles = 1 + random_->below(5);
  const int engine = random_->below(3);
  for (int slot = 0; slot < 2 * slots; ++slot) {
    if (barrier_at(cta, slot).is_open) {
      return;
    }
    open(cta, slot, 1);
  }
  all_warps_of(cta, {.op = Op::sync_cta});
  for (int tile = 0; tile < tiles; ++tile) {
    const int slot = tile % slots;
    const int turn = tile / slots;
    if (turn > 0) {
      put(filler, {.op = Op::wait, .barrier = slots + slot, .count = (turn + 1) % 2});
    }
    if (engine == 0) {
      write(filler, slot);
      sync_warp(filler);
    } else if (engine == 1) {
      if (turn > 0 && random_->one_in(8)) {
        sync_warp(filler);
      }
      put(filler, {.op = Op::expect, .lanes = Lanes::lane0, .barrier = slot, .count = 1});
      put(filler,
          {.op = Op::load, .lanes = Lanes::lane0, .block = slot, .other = tile % global_blocks, .barrier = slot});
    } else {
      put(filler, {.op = Op::copy_async, .lanes = Lanes::lane0, .block = slot, .other = tile % global_blocks});
    }
    put(filler, {.op = engine == 2 ? Op::arrive_when_copied : Op::arrive, .lanes = Lanes::lane0, .barrier = slot});
    put(user, {.op = Op::wait, .barrier = slot, .count = turn % 2});
    read(user, slot);
    if (engine == 1) {
      put(user, {.op = Op::fence});
    }
    sync_warp(user);
    put(user, {.op = Op::arrive, .lanes = Lanes::lane0, .barrier = slots + slot});
  }
  for (int slot = 0; slot < slots; ++slot) {
    const int phases = (tiles - slot + slots - 1) / slots;
    barrier_at(cta, slot).phases = barrier_at(cta, slots + slot).phases = phases;
  }
}

/// A bulk copy from one CTA to the other, which expects it.
inline void Fragments::send_to_peer() {
  if (program_.ctas == 1) {
    return load_in_bulk();
  }
  const int warp = any_warp();
  const int cta = 1 - program_.cta_of(warp);
  const int peer = cta * program_.warps + random_->below(program_.warps);
  const int from = any_block();
  const int to = any_block();
  const int barrier = barrier_of(cta, 1);
  const Lanes lane = any_lane();
  write(warp, from);
  if (does()) {
    put(warp, {.op = Op::fence});
  }
  sync_warp(warp);
  put(warp, {.op = Op::send, .lanes = lane, .block = from, .other = to, .barrier = barrier});
  put(peer, {.op = Op::expect, .lanes = Lanes::lane0, .barrier = barrier, .count = 1});
  put(peer, {.op = Op::arrive, .lanes = Lanes::lane0, .barrier = barrier});
  put(peer, {.op = random_->one_of(Op::wait_in_cluster, Op::wait),
             .barrier = barrier,
             .count = barrier_at(cta, barrier).phases % 2});
  read(peer, to);
  end_phase(cta, barrier);
  if (does()) {
    all_warps({.op = Op::sync_cluster});
  }
}

}  // namespace fuzz
