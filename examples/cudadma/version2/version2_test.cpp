// Each constructor and call of CudaDMA 2.0 through the adapter, and kernels in its three bufferings, on the emulator
// and proved for every schedule.

#include "version2_calls.hpp"

#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <type_traits>
#include <vector>

using Catch::Matchers::ContainsSubstring;
using dma::proof::FailsBy;
using dma::proof::FindingKind;
using dma::proof::IsProved;

namespace {

/// Counts the cases of one kind whose 64 ints are not `expected(i)`.
template <class Expected>
int wrong_cases(const std::vector<int>& out, int cases, const Expected& expected) {
  int wrong = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool is_written = i < static_cast<std::size_t>(64 * cases);
    wrong += out[i] == (is_written ? expected(static_cast<int>(i % 64)) : -1) ? 0 : 1;
  }
  return wrong;
}

}  // namespace

TEST_CASE("each constructor and each call of CudaDMA 2.0 moves what its documentation says") {
  std::vector<int> in(512);
  std::iota(in.begin(), in.end(), 1);
  const int places[] = {2, 0, 3, 1};
  std::vector<int> sequential(64 * 20, -1), strided(64 * 20, -1), gathered(64 * 20, -1), scattered(64 * 20, -1);
  int counts[4] = {};
  dma::host::launch(EveryCall{}, {1}, in.data(), &places[0], sequential.data(), strided.data(), gathered.data(),
                    scattered.data(), &counts[0]);
  CHECK_THAT(dma::proof::prove(EveryCall{}, {1}, in.data(), &places[0], sequential.data(), strided.data(),
                               gathered.data(), scattered.data(), &counts[0]),
             IsProved());
  REQUIRE(counts[0] == 14);
  REQUIRE(counts[1] == 9);
  REQUIRE(counts[2] == 9);
  REQUIRE(counts[3] == 3);
  CHECK(wrong_cases(sequential, counts[0], [](int i) { return i + 1; }) == 0);
  CHECK(wrong_cases(strided, counts[1], [](int i) { return i / 16 * 32 + i % 16 + 1; }) == 0);
  CHECK(wrong_cases(gathered, counts[2], [&](int i) { return places[i / 16] * 16 + i % 16 + 1; }) == 0);
  const int came_from[] = {1, 3, 0, 2};
  CHECK(wrong_cases(scattered, counts[3], [&](int i) { return came_from[i / 16] * 16 + i % 16 + 1; }) == 0);
}

namespace {

enum class Buffering { single_buffer, two_objects_of_two_groups, two_objects_of_one_group };
enum class Mistake { none, reads_too_soon, starts_too_soon, starts_once_less };

/// Compute threads sum up each tile's neighbours. Sizes are constants, or values where `AtRunTime`.
template <Buffering buffering, bool AtRunTime>
struct Stream {
  static constexpr bool is_double = buffering != Buffering::single_buffer;
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<buffering == Buffering::two_objects_of_two_groups ? 2 : 1>>;
  using Object = std::conditional_t<AtRunTime, dma::cudadma::CudaDMASequential<true, 16, 16>,
                                    dma::cudadma::CudaDMASequential<true, 16, 16, 256, 32>>;
  struct Shared {
    alignas(16) int buffers[2][64];
  };

  [[nodiscard]] static Object object(int id) {
    const int start = 32 + (buffering == Buffering::two_objects_of_two_groups ? 32 * id : 0);
    if constexpr (AtRunTime) {
      return Object(id, 32, 32, start, 256);
    } else {
      return Object(id, 32, start);
    }
  }

