#pragma once

#include <dma/config.hpp>
#include <dma/machine/cache_hints.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/scope.hpp>
#include <dma/machine/word.hpp>

#if defined(__CUDA_ARCH__)
#include <dma/machine/gpu/access.hpp>
#else
#include <dma/machine/host/access.hpp>
#endif

/// The accesses that engines use, and those between CTAs: the second part of the machine's list. A misaligned address
/// faults on a GPU; a host reports it.
namespace dma::inline v0_1::machine {

// Through registers. Each address is a multiple of `Bytes`.

/// Word<Bytes> load_global<Bytes, Hints>(const unsigned char* base, long long offset)
using model::load_global;
/// void store_shared<Bytes>(unsigned char* base, int offset, const Word<Bytes>&)
using model::store_shared;
/// void store_shared_once<Bytes>(bool is_own, unsigned char* base, int offset, const Word<Bytes>&): where `is_own` is
/// false another lane, or this one before, stores the same word there, and a GPU may store it twice: lanes that skip a
/// store would diverge, and no read moves over a branch.
using model::store_shared_once;
/// Word<Bytes> load_shared<Bytes>(const unsigned char* base, int offset)
using model::load_shared;
/// bool clears_at_once, void clear_shared(unsigned char* place, int bytes): whether one instruction stores zeros from a
/// place on, which is a multiple of 16 as the bytes are: on sm_100 and newer.
using model::clear_shared;
using model::clears_at_once;
/// void store_global<Bytes, Hints>(unsigned char* base, long long offset, const Word<Bytes>&)
using model::store_global;
/// void add_global<Element, Bytes>(unsigned char* to, const Word<Bytes>&): each element is added to the one at `to`.
using model::add_global;

// Asynchronous copies of threads.

/// void copy_async<Bytes, Hints>(unsigned char* shared, int to, const unsigned char* global, long long from): both
/// addresses are multiples of `Bytes`.
using model::copy_async;

// Bulk copies, each issued by one thread. Addresses and lengths are multiples of 16. Copies to global memory belong to
// the thread's current bulk group.

/// void copy_bulk_to_shared<Hints>(unsigned char* to, const unsigned char* from, int bytes, void* barrier): reports its
/// bytes to `barrier`.
using model::copy_bulk_to_shared;
/// void copy_bulk_to_global<Hints>(unsigned char* to, const unsigned char* from, int bytes)
using model::copy_bulk_to_global;
/// void add_bulk_to_global<Element, Hints>(unsigned char* to, const unsigned char* from, int bytes): each element is
/// added to the one in global memory.
using model::add_bulk_to_global;

// Boxes of a described array, as bulk copies. `emulation()` returns what a host does instead of the instruction, a
// function of no arguments; `bytes` are those of the box's tile.

/// void copy_box_to_shared<Hints>(unsigned char* to, const void* descriptor, const int (&position)[Rank],
/// void* barrier, int bytes, const Emulation&)
using model::copy_box_to_shared;
/// void copy_box_to_global<Hints>(const void* descriptor, const unsigned char* from, const int (&position)[Rank],
/// int bytes, const Emulation&)
using model::copy_box_to_global;
/// The same; each element of the box is added to the one in the array.
using model::add_box_to_global;

// Four rows of a described array of two axes, each named by its number; row i is `row_bytes * i` into the tile. `place`
// is a column and the four numbers. Rows outside the array arrive as its fill, and are not stored.

/// bool gathers_rows, scatters_rows: whether one instruction does that: on sm_100 and newer, to global memory on
/// sm_100a, sm_103a, sm_110a and the like. Elsewhere they are four boxes. A host has them.
using model::gathers_rows;
using model::scatters_rows;
/// void gather_rows<Hints>(unsigned char* to, const void* descriptor, const int (&place)[5], void* barrier,
/// int row_bytes, const Emulation&)
using model::gather_rows;
/// void scatter_rows<Hints>(const void* descriptor, const unsigned char* from, const int (&place)[5], int rows,
/// int row_bytes, const Emulation&): the first `rows` of the four; the others are outside the array.
using model::scatter_rows;

/// void commit_bulk_group(): closes the thread's current bulk group.
using model::commit_bulk_group;
/// void wait_for_bulk_reads<Pending>(): until at most so many of the thread's bulk groups still read shared memory.
using model::wait_for_bulk_reads;
/// void wait_for_bulk_groups(): until all of the thread's bulk groups are complete.
using model::wait_for_bulk_groups;

// Barriers and copies between the CTAs of a cluster. Places and barriers are named by their addresses in this CTA's
// shared memory; CTA `rank` of the cluster has them at the same offset.
//
// @pre The other CTA has started, and does not end before it has waited for the arrival or the bytes.

/// void phase_arrive_at<Scope>(void* barrier, int rank, const Site&): one arrival at CTA `rank`'s barrier. At CTA scope
/// it orders nothing for the threads of another CTA.
using model::phase_arrive_at;
/// void phase_arrive_for_shared_at(void* barrier, int rank, const Site&): one arrival at CTA `rank`'s barrier, at
/// cluster scope for what this CTA's threads have read and written in its shared memory. It orders nothing in global
/// memory.
using model::phase_arrive_for_shared_at;
/// void phase_arrive_in_pair_when_multiplied(void* barrier, const Site&): one arrival at the barrier of each CTA of the
/// thread's pair, when the products of the pair that the thread has started are complete.
using model::phase_arrive_in_pair_when_multiplied;
/// void phase_wait_in_cluster(void* barrier, unsigned parity, const Site&): waits for the phase, at cluster scope.
using model::phase_wait_in_cluster;
/// void store_async<Bytes>(void* to, const Word<Bytes>&, int rank, void* barrier): 4, 8 or 16 bytes, which CTA `rank`'s
/// barrier counts when they are there.
using model::store_async;
/// void copy_bulk_to_cta(void* to, const void* from, int bytes, int rank, void* barrier): a bulk copy from this CTA's
/// shared memory. Addresses and bytes are multiples of 16.
using model::copy_bulk_to_cta;
/// void copy_box_to_ctas<Hints>(unsigned char* to, const void* descriptor, const int (&position)[Rank], void* barrier,
/// int bytes, int ctas, const Emulation&): a box to the first `ctas` CTAs of the cluster, each of whose barriers counts
/// its bytes. `emulation(to)` returns what a host does instead, for one CTA.
using model::copy_box_to_ctas;

// The place of a cluster of the grid that has not begun: a cluster that runs has it never begin, and does its work. A
// kernel without clusters has clusters of one CTA.

/// bool cancels_clusters<Ctas>: whether the machine has these, for clusters of so many CTAs: sm_100 and newer, with
/// several CTAs sm_100a, sm_103a, sm_110a, sm_120a and the like. A host has them.
using model::cancels_clusters;
/// void cancel_cluster<Ctas>(void* response, void* barrier): asks for one. The response, 16 bytes at a multiple of 16,
/// comes as a bulk copy does, to each of the cluster's `Ctas` CTAs, whose own barrier counts the bytes. It may be that
/// there is none although clusters have not begun.
///
/// @pre No CTA of the cluster has ended, and no thread of this one has seen a response that names none.
using model::cancel_cluster;
/// bool is_cancelled(const Word<16>& response), Index3 first_cancelled(const Word<16>& response): whether a response
/// names a cluster, and the index of its first CTA, which is undefined where there is none.
using model::first_cancelled;
using model::is_cancelled;

// Atomic accesses of words in global or shared memory, and fences between threads.

/// T access_atomically<kind, scope>(T* place, T value, T expected, Order): an access of 4 or 8 bytes; returns the value
/// before, of a store the value itself. The order is no `seq_cst`: a fence before the access makes that of it.
using model::access_atomically;
/// void fence_threads<scope>(Order): orders this thread's accesses for those that are ordered after it.
using model::fence_threads;

}  // namespace dma::inline v0_1::machine
