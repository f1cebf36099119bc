// error: dma::MatrixFragment: operands in registers are of __nv_bfloat16 and __half; use one of them, or keep elements of one byte in shared memory
#include <dma/dma.hpp>
#include <dma/matrix/fragment.hpp>

struct __half;
struct __nv_fp8_e4m3;

#if defined(DMA_MISTAKE)
using Element = __nv_fp8_e4m3;
#else
using Element = __half;
#endif

void set(dma::MatrixFragment<Element>& fragment) { fragment.set_packed(0, 0); }
