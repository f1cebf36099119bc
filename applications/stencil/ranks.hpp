#pragma once

/// The processes of a run, one a slab: what they say to each other beside their planes.

#include "lost_neighbour.hpp"

#include <cstddef>
#include <memory>

namespace stencil {

/// One of `count` processes.
struct Ranks {
  virtual ~Ranks() = default;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int count() const = 0;
  /// Gathers `bytes` of every rank in their order. Called by all; throws `LostNeighbour` where one has ended.
  virtual void all_gather(const void* own, std::size_t bytes, void* all) const = 0;
  [[nodiscard]] bool is_first() const { return rank() == 0; }
};

/// Starts so many processes, of which this one is the first; each returns from here with its rank. Before any use of
/// CUDA. The first waits for the others in the destructor.
[[nodiscard]] std::unique_ptr<Ranks> fork_ranks(int count);

/// The processes that mpirun has started, or null where it has not, or the program is built without MPI.
[[nodiscard]] std::unique_ptr<Ranks> mpi_ranks();

}  // namespace stencil
