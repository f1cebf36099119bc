// Products into tensor memory with block scaling: their values beside sums of another formula, where their scales are,
// and the order of what writes these.
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
using ptx_test::tensor::Parts;
using ptx_test::tensor::run;

/// Of scales, made from bytes of the launch.
struct Scales {
  unsigned mask;
  unsigned first;
  bool is_exponent;

  [[nodiscard]] double value(unsigned char byte) const {
    const unsigned bits = (byte & mask) + first;
    return is_exponent ? std::ldexp(1, static_cast<int>(bits) - 127) : ptx_test::small_float(bits, 4, 3);
  }
};
constexpr Scales exponents{15, 117, true};
constexpr Scales floats{63, 24, false};

/// @param words    of `x`, in `y` behind 512 bytes: a row of 16 bytes has those of rows 32 apart, a word each
/// @param columns  where they come to be: those of A in four, those of B in the next
std::string copies_of_scales(const std::string& columns) {
  return "tcgen05.cp.cta_group::1.32x128b.warpx4 [" + columns + "], %rd11;\n add.s64 %rd12, %rd11, 32;\n" +
         "tcgen05.cp.cta_group::1.32x128b.warpx4 [" + columns + "+4], %rd12;\n";
}
std::string each_byte(unsigned value) { return std::to_string(value * 0x01010101U); }
/// 32 rows of 16 bytes for A, and 32 for B, to shared memory, one behind another: the descriptor has eight in 128
/// bytes.
std::string stores_of_scales(const Scales& scales) {
  std::string text =
      "ld.param.u64 %rd9, [y];\n mul.wide.u32 %rd10, %r1, 16;\n add.s64 %rd9, %rd9, %rd10;\n mov.u32 %s47, tile;\n"
      "mad.lo.u32 %s47, %r1, 16, %s47;\n setp.gt.u32 %p6, %r1, 63;\n @%p6 bra scaled;\n"
      "ld.global.v4.b32 {%s20, %s21, %s22, %s23}, [%rd9+512];\n";
  for (const char* const word : {"%s20", "%s21", "%s22", "%s23"}) {
    text += std::string("and.b32 ") + word + ", " + word + ", " + each_byte(scales.mask) + ";\n add.u32 " + word +
            ", " + word + ", " + each_byte(scales.first) + ";\n";
  }
  return text +
         "st.shared.v4.b32 [%s47+6144], {%s20, %s21, %s22, %s23};\n scaled:\n fence.proxy.async.shared::cta;\n"
         "bar.sync 0;\n add.s64 %rd11, %rd7, -34359737984;\n add.s32 %s46, %r21, 16;\n";
}
struct Kind {
  std::string words;
  std::uint32_t types;  ///< of A and B, in an instruction descriptor
  int bits_of_a;
  int bits_of_b;
  ptx_test::Element a;  ///< of its bits
  ptx_test::Element b;
  int depth;
  bool is_padded;
  int count;  ///< of scales of a row
  Scales scales;

