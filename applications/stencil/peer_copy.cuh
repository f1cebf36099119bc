#pragma once

/// Halo exchange between GPUs of a host: their copy engines push the ends of a slab while its interior computes.

#include "gpu_slabs.cuh"
#include "stream_graphs.cuh"
#include "stream_words.hpp"

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime.h>

namespace stencil {

/// Pushes finished ends into the neighbours' ghosts by the copy engines, which no CTA of the march has to wait for.
///
/// A copy waits for the flag that the march raises, and then sets the neighbour's word, for which its next march waits.
/// No other waits are needed: when the planes of step s + 1 arrive from a neighbour, it has got those of step s, which
/// the march of step s + 2 overwrites here; and it has read its ghosts of step s, which this slab overwrites next. So
/// no word is more than a step ahead of one that waits for it, and words count steps modulo 4: four steps as graphs
/// (`StreamGraphs`) are the next four as well.
class PeerCopy {
 public:
  template <class T>
  explicit PeerCopy(GpuSlabs<T>& slabs) : lanes_(slabs.slabs().size() * ends) {
    slabs.map_neighbours();
    slabs_ = slabs.peers();
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      const PeerSlab& slab = slabs_[i / ends];
      if (slab.stream != nullptr) {
        stencil::check(cudaSetDevice(slab.device));
        stencil::check(cudaStreamCreateWithFlags(&lanes_[i], cudaStreamNonBlocking));
      }
    }
    allow_access();
  }
  PeerCopy(const PeerCopy&) = delete;
  PeerCopy& operator=(const PeerCopy&) = delete;
  ~PeerCopy() {
    for (cudaStream_t lane : lanes_) {
      if (lane != nullptr) {
        if (std::uncaught_exceptions() == 0) {  // else it may wait for a lost neighbour
          cudaStreamSynchronize(lane);
        }
        cudaStreamDestroy(lane);
      }
    }
  }

  [[nodiscard]] const char* name() const { return "peer copies"; }

  static constexpr int steps_of_graphs = 4;
  /// All streams of this process: of the marches, and of the copies.
  [[nodiscard]] std::vector<DeviceStream> streams() const {
    std::vector<DeviceStream> result;
    for (std::size_t i = 0; i < slabs_.size(); ++i) {
      for (const cudaStream_t stream : {slabs_[i].stream, lanes_[i * ends], lanes_[i * ends + 1]}) {
        if (stream != nullptr) {
          result.push_back({slabs_[i].device, stream});
        }
      }
    }
    return result;
  }

  void await(const Slab& slab) const {
    const PeerSlab& own = of(slab);
    stencil::check(cudaSetDevice(own.device));
    for (const End end : {End::below, End::above}) {
      if (slab.has(end)) {
        words_.await(own.stream, &own.words->arrived[static_cast<int>(end)], word(step_ - 1));
      }
    }
  }
  [[nodiscard]] RaiseFlag take(const Slab& slab) const { return {of(slab).words->raised, word(step_)}; }

  template <class T>
  void send(const std::vector<Slab>& slabs, const std::vector<Field<T>>& written) {
    for (const Slab& slab : slabs) {
      stencil::check(cudaSetDevice(of(slab).device));
      for (const End end : {End::below, End::above}) {
        if (slab.has(end)) {
          send(slab, end, written);
        }
      }
    }
    ++step_;
  }

 private:
  /// The two bits of a step's number, where a comparison of words goes around.
  [[nodiscard]] static unsigned word(unsigned step) { return step << 30; }

  template <class T>
  void send(const Slab& slab, End end, const std::vector<Field<T>>& written) const {
    const PeerSlab& own = of(slab);
    const auto to = static_cast<std::size_t>(slab.neighbour(end));
    const PeerSlab& neighbour = slabs_[to];
    const cudaStream_t by = lanes_[static_cast<std::size_t>(slab.index * ends + static_cast<int>(end))];
    words_.await(by, &own.words->raised[static_cast<int>(end)], word(step_));
    const Field<T>& target = written[to];
    const End opposite = end == End::below ? End::above : End::below;
    // The neighbour's ghosts are its first planes or its last.
    const int ghost = opposite == End::below ? 0 : target.nz - slab.ghosts;
    const Field<T>& source = written[static_cast<std::size_t>(slab.index)];
    const auto bytes = static_cast<std::size_t>(source.plane_pitch() * slab.ghosts) * sizeof(T);
    T* const to_ghosts = target.data + target.at(0, 0, ghost);
    const T* const from_end = source.data + source.at(0, 0, slab.sent(end));
    stencil::check(cudaMemcpyAsync(to_ghosts, from_end, bytes, cudaMemcpyDeviceToDevice, by));
    words_.set(by, &neighbour.words->arrived[static_cast<int>(opposite)], word(step_));
  }

  void allow_access() const {
    for (std::size_t i = 0; i + 1 < slabs_.size(); ++i) {
      if (slabs_[i].stream != nullptr && slabs_[i + 1].stream != nullptr) {  // else mapped memory, which is accessible
        allow_access(slabs_[i].device, slabs_[i + 1].device);
        allow_access(slabs_[i + 1].device, slabs_[i].device);
      }
    }
  }
  static void allow_access(int from, int to) {
    if (from == to) {
      return;
    }
    int can = 0;
    stencil::check(cudaDeviceCanAccessPeer(&can, from, to));
    if (can == 0) {
      throw std::runtime_error("stencil::PeerCopy: GPU " + std::to_string(from) + " has no access to GPU " +
                               std::to_string(to) + "; exchange halos by NCCL");
    }
    stencil::check(cudaSetDevice(from));
    const cudaError_t error = cudaDeviceEnablePeerAccess(to, 0);
    if (error == cudaErrorPeerAccessAlreadyEnabled) {
      static_cast<void>(cudaGetLastError());
    } else {
      stencil::check(error);
    }
  }
  [[nodiscard]] const PeerSlab& of(const Slab& slab) const { return slabs_[static_cast<std::size_t>(slab.index)]; }

  std::vector<PeerSlab> slabs_;
  std::vector<cudaStream_t> lanes_;  ///< for each end of each slab
  StreamWords words_;
  unsigned step_ = 1;
};

}  // namespace stencil
