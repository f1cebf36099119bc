#pragma once

#include "host/proof/right_kernels.hpp"
#include "host/proof/wrong_bounds.hpp"
#include "host/proof/wrong_ctas.hpp"
#include "host/proof/wrong_order.hpp"
#include "kernels/cluster.hpp"
#include "kernels/right_ctas.hpp"
#include "kernels/right_updates.hpp"

#include <dma/proof/prove.hpp>

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

/// Verdicts on right and on wrong kernels as text: all that a verdict says but its time.
namespace repeat {

inline void print(std::ostream& out, const std::string& name, const dma::proof::Verdict& verdict) {
  out << name << ": " << verdict << "seed " << verdict.seed << ", " << verdict.states << " states\n";
  for (const dma::proof::detail::RingUse& ring : verdict.rings) {
    out << ring.tiles << " tiles at " << ring.offset << " of " << ring.pipeline << '\n';
  }
}

template <class... Kernels>
void print_right(std::ostream& out, right::List<Kernels...>) {
  const auto print_one = [&]<class Kernel>(const Kernel& kernel) {
    right::Arrays<Kernel> arrays;
    const int* const in = arrays.in();
    print(out, Kernel::name,
          dma::proof::prove({.seeds = 2,
                             .inputs = {dma::proof::input(arrays.in_lines)},
                             .outputs = {dma::proof::output(arrays.out_lines), dma::proof::output(arrays.words)}},
                            kernel, {Kernel::ctas}, in, arrays.out(), arrays.words.data()));
  };
  (print_one(Kernels{}), ...);
}

inline void print_all(std::ostream& out) {
  print_right(
      out, right::List<right::AddsFromAllCtas<right::Bulk>, right::LastCtaAdds,
                       right::UpdatesInOneRing<dma::MultiBuffer<right::Warps<2, 1>, 4>, right::Phase, right::Bulk>>{});
  std::vector<int> got(clusters::count);
  print(out, "CTAs of a cluster exchange numbers",
        dma::proof::prove({.seeds = 2, .outputs = {dma::proof::output(got)}}, clusters::Exchange{}, {clusters::cluster},
                          got.data()));
  // Few of them: a verdict with lines of source runs addr2line for each.
  for (const std::vector<wrong::Program>* const programs :
       {&wrong::orders, &wrong::lanes, &wrong::global_memory, &wrong::announced_bounds, &wrong::seen_bounds}) {
    for (std::size_t i = 0; i < programs->size(); i += 6) {
      const wrong::Program& program = (*programs)[i];
      print(out, program.name, wrong::verdict_on(program));
    }
  }
}

}  // namespace repeat