  /// @param byte  the first of A's scales in their words
  [[nodiscard]] std::string product(unsigned byte, const std::string& adds, const std::string& of_scales = "%s46",
                                    unsigned columns = 16) const {
    const std::uint32_t descriptor = types | columns >> 3U << 17U | 128U >> 7U << 27U | byte << 29U |
                                     byte_of_b(byte) << 4U | (scales.is_exponent ? 1U << 23U : 0U);
    return "tcgen05.mma.cta_group::1." + words + " [%r21], %rd7, %rd8, " + std::to_string(descriptor) + ", [" +
           of_scales + "], [" + of_scales + "+4], " + adds + ";\n";
  }
  /// Another one where there may be.
  [[nodiscard]] unsigned byte_of_b(unsigned byte) const { return (byte + static_cast<unsigned>(count)) % 4; }
};
ptx_test::Element small(int exponent, int mantissa) {
  return [=](const unsigned char* bytes, int) {
    return ptx_test::small_float(ptx_test::at<std::uint16_t>(bytes, 0), exponent, mantissa);
  };
}
Kind bytes(const std::string& scaling, std::uint32_t a, std::uint32_t b, int bits_of_a, int bits_of_b,
           const ptx_test::Element& of_a, const ptx_test::Element& of_b) {
  return {"kind::mxf8f6f4.block_scale" + scaling,
          a << 7U | b << 10U,
          bits_of_a,
          bits_of_b,
          of_a,
          of_b,
          32,
          true,
          1,
          exponents};
}
Kind nibbles(const std::string& words, int count, const Scales& scales) {
  return {words, 1U << 7U | 1U << 10U, 4, 4, small(2, 1), small(2, 1), 64, false, count, scales};
}
/// Value k of 32 bytes, a bit at a time.
double value(const ptx_test::Element& element, int bits, bool is_padded, const unsigned char* row, int k) {
  const int first = is_padded ? k / 16 * 128 + k % 16 * bits : k * bits;
  unsigned read = 0;
  for (int bit = 0; bit < bits; ++bit) {
    read |= (row[(first + bit) / 8] >> (first + bit) % 8 & 1U) << bit;
  }
  const unsigned char number[] = {static_cast<unsigned char>(read), 0};
  return element(number, 0);
}
/// How many of the sums are not what the bytes of the launch say.
int wrong_sums(const Judged& judged, const Kind& kind, int byte, int factor, int columns = 16) {
  int wrong = 0;
  for (int at = 0; at < 128 * columns; ++at) {
    const int row = at / columns;
    const int column = at % columns;
    const unsigned char* const y = judged.arrays[1].data();
    double sum = 0;
    double sizes = 0;
    for (int k = 0; k < kind.depth; ++k) {
      const int block = k / (kind.depth / kind.count);
      const int first_of_b = static_cast<int>(kind.byte_of_b(static_cast<unsigned>(byte)));
      const double a = value(kind.a, kind.bits_of_a, kind.is_padded, judged.arrays[0].data() + row * 32, k);
      const double b = value(kind.b, kind.bits_of_b, kind.is_padded, y + column * 32, k);
      const double of_a = kind.scales.value(y[512 + row % 32 * 16 + row / 32 * 4 + byte + block]);
      const double of_b = kind.scales.value(y[1024 + column * 16 + first_of_b + block]);
      sum += factor * a * of_a * b * of_b;
      sizes += std::abs(factor * a * of_a * b * of_b);
    }
    const auto found = judged.at<float>(2, static_cast<std::size_t>(row * 16 + column));
    wrong += std::abs(sum - double{found}) <= 1e-5 * sizes ? 0 : 1;
  }
  return wrong;
}
Parts parts_of(const Kind& kind, const std::string& products) {
  Parts parts;
  parts.store_a = stores_of_scales(kind.scales);
  parts.products = copies_of_scales("%s46") + products;
  return parts;
}
Judged judged_of(const Parts& parts) { return run(parts, "u8[4096] = random", "u8[1536] = random"); }

const ptx_test::Element e4m3 = small(4, 3);
const ptx_test::Element e5m2 = small(5, 2);
const ptx_test::Element e2m3 = small(2, 3);
const ptx_test::Element e3m2 = small(3, 2);
const ptx_test::Element e2m1 = small(2, 1);

}  // namespace

TEST_CASE("ptx: products with block scaling are computed") {
  for (const Kind& kind :
       {bytes(".scale_vec::1X", 0, 0, 8, 8, e4m3, e4m3), bytes("", 0, 1, 8, 8, e4m3, e5m2),
        bytes(".block32", 1, 3, 8, 6, e5m2, e2m3), bytes("", 4, 0, 6, 8, e3m2, e4m3), bytes("", 5, 5, 4, 4, e2m1, e2m1),
        nibbles("kind::mxf4.block_scale.scale_vec::2X", 2, exponents), nibbles("kind::mxf4.block_scale", 2, exponents),
        nibbles("kind::mxf4.block_scale.block32", 2, exponents),
        nibbles("kind::mxf4nvf4.block_scale.scale_vec::2X", 2, exponents),
        nibbles("kind::mxf4nvf4.block_scale.scale_vec::4X", 4, exponents),
        nibbles("kind::mxf4nvf4.block_scale.scale_vec::4X", 4, floats),
        nibbles("kind::mxf4nvf4.block_scale.block16", 4, floats)}) {
    for (int byte = 0; byte < 4; byte += kind.count) {
      CAPTURE(kind.words, kind.types, byte);
      const auto first = static_cast<unsigned>(byte);
      const Judged judged = judged_of(parts_of(kind, kind.product(first, "0") + kind.product(first, "1")));
      CHECK(judged.message() == "");
      CHECK(judged.kind() == "proved");
      CHECK(judged.launch.not_computed.empty());
      CHECK(wrong_sums(judged, kind, byte, 2) == 0);
    }
  }
}

TEST_CASE("ptx: products with block scaling have a multiple of 8 columns") {
  const Kind kind = bytes("", 0, 0, 8, 8, e4m3, e4m3);
  const std::string others = "tcgen05.cp.cta_group::1.128x256b [%r21+8], %rd7;\n";
  const Judged judged = judged_of(parts_of(kind, kind.product(2, "0", "%s46", 8) + others));
  CHECK(judged.kind() == "proved");
  CHECK(wrong_sums(judged, kind, 2, 1, 8) == 0);
}

