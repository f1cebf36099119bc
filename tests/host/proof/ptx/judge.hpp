#pragma once

#include <dma/proof/finding.hpp>
#include <dma/proof/ptx/launch/launch_verdict.hpp>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

/// Kernels of a few lines of PTX, and what the judges say of them.
namespace ptx_test {

namespace ptx = dma::proof::ptx::detail;

/// A kernel `k` with registers %p, %h (16 bits), %r, %f, %rd and %d, and what stands before it.
inline std::string kernel(const std::string& parameters, const std::string& body, const std::string& before = "") {
  return ".version 8.6\n.target sm_90a\n.address_size 64\n" + before + "\n.visible .entry k(" + parameters +
         ")\n{\n.reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<40>;\n.reg .f32 %f<20>;\n.reg .b64 %rd<20>;\n"
         ".reg .f64 %d<9>;\n" +
         body + "\nret;\n}\n";
}

/// The parameters, and shared memory, of the kernels here.
inline const std::string x_and_y = ".param .u64 x, .param .u64 y";
inline const std::string shared = ".shared .align 128 .b8 tile[1024]; .shared .align 8 .b64 full[2];";
/// %rd3 is the address of this thread's element of x, %rd4 that of y; %r4 its place in `tile`.
inline const std::string begin = R"(
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.s32 %r5, %r2, %r3, %r1;
  mul.wide.s32 %rd5, %r5, 4;
  add.s64 %rd3, %rd1, %rd5;
  add.s64 %rd4, %rd2, %rd5;
  shl.b32 %r6, %r1, 2;
  mov.u32 %r7, tile;
  add.s32 %r4, %r7, %r6;
)";

/// A judged launch with its arrays.
struct Judged {
  ptx::LaunchVerdict launch;
  std::vector<std::vector<unsigned char>> arrays;  ///< after the launch, in their order
  std::vector<std::string> unknown;                ///< what of each was not computed

  template <class T>
  [[nodiscard]] T at(std::size_t array, std::size_t index) const {
    T value;
    std::memcpy(&value, arrays[array].data() + index * sizeof value, sizeof value);
    return value;
  }
  [[nodiscard]] std::string kind() const;
  [[nodiscard]] std::string finding() const { return dma::proof::name_of(launch.verdict.kind); }
  [[nodiscard]] const std::string& message() const {
    return launch.refusal.empty() ? launch.verdict.message : launch.refusal;
  }
};

/// Judges launches one after another; the verdict is that of the last, or of the first that is not proved. What is said
/// of a kernel of PTX has no name of the library.
///
/// @param keeps_values  false: the arrays are not asked for
Judged judge(const std::string& text, const std::string& lines, bool keeps_values = true);

/// Of two CTAs of 64 threads.
inline Judged judge_body(const std::string& body,
                         const std::string& line = "k<<<2, 64>>>(x: s32[128] = iota, y: out s32[128])") {
  return judge(kernel(x_and_y, begin + body, shared), line);
}

/// The CTAs of a cluster meet.
inline const std::string meet = "barrier.cluster.arrive.release.aligned;\n barrier.cluster.wait.acquire.aligned;\n";
/// For a body in two CTAs of a cluster: %r20 is this CTA's rank, %r21 the other one; %r22 and %r23 are its `tile` of
/// this thread and its barrier.
inline const std::string peer = R"(
  mov.u32 %r20, %cluster_ctarank;
  xor.b32 %r21, %r20, 1;
  mapa.shared::cluster.u32 %r22, %r4, %r21;
  mov.u32 %r24, full;
  mapa.shared::cluster.u32 %r23, %r24, %r21;
  setp.ne.u32 %p1, %r1, 0;
  setp.ne.u32 %p3, %r20, 0;
)";
inline std::string open_full(int arrivals) {
  return peer + "@!%p1 mbarrier.init.shared::cta.b64 [full], " + std::to_string(arrivals) +
         ";\n @!%p1 fence.mbarrier_init.release.cluster;\n" + meet;
}

}  // namespace ptx_test
