#pragma once

/// Halo exchange by NCCL, between hosts too. Only where its header is installed.

#include "gpu_slabs.cuh"
#include "stream_words.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include <nccl.h>

namespace stencil {

/// When NCCL sends: its kernels need SMs, and a persistent kernel may hold every one.
enum class NcclSends {
  after_march,   ///< by all SMs
  beside_march,  ///< by a few CTAs in the SMs that the march's plan leaves free, as soon as an end is finished
};

/// Exchanges ends and ghosts by NCCL's point-to-point calls.
class Nccl {
 public:
  /// CTAs beside the march: the SMs that a plan of 128 leaves of 132. Measured on H200s: 40 GB/s.
  static constexpr int ctas_beside = 4;

  /// Beside the march where that is longer than few CTAs take for the ends: from about 60 times their planes on.
  [[nodiscard]] static NcclSends suits(const Slab& slab) {
    return slab.planes() >= 60 * slab.ghosts ? NcclSends::beside_march : NcclSends::after_march;
  }

  /// A communicator for each slab of this process.
  template <class T>
  explicit Nccl(const GpuSlabs<T>& slabs) : Nccl(slabs, suits(slabs.slabs().front())) {}
  template <class T>
  Nccl(const GpuSlabs<T>& slabs, NcclSends when) : sends_beside_(when == NcclSends::beside_march) {
    const int count = static_cast<int>(slabs.slabs().size());
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    if (sends_beside_) {
      config.maxCTAs = ctas_beside;
    }
    ncclUniqueId id{};
    if (slabs.ranks() == nullptr || slabs.ranks()->is_first()) {
      check(ncclGetUniqueId(&id));
    }
    if (slabs.ranks() != nullptr) {
      std::vector<ncclUniqueId> all(slabs.slabs().size());
      slabs.ranks()->all_gather(&id, sizeof id, all.data());
      id = all.front();
    }
    of_slabs_.resize(slabs.slabs().size());
    check(ncclGroupStart());
    for (const Slab& slab : slabs.own()) {
      OfSlab& own = of(slab);
      own.device = slabs[slab.index].device();
      own.march = slabs[slab.index].stream();
      own.raised = slabs[slab.index].words()->raised;
      gpu::check(cudaSetDevice(own.device));
      gpu::check(cudaStreamCreateWithFlags(&own.lane, cudaStreamNonBlocking));
      gpu::check(cudaEventCreateWithFlags(&own.sent, cudaEventDisableTiming));
      check(ncclCommInitRankConfig(&own.communicator, count, id, slab.index, &config));
    }
    check(ncclGroupEnd());
  }
  Nccl(const Nccl&) = delete;
  Nccl& operator=(const Nccl&) = delete;
  ~Nccl() {
    for (const OfSlab& own : of_slabs_) {
      if (own.communicator == nullptr) {
        continue;  // of another process
      }
      if (cudaStreamQuery(own.lane) == cudaErrorNotReady) {
        return;  // of a lost neighbour; the process ends
      }
      ncclCommDestroy(own.communicator);
      cudaStreamDestroy(own.lane);
      cudaEventDestroy(own.sent);
    }
  }

  [[nodiscard]] const char* name() const { return sends_beside_ ? "NCCL beside the march" : "NCCL after the march"; }

  void await(const Slab& slab) const {
    if (sends_beside_) {
      gpu::check(cudaSetDevice(of(slab).device));
      gpu::check(cudaStreamWaitEvent(of(slab).march, of(slab).sent, 0));
    }
  }
  [[nodiscard]] RaiseFlag take(const Slab& slab) const { return {of(slab).raised, step_}; }

  template <class T>
  void send(const std::vector<Slab>& slabs, const std::vector<Field<T>>& written) {
    if (sends_beside_) {
      for (const Slab& slab : slabs) {
        await_ends(slab);
      }
    }
    check(ncclGroupStart());
    for (const Slab& slab : slabs) {
      const Field<T>& f = written[static_cast<std::size_t>(slab.index)];
      const auto bytes = static_cast<std::size_t>(f.plane_pitch() * slab.ghosts) * sizeof(T);
      const OfSlab& own = of(slab);
      const cudaStream_t stream = sends_beside_ ? own.lane : own.march;
      for (const End end : {End::below, End::above}) {
        if (slab.has(end)) {
          const int neighbour = slab.neighbour(end);
          check(ncclSend(f.data + f.at(0, 0, slab.sent(end)), bytes, ncclChar, neighbour, own.communicator, stream));
          check(
              ncclRecv(f.data + f.at(0, 0, slab.received(end)), bytes, ncclChar, neighbour, own.communicator, stream));
        }
      }
    }
    check(ncclGroupEnd());
    if (sends_beside_) {
      for (const Slab& slab : slabs) {
        gpu::check(cudaSetDevice(of(slab).device));
        gpu::check(cudaEventRecord(of(slab).sent, of(slab).lane));
      }
    }
    ++step_;
  }

 private:
  struct OfSlab {
    int device = 0;
    cudaStream_t march = nullptr;
    cudaStream_t lane = nullptr;
    cudaEvent_t sent = nullptr;
    unsigned* raised = nullptr;
    ncclComm_t communicator = nullptr;
  };

  void await_ends(const Slab& slab) const {
    gpu::check(cudaSetDevice(of(slab).device));
    for (const End end : {End::below, End::above}) {
      if (slab.has(end)) {
        words_.await(of(slab).lane, &of(slab).raised[static_cast<int>(end)], step_);
      }
    }
  }
  [[nodiscard]] OfSlab& of(const Slab& slab) { return of_slabs_[static_cast<std::size_t>(slab.index)]; }
  [[nodiscard]] const OfSlab& of(const Slab& slab) const { return of_slabs_[static_cast<std::size_t>(slab.index)]; }

  static void check(ncclResult_t result) {
    if (result != ncclSuccess) {
      throw std::runtime_error(std::string("stencil::Nccl: ") + ncclGetErrorString(result));
    }
  }

  bool sends_beside_;
  std::vector<OfSlab> of_slabs_;
  StreamWords words_;
  unsigned step_ = 1;
};

}  // namespace stencil