TEST_CASE("ptx: products with block scaling have A from tensor memory") {
  const Kind kind = bytes("", 0, 0, 8, 8, e4m3, e4m3);
  const auto from_there = [&](std::string product) {
    product.replace(product.find("%rd7"), 4, "[%s48]");
    return "add.s32 %s48, %r21, 24;\n tcgen05.cp.cta_group::1.128x256b [%s48], %rd7;\n" + product;
  };
  const Judged judged = judged_of(parts_of(kind, from_there(kind.product(0, "0"))));
  CHECK(judged.kind() == "proved");
  CHECK(judged.launch.not_computed.empty());
  CHECK(wrong_sums(judged, kind, 0, 1) == 0);
  const Kind of_nibbles = nibbles("kind::mxf4.block_scale", 2, exponents);
  CHECK(wrong_sums(judged_of(parts_of(of_nibbles, from_there(of_nibbles.product(2, "0")))), of_nibbles, 2, 1) == 0);
  // Of numbers of 6 and 4 bits in bytes.
  const Judged some = judged_of(parts_of(kind, from_there(bytes("", 3, 0, 6, 8, e2m3, e4m3).product(0, "0"))));
  CHECK(some.kind() == "proved");
  CHECK(some.launch.not_computed.size() == 1);
  CHECK_THAT(some.unknown[2], ContainsSubstring("8192 of 8192 bytes"));
}

TEST_CASE("ptx: scales are those that all warps' lanes have") {
  const Kind kind = bytes("", 0, 0, 8, 8, e4m3, e4m3);
  // Threads store them, each the word of its lane for one column: all 1, or one of them not, in one warp's lanes.
  const auto store_of_ones = [](const std::string& last) {
    return "add.s32 %s46, %r21, 16;\n mov.b32 %s20, " + each_byte(127) + ";\n" + last +
           "tcgen05.st.sync.aligned.32x32b.x8.b32 [%s40+16], {%s20, %s20, %s20, %s20, %s20, %s20, %s20, %s20};\n"
           "tcgen05.wait::st.sync.aligned;\n tcgen05.fence::before_thread_sync;\n bar.sync 0;\n";
  };
  Parts parts_of_ones;
  const auto stored = [&](const std::string& last) {
    parts_of_ones.store_a = store_of_ones(last);
    parts_of_ones.products = kind.product(1, "0");
    return judged_of(parts_of_ones);
  };
  const Judged ones = stored("");
  CHECK(ones.kind() == "proved");
  CHECK(ones.launch.not_computed.empty());
  double sum = 0;
  for (int k = 0; k < 32; ++k) {
    sum += ptx_test::e4m3_at(ones.arrays[0].data() + 32 * 77, k) * ptx_test::e4m3_at(ones.arrays[1].data() + 32 * 3, k);
  }
  CHECK(std::abs(ones.at<float>(2, 77 * 16 + 3) - sum) < 1e-5 * (1 + std::abs(sum)));
  const Judged differ = stored("setp.eq.u32 %p3, %r1, 70;\n @%p3 mov.b32 %s20, 0;\n");
  CHECK(differ.kind() == "proved");
  CHECK(differ.launch.not_computed.size() == 1);
  CHECK_THAT(differ.unknown[2], ContainsSubstring("8192 of 8192 bytes"));
  // Of the bytes that are asked for alone, the second of A and the third of B.
  CHECK(stored("setp.eq.u32 %p3, %r1, 70;\n @%p3 mov.b32 %s20, 8355584;\n").launch.not_computed.empty());
  CHECK(stored("setp.eq.u32 %p3, %r1, 70;\n @%p3 mov.b32 %s20, 32512;\n").launch.not_computed.size() == 1);
  const Judged unknown = stored("addc.u32 %s20, %s20, 0;\n");
  CHECK(unknown.kind() == "proved");
  CHECK_THAT(unknown.unknown[2], ContainsSubstring("8192 of 8192 bytes"));
  // No number; and of UE4M3 one with a sign, which it has not.
  CHECK(std::isnan(stored("mov.b32 %s20, -1;\n").at<float>(2, 5)));
  const Kind of_floats = nibbles("kind::mxf4nvf4.block_scale.block16", 4, floats);
  parts_of_ones.store_a = store_of_ones("mov.b32 %s20, 2139062143;\n");
  parts_of_ones.products = of_floats.product(0, "0");
  CHECK(std::isnan(judged_of(parts_of_ones).at<float>(2, 5)));
  parts_of_ones.store_a = store_of_ones("or.b32 %s20, %s20, 128;\n");
  CHECK(judged_of(parts_of_ones).launch.not_computed.size() == 1);
}

