// error: dma::TransferPattern: this pattern has no const 'run_at'; add 'constexpr dma::Run run_at(int run) const', the offsets of a run on both sides and its bytes
// no other error

#include <dma/dma.hpp>
#include <dma/host/laws.hpp>

struct Line {
  using Element = float;
  static constexpr int tile_bytes = 64;
  static constexpr int max_run_count = 1;
  static constexpr int max_run_bytes = 64;
  static constexpr int run_alignment = 16;
  DMA_HOST_DEVICE constexpr bool is_full() const { return true; }
  DMA_HOST_DEVICE constexpr int size() const { return 16; }
  DMA_HOST_DEVICE constexpr int run_count() const { return 1; }
#if defined(DMA_MISTAKE)
  DMA_HOST_DEVICE constexpr dma::Run run(int) const { return {0, 0, 64}; }
#else
  DMA_HOST_DEVICE constexpr dma::Run run_at(int) const { return {0, 0, 64}; }
#endif
};

bool keeps_its_laws() { return dma::host::broken_law(Line{}).empty(); }
