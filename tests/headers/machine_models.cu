// The GPU's model and the host's of dma::machine have the same names, with the same types. machine_models.cmake sees to
// it that every name of the list is here.

#include <dma/machine/access.hpp>
#include <dma/machine/host/access.hpp>
#include <dma/machine/host/machine.hpp>
#include <dma/machine/host/matrix.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/matrix.hpp>

#if defined(__CUDA_ARCH__)  // where both are visible

namespace dma::machine {

template <class Gpu, class Host>
inline constexpr bool are_same = stdlib::is_same_v<Gpu, Host>;

#define SAME(name, ...)                                                                                    \
  static_assert(are_same<decltype(&gpu_model::name __VA_ARGS__), decltype(&host_model::name __VA_ARGS__)>, \
                "dma::machine: the GPU's model and the host's have different types of " #name)

using Condition = bool (*)();
using Emulation = Condition (*)();
using EmulationInCta = Condition (*)(unsigned char*);
inline constexpr CacheHints hints{};

// machine.hpp
SAME(checks_contracts);
SAME(compares_tiles);
SAME(architecture);
SAME(expect_architecture, <800, void>);
SAME(block);
SAME(blocks);
SAME(cluster_rank);
SAME(cluster_size);
SAME(peer_address);
SAME(sync_cluster);
SAME(cta_is_linear);
SAME(cta_threads);
SAME(sm_count);
SAME(thread_rank);
SAME(uniform_warp_rank);
SAME(assume);
SAME(per_lane);
SAME(shared_memory);
SAME(is_unwinding);
SAME(grid_dependency_wait);
SAME(load_constants);
SAME(trigger_dependent_launch);
SAME(sync_cta);
SAME(sync_warp);
SAME(elect);
SAME(shuffle, <float>);
SAME(any);
SAME(ballot);
SAME(barrier_sync);
SAME(barrier_arrive);
SAME(phase_init);
SAME(phase_invalidate);
SAME(phase_arrive);
SAME(phase_expect);
SAME(phase_arrive_expecting);
SAME(phase_arrive_when_copied);
SAME(phase_arrive_when_multiplied);
SAME(phase_wait);
SAME(phase_is_complete);
SAME(await_landing);
SAME(polls_truly);
SAME(wait_for_async_copies);
SAME(fence_async_proxy);
SAME(begin_async_reads);
SAME(commit_async_reads);
SAME(wait_for_async_reads, <1>);
SAME(count);
SAME(take_number);
SAME(read_count);
SAME(clear_count);
SAME(count_around);
SAME(use_counter, <unsigned>);
SAME(await_grid, <Condition>);
SAME(take_budget, <128, 24>);
SAME(has_budget);
SAME(claim_barriers);
SAME(release_barriers);
SAME(claim_storage);
SAME(free_storage);
SAME(name_kernel);
SAME(enters);
SAME(record_of);
SAME(enters_again);
SAME(is_global);
SAME(is_local);
SAME(is_shared);
SAME(expect_row);
SAME(call_on_device, <void, int>);
SAME(pipeline_opened);
SAME(called_from);
SAME(works_on);
SAME(touched);
SAME(exposed);
SAME(ends);
SAME(mark_reads);
SAME(expect_reads_over);
SAME(slot_emptied);
SAME(slot_filled);
SAME(slot_held);
SAME(slot_place);
SAME(slot_moving);
SAME(slot_used);
SAME(slots_gone);
SAME(trace_time);

// access.hpp
SAME(load_global, <16, hints>);
SAME(store_shared, <16>);
SAME(store_shared_once, <16>);
SAME(load_shared, <16>);
SAME(store_global, <16, hints>);
SAME(add_global, <float, 16>);
SAME(copy_async, <16, hints>);
SAME(copy_bulk_to_shared, <hints>);
SAME(copy_bulk_to_global, <hints>);
SAME(add_bulk_to_global, <float, hints>);
SAME(copy_box_to_shared, <hints, 2, Emulation>);
SAME(copy_box_to_global, <hints, 2, Emulation>);
SAME(add_box_to_global, <hints, 2, Emulation>);
SAME(gathers_rows);
SAME(gather_rows, <hints, Emulation>);
SAME(scatters_rows);
SAME(scatter_rows, <hints, Emulation>);
SAME(commit_bulk_group);
SAME(wait_for_bulk_reads, <0>);
SAME(wait_for_bulk_groups);

SAME(phase_arrive_at, <Scope::cluster>);
SAME(phase_arrive_for_shared_at);
SAME(phase_arrive_in_pair_when_multiplied);
SAME(phase_wait_in_cluster);
SAME(store_async, <16>);
SAME(copy_bulk_to_cta);
SAME(copy_box_to_ctas, <hints, 2, EmulationInCta>);
SAME(clear_shared);
SAME(clears_at_once);
SAME(cancels_clusters, <1>);
SAME(cancel_cluster, <2>);
SAME(is_cancelled);
SAME(first_cancelled);
SAME(access_atomically, <AtomicKind::add, Scope::gpu, int>);
SAME(fence_threads, <Scope::gpu>);

// matrix.hpp
SAME(matrix_address);
SAME(begin_products);
SAME(begin_operand_reads);
SAME(use_registers);
SAME(registers_are_free);
SAME(multiply_matrices, <__half, 64, Major::k, Major::mn>);
SAME(multiply_rows, <__half, 64, Major::k>);
SAME(packed, <__half>);
SAME(store_matrices, <4>);
SAME(renew);
SAME(compute_first);

}  // namespace dma::machine

#endif
