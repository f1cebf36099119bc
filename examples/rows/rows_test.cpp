// The layer norm of long rows on the emulator, beside a loop in double, and its proof.

#include "kernel.hpp"

#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace {

using Floats = std::vector<float>;

constexpr int columns = 2048;
using Warps = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
/// Two pieces a part, and slots for two rows; all parameters in registers.
using Ahead = LongLayerNorm<Warps, columns, 4, 2, 4, 1, 2>;
/// Slots for a row and a half.
using AheadByAPiece = LongLayerNorm<Warps, columns, 4, 2, 3, 1, 2>;
/// One piece a part and one slot; half of the parameters at a time.
using OneSlot = LongLayerNorm<Warps, columns, 4, 1, 1, 1, 1>;
/// More moments a row than lanes.
using ManyMoments = LongLayerNorm<dma::WarpLayout<dma::Compute<8>, dma::Dma<1>>, 8192, 8, 1, 2, 1, 1>;

/// Values around a mean that is large beside their distances from it.
float value_at(std::size_t i) { return 1000.0F + static_cast<float>(i * 7919 % 1013) / 64.0F; }
float scale_at(std::size_t column) { return static_cast<float>(column * 5 % 17) - 8.0F; }
float shift_at(std::size_t column) { return static_cast<float>(column * 3 % 17) - 8.0F; }

template <class ValueAt>
Floats floats(std::size_t count, const ValueAt& value) {
  Floats values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = value(i);
  }
  return values;
}

/// The largest error of `rows` rows, by two clusters.
template <class Kernel>
double error_of(std::size_t row_columns, int rows, unsigned seed) {
  const Floats x = floats(row_columns * static_cast<std::size_t>(rows), value_at);
  const Floats scale = floats(row_columns, scale_at);
  const Floats shift = floats(row_columns, shift_at);
  Floats y(x.size(), NAN);
  dma::host::launch({.seed = seed}, Kernel{}, {Kernel::ctas(2)}, x.data(), scale.data(), shift.data(), y.data(), rows,
                    1e-5F);
  double worst = 0;
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
    const float* const values = &x[row * row_columns];
    double mean = 0;
    double variance = 0;
    for (std::size_t c = 0; c < row_columns; ++c) {
      mean += values[c] / static_cast<double>(row_columns);
    }
    for (std::size_t c = 0; c < row_columns; ++c) {
      variance += (values[c] - mean) * (values[c] - mean) / static_cast<double>(row_columns);
    }
    for (std::size_t c = 0; c < row_columns; ++c) {
      const double expected = (values[c] - mean) / std::sqrt(variance + 1e-5) * scale[c] + shift[c];
      const double error = std::abs(y[row * row_columns + c] - expected);
      worst = error <= worst ? worst : error;  // also where y is no number
    }
  }
  return worst;
}

/// The mean may be off by 4 units in its last place, 2^-14. That is divided by the deviation, which is above 4.5, and
/// multiplied by a scale of 8 at most.
const double most_error = 4 * std::ldexp(1.0, -14) / 4.5 * 8;

}  // namespace

TEST_CASE("a cluster normalizes rows that its CTAs share") {
  for (unsigned seed = 0; seed < 5; ++seed) {
    CHECK(error_of<Ahead>(columns, 5, seed) < most_error);
    CHECK(error_of<AheadByAPiece>(columns, 7, seed) < most_error);
    CHECK(error_of<OneSlot>(columns, 4, seed) < most_error);
  }
  CHECK(error_of<ManyMoments>(8192, 3, 0) < most_error);
  CHECK(error_of<Ahead>(columns, 1, 0) < most_error);
}

/// Of two clusters.
template <class Kernel>
dma::host::Verdict proof_of(int rows) {
  const Floats x = floats(columns * static_cast<std::size_t>(rows), value_at);
  const Floats scale = floats(columns, scale_at);
  const Floats shift = floats(columns, shift_at);
  Floats y(x.size());
  return dma::host::prove({.outputs = {dma::host::output(y)}}, Kernel{}, {Kernel::ctas(2)}, x.data(), scale.data(),
                          shift.data(), y.data(), rows, 1e-5F);
}

TEST_CASE("the exchange between the CTAs of a cluster is right for every schedule") {
  REQUIRE_THAT(proof_of<Ahead>(5), dma::host::IsProved());
  REQUIRE_THAT(proof_of<AheadByAPiece>(5), dma::host::IsProved());
  REQUIRE_THAT(proof_of<OneSlot>(4), dma::host::IsProved());
}
