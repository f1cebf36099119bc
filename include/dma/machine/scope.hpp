#pragma once

namespace dma {

/// Which threads a barrier's arrivals and waits order: those of the CTA, or of all CTAs of its cluster.
///
/// Cost    at cluster scope an arrival waits for the thread's earlier memory accesses (a membar), at CTA scope it does
///         not
/// Source  PTX ISA, "Scope"
enum class Scope { cta, cluster };

}  // namespace dma
