// Where every access is seen the linker renames these, so that calls from kernels are reported; here they are none.
#if defined(DMA_SEEN) && !defined(__clang__)
extern "C" {
void* memcpy(void* __restrict, const void* __restrict, __SIZE_TYPE__) noexcept __asm__("__real_memcpy");
void* memmove(void*, const void*, __SIZE_TYPE__) noexcept __asm__("__real_memmove");
void* memset(void*, int, __SIZE_TYPE__) noexcept __asm__("__real_memset");
}
#endif

#include "recorded.hpp"

#include "listing.hpp"

#include <dma/proof/record/recorder.hpp>

namespace by_ptx {

void write_recordings(std::ostream& out, const dma::host::detail::CtaBody& body, dma::Index3 grid,
                      const Arrays& arrays) {
  dma::host::detail::for_each_block(
      grid, 0,
      [&](dma::Index3 block) {
        out << "block " << block.x << ' ' << block.y << ' ' << block.z << '\n';
        const auto recording = dma::proof::detail::record_cta({.block = block, .grid = grid}, body, false);
        Listing(recording, arrays).write(out);
        return true;
      },
      body.cluster);
}

}  // namespace by_ptx
