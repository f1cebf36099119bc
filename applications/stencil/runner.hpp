#pragma once

/// Runs stencils on the GPU (device.cu) or on the emulator (host.cpp). Fields of the caller are in host memory.

#include "field.hpp"
#include "ranks.hpp"

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stencil {

/// The order of the paper: eighth, a radius of 4.
inline constexpr int radius = 4;

inline constexpr const char* kernel_names[] = {
    "reference", "cached", "halo-only-single", "halo-only-double", "halo-only-manual", "block-halo-single", "march"};

/// What a wave's next step needs.
enum class State { now, before };

/// A wave that a machine keeps in its memory, at rest at first.
struct Wave {
  virtual ~Wave() = default;

  /// How its slabs exchange planes; empty where there is one slab.
  [[nodiscard]] virtual std::string exchange() const { return ""; }
  /// One step of time, and then `source` is added to the point of the source.
  virtual void step(float source) = 0;
  /// So many steps with a source of 0.
  virtual void coast(int steps) {
    for (int i = 0; i < steps; ++i) {
      step(0);
    }
  }
  /// Waits for the steps so far, and copies plane y of the state to `to`, nz rows of nx elements.
  virtual void read_slice(int y, std::vector<float>& to) = 0;
  /// Waits for the steps so far, and copies `count` planes of a state from `first` on, rows of nx elements.
  virtual void read_planes(State state, int first, int count, float* to) = 0;
  /// Loads planes of a state. Only before the first step.
  virtual void write_planes(State state, int first, int count, const float* from) = 0;
};

/// How a wave's domain is divided.
struct Division {
  int gpus = 1;
  int slabs = 1;                  ///< at least one a GPU
  std::string exchange = "auto";  ///< "peer", "nccl", or what the topology allows
  const Ranks* ranks = nullptr;   ///< a process for each slab, or null for one for all
};

/// The extents of a wave's domain, its source, and its speed in points a step, squared: `upper` above plane
/// `interface`, `lower` from there on.
struct Medium {
  int nx, ny, nz;
  int source_x, source_y, source_z;
  float upper;
  float lower;
  int interface;
};

/// The machine has fewer GPUs than were asked for.
struct TooFewGpus : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A wave over several slabs of GPUs. Throws where the machine has fewer GPUs, or they cannot exchange planes.
[[nodiscard]] std::unique_ptr<Wave> slab_wave(const Medium& medium, const Star<float, radius>& laplacian,
                                              const Division& division);

/// `Runner::steps_in_slabs` on GPUs.
void gpu_steps_in_slabs(const Field<const float>& u, const std::vector<float>& coefficients, int passes,
                        const Division& division, const Field<float>& out);

/// Runs the kernels.
struct Runner {
  virtual ~Runner() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual bool has(std::string_view kernel) const = 0;

  /// Loads a domain, which stays the caller's; `run` writes its sums to `out`.
  virtual void load(const Field<const float>& u, const Star<float, radius>& star, const Field<float>& out) = 0;
  /// Computes the sums once, over a result that was poisoned.
  virtual void run(std::string_view kernel) = 0;
  /// Seconds of one launch on a GPU, the median; an emulator has no time worth telling.
  [[nodiscard]] virtual double time(std::string_view /*kernel*/) { return 0; }
  /// Bytes a second of a GPU's own copy of as many points, read and written; 0 where there are no times.
  [[nodiscard]] virtual double copy_rate() { return 0; }

  /// `March` with any radius from 1 to 8, which is one less than the number of `coefficients`.
  virtual void march(const Field<const float>& u, const std::vector<float>& coefficients, const Field<float>& out) = 0;
  virtual void march(const Field<const double>& u, const std::vector<double>& coefficients,
                     const Field<double>& out) = 0;

  /// 2 or 3 steps of it in one pass, where that is faster than as many of `march`.
  virtual void steps(const Field<const float>& u, const std::vector<float>& coefficients, int count,
                     const Field<float>& out) = 0;
  virtual void steps(const Field<const double>& u, const std::vector<double>& coefficients, int count,
                     const Field<double>& out) = 0;

  /// Passes of two steps at once over the slabs of a domain, which exchange planes once a pass. A star of radius 1
  /// or 2.
  virtual void steps_in_slabs(const Field<const float>& u, const std::vector<float>& coefficients, int passes,
                              const Division& division, const Field<float>& out) = 0;

  [[nodiscard]] virtual std::unique_ptr<Wave> wave(const Medium& medium, const Star<float, radius>& laplacian,
                                                   const Division& division) = 0;
};

Runner& host_runner();
/// Null where there is no GPU; `reason` then holds the reason.
Runner* device_runner(std::string& reason);

/// Calls `run(star)` with the coefficients as a star of their radius.
template <int Radius = 8, class T, class Run>
void with_star(const std::vector<T>& coefficients, const Run& run) {
  if (static_cast<int>(coefficients.size()) == Radius + 1) {
    Star<T, Radius> star{};
    for (int k = 0; k <= Radius; ++k) {
      star.c[k] = coefficients[static_cast<std::size_t>(k)];
    }
    run(star);
  } else if constexpr (Radius > 1) {
    with_star<Radius - 1>(coefficients, run);
  } else {
    throw std::invalid_argument("stencil: a star has a radius of 1 to 8, and " + std::to_string(coefficients.size()) +
                                " coefficients were given; give 2 to 9");
  }
}

}  // namespace stencil
