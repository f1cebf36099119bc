#pragma once

/// The slabs of a domain on several GPUs, of one process or of several on a host.

#include "gpu_slab.cuh"
#include "lost_neighbour.hpp"
#include "ranks.hpp"

#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <cuda_runtime.h>

namespace stencil {

/// A slab for those that send to it, and for its own process, where it has its stream.
struct PeerSlab {
  int device;
  SlabWords* words;     ///< null where this process does not reach it
  cudaStream_t stream;  ///< of its marches; null in another process
};

/// The slabs of a domain: those of this process, on a GPU each, and what it reaches of others.
template <class T>
class GpuSlabs {
 public:
  GpuSlabs(int nx, int ny, int nz, int reach, const std::vector<int>& devices, const Ranks* ranks = nullptr)
      : slabs_(stencil::slabs(nz, reach, static_cast<int>(devices.size()))),
        own_(own_slabs(slabs_, ranks)),
        ranks_(ranks),
        memory_(slabs_.size()) {
    for (const Slab& slab : slabs_) {
      fields_[0].push_back({nullptr, nx, ny, slab.depth(), Field<T>::padded(nx)});
      peers_.push_back({devices[static_cast<std::size_t>(slab.index)], nullptr, nullptr});
    }
    fields_[1] = fields_[0];
    for (const Slab& slab : own_) {
      const auto i = static_cast<std::size_t>(slab.index);
      memory_[i] = std::make_unique<GpuSlab<T>>(slab, devices[i], nx, ny);
      fields_[0][i] = memory_[i]->field(0);
      fields_[1][i] = memory_[i]->field(1);
      peers_[i] = {devices[i], memory_[i]->words(), memory_[i]->stream()};
    }
  }

  GpuSlabs(const GpuSlabs&) = delete;
  GpuSlabs& operator=(const GpuSlabs&) = delete;
  ~GpuSlabs() {
    if (std::uncaught_exceptions() > 0) {
      return;  // what closes memory waits for copies, and these perhaps for a lost neighbour
    }
    for (void* memory : mapped_) {
      cudaIpcCloseMemHandle(memory);
    }
    try {
      if (ranks_ != nullptr) {  // no memory is freed before all have closed it
        const char done = 0;
        std::vector<char> all(slabs_.size());
        ranks_->all_gather(&done, sizeof done, all.data());
      }
    } catch (const LostNeighbour&) {
      // It has nothing mapped any more.
    }
  }

  /// Of the domain, and of this process.
  [[nodiscard]] const std::vector<Slab>& slabs() const { return slabs_; }
  [[nodiscard]] const std::vector<Slab>& own() const { return own_; }
  [[nodiscard]] const GpuSlab<T>& operator[](int i) const { return *memory_[static_cast<std::size_t>(i)]; }
  /// Of all slabs; those that this process does not reach have no data.
  [[nodiscard]] const std::vector<Field<T>>& fields(int which) const { return fields_[which]; }
  [[nodiscard]] const std::vector<PeerSlab>& peers() const { return peers_; }
  [[nodiscard]] const Ranks* ranks() const { return ranks_; }

  /// Maps the memory of the neighbours in other processes of this host.
  void map_neighbours() {
    if (ranks_ == nullptr) {
      return;
    }
    Handles own{};
    const GpuSlab<T>& of_own = (*this)[own_.front().index];
    check(cudaSetDevice(of_own.device()));
    check(cudaIpcGetMemHandle(&own.fields[0], of_own.field(0).data));
    check(cudaIpcGetMemHandle(&own.fields[1], of_own.field(1).data));
    check(cudaIpcGetMemHandle(&own.words, of_own.words()));
    std::vector<Handles> all(slabs_.size());
    ranks_->all_gather(&own, sizeof own, all.data());
    for (const End end : {End::below, End::above}) {
      if (own_.front().has(end)) {
        const auto i = static_cast<std::size_t>(own_.front().neighbour(end));
        fields_[0][i].data = static_cast<T*>(mapped(all[i].fields[0]));
        fields_[1][i].data = static_cast<T*>(mapped(all[i].fields[1]));
        peers_[i].words = static_cast<SlabWords*>(mapped(all[i].words));
      }
    }
  }

  /// See `GpuSlab`.
  void leave_sms(int count) {
    for (const Slab& slab : own_) {
      memory_[static_cast<std::size_t>(slab.index)]->leave_sms(count);
    }
  }

  /// Waits for the work in the slabs' streams. Throws where that takes more seconds: a lost neighbour sends no planes,
  /// and the march that waits for them would wait for ever.
  void synchronize(double seconds) const {
    const auto start = std::chrono::steady_clock::now();
    for (const Slab& slab : own_) {
      await(slab, start, seconds, [&] { return cudaStreamQuery((*this)[slab.index].stream()); });
    }
  }
  /// Notes where the slabs' streams are, and waits in the same way until they are where they were at the mark before.
  void mark(int number, double seconds) const {
    const auto start = std::chrono::steady_clock::now();
    for (const Slab& slab : own_) {
      const cudaEvent_t before = (*this)[slab.index].mark(number);
      await(slab, start, seconds, [&] { return cudaEventQuery(before); });
    }
  }

 private:
  struct Handles {
    cudaIpcMemHandle_t fields[2];
    cudaIpcMemHandle_t words;
  };
  [[nodiscard]] void* mapped(const cudaIpcMemHandle_t& handle) {
    void* memory = nullptr;
    check(cudaIpcOpenMemHandle(&memory, handle, cudaIpcMemLazyEnablePeerAccess));
    mapped_.push_back(memory);
    return memory;
  }

  template <class Query>
  void await(const Slab& slab, std::chrono::steady_clock::time_point start, double seconds, const Query& query) const {
    const auto lost = [&](const std::string& what) {
      return LostNeighbour("stencil: slab " + std::to_string(slab.index) + " of " + std::to_string(slabs_.size()) +
                           " " + what + "; a GPU or a process is lost: start again from the last checkpoint");
    };
    cudaError_t state = query();
    while (state == cudaErrorNotReady) {
      if (std::chrono::steady_clock::now() - start > std::chrono::duration<double>(seconds)) {
        throw lost("waited " + std::to_string(static_cast<int>(seconds)) + " s for its neighbours' planes");
      }
      std::this_thread::sleep_for(std::chrono::microseconds(20));
      state = query();
    }
    if (state != cudaSuccess && ranks_ != nullptr) {  // a copy into the memory of a process that has ended
      throw lost(std::string("cannot send its planes (") + cudaGetErrorString(state) + ")");
    }
    check(state);
  }

  std::vector<Slab> slabs_;
  std::vector<Slab> own_;
  const Ranks* ranks_;
  std::vector<std::unique_ptr<GpuSlab<T>>> memory_;  ///< null for slabs of other processes
  std::vector<Field<T>> fields_[2];
  std::vector<PeerSlab> peers_;
  std::vector<void*> mapped_;
};

}  // namespace stencil
