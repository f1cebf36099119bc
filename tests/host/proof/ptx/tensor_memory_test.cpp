// Products into tensor memory: their values beside sums of another formula, what a kernel may not do with tensor
// memory, and the order of products, loads, fences and arrivals.
#include "mma_types.hpp"
#include "tensor_parts.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

namespace {

using Catch::Matchers::ContainsSubstring;
using ptx_test::Judged;
using ptx_test::tensor::of_bf16;
using ptx_test::tensor::Parts;
using ptx_test::tensor::run;

/// How often C is A B^T, for all of its elements; -1: for some it is not.
int times(const Judged& judged, const auto& value) {
  const auto product = [&](std::size_t row, std::size_t column) {
    double sum = 0;
    for (std::size_t k = 0; k < 16; ++k) {
      sum += static_cast<double>(value(judged.at<std::uint16_t>(0, row * 16 + k))) *
             static_cast<double>(value(judged.at<std::uint16_t>(1, column * 16 + k)));
    }
    return sum;
  };
  const auto is = [&](int factor) {
    for (std::size_t at = 0; at < 2048; ++at) {
      const double difference = factor * product(at / 16, at % 16) - static_cast<double>(judged.at<float>(2, at));
      if (difference * difference > 1e-8) {
        return false;
      }
    }
    return true;
  };
  return is(1) ? 1 : is(2) ? 2 : is(3) ? 3 : -1;
}

}  // namespace

TEST_CASE("ptx: products into tensor memory are computed") {
  Parts parts;
  const Judged judged = run(parts);
  CHECK(judged.message() == "");
  CHECK(judged.kind() == "proved");
  CHECK(judged.launch.not_computed.empty());
  CHECK(times(judged, of_bf16) == 1);
  parts.products += Parts::product("!%p6");
  CHECK(times(run(parts), of_bf16) == 2);
  parts.products += Parts::product("1");
  CHECK(times(run(parts), of_bf16) == 3);
  parts.products += Parts::product("0");
  CHECK(times(run(parts), of_bf16) == 1);
  // Of numbers without an exponent of 8 bits.
  parts.products = Parts::product("0", "kind::f16", Parts::float_sums);
  const Judged halves = run(parts, "f16");
  CHECK(halves.kind() == "proved");
  CHECK(times(halves, [](std::uint16_t bits) {
          const int exponent = bits >> 10U & 31U;
          const double size = exponent == 0
                                  ? (bits & 1023U) / 16777216.0
                                  : (1024U + (bits & 1023U)) * static_cast<double>(1U << exponent) / 33554432.0;
          return (bits >> 15U) != 0 ? -size : size;
        }) == 1);
}

