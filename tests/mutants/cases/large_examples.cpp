#include <dma/dma.hpp>
#include <dma/engines/tensor/host_tensor_map.hpp>
#include <dma/host/launch.hpp>

#include "mutants/cases.hpp"
#include "sgemv/kernel.hpp"
#include "stencil/halo_only.hpp"
#include "stencil/tuning.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace mutants {

namespace {

// --- the stencil -----------------------------------------------------------------------------------------------------

constexpr int radius = 1;
constexpr int few_columns = 9;
using Star = stencil::Star<float, radius>;
using Epilogue = stencil::StoreSum<float>;

/// A domain of small integers and its sums, which are exact. Planes before and after those of the sums stay zero.
struct Domain {
  static constexpr int ny = 5, nz = 4;
  static constexpr int margin = 2 * radius;  ///< planes
  int nx;
  std::vector<stencil::Vec<float>> in, out;
  Star star{{2, -3}};

  explicit Domain(int columns)
      : nx(columns), in(vectors_in(nz)), out(vectors_in(margin) + vectors_in(nz) + vectors_in(margin)) {
    for (int z = 0; z < nz; ++z) {
      for (int y = 0; y < ny; ++y) {
        for (int x = 0; x < nx; ++x) {
          in.data()->v[view().at(x, y, z)] = value(x, y, z);
        }
      }
    }
  }
  [[nodiscard]] long long pitch() const { return stencil::Field<float>::padded(nx); }
  [[nodiscard]] std::size_t vectors_in(int planes) const {
    return static_cast<std::size_t>(pitch() * ny * planes / stencil::Vec<float>::width);
  }
  [[nodiscard]] stencil::Vec<float>* sums() { return out.data() + vectors_in(margin); }
  [[nodiscard]] const stencil::Vec<float>* sums() const { return out.data() + vectors_in(margin); }
  [[nodiscard]] stencil::Field<const float> view() const { return {in.data()->v, nx, ny, nz, pitch()}; }
  [[nodiscard]] Epilogue epilogue() { return {sums()->v}; }
  [[nodiscard]] float value(int x, int y, int z) const {
    const bool is_inside = x >= 0 && x < nx && y >= 0 && y < ny && z >= 0 && z < nz;
    return is_inside ? static_cast<float>((x * 7 + y * 5 + z * 3) % 11 - 4) : 0.0F;
  }
  [[nodiscard]] bool is_right() const {
    bool are_equal = true;
    for (std::size_t i = 0; i < vectors_in(margin); ++i) {
      for (int lane = 0; lane < stencil::Vec<float>::width; ++lane) {
        are_equal = are_equal && out[i].v[lane] == 0 && out[out.size() - 1 - i].v[lane] == 0;
      }
    }
    for (int z = 0; z < nz; ++z) {
      for (int y = 0; y < ny; ++y) {
        for (int x = 0; x < nx; ++x) {
          const float around = value(x - 1, y, z) + value(x + 1, y, z) + value(x, y - 1, z) + value(x, y + 1, z) +
                               value(x, y, z - 1) + value(x, y, z + 1);
          are_equal = are_equal && sums()->v[view().at(x, y, z)] == 2 * value(x, y, z) - 3 * around;
        }
      }
    }
    return are_equal;
  }
};

template <class Kernel>
void add_stencil(Cases& cases, const std::string& name) {
  cases.push_back({name,
                   [] {
                     Domain data(few_columns);
                     return dma::proof::prove(writes(data.out), Kernel{}, {1}, data.view(), data.star, data.epilogue());
                   },
                   [] {
                     Domain data(few_columns);
                     dma::host::launch({3}, Kernel{}, {1}, data.view(), data.star, data.epilogue());
                     return data.is_right();
                   }});
}
void add_march(Cases& cases) {
  using Kernel = stencil::March<float, radius, stencil::march_shapes<float, radius>[0], Epilogue>;
  constexpr int columns = Kernel::cols + few_columns;  // two tiles, which read each other's columns
  const auto with_arguments = [](Domain& data, const auto& run) {
    const auto map = dma::host::tensor_map<Kernel::Plane>(data.view().data, Kernel::plane_at(data.view(), 0, 0, 0));
    // Two chunks of planes, so that a CTA has two items of each tile.
    const auto work = stencil::partition(data.nx, Domain::ny, Domain::nz, Kernel::cols, Kernel::rows, 2);
    dma::PaceCounter counter{};
    return run(map, work, &counter);
  };
  cases.push_back({"march",
                   [=] {
                     Domain data(columns);
                     return with_arguments(data, [&](const auto& map, const auto& work, dma::PaceCounter* counter) {
                       return dma::proof::prove(writes(data.out), Kernel{}, {1}, map, data.view(), data.star, work,
                                                counter, data.epilogue());
                     });
                   },
                   [=] {
                     Domain data(columns);
                     with_arguments(data, [&](const auto& map, const auto& work, dma::PaceCounter* counter) {
                       dma::host::launch({3}, Kernel{}, {1}, map, data.view(), data.star, work, counter,
                                         data.epilogue());
                       return 0;
                     });
                     return data.is_right();
                   }});
}

// --- a matrix times a vector -----------------------------------------------------------------------------------------

/// y = 2 A x of small integers, in two parts of the summed axis.
template <sgemv::Op op>
struct Product {
  static constexpr int m = op == sgemv::Op::n ? 40 : 300, n = op == sgemv::Op::n ? 70 : 12;
  std::vector<float> a = std::vector<float>(static_cast<std::size_t>(m * n));
  std::vector<float> x = std::vector<float>(op == sgemv::Op::n ? n : m);
  std::vector<float> y = std::vector<float>(op == sgemv::Op::n ? m : n, -1);
  std::vector<double> partial = std::vector<double>(1000);
  std::vector<dma::ArrivalCounter> arrivals = std::vector<dma::ArrivalCounter>(16);

