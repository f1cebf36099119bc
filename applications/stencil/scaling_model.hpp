#pragma once

/// The time of a step of the march over many GPUs, from planes, links and latencies. docs/applications/many_gpus.md
/// derives it.

#include "tuning.hpp"

#include <algorithm>

namespace stencil {

/// A way from one GPU to another. Seconds and bytes a second, each way.
struct Link {
  double latency;
  double rate;
  bool is_beside_march;  ///< copy engines; else after it
};

/// A domain whose columns the SMs march through side by side, and what was measured of it.
struct ModelDomain {
  int nx, ny, nz;
  int tile_cols, tile_rows;
  double plane_seconds;  ///< for one plane of all tiles: the difference of two depths
  double start_seconds;  ///< of a march, whatever its depth
};

struct ModelMachine {
  int sms;
  int gpus_a_host;
  Link inside;          ///< a host
  Link between;         ///< hosts
  double join_seconds;  ///< between two marches, for the wait in stream order
  double memory_rate;   ///< bytes a second, of a march and of the copies beside it
};

struct ModelStep {
  double march;     ///< seconds, of a GPU
  double exchange;  ///< from the start of a step until the planes are at the slowest neighbour
  double total;
};

constexpr int model_radius = 4;

/// A step of `planes` planes a GPU on `gpus` GPUs.
[[nodiscard]] constexpr ModelStep model_step(const ModelDomain& domain, const ModelMachine& machine, int planes,
                                             int gpus) {
  const Sends sends = gpus == 1 ? Sends::to_none : gpus == 2 ? Sends::to_below : Sends::to_both;
  const Plan plan =
      stencil::plan(domain.nx, domain.ny, planes, model_radius, domain.tile_cols, domain.tile_rows, machine.sms, sends);
  const int rounds = (plan.work.items() + plan.ctas - 1) / plan.ctas;
  const auto marched = [&](int steps) { return domain.start_seconds + steps * domain.plane_seconds; };
  const int chunk = (planes + plan.work.chunks - 1) / plan.work.chunks;
  const double march = marched(rounds * (chunk + 2 * model_radius));
  if (gpus == 1) {
    return {march, 0, march};
  }
  // An end is finished when as many planes as the radius are written; a chunk that is one slab sends its end last.
  const bool sends_last = sends == Sends::to_both && plan.work.chunks == 1;
  const double finished = sends_last ? march : marched(3 * model_radius);
  const double bytes = 4.0 * domain.nx * domain.ny * model_radius;
  const Link& slowest = gpus > machine.gpus_a_host ? machine.between : machine.inside;
  const double copy = slowest.latency + bytes / slowest.rate;
  if (!slowest.is_beside_march) {
    return {march, march + copy, march + copy};
  }
  // Each neighbour's planes are written here and as many read, beside the march and at its expense.
  const int neighbours = sends == Sends::to_both ? 2 : 1;
  const double marched_beside = march + neighbours * 2 * bytes / machine.memory_rate;
  const double exchange = finished + copy;
  return {march, exchange, std::max(marched_beside, exchange) + machine.join_seconds};
}

}  // namespace stencil