TEST_CASE("ptx: products into tensor memory of other kinds are computed") {
  struct Kind {
    const char* name;
    const char* a;
    const char* b;
    std::uint32_t how;
  };
  constexpr std::uint32_t integer_sums = 2U << 4U;
  for (const auto& [name, a, b, how] : {Kind{"tf32", "tf32", "tf32", Parts::float_sums | 2U << 7U | 2U << 10U},
                                        {"f8f6f4", "e4m3", "e4m3", Parts::float_sums},
                                        {"f8f6f4", "e5m2", "e4m3", Parts::float_sums | 1U << 7U},
                                        {"f8f6f4", "e4m3", "e5m2", Parts::float_sums | 1U << 10U},
                                        {"i8", "u8", "u8", integer_sums},
                                        {"i8", "s8", "u8", integer_sums | 1U << 7U},
                                        {"i8", "u8", "s8", integer_sums | 1U << 10U | 1U << 3U}}) {
    CAPTURE(name, a, b);
    const ptx_test::Type& of_a = ptx_test::types.at(a);
    const ptx_test::Type& of_b = ptx_test::types.at(b);
    Parts parts;
    const std::string kind = std::string("kind::") + name;
    parts.products = Parts::product("0", kind, how) + Parts::product("1", kind, how);
    const Judged judged = run(parts, of_a.array, of_b.array);
    CHECK(judged.kind() == "proved");
    CHECK(judged.launch.not_computed.empty());
    int wrong = 0;
    for (int at = 0; at < 2048; ++at) {
      double sum = 0;
      for (int k = 0; k < 256 / of_a.bits; ++k) {
        sum +=
            of_a.read(judged.arrays[0].data() + at / 16 * 32, k) * of_b.read(judged.arrays[1].data() + at % 16 * 32, k);
      }
      const unsigned char* const found = judged.arrays[2].data();
      const double of_c = name[0] == 'i' ? ptx_test::s32_at(found, at) : ptx_test::f32_at(found, at);
      wrong += std::abs(2 * sum - of_c) <= 1e-5 * (1 + std::abs(sum)) ? 0 : 1;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("ptx: sums of integers in tensor memory saturate where the instruction says so") {
  Parts parts;
  const auto sum = [&](std::uint32_t saturates) {
    const std::string product = Parts::product("1", "kind::i8", 2U << 4U | saturates << 3U);
    // A sum of 32 products of 255 x 255, added to a sum near the end of its type.
    parts.products = Parts::product("0", "kind::i8", 2U << 4U | saturates << 3U);
    parts.products += "mov.u32 %s45, 0;\n more:\n " + product +
                      "add.u32 %s45, %s45, 1;\n setp.lt.u32 %p7, %s45, 1100;\n @%p7 bra more;\n";
    return run(parts, "u8[4096] = 255", "u8[512] = 255").at<std::int32_t>(2, 5);
  };
  constexpr long long all = 1101LL * 32 * 255 * 255;
  CHECK(sum(1) == 2147483647);
  CHECK(sum(0) == static_cast<std::int32_t>(all - (1LL << 32)));
}

TEST_CASE("ptx: products have A from tensor memory, to which threads store it") {
  const std::string store =
      "tcgen05.st.sync.aligned.32x32b.x8.b32 [%s40+16], {%s20, %s21, %s22, %s23, %s24, %s25, "
      "%s26, %s27};\n";
  const std::string wait = "tcgen05.wait::st.sync.aligned;\n";
  const std::string fence = "tcgen05.fence::before_thread_sync;\n";
  const std::string meet = "bar.sync 0;\n";
  // Each thread has a row of A, and the eight columns behind those of the sums have its 32 bytes.
  const std::string load =
      "add.s32 %s47, %r21, 16;\n ld.global.v4.b32 {%s20, %s21, %s22, %s23}, [%rd1];\n "
      "ld.global.v4.b32 {%s24, %s25, %s26, %s27}, [%rd1+16];\n";
  Parts parts;
  parts.store_a = load + store + wait + fence + meet;
  parts.products = Parts::product("0", "kind::f16", Parts::of_bf16, "[%s47]");
  const Judged judged = run(parts);
  CHECK(judged.message() == "");
  CHECK(judged.kind() == "proved");
  CHECK(judged.launch.not_computed.empty());
  CHECK(times(judged, of_bf16) == 1);
  Parts twice = parts;
  twice.products +=
      Parts::product("1", "kind::f16", Parts::of_bf16) + Parts::product("1", "kind::f16", Parts::of_bf16, "[%s47]");
  CHECK(times(run(twice), of_bf16) == 3);

  const std::string unwaited = "a copy or an asynchronous read that was not waited for";
  const auto finding = [&](const std::string& stores) {
    Parts other = parts;
    other.store_a = load + stores;
    return run(other).finding();
  };
  CHECK(finding(store + fence + meet) == unwaited);
  CHECK(finding(store + wait + meet) == unwaited);
  CHECK(finding(store + meet + wait + fence + meet) == "proved");
  CHECK(finding(store + store + wait + fence + meet) == unwaited);  // one over the other
  CHECK(finding(store + wait + store + wait + fence + meet) == "proved");
  CHECK(finding(store + wait + fence) != "proved");
  Parts other = parts;
  other.before_products = "";
  CHECK(run(other).finding() == "missing proxy fence");
  // Over what products still read, and behind their arrival.
  other = parts;
  other.wait = store + wait + fence + Parts().wait;
  CHECK(run(other).finding() == unwaited);
  other.wait = Parts().wait + "tcgen05.fence::after_thread_sync;\n" + store + wait + fence;
  CHECK(run(other).kind() == "proved");
  other.wait = Parts().wait + store + wait + fence;
  CHECK(run(other).finding() == "missing proxy fence");
  // What is not waited for when the memory is freed.
  other.wait = Parts().wait + "tcgen05.fence::after_thread_sync;\n" + store;
  CHECK(run(other).finding() == unwaited);

  // By the warp that has the rows, and all rows.
  other = parts;
  other.store_a = load + "add.s32 %s46, %s40, 2097152;\n tcgen05.st.sync.aligned.32x32b.x1.b32 [%s46], %s20;\n";
  CHECK_THAT(run(other).message(), ContainsSubstring("a warp stores to tensor memory from lane 128 on, of which it has "
                                                     "32 from lane 96 on"));
  other.store_a = load + "@!%p5 bra some;\n" + store + wait + "some:\n" + fence + meet;
  CHECK_THAT(run(other).message(), ContainsSubstring("of which not all lanes are set"));
  // A value that is not known, and what is not understood.
  other.store_a = load + "addc.u32 %s20, %s20, %r1;\n" + store + wait + fence + meet;
  CHECK(run(other).kind() == "proved");
  other.behind_loads += "setp.gt.u32 %p3, %s0, 5;\n @%p3 bar.sync 0;\n";
  CHECK(run(other).kind() == "refused");
  other = parts;
  other.products = Parts::product("0", "kind::f16", Parts::of_bf16 | 1U << 15U, "[%s47]");
  CHECK(run(other).kind() == "refused");
  other.products = Parts::product("0", "kind::f16.ashift", Parts::of_bf16, "[%s47]");
  CHECK(run(other).kind() == "refused");
  other = Parts();
  other.store_a = "tcgen05.st.sync.aligned.16x64b.x1.unpack::16b.b32 [%s40], {%r1};\n";
  CHECK(run(other).kind() == "refused");
}

TEST_CASE("ptx: each thread's lane of tensor memory is its own") {
  // Sums are overwritten by the thread that has loaded them, while other threads load theirs.
  const std::string store = "tcgen05.st.sync.aligned.32x32b.x1.b32 [%s40+3], %r1;\n";
  const std::string wait = "tcgen05.wait::st.sync.aligned;\n";
  Parts parts;
  parts.behind_loads = store + wait + Parts().behind_loads;
  CHECK(run(parts).kind() == "proved");
  parts.behind_loads = store + wait + "tcgen05.ld.sync.aligned.32x32b.x1.b32 %s45, [%s40+3];\n" + Parts().await_loads +
                       "setp.ne.u32 %p3, %s45, %r1;\n @%p3 bar.sync 0;\n" + Parts().behind_loads;
  CHECK(run(parts).kind() == "proved");  // what it has stored
  parts.behind_loads = Parts().behind_loads;
  parts.await_loads = store + wait + Parts().await_loads;
  CHECK(run(parts).finding() == "a copy or an asynchronous read that was not waited for");
  // Half a warp's lanes, which any of its threads load.
  parts.await_loads = Parts().await_loads;
  parts.behind_loads = store + wait + "tcgen05.ld.sync.aligned.16x64b.x2.b32 {%s45, %s46}, [%s40];\n" +
                       Parts().await_loads + Parts().behind_loads;
  CHECK(run(parts).finding() == "a copy or an asynchronous read that was not waited for");
}

TEST_CASE("ptx: rows of tensor memory are loaded by the warp that has them") {
  Parts parts;
  parts.load =
      "tcgen05.ld.sync.aligned.32x32b.x1.b32 %s0, [%s40+3];\n tcgen05.ld.sync.aligned.32x32b.x2.b32 {%s1, %s2}, "
      "[%s40+4];\n";
  for (int column = 3; column < 16; ++column) {
    parts.load += "mov.b32 %s" + std::to_string(column) + ", 0;\n";
  }
  const Judged some = run(parts);
  const Judged all = run({});
  CHECK(some.kind() == "proved");
  for (std::size_t row = 0; row < 128; ++row) {
    CHECK(some.at<float>(2, row * 16) == all.at<float>(2, row * 16 + 3));
    CHECK(some.at<float>(2, row * 16 + 2) == all.at<float>(2, row * 16 + 5));
  }
  parts.load = Parts::load_of("%r21");
  const Judged first = run(parts);
  CHECK(first.kind() == "error");
  CHECK_THAT(first.message(),
             ContainsSubstring("a warp loads tensor memory from lane 0 on, of which it has 32 from lane"));
}

TEST_CASE("ptx: a register is used when its load of tensor memory is complete") {
  Parts parts;
  parts.load += "add.u32 %s41, %s5, 1;\n";
  const Judged early = run(parts);
  CHECK(early.kind() == "error");
  CHECK_THAT(early.message(),
             ContainsSubstring("add.u32 uses a register that tcgen05.ld writes: no tcgen05.wait::ld is"));
  // A compiler may rename it.
  parts.load = Parts::load_of("%s40") + "mov.b32 %s41, %s5;\n";
  parts.behind_loads += "add.u32 %s42, %s41, 1;\n";
  CHECK(run(parts).kind() == "proved");
  const std::string two_names = parts.load + "mov.b32 %s43, %s41;\n";
  parts.load = two_names + "add.u32 %s42, %s43, 1;\n";
  CHECK(run(parts).kind() == "error");
  parts.load = two_names;
  CHECK(run(parts).kind() == "proved");
  // The second name is before the first in the text.
  parts.load = Parts::load_of("%s40") +
               "bra FIRST;\nSECOND: mov.b32 %s43, %s41;\n bra USE;\nFIRST: mov.b32 %s41, %s5;\n bra SECOND;\n"
               "USE: add.u32 %s42, %s43, 1;\n";
  CHECK(run(parts).kind() == "error");
}

TEST_CASE("ptx: what tensor memory orders is judged") {
  const auto finding = [](std::string Parts::*part, const std::string& other = "") {
    Parts parts;
    parts.*part = other;
    return run(parts).finding();
  };
  const std::string unwaited = "a copy or an asynchronous read that was not waited for";
  CHECK(finding(&Parts::before_products) == "proved");  // nothing is in tensor memory before
  CHECK(finding(&Parts::wait) == "broken contract");    // columns that are not set yet
  CHECK(finding(&Parts::before_loads) == "missing proxy fence");
  CHECK(finding(&Parts::await_loads) == "broken contract");  // uses their registers
  CHECK(finding(&Parts::behind_loads) == unwaited);
  CHECK(finding(&Parts::meet) == unwaited);                 // of the tile, beside the address
  CHECK(finding(&Parts::meet_again) == "broken contract");  // loads of columns that are freed
  // Operands are read until the products arrive.
  const std::string wait = Parts().wait;
  CHECK(finding(&Parts::wait, "st.shared.b32 [%r20], %r1;\n" + wait) == "race");
  CHECK(finding(&Parts::wait, "@!%p4 st.shared.b32 [%r20+4096], %r1;\n" + wait) == unwaited);
  CHECK(finding(&Parts::wait, wait + "@!%p4 st.shared.b32 [%r20+4096], %r1;\n") == "proved");
  CHECK(finding(&Parts::arrive) == "deadlock");
  CHECK(finding(&Parts::free) == "pending at exit");
  // The arrival is that of the products, and the thread's own says nothing of them.
  CHECK(finding(&Parts::arrive, "mbarrier.arrive.shared::cta.b64 _, [full];\n") == unwaited);
  CHECK(finding(&Parts::products, "mov.b32 %s45, 0;\n") == "broken contract");  // columns that are not set
  CHECK(finding(&Parts::products, Parts::product("1")) == "broken contract");   // nor those that it adds to
}

TEST_CASE("ptx: what a kernel may not do with tensor memory is an error") {
  const auto message = [](std::string Parts::*part, const std::string& other) {
    Parts parts;
    parts.*part = other;
    const Judged judged = run(parts);
    CHECK(judged.kind() == "error");
    CHECK_THAT(judged.message(), ContainsSubstring("k.ptx:"));
    return judged.message();
  };
  const auto allocation = [](const std::string& columns) {
    return "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], " + columns + ";\n";
  };
  CHECK_THAT(message(&Parts::allocate, allocation("48")),
             ContainsSubstring("where 32, 64, 128, 256 and 512 are defined"));
  CHECK_THAT(message(&Parts::relinquish, allocation("512")),
             ContainsSubstring("more columns than an SM's tensor memory has"));
  CHECK_THAT(message(&Parts::relinquish, Parts().relinquish + allocation("32")),
             ContainsSubstring("after it has given back the permit"));
  CHECK_THAT(message(&Parts::free, "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r21, 64;\n"),
             ContainsSubstring("not allocated"));
}

TEST_CASE("ptx: what is not known of tensor memory is refused, or its sums are not known") {
  const auto refused = [](std::string Parts::*part, const std::string& other) {
    Parts parts;
    parts.*part = other;
    const Judged judged = run(parts);
    CHECK_THAT(judged.message(), ContainsSubstring("not understood"));
    return judged.kind() == "refused";
  };
  CHECK(refused(&Parts::products, Parts::product("1", "kind::tf32")));                                  // of halves
  CHECK(refused(&Parts::products, Parts::product("1", "kind::f8f6f4", Parts::float_sums | 3U << 7U)));  // of 6 bits
  CHECK(refused(&Parts::products, Parts::product("1", "kind::f8f6f4", Parts::float_sums | 1U << 15U)));
  CHECK(refused(&Parts::products, Parts::product("1", "kind::i8", Parts::float_sums)));
  CHECK(refused(&Parts::products, Parts::product("1", "kind::f16", Parts::of_bf16 | 1U << 3U)));
  CHECK(refused(&Parts::products, Parts::product("1", "kind::f16", 1U << 7U | 1U << 10U)));  // sums of halves
  CHECK(refused(&Parts::products, Parts::product("1", "kind::f16", Parts::float_sums | 1U << 7U)));
  CHECK(refused(&Parts::products, Parts::product("1", "kind::f16", Parts::of_bf16 | 1U << 13U)));  // signs
  CHECK(refused(&Parts::products, Parts::product("{%r1, %r1, %r1, %r1}, 1")));
  CHECK(refused(&Parts::products, "add.s64 %rd7, %rd7, 562949953421312;\n" + Parts::product("1")));  // a base offset
  CHECK(refused(&Parts::load, "tcgen05.ld.sync.aligned.16x64b.x1.pack::16b.b32 %s0, [%s40];\n"));
  // A mask of CTAs that is not known, and one that is.
  Parts by_mask;
  by_mask.arrive =
      "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [full], %h1;\n";
  CHECK(run(by_mask).kind() == "refused");
  by_mask.arrive = "mov.u16 %h1, 1;\n" + by_mask.arrive;
  CHECK(run(by_mask).kind() == "proved");
  // An operand of which a byte is not known.
  Parts parts;
  parts.meet =
      "bar.sync 0;\n addc.u32 %r23, %r1, %r1;\n @!%p1 st.shared.b32 [tile], %r23;\n"
      "fence.proxy.async.shared::cta;\n bar.sync 0;\n";
  const Judged judged = run(parts);
  CHECK(judged.kind() == "proved");
  CHECK(judged.launch.not_computed.size() == 1);
  parts.behind_loads += "setp.gt.u32 %p3, %s0, 5;\n @%p3 bar.sync 0;\n";
  CHECK(run(parts).kind() == "refused");
}
