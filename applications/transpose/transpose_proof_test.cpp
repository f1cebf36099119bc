// The proofs of transposes through shared memory.

#include "tiles.hpp"

#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>

#include <vector>

using dma::proof::IsProved;

namespace {

using Floats = std::vector<float>;

/// A whole tile and three that are short.
template <class Kernel>
auto prove_transpose() {
  constexpr int matrix_rows = Kernel::side + 4;
  constexpr int matrix_cols = Kernel::side + 8;
  const Floats from(matrix_rows * matrix_cols, 1.0F);
  Floats to(from.size());
  return dma::proof::prove({.inputs = {dma::proof::input(from)}, .outputs = {dma::proof::output(to)}}, Kernel{},
                           Kernel::grid(matrix_rows, matrix_cols), from.data(), to.data(), matrix_rows, matrix_cols);
}

/// There and back, while the first may still run.
template <class Kernel>
auto prove_there_and_back() {
  constexpr int side = Kernel::side + 4;
  Floats x(side * side, 1.0F);
  Floats y(x.size());
  const auto transpose = [](const Floats& from, Floats& to) {
    return dma::proof::Grid(Kernel{}, Kernel::grid(side, side), from.data(), to.data(), side, side);
  };
  return dma::proof::prove({.outputs = {dma::proof::output(x), dma::proof::output(y)}}, transpose(x, y),
                           transpose(y, x));
}

}  // namespace

TEST_CASE("transposes by the pattern and in registers are proved", "[transpose]") {
  REQUIRE_THAT(prove_transpose<transpose::TransposeByPattern<float>>(), IsProved());
  REQUIRE_THAT(prove_transpose<transpose::TransposeInRegisters<float>>(), IsProved());
}
TEST_CASE("a transpose behind another is proved", "[transpose]") {
  REQUIRE_THAT(prove_there_and_back<transpose::TransposeByPattern<float>>(), IsProved());
  REQUIRE_THAT(prove_there_and_back<transpose::TransposeInRegisters<float>>(), IsProved());
}
