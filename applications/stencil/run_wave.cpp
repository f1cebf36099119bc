#include "run_wave.hpp"

#include "checkpoint.hpp"
#include "lost_neighbour.hpp"
#include "picture.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace stencil {
namespace {

/// A pulse of a point source: Ricker's wavelet, with its peak at `peak` and a period of about `period` steps.
float ricker(int step, double period, double peak) {
  const double phase = M_PI * (step - peak) / period;
  return static_cast<float>((1 - 2 * phase * phase) * std::exp(-phase * phase));
}

/// Whether this step and all later ones have a source of 0.
bool is_over(int step, double period, double peak) { return step > peak && ricker(step, period, peak) == 0; }

/// Writes the slice through the source, and returns the largest value in it. Of several processes one `writes`.
float write_slice(Wave& wave, const Medium& medium, const std::string& path, bool writes) {
  std::vector<float> slice;
  wave.read_slice(medium.source_y, slice);
  float largest = 0;
  for (const float value : slice) {
    if (!std::isfinite(value)) {
      throw std::runtime_error("stencil: the wave has grown beyond all bounds");
    }
    largest = std::max(largest, std::abs(value));
  }
  if (writes) {
    // Fronts are faint beside the source: a small part of the largest value is full colour.
    write_png(path, medium.nx, medium.nz, slice, largest == 0 ? 1 : largest / 6, medium.interface);
  }
  return largest;
}

}  // namespace

void run_wave(Runner& runner, const WaveOptions& options, const Star<float, radius>& laplacian, int nx, int ny,
              int nz) {
  // Points a step: the scheme is stable up to 0.45.
  constexpr float upper = 0.22F;
  constexpr float lower = 0.4F;
  const Medium medium{nx, ny, nz, nx / 2, ny / 2, nz * 3 / 8, upper * upper, lower * lower, nz * 5 / 8};
  Division division = options.division;
  division.slabs = std::max(division.slabs, division.gpus);
  const bool writes = division.ranks == nullptr || division.ranks->is_first();
  const auto wave = runner.wave(medium, laplacian, division);
  const double period = 60;
  const double peak = 1.5 * period;
  const int steps = options.steps > 0 ? options.steps : nz * 2;
  const int every = options.every > 0 ? options.every : steps;
  const int done = options.resume.empty() ? 0 : load_checkpoint(options.resume, *wave, medium);
  std::printf("a wave on %s: %d x %d x %d points, %d steps", runner.name().c_str(), nx, ny, nz, steps);
  if (division.slabs > 1) {
    std::printf(", %d slabs%s, exchange by %s", division.slabs, division.ranks != nullptr ? ", a process each" : "",
                wave->exchange().c_str());
  }
  if (done > 0) {
    std::printf(", after step %d of %s", done, options.resume.c_str());
  }
  std::printf("\n");
  try {
    const auto start = std::chrono::steady_clock::now();
    for (int step = done; step < steps;) {
      const int stop = std::min(steps, (step / every + 1) * every);
      for (; step < stop && !is_over(step + 1, period, peak); ++step) {
        wave->step(ricker(step + 1, period, peak));
      }
      wave->coast(stop - step);
      step = stop;
      char name[32];
      std::snprintf(name, sizeof name, "/wave-%06d.png", step);
      const float largest = write_slice(*wave, medium, options.out + name, writes);
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      std::printf("  step %d of %d, %.1f s, %.1f s left, %.0f Mpoint/s, largest value %.3g, wrote %s\n", step, steps,
                  seconds, seconds * (steps - step) / (step - done),
                  static_cast<double>(step - done) * nx * ny * nz / seconds * 1e-6, static_cast<double>(largest),
                  (options.out + name).c_str());
      if (!options.checkpoint.empty()) {
        save_checkpoint(options.checkpoint, *wave, medium, step, writes);
      }
      std::fflush(stdout);
    }
  } catch (const LostNeighbour& error) {
    // Here, while the wave exists: to release its memory would wait for what its streams wait for.
    std::fprintf(stderr, "%s\n", error.what());
    std::_Exit(1);
  }
}

}  // namespace stencil
