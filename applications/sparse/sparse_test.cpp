// The kernels on the emulator: every form and every kind of matrix against float64, and the proofs of those with DMA
// warps. Values are multiples of 1/8 and 1/16, so that sums are exact in any order.

#include "blocked_ell.hpp"
#include "ell.hpp"
#include "ell_matrices.hpp"
#include "ell_spmm.hpp"
#include "matrices.hpp"
#include "multiply.hpp"
#include "plan.hpp"
#include "rows.hpp"
#include "split_rows.hpp"
#include "spmm.hpp"
#include "spmv.hpp"

#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace {

using dma::proof::IsProved;
using sparse::AddSplitRows;
using sparse::BlockedEll;
using sparse::BlockedEllSpmm;
using sparse::Chunks;
using sparse::Csr;
using sparse::Ell;
using sparse::EllSpmm;
using sparse::EllSpmmOfRows;
using sparse::EllSpmv;
using sparse::EllSpmvOfRows;
using sparse::Hash;
using sparse::Matrix;
using sparse::MatrixMaker;
using sparse::Panels;
using sparse::PlainChunks;
using sparse::Plan;
using sparse::Quad;
using sparse::Spmm;
using sparse::SpmmOfRows;
using sparse::Spmv;
using sparse::SpmvOfRows;
using sparse::SpmvOfScatteredRows;
using sparse::StreamedChunks;
using sparse::Vectors;

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

std::size_t at(long long i) { return static_cast<std::size_t>(i); }

/// A product of a matrix with `width` columns, which are dense by rows: C = alpha A B + beta C.
struct Case {
  Matrix m;
  int width;
  float alpha;
  float beta;
  Plan plan;
  std::vector<float> b, c, before, heads;

  explicit Case(Matrix made, int columns = 1, float factor = 1, float factor_of_c = 0)
      : m(std::move(made)), width(columns), alpha(factor), beta(factor_of_c) {
    m.columns.reserve(1);  // an address, also of no nonzeros
    m.values.reserve(1);
    plan = sparse::make_plan(csr());
    Hash random(3);
    const auto value = [&] { return static_cast<float>(random.below(33) - 16) / 16; };
    b.resize(at(m.cols) * at(width));
    std::generate(b.begin(), b.end(), value);
    c.assign(at(m.rows) * at(width), not_a_number);
    if (beta != 0) {
      std::generate(c.begin(), c.end(), value);
    }
    before = c;
    heads.assign(plan.starts.size() * at(width), not_a_number);
  }

  [[nodiscard]] Csr csr() const {
    return {m.rows, m.cols, m.nonzeros(), m.offsets.data(), m.columns.data(), m.values.data()};
  }
  [[nodiscard]] Chunks chunks() { return {plan.starts.data(), plan.chunks(), heads.data()}; }
  [[nodiscard]] Vectors vectors() { return {alpha, b.data(), beta, c.data()}; }
  [[nodiscard]] Panels panels() { return {alpha, b.data(), width, beta, c.data(), width}; }

  template <class Kernel>
  void multiply_by_vector(int ctas) {
    dma::host::launch(Kernel{}, {ctas}, csr(), chunks(), vectors());
    const int split = static_cast<int>(plan.split.size());
    dma::host::launch(AddSplitRows<float, 1>{}, {split / 4 + 1}, plan.split.data(), split, heads.data(), alpha,
                      c.data(), 1);
  }
  template <class Kernel>
  void multiply_by_panel(int ctas) {
    dma::host::launch(Kernel{}, {ctas, width / 4 / Kernel::quads}, csr(), chunks(), panels());
    const int split = static_cast<int>(plan.split.size());
    dma::host::launch(AddSplitRows<Quad, Kernel::quads>{}, {split / 4 + 1, width / 4 / Kernel::quads},
                      plan.split.data(), split, dma::vectors(static_cast<const float*>(heads.data())), alpha,
                      dma::vectors(c.data()), width / 4);
  }

