#include <dma/dma.hpp>
#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstddef>
#include <cstring>
#include <vector>

namespace {

template <int Bytes>
struct alignas(Bytes) Value {
  unsigned char bytes[Bytes];
};

/// Each thread moves the value of its rank, and writes it to the place of the thread that counts from the end.
template <class T>
struct Reversed {
  using Layout = dma::WarpLayout<dma::Compute<2>>;

  void operator()(dma::KernelCta<Reversed>& cta, const T* in, T* out) const {
    const int thread = cta.thread();
    dma::store_global<dma::CacheHints{.l2 = dma::L2Priority::evict_last}>(out + Layout::threads - 1 - thread,
                                                                          dma::load_global(in + thread));
  }
};

/// The compute warps read elements that a load fills, before they wait for it or after.
struct ReadsPadding {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Tile = dma::Tile2D<float, 8, 8>;
  using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Layout>, dma::CudaBarrier, dma::RegisterCopy<>>;
  struct Shared {
    Pipe::Storage storage;
  };

  void operator()(dma::KernelCta<ReadsPadding>& cta, const float* in, float* out, bool waits) const {
    auto& shared = cta.shared<Shared>();
    Pipe pipe(cta, shared.storage);
    const Tile outside{32, 8, 8, 8, 0, 2.5F};
    if (pipe.is_dma()) {
      pipe.as_dma().load(in, outside);
    } else {
      const auto compute = pipe.as_compute();
      auto* const place = reinterpret_cast<float*>(&shared.storage) + compute.rank();
      if (!waits) {
        dma::machine::touched(place, 4, dma::machine::Access::read);
      }
      const auto tile = compute.wait(outside);
      out[compute.rank()] = tile[compute.rank()];
    }
  }
};

}  // namespace

TEMPLATE_TEST_CASE("a value of 1 to 16 bytes is loaded and stored whole", "[engines]", Value<1>, Value<2>, Value<4>,
                   Value<8>, Value<16>) {
  std::vector<TestType> in(64), out(66);
  std::memset(static_cast<void*>(out.data()), 0xee, 66 * sizeof(TestType));
  auto* const numbers = reinterpret_cast<unsigned char*>(in.data());
  for (std::size_t i = 0; i < 64 * sizeof(TestType); ++i) {
    numbers[i] = static_cast<unsigned char>(i * 7 % 211);
  }
  dma::host::launch(Reversed<TestType>{}, {1}, in.data(), out.data() + 1);
  for (std::size_t i = 0; i < 64; ++i) {
    REQUIRE(std::memcmp(&out[1 + i], &in[63 - i], sizeof(TestType)) == 0);
  }
  const std::vector<unsigned char> untouched(sizeof(TestType), 0xee);
  REQUIRE(std::memcmp(&out[0], untouched.data(), untouched.size()) == 0);
  REQUIRE(std::memcmp(&out[65], untouched.data(), untouched.size()) == 0);
}

TEST_CASE("a value at an address that is no multiple of its size is refused", "[engines][contracts]") {
  alignas(16) static int words[4] = {1, 2, 3, 4};
  const auto* const from = reinterpret_cast<const long long*>(&words[1]);
  auto* const to = reinterpret_cast<long long*>(&words[1]);
  REQUIRE_THROWS_WITH(dma::load_global(from), Catch::Matchers::ContainsSubstring("where a GPU would fault"));
  REQUIRE_THROWS_WITH(dma::store_global(to, 5LL), Catch::Matchers::ContainsSubstring("where a GPU would fault"));
  REQUIRE((words[1] == 2 && words[2] == 3));
}

TEST_CASE("elements that a load fills are written as those that it moves", "[engines]") {
  const std::vector<float> in(64);
  std::vector<float> out(32);
  REQUIRE_THAT(
      dma::proof::prove({.outputs = {dma::proof::output(out)}}, ReadsPadding{}, {1}, in.data(), out.data(), true),
      dma::proof::IsProved());
  REQUIRE_THAT(dma::proof::prove(ReadsPadding{}, {1}, in.data(), out.data(), false),
               dma::proof::FailsBy(dma::proof::FindingKind::race));
}
