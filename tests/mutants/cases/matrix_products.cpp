#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

#include "kernels/right_slots.hpp"
#include "mutants/cases.hpp"

#include <array>
#include <cstddef>
#include <string>

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
                     return dma::host::prove(writes(data.out), Kernel{}, {1}, in, data.out.data(), data.words.data());
                   },
                   [] {
                     Arrays<Kernel> data;
                     const int* const in = data.in.data();
                     dma::host::launch({3}, Kernel{}, {1}, in, data.out.data(), data.words.data());
                     return data.are_right();
                   }});
}

}  // namespace

void add_matrix_products(Cases& cases) {
  add_late_release<dma::CudaBarrier, dma::BulkCopy<>>(cases);
  add_late_release<dma::NamedBarrier, dma::AsyncCopy<>>(cases);
}

}  // namespace mutants