  /// Elements of C that differ from float64's. C then is as before.
  int wrong() {
    int wrong = 0;
    for (int row = 0; row < m.rows; ++row) {
      for (int col = 0; col < width; ++col) {
        double sum = 0;
        for (int k = m.offsets[at(row)]; k < m.offsets[at(row) + 1]; ++k) {
          sum += static_cast<double>(m.values[at(k)]) * b[at(m.columns[at(k)]) * at(width) + at(col)];
        }
        const std::size_t i = at(row) * at(width) + at(col);
        const double expected = alpha * sum + (beta == 0 ? 0.0 : static_cast<double>(beta) * before[i]);
        wrong += c[i] == static_cast<float>(expected) ? 0 : 1;
      }
    }
    c = before;
    return wrong;
  }
};

using Plain = PlainChunks<2>;
using Streamed = StreamedChunks<2, 2>;

void check_vector(Case problem) {
  problem.multiply_by_vector<Spmv<Plain, 1>>(3);
  CHECK(problem.wrong() == 0);
  problem.multiply_by_vector<Spmv<Streamed, 1>>(3);
  CHECK(problem.wrong() == 0);
  const auto check_rows = [&](const auto& kernel) {
    dma::host::launch(kernel, {problem.m.rows / kernel.rows_a_cta + 1}, problem.csr(), problem.vectors());
    CHECK(problem.wrong() == 0);
  };
  check_rows(SpmvOfRows<4>{});
  check_rows(SpmvOfScatteredRows<2>{});
  check_rows(SpmvOfScatteredRows<16>{});
}

void check_panel(Case problem) {
  problem.multiply_by_panel<Spmm<Plain, 16, 1>>(3);
  CHECK(problem.wrong() == 0);
  problem.multiply_by_panel<Spmm<Streamed, 8, 1>>(3);
  CHECK(problem.wrong() == 0);
  using Rows = SpmmOfRows<16>;
  dma::host::launch(Rows{}, {problem.m.rows / Rows::rows_a_cta + 1, problem.width / 16}, problem.csr(),
                    problem.panels());
  CHECK(problem.wrong() == 0);
}

Matrix rows_of(const std::vector<int>& lengths, int cols) {
  MatrixMaker maker(static_cast<int>(lengths.size()), cols);
  for (const int length : lengths) {
    for (int k = 0; k < length; ++k) {
      maker.add(k);
    }
    maker.end_row();
  }
  return maker.finish();
}

/// Long rows among short and empty ones, which begin and end with a chunk and within one.
std::vector<int> mixed_lengths(int rows) {
  std::vector<int> lengths;
  for (int row = 0; row < rows; ++row) {
    lengths.push_back(row % 11 == 3 ? 300 + row : row % 7 == 0 ? 0 : row % 5);
  }
  return lengths;
}

/// A product of an ELLPACK matrix with `width_of_b` columns.
struct EllCase {
  int rows, width, pitch, width_of_b;
  float beta = 0;
  std::vector<int> columns;
  std::vector<float> values, b, c;

  EllCase(int some_rows, int entries, int columns_of_b = 1)
      : rows(some_rows),
        width(entries),
        pitch((rows + 3) / 4 * 4),
        width_of_b(columns_of_b),
        columns(at(pitch) * at(width), 0),
        values(columns.size(), 0.0F),
        b(97 * at(width_of_b)),
        c(at(rows) * at(width_of_b), not_a_number) {
    Hash random(1);
    for (float& element : b) {
      element = static_cast<float>(random.below(33) - 16) / 16;
    }
    for (int k = 0; k < width; ++k) {
      for (int row = 0; row < rows; ++row) {
        columns[at(k) * at(pitch) + at(row)] = random.below(97);
        values[at(k) * at(pitch) + at(row)] = static_cast<float>(random.below(17) - 8) / 8;
      }
    }
  }
  [[nodiscard]] Ell ell() const { return {rows, width, pitch, columns.data(), values.data()}; }
  [[nodiscard]] Vectors vectors() { return {1, b.data(), beta, c.data()}; }
  [[nodiscard]] Panels panels() { return {1, b.data(), width_of_b, beta, c.data(), width_of_b}; }
  [[nodiscard]] int wrong() const {
    int wrong = 0;
    for (int row = 0; row < rows; ++row) {
      for (int col = 0; col < width_of_b; ++col) {
        double sum = 0;
        for (int k = 0; k < width; ++k) {
          const std::size_t i = at(k) * at(pitch) + at(row);
          sum += static_cast<double>(values[i]) * b[at(columns[i]) * at(width_of_b) + at(col)];
        }
        wrong += c[at(row) * at(width_of_b) + at(col)] == static_cast<float>(sum) ? 0 : 1;
      }
    }
    return wrong;
  }
};

