#pragma once

/// Kernels over tensor maps, most of them with tensor cores, on small problems: one list for both machines.

#include "attention/backward_kernel.hpp"
#include "attention/backward_plan.hpp"
#include "attention/backward_problem.hpp"
#include "attention/kernel.hpp"
#include "attention/paged.hpp"
#include "attention/plan.hpp"
#include "gemm/kernel.hpp"
#include "gemm/plan.hpp"
#include "stencil/tuning.hpp"

#include <dma/dma.hpp>

#include <vector>

namespace logged {

/// For the members of `machine` see `Examples` and `Applications`.
template <class Machine>
class TensorKernels {
 public:
  explicit TensorKernels(Machine& machine) : machine_(machine) {}

  void run() {
    run_products();
    run_attention();
    run_slabs();
    run_two_steps();
  }

 private:
  template <class T>
  [[nodiscard]] T* array(long long count) {
    return machine_.template array<T>(count);
  }

  void run_products() {
    using Kernel = gemm::Gemm<gemm::BFloat16, gemm::TileShape{128, 64}, 3>;
    constexpr int m = 256;
    constexpr int n = 72;
    constexpr int k = 320;
    const auto matrix = [&](int elements) { return array<gemm::BFloat16>(elements); };
    const gemm::Problem<gemm::BFloat16> p{m, n, k, matrix(m * k), k, matrix(n * k), k, matrix(m * n), n};
    const gemm::Plan plan = gemm::make_plan(m, n, k, 3, {128, 64}, 0);
    machine_.run("gemm", Kernel{}, {plan.ctas},
                 Kernel::Maps{machine_.template map<Kernel::Stage>(dma::TensorArray{p.a, Kernel::tile_of_a(p)},
                                                                   dma::TensorArray{p.b, Kernel::tile_of_b(p)}),
                              machine_.map(p.c, Kernel::tile_of_c(p))},
                 p, plan, gemm::Workspace{});
  }

  void run_attention() {
    using attention::Attention;
    using attention::BFloat16;
    using Two = Attention<BFloat16, 64, 32>;
    const Attended sizes{.heads = 3, .queries = 140, .keys = 70, .causal = false};
    attend<Two>("attention", problem_of(sizes), plan_of<Two>(sizes));
    using Three = Attention<BFloat16, 64, 32, 3>;
    const Attended causal{.heads = 2, .queries = 200, .keys = 230, .causal = true};
    attend<Three>("attention, causal, three warpgroups", problem_of(causal), plan_of<Three>(causal));

    using OfPages = Attention<BFloat16, 64, 32, 2, attention::InPages<16>>;
    attention::PagedProblem<BFloat16> p{problem_of(sizes)};
    p.pages = 7;
    p.page_rows = 16;
    p.table_pitch = 5;
    p.page_table = machine_.copy_of(std::vector<int>{6, 0, 3, 1, 5});
    p.lengths = machine_.copy_of(std::vector<int>{sizes.keys});
    const auto pages = [&] {
      const auto rows = heads_of(p.pages * p.page_rows, sizes.heads);
      return attention::Heads<const BFloat16>{rows.first, p.page_rows * rows.row, rows.head, rows.row};
    };
    p.k = pages();
    p.v = pages();
    attend<OfPages>("attention, pages", p, attention::PagedPlan(plan_of<OfPages>(sizes), p.lengths));
    attend_backward("attention, gradients", problem_of(sizes));
    attend_backward("attention, gradients, causal", problem_of(causal));
  }
  struct Attended {
    int heads;
    int queries;
    int keys;
    bool causal;
  };
  static constexpr int head_size = 64;
  static constexpr int attending_ctas = 2;

  [[nodiscard]] attention::Heads<attention::BFloat16> heads_of(int rows, int heads) {
    return {array<attention::BFloat16>(rows * heads * head_size), 0, head_size, 1LL * heads * head_size};
  }
  [[nodiscard]] attention::Problem<attention::BFloat16> problem_of(const Attended& sizes) {
    const auto input = [&](int rows) {
      const auto of = heads_of(rows, sizes.heads);
      return attention::Heads<const attention::BFloat16>{of.first, of.batch, of.head, of.row};
    };
    attention::Problem<attention::BFloat16> p{
        1,         sizes.heads,          sizes.heads,       sizes.queries,     sizes.keys,
        head_size, input(sizes.queries), input(sizes.keys), input(sizes.keys), heads_of(sizes.queries, sizes.heads)};
    p.log_sums = array<float>(sizes.heads * sizes.queries);
    p.causal = sizes.causal;
    return p;
  }
  template <class Kernel>
  [[nodiscard]] static attention::Plan plan_of(const Attended& sizes) {
    return {1, sizes.heads,   sizes.queries, sizes.keys, sizes.causal, Kernel::tile_rows, Kernel::block,
            1, attending_ctas};
  }
  template <class Kernel, class Problem, class Plan>
  void attend(const char* name, const Problem& p, const Plan& plan) {
    machine_.run(name, Kernel{}, {attending_ctas},
                 typename Kernel::Maps{
                     machine_.map(p.q.first, Kernel::tile_of_q(p)), machine_.map(p.k.first, Kernel::block_of(p, p.k)),
                     machine_.map(p.v.first, Kernel::block_of(p, p.v)), machine_.map(p.o.first, Kernel::tile_of_o(p))},
                 p, plan);
  }

