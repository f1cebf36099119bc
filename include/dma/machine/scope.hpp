#pragma once

namespace dma::inline v0_1 {

/// Which threads a barrier's arrivals and waits order: those of the CTA, or of all CTAs of its cluster.
///
/// Cost    at cluster scope an arrival waits for the thread's earlier memory accesses (a membar), at CTA scope it does
///         not
/// Source  PTX ISA, "Scope"
enum class Scope { cta, cluster };

namespace machine {

/// What an arrival at a phase barrier, and a wait for it, order: all accesses of the CTA's threads, those of the
/// arriving CTA's shared memory for the cluster's threads, or all accesses for these.
enum class Ordered : unsigned char { in_cta, shared_memory_in_cluster, in_cluster };

}  // namespace machine

}  // namespace dma::inline v0_1
