// The layer norm and the sums of bags on the emulator, beside plain loops; their proofs, and those of the kernels that
// bandwidth_test.cpp runs.

#include "bags/backward.hpp"
#include "bags/kernel.hpp"
#include "financial/kernel.hpp"
#include "layer_norm/kernel.hpp"
#include "transpose/tiles.hpp"

#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

using dma::host::IsProved;

namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int>;

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
  return dma::host::for_all_trips<typename Kernel::Pipe>([](int tiles) {
    const Floats x = rows_of_values(tiles);
    const Floats scale = parameters(5);
    const Floats shift = parameters(3);
    Floats y(x.size());
    return dma::host::prove({.inputs = {dma::host::input(x), dma::host::input(scale), dma::host::input(shift)},
                             .outputs = {dma::host::output(y)}},
                            Kernel{}, {1}, x.data(), scale.data(), shift.data(), y.data(), tiles, 1e-5F);
  });
}

constexpr int cols = 128;
constexpr int rows = 4;
using Specialized = SumBags<dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>, cols, rows, 3>;
using TwoGroups = SumBags<dma::WarpLayout<dma::Compute<1>, dma::Dma<1>, dma::Dma<1>>, cols, rows, 2, 2>;
using AllWarps = SumBags<dma::WarpLayout<dma::Compute<2>>, cols, rows, 1>;

/// Bags of `sizes` rows of a table of 50, and their sums.
struct Bags {
  static constexpr int table_rows = 50;

  explicit Bags(const Ints& sizes)
      : count(static_cast<int>(sizes.size())), sums(sizes.size() * cols + cols, -1.0F), table(table_rows * cols) {
    for (std::size_t i = 0; i < table.size(); ++i) {
      table[i] = static_cast<float>(i * 31 % 253);
    }
    for (const int size : sizes) {
      for (int k = 0; k < size; ++k) {
        ids.push_back(static_cast<int>(ids.size() * 17 % table_rows));
      }
      offsets.push_back(static_cast<int>(ids.size()));
    }
    ids.push_back(0);  // so that there is an address, also of no ids
  }

  [[nodiscard]] float expected(int bag, int col) const {
    float sum = 0;
    for (int k = offsets[static_cast<std::size_t>(bag)]; k < offsets[static_cast<std::size_t>(bag) + 1]; ++k) {
      sum += table[static_cast<std::size_t>(ids[static_cast<std::size_t>(k)] * cols + col)];
    }
    return sum;
  }
  [[nodiscard]] int wrong() const {
    int wrong = 0;
    for (int bag = 0; bag < count; ++bag) {
      for (int col = 0; col < cols; ++col) {
        wrong += sums[static_cast<std::size_t>(bag * cols + col)] == expected(bag, col) ? 0 : 1;
      }
    }
    return wrong;
  }

  int count;
  Floats sums;
  Floats table;
  Ints ids;
  Ints offsets{0};
};

template <class Kernel>
int wrong_sums(const Ints& sizes, int ctas) {
  Bags bags(sizes);
  dma::host::launch(Kernel{}, {ctas}, bags.table.data(), static_cast<long long>(Bags::table_rows), bags.ids.data(),
                    bags.offsets.data(), bags.count, bags.sums.data());
  return bags.wrong();
}

using Backward = AddToRowsOfBags<dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>, cols, rows, 3>;

/// Rows of the table that do not become what the backward of sums whose gradients are i % 13 makes of them.
int wrong_rows(const Ints& sizes, int ctas) {
  Bags bags(sizes);
  Floats gradient(bags.sums.size());
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    gradient[i] = static_cast<float>(i % 13);
  }
  Floats expected = bags.table;
  for (std::size_t bag = 0; bag < sizes.size(); ++bag) {
    for (int k = bags.offsets[bag]; k < bags.offsets[bag + 1]; ++k) {
      for (std::size_t col = 0; col < cols; ++col) {
        expected[static_cast<std::size_t>(bags.ids[static_cast<std::size_t>(k)] * cols) + col] +=
            gradient[bag * cols + col];
      }
    }
  }
  dma::host::launch(Backward{}, {ctas}, gradient.data(), bags.ids.data(), bags.offsets.data(), bags.count,
                    bags.table.data(), static_cast<long long>(Bags::table_rows));
  int wrong = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    wrong += bags.table[i] == expected[i] ? 0 : 1;
  }
  return wrong;
}

/// Bags of 0 to 6 rows: those of `tiles` tiles, of which the last is not full.
Bags bags_of_tiles(int tiles) {
  Ints sizes;
  int left = tiles == 0 ? 0 : tiles * rows - 1;
  for (int bag = 0; left > 0 || bag < 2; ++bag) {
    sizes.push_back(std::min(left, bag * 5 % 7));
    left -= sizes.back();
  }
  return Bags(sizes);
}

