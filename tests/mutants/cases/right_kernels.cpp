#include <dma/dma.hpp>
#include <dma/host/launch.hpp>
#include <dma/machine/readable.hpp>

#include "kernels/right_loops.hpp"
#include "kernels/right_queues.hpp"
#include "kernels/right_updates.hpp"
#include "mutants/cases.hpp"

#include <array>
#include <vector>

namespace mutants {

namespace {

template <class Kernel>
struct Arrays {
  std::vector<int> in = std::vector<int>(Kernel::in_count);
  std::vector<int> out = std::vector<int>(Kernel::out_count, right::untouched);
  std::array<right::Word, right::word_count> words = {};

  Arrays() {
    for (int i = 0; i < Kernel::in_count; ++i) {
      in[static_cast<std::size_t>(i)] = right::number(i);
    }
  }
};

template <class... Kernels>
void add(Cases& cases, right::List<Kernels...>) {
  (cases.push_back({std::string(Kernels::name) + ", " + dma::machine::readable(dma::machine::type_name<Kernels>()),
                    [] {
                      Arrays<Kernels> data;
                      return dma::proof::prove(writes(data.out, data.words), Kernels{}, {Kernels::ctas}, data.in.data(),
                                               data.out.data(), data.words.data());
                    },
                    [] {
                      Arrays<Kernels> data;
                      dma::host::launch({3}, Kernels{}, {Kernels::ctas}, data.in.data(), data.out.data(),
                                        data.words.data());
                      bool is_right = true;
                      for (int i = 0; i < Kernels::out_count; ++i) {
                        is_right =
                            is_right && data.out[static_cast<std::size_t>(i)] == Kernels::expected(data.in.data(), i);
                      }
                      return is_right;
                    }}),
   ...);
}

}  // namespace

void add_right_kernels(Cases& cases) {
  add(cases, right::Updates{});
  add(cases, right::Queues{});
  add(cases, right::List<right::FewSlotsReadAhead<1>, right::FewSlotsReadAhead<2>>{});
}

}  // namespace mutants
