#pragma once

/// Halo exchange by NCCL, between hosts too. Only where its header is installed.

#include "gpu_slabs.cuh"
#include "stream_words.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include <nccl.h>

namespace stencil {

/// Exchanges ends and ghosts by NCCL's point-to-point calls. NCCL's kernels need SMs, which a persistent kernel holds
/// until it ends. Beside a long march they have some: the march leaves them, and NCCL begins when an end is finished,
/// so that all CTAs of that march run by then. So few CTAs are slow, and after a short march NCCL has all SMs instead.
class Nccl {
 public:
  static constexpr int ctas_beside = 8;  ///< at most
  static constexpr int sms_left = 4;     ///< by the march

  /// Whether a step is shorter with the exchange beside the march than after it, by what two H200s showed: 4 TB/s for
  /// the slab's planes, read and written, 33 GB/s for ends beside a march, 290 GB/s and 19 us for ends after it.
  [[nodiscard]] static bool is_beside(const Slab& slab, double plane_bytes) {
    const double sent = plane_bytes * slab.ghosts * ((slab.has(End::below) ? 1 : 0) + (slab.has(End::above) ? 1 : 0));
    const double march = 2 * plane_bytes * slab.planes() / 4e12;
    return std::max(march, sent / 33e9) < march + 19e-6 + sent / 290e9;
  }

  /// A communicator for each slab of this process.
  template <class T>
  explicit Nccl(GpuSlabs<T>& slabs)
      : of_slabs_(slabs.slabs().size()),
        is_beside_(std::all_of(slabs.slabs().begin(), slabs.slabs().end(), [&](const Slab& slab) {
          const Field<T>& f = slabs.fields(0)[static_cast<std::size_t>(slab.index)];
          return is_beside(slab, static_cast<double>(f.plane_pitch()) * sizeof(T));
        })) {
    ncclUniqueId id{};
    if (slabs.ranks() == nullptr || slabs.ranks()->is_first()) {
      check(ncclGetUniqueId(&id));
    }
    if (slabs.ranks() != nullptr) {
      std::vector<ncclUniqueId> all(slabs.slabs().size());
      slabs.ranks()->all_gather(&id, sizeof id, all.data());
      id = all.front();
    }
    const int count = static_cast<int>(slabs.slabs().size());
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    if (is_beside_) {
      config.maxCTAs = ctas_beside;
      config.cgaClusterSize = 0;  // the SMs that are left are not in one cluster
    }
    check(ncclGroupStart());
    for (const Slab& slab : slabs.own()) {
      OfSlab& own = of_slabs_[static_cast<std::size_t>(slab.index)];
      own.march = slabs[slab.index].stream();
      own.raised = slabs[slab.index].words()->raised;
      gpu::check(cudaSetDevice(slabs[slab.index].device()));
      gpu::check(cudaStreamCreateWithFlags(&own.stream, cudaStreamNonBlocking));
      gpu::check(cudaEventCreateWithFlags(&own.marched, cudaEventDisableTiming));
      gpu::check(cudaEventCreateWithFlags(&own.exchanged, cudaEventDisableTiming));
      check(ncclCommInitRankConfig(&own.communicator, count, id, slab.index, &config));
    }
    check(ncclGroupEnd());
    if (is_beside_) {
      slabs.leave_sms(sms_left);
    }
  }
  Nccl(const Nccl&) = delete;
  Nccl& operator=(const Nccl&) = delete;
  ~Nccl() {
    if (std::uncaught_exceptions() > 0) {
      return;  // what releases them may wait for a lost neighbour
    }
    for (const OfSlab& own : of_slabs_) {
      if (own.communicator != nullptr) {
        cudaStreamSynchronize(own.stream);
        ncclCommDestroy(own.communicator);
        cudaEventDestroy(own.exchanged);
        cudaEventDestroy(own.marched);
        cudaStreamDestroy(own.stream);
      }
    }
  }

  [[nodiscard]] const char* name() const { return is_beside_ ? "NCCL beside the march" : "NCCL after the march"; }

  void await(const Slab& slab) const {
    if (step_ > 1) {
      gpu::check(cudaStreamWaitEvent(of(slab).march, of(slab).exchanged, 0));
    }
  }
  [[nodiscard]] RaiseFlag take(const Slab& slab) const { return {of(slab).raised, step_}; }

  template <class T>
  void send(const std::vector<Slab>& slabs, const std::vector<Field<T>>& written) {
    for (const Slab& slab : slabs) {
      await_ends(slab);
    }
    check(ncclGroupStart());
    for (const Slab& slab : slabs) {
      const Field<T>& f = written[static_cast<std::size_t>(slab.index)];
      const auto bytes = static_cast<std::size_t>(f.plane_pitch() * slab.ghosts) * sizeof(T);
      const OfSlab& own = of(slab);
      for (const End end : {End::below, End::above}) {
        if (slab.has(end)) {
          const int neighbour = slab.neighbour(end);
          check(
              ncclSend(f.data + f.at(0, 0, slab.sent(end)), bytes, ncclChar, neighbour, own.communicator, own.stream));
          check(ncclRecv(f.data + f.at(0, 0, slab.received(end)), bytes, ncclChar, neighbour, own.communicator,
                         own.stream));
        }
      }
    }
    check(ncclGroupEnd());
    for (const Slab& slab : slabs) {
      gpu::check(cudaEventRecord(of(slab).exchanged, of(slab).stream));
    }
    ++step_;
  }

 private:
  /// Null for a slab of another process.
  struct OfSlab {
    cudaStream_t march = nullptr;
    cudaStream_t stream = nullptr;
    cudaEvent_t marched = nullptr;
    cudaEvent_t exchanged = nullptr;
    unsigned* raised = nullptr;
    ncclComm_t communicator = nullptr;
  };

  [[nodiscard]] const OfSlab& of(const Slab& slab) const { return of_slabs_[static_cast<std::size_t>(slab.index)]; }

  /// The exchange's stream waits until the slab's ends are finished.
  void await_ends(const Slab& slab) const {
    const OfSlab& own = of(slab);
    if (!is_beside_) {
      gpu::check(cudaEventRecord(own.marched, own.march));
      gpu::check(cudaStreamWaitEvent(own.stream, own.marched, 0));
      return;
    }
    for (const End end : {End::below, End::above}) {
      if (slab.has(end)) {
        words_.await(own.stream, &own.raised[static_cast<int>(end)], step_);
      }
    }
  }

  static void check(ncclResult_t result) {
    if (result != ncclSuccess) {
      throw std::runtime_error(std::string("stencil::Nccl: ") + ncclGetErrorString(result));
    }
  }

  std::vector<OfSlab> of_slabs_;
  bool is_beside_;
  StreamWords words_;
  unsigned step_ = 1;
};

}  // namespace stencil
