#pragma once

#include <dma/dma.hpp>
#include <dma/host/launch.hpp>
#include <dma/machine/readable.hpp>

#include "mutants/cases.hpp"

#include <cstddef>
#include <string>
#include <vector>

/// A case of rows of different lengths, which come by a list and end between two accesses.
namespace mutants {

/// Copies rows to their places in another array, in tiles of some columns.
template <class Barrier, class Engine, int Alignment, int Warps>
struct SparseRows {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<Warps>, dma::Dma<1>>;
  static constexpr int cols = 12, windows = 2;
  static constexpr int rows = 70;  // more than two for each lane of a warp
  static constexpr int width = cols - 1;
  using Rows = dma::Csr<float, width, rows, dma::RowLayout{.pitch_bytes = 4 * cols, .alignment = Alignment}>;
  using In = dma::DmaPipeline<Rows, dma::MultiBuffer<Layout, 2>, Barrier, Engine>;
  using Out = dma::DmaPipeline<dma::Store<Rows>, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 1}>,
                               dma::CudaBarrier, dma::RegisterCopy<>>;
  struct Shared {
    typename In::Storage in;
    typename Out::Storage out;
  };

  void operator()(dma::KernelCta<SparseRows>& cta, const float* from, float* to, const int* offsets, int table_rows,
                  const int* ids, int n) const {
    auto& shared = cta.template shared<Shared>();
    In in(cta, shared.in);
    Out out(cta, shared.out);
    const auto for_each_tile = [&](const auto& body) {
      for (int first = 0; first < n; first += rows) {
        for (int window = 0; window < windows; ++window) {
          body(Rows{.offsets = offsets,
                    .table_rows = table_rows,
                    .indices = ids + first,
                    .rows = n - first < rows ? n - first : rows,
                    .col = window * cols});
        }
      }
    };
    cta.take_roles(
        [&] {
          for_each_tile([&](const Rows& shape) {
            const auto full = in.as_compute().wait(shape);
            const auto empty = out.as_compute().wait(shape);
            for (int r = cta.lane(); r < shape.rows; r += 32) {
              for (int c = 0; c < shape.length(r); ++c) {
                empty(r, c) = full(r, c);
              }
            }
          });
        },
        [&] { for_each_tile([&](const Rows& shape) { in.as_dma().load(from, shape); }); },
        [&] { for_each_tile([&](const Rows& shape) { out.as_dma().store(to, shape); }); });
  }
};

template <class Barrier, class Engine, int Alignment, int Warps>
void add_sparse_rows(Cases& cases) {
  using Kernel = SparseRows<Barrier, Engine, Alignment, Warps>;
  constexpr int table_rows = 197;
  constexpr int n = 150;
  struct Data {
    std::vector<int> offsets = std::vector<int>(table_rows + 1);
    std::vector<int> ids = std::vector<int>(n);
    std::vector<float> from, to;
    Data() {
      for (int row = 0; row < table_rows; ++row) {
        const int length = row * 7 % 29;
        constexpr int unit = Alignment / int{sizeof(float)};
        offsets[static_cast<std::size_t>(row) + 1] =
            offsets[static_cast<std::size_t>(row)] + (length + unit - 1) / unit * unit;
      }
      for (int i = 0; i < n; ++i) {
        ids[static_cast<std::size_t>(i)] = i * 5 % table_rows;
      }
      from.resize(static_cast<std::size_t>(offsets.back() + Kernel::cols));  // a faulty copy ends behind the last row
      for (std::size_t i = 0; i < from.size(); ++i) {
        from[i] = static_cast<float>(i + 1);
      }
      to.resize(from.size());
    }
    [[nodiscard]] bool is_right() const {
      std::vector<float> expected(to.size());
      for (const int id : ids) {
        const int first = offsets[static_cast<std::size_t>(id)];
        for (int i = first; i < offsets[static_cast<std::size_t>(id) + 1]; ++i) {
          const int col = i - first;
          const bool is_moved = col < Kernel::windows * Kernel::cols && col % Kernel::cols < Kernel::width;
          expected[static_cast<std::size_t>(i)] = is_moved ? static_cast<float>(i + 1) : 0;
        }
      }
      return to == expected;
    }
  };
  cases.push_back({"rows of any length, " + dma::machine::readable(dma::machine::type_name<typename Kernel::In>()),
                   [] {
                     Data data;
                     return dma::proof::prove(writes(data.to), Kernel{}, {1}, data.from.data(), data.to.data(),
                                              data.offsets.data(), table_rows, data.ids.data(), n);
                   },
                   [] {
                     Data data;
                     dma::host::launch({3}, Kernel{}, {1}, data.from.data(), data.to.data(), data.offsets.data(),
                                       table_rows, data.ids.data(), n);
                     return data.is_right();
                   }});
}

}  // namespace mutants
