// The plans of ../gemm and ../attention for torch_ops.py: they are made by the functions that the C++ programs call.

#include "../attention/attend.hpp"
#include "../attention/attend_backward.hpp"
#include "../attention/plan.cpp"
#include "../gemm/multiply.hpp"
#include "../gemm/partial_sums.hpp"
#include "../gemm/plan.cpp"

#define EXPORTED extern "C" [[gnu::visibility("default")]]

/// What a product needs to be launched.
struct GemmLaunch {
  gemm::Plan plan;
  int slot_rows;       ///< of C in a slot
  int adding_ctas;     ///< of the second launch, which adds up parts; 0: there is none
  long long sums;      ///< vectors of four floats of the workspace
  long long counters;  ///< of the workspace
};

/// @pre m, n and k are positive, n and k multiples of 8.
EXPORTED void plan_gemm(int m, int n, int k, int sms, bool are_aligned, GemmLaunch& launch) noexcept {
  const gemm::Plan plan = gemm::make_plan(m, n, k, sms, are_aligned);
  launch = {plan, gemm::rows_of_slot(plan.shape), 0, static_cast<long long>(gemm::sums_of(plan)),
            static_cast<long long>(gemm::counters_of(plan))};
  gemm::with_kernel<gemm::BFloat16>(plan, [&]<class Kernel>(const Kernel&) {
    launch.adding_ctas = plan.adds_later() ? gemm::AddParts<gemm::BFloat16, Kernel::shape>::ctas(plan) : 0;
  });
}

/// Arrays and strides of the problem are not read.
EXPORTED void plan_attention(const attention::Problem<attention::BFloat16>& p, int sms,
                             attention::Plan& plan) noexcept {
  plan = attention::plan_of(p, sms);
}

/// What a backward pass needs to be launched: its three kernels have CTAs `before`, `plan.tiles()` and `behind`.
struct BackwardLaunch {
  attention::BackwardPlan plan;
  int before;
  int tiles;
  int behind;
  long long work_floats;
};

/// The same of a backward pass.
EXPORTED void plan_attention_backward(const attention::BackwardProblem<attention::BFloat16>& p,
                                      BackwardLaunch& launch) noexcept {
  attention::with_backward_kernels(
      p, [&]<class Before, class Kernel, class Behind>(const Before&, const Kernel&, const Behind&) {
        const attention::BackwardPlan plan = attention::plan_of(p);
        launch = {plan, Before::ctas(p), plan.tiles(), Behind::ctas(p), attention::work_floats(p)};
      });
}
