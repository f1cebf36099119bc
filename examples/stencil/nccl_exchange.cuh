#pragma once

/// Halo exchange by NCCL, between hosts too. Only where its header is installed.

#include "gpu_slabs.cuh"

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include <nccl.h>

namespace stencil {

/// Exchanges ends and ghosts by NCCL's point-to-point calls when the march is over: NCCL's kernels need SMs, and do not
/// start while a persistent kernel holds every one.
class Nccl {
 public:
  /// A communicator for each slab of this process.
  template <class T>
  explicit Nccl(const GpuSlabs<T>& slabs) : of_slabs_(slabs.slabs().size()) {
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
    check(ncclGroupStart());
    for (const Slab& slab : slabs.own()) {
      OfSlab& own = of_slabs_[static_cast<std::size_t>(slab.index)];
      own.stream = slabs[slab.index].stream();
      own.raised = slabs[slab.index].words()->raised;
      gpu::check(cudaSetDevice(slabs[slab.index].device()));
      check(ncclCommInitRank(&own.communicator, count, id, slab.index));
    }
    check(ncclGroupEnd());
  }
  Nccl(const Nccl&) = delete;
  Nccl& operator=(const Nccl&) = delete;
  ~Nccl() {
    for (const OfSlab& own : of_slabs_) {
      if (own.communicator != nullptr && std::uncaught_exceptions() == 0) {  // else it may wait for a lost neighbour
        ncclCommDestroy(own.communicator);
      }
    }
  }

  [[nodiscard]] const char* name() const { return "NCCL after the march"; }

  void await(const Slab&) const {}
  /// Flags that no copy waits for: the kernels are those of `PeerCopy`.
  [[nodiscard]] RaiseFlag take(const Slab& slab) const { return {of(slab).raised, 1}; }

  template <class T>
  void send(const std::vector<Slab>& slabs, const std::vector<Field<T>>& written) const {
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
  }

 private:
  /// Null for a slab of another process.
  struct OfSlab {
    cudaStream_t stream = nullptr;
    unsigned* raised = nullptr;
    ncclComm_t communicator = nullptr;
  };

  [[nodiscard]] const OfSlab& of(const Slab& slab) const { return of_slabs_[static_cast<std::size_t>(slab.index)]; }

  static void check(ncclResult_t result) {
    if (result != ncclSuccess) {
      throw std::runtime_error(std::string("stencil::Nccl: ") + ncclGetErrorString(result));
    }
  }

  std::vector<OfSlab> of_slabs_;
};

}  // namespace stencil
