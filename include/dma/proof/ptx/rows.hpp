#pragma once

#include <dma/proof/ptx/barrier_instructions.hpp>
#include <dma/proof/ptx/bulk_copies.hpp>
#include <dma/proof/ptx/cluster_copies.hpp>
#include <dma/proof/ptx/cluster_requests.hpp>
#include <dma/proof/ptx/decoder.hpp>
#include <dma/proof/ptx/matrix_instructions.hpp>
#include <dma/proof/ptx/mbarrier_instructions.hpp>
#include <dma/proof/ptx/memory.hpp>
#include <dma/proof/ptx/products/mma_instructions.hpp>
#include <dma/proof/ptx/products/product_instructions.hpp>
#include <dma/proof/ptx/products/tensor_copy_instructions.hpp>
#include <dma/proof/ptx/products/tensor_memory_instructions.hpp>
#include <dma/proof/ptx/products/tensor_product_instructions.hpp>
#include <dma/proof/ptx/products/wmma_instructions.hpp>
#include <dma/proof/ptx/tensor_copies.hpp>
#include <dma/proof/ptx/warp_instructions.hpp>

#include <array>

namespace dma::inline v0_1::proof::ptx::detail {

/// Whether it is of copies by the bulk engine.
[[nodiscard]] inline bool is_of_bulk(const Statement& statement) { return statement.has("bulk"); }

/// Arrives at the barrier of the cluster, or waits for it.
inline void synchronize_cluster(Lane& lane, const Instruction& i) {
  i.statement->has("arrive") ? BarrierInstructions::arrive_at_cluster(lane, i)
                             : BarrierInstructions::await_cluster(lane, i);
}

/// Waits for the grids before.
inline void await_grids(Lane& lane, const Instruction& i) {
  lane.here(i);
  lane.thread().grid_dependency_wait();
}

/// All instructions that are more than a value, by the words that they begin with. The first row that fits counts.
inline constexpr std::array rows{
    // Of memory.
    InstructionRow{"ld", "", Instruction::Kind::memory, &MemoryAccess::load},
    InstructionRow{"ldu", "", Instruction::Kind::memory, &MemoryAccess::load},
    InstructionRow{"st", "async", Instruction::Kind::memory, &ClusterCopies::store_async},
    InstructionRow{"st", "bulk", Instruction::Kind::memory, &MemoryAccess::clear},
    InstructionRow{"st", "", Instruction::Kind::memory, &MemoryAccess::store},
    InstructionRow{"red", "async", Instruction::Kind::memory, &ClusterCopies::reduce_async},
    InstructionRow{"atom", "", Instruction::Kind::memory, &MemoryAccess::atomic},
    InstructionRow{"red", "", Instruction::Kind::memory, &MemoryAccess::atomic},
    InstructionRow{"cp", "prefetch", Instruction::Kind::nothing, nullptr},
    InstructionRow{"cp", "tensor", Instruction::Kind::memory, &TensorCopies::copy},
    InstructionRow{"cp", "reduce", Instruction::Kind::memory, &BulkCopies::reduce},
    InstructionRow{"cp", "commit_group", Instruction::Kind::synchronization, &BulkCopies::commit, &is_of_bulk},
    InstructionRow{"cp", "commit_group", Instruction::Kind::synchronization, &MemoryAccess::commit_async},
    InstructionRow{"cp", "wait_group", Instruction::Kind::synchronization, &BulkCopies::wait, &is_of_bulk},
    InstructionRow{"cp", "wait_group", Instruction::Kind::synchronization, &MemoryAccess::wait_async},
    InstructionRow{"cp", "bulk", Instruction::Kind::memory, &BulkCopies::copy},
    InstructionRow{"cp", "wait_all", Instruction::Kind::synchronization, &MemoryAccess::wait_async},
    InstructionRow{"cp", "mbarrier", Instruction::Kind::synchronization, &MbarrierInstructions::arrive_when_copied},
    InstructionRow{"cp", "async", Instruction::Kind::memory, &MemoryAccess::copy_async},
    InstructionRow{"fence", "mbarrier_init", Instruction::Kind::synchronization, &MemoryAccess::fence_proxy},
    InstructionRow{"fence", "alias", Instruction::Kind::not_understood, nullptr},
    InstructionRow{"fence", "tensormap::generic", Instruction::Kind::nothing, nullptr},
    InstructionRow{"fence", "proxy", Instruction::Kind::synchronization, &MemoryAccess::fence_proxy},
    InstructionRow{"fence", "sync_restrict::shared::cta", Instruction::Kind::synchronization,
                   &MemoryAccess::fence_shared},
    InstructionRow{"fence", "sync_restrict::shared::cluster", Instruction::Kind::synchronization,
                   &MemoryAccess::fence_shared},
    InstructionRow{"fence", "", Instruction::Kind::synchronization, &MemoryAccess::fence},
    InstructionRow{"membar", "", Instruction::Kind::synchronization, &MemoryAccess::fence},
    // Of threads.
    InstructionRow{"bar", "warp", Instruction::Kind::synchronization, &WarpInstructions::synchronize},
    InstructionRow{"bar", "red", Instruction::Kind::synchronization, &BarrierInstructions::reduce},
    InstructionRow{"bar", "arrive", Instruction::Kind::synchronization, &BarrierInstructions::arrive},
    InstructionRow{"bar", "sync", Instruction::Kind::synchronization, &BarrierInstructions::synchronize},
    InstructionRow{"barrier", "cluster", Instruction::Kind::synchronization, &synchronize_cluster},
    InstructionRow{"barrier", "red", Instruction::Kind::synchronization, &BarrierInstructions::reduce},
    InstructionRow{"barrier", "arrive", Instruction::Kind::synchronization, &BarrierInstructions::arrive},
    InstructionRow{"barrier", "sync", Instruction::Kind::synchronization, &BarrierInstructions::synchronize},
    InstructionRow{"shfl", "sync", Instruction::Kind::synchronization, &WarpInstructions::shuffle, nullptr,
                   &WarpInstructions::prepare},
    InstructionRow{"vote", "sync", Instruction::Kind::synchronization, &WarpInstructions::vote, nullptr,
                   &WarpInstructions::prepare},
    InstructionRow{"match", "sync", Instruction::Kind::synchronization, &WarpInstructions::match, nullptr,
                   &WarpInstructions::prepare},
    InstructionRow{"redux", "sync", Instruction::Kind::synchronization, &WarpInstructions::reduce, nullptr,
                   &WarpInstructions::prepare},
    InstructionRow{"elect", "sync", Instruction::Kind::synchronization, &WarpInstructions::elect},
    InstructionRow{"griddepcontrol", "wait", Instruction::Kind::synchronization, &await_grids},
    // Of the code, the caches and the clock: nothing that another thread sees.
    InstructionRow{"nanosleep", "", Instruction::Kind::nothing, nullptr},
    InstructionRow{"prefetch", "", Instruction::Kind::nothing, nullptr},
    InstructionRow{"prefetchu", "", Instruction::Kind::nothing, nullptr},
    InstructionRow{"setmaxnreg", "", Instruction::Kind::nothing, nullptr},
    InstructionRow{"pmevent", "", Instruction::Kind::nothing, nullptr},
    // A grid that triggers orders nothing: grids of several are taken to run beside each other from their beginning.
    InstructionRow{"griddepcontrol", "launch_dependents", Instruction::Kind::nothing, nullptr},
    // Of what is not there yet: they have an effect.
    InstructionRow{"shfl", "", Instruction::Kind::not_understood, nullptr},
    InstructionRow{"vote", "", Instruction::Kind::not_understood, nullptr},
    InstructionRow{"activemask", "", Instruction::Kind::synchronization, &WarpInstructions::active_mask},
    InstructionRow{"mbarrier", "init", Instruction::Kind::synchronization, &MbarrierInstructions::open},
    InstructionRow{"mbarrier", "inval", Instruction::Kind::synchronization, &MbarrierInstructions::close},
    InstructionRow{"mbarrier", "arrive", Instruction::Kind::synchronization, &MbarrierInstructions::arrive},
    InstructionRow{"mbarrier", "arrive_drop", Instruction::Kind::synchronization, &MbarrierInstructions::arrive},
    InstructionRow{"mbarrier", "complete_tx", Instruction::Kind::synchronization, &MbarrierInstructions::expect},
    InstructionRow{"mbarrier", "expect_tx", Instruction::Kind::synchronization, &MbarrierInstructions::expect},
    InstructionRow{"mbarrier", "test_wait", Instruction::Kind::synchronization, &MbarrierInstructions::wait},
    InstructionRow{"mbarrier", "try_wait", Instruction::Kind::synchronization, &MbarrierInstructions::wait},
    InstructionRow{"mbarrier", "pending_count", Instruction::Kind::synchronization,
                   &MbarrierInstructions::count_pending},
    InstructionRow{"mbarrier", "", Instruction::Kind::not_understood, nullptr},
    InstructionRow{"ldmatrix", "", Instruction::Kind::memory, &MatrixInstructions::load_rows, nullptr,
                   &MatrixInstructions::prepare},
    InstructionRow{"stmatrix", "", Instruction::Kind::memory, &MatrixInstructions::store_rows, nullptr,
                   &MatrixInstructions::prepare},
    InstructionRow{"mma", "sync", Instruction::Kind::value_of_warp, &MmaInstructions::multiply, &has_known_shape,
                   &MmaInstructions::prepare},
    InstructionRow{"wgmma", "fence", Instruction::Kind::synchronization, &ProductInstructions::fence},
    InstructionRow{"wgmma", "mma_async", Instruction::Kind::synchronization, &ProductInstructions::multiply, nullptr,
                   &take_shape<WgmmaShape>},
    InstructionRow{"wgmma", "commit_group", Instruction::Kind::synchronization, &ProductInstructions::commit},
    InstructionRow{"wgmma", "wait_group", Instruction::Kind::synchronization, &ProductInstructions::wait},
    InstructionRow{"wgmma", "", Instruction::Kind::not_understood, nullptr},
    InstructionRow{"wmma", "load", Instruction::Kind::memory, &WmmaInstructions::load},
    InstructionRow{"wmma", "store", Instruction::Kind::memory, &WmmaInstructions::store},
    InstructionRow{"wmma", "mma", Instruction::Kind::value_of_warp, &WmmaInstructions::multiply, &has_known_wmma_shape,
                   &take_shape<WmmaShape>},
    InstructionRow{"tensormap", "replace", Instruction::Kind::memory, &TensorCopies::replace},
    InstructionRow{"tensormap", "cp_fenceproxy", Instruction::Kind::memory, &TensorCopies::publish},
    InstructionRow{"tensormap", "", Instruction::Kind::not_understood, nullptr},
    InstructionRow{"trap", "", Instruction::Kind::synchronization, &MemoryAccess::trap},
    InstructionRow{"brkpt", "", Instruction::Kind::not_understood, nullptr},
    InstructionRow{"tex", "", Instruction::Kind::not_understood, nullptr},
    InstructionRow{"tld4", "", Instruction::Kind::not_understood, nullptr},
    InstructionRow{"suld", "", Instruction::Kind::not_understood, nullptr},
    InstructionRow{"sust", "", Instruction::Kind::not_understood, nullptr},
    InstructionRow{"sured", "", Instruction::Kind::not_understood, nullptr},
    InstructionRow{"multimem", "", Instruction::Kind::not_understood, nullptr},
    InstructionRow{"tcgen05", "alloc", Instruction::Kind::synchronization, &TensorMemoryInstructions::allocate},
    InstructionRow{"tcgen05", "relinquish_alloc_permit", Instruction::Kind::synchronization,
                   &TensorMemoryInstructions::relinquish},
    InstructionRow{"tcgen05", "dealloc", Instruction::Kind::synchronization, &TensorMemoryInstructions::free},
    InstructionRow{"tcgen05", "fence::before_thread_sync", Instruction::Kind::synchronization,
                   &TensorMemoryInstructions::fence},
    InstructionRow{"tcgen05", "fence::after_thread_sync", Instruction::Kind::synchronization,
                   &TensorMemoryInstructions::fence},
    InstructionRow{"tcgen05", "mma", Instruction::Kind::synchronization, &TensorProductInstructions::multiply,
                   &is_dense_product},
    InstructionRow{"tcgen05", "cp", Instruction::Kind::synchronization, &TensorCopyInstructions::copy,
                   &TensorCopyInstructions::has_shape},
    InstructionRow{"tcgen05", "shift", Instruction::Kind::synchronization, &TensorCopyInstructions::shift},
    InstructionRow{"tcgen05", "commit", Instruction::Kind::synchronization, &TensorMemoryInstructions::commit},
    InstructionRow{"tcgen05", "ld", Instruction::Kind::synchronization, &TensorMemoryInstructions::load,
                   &is_access_of_words},
    InstructionRow{"tcgen05", "wait::ld", Instruction::Kind::synchronization, &TensorMemoryInstructions::await_loads},
    InstructionRow{"tcgen05", "st", Instruction::Kind::synchronization, &TensorMemoryInstructions::store,
                   &is_access_of_words},
    InstructionRow{"tcgen05", "wait::st", Instruction::Kind::synchronization, &TensorMemoryInstructions::await_stores},
    InstructionRow{"tcgen05", "", Instruction::Kind::not_understood, nullptr},
    InstructionRow{"clusterlaunchcontrol", "try_cancel", Instruction::Kind::memory, &ClusterRequests::request},
    InstructionRow{"clusterlaunchcontrol", "query_cancel", Instruction::Kind::memory, &ClusterRequests::query},
    InstructionRow{"clusterlaunchcontrol", "", Instruction::Kind::not_understood, nullptr},
    InstructionRow{"brx", "", Instruction::Kind::not_understood, nullptr},
    InstructionRow{"alloca", "", Instruction::Kind::not_understood, nullptr},
    InstructionRow{"stacksave", "", Instruction::Kind::not_understood, nullptr},
    InstructionRow{"stackrestore", "", Instruction::Kind::not_understood, nullptr},
    InstructionRow{"discard", "", Instruction::Kind::not_understood, nullptr},
};

}  // namespace dma::inline v0_1::proof::ptx::detail