/// Computes C = A B over an old C of NaN, then adds to a C of zeros.
template <class Kernel>
void check_ell_panel(int rows, int width, int columns_of_b, int ctas) {
  EllCase problem(rows, width, columns_of_b);
  const dma::Index3 grid{ctas, columns_of_b / 4 / Kernel::quads};
  dma::host::launch(Kernel{}, grid, problem.ell(), problem.panels());
  REQUIRE(problem.wrong() == 0);
  std::fill(problem.c.begin(), problem.c.end(), 0.0F);
  problem.beta = 2;
  dma::host::launch(Kernel{}, grid, problem.ell(), problem.panels());
  REQUIRE(problem.wrong() == 0);
}

/// A matrix of blocks of 16 x 16, three in a row of them or fewer, times a panel.
struct BlockedCase : Case {
  static constexpr int edge = 16;
  using Kernel = BlockedEllSpmm<edge, 32, 2, 1>;

  sparse::BlockedEllMatrix blocked;

  BlockedCase(int rows_of_blocks, int columns)
      : Case(sparse::blocks(rows_of_blocks * edge, edge, 3), columns), blocked(sparse::blocked_ell_of(m, edge)) {}

  [[nodiscard]] BlockedEll<edge> matrix() const {
    return {blocked.rows, blocked.width, blocked.columns.data(), blocked.values.data()};
  }
};

struct OneSm {
  static constexpr int sms = 1;

  template <class Kernel, class... Args>
  void operator()(const Kernel& kernel, dma::Index3 grid, const Args&... args) const {
    dma::host::launch(kernel, grid, args...);
  }
};

using StreamedEll = EllSpmv<2, 2, 4, 2, 1>;
template <int Cols>
using StreamedEllPanel = EllSpmm<2, Cols, 4, 2, 1>;

}  // namespace

TEST_CASE("every kind of matrix times a vector and a panel is exact", "[sparse]") {
  for (const char* const name : sparse::matrix_names) {
    CAPTURE(name);
    check_vector(Case(sparse::make_matrix(name, 6000)));
    check_panel(Case(sparse::make_matrix(name, 3000), 16));
  }
}

TEST_CASE("rows of any length are added up, empty and split ones too", "[sparse]") {
  const std::vector<std::vector<int>> all{{0}, {5000}, {0, 5000, 0}, std::vector<int>(3000, 0), mixed_lengths(200)};
  for (const std::vector<int>& lengths : all) {
    CAPTURE(lengths.size(), lengths[0]);
    check_vector(Case(rows_of(lengths, 5000)));
    check_vector(Case(rows_of(lengths, 5000), 1, 2, 0.5F));
    check_panel(Case(rows_of(lengths, 5000), 16, -1, 2));
  }
}

TEST_CASE("a plan covers each row and nonzero once", "[sparse]") {
  const Case problem(rows_of(mixed_lengths(500), 1000));
  const Plan& plan = problem.plan;
  REQUIRE(plan.lanes == 0);
  REQUIRE(!plan.split.empty());
  REQUIRE(plan.starts.front().row == 0);
  REQUIRE(plan.starts.back().row == problem.m.rows);
  REQUIRE(plan.starts.back().nonzero == problem.m.nonzeros());
  for (std::size_t i = 1; i < plan.starts.size(); ++i) {
    const int nonzeros = plan.starts[i].nonzero - plan.starts[i - 1].nonzero;
    REQUIRE((nonzeros >= 0 && nonzeros <= Chunks::room));
    REQUIRE(plan.starts[i].row >= plan.starts[i - 1].row);
    const bool is_whole = plan.starts[i].nonzero == problem.m.offsets[at(plan.starts[i].row)];
    REQUIRE(is_whole == (plan.starts[i].begins_within == 0));
  }
  REQUIRE(sparse::make_plan(Case(rows_of(std::vector<int>(100, 32), 64)).csr()).lanes == 8);
}

TEST_CASE("columns anywhere are told from those near one another or under one another", "[sparse]") {
  for (const char* const name : sparse::matrix_names) {
    const Matrix m = sparse::make_matrix(name, 60000);
    Csr a{m.rows, m.cols, m.nonzeros(), m.offsets.data(), m.columns.data(), nullptr};
    const Plan plan = sparse::make_plan(a);
    CAPTURE(name);
    if (plan.lanes != 0 && m.cols > 2000) {
      CHECK(plan.is_scattered == std::string(name).starts_with("uniform"));
    }
    a.columns = nullptr;
    CHECK_FALSE(sparse::make_plan(a).is_scattered);
  }
}

