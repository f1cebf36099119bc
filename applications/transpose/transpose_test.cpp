// The kernels of the article on transposes, on the emulator.

#include "efficiency.hpp"
#include "steps.hpp"
#include "tiles.hpp"

#include <dma/explain/explain.hpp>
#include <dma/host/launch.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

/// Element (r, c) of a matrix, different for any two.
template <class T>
T element(int r, int c) {
  return static_cast<T>(r * 1000 + c);
}

/// Elements that a kernel got wrong, of a matrix of `rows` x `cols`, and elements that it wrote behind it. It reads
/// `input_of` the matrix.
template <class T, class Kernel, class InputOf>
int wrong_elements(int rows, int cols, bool transposes, const dma::Index3& grid, const InputOf& input_of) {
  const auto count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  std::vector<T> from(count);
  std::vector<T> to(count + 64, T{-1});
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) {
      from[static_cast<std::size_t>(r * cols + c)] = element<T>(r, c);
    }
  }
  dma::host::launch(Kernel{}, grid, input_of(static_cast<const T*>(from.data())), to.data(), rows, cols);
  int wrong = 0;
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) {
      const int place = transposes ? c * rows + r : r * cols + c;
      wrong += to[static_cast<std::size_t>(place)] == element<T>(r, c) ? 0 : 1;
    }
  }
  for (std::size_t i = count; i < to.size(); ++i) {
    wrong += to[i] == T{-1} ? 0 : 1;
  }
  return wrong;
}

template <class T, class Kernel>
int wrong_elements(int rows, int cols, bool transposes, const dma::Index3& grid) {
  return wrong_elements<T, Kernel>(rows, cols, transposes, grid, [](const T* from) { return from; });
}

template <class T, int Number>
int wrong_by_step(int rows, int cols) {
  using Kernel = transpose::MoveDirectly<Number, 32, 8>;
  return wrong_elements<T, Kernel>(rows, cols, transpose::steps[Number].transposes(), Kernel::grid(rows, cols));
}
template <class T, class Kernel>
int wrong_by_tiles(int rows, int cols) {
  return wrong_elements<T, Kernel>(rows, cols, true, Kernel::grid(rows, cols));
}

constexpr std::pair<int, int> shapes[] = {{1, 1}, {64, 64}, {33, 70}, {130, 5}};

TEST_CASE("the article's kernels copy and transpose matrices of any shape") {
  for (const auto& [rows, cols] : shapes) {
    const int wrong = []<int... Number>(std::integer_sequence<int, Number...>, int r, int c) {
      return (wrong_by_step<float, Number>(r, c) + ...);
    }
    (std::make_integer_sequence<int, transpose::step_count>{}, rows, cols);
    CHECK(wrong == 0);
    CHECK(wrong_by_step<double, transpose::naive_col>(rows, cols) == 0);
  }
}

/// Of a kernel whose loads have a cache operator.
template <class Kernel, dma::LoadCache Cache>
int wrong_through(int rows, int cols) {
  return wrong_elements<float, Kernel>(rows, cols, Kernel::step.transposes(), Kernel::grid(rows, cols),
                                       [](const float* from) { return transpose::ReadThrough<Cache, float>{from}; });
}

TEST_CASE("a transpose is the same, whichever caches keep what it reads, in every block of the article") {
  const auto wrong_in_shape = []<int Shape>(std::integral_constant<int, Shape>, int rows, int cols) {
    constexpr transpose::BlockShape shape = transpose::block_shapes[Shape];
    using Row = transpose::MoveDirectly<transpose::naive_row, shape.width, shape.height>;
    using Col = transpose::MoveDirectly<transpose::naive_col, shape.width, shape.height>;
    return wrong_through<Row, dma::LoadCache::all>(rows, cols) +
           wrong_through<Row, dma::LoadCache::global>(rows, cols) +
           wrong_through<Col, dma::LoadCache::all>(rows, cols) + wrong_through<Col, dma::LoadCache::global>(rows, cols);
  };
  for (const auto& [rows, cols] : shapes) {
    const int wrong = [&]<int... Shape>(std::integer_sequence<int, Shape...>, int r, int c) {
      return (wrong_in_shape(std::integral_constant<int, Shape>{}, r, c) + ...);
    }
    (std::make_integer_sequence<int, transpose::block_shape_count>{}, rows, cols);
    CHECK(wrong == 0);
  }
}

TEST_CASE("transposes through shared memory take any shape, float and double") {
  for (const auto& [rows, cols] : shapes) {
    CHECK(wrong_by_tiles<float, transpose::TransposeByHand<float>>(rows, cols) == 0);
    CHECK(wrong_by_tiles<double, transpose::TransposeByHand<double>>(rows, cols) == 0);
    CHECK(wrong_by_tiles<float, transpose::TransposeByPattern<float>>(rows, cols) == 0);
    CHECK(wrong_by_tiles<double, transpose::TransposeByPattern<double>>(rows, cols) == 0);
  }
  CHECK(wrong_by_tiles<float, transpose::TransposeInRegisters<float>>(132, 68) == 0);
  CHECK(wrong_by_tiles<double, transpose::TransposeInRegisters<double>>(66, 34) == 0);
  CHECK_THROWS_AS((wrong_by_tiles<float, transpose::TransposeInRegisters<float>>(64, 66)), std::invalid_argument);
}

/// Sectors that a warp's access touches: of elements beside each other, and of elements in as many rows.
constexpr double along_a_row = 1;
template <class T>
constexpr double down_a_column = sizeof(T) / 32.0;

template <class T>
void check_efficiency() {
  const auto expected = [](transpose::Along along) {
    return along == transpose::Along::rows ? along_a_row : down_a_column<T>;
  };
  for (int number = 0; number < transpose::step_count; ++number) {
    const transpose::Step& step = transpose::steps[number];
    const transpose::Efficiency found = transpose::efficiency_of_step(number, sizeof(T));
    INFO(step.name);
    CHECK(found.load == expected(step.reads));
    CHECK(found.store == expected(step.writes));
  }
  CHECK(transpose::efficiency_by_hand(sizeof(T)).load == along_a_row);
  CHECK(transpose::efficiency_by_hand(sizeof(T)).store == along_a_row);
}

/// Whether a kernel of the library reads whole sectors, and fills its tile without bank conflicts.
template <class Kernel>
bool loads_are_efficient() {
  typename Kernel::Tile tile;
  tile.pitch_bytes = 4096 * static_cast<long long>(sizeof(typename Kernel::Tile::Element));
  const dma::Explanation found = dma::explain<typename Kernel::Pipe>(tile);
  return found.is_coalesced() && found.bank_conflict_degree == 1;
}

TEST_CASE("the efficiency of loads and stores is that of the elements of a warp") {
  check_efficiency<float>();
  check_efficiency<double>();
  CHECK(loads_are_efficient<transpose::TransposeByPattern<float>>());
  CHECK(loads_are_efficient<transpose::TransposeByPattern<double>>());
  CHECK(loads_are_efficient<transpose::TransposeInRegisters<float>>());
  CHECK(loads_are_efficient<transpose::TransposeInRegisters<double>>());
}

}  // namespace
