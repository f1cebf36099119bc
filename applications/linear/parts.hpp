#pragma once

/// How sums of a tile become one: those of a CTA's warpgroups, and of CTAs that have parts of its k.

#include "plan.hpp"

#include <dma/dma.hpp>
#include <dma/kernel/last_cta.hpp>
#include <dma/kernel/phase_barrier.hpp>

namespace linear {

/// In global memory, for parts of CTAs that are no cluster: the sums of two parts for each CTA, and a counter for each
/// tile, zero before and after a launch.
struct Workspace {
  dma::Vector<float>* sums;
  dma::ArrivalCounter* arrivals;
};

/// Adds up the sums of a tile within a cluster, each CTA its share of them: the others send it theirs. Each warpgroup
/// has the sums of its rows and of its part of k, some vectors of four for each thread.
template <int vectors, int row_groups, int ctas>
class Parts {
  using Vector = dma::Vector<float>;
  using Barrier = dma::PhaseBarrier<dma::Scope::cluster>;
  static constexpr int k_groups = 4 / row_groups;
  static constexpr int of_rows = 4 * vectors;  ///< vectors of a row group's four warps, for each lane
  static_assert(of_rows % ctas == 0,
                "linear::Parts: the CTAs of a cluster add up equally many vectors; give it 2 or 4 of them");
  static constexpr int of_cta = of_rows / ctas;

 public:
  static constexpr int vectors_of_cta = 0;  ///< in the workspace

  struct Shared {
    Vector sums[row_groups][of_cta][ctas * k_groups][32];
    typename Barrier::State sent;
  };

  /// Collective over the cluster, which it synchronizes.
  DMA_HOST_DEVICE Parts(const dma::Cta& cta, Shared& shared, const Plan&, const Workspace&)
      : shared_(shared), rank_(cta.cluster_rank()), sent_(cta, shared.sent, 1) {}

  /// Adds up a tile's sums, and calls `body(row_group, thread, j, four)` for the vectors that this thread has added up:
  /// that is the j-th of a row group's thread. Once in a kernel.
  template <class Compute, class Body>
  DMA_HOST_DEVICE void add(const Compute& compute, const Plan::Piece&, const float* sums, const Body& body) {
    send(compute, sums);
    compute.sync();
    sent_.wait();
    constexpr int warps = 16;
    const int lane = compute.rank() % 32;
    for (int i = compute.rank() / 32; i < row_groups * of_cta; i += warps) {
      const Vector(&parts)[ctas * k_groups][32] = shared_.sums[i % row_groups][i / row_groups];
      Vector four = parts[0][lane];
      dma::unrolled<ctas * k_groups - 1>([&](auto part) {
        const Vector others = parts[part + 1][lane];
        dma::unrolled<4>([&](auto e) { four[e] += others[e]; });
      });
      const int at = i / row_groups * ctas + rank_;
      body(i % row_groups, at % 4 * 32 + lane, at / 4, four);
    }
  }

 private:
  /// Gives each CTA what it adds up of a thread's sums.
  template <class Compute>
  DMA_HOST_DEVICE void send(const Compute& compute, const float* sums) const {
    if (compute.rank() == 0) {
      sent_.expect((ctas - 1) * k_groups * row_groups * of_cta * 32 * int{sizeof(Vector)});
    }
    const int row_group = compute.group() % row_groups;
    const int part = rank_ * k_groups + compute.group() / row_groups;
    dma::unrolled<vectors>([&](auto j) {
      const int at = 4 * j + compute.rank() % 128 / 32;
      Vector& to = shared_.sums[row_group][at / ctas][part][compute.rank() % 32];
      const Vector four{sums[4 * j], sums[4 * j + 1], sums[4 * j + 2], sums[4 * j + 3]};
      if (at % ctas == rank_) {
        to = four;
      } else {
        sent_.send(at % ctas, &to, four);
      }
    });
  }

  Shared& shared_;
  const int rank_;
  Barrier sent_;
};

/// Adds up the sums of a tile in a CTA, and in the last one of those that have parts of it, through global memory.
template <int vectors, int row_groups>
class Parts<vectors, row_groups, 1> {
  using Vector = dma::Vector<float>;
  static constexpr int k_groups = 4 / row_groups;
  static constexpr int own = (vectors + k_groups - 1) / k_groups;  ///< of a thread's, which its warpgroup adds up
  static constexpr int of_part = row_groups * vectors * 128;

 public:
  static constexpr int vectors_of_cta = 2 * of_part;  ///< in the workspace

  /// For each vector of a thread those of all warpgroups but one of the same rows.
  struct Shared {
    Vector sums[k_groups - 1][row_groups][vectors][128];
    dma::ArrivalCounter arrivals;
  };

