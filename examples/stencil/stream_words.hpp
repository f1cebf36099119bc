#pragma once

#include "../gpu.hpp"

#include <stdexcept>
#include <string>

#include <cuda.h>
#include <cuda_runtime.h>

namespace stencil {

/// The driver's waits and writes of a word in stream order, found through the runtime: nothing is linked to libcuda.
class StreamWords {
 public:
  StreamWords()
      : wait_(find<decltype(wait_)>("cuStreamWaitValue32")), write_(find<decltype(write_)>("cuStreamWriteValue32")) {}

  /// The work after it in the stream begins when the word is at least `value`.
  void await(cudaStream_t stream, unsigned* word, unsigned value) const {
    check(wait_(stream, address(word), value, CU_STREAM_WAIT_VALUE_GEQ), "wait for");
  }
  /// Sets the word, also of a peer, after the work before it in the stream.
  void set(cudaStream_t stream, unsigned* word, unsigned value) const {
    check(write_(stream, address(word), value, CU_STREAM_WRITE_VALUE_DEFAULT), "write");
  }

 private:
  template <class Function>
  [[nodiscard]] static Function find(const char* name) {
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found{};
    gpu::check(cudaGetDriverEntryPointByVersion(name, &entry, 12000, cudaEnableDefault, &found));
    if (found != cudaDriverEntryPointSuccess) {
      throw std::runtime_error(std::string("stencil::StreamWords: this driver has no ") + name +
                               "; exchange halos by NCCL, or use a newer driver");
    }
    return reinterpret_cast<Function>(entry);
  }
  [[nodiscard]] static CUdeviceptr address(unsigned* word) { return reinterpret_cast<CUdeviceptr>(word); }
  static void check(CUresult result, const char* what) {
    if (result != CUDA_SUCCESS) {
      throw std::runtime_error(std::string("stencil::StreamWords: the driver does not ") + what +
                               " a word in stream order: error " + std::to_string(static_cast<int>(result)));
    }
  }

  decltype(&cuStreamWaitValue32) wait_;
  decltype(&cuStreamWriteValue32) write_;
};

}  // namespace stencil