  void operator()(dma::KernelCta<Stream>& cta, const int* in, int* out, int tiles, Mistake mistake) const {
    auto& shared = cta.template shared<Shared>();
    Object objects[2] = {object(0), object(1)};
    const auto slot_of = [](int t) { return is_double ? t % 2 : 0; };
    if (objects[0].owns_this_thread() || (is_double && objects[1].owns_this_thread())) {
      for (int t = 0; t < tiles; ++t) {
        Object& mine = objects[slot_of(t)];
        if (mine.owns_this_thread()) {
          if (t % 3 == 0) {
            mine.template execute_dma<true>(in + t * 64, shared.buffers[slot_of(t)]);
          } else {
            mine.template start_xfer_async<true>(in + t * 64);
            mine.template wait_xfer_finish<true>(shared.buffers[slot_of(t)]);
          }
        }
      }
    } else {
      const int ahead = is_double ? 2 : 1;
      for (int t = 0; t < ahead && t < tiles; ++t) {
        objects[slot_of(t)].start_async_dma();
      }
      for (int t = 0; t < tiles; ++t) {
        const Object& full = objects[slot_of(t)];
        const int* const buffer = shared.buffers[slot_of(t)];
        const bool has_next = t + ahead < tiles - (mistake == Mistake::starts_once_less ? 1 : 0);
        if (mistake != Mistake::reads_too_soon || t != 1) {
          full.wait_for_dma_finish();
        }
        if (mistake == Mistake::starts_too_soon && has_next) {
          full.start_async_dma();
        }
        for (int i = 0; i < 2; ++i) {
          const int* const words[] = {buffer + cta.thread() + 32 * i, buffer + (cta.thread() + 32 * i + 1) % 64};
          dma::machine::touched(const_cast<int*>(words[0]), 4, dma::machine::Access::read);
          dma::machine::touched(const_cast<int*>(words[1]), 4, dma::machine::Access::read);
          // Unsigned: what a mistake leaves unwritten may be any number.
          out[t * 64 + cta.thread() + 32 * i] =
              static_cast<int>(static_cast<unsigned>(*words[0]) + static_cast<unsigned>(*words[1]));
        }
        if (mistake == Mistake::reads_too_soon && t == 1) {
          full.wait_for_dma_finish();
        }
        if (mistake != Mistake::starts_too_soon && has_next) {
          full.start_async_dma();
        }
      }
    }
  }
};

template <class Kernel>
void check_stream() {
  std::vector<int> in(64 * 6), out(64 * 6);
  std::iota(in.begin(), in.end(), 5);
  for (const int tiles : {0, 1, 2, 6}) {
    std::fill(out.begin(), out.end(), -1);
    dma::host::launch(Kernel{}, {1}, in.data(), out.data(), tiles, Mistake::none);
    int wrong = 0;
    for (int i = 0; i < 64 * 6; ++i) {
      const int expected = i < 64 * tiles ? (i + 5) + (i / 64 * 64 + (i + 1) % 64 + 5) : -1;
      wrong += out[static_cast<std::size_t>(i)] == expected ? 0 : 1;
    }
    INFO("tiles " << tiles);
    REQUIRE(wrong == 0);
    if (tiles == 0) {
      continue;  // There is nothing to judge.
    }
    REQUIRE_THAT(dma::proof::prove({.inputs = {dma::proof::input(in)}, .outputs = {dma::proof::output(out)}}, Kernel{},
                                   {1}, in.data(), out.data(), tiles, Mistake::none),
                 IsProved());
  }
  const auto verdict = [&](Mistake mistake) {
    return dma::proof::prove(Kernel{}, {1}, in.data(), out.data(), 4, mistake);
  };
  REQUIRE_THAT(verdict(Mistake::starts_too_soon), FailsBy(FindingKind::race));
  REQUIRE_THAT(verdict(Mistake::reads_too_soon), FailsBy(FindingKind::race));
  REQUIRE_THAT(verdict(Mistake::starts_once_less), FailsBy(FindingKind::deadlock));
}

}  // namespace

TEST_CASE("single, double and manual double buffering are proved, and a wait in the wrong place is found") {
  check_stream<Stream<Buffering::single_buffer, false>>();
  check_stream<Stream<Buffering::two_objects_of_two_groups, false>>();
  check_stream<Stream<Buffering::two_objects_of_one_group, false>>();
  check_stream<Stream<Buffering::two_objects_of_one_group, true>>();
}

namespace {

enum class BadCall { id, threads, start, buffer, unaligned, second_start };

struct Misused {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  struct Shared {
    alignas(16) int buffer[64];
  };
  void operator()(dma::KernelCta<Misused>& cta, const int* in, BadCall call) const {
    int* const buffer = cta.shared<Shared>().buffer;
    const int id = call == BadCall::id ? 8 : 1;
    const int threads = call == BadCall::threads ? 48 : 32;
    const dma::cudadma::CudaDMASequential<true, 16, 16, 256> object(id, threads, 32, call == BadCall::start ? 64 : 32);
    dma::cudadma::CudaDMASequential<false, 16, 16, 256, 64> whole;
    if (call == BadCall::buffer) {
      whole.execute_dma<true>(in, buffer + 4);
    } else if (call == BadCall::unaligned) {
      whole.execute_dma<true>(in + 1, buffer);
    } else if (call == BadCall::second_start) {
      whole.start_xfer_async<true>(in);
      whole.start_xfer_async<true>(in);
    } else {
      object.execute_dma_no_sync<true>(in, buffer);
    }
  }
};

}  // namespace

TEST_CASE("a call that would corrupt memory there is reported here") {
  alignas(16) static const int in[80] = {};
  const auto run = [&](BadCall call) { dma::host::launch(Misused{}, {1}, &in[0], call); };
  REQUIRE_THROWS_WITH(run(BadCall::id), ContainsSubstring("number them 0 to 7"));
  REQUIRE_THROWS_WITH(run(BadCall::threads), ContainsSubstring("multiples of 32"));
  REQUIRE_THROWS_WITH(run(BadCall::start), ContainsSubstring("the CTA does not have these warps"));
  REQUIRE_THROWS_WITH(run(BadCall::buffer), ContainsSubstring("not inside the CTA's shared memory"));
  REQUIRE_THROWS_WITH(run(BadCall::unaligned), ContainsSubstring("not a multiple of the pattern's run_alignment"));
  REQUIRE_THROWS_WITH(run(BadCall::second_start), ContainsSubstring("before the one before is finished"));
}
