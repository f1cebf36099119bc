#pragma once

#include <dma/config.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/roles/warp_layout.hpp>

namespace dma::inline v0_1 {

namespace detail {

/// The index of the 32-byte sector that contains the byte at this global offset.
[[nodiscard]] DMA_HOST_DEVICE constexpr long long sector_of(long long global) noexcept {
  return (global >= 0 ? global : global - 31) / 32;
}

}  // namespace detail

/// What one access of a warp costs, by the positions of its lanes' pieces: the rules of the hardware, not a
/// measurement.
class WarpAccess {
 public:
  DMA_HOST_DEVICE constexpr void add(const Run& piece) noexcept { pieces_[count_++] = piece; }

  /// Distinct 32-byte sectors, for a global address that is itself a multiple of 32.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int sectors() const noexcept {
    long long found[warp_size] = {};
    int distinct = 0;
    for (int i = 0; i < count_; ++i) {
      const long long sector = detail::sector_of(pieces_[i].global);
      int j = distinct;
      while (j > 0 && found[j - 1] != sector) {  // the latest first: neighbours share a sector
        --j;
      }
      if (j == 0) {
        found[distinct++] = sector;
      }
    }
    return distinct;
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int fewest_sectors() const noexcept {
    return count_ == 0 ? 0 : (count_ * pieces_[0].bytes + 31) / 32;
  }

  /// Distinct words that the most used bank has to deliver: 32 banks of 4 bytes, wide accesses in as many passes as
  /// they need.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int bank_conflict_degree() const noexcept {
    const int lanes_a_pass = count_ == 0 ? 1 : pieces_[0].bytes <= 4 ? 32 : 128 / pieces_[0].bytes;
    int worst = 1;
    for (int first = 0; first < count_; first += lanes_a_pass) {
      const int degree = most_words_in_a_bank(first, first + lanes_a_pass < count_ ? first + lanes_a_pass : count_);
      worst = degree > worst ? degree : worst;
    }
    return worst;
  }

 private:
  /// Compilers evaluate it for each access of each pipeline that is explained at compile time: in few steps.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int most_words_in_a_bank(int first, int last) const noexcept {
    constexpr int banks = 32;
    struct Word {
      int index;
      int before;  ///< of the same bank, counted from 1; 0 for none
    };
    Word words[2 * warp_size] = {};  // those of 128 bytes, and one more of a piece that does not begin at a word
    int latest[banks] = {};
    int in_bank[banks] = {};
    int count = 0;
    int most = 0;
    for (int i = first; i < last; ++i) {
      const int end = (pieces_[i].shared + pieces_[i].bytes - 1) / 4;
      for (int index = pieces_[i].shared / 4; index <= end; ++index) {
        const int bank = index % banks;
        int known = latest[bank];
        while (known != 0 && words[known - 1].index != index) {
          known = words[known - 1].before;
        }
        if (known == 0) {
          words[count] = {index, latest[bank]};
          latest[bank] = ++count;
          most = ++in_bank[bank] > most ? in_bank[bank] : most;
        }
      }
    }
    return most;
  }

  Run pieces_[warp_size] = {};
  int count_ = 0;
};

/// How a pipeline moves its full tile, as a value: for a `static_assert`, or to print (`dma/explain/print.hpp`).
///
/// Source  CudaDMA 2.0's diagnose()
struct Explanation {
  const char* engine;  ///< its name
  /// The GPU whose thresholds chose the engine and the stages, where a kernel leaves these to the library.
  const char* measured_on;
  int access_bytes;     ///< of a thread's accesses, or of the longest bulk copy; tails have narrower ones
  int run_count;        ///< of the full tile
  int run_bytes;        ///< of its longest run
  int tail_bytes;       ///< of the longest tail of a run, its bytes after the last of these accesses
  int steps;            ///< the most accesses of a DMA thread for a tile, or bulk copies of a DMA warp
  int bytes_in_flight;  ///< the most that a CTA's DMA warps have in flight when they do not wait
  int stages;
  /// Whether tiles move while the compute warps use another. Without, only the SM's other CTAs keep memory busy, as in
  /// a kernel without a pipeline, which may then be as fast.
  bool overlaps_compute;
  /// Whether the lengths of runs are read from memory (`Csr`): by DMA threads and again by compute threads. A kernel
  /// without a pipeline, in which a few lanes take a row, may then be as fast where each row is used once.
  bool reads_run_lengths;
  int storage_bytes;         ///< shared memory of the pipeline
  int hardware_barriers;     ///< named barriers that it uses; 0 for phase barriers
  int reserved_barriers;     ///< named barriers that the assembler reserves for these; an SM has 64
  int launch_registers;      ///< that a thread has at launch, at most, where its CTA has an SM to itself
  int compute_registers;     ///< that a compute thread then has: its budget, or those of the launch
  int registers_alone;       ///< that it would have without DMA warps
  int idle_warps;            ///< that complete warpgroups, since budgets are those of whole ones
  int sectors_per_request;   ///< 32-byte sectors of global memory that the worst request of a warp touches
  int fewest_sectors;        ///< the fewest sectors that hold as many bytes
  int bank_conflict_degree;  ///< passes of a warp's worst access to shared memory; 1 is no conflict
  const char* remedy;        ///< one sentence where it is off the fast path, empty where it is on it

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_coalesced() const noexcept {
    return sectors_per_request == fewest_sectors;
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_fast() const noexcept { return remedy[0] == '\0'; }

  /// Adds the cost of one request of a warp.
  DMA_HOST_DEVICE constexpr void add(const WarpAccess& access) noexcept {
    add_sectors(access.sectors(), access.fewest_sectors());
    const int degree = access.bank_conflict_degree();
    bank_conflict_degree = degree > bank_conflict_degree ? degree : bank_conflict_degree;
  }
  DMA_HOST_DEVICE constexpr void add_tail(int bytes) noexcept { tail_bytes = bytes > tail_bytes ? bytes : tail_bytes; }
  DMA_HOST_DEVICE constexpr void add_sectors(int touched, int fewest) noexcept {
    if (fewest_sectors == 0 || touched - fewest > sectors_per_request - fewest_sectors) {
      sectors_per_request = touched;
      fewest_sectors = fewest;
    }
  }
};

}  // namespace dma::inline v0_1
