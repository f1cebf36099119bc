#pragma once

/// The unusual right kernels, one list for both machines. Left out are those whose CTAs share a counter: what a CTA
/// does then depends on the others.

#include "kernels/right.hpp"
#include "kernels/right_loops.hpp"
#include "kernels/right_memory.hpp"
#include "kernels/right_pipelines.hpp"
#include "kernels/right_shapes.hpp"
#include "kernels/right_slots.hpp"
#include "kernels/right_stores.hpp"
#include "kernels/right_warps.hpp"

#include <dma/dma.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace logged {

/// `machine.copy_of(values)` is memory of the machine; for the other members see `Examples`.
template <class Machine>
class RightKernels {
 public:
  explicit RightKernels(Machine& machine) : machine_(machine) {}

  void run() {
    run_all(right::Loops{});
    run_all(right::Slots{});
    run_all(right::SlotsByPointer{});
    run_all(right::Stores{});
    run_all(right::SharedElements{});
    run_all(right::Pipelines{});
    run_all(right::WarpCases{});
    run_all(right::SyncsApart{});
    run_all(right::Shapes{});
    run_all(right::MemoryCases{});
  }

 private:
  template <class... Kernels>
  void run_all(right::List<Kernels...>) {
    (run_one<Kernels>(), ...);
  }
  template <class Kernel>
  void run_one() {
    std::vector<int> in(Kernel::in_count);
    for (int i = 0; i < Kernel::in_count; ++i) {
      in[static_cast<std::size_t>(i)] = right::number(i);
    }
    const std::vector<int> out(Kernel::out_count, right::untouched);
    machine_.run(Kernel::name, Kernel{}, {Kernel::ctas}, static_cast<const int*>(machine_.copy_of(in)),
                 machine_.copy_of(out), machine_.template array<right::Word>(right::word_count));
  }

  Machine& machine_;
};

}  // namespace logged
