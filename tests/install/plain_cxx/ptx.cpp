// A kernel of PTX, which has a race: threads write elements of y and read those of others.

#include <dma/proof/prove.hpp>
#include <dma/proof/ptx_kernel.hpp>

#include <iostream>
#include <vector>

namespace {

constexpr const char* text = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry turn(.param .u64 y)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [y];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r1;
  xor.b32 %r2, %r1, 1;
  mul.wide.u32 %rd4, %r2, 4;
  add.s64 %rd5, %rd1, %rd4;
  ld.global.u32 %r3, [%rd5];
  ret;
}
)";

}  // namespace

int main() {
  std::vector<unsigned> y(32);
  const dma::proof::PtxKernel turn(text, "turn", {.block = {32, 1, 1}});
  const dma::proof::Verdict verdict =
      dma::proof::prove({.outputs = {dma::proof::output(y)}}, turn, {1, 1, 1}, y.data());
  std::cout << verdict << '\n';
  return verdict.kind == dma::proof::FindingKind::race ? 0 : 1;
}
