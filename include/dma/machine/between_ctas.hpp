#pragma once

#include <dma/config.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/scope.hpp>

#if defined(__CUDA_ARCH__)
#include <dma/machine/gpu/between_ctas.hpp>
#else
#include <dma/machine/host/between_ctas.hpp>
#endif

/// Barriers and copies between the CTAs of a cluster: the third part of the machine's list. Places and barriers are
/// named by their addresses in this CTA's shared memory; CTA `rank` of the cluster has them at the same offset.
///
/// @pre The other CTA has started, and does not end before it has waited for the arrival or the bytes.
namespace dma::inline v0_1::machine {

/// void phase_arrive_at<Scope>(void* barrier, int rank, const Site&): one arrival at CTA `rank`'s barrier. At CTA scope
/// it orders nothing for the threads of another CTA.
using model::phase_arrive_at;
/// void phase_arrive_for_shared_at(void* barrier, int rank, const Site&): one arrival at CTA `rank`'s barrier, at
/// cluster scope for what this CTA's threads have read and written in its shared memory. It orders nothing in global
/// memory.
using model::phase_arrive_for_shared_at;
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

}  // namespace dma::v0_1::machine
