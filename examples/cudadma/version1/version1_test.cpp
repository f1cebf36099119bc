// The kernels of the paper's figures 4, 6 and 7 and each constructor of CudaDMA's first version, on the emulator and
// proved for every schedule.

#include "../figures.hpp"
#include "version1_calls.hpp"

#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <numeric>
#include <vector>

using dma::proof::input;
using dma::proof::IsProved;
using dma::proof::output;

TEST_CASE("the paper's figure 4 multiplies a matrix with a vector") {
  constexpr int m = 2 * figures::PaperSgemv::COMPUTE_THREADS;
  constexpr int n = 3 * figures::PaperSgemv::VEC_ELMTS;
  std::vector<float> a(m * n), x(n), y(m, -1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(static_cast<int>(i * 7 % 11) - 5);
  }
  std::iota(x.begin(), x.end(), -20.0F);
  dma::host::launch(figures::PaperSgemv{}, {m / figures::PaperSgemv::COMPUTE_THREADS}, n, m, 2.0F, a.data(), x.data(),
                    y.data());
  int wrong = 0;
  for (std::size_t row = 0; row < m; ++row) {
    float sum = 0;  // of small integers: exact
    for (std::size_t col = 0; col < n; ++col) {
      sum += a[col * m + row] * x[col];
    }
    wrong += y[row] == 2 * sum ? 0 : 1;
  }
  CHECK(wrong == 0);
  CHECK_THAT(dma::proof::prove({.inputs = {input(a), input(x)}, .outputs = {output(y)}}, figures::PaperSgemv{}, {2}, n,
                               m, 2.0F, a.data(), x.data(), y.data()),
             IsProved());
}

TEST_CASE("the paper's figure 6 hands a buffer over by two named barriers") {
  constexpr int transfers = 3;
  std::vector<int> in(32 * transfers), out(32);
  std::iota(in.begin(), in.end(), 1);
  dma::host::launch(figures::PaperHandOver{}, {1}, in.data(), out.data(), transfers);
  int wrong = 0;
  for (int lane = 0; lane < 32; ++lane) {
    wrong += out[static_cast<std::size_t>(lane)] == transfers * (32 - lane) + 32 * (0 + 1 + 2) ? 0 : 1;
  }
  CHECK(wrong == 0);
  CHECK_THAT(dma::proof::prove({.inputs = {input(in)}, .outputs = {output(out)}}, figures::PaperHandOver{}, {1},
                               in.data(), out.data(), transfers),
             IsProved());
}

namespace {

template <figures::Buffers buffering>
void check_bufferings() {
  using Kernel = figures::PaperBuffering<buffering>;
  for (const int tiles : {1, 2, 5}) {
    std::vector<int> in(static_cast<std::size_t>(tiles * Kernel::tile)), out(in.size());
    std::iota(in.begin(), in.end(), 3);
    dma::host::launch(Kernel{}, {1}, in.data(), out.data(), tiles);
    int wrong = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      wrong += out[i] == 2 * (static_cast<int>(i) + 3) ? 0 : 1;
    }
    INFO("tiles " << tiles);
    REQUIRE(wrong == 0);
    REQUIRE_THAT(dma::proof::prove({.inputs = {input(in)}, .outputs = {output(out)}}, Kernel{}, {1}, in.data(),
                                   out.data(), tiles),
                 IsProved());
  }
}

}  // namespace

TEST_CASE("the paper's figure 7 streams tiles through each of its bufferings") {
  check_bufferings<figures::Buffers::single_buffer>();
  check_bufferings<figures::Buffers::of_two_groups>();
  check_bufferings<figures::Buffers::of_one_group>();
}

