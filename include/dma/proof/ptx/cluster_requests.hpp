#pragma once

#include <dma/machine/host/access.hpp>
#include <dma/machine/host/instruction.hpp>
#include <dma/machine/index3.hpp>
#include <dma/machine/word.hpp>
#include <dma/proof/ptx/lane.hpp>
#include <dma/proof/ptx/mbarrier_instructions.hpp>
#include <dma/proof/ptx/memory.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace dma::inline v0_1::proof::ptx::detail {

/// Requests for clusters of the grid that have not begun, and what their responses say. A register of 128 bits has the
/// first 8 bytes of a response here, which are all that it says.
///
/// Source  PTX ISA, "clusterlaunchcontrol.try_cancel", "clusterlaunchcontrol.query_cancel"
class ClusterRequests {
 public:
  static void request(Lane& lane, const Instruction& i) {
    const bool is_for_all = i.statement->has("multicast::cluster::all");
    auto* const response = lane.memory(i, Space::shared, lane.address(i), bytes, bytes, machine::Access::write);
    const auto kind = machine::OperationKind::copy_to_shared;
    void* const barrier = MbarrierInstructions::at(lane, i, lane.address(i, 1), kind).barrier;
    const int ctas = is_for_all ? lane.thread().cluster_size() : 1;
    lane.here(i);
    for (int rank = 0; rank < ctas; ++rank) {
      void* const there = ctas == 1 ? response : lane.thread().peer_address(response, rank);
      lane.launch().unknown.set(static_cast<unsigned char*>(there), bytes, {});
    }
    machine::host_model::cancel_cluster_for(ctas, response, barrier);
  }
  static void query(Lane& lane, const Instruction& i) {
    lane.expect_products(i);
    const std::uint64_t bits = lane.known(i, 0, "the response");
    const machine::Word<bytes> response{{static_cast<unsigned>(bits), static_cast<unsigned>(bits >> 32U), 0, 0}};
    lane.here(i);
    const bool is_cancelled = response.part[0] == machine::host_model::one_is_cancelled;
    if (!is_cancelled && response.part[0] != machine::host_model::none_is_cancelled) {
      lane.fail(i,
                "these 16 bytes are no response of clusterlaunchcontrol.try_cancel; wait for the mbarrier that counts "
                "them before they are loaded");
    }
    if (i.statement->has("is_canceled")) {
      lane.set(i.result, machine::host_model::is_cancelled(response) ? 1 : 0);
    } else if (!is_cancelled) {
      lane.fail(i,
                "the response names no cluster, and what is returned is undefined then; ask "
                "clusterlaunchcontrol.query_cancel.is_canceled first");
    } else {
      set_first(lane, i, machine::host_model::first_cancelled(response));
    }
  }

 private:
  static constexpr std::size_t bytes = 16;

  static void set_first(Lane& lane, const Instruction& i, const Index3& first) {
    const std::array<int, 3> ids{first.x, first.y, first.z};
    for (std::size_t axis = 0; axis < i.results.size() && axis < ids.size(); ++axis) {
      lane.set(i.results[axis], static_cast<unsigned>(ids[axis]));
    }
    if (i.results.empty()) {
      const std::size_t axis = i.statement->has("get_first_ctaid::x")   ? 0
                               : i.statement->has("get_first_ctaid::y") ? 1
                                                                        : 2;
      lane.set(i.result, static_cast<unsigned>(ids[axis]));
    }
  }
};

}  // namespace dma::inline v0_1::proof::ptx::detail
