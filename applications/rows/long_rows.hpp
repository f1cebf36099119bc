#pragma once

#include "kernel.hpp"
#include "operations.hpp"
#include "row_threads.hpp"
#include "row_writer.hpp"
#include "sum_exchange.hpp"

#include <dma/dma.hpp>

/// What `Rows` does, for rows that are longer than the registers of a CTA: a cluster of CTAs for each, which keep their
/// parts in the slots of a pipeline. x is read once.
///
/// A CTA is one row ahead: it sends its sum of a row to the others, and writes y of the row before, whose sums have
/// come meanwhile. So no CTA waits for another, unless that one is a row behind. The grid is persistent.
///
/// @pre Rows are consecutive; all addresses are multiples of 16.
template <class T, class Operation, RowsPlan plan>
struct LongRows {
  using Threads = RowThreads<T, plan>;
  using Layout = typename Threads::Layout;
  using Pipe = dma::DmaPipeline<typename Threads::Tile, dma::MultiBuffer<Layout, plan.stages>>;
  using Sum = typename Operation::Sum;
  using Exchange = SumExchange<Sum, plan.ctas_a_row>;
  static constexpr dma::KernelTraits traits{.min_ctas = plan.min_ctas, .cluster = plan.ctas_a_row};
  static_assert(Threads::is_cluster && Threads::rows_a_tile == 1 && plan.pieces == 1 && plan.kept == Kept::in_slots,
                "LongRows: a cluster shares a row, and a CTA's part of it is one tile");
  static_assert(plan.stages >= 2, "LongRows: two rows are in slots at a time; use more stages");

  struct Shared {
    typename Pipe::Storage storage;
    typename Exchange::Shared exchange;
    Sum of_warps[2][plan.warps];  ///< of even and odd rows
  };

  /// CTAs of a grid of so many clusters.
  [[nodiscard]] static constexpr int ctas(int clusters) { return clusters * plan.ctas_a_row; }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<LongRows>& cta, const Operation& operation, const T* x, T* y,
                                  int rows) const {
    auto& shared = cta.template shared<Shared>();
    const int part = cta.cluster_rank() * plan.part_columns();
    const int first = cta.block().x / plan.ctas_a_row;
    const int step = cta.blocks().x / plan.ctas_a_row;
    const int own_rows = first < rows ? (rows - 1 - first) / step + 1 : 0;
    const auto start_of = [&](int i) { return static_cast<long long>(first + i * step) * plan.columns + part; };
    Pipe pipe(cta, shared.storage);
    const auto dma = pipe.as_dma();
    const auto compute = pipe.as_compute();
    int next = 0;
    const auto load = [&](int parts) {
      for (const int last = next + parts; next < last && next < own_rows; ++next) {
        dma.load(x + start_of(next));
      }
    };
    load(plan.stages);
    RowWriter<T, Operation, plan> writer(cta, operation, part);
    Exchange exchange(cta, shared.exchange);

    const auto begin = [&](int i, const dma::Slot<Pipe>& slot) {
      typename Threads::Values values;
      Threads::read(cta, slot, 0, values);
      const Sum own = Sum::of(values);
      send(cta, compute, shared.of_warps[i % 2], own, exchange, i);
      return own;
    };
    const auto end = [&](int i, dma::Slot<Pipe>& slot, const Sum& own) {
      const auto of_row = operation.row_of(own, Threads::of_parts(cta, exchange.wait(i)), plan.columns);
      writer.write(cta, operation, part, y + start_of(i), of_row, [&](int vector, float(&elements)[Threads::width]) {
        Threads::read_vector(cta, slot, vector, elements);
        if constexpr (requires { own.replace(elements); }) {
          own.replace(elements);  // as Sum::of did with the values that it was given
        }
      });
      if (part == 0 && cta.thread() == 0) {
        operation.write(first + i * step, of_row);
      }
      slot.release();
      load(1);
    };

    if (own_rows > 0) {
      auto previous = compute.wait();
      Sum own_previous = begin(0, previous);
      for (int i = 1; i < own_rows; ++i) {
        auto current = compute.wait();
        const Sum own = begin(i, current);
        end(i - 1, previous, own_previous);
        previous = static_cast<dma::Slot<Pipe>&&>(current);
        own_previous = own;
      }
      end(own_rows - 1, previous, own_previous);
    }
  }

 private:
  /// Sends the sum of row `i`'s part, of which a thread has its `own`.
  DMA_HOST_DEVICE static void send(dma::KernelCta<LongRows>& cta, const dma::ComputeHandle<Pipe>& compute,
                                   Sum (&of_warps)[plan.warps], const Sum& own, Exchange& exchange, int i) {
    const Sum of_warp = Threads::template of_lanes<32>(cta, own, Threads::values);
    if (cta.lane() == 0) {
      of_warps[cta.warp()] = of_warp;
    }
    compute.sync();
    if (cta.warp() == 0) {
      const Sum of_lane = of_warps[cta.lane() % plan.warps];
      exchange.send(cta, i, Threads::template of_lanes<plan.warps>(cta, of_lane, 32 * Threads::values));
    }
  }
};

/// The kernel of a plan.
template <class T, class Operation, RowsPlan plan>
using RowsKernel =
    dma::stdlib::conditional_t<plan.kept == Kept::in_slots, LongRows<T, Operation, plan>, Rows<T, Operation, plan>>;