TEST_CASE("each constructor of CudaDMA's first version moves what its documentation says") {
  std::vector<int> in(512);
  std::iota(in.begin(), in.end(), 1);
  const int places[] = {2, 0, 3, 1};
  constexpr int most = 64 * 12;
  std::vector<int> sequential(most, -1), strided(most, -1), gathered(most, -1);
  int counts[3] = {};
  dma::host::launch(FirstVersionCalls{}, {1}, in.data(), &places[0], sequential.data(), strided.data(), gathered.data(),
                    &counts[0]);
  CHECK_THAT(dma::proof::prove(FirstVersionCalls{}, {1}, in.data(), &places[0], sequential.data(), strided.data(),
                               gathered.data(), &counts[0]),
             IsProved());
  REQUIRE(counts[0] == 7);
  REQUIRE(counts[1] == 10);
  REQUIRE(counts[2] == 3);
  int wrong = 0;
  for (int i = 0; i < most; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const int word = i % 64;
    wrong += sequential[at] == (i < 64 * counts[0] ? word + 1 : -1) ? 0 : 1;
    wrong += strided[at] == (i < 64 * counts[1] ? word / 16 * 32 + word % 16 + 1 : -1) ? 0 : 1;
    wrong += gathered[at] == (i < 64 * counts[2] ? places[word / 16] * 16 + word % 16 + 1 : -1) ? 0 : 1;
  }
  CHECK(wrong == 0);
}

namespace {

/// Loads a ring around a block of an array, by all warps, and stores the buffer.
template <class Element, int Radius, bool Corners>
struct LoadsHalo {
  static constexpr int most = 40 * 40;
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<2>>;
  struct Shared {
    alignas(16) Element buffer[most];
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<LoadsHalo>& cta, const Element* in, Element* out, int dimx, int dimy,
                                  int pitch, Element untouched) const {
    Element* const buffer = cta.template shared<Shared>().buffer;
    const int width = dimx + 2 * Radius;
    for (int i = cta.thread(); i < most; i += Layout::threads) {
      buffer[i] = untouched;
    }
    cta.sync();
    const dma::cudadma::cudaDMAHalo<Element, Radius, Corners, 16> halo(1, 64, 32, 32, dimx, dimy, pitch);
    if (halo.owns_this_thread()) {
      halo.execute_dma(in + (Radius * pitch + Radius), buffer + (Radius * width + Radius));
    } else {
      halo.start_async_dma();
      halo.wait_for_dma_finish();
      for (int i = cta.lane(); i < most; i += 32) {
        out[i] = buffer[i];
      }
    }
  }
};

template <int Words>
struct alignas(4 * Words) Element {
  int words[Words];
};

/// Elements of the buffer that are not the array's, in the ring, or have been touched, elsewhere.
template <class Element, int Radius, bool Corners>
int wrong_elements(int dimx, int dimy, int pitch) {
  using Kernel = LoadsHalo<Element, Radius, Corners>;
  const int rows = dimy + 2 * Radius;
  const int width = dimx + 2 * Radius;
  std::vector<Element> in(static_cast<std::size_t>(rows * pitch)), out(Kernel::most);
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i].words[0] = static_cast<int>(i);
  }
  Element untouched{};
  untouched.words[0] = -1;
  dma::host::launch(Kernel{}, {1}, in.data(), out.data(), dimx, dimy, pitch, untouched);
  int wrong = 0;
  for (int i = 0; i < Kernel::most; ++i) {
    const int row = i / width;
    const int col = i % width;
    const bool is_beside = col < Radius || col >= Radius + dimx;
    const bool is_above_or_below = row < Radius || row >= Radius + dimy;
    const bool is_ring = row < rows && (is_above_or_below ? Corners || !is_beside : is_beside);
    wrong += out[static_cast<std::size_t>(i)].words[0] == (is_ring ? row * pitch + col : -1) ? 0 : 1;
  }
  return wrong;
}

template <int Words, int Radius>
int wrong_of_sweep() {
  int wrong = 0;
  for (const int dimx : {1, 8, 32}) {
    for (const int dimy : {1, 5, 32}) {
      for (const int more : {0, 3, 4}) {
        wrong += wrong_elements<Element<Words>, Radius, true>(dimx, dimy, dimx + 2 * Radius + more);
        wrong += wrong_elements<Element<Words>, Radius, false>(dimx, dimy, dimx + 2 * Radius + more);
      }
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("rings around blocks of run-time sizes arrive, with corners and without, and nothing else is written") {
  CHECK(wrong_of_sweep<1, 1>() == 0);
  CHECK(wrong_of_sweep<1, 4>() == 0);
  CHECK(wrong_of_sweep<2, 2>() == 0);
  CHECK(wrong_of_sweep<4, 1>() == 0);
}
