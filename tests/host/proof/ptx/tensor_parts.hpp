#pragma once

#include "judge.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

/// A kernel of products into tensor memory, of parts.
namespace ptx_test::tensor {

/// Parts of a kernel of four warps, each of which a test may have otherwise. C is 128 x 16, A 128 x 16, B 16 x 16.
struct Parts {
  std::string allocate = "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], 32;\n";
  std::string relinquish = "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n";
  std::string meet = "bar.sync 0;\n";
  std::string store_a = "";  ///< of A to tensor memory, where products have it from there
  std::string before_products = "tcgen05.fence::after_thread_sync;\n";
  std::string products = "setp.ne.u32 %p6, %r1, %r1;\n" + product("%p6");
  std::string arrive = "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [full];\n";
  std::string wait = "again:\n mbarrier.try_wait.parity.shared::cta.b64 %p2, [full], 0;\n @!%p2 bra again;\n";
  std::string before_loads = "tcgen05.fence::after_thread_sync;\n";
  std::string load = load_of("%s40");
  std::string await_loads = "tcgen05.wait::ld.sync.aligned;\n";
  std::string behind_loads = "tcgen05.fence::before_thread_sync;\n";
  std::string meet_again = "bar.sync 0;\n";
  std::string free = "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r21, 32;\n";

  /// @param how  of 16 columns and 128 rows: bits of the instruction descriptor beside these
  static std::string product(const std::string& adds, const std::string& kind = "kind::f16",
                             std::uint32_t how = of_bf16, const std::string& a = "%rd7") {
    return "tcgen05.mma.cta_group::1." + kind + " [%r21], " + a + ", %rd8, " +
           std::to_string(how | 16U >> 3U << 17U | 128U >> 4U << 24U) + ", " + adds + ";\n";
  }
  static std::string load_of(const std::string& address, int columns = 16) {
    std::string registers;
    for (int column = 0; column < columns; ++column) {
      registers += (column == 0 ? "%s" : ", %s") + std::to_string(column);
    }
    return "tcgen05.ld.sync.aligned.32x32b.x" + std::to_string(columns) + ".b32 {" + registers + "}, [" + address +
           "];\n";
  }
  static constexpr std::uint32_t float_sums = 1U << 4U;
  static constexpr std::uint32_t of_bf16 = float_sums | 1U << 7U | 1U << 10U;
};

/// Rows of 16 bytes, eight of them together; the next 16 bytes of k are 128 behind, the next eight rows 256.
inline std::string store_row(const std::string& from, const std::string& to) {
  return "ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [" + from + "];\n ld.global.v4.b32 {%r14, %r15, %r16, %r17}, [" +
         from + "+16];\n st.shared.v4.b32 [%r20+" + to + "], {%r10, %r11, %r12, %r13};\n st.shared.v4.b32 [%r20+" + to +
         "+128], {%r14, %r15, %r16, %r17};\n";
}
/// The descriptor of such rows, but for their address.
inline const std::string descriptor = std::to_string(128ULL >> 4U << 16U | 256ULL >> 4U << 32U | 1ULL << 46U);
/// Where thread `%r1` stores its row, in `%r20`, and where the tile begins.
inline const std::string own_row = R"(
  shr.u32 %r18, %r1, 3;
  shl.b32 %r18, %r18, 8;
  and.b32 %r19, %r1, 7;
  shl.b32 %r19, %r19, 4;
  add.s32 %r20, %r18, %r19;
  mov.u32 %r22, tile;
  add.s32 %r20, %r20, %r22;
)";
/// The descriptors of A and B in a tile at `%r22`, by a register that may be the same, and a warp's rows of the
/// results.
inline std::string take_operands(const std::string& by) {
  return "ld.shared.b32 %r21, [where];\n shr.u32 " + by + ", %r22, 4;\n and.b32 " + by + ", " + by +
         ", 16383;\n cvt.u64.u32 %rd7, " + by + ";\n or.b64 %rd7, %rd7, " + descriptor +
         ";\n add.s64 %rd8, %rd7, 256;\n shr.u32 %s40, %r1, 5;\n shl.b32 %s40, %s40, 21;\n" +
         "add.s32 %s40, %s40, %r21;\n";
}
/// Stores the results of so many columns.
inline std::string store_results(int columns) {
  std::string text;
  for (int column = 0; column < columns; ++column) {
    text += "st.global.b32 [%rd3+" + std::to_string(4 * column) + "], %s" + std::to_string(column) + ";\n";
  }
  return text;
}
inline std::string text_of(const Parts& parts) {
  std::string text = R"(
  .reg .b32 %s<50>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.u64 %rd3, [z];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd5, %r1, 32;
  add.s64 %rd1, %rd1, %rd5;
  add.s64 %rd2, %rd2, %rd5;
  mul.wide.u32 %rd5, %r1, 64;
  add.s64 %rd3, %rd3, %rd5;
)" + own_row + store_row("%rd1", "0") +
                     "setp.gt.u32 %p4, %r1, 15;\n @%p4 bra stored;\n" + store_row("%rd2", "4096") + R"(stored:
  setp.ne.u32 %p1, %r1, 0;
  @!%p1 mbarrier.init.shared::cta.b64 [full], 1;
  fence.proxy.async.shared::cta;
  setp.gt.u32 %p5, %r1, 31;
  @%p5 bra allocated;
)" + parts.allocate + parts.relinquish +
                     "allocated:\n" + parts.meet + take_operands("%r22") + parts.store_a + "@%p1 bra started;\n" +
                     parts.before_products + parts.products + parts.arrive + "started:\n" + parts.wait +
                     parts.before_loads + parts.load + parts.await_loads;
  return text + store_results(16) + parts.behind_loads + parts.meet_again + "@%p5 bra end;\n" + parts.free + "end:\n";
}
inline Judged run(const Parts& parts, const std::string& a, const std::string& b) {
  return judge(kernel(".param .u64 x, .param .u64 y, .param .u64 z", text_of(parts),
                      ".shared .align 1024 .b8 tile[8192]; .shared .align 8 .b64 full[2]; .shared .b32 where[1];"),
               "k<<<1, 128>>>(x: " + a + ", y: " + b + ", z: out f32[2048])");
}
inline Judged run(const Parts& parts, const std::string& of = "bf16") {
  return run(parts, of + "[2048] = random", of + "[256] = random");
}

inline double of_bf16(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U));
}
/// Whether the 32 columns of C of pairs are so many times A B^T, of so many rows of A and of B, which the CTAs have
/// again and again. Their rows have 16 numbers.
inline bool is_product_of_pairs(const Judged& judged, int times = 1, std::size_t rows = 256, std::size_t columns = 32) {
  for (std::size_t at = 0; at < judged.arrays[2].size() / sizeof(float); ++at) {
    double sum = 0;
    for (std::size_t k = 0; k < 16; ++k) {
      sum += of_bf16(judged.at<std::uint16_t>(0, at / 32 % rows * 16 + k)) *
             of_bf16(judged.at<std::uint16_t>(1, at % columns * 16 + k));
    }
    const double difference = times * sum - static_cast<double>(judged.at<float>(2, at));
    if (difference * difference > 1e-8) {
      return false;
    }
  }
  return true;
}

}  // namespace ptx_test::tensor
