#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace {

/// One partial tile of the rows that a list names.
template <class Engine>
struct Gathers {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Tile = dma::Indirect<int, 8, 64>;
  using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Layout>, dma::CudaBarrier, Engine>;
  struct Shared {
    typename Pipe::Storage storage;
  };

  void operator()(dma::KernelCta<Gathers>& cta, const int* table, const int* list, int rows, int* out) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    const Tile shape{.indices = list, .table_rows = 100, .rows = rows};
    if (pipe.is_dma()) {
      pipe.as_dma().load(table, shape);
    } else {
      const auto compute = pipe.as_compute();
      const auto tile = compute.wait(shape);
      for (int i = compute.rank(); i < 8 * rows; i += compute.size()) {
        out[i] = tile[i];
      }
    }
  }
};

/// Rows of any length, stored by two warps.
struct Scatters {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<2>>;
  using Rows = dma::Csr<int, 12, 70, dma::RowLayout{.pitch_bytes = 48, .alignment = 4}>;
  using Pipe = dma::DmaPipeline<dma::Store<Rows>, dma::SingleBuffer<Layout>, dma::CudaBarrier, dma::RegisterCopy<>>;
  struct Shared {
    Pipe::Storage storage;
  };

  void operator()(dma::KernelCta<Scatters>& cta, const int* offsets, int* out) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const Rows shape{.offsets = offsets, .table_rows = 70};
    if (pipe.is_dma()) {
      pipe.as_dma().store(out, shape);
    } else {
      const auto compute = pipe.as_compute();
      const auto tile = compute.wait(shape);
      for (int r = compute.rank(); r < 70; r += compute.size()) {
        for (int c = 0; c < shape.length(r); ++c) {
          tile(r, c) = 100 * r + c;
        }
      }
    }
  }
};

}  // namespace

TEMPLATE_TEST_CASE("a partial gather reads no index behind its own", "[patterns][engines]", dma::RegisterCopy<>,
                   dma::AsyncCopy<>, dma::BulkCopy<>) {
  std::vector<int> table(800);
  std::iota(table.begin(), table.end(), 0);
  for (const int rows : {0, 1, 33, 63}) {
    std::vector<int> list(96, 1'000'000), out(512, -7);  // no rows of the table
    for (int i = 0; i < rows; ++i) {
      list[static_cast<std::size_t>(i)] = i * 37 % 100;
    }
    dma::host::launch(Gathers<TestType>{}, {1}, table.data(), list.data(), rows, out.data());
    for (int i = 0; i < 512; ++i) {
      REQUIRE(out[static_cast<std::size_t>(i)] == (i < 8 * rows ? i / 8 * 37 % 100 * 8 + i % 8 : -7));
    }
  }
}

TEST_CASE("two warps store the rows of a list, each once", "[patterns][engines]") {
  std::vector<int> offsets(71, 0);
  for (int r = 0; r < 70; ++r) {
    offsets[static_cast<std::size_t>(r) + 1] = offsets[static_cast<std::size_t>(r)] + r * 5 % 13;
  }
  std::vector<int> out(static_cast<std::size_t>(offsets[70]) + 8, -7);
  dma::host::launch(Scatters{}, {1}, offsets.data(), out.data());
  for (int r = 0; r < 70; ++r) {
    const int first = offsets[static_cast<std::size_t>(r)];
    const int length = offsets[static_cast<std::size_t>(r) + 1] - first;
    for (int c = 0; c < length; ++c) {
      REQUIRE(out[static_cast<std::size_t>(first + c)] == 100 * r + c);
    }
  }
  REQUIRE(std::all_of(out.end() - 8, out.end(), [](int element) { return element == -7; }));
}
