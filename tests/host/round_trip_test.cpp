#include <dma/host/launch.hpp>
#include <dma/sync/cuda_barrier.hpp>
#include <dma/sync/named_barrier.hpp>

#include "kernels/round_trip.hpp"
#include "kernels/shapes.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace {

/// Every tenth shape of a pattern, there and back on the host's CTA.
template <class Pattern, class Warps, class Barrier>
void check_round_trip() {
  std::vector<int> indices(static_cast<std::size_t>(Pattern::max_run_count + 8));
  for (std::size_t i = 0; i < indices.size(); ++i) {
    indices[i] = static_cast<int>(i * 5 % indices.size());
  }
  std::vector<Pattern> shapes;
  const std::vector<Pattern> all = shapes::all<Pattern>(indices);
  for (std::size_t i = 0; i < all.size(); i += 10) {
    shapes.push_back(all[i]);
  }
  constexpr std::size_t reach = 16 * 1024;
  constexpr std::size_t stretch = 2 * reach;
  std::vector<unsigned char> in(stretch);
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<unsigned char>((i * 7 + i / 251) % 211);
  }
  std::vector<unsigned char> out(stretch * shapes.size(), 0xee);
  std::vector<unsigned char> arrived(Pattern::tile_bytes * shapes.size(), 0xee);
  dma::host::launch(round_trip::Body<Pattern, Warps, Barrier>{}, {2},
                    round_trip::Job<Pattern>{shapes.data(), static_cast<int>(shapes.size()), in.data() + reach,
                                             out.data() + reach, static_cast<long long>(stretch), arrived.data()});
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    std::vector<unsigned char> expected(stretch, 0xee);
    const unsigned char* const tile = arrived.data() + i * Pattern::tile_bytes;
    int wrong = 0;
    shapes::visit(
        shapes[i],
        [&](long long global, int shared, int bytes) {
          const auto place = static_cast<std::size_t>(static_cast<long long>(reach) + global);
          for (std::size_t byte = 0; byte < static_cast<std::size_t>(bytes); ++byte) {
            wrong += tile[static_cast<std::size_t>(shared) + byte] == in[place + byte] ? 0 : 1;
            expected[place + byte] = in[place + byte];
          }
        },
        [](int) {});
    REQUIRE(wrong == 0);
    REQUIRE(std::equal(expected.begin(), expected.end(), out.begin() + static_cast<std::ptrdiff_t>(i * stretch)));
  }
}

template <class Pattern>
void check_everywhere() {
  check_round_trip<Pattern, round_trip::WithDmaWarps, dma::NamedBarrier>();
  check_round_trip<Pattern, round_trip::WithDmaWarps, dma::CudaBarrier>();
  check_round_trip<Pattern, round_trip::WithoutDmaWarps, dma::NamedBarrier>();
  check_round_trip<Pattern, round_trip::WithoutDmaWarps, dma::CudaBarrier>();
}

}  // namespace

TEST_CASE("tiles go there and back through two pipelines, with and without DMA warps", "[protocol]") {
  check_everywhere<shapes::Words>();
  check_everywhere<shapes::Rows>();
  check_everywhere<shapes::Gather>();
  check_everywhere<shapes::WideBox>();
  check_everywhere<shapes::Ring>();
  check_everywhere<shapes::Turned>();
}
