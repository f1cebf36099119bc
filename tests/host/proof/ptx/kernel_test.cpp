// A kernel by its PTX and by C++, for host::launch and prove.
#include "judge.hpp"

#include <dma/dma.hpp>
#include <dma/proof/ptx_kernel.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <array>
#include <span>
#include <string>
#include <vector>

namespace {

using Catch::Matchers::ContainsSubstring;
using dma::proof::FindingKind;
using dma::proof::input;
using dma::proof::output;
using dma::proof::PtxKernel;
using dma::proof::Verdict;

constexpr int threads = 64;
using Numbers = std::vector<int>;
constexpr std::size_t numbers = 2 * threads;

/// y is x with the elements of each CTA's part in reverse, and `more` added.
struct Reverse {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  struct Shared {
    std::array<int, threads> tile;
  };

  void operator()(dma::KernelCta<Reverse>& cta, const int* x, int* y, int more) const {
    Shared& shared = cta.shared<Shared>();
    const int first = static_cast<int>(cta.block().x) * threads;
    const auto own = static_cast<std::size_t>(cta.thread());
    shared.tile[own] = x[first + cta.thread()];
    cta.sync();
    y[first + cta.thread()] = shared.tile[threads - 1 - own] + more;
  }
};
/// The same.
std::string reverse_text(const std::string& barrier = "bar.sync 0;") {
  return ptx_test::kernel(ptx_test::x_and_y + ", .param .s32 more", ptx_test::begin + R"(
    ld.param.s32 %r20, [more];
    ld.global.b32 %r10, [%rd3];
    st.shared.b32 [%r4], %r10;
    )" + barrier + R"(
    sub.s32 %r11, 63, %r1;
    shl.b32 %r11, %r11, 2;
    add.s32 %r11, %r7, %r11;
    ld.shared.b32 %r12, [%r11];
    add.s32 %r12, %r12, %r20;
    st.global.b32 [%rd4], %r12;
  )",
                          ptx_test::shared);
}
PtxKernel reverse(const std::string& barrier = "bar.sync 0;") {
  return {reverse_text(barrier), "k", {.block = {threads, 1, 1}}};
}
Numbers some_numbers() {
  Numbers x(numbers);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<int>(i * i % 97);
  }
  return x;
}

}  // namespace

TEST_CASE("ptx: host::launch runs an entry as it runs the kernel body in C++") {
  const Numbers x = some_numbers();
  Numbers by_body(numbers);
  Numbers by_ptx(numbers);
  for (const unsigned seed : {0U, 1U, 7U}) {
    by_ptx.assign(numbers, 0);
    dma::host::launch({.seed = seed}, Reverse{}, {2, 1, 1}, x.data(), by_body.data(), 5);
    dma::host::launch({.seed = seed}, reverse(), {2, 1, 1}, x.data(), by_ptx.data(), 5);
    CHECK(by_ptx == by_body);
    CHECK(by_ptx[3] == x[threads - 4] + 5);
  }
}

TEST_CASE("ptx: host::launch leaves no value that was not computed") {
  const Numbers x = some_numbers();
  Numbers y(numbers);
  const auto said_by = [&](const std::string& body, auto... args) {
    const PtxKernel kernel{
        ptx_test::kernel(ptx_test::x_and_y, ptx_test::begin + body, ptx_test::shared), "k", {.block = {threads, 1, 1}}};
    try {
      dma::host::launch(kernel, {2, 1, 1}, args...);
      return std::string();
    } catch (const dma::host::KernelError& error) {
      return std::string(error.what());
    }
  };
  const std::string unknown = "addc.u32 %r20, %r1, %r1;\n";
  const std::string stored = unknown + "setp.lt.u32 %p1, %r5, 3;\n @!%p1 st.global.b32 [%rd4], %r20;\n";
  const std::span all(y);
  const std::string said = said_by(stored, std::span(x), all);
  CHECK_THAT(said,
             ContainsSubstring("dma::host::launch: element 3 of argument 1 was not computed, by addc.u32 (k.ptx:"));
  CHECK_THAT(said, ContainsSubstring("): 500 of 512 bytes are not known; take no results of this kernel"));
  CHECK_THAT(
      said_by(stored, x.data(), y.data()),
      ContainsSubstring("the byte 12 behind the address that argument 1 is was not computed, by addc.u32 (k.ptx:"));
  CHECK(said_by(stored + "st.global.b32 [%rd4], 1;\n", std::span(x), all).empty());
  alignas(4096) std::array<int, 2 * numbers> both{};  // unknown bytes of one array are not those of its neighbour
  const std::string both_stored =
      unknown + "setp.eq.u32 %p1, %r5, 3;\n @%p1 st.global.b32 [%rd3], %r20;\n st.global.b32 [%rd4], %r20;\n";
  CHECK_THAT(said_by(both_stored, std::span(both).first(numbers), std::span(both).last(numbers)),
             ContainsSubstring("element 3 of argument 0 was not computed, by addc.u32 (k.ptx:") &&
                 ContainsSubstring("): 4 of 512 bytes are not known"));
  const std::string kept =
      unknown + "st.shared.b32 [%r4], %r20;\n st.local.b32 [here], %r20;\n st.global.b32 [%rd4], 1;\n";
  CHECK(said_by(".local .b32 here;\n" + kept, std::span(x), all).empty());
  CHECK(said_by(".local .b32 here;\n" + kept, x.data(), y.data()).empty());
}

