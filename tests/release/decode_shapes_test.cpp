// Decoding on the emulator by the kernels of all heads, groups and pages, beside a loop in double precision.

#include "../../applications/decode/cases.hpp"
#include "../../applications/decode/decode.hpp"
#include "../../applications/decode/host.hpp"

#include <catch2/catch_test_macros.hpp>

#include <vector>

using attention::Shape;
using decode::BFloat16;
using decode::Half;

namespace {

/// The error of a step of the problem's own kernel, in units of what is allowed.
template <class Element>
[[nodiscard]] double worst_error(const attention::Case<Element>& whole, const decode::Problem<Element>& p, int ctas) {
  decode::with_kernel<false>(p, [&]<class Kernel>(const Kernel& kernel) {
    decode::decode_on_host(kernel, p, decode::make_plan(whole.lengths, p.kv_heads, Kernel::unit, ctas));
  });
  return whole.worst_error();
}
template <class Element>
[[nodiscard]] double error_in_arrays(const Shape& shape, const std::vector<int>& lengths) {
  const decode::ArrayCase<Element> c(shape, lengths);
  return worst_error(c.whole, c.p, 5);
}
template <class Element>
[[nodiscard]] double error_in_pages(const Shape& shape, const std::vector<int>& lengths, int page_rows) {
  const decode::PagedCase<Element> c(shape, lengths, page_rows);
  return worst_error(c.whole, c.p, 3);
}
[[nodiscard]] Shape shape_of(int batches, int heads, int kv_heads, int keys, int head_size, int queries = 1) {
  return {batches, heads, kv_heads, queries, keys, head_size, true};
}

}  // namespace

TEST_CASE("heads share keys by 1 to 16, and steps have up to 4 queries", "[decode]") {
  for (const int heads : {1, 2, 3, 7, 8, 9, 16}) {
    for (const int head_size : {64, 128}) {
      CAPTURE(heads, head_size);
      CHECK(error_in_arrays<BFloat16>(shape_of(2, 2 * heads, 2, 300, head_size), {300, 129}) <= 1);
      CHECK(error_in_arrays<Half>(shape_of(2, heads, 1, 520, head_size, 2), {513, 1}) <= 1);
    }
  }
  CHECK(error_in_arrays<BFloat16>(shape_of(1, 16, 2, 260, 128, 4), {258}) <= 1);
}

TEST_CASE("pages have 16 to 128 keys, or a multiple of 16", "[decode]") {
  for (const int page_rows : {16, 32, 48, 64, 128}) {
    for (const int head_size : {64, 128}) {
      CAPTURE(page_rows, head_size);
      CHECK(error_in_pages<BFloat16>(shape_of(4, 6, 2, 400, head_size), {400, 0, 17, 385}, page_rows) <= 1);
      CHECK(error_in_pages<Half>(shape_of(2, 4, 2, 300, head_size, 4), {300, 130}, page_rows) <= 1);
    }
  }
}