  void attend_backward(const char* name, const attention::Problem<attention::BFloat16>& f) {
    using Kernel = attention::AttentionBackward<attention::BFloat16, head_size>;
    using TileOfK = typename Kernel::TileOfK;
    using TileOfO = typename Kernel::TileOfO;
    const auto d_o = heads_of(f.queries, f.heads);
    attention::BackwardProblem<attention::BFloat16> p{f,
                                                      {d_o.first, d_o.batch, d_o.head, d_o.row},
                                                      heads_of(f.queries, f.heads),
                                                      heads_of(f.keys, f.heads),
                                                      heads_of(f.keys, f.heads),
                                                      nullptr};
    p.work = array<float>(work_floats(p));
    const attention::BackwardPlan plan{f.batches, f.heads, f.kv_heads, f.queries, f.keys, f.causal, Kernel::tile_keys};
    machine_.run(name, Kernel{}, {plan.tiles()},
                 typename Kernel::Maps{machine_.map(f.q.first, Kernel::tile_of_q(p, f.q)),
                                       machine_.map(p.d_o.first, Kernel::tile_of_q(p, p.d_o)),
                                       machine_.map(f.k.first, Kernel::template tile_of_k<TileOfK>(p, f.k)),
                                       machine_.map(f.v.first, Kernel::template tile_of_k<TileOfK>(p, f.v)),
                                       machine_.map(p.d_k.first, Kernel::template tile_of_k<TileOfO>(p, p.d_k)),
                                       machine_.map(p.d_v.first, Kernel::template tile_of_k<TileOfO>(p, p.d_v))},
                 p, plan);
  }

  void run_slabs() {
    using stencil::Sends;
    march<Sends::to_above>("stencil, march over the slab below", 0);
    march<Sends::to_both>("stencil, march over a slab between two", 1);
  }
  void run_two_steps() {
    constexpr int radius = 1;
    constexpr int nx = 45, ny = 37, nz = 9;
    using Kernel = stencil::Steps<float, radius, stencil::steps_shapes<float, radius, 2>[0]>;
    constexpr long long pitch = stencil::Field<float>::padded(nx);
    const stencil::Field<const float> u{array<float>(pitch * ny * nz), nx, ny, nz, pitch};
    const stencil::Plan plan = stencil::plan(nx, ny, nz, 2 * radius, Kernel::cols, Kernel::rows, 2);
    machine_.run("stencil, two steps", Kernel{}, {plan.ctas}, machine_.map(u.data, Kernel::plane_at(u, 0, 0, 0)), u,
                 stencil::Star<float, radius>{}, plan.work, array<dma::PaceCounter>(1),
                 stencil::StoreSum<float>{array<float>(pitch * ny * nz)});
  }
  /// @param below  neighbours' planes before the slab's own
  template <stencil::Sends sends>
  void march(const char* name, int neighbours_below) {
    constexpr int radius = 2;
    constexpr int nx = 45, ny = 37, planes = 9;
    using Store = stencil::StoreSum<float>;
    using Epilogue = stencil::SlabEpilogue<Store, sends, stencil::RaiseFlag>;
    using Kernel = stencil::March<float, radius, stencil::march_shapes<float, radius>[0], Epilogue>;
    constexpr long long pitch = stencil::Field<float>::padded(nx);
    const int below = neighbours_below * radius;
    const int depth = below + planes + radius;
    const stencil::Field<const float> u{array<float>(pitch * ny * depth), nx, ny, depth, pitch};
    const Epilogue epilogue{Store{array<float>(pitch * ny * depth)}, below, array<dma::ArrivalCounter>(stencil::ends),
                            stencil::RaiseFlag{array<unsigned>(stencil::ends), 1}};
    const stencil::Plan plan = stencil::plan(nx, ny, planes, radius, Kernel::cols, Kernel::rows, 2, sends);
    machine_.run(name, Kernel{}, {plan.ctas}, machine_.map(u.data, Kernel::plane_at(u, 0, 0, 0)), u,
                 stencil::Star<float, radius>{}, plan.work, array<dma::PaceCounter>(1), epilogue);
  }

  Machine& machine_;
};

}  // namespace logged
