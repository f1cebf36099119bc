#include <dma/dma.hpp>
#include <dma/host/launch.hpp>
#include <dma/machine/readable.hpp>

#include "kernels/right_slots.hpp"
#include "mutants/cases.hpp"

#if __has_include(<cuda_bf16.h>)
#include "gemm/host.hpp"
#endif

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace mutants {

namespace {

template <class Kernel>
struct Arrays {
  alignas(128) std::array<int, Kernel::in_count> in;
  std::array<int, Kernel::out_count> out{};
  std::array<right::Word, right::word_count> words{};

  Arrays() {
    for (std::size_t i = 0; i < in.size(); ++i) {
      in[i] = right::number(static_cast<int>(i));
    }
  }
  [[nodiscard]] bool are_right() const {
    bool all = true;
    for (int i = 0; i < Kernel::out_count; ++i) {
      all = all && out[static_cast<std::size_t>(i)] == Kernel::expected(in.data(), i);
    }
    return all;
  }
};

/// Slots that tensor cores read, and that are released one stage late.
template <class Barrier, class Engine>
void add_late_release(Cases& cases) {
  using Kernel = right::ReleasesOneStageLate<Barrier, Engine>;
  cases.push_back({"late release, " + dma::machine::readable(dma::machine::type_name<typename Kernel::Pipe>()),
                   [] {
                     Arrays<Kernel> data;
                     const int* const in = data.in.data();
                     return dma::proof::prove(writes(data.out, data.words), Kernel{}, {1}, in, data.out.data(),
                                              data.words.data());
                   },
                   [] {
                     Arrays<Kernel> data;
                     const int* const in = data.in.data();
                     dma::host::launch({3}, Kernel{}, {1}, in, data.out.data(), data.words.data());
                     return data.are_right();
                   }});
}

#if __has_include(<cuda_bf16.h>)
/// A product of small integers, whose sums are exact.
struct Product {
  using Element = gemm::BFloat16;
  using Kernel = gemm::Gemm<Element, gemm::TileShape{128, 64}, 3>;

  gemm::Plan plan;
  int m = plan.down * plan.shape.rows;
  int n = plan.across * plan.shape.columns;
  int k = plan.blocks() * gemm::block;
  std::vector<Element> a = integers(m * k, 5);
  std::vector<Element> b = integers(n * k, 3);
  std::vector<Element> c = std::vector<Element>(static_cast<std::size_t>(m * n), Element(99.0F));
  std::vector<dma::Vector<float>> sums = std::vector<dma::Vector<float>>(gemm::sums_of(plan));
  std::vector<dma::ArrivalCounter> arrivals = std::vector<dma::ArrivalCounter>(gemm::counters_of(plan));

  /// Mostly zeros, so that all results are integers that the elements have.
  [[nodiscard]] static std::vector<Element> integers(int count, int seed) {
    std::vector<Element> numbers;
    for (int i = 0; i < count; ++i) {
      const unsigned hash = static_cast<unsigned>(i + seed) * 2654435761U;
      numbers.emplace_back(hash >> 29 == 0 ? static_cast<float>(static_cast<int>(hash >> 20 & 7U) - 3) : 0.0F);
    }
    return numbers;
  }
  [[nodiscard]] gemm::Problem<Element> problem() { return {m, n, k, a.data(), k, b.data(), k, c.data(), n}; }
  [[nodiscard]] gemm::Workspace workspace() { return {sums.data(), arrivals.data()}; }
  [[nodiscard]] bool is_right() const {
    bool all = true;
    for (int i = 0; i < m * n; ++i) {
      float sum = 0;
      for (int l = 0; l < k; ++l) {
        sum += static_cast<float>(a[at(i / n * k + l)]) * static_cast<float>(b[at(i % n * k + l)]);
      }
      all = all && static_cast<float>(c[at(i)]) == sum;
    }
    return all;
  }
  [[nodiscard]] static std::size_t at(int i) { return static_cast<std::size_t>(i); }
};

void add_product(Cases& cases, const char* name, const gemm::Plan& plan) {
  cases.push_back({name,
                   [plan] {
                     Product data{plan};
                     return dma::proof::prove(writes(data.c, data.sums), Product::Kernel{}, {plan.ctas},
                                              gemm::host_maps<Product::Kernel>(data.problem()), data.problem(), plan,
                                              data.workspace());
                   },
                   [plan] {
                     Product data{plan};
                     dma::host::launch({3}, Product::Kernel{}, {plan.ctas},
                                       gemm::host_maps<Product::Kernel>(data.problem()), data.problem(), plan,
                                       data.workspace());
                     return data.is_right();
                   }});
}

/// Two tiles, whole ones or those of a plan that divides them, by a cluster of two CTAs, and the second launch.
void add_cluster_product(Cases& cases, const char* name, int clusters, int divided) {
  constexpr gemm::TileShape shape{.rows = 128, .columns = 64, .down = 2};
  using Kernel = gemm::ClusterGemm<Product::Element, shape, 2>;
  using Added = gemm::AddParts<Product::Element, shape>;
  const gemm::Plan plan = gemm::make_plan(256, 192, 256, clusters, shape, divided);
  const auto made = [=] { return Product{plan, 256, 192, 256}; };
  const auto multiply = [](Product& data) {
    dma::host::launch({3}, Kernel{}, {2 * data.plan.ctas}, gemm::host_maps<Kernel>(data.problem()), data.problem(),
                      data.plan, data.workspace());
  };
  cases.push_back({name,
                   [=] {
                     Product data = made();
                     multiply(data);
                     return dma::proof::prove(writes(data.c), Added{}, {Added::ctas(plan)}, data.problem(), plan,
                                              data.workspace());
                   },
                   [=] {
                     Product data = made();
                     multiply(data);
                     dma::host::launch({3}, Added{}, {Added::ctas(plan)}, data.problem(), plan, data.workspace());
                     return data.is_right();
                   }});
}

/// A tile whose k the two CTAs of a cluster divide.
void add_split_product(Cases& cases, const char* name) {
  constexpr gemm::TileShape shape{.rows = 128, .columns = 128, .deep = 2};
  using Kernel = gemm::SplitGemm<Product::Element, shape, 2>;
  const gemm::Plan plan = gemm::make_plan(128, 128, 320, 1, shape, 0);
  cases.push_back({name,
                   [=] {
                     Product data{plan};
                     return dma::proof::prove(writes(data.c), Kernel{}, {2}, gemm::host_maps<Kernel>(data.problem()),
                                              data.problem(), plan, data.workspace());
                   },
                   [=] {
                     Product data{plan};
                     dma::host::launch({3}, Kernel{}, {2}, gemm::host_maps<Kernel>(data.problem()), data.problem(),
                                       plan, data.workspace());
                     return data.is_right();
                   }});
}
#endif

}  // namespace

void add_matrix_products(Cases& cases) {
  add_late_release<dma::CudaBarrier, dma::BulkCopy<>>(cases);
  add_late_release<dma::NamedBarrier, dma::AsyncCopy<>>(cases);
#if __has_include(<cuda_bf16.h>)
  add_product(cases, "gemm, two tiles of five blocks", {{128, 64}, 1, 2, 1, 1, {0, 5, 1}});
  add_product(cases, "gemm, two tiles that three CTAs sum", {{128, 64}, 1, 2, 1, 3, {2, 4, 3}});
  add_cluster_product(cases, "gemm, a tile of a cluster between two whole ones whose parts a second launch adds up", 2,
                      3);
  add_split_product(cases, "gemm, a tile whose k the CTAs of a cluster divide");
#endif
}

}  // namespace mutants
