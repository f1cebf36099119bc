// The layer norm on the emulator, beside a plain loop, and its proof.

#include "kernel.hpp"

#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

using dma::proof::IsProved;

namespace {

using Floats = std::vector<float>;

/// Rows of two pieces and the stages of two rows: a warp may be a row ahead.
using Norm = LayerNorm<dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>, 512, 2, 4, 1>;
/// The only piece is written in two parts.
using NormOfAllWarps = LayerNorm<dma::WarpLayout<dma::Compute<2>>, 512, 1, 2, 1, 1>;
constexpr int columns = 512;

/// Values around a mean that is large beside their distances from it.
Floats rows_of_values(int rows) {
  Floats x(static_cast<std::size_t>(std::max(rows, 1)) * columns);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = 1000.0F + static_cast<float>(i * 7919 % 1013) / 64.0F;
  }
  return x;
}
Floats parameters(int step) {
  Floats values(columns);
  for (int c = 0; c < columns; ++c) {
    values[static_cast<std::size_t>(c)] = static_cast<float>(c * step % 17) - 8.0F;
  }
  return values;
}

/// The mean may be off by 4 units in its last place, 2^-14. That is divided by the deviation, which is above 4.5, and
/// multiplied by a scale of 8 at most.
const double most_error = 4 * std::ldexp(1.0, -14) / 4.5 * 8;

/// The largest error of five rows in two CTAs.
template <class Kernel>
double error_of() {
  constexpr int rows = 5;
  const Floats x = rows_of_values(rows);
  const Floats scale = parameters(5);
  const Floats shift = parameters(3);
  Floats y(x.size());
  dma::host::launch(Kernel{}, {2}, x.data(), scale.data(), shift.data(), y.data(), rows, 1e-5F);

  double worst = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const float* const values = &x[row * columns];
    double mean = 0;
    double variance = 0;
    for (std::size_t c = 0; c < columns; ++c) {
      mean += values[c] / double{columns};
    }
    for (std::size_t c = 0; c < columns; ++c) {
      variance += (values[c] - mean) * (values[c] - mean) / double{columns};
    }
    for (std::size_t c = 0; c < columns; ++c) {
      const double expected = (values[c] - mean) / std::sqrt(variance + 1e-5) * scale[c] + shift[c];
      worst = std::max(worst, std::abs(y[row * columns + c] - expected));
    }
  }
  return worst;
}

template <class Kernel>
auto prove_norm() {
  return dma::proof::for_all_trips<typename Kernel::Pipe>([](int tiles) {
    const Floats x = rows_of_values(tiles);
    const Floats scale = parameters(5);
    const Floats shift = parameters(3);
    Floats y(x.size());
    return dma::proof::prove({.inputs = {dma::proof::input(x), dma::proof::input(scale), dma::proof::input(shift)},
                              .outputs = {dma::proof::output(y)}},
                             Kernel{}, {1}, x.data(), scale.data(), shift.data(), y.data(), tiles, 1e-5F);
  });
}

}  // namespace

TEST_CASE("each row of a layer norm has its own mean and variance", "[layer_norm]") {
  REQUIRE(error_of<Norm>() < most_error);
  REQUIRE(error_of<NormOfAllWarps>() < most_error);
}

TEST_CASE("a layer norm is proved", "[layer_norm]") {
  REQUIRE_THAT(prove_norm<Norm>(), IsProved());
  REQUIRE_THAT(prove_norm<NormOfAllWarps>(), IsProved());
}
