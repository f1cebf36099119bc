#pragma once

/// Halo exchange by NCCL, between hosts too. Only where its header is installed.

#include "gpu_slab.cuh"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include <nccl.h>

namespace stencil {

/// Sends the ends when the march is over: NCCL's kernels do not start while a persistent kernel holds every SM.
class Nccl {
 public:
  static constexpr const char* name = "NCCL";

  /// One communicator a slab, all in this process.
  template <class T>
  explicit Nccl(const GpuSlabs<T>& slabs) : communicators_(slabs.slabs().size()) {
    std::vector<int> devices;
    for (const Slab& slab : slabs.slabs()) {
      devices.push_back(slabs[slab.index].device());
      streams_.push_back(slabs[slab.index].stream());
      raised_.push_back(slabs[slab.index].words()->raised);
    }
    check(ncclCommInitAll(communicators_.data(), static_cast<int>(devices.size()), devices.data()));
  }
  Nccl(const Nccl&) = delete;
  Nccl& operator=(const Nccl&) = delete;
  ~Nccl() {
    for (ncclComm_t communicator : communicators_) {
      ncclCommDestroy(communicator);
    }
  }

  void await(const Slab&) const {}
  /// Flags that no copy waits for: the kernels are those of `PeerCopy`.
  [[nodiscard]] RaiseFlag take(const Slab& slab) const { return {raised_[static_cast<std::size_t>(slab.index)], 1}; }

  template <class T>
  void send(const std::vector<Slab>& slabs, const std::vector<Field<T>>& written) const {
    check(ncclGroupStart());
    for (const Slab& slab : slabs) {
      const auto i = static_cast<std::size_t>(slab.index);
      const Field<T>& f = written[i];
      const auto bytes = static_cast<std::size_t>(f.plane_pitch() * slab.ghosts) * sizeof(T);
      for (const End end : {End::below, End::above}) {
        if (slab.has(end)) {
          const int neighbour = slab.neighbour(end);
          check(ncclSend(f.data + f.at(0, 0, slab.sent(end)), bytes, ncclChar, neighbour, communicators_[i],
                         streams_[i]));
          check(ncclRecv(f.data + f.at(0, 0, slab.received(end)), bytes, ncclChar, neighbour, communicators_[i],
                         streams_[i]));
        }
      }
    }
    check(ncclGroupEnd());
  }

 private:
  static void check(ncclResult_t result) {
    if (result != ncclSuccess) {
      throw std::runtime_error(std::string("stencil::Nccl: ") + ncclGetErrorString(result));
    }
  }

  std::vector<ncclComm_t> communicators_;
  std::vector<cudaStream_t> streams_;
  std::vector<unsigned*> raised_;
};

}  // namespace stencil
