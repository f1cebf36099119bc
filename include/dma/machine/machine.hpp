#pragma once

#include <dma/config.hpp>
#include <dma/machine/index3.hpp>
#include <dma/machine/records.hpp>
#include <dma/machine/site.hpp>

#if defined(__CUDA_ARCH__)
#include <dma/machine/gpu/machine.hpp>
#else
#include <dma/machine/host/machine.hpp>
#endif

/// The machine that the library runs on: one list of names with two models, a GPU's instructions and a host's emulated
/// thread. Only this header chooses between them; the code above it does not ask which it is.
///
/// The list is here and, for the accesses of engines, in `dma/machine/access.hpp`. Barriers and engines, also those of
/// a user, are written with these functions: they are then emulated and proved on a host. A name that a model lacks is
/// a compile error below, and a test compares the two models' signatures.
namespace dma::inline v0_1::machine {

#if defined(__CUDA_ARCH__)
namespace model = gpu_model;
#else
namespace model = host_model;
#endif

// Properties of the machine.

/// bool: whether contracts are checked. A host always checks, a GPU in the checked build.
using model::checks_contracts;
/// bool: whether the runs of a partial tile are compared on both sides of a pipeline, beside its elements.
using model::compares_tiles;

/// int: the architecture that this pass of the compiler is for, written as `__CUDA_ARCH__` is. 900 on a host.
using model::architecture;
/// void expect_architecture<Needed, Policy>(): refuses to compile a policy whose instructions the architecture lacks;
/// `Needed` is written in the same way.
using model::expect_architecture;

// The grid and the CTA.

/// Index3 block(), blocks(): the CTA's index in the grid, and the grid's extents.
using model::block;
using model::blocks;
/// int sm_count(): SMs of the GPU, or a few more. 1 on a host.
using model::sm_count;
/// int cta_threads(); bool cta_is_linear(): whether a thread's rank in the CTA is its first index.
using model::cta_is_linear;
using model::cta_threads;
/// int thread_rank(): 0 to cta_threads() - 1.
using model::thread_rank;
/// int uniform_warp_rank(): the warp's rank as a value that the compiler knows to be the same in all lanes, so that a
/// branch on it is uniform. Collective over the warp.
using model::uniform_warp_rank;
/// void assume(bool fact): states a fact to the compiler.
using model::assume;
/// int per_lane(int): the same value in a register of each lane, where the assembler would use a uniform register.
using model::per_lane;
/// void* shared_memory(): the kernel body's, aligned to `shared_alignment`.
using model::shared_memory;
/// void trigger_dependent_launch(), grid_dependency_wait(). Source: PTX ISA, griddepcontrol
using model::grid_dependency_wait;
using model::trigger_dependent_launch;
/// void load_constants(bool): from here on the thread loads what no grid before writes, or again anything. Nothing on a
/// GPU.
using model::load_constants;
/// int cluster_rank(), cluster_size(): the CTA's rank in its cluster, and the cluster's CTAs.
using model::cluster_rank;
using model::cluster_size;
/// void* peer_address(void* shared, int rank): where CTA `rank` of the cluster has what is at `shared` in this CTA's
/// shared memory. Source: PTX ISA, mapa
using model::peer_address;

// Synchronization of threads.

/// void sync_cta(), sync_warp(): all threads wait for one another, and see what the others wrote before.
using model::sync_cta;
using model::sync_warp;
/// void sync_cluster(): the same for all threads of the cluster. Source: PTX ISA, barrier.cluster
using model::sync_cluster;
/// bool elect(): true in one lane of a converged warp.
using model::elect;
/// T shuffle(T value, int source): the value of lane `source`. Collective over the warp; orders no memory accesses.
using model::shuffle;
/// bool any(bool value): whether it is true in a lane. Collective over the warp; orders no memory accesses.
using model::any;
/// unsigned ballot(bool value): the lanes in which it is true: bit l is lane l. Collective over the warp; orders no
/// memory accesses.
using model::ballot;

// Named barriers: arrive and wait, or arrive only, at hardware barrier `id`, with `threads` participating threads.
// Source: PTX ISA, barrier.cta

/// void barrier_sync(int id, int threads, const Site&)
using model::barrier_sync;
/// void barrier_arrive(int id, int threads, const Site&)
using model::barrier_arrive;

// Phase barriers: mbarrier objects of 8 bytes in shared memory. Source: PTX ISA, mbarrier

/// void phase_init(void* barrier, int arrivals): a phase completes after so many arrivals.
using model::phase_init;
/// void phase_invalidate(void* barrier): its bytes may be used for something else.
using model::phase_invalidate;
/// void phase_arrive(void* barrier, const Site&): one arrival.
using model::phase_arrive;
/// void phase_expect(void* barrier, int bytes, const Site&): the phase also needs so many bytes of asynchronous copies.
using model::phase_expect;
/// void phase_arrive_expecting(void* barrier, int bytes, const Site&): both at once.
using model::phase_arrive_expecting;
/// void phase_arrive_when_copied(void* barrier, const Site&): one arrival, when the thread's cp.async so far are
/// complete.
using model::phase_arrive_when_copied;
/// void phase_arrive_when_multiplied(void* barrier, const Site&): one arrival, when the thread's products into tensor
/// memory so far are complete. It orders nothing else.
using model::phase_arrive_when_multiplied;
/// void phase_wait(void* barrier, unsigned parity, const Site&): returns when the phase of this parity is complete.
using model::phase_wait;
/// void await_landing(const void* barrier, unsigned parity): waits until the phase that this warp's own copies complete
/// is complete, for the sake of time alone: nothing is ordered by it.
using model::await_landing;
/// bool phase_is_complete(const void* barrier, unsigned parity)
using model::phase_is_complete;
/// bool polls_truly(): whether a poll returns the true result where both results must be correct. A host may return
/// false.
using model::polls_truly;

// Completion and order of copies.

/// void wait_for_async_copies(): waits until the thread's cp.async are complete.
using model::wait_for_async_copies;
/// void fence_async_proxy(): the proxy fence. What this thread did to shared memory, and what it saw done, precedes
/// what later bulk copies do.
using model::fence_async_proxy;

// Reads of shared memory that go on after their instruction was issued, in groups of a warp: those of tensor cores. All
// lanes of a converged warp call the last two.

/// void begin_async_reads(const void* from, int bytes): tells that these bytes are being read. No instruction.
using model::begin_async_reads;
/// void commit_async_reads(): closes the warp's group of reads, which may be empty.
using model::commit_async_reads;
/// void wait_for_async_reads<Pending>(): until at most so many of the warp's groups are in flight.
using model::wait_for_async_reads;

// Words in global memory that all CTAs of a grid share.

/// void use_counter(const Word* word, const char* user): the thread takes part in counting in a word that is zero
/// before the grid and after it. A host reports where it is not.
using model::use_counter;
/// unsigned long long count(unsigned long long* word, unsigned long long value): adds; returns the value before.
using model::count;
/// unsigned long long take_number(unsigned long long* word, unsigned long long one, int numbers): adds `one`, and
/// returns the value before. The CTAs of the grid take `numbers` in all, each as many as it comes to; on a host, where
/// CTAs run one after another, one that has had an equal share is told that all are taken.
using model::take_number;
/// unsigned long long read_count(const unsigned long long* word)
using model::read_count;
/// void clear_count(unsigned long long* word)
using model::clear_count;
/// unsigned count_around(unsigned* word, unsigned last): adds one, or sets 0 after `last`; returns the value before.
/// Threads that count later see what this thread wrote before.
using model::count_around;
/// void await_grid(const Site&, const char* counted, unsigned number, holds): waits until `holds()`, a condition that
/// other CTAs make true. Returns at once on a host, which runs one CTA after another.
using model::await_grid;

// Register budgets, of which a warp sets one, and the hardware barriers of a CTA.

/// void take_budget<Launched, Budget>(): changes the registers of a thread from those of the launch to those of its
/// role. Collective over the role's warps. It must be the first statement of the role's branch; otherwise the compiler
/// cannot tell which code has how many registers. Acquiring more waits until other warps have released theirs.
using model::take_budget;
/// bool has_budget(): whether this warp has set its role's register budget; true where this is not tracked.
using model::has_budget;
/// void claim_barriers(int first, int count), release_barriers(int first, int count): the named barriers that a
/// pipeline of this thread uses. No second pipeline may claim them at the same time.
using model::claim_barriers;
using model::release_barriers;
/// void claim_storage(const PipelineRecord&, const void* storage, bool keeps_barriers), free_storage(const
/// PipelineRecord&): a pipeline uses this shared memory; if it keeps barriers there, no other may until it is freed.
/// Not tracked on a host, which knows each phase barrier.
using model::claim_storage;
using model::free_storage;

// For checks and messages.

/// void name_kernel(const char*): sets the name of the running kernel body.
using model::name_kernel;
/// void enters(Call, const Site&): a call begins; it is collective over the warp if its number says so. A pipeline's
/// calls after its construction are void enters_again(Call, const Site&, const PipelineRecord&), with the record that
/// record_of(const Site&, int slots) has made; making it is collective over the warp too.
/// Both wait for the lanes of the warp that are not there. A host's lanes are compared by the emulator.
using model::enters;
using model::enters_again;
using model::record_of;
/// bool is_unwinding(): whether an exception leaves the functions of this thread; a GPU has none.
using model::is_unwinding;
/// bool is_global(const void*), is_local(const void*), is_shared(const void*): whether an address is one of that
/// memory.
using model::is_global;
using model::is_local;
using model::is_shared;
/// void expect_row(long long row, int position, long long rows): checks that an index is a row of its table.
using model::expect_row;
/// void call_on_device<Call>(args...): `Call::on_device(args...)` in code for a GPU, and nothing on a host.
using model::call_on_device;
/// void pipeline_opened(const Site&, int stages, int slot_bytes): the thread constructs a pipeline, which the site
/// names; its slots are at the beginning of its storage.
using model::pipeline_opened;
/// void called_from(SourceLocation): the call that the thread is in.
using model::called_from;
/// void works_on(const Site&): the pipeline of that call, and its slot.
using model::works_on;
/// void touched(const void*, int bytes, Access): bytes of shared memory that the thread itself reads or writes.
using model::touched;
/// void exposed(void*, int bytes, int element_bytes, Access): the kernel has the address of a tile, until it releases
/// the slot.
using model::exposed;
/// void mark_reads(const ReadMark&): a slot's mark says that tensor cores read it in the group that is open;
/// expect_reads_over(const ReadMark&): a wait has covered that group. For the checked build; a host knows their bytes.
using model::expect_reads_over;
using model::mark_reads;
/// Both sides of a pipeline report the elements of a slot's tile, which must agree. No warp moves a slot that it holds,
/// or touches one that it has released.
///
/// SlotPlace slot_place(const PipelineRecord&, int stage): where the checked build keeps that number.
/// void slot_filled(const void* slot, int elements, uint64_t runs, SlotPlace), slot_used(the same): the tile in it;
/// slot_emptied(SlotPlace): what fills it next is not known.
/// void slot_held(const void* slot, int bytes, Holding), slot_moving(const void* slot, const void* global), which is
/// null for a map
using model::slot_emptied;
using model::slot_filled;
using model::slot_held;
using model::slot_moving;
using model::slot_place;
using model::slot_used;
/// void ends(const PipelineRecord&, bool takes_part, int filled, int used): a warp has ended a pipeline, before these
/// positions of the side that fills and of the one that uses, if it takes part in it.
using model::ends;
/// void slots_gone(const void* storage, int bytes): the storage of a pipeline's slots is free for other uses.
using model::slots_gone;
/// unsigned long long trace_time(unsigned long long& steps): the SM's cycles; on a host, calls counted in `steps`.
using model::trace_time;

}  // namespace dma::inline v0_1::machine
