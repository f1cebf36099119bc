// The sums of bags on the emulator, beside plain loops, and their proofs.

#include "backward.hpp"
#include "kernel.hpp"

#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

using dma::proof::IsProved;

namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int>;

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
  return dma::proof::for_all_trips<typename Kernel::Pipe>([](int tiles) {
    Bags bags = bags_of_tiles(tiles);
    return dma::proof::prove(
        {.inputs = {dma::proof::input(bags.table), dma::proof::input(bags.ids), dma::proof::input(bags.offsets)},
         .outputs = {dma::proof::output(bags.sums)}},
        Kernel{}, {1}, bags.table.data(), static_cast<long long>(Bags::table_rows), bags.ids.data(),
        bags.offsets.data(), bags.count, bags.sums.data());
  });
}

}  // namespace

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
  REQUIRE_THAT(dma::proof::for_all_trips<Backward::Pipe>([](int tiles) {
                 Bags bags = bags_of_tiles(tiles);
                 return dma::proof::prove({.inputs = {dma::proof::input(bags.sums), dma::proof::input(bags.ids),
                                                      dma::proof::input(bags.offsets)},
                                           .outputs = {dma::proof::output(bags.table)}},
                                          Backward{}, {1}, bags.sums.data(), bags.ids.data(), bags.offsets.data(),
                                          bags.count, bags.table.data(), static_cast<long long>(Bags::table_rows));
               }),
               IsProved());
}