  DMA_HOST_DEVICE Parts(const dma::Cta& cta, Shared& shared, const Plan& plan, const Workspace& workspace)
      : shared_(shared), plan_(plan), workspace_(workspace), cta_(cta.block().x) {}

  /// The same, for piece after piece. Calls `body` where the CTA has all of the tile, or its last part.
  template <class Compute, class Body>
  DMA_HOST_DEVICE void add(const Compute& compute, const Plan::Piece& piece, const float* sums, const Body& body) {
    row_group_ = compute.group() % row_groups;
    k_group_ = compute.group() / row_groups;
    thread_ = compute.rank() % 128;
    Vector mine[own];
    add_groups(compute, sums, mine);
    if (plan_.is_whole(piece) || add_parts(compute, piece, mine)) {
      for_each_own([&](auto i, int j) { body(row_group_, thread_, j, mine[i]); });
    }
  }

 private:
  /// Adds up the sums of the warpgroups of the same rows, each of which then has its own vectors.
  template <class Compute>
  DMA_HOST_DEVICE void add_groups(const Compute& compute, const float* sums, Vector (&mine)[own]) {
    dma::unrolled<vectors>([&](auto j) {
      constexpr int owner = j / own;
      const Vector four{sums[4 * j], sums[4 * j + 1], sums[4 * j + 2], sums[4 * j + 3]};
      if (k_group_ == owner) {
        mine[j % own] = four;
      } else {
        shared_.sums[(k_group_ - owner + k_groups) % k_groups - 1][row_group_][j][thread_] = four;
      }
    });
    compute.sync();
    for_each_own([&](auto i, int j) {
      dma::unrolled<k_groups - 1>([&](auto other) { add(mine[i], shared_.sums[other][row_group_][j][thread_]); });
    });
    compute.sync();
  }
  /// Calls `body(i, j)` for each vector that this warpgroup has, which is the thread's j-th.
  template <class Body>
  DMA_HOST_DEVICE void for_each_own(const Body& body) const {
    dma::unrolled<own>([&](auto i) {
      const int j = k_group_ * own + i;
      if (vectors == own * k_groups || j < vectors) {
        body(i, j);
      }
    });
  }
  DMA_HOST_DEVICE static void add(Vector& sums, const Vector& others) {
    dma::unrolled<4>([&](auto i) { sums[i] += others[i]; });
  }

  /// Leaves the sums of a piece. In the last CTA of its tile it returns true, and the sums are then those of the tile.
  template <class Compute>
  DMA_HOST_DEVICE bool add_parts(const Compute& compute, const Plan::Piece& piece, Vector (&mine)[own]) {
    const int parts = plan_.parts_of(piece.tile);
    Vector* const part = part_at(cta_, piece.first == 0);
    for_each_own([&](auto i, int j) { part[vector_of(j)] = mine[i]; });
    if (!dma::is_last_cta(compute, workspace_.arrivals[piece.tile], parts, shared_.arrivals)) {
      return false;
    }
    // In order of k, whichever CTA is the last. The loads of several parts are in flight together.
    constexpr int together = own > 4 ? 1 : 8 / own;
    const int first_cta = plan_.first_cta_of(piece.tile);
    dma::unrolled<own>([&](auto i) { mine[i] = {}; });
    for (int first = 0; first < parts; first += together) {
      Vector others[together][own];
      dma::unrolled<together>([&](auto t) {
        const int other = first + t < parts ? first + t : first;
        const Vector* const of_other = part_at(first_cta + other, other == 0);
        for_each_own([&](auto i, int j) { others[t][i] = of_other[vector_of(j)]; });
      });
      dma::unrolled<together>([&](auto t) {
        if (first + t < parts) {
          for_each_own([&](auto i, int) { add(mine[i], others[t][i]); });
        }
      });
    }
    return true;
  }
  /// Where a CTA's part is. It has at most one that begins with a tile, and one that does not.
  [[nodiscard]] DMA_HOST_DEVICE Vector* part_at(int cta, bool begins_tile) const {
    return workspace_.sums + (2LL * cta + (begins_tile ? 0 : 1)) * of_part;
  }
  /// Which of a part's vectors is this thread's j-th.
  [[nodiscard]] DMA_HOST_DEVICE int vector_of(int j) const { return (row_group_ * vectors + j) * 128 + thread_; }

  Shared& shared_;
  const Plan& plan_;
  const Workspace& workspace_;
  const int cta_;
  int row_group_ = 0;
  int k_group_ = 0;
  int thread_ = 0;
};

}  // namespace linear