  Product() {
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<float>(static_cast<int>(i * 7 % 13) - 5);
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<float>(static_cast<int>(i % 9) - 3);
    }
  }
  [[nodiscard]] sgemv::Problem problem() { return {op, m, n, 2, a.data(), m, x.data(), 1, 0, y.data(), 1}; }
  [[nodiscard]] sgemv::Workspace workspace() { return {partial.data(), arrivals.data()}; }
  [[nodiscard]] bool is_right() const {
    bool are_equal = true;
    for (int o = 0; o < static_cast<int>(y.size()); ++o) {
      double sum = 0;
      for (int s = 0; s < static_cast<int>(x.size()); ++s) {
        const int at = op == sgemv::Op::n ? o + s * m : s + o * m;
        sum += static_cast<double>(a[static_cast<std::size_t>(at)]) * x[static_cast<std::size_t>(s)];
      }
      are_equal = are_equal && y[static_cast<std::size_t>(o)] == static_cast<float>(2 * sum);
    }
    return are_equal;
  }
};
template <sgemv::Op op, class Kernel>
void add_product(Cases& cases, const std::string& name) {
  constexpr int blocks = ((op == sgemv::Op::n ? Product<op>::m : Product<op>::n) - 1) / Kernel::outputs + 1;
  cases.push_back({name,
                   [] {
                     Product<op> data;
                     return dma::proof::prove(writes(data.y, data.partial, data.arrivals), Kernel{}, {blocks, 2},
                                              data.problem(), data.workspace());
                   },
                   [] {
                     Product<op> data;
                     dma::host::launch({3}, Kernel{}, {blocks, 2}, data.problem(), data.workspace());
                     return data.is_right();
                   }});
}

using VecWarps = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>, dma::Dma<1>>;
struct BothBuffers {
  using Warps = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>, dma::Dma<2>>;
  using OfX = dma::ManualDoubleBuffer<Warps>;
  using OfA = dma::ManualDoubleBuffer<Warps, 1>;
};

}  // namespace

void add_large_examples(Cases& cases) {
  add_stencil<stencil::HaloOnlySingle<float, radius, Epilogue>>(cases, "halo-only, single");
  add_stencil<stencil::HaloOnlyDouble<float, radius, Epilogue>>(cases, "halo-only, double");
  add_stencil<stencil::BlockHaloSingle<float, radius, Epilogue>>(cases, "block-halo");
  add_march(cases);

  using sgemv::Op;
  constexpr sgemv::Access access{};
  constexpr sgemv::Access narrow{.alignment = 4};
  add_product<Op::n, sgemv::Vec<Op::n, sgemv::Tile{32, 16}, dma::DoubleBuffer<VecWarps>, narrow>>(cases,
                                                                                                  "sgemv, vec, N");
  add_product<Op::n, sgemv::Both<Op::n, sgemv::Tile{32, 16}, BothBuffers, narrow>>(cases, "sgemv, both, N");
  add_product<Op::t, sgemv::Both<Op::t, sgemv::Tile{128, 4}, BothBuffers, access>>(cases, "sgemv, both, T");
}

}  // namespace mutants
