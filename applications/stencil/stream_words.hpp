#pragma once

#include "../../examples/gpu.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>

#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime.h>

namespace stencil {

/// The driver's waits and writes of a word in stream order, found through the runtime: nothing is linked to libcuda. In
/// a stream that is captured they become nodes of its graph.
class StreamWords {
 public:
  /// The work after it in the stream begins when the word is at least `value`, counted around from 2^32 - 1 to 0.
  void await(cudaStream_t stream, unsigned* word, unsigned value) const {
    CUstreamBatchMemOpParams wait{};
    wait.waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    wait.waitValue.address = address(word);
    wait.waitValue.value = value;
    wait.waitValue.flags = CU_STREAM_WAIT_VALUE_GEQ;
    enqueue(stream, wait, "wait for");
  }
  /// Sets the word, also of a peer, after the work before it in the stream.
  void set(cudaStream_t stream, unsigned* word, unsigned value) const {
    CUstreamBatchMemOpParams write{};
    write.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    write.writeValue.address = address(word);
    write.writeValue.value = value;
    write.writeValue.flags = CU_STREAM_WRITE_VALUE_DEFAULT;
    enqueue(stream, write, "write");
  }

 private:
  void enqueue(cudaStream_t stream, CUstreamBatchMemOpParams& operation, const char* what) const {
    CUstreamCaptureStatus status{};
    CUgraph graph = nullptr;
    const CUgraphNode* before = nullptr;
    std::size_t count = 0;
    check(capture_info_(stream, &status, nullptr, &graph, &before, &count), what);
    if (status != CU_STREAM_CAPTURE_STATUS_ACTIVE) {
      check(enqueue_(stream, 1, &operation, 0), what);
      return;
    }
    CUDA_BATCH_MEM_OP_NODE_PARAMS params{};
    check(context_(&params.ctx), what);
    params.count = 1;
    params.paramArray = &operation;
    CUgraphNode node = nullptr;
    check(add_node_(&node, graph, before, count, &params), what);
    check(continue_after_(stream, &node, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES), what);
  }
  template <class Function>
  [[nodiscard]] static Function find(const char* name) {
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found{};
    constexpr unsigned version = 12000;  // whose types the members have
    gpu::check(cudaGetDriverEntryPointByVersion(name, &entry, version, cudaEnableDefault, &found));
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

  PFN_cuStreamBatchMemOp_v11070 enqueue_ = find<PFN_cuStreamBatchMemOp_v11070>("cuStreamBatchMemOp");
  PFN_cuStreamGetCaptureInfo_v11030 capture_info_ = find<PFN_cuStreamGetCaptureInfo_v11030>("cuStreamGetCaptureInfo");
  PFN_cuGraphAddBatchMemOpNode_v11070 add_node_ = find<PFN_cuGraphAddBatchMemOpNode_v11070>("cuGraphAddBatchMemOpNode");
  PFN_cuStreamUpdateCaptureDependencies_v11030 continue_after_ =
      find<PFN_cuStreamUpdateCaptureDependencies_v11030>("cuStreamUpdateCaptureDependencies");
  PFN_cuCtxGetCurrent_v4000 context_ = find<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent");
};

}  // namespace stencil
