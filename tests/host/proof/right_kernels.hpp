#pragma once

#include "kernels/right.hpp"

#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <vector>

/// Runs and proves right kernels.
namespace right {

/// An array whose first element is aligned as cudaMalloc aligns it, far enough for any engine.
template <class Kernel>
struct Arrays {
  struct alignas(128) Line {
    int elements[32];
  };
  static std::vector<Line> make(int size) { return std::vector<Line>(static_cast<std::size_t>(size) / 32 + 1); }

  std::vector<Line> in_lines = make(Kernel::in_count);
  std::vector<Line> out_lines = make(Kernel::out_count);
  std::array<Word, word_count> words{};

  Arrays() {
    for (int i = 0; i < Kernel::in_count; ++i) {
      in()[i] = number(i);
    }
    clear();
  }
  void clear() {
    std::fill_n(out(), Kernel::out_count, untouched);
    words = {};
  }
  [[nodiscard]] int* in() { return in_lines.front().elements; }
  [[nodiscard]] int* out() { return out_lines.front().elements; }
};

template <class Kernel>
[[nodiscard]] int count_wrong(const int* in, const int* out) {
  int wrong = 0;
  for (int i = 0; i < Kernel::out_count; ++i) {
    wrong += out[i] != Kernel::expected(in, i) ? 1 : 0;
  }
  return wrong;
}

/// The answers of three seeds.
template <class Kernel>
void run() {
  Arrays<Kernel> arrays;
  INFO(Kernel::name);
  for (const unsigned seed : {0U, 1U, 2U}) {
    arrays.clear();
    const int* const in = arrays.in();
    dma::host::launch({.seed = seed}, Kernel{}, {Kernel::ctas}, in, arrays.out(), arrays.words.data());
    CHECK(count_wrong<Kernel>(in, arrays.out()) == 0);
  }
}

template <class Kernel>
void prove() {
  Arrays<Kernel> arrays;
  INFO(Kernel::name);
  const int* const in = arrays.in();
  const dma::proof::Options options{
      .inputs = {dma::proof::input(in, Kernel::in_count)},
      .outputs = {dma::proof::output(arrays.out(), Kernel::out_count), dma::proof::output(arrays.words)}};
  CHECK_THAT(dma::proof::prove(options, Kernel{}, {Kernel::ctas}, in, arrays.out(), arrays.words.data()),
             dma::proof::IsProved());
}

template <class... Kernels>
void run_all(List<Kernels...>) {
  (run<Kernels>(), ...);
}
template <class... Kernels>
void run_and_prove_all(List<Kernels...>) {
  ((run<Kernels>(), prove<Kernels>()), ...);
}

}  // namespace right