TEST_CASE("ptx: what writes scales, and products that read them, are in order") {
  const Kind kind = bytes("", 0, 0, 8, 8, e4m3, e4m3);
  const std::string unwaited = "a copy or an asynchronous read that was not waited for";
  const auto finding = [&](const std::string& products) { return judged_of(parts_of(kind, products)).finding(); };
  CHECK(finding(kind.product(0, "0") + kind.product(3, "1")) == "proved");
  CHECK(finding(copies_of_scales("%s46") + kind.product(0, "0")) == unwaited);
  // By PTX no copy follows a product without a wait, and published kernels count on it.
  const Judged behind =
      judged_of(parts_of(kind, kind.product(0, "0") + copies_of_scales("%s46") + kind.product(1, "1")));
  CHECK(behind.kind() == "rule");
  // Where none are, or not in all columns: of 40 columns of B there are scales in two columns.
  Parts parts = parts_of(kind, "");
  parts.products = kind.product(0, "0");
  CHECK_THAT(judged_of(parts).message(), ContainsSubstring("a product reads A, or scales, in columns"));
  const std::string last = "add.s32 %s48, %r21, 29;\n";
  CHECK_THAT(judged_of(parts_of(kind, last + kind.product(0, "0", "%s48"))).message(),
             ContainsSubstring("not allocated"));
  // Of a thread that stores them.
  parts = parts_of(kind, kind.product(0, "0"));
  parts.wait =
      "tcgen05.st.sync.aligned.32x32b.x1.b32 [%s40+20], {%r1};\n tcgen05.wait::st.sync.aligned;\n" + parts.wait;
  CHECK(judged_of(parts).finding() == unwaited);
  parts.wait = Parts().wait + "tcgen05.fence::after_thread_sync;\n" +
               "tcgen05.st.sync.aligned.32x32b.x1.b32 [%s40+20], {%r1};\n tcgen05.wait::st.sync.aligned;\n";
  CHECK(judged_of(parts).kind() == "proved");
}

TEST_CASE("ptx: what block scaling leaves undefined is refused") {
  const auto refused = [](const Kind& kind, const std::string& product) {
    const Judged judged = judged_of(parts_of(kind, product));
    CHECK_THAT(judged.message(), ContainsSubstring("not understood"));
    return judged.kind() == "refused";
  };
  const auto of = [](const Kind& kind, std::uint32_t more) {
    Kind other = kind;
    other.types |= more;
    return other.product(0, "0");
  };
  const Kind kind = bytes("", 0, 0, 8, 8, e4m3, e4m3);
  const Kind of_nibbles = nibbles("kind::mxf4.block_scale", 2, exponents);
  const Kind of_16 = nibbles("kind::mxf4nvf4.block_scale.scale_vec::4X", 4, floats);
  CHECK(refused(of_nibbles, of_nibbles.product(1, "0")));  // a half word that is none
  CHECK(refused(of_nibbles, of(of_nibbles, 1U << 29U)));
  CHECK(refused(of_nibbles, of(of_nibbles, 1U << 4U)));
  CHECK(refused(of_16, of_16.product(2, "0")));  // a word that is none
  CHECK(refused(kind, of(kind, 2U << 7U)));      // a type that is none
  CHECK(refused(kind, of(kind, 1U << 13U)));     // signs
  CHECK(refused(kind, of(kind, 1U << 16U)));     // B by columns
  CHECK(refused(kind, of(kind, 1U << 3U)));      // bits that are reserved
  CHECK(refused(kind, of(kind, 1U << 6U)));
  CHECK(refused(of_nibbles, of(of_nibbles, 1U << 31U)));  // 96 values of k
  CHECK(refused(bytes("", 0, 0, 8, 8, e4m3, e4m3), "add.s32 %s48, %s46, 65536;\n" + kind.product(0, "0", "%s48")));
  Kind of_floats = of_nibbles;
  of_floats.scales = floats;
  CHECK(refused(of_floats, of_floats.product(0, "0")));  // UE4M3 of blocks of 32
  // Published kernels have the byte in the address too; another one than the descriptor's is none.
  const auto with_byte = [&](unsigned of_descriptor) {
    std::string product = kind.product(of_descriptor, "0");
    product.replace(product.find("[%s46]"), 6, "[%s48]");
    return "add.u32 %s48, %s46, 1073741824;\n" + product;
  };
  CHECK(wrong_sums(judged_of(parts_of(kind, with_byte(1))), kind, 1, 1) == 0);
  CHECK(refused(kind, with_byte(2)));
}
