#pragma once

#include <dma/host/emulation/pipeline_letters.hpp>
#include <dma/machine/site.hpp>

#include <string>

namespace dma::inline v0_1::host::detail {

/// Who arrived last at a barrier that keeps arrivals, and the way out.
[[nodiscard]] inline std::string last_arrival(const machine::Site& site, PipelineLetters& pipelines) {
  const std::string place = pipelines.place_of(site);
  const std::string by = place.empty() ? ""
                                       : std::string(", the last by ") + machine::name_of(site.who) + " for " +
                                             machine::name_of(site.point) + ", " + place;
  if (site.who == machine::Who::compute_warps && site.point == machine::Point::empty) {
    return by +
           ", which other compute warps did not release; wait() in all of them for each tile, or name the one compute "
           "group that uses the pipeline: dma::UsedBy<Group, Buffering>";
  }
  if (site.point == machine::Point::full) {
    return by + "; let all warps that fill the slot move each tile to its end";
  }
  return by + "; let all threads that the barrier counts arrive, each as often as the others";
}

}  // namespace dma::inline v0_1::host::detail