template <class Kernel>
auto prove_bags() {
  return dma::host::for_all_trips<typename Kernel::Pipe>([](int tiles) {
    Bags bags = bags_of_tiles(tiles);
    return dma::host::prove(
        {.inputs = {dma::host::input(bags.table), dma::host::input(bags.ids), dma::host::input(bags.offsets)},
         .outputs = {dma::host::output(bags.sums)}},
        Kernel{}, {1}, bags.table.data(), static_cast<long long>(Bags::table_rows), bags.ids.data(),
        bags.offsets.data(), bags.count, bags.sums.data());
  });
}

/// Tiles of 128 points and 2 values.
auto prove_best_sums() {
  using Kernel = financial::BestOfSums<float, dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>, 128, 2, 2, 1>;
  return dma::host::for_all_trips<Kernel::Pipe>([](int tiles) {
    constexpr int values = 2;
    const Floats big(static_cast<std::size_t>(tiles) * 128 * values + 4, 1.0F);
    const Floats small(values, 2.0F);
    Floats best(static_cast<std::size_t>(tiles) * 128 + 4);
    return dma::host::prove(
        {.inputs = {dma::host::input(big), dma::host::input(small)}, .outputs = {dma::host::output(best)}}, Kernel{},
        {1}, financial::Points<float>{big.data(), small.data(), best.data(), tiles * 128, values});
  });
}

/// A whole tile and three that are short.
template <class Kernel>
auto prove_transpose() {
  constexpr int matrix_rows = Kernel::side + 4;
  constexpr int matrix_cols = Kernel::side + 8;
  const Floats from(matrix_rows * matrix_cols, 1.0F);
  Floats to(from.size());
  return dma::host::prove({.inputs = {dma::host::input(from)}, .outputs = {dma::host::output(to)}}, Kernel{},
                          Kernel::grid(matrix_rows, matrix_cols), from.data(), to.data(), matrix_rows, matrix_cols);
}

}  // namespace

TEST_CASE("the best sums of points are proved", "[financial]") { REQUIRE_THAT(prove_best_sums(), IsProved()); }

TEST_CASE("transposes by the pattern and in registers are proved", "[transpose]") {
  REQUIRE_THAT(prove_transpose<transpose::TransposeByPattern<float>>(), IsProved());
  REQUIRE_THAT(prove_transpose<transpose::TransposeInRegisters<float>>(), IsProved());
}

TEST_CASE("each row of a layer norm has its own mean and variance", "[layer_norm]") {
  REQUIRE(error_of<Norm>() < most_error);
  REQUIRE(error_of<NormOfAllWarps>() < most_error);
}

TEST_CASE("a layer norm is proved", "[layer_norm]") {
  REQUIRE_THAT(prove_norm<Norm>(), IsProved());
  REQUIRE_THAT(prove_norm<NormOfAllWarps>(), IsProved());
}

TEST_CASE("sums of bags of all sizes, in all layouts, and their backward", "[bags]") {
  for (const Ints& sizes : {Ints{}, Ints{0}, Ints{0, 0, 3, 0, 1, 13, 4, 0, 0, 8, 2, 0}, Ints(20, 1), Ints(5, 9)}) {
    for (const int ctas : {1, 3}) {
      CAPTURE(sizes.size(), ctas);
      REQUIRE(wrong_sums<Specialized>(sizes, ctas) == 0);
      REQUIRE(wrong_sums<TwoGroups>(sizes, ctas) == 0);
      REQUIRE(wrong_sums<AllWarps>(sizes, ctas) == 0);
      REQUIRE(wrong_rows(sizes, ctas) == 0);
    }
  }
}

TEST_CASE("sums of bags are proved", "[bags]") {
  REQUIRE_THAT(prove_bags<Specialized>(), IsProved());
  REQUIRE_THAT(prove_bags<AllWarps>(), IsProved());
  REQUIRE_THAT(dma::host::for_all_trips<Backward::Pipe>([](int tiles) {
                 Bags bags = bags_of_tiles(tiles);
                 return dma::host::prove({.inputs = {dma::host::input(bags.sums), dma::host::input(bags.ids),
                                                     dma::host::input(bags.offsets)},
                                          .outputs = {dma::host::output(bags.table)}},
                                         Backward{}, {1}, bags.sums.data(), bags.ids.data(), bags.offsets.data(),
                                         bags.count, bags.table.data(), static_cast<long long>(Bags::table_rows));
               }),
               IsProved());
}