TEST_CASE("ptx: prove judges an entry, and restores its arrays") {
  const Numbers x = some_numbers();
  Numbers y(numbers);
  const auto prove = [&](const PtxKernel& kernel) {
    return dma::proof::prove({.inputs = {input(x, "x")}, .outputs = {output(y, "y")}}, kernel, {2, 1, 1}, x.data(),
                             y.data(), 5);
  };
  const Verdict right = prove(reverse());
  CHECK(right.is_proved());
  CHECK(right.not_judged.empty());
  CHECK(y == Numbers(numbers));
  const Verdict wrong = prove(reverse(""));
  CHECK(wrong.kind == FindingKind::race);
  CHECK_THAT(wrong.message, ContainsSubstring(" of tile (k.ptx:"));
}

TEST_CASE("ptx: spans of an entry's arguments bound its accesses, in the library's words") {
  const Numbers x = some_numbers();
  std::vector<int> y(4096);  // of which no other array is near
  const std::span<int> part(y.data() + 1024, threads);
  const std::span<int> whole(y.data() + 1024, 2 * threads);
  CHECK(dma::proof::prove({}, reverse(), {2, 1, 1}, std::span(x), whole, 5).is_proved());
  const Verdict outside = dma::proof::prove({}, reverse(), {2, 1, 1}, std::span(x), part, 5);
  CHECK(outside.kind == FindingKind::out_of_bounds);
  CHECK_THAT(outside.message,
             ContainsSubstring("of argument 1, which has 64 elements; stay inside the array, or name"));
  CHECK_THROWS_AS(dma::host::launch(reverse(), {2, 1, 1}, std::span(x), part, 5), dma::host::OutOfBounds);
}

TEST_CASE("ptx: a rule that an entry breaks is what its proof leaves open") {
  Numbers y(numbers);
  const PtxKernel reads_first{ptx_test::kernel(".param .u64 y", R"(
    ld.param.u64 %rd1, [y];
    ld.shared.b32 %r1, [tile];
    st.global.b32 [%rd1], 7;
  )",
                                               ptx_test::shared),
                              "k",
                              {.block = {32, 1, 1}}};
  const Verdict verdict = dma::proof::prove({.outputs = {output(y)}}, reads_first, {1, 1, 1}, y.data());
  CHECK(verdict.is_proved());
  REQUIRE(verdict.not_judged.size() == 1);
  CHECK_THAT(*verdict.not_judged.begin(), ContainsSubstring("but for a rule: bytes that were not written: thread 0"));
}

TEST_CASE("ptx: arguments of other bytes than an entry's are refused") {
  Numbers y(numbers);
  const auto error_of = [](const auto&... args) -> std::string {
    try {
      dma::host::launch(reverse(), {2, 1, 1}, args...);
    } catch (const dma::host::KernelError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(error_of(y.data(), y.data()) ==
        "dma::proof::PtxKernel: k takes 3 arguments and got 2; give one for each parameter");
  CHECK(error_of(y.data(), y.data(), 5.0) ==
        "dma::proof::PtxKernel: argument 2 of k has 8 bytes and its parameter 4; give it the parameter's type");
  CHECK_THROWS_WITH(PtxKernel(reverse_text(), "scale", {}), ContainsSubstring("no entry is named scale"));
}
