#pragma once

/// A wave over the slabs of several GPUs.

#include "gpu_slabs.cuh"
#include "plane_copy.hpp"
#include "runner.hpp"
#include "stream_graphs.cuh"
#include "watchdog.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace stencil {

/// The steps are only started; every 16 the host waits for the 16 before, so that a lost neighbour is noticed.
template <class Exchange>
class SlabWave final : public Wave {
 public:
  SlabWave(const Medium& medium, const Star<float, radius>& laplacian, const std::vector<int>& devices,
           const Ranks* ranks)
      : medium_(medium),
        laplacian_(laplacian),
        slabs_(medium.nx, medium.ny, medium.nz, radius, devices, ranks),
        exchange_(slabs_),
        watchdog_(watchdog_seconds, "stencil: slab " + std::to_string(slabs_.own().front().index) + " of " +
                                        std::to_string(devices.size()) + " has waited " +
                                        std::to_string(static_cast<int>(watchdog_seconds)) +
                                        " s in a call of CUDA; a GPU or a process is lost: start again from the last "
                                        "checkpoint") {}

  [[nodiscard]] std::string exchange() const override { return exchange_.name(); }

  void step(float source) override {
    const Watchdog::Watched watched(watchdog_);
    enqueue_step(steps_, source);
    count_steps(1);
  }
  /// As graphs, where the exchange allows it.
  void coast(int steps) override {
    if constexpr (requires { exchange_.streams(); }) {
      constexpr int at_once = Exchange::steps_of_graphs;
      for (; steps > 0 && steps_ % at_once != 0; --steps) {
        step(0);
      }
      for (; steps >= at_once; steps -= at_once) {
        const Watchdog::Watched watched(watchdog_);
        if (graphs_ == nullptr) {
          graphs_ = std::make_unique<StreamGraphs>(exchange_.streams(), [&] {
            for (int i = 0; i < at_once; ++i) {
              enqueue_step(i, 0);
            }
          });
        }
        graphs_->launch();
        count_steps(at_once);
      }
    }
    Wave::coast(steps);
  }

  void read_slice(int y, std::vector<float>& to) override {
    synchronize();
    to.resize(static_cast<std::size_t>(medium_.nx) * static_cast<std::size_t>(medium_.nz));
    for (const Slab& slab : slabs_.own()) {
      check(cudaSetDevice(slabs_[slab.index].device()));
      stencil::read_slice(field(slab, State::now), y, slab.below(), slab.planes(),
                          to.data() + static_cast<std::ptrdiff_t>(slab.first) * medium_.nx);
    }
    gather_rows(slabs_.ranks(), slabs_.slabs(), 0, medium_.nz, static_cast<std::size_t>(medium_.nx), to.data());
  }
  void read_planes(State state, int first, int count, float* to) override {
    synchronize();
    for (const Slab& slab : slabs_.own()) {
      each_range(slab, first, count, slab.first, slab.last, [&](int z, int planes) {
        stencil::read_planes(field(slab, state), slab.local(z), planes, to + host_plane(z - first));
      });
    }
    gather_rows(slabs_.ranks(), slabs_.slabs(), first, count, static_cast<std::size_t>(host_plane(1)), to);
  }
  /// Ghosts too.
  void write_planes(State state, int first, int count, const float* from) override {
    for (const Slab& slab : slabs_.own()) {
      const int begin = slab.first - slab.below();
      each_range(slab, first, count, begin, begin + slab.depth(), [&](int z, int planes) {
        stencil::write_planes(field(slab, state), slab.local(z), planes, from + host_plane(z - first));
      });
    }
  }

 private:
  static constexpr int steps_ahead = 16;
  static constexpr double limit_seconds = 8;
  static constexpr double watchdog_seconds = 9;  ///< more, so that it has the word where the other limit has not

  /// @param number  of steps before it
  void enqueue_step(int number, float source) {
    const int from = number % 2;
    stencil::step(slabs_.own(), exchange_, slabs_.fields(1 - from), [&](const Slab& slab, const RaiseFlag& take) {
      const GpuSlab<float>& of_slab = slabs_[slab.index];
      of_slab.march(from, laplacian_, wave_step(medium_, slab, of_slab.field(from), of_slab.field(1 - from), source),
                    take);
    });
  }
  /// @pre `steps` divides `steps_ahead` and the steps before
  void count_steps(int steps) {
    steps_ += steps;
    if (steps_ % steps_ahead == 0) {
      slabs_.mark(steps_ / steps_ahead, limit_seconds);
    }
  }
  void synchronize() {
    const Watchdog::Watched watched(watchdog_);
    slabs_.synchronize(limit_seconds);
  }
  [[nodiscard]] const Field<float>& field(const Slab& slab, State state) const {
    return slabs_[slab.index].field(state == State::now ? steps_ % 2 : 1 - steps_ % 2);
  }
  /// The planes `first` to `first + count` that are in [begin, end).
  template <class Copy>
  void each_range(const Slab& slab, int first, int count, int begin, int end, const Copy& copy) const {
    const int low = std::max(first, begin);
    const int high = std::min(first + count, end);
    if (low < high) {
      check(cudaSetDevice(slabs_[slab.index].device()));
      copy(low, high - low);
    }
  }
  [[nodiscard]] std::ptrdiff_t host_plane(int z) const {
    return static_cast<std::ptrdiff_t>(z) * medium_.ny * medium_.nx;
  }

  Medium medium_;
  Star<float, radius> laplacian_;
  GpuSlabs<float> slabs_;
  Exchange exchange_;
  std::unique_ptr<StreamGraphs> graphs_;
  Watchdog watchdog_;
  int steps_ = 0;
};

}  // namespace stencil
