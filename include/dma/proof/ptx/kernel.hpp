#pragma once

#include <dma/host/run_cta.hpp>
#include <dma/machine/host/emulated_thread.hpp>
#include <dma/proof/ptx/lane.hpp>
#include <dma/proof/ptx/launch_state.hpp>
#include <dma/proof/ptx/program.hpp>
#include <dma/proof/ptx/run_lane.hpp>
#include <dma/proof/ptx/special_values.hpp>

#include <cstddef>

namespace dma::inline v0_1::proof::ptx::detail {

/// What each thread of a CTA runs.
inline void run_thread(const host::detail::CtaBody::Object* objects) {
  LaunchState& launch = **static_cast<LaunchState* const*>(objects[0].place);
  machine::EmulatedThread& thread = machine::this_thread();
  launch.begin_thread(thread);
  Lane(launch, thread).run();
}

/// The body of a launch, for `judge_grid` and `launch_grid`.
///
/// @param launch  points to the state, which exists as long as the body, as the pointer does
[[nodiscard]] inline host::detail::CtaBody body_of(LaunchState* const& launch) {
  return {.threads = launch->threads(),
          .shared_bytes = launch->shared_bytes(),
          .starts_early = launch->starts_early,
          .cluster = launch->ctas_of_cluster(),
          .call = &run_thread,
          .objects = {{&launch, sizeof launch}},
          .arrays = {},
          .narrow_fences = launch->narrow_fences};
}

}  // namespace dma::inline v0_1::proof::ptx::detail