TEST_CASE("ELLPACK matrices of all shapes", "[sparse]") {
  for (const auto& [rows, width] : {std::pair{1, 1}, {128, 4}, {1001, 7}, {130, 5}}) {
    CAPTURE(rows, width);
    EllCase streamed(rows, width);
    dma::host::launch(StreamedEll{}, {3}, streamed.ell(), streamed.vectors());
    REQUIRE(streamed.wrong() == 0);
    EllCase plain(rows, width);
    dma::host::launch(EllSpmvOfRows{}, {rows / EllSpmvOfRows::rows + 1}, plain.ell(), plain.vectors());
    REQUIRE(plain.wrong() == 0);
  }
}

TEST_CASE("ELLPACK matrices times panels", "[sparse]") {
  for (const auto& [rows, width] : {std::pair{1, 1}, {129, 4}, {70, 7}}) {
    CAPTURE(rows, width);
    check_ell_panel<EllSpmmOfRows<8>>(rows, width, 8, rows / EllSpmmOfRows<8>::rows_a_cta + 1);
    check_ell_panel<EllSpmmOfRows<32>>(rows, width, 64, rows / EllSpmmOfRows<32>::rows_a_cta + 1);
    check_ell_panel<StreamedEllPanel<8>>(rows, width, 16, 2);
    check_ell_panel<StreamedEllPanel<32>>(rows, width, 32, 2);
  }
}

TEST_CASE("ELLPACK matrices times panels of each width that has a form of its own", "[sparse]") {
  for (const int columns : {8, 24, 32, 96, 64}) {
    CAPTURE(columns);
    EllCase problem(150, 19, columns);
    sparse::multiply(OneSm{}, problem.ell(), problem.panels(), columns);
    REQUIRE(problem.wrong() == 0);
  }
}

TEST_CASE("Blocked-ELLPACK matrices times panels", "[sparse]") {
  for (const auto& [rows, columns] : {std::pair{1, 32}, {5, 64}}) {
    CAPTURE(rows, columns);
    BlockedCase problem(rows, columns);
    dma::host::launch(BlockedCase::Kernel{}, {2, columns / 32}, problem.matrix(), problem.panels());
    REQUIRE(problem.wrong() == 0);
  }
}

TEST_CASE("the kernels with DMA warps are proved", "[sparse]") {
  // Three tiles of two stages: the ring goes around.
  const std::vector<int> lengths{100, 0, 700, 3, 300, 2};
  Case problem(rows_of(lengths, 700));
  REQUIRE(problem.plan.chunks() == 5);
  REQUIRE_THAT((dma::proof::prove({.outputs = {dma::proof::output(problem.c), dma::proof::output(problem.heads)}},
                                  Spmv<Streamed, 1>{}, {1}, problem.csr(), problem.chunks(), problem.vectors())),
               IsProved());
  Case panel(rows_of(lengths, 700), 8);
  REQUIRE_THAT((dma::proof::prove({.outputs = {dma::proof::output(panel.c), dma::proof::output(panel.heads)}},
                                  Spmm<Streamed, 8, 1>{}, {1}, panel.csr(), panel.chunks(), panel.panels())),
               IsProved());
  EllCase ell(130, 9);
  REQUIRE_THAT(
      dma::proof::prove({.outputs = {dma::proof::output(ell.c)}}, StreamedEll{}, {2}, ell.ell(), ell.vectors()),
      IsProved());
  EllCase ell_panel(33, 9, 32);  // two blocks of three tiles, the last of one entry
  REQUIRE_THAT(dma::proof::prove({.outputs = {dma::proof::output(ell_panel.c)}}, StreamedEllPanel<32>{}, {1},
                                 ell_panel.ell(), ell_panel.panels()),
               IsProved());
  BlockedCase blocked(2, 32);
  REQUIRE_THAT(dma::proof::prove({.outputs = {dma::proof::output(blocked.c)}}, BlockedCase::Kernel{}, {1},
                                 blocked.matrix(), blocked.panels()),
               IsProved());
}
