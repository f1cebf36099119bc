// Steps of decoding on a GPU, over arrays and pages, compared with a loop in double precision. Exits with 1 where an
// answer is wrong, with 4 where there is no GPU.

#include "../../examples/gpu.hpp"
#include "../../examples/usage.hpp"
#include "cases.hpp"
#include "launch.cuh"

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include <cuda_runtime.h>

namespace {

using attention::Case;
using attention::Shape;
using decode::ArrayCase;
using decode::BFloat16;
using decode::Form;
using decode::form_of;
using decode::Half;
using decode::PagedCase;
using decode::Problem;

/// A host array on the GPU, from 8 elements before its first row on.
template <class Element>
class Copy {
 public:
  Copy(const std::vector<Element>& memory, const Element* first)
      : before_(static_cast<std::size_t>(first - 8 - memory.data())),
        array_(std::vector<Element>(memory.begin() + static_cast<std::ptrdiff_t>(before_), memory.end())) {}
  [[nodiscard]] Element* first() const { return array_.data() + 8; }
  void copy_back(std::vector<Element>& to) const {
    gpu::check(cudaMemcpy(to.data() + before_, array_.data(), array_.bytes(), cudaMemcpyDeviceToHost));
  }

 private:
  std::size_t before_;
  gpu::Array<Element> array_;
};

/// Decodes three times with one plan, and returns whether the last answer is right.
template <class Kernel, class Element>
bool is_right(const std::string& name, Case<Element>& whole, const std::vector<Element>& memory_k,
              const std::vector<Element>& memory_v, const std::vector<int>& table, const Problem<Element>& p) {
  const Copy<Element> q(whole.memory_q, p.q.first);
  const Copy<Element> k(memory_k, p.k.first);
  const Copy<Element> v(memory_v, p.v.first);
  const Copy<Element> o(whole.memory_o, p.o.first);
  const gpu::Array<float> log_sums(whole.log_sums);
  const gpu::Array<int> lengths(whole.lengths);
  const gpu::Array<int> pages(table);
  Problem<Element> own = p;
  own.q.first = q.first();
  own.k.first = k.first();
  own.v.first = v.first();
  own.o.first = o.first();
  own.log_sums = log_sums.data();
  own.lengths = lengths.data();
  own.page_table = table.empty() ? nullptr : pages.data();
  const gpu::Device device;
  const decode::DevicePlan<Kernel> plan(
      decode::make_plan(whole.lengths, p.kv_heads, Kernel::unit, device.properties.multiProcessorCount));
  for (int launch = 0; launch < 3; ++launch) {
    plan(device.stream, own);
  }
  gpu::check(cudaStreamSynchronize(device.stream));
  o.copy_back(whole.memory_o);
  whole.log_sums = log_sums.values();
  const double error = whole.worst_error();
  std::printf("%s: error %.3f of its bound%s\n", name.c_str(), error, error <= 1 ? "" : " WRONG");
  return error <= 1;
}
[[nodiscard]] std::string name_of(const Shape& s) {
  return std::to_string(s.batches) + " sequences of up to " + std::to_string(s.keys) + " keys, " +
         std::to_string(s.heads) + " heads over " + std::to_string(s.kv_heads) + " of " + std::to_string(s.head_size) +
         ", " + std::to_string(s.queries) + " queries";
}
template <class Element, Form form>
bool in_arrays(const Shape& shape, const std::vector<int>& lengths) {
  ArrayCase<Element> c(shape, lengths);
  return is_right<decode::Decode<Element, form>>(name_of(shape), c.whole, c.whole.memory_k, c.whole.memory_v, {}, c.p);
}
template <class Element, Form form>
bool in_pages(const Shape& shape, const std::vector<int>& lengths, int page_rows) {
  PagedCase<Element> c(shape, lengths, page_rows);
  return is_right<decode::Decode<Element, form>>(name_of(shape) + ", pages of " + std::to_string(page_rows), c.whole,
                                                 c.memory_k, c.memory_v, c.table, c.p);
}
[[nodiscard]] Shape shape_of(int batches, int heads, int kv_heads, int keys, int head_size, int queries = 1) {
  return {batches, heads, kv_heads, queries, keys, head_size, true};
}

/// Whether a kernel makes the host's plan.
bool is_planned() {
  const std::vector<int> lengths = decode::ragged(200, 3000);
  const decode::Plan plan = decode::make_plan(lengths, 8, 64, 132);
  const gpu::Array<int> of_gpu(lengths);
  const gpu::Array<int> before(lengths.size() + 1);
  const gpu::Array<decode::Segment> list(plan.segments.size());
  list.set_bytes(0);
  const decode::Division division{200, 8, 64, 132, of_gpu.data(), before.data()};
  decode::make_plan(nullptr, division, before.data(), list.data());
  const std::vector<decode::Segment> made = list.values();
  // Of heads that begin a CTA's list nothing is written in the rest of it, and the host has zeros there.
  const bool is_equal = std::memcmp(made.data(), plan.segments.data(), list.bytes()) == 0;
  std::printf("a plan of 200 sequences: %s\n", is_equal ? "as the host's" : "WRONG");
  return is_equal;
}

/// Whether all of them are right.
bool all_in_arrays() {
  bool all = in_arrays<BFloat16, form_of(128, 8, 64)>(shape_of(8, 32, 8, 1100, 128), decode::ragged(8, 1100));
  all = in_arrays<BFloat16, form_of(128, 8, 64)>(shape_of(1, 8, 2, 20000, 128), {20000}) && all;
  all = in_arrays<BFloat16, form_of(128, 8, 64)>(shape_of(200, 4, 1, 300, 128), decode::ragged(200, 300)) && all;
  all = in_arrays<BFloat16, form_of(128, 8, 64)>(shape_of(3, 4, 1, 300, 128), {0, 0, 0}) && all;
  all = in_arrays<BFloat16, form_of(128, 8, 64, true)>(shape_of(8, 32, 8, 1100, 128), decode::ragged(8, 1100)) && all;
  all = in_arrays<Half, form_of(64, 16, 64)>(shape_of(8, 30, 2, 1500, 64), decode::ragged(8, 1500)) && all;
  all = in_arrays<Half, form_of(64, 32, 64)>(shape_of(4, 16, 2, 1500, 64, 4), decode::ragged(4, 1500)) && all;
  return in_arrays<BFloat16, form_of(128, 32, 64)>(shape_of(8, 16, 1, 700, 128, 2), decode::ragged(8, 700)) && all;
}
bool all_in_pages() {
  const std::vector<int> lengths = decode::ragged(8, 1100);
  bool all = in_pages<BFloat16, form_of(128, 8, 16)>(shape_of(8, 32, 8, 1100, 128), lengths, 16);
  all = in_pages<BFloat16, form_of(128, 8, 16)>(shape_of(8, 32, 8, 1100, 128), lengths, 48) && all;
  all = in_pages<Half, form_of(128, 16, 32)>(shape_of(8, 32, 2, 1100, 128), lengths, 32) && all;
  all = in_pages<BFloat16, form_of(128, 8, 64)>(shape_of(8, 32, 8, 1100, 128), lengths, 64) && all;
  all = in_pages<BFloat16, form_of(128, 8, 64, true)>(shape_of(8, 32, 8, 1100, 128), lengths, 64) && all;
  all = in_pages<BFloat16, form_of(128, 8, 128)>(shape_of(8, 32, 8, 1100, 128), lengths, 128) && all;
  return in_pages<Half, form_of(64, 8, 64)>(shape_of(8, 16, 2, 1100, 64), lengths, 64) && all;
}

}  // namespace

int main(int argc, char** argv) try {
  expect_no_arguments(argc, argv, "Decodes over arrays and pages on a GPU, and compares with a loop.");
  if (const std::string reason = gpu::missing(); !reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return 4;
  }
  const bool plan = is_planned();
  const bool arrays = all_in_arrays();
  return all_in_pages() && arrays && plan ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "decode: %s\n", error.what());
  return 1;
}
