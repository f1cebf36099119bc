#include "kernels/right_roles.hpp"
#include "mutants/cases.hpp"

#include <dma/host/launch.hpp>
#include <dma/machine/readable.hpp>
#include <dma/proof/prove.hpp>

#include <vector>

namespace mutants {

namespace {

template <class Kernel>
struct Data {
  std::vector<int> in = std::vector<int>(Kernel::in_count);
  std::vector<int> out = std::vector<int>(Kernel::out_count, right::untouched);

  Data() {
    for (int i = 0; i < Kernel::in_count; ++i) {
      in[static_cast<std::size_t>(i)] = right::number(i);
    }
  }
};

template <class Kernel>
void add(Cases& cases) {
  cases.push_back({"roles of every form, " + dma::machine::readable(Kernel::name),
                   [] {
                     Data<Kernel> data;
                     right::Word* const no_words = nullptr;
                     return dma::proof::prove(writes(data.out), Kernel{}, {Kernel::ctas}, data.in.data(),
                                              data.out.data(), no_words);
                   },
                   [] {
                     Data<Kernel> data;
                     right::Word* const no_words = nullptr;
                     dma::host::launch({3}, Kernel{}, {Kernel::ctas}, data.in.data(), data.out.data(), no_words);
                     bool is_right = true;
                     for (int i = 0; i < Kernel::out_count; ++i) {
                       is_right =
                           is_right && data.out[static_cast<std::size_t>(i)] == Kernel::expected(data.in.data(), i);
                     }
                     return is_right;
                   }});
}

template <class... Kernels>
void add_all(right::List<Kernels...>, Cases& cases) {
  (add<Kernels>(cases), ...);
}

}  // namespace

void add_roles(Cases& cases) { add_all(right::Roles{}, cases); }

}  // namespace mutants
