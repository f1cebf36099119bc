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

}  // namespace

TEST_CASE("transposes by the pattern and in registers are proved", "[transpose]") {
  REQUIRE_THAT(prove_transpose<transpose::TransposeByPattern<float>>(), IsProved());
  REQUIRE_THAT(prove_transpose<transpose::TransposeInRegisters<float>>(), IsProved());
}
