#pragma once

#include <dma/config.hpp>
#include <dma/machine/barrier_word.hpp>
#include <dma/machine/ptx/sync.hpp>
#include <dma/machine/site.hpp>

/// What the checked build keeps of a CTA, in static shared memory, and the message of a broken contract.
#if defined(__CUDA_ARCH__) && DMA_CHECKED
namespace dma::machine {

inline constexpr unsigned whole_warp = 0xffffffffU;

/// Of each warp: the call that it is in, for messages. Its first active lane writes it.
struct WarpRecord {
  unsigned cta;            ///< the warp's CTA: shared memory is not cleared before a CTA
  unsigned short claimed;  ///< named barriers of its pipelines, a bit each
  bool has_budget;         ///< whether it has set its role's register budget
  Call call;
  const char* pipeline;
  unsigned storage;  ///< of the pipeline, an address in shared memory
  int stage;
  unsigned long long lanes_met;  ///< `LanesMet`, for lanes that have parted
};
struct NamedBarrierRecord {
  unsigned header;  ///< `BarrierHeader`
  unsigned word;    ///< `BarrierWord`
};
struct KernelRecord {
  unsigned cta;
  const char* name;
};
struct CtaRecord {
  static constexpr int most_slots = 64;

  WarpRecord warps[32];
  NamedBarrierRecord named_barriers[16];
  unsigned long long tiles[most_slots];  ///< `SlotTile`, of slots in the order of their first tiles
  KernelRecord kernel;
};
[[nodiscard]] DMA_DEVICE CtaRecord& cta_record() {
  __shared__ CtaRecord record;
  return record;
}

/// A number for this CTA of this launch; values that an earlier CTA left in shared memory have another.
[[nodiscard]] DMA_DEVICE unsigned cta_key() {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  return (static_cast<unsigned>(ptx::grid_id()) * 2654435761U + block) * 2246822519U;
}

[[nodiscard]] DMA_DEVICE WarpRecord& warp_record() {
  WarpRecord& record = cta_record().warps[threadIdx.x / 32];
  if (record.cta != cta_key()) {
    record.claimed = 0;
    record.has_budget = false;
    record.call = Call::none;
    record.cta = cta_key();
  }
  return record;
}

/// Whether this lane is the first of those that execute the call together.
[[nodiscard]] DMA_DEVICE bool leads(unsigned lanes) {
  return threadIdx.x % 32 == static_cast<unsigned>(__ffs(static_cast<int>(lanes)) - 1);
}

/// A type's name out of the compiler's sentence around it, with the bracket that ends both.
[[nodiscard]] DMA_DEVICE const char* bracketed(const char* sentence) {
  const char* at = sentence;
  while (*at != '\0' && !(at[0] == 'T' && at[1] == 'y' && at[2] == 'p' && at[3] == 'e' && at[4] == ' ')) {
    ++at;
  }
  return *at == '\0' ? "no name]" : at + sizeof("Type = ") - 1;
}
[[nodiscard]] DMA_DEVICE const char* kernel_name() {
  const KernelRecord& kernel = cta_record().kernel;
  return kernel.cta == cta_key() ? bracketed(kernel.name) : "launched by hand]";
}

/// The parts of a message that are not always there.
class Text {
 public:
  DMA_DEVICE Text& add(const char* words) {
    while (*words != '\0' && length_ + 1 < most) {
      text_[length_++] = *words++;
    }
    text_[length_] = '\0';
    return *this;
  }
  DMA_DEVICE Text& add(unsigned long long number, unsigned base) {
    char digits[24];
    int at = int{sizeof digits} - 1;
    digits[at] = '\0';
    do {
      digits[--at] = "0123456789abcdef"[number % base];
      number /= base;
    } while (number != 0);
    return add(digits + at);
  }
  DMA_DEVICE Text& add(const Value& value) {
    add(value.name).add(" ");
    if (value.is_address) {
      return add("0x").add(value.bits, 16);
    }
    const bool is_negative = static_cast<long long>(value.bits) < 0;
    return add(is_negative ? "-" : "").add(is_negative ? 0 - value.bits : value.bits, 10);
  }
  /// Of which pipeline and which slot.
  DMA_DEVICE Text& add_place(unsigned storage, int stage) {
    if (storage != 0) {
      extern __shared__ __align__(16) unsigned char dma_dynamic_shared_memory[];
      const unsigned dynamic = ptx::shared_address(dma_dynamic_shared_memory);
      add(", Storage at byte ").add(storage < dynamic ? storage : storage - dynamic, 10);
      add(storage < dynamic ? " of static shared memory" : " of shared memory");
    }
    if (stage >= 0) {
      add(", slot ").add(static_cast<unsigned>(stage), 10);
    }
    return *this;
  }
  [[nodiscard]] DMA_DEVICE const char* get() const { return text_; }

 private:
  static constexpr int most = 160;
  char text_[most] = "";
  int length_ = 0;
};

[[nodiscard]] DMA_DEVICE unsigned storage_address(const void* storage) {
  return __isShared(storage) != 0 ? ptx::shared_address(storage) : 0;
}

/// Prints a broken contract, one line a warp, and stops the kernel.
inline __device__ __noinline__ void stop(const char* rule, Value first, Value second) {
  const unsigned lanes = __activemask();
  if (leads(lanes)) {
    Text values;
    if (first.name != nullptr) {
      values.add(" (").add(first);
      if (second.name != nullptr) {
        values.add(", ").add(second);
      }
      values.add(")");
    }
    const WarpRecord& warp = cta_record().warps[threadIdx.x / 32];
    const bool is_in_call = warp.cta == cta_key() && warp.call != Call::none;
    Text place;
    if (is_in_call) {
      place.add_place(warp.storage, warp.stage).add("; ");
    }
    printf("%s%s [%s%s%s%skernel [%s, block (%u, %u, %u), warp %u, thread %u, lanes 0x%08x]\n", rule, values.get(),
           is_in_call ? name_of(warp.call) : "", is_in_call ? " of [" : "", is_in_call ? bracketed(warp.pipeline) : "",
           place.get(), kernel_name(), blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x / 32, threadIdx.x, lanes);
  }
  __syncwarp(lanes);
  __trap();
}

/// Records the call that the warp is in. One lane calls it.
DMA_DEVICE void note_call(Call call, const Site& site) {
  WarpRecord& record = call == Call::construction ? warp_record() : cta_record().warps[threadIdx.x / 32];
  record.call = call;
  record.pipeline = site.pipeline;
  record.storage = storage_address(site.storage);
  record.stage = site.stage;
}

/// Stops a kernel whose lanes have parted where one of them is elected, or where they exchange values.
DMA_DEVICE void expect_converged() {
  DMA_EXPECTS(__activemask() == whole_warp,
              "dma: the lanes of a warp make one call at several places of the code, and each part would elect a lane "
              "and signal by itself; let all 32 lanes make the call at one place");
}

/// Stops a kernel that names a row that its table does not have.
inline __device__ __noinline__ void refuse_row(long long row, int position, long long rows) {
  const unsigned lanes = __activemask();
  if (leads(lanes)) {
    printf(
        "dma::Indirect: index %lld at position %d is outside its table of %lld rows; correct the index list or "
        "table_rows [kernel [%s, block (%u, %u, %u), warp %u, thread %u, lanes 0x%08x]\n",
        row, position, rows, kernel_name(), blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x / 32, threadIdx.x, lanes);
  }
  __syncwarp(lanes);
  __trap();
}

/// The size of the tile that a slot was last filled with, in one word.
class SlotTile {
 public:
  static constexpr unsigned unknown = (1U << 18) - 1;

  /// @param slot  its address in shared memory, below 2^18
  DMA_DEVICE SlotTile(unsigned slot, unsigned elements)
      : word_(static_cast<unsigned long long>(cta_key()) << 36 | static_cast<unsigned long long>(slot) << 18 |
              elements) {}
  DMA_DEVICE explicit SlotTile(unsigned long long word) : word_(word) {}

  [[nodiscard]] DMA_DEVICE bool is_of_this_cta() const { return word_ >> 36 == SlotTile(0, 0).word_ >> 36; }
  [[nodiscard]] DMA_DEVICE bool is_of_slot(const SlotTile& other) const { return word_ >> 18 == other.word_ >> 18; }
  [[nodiscard]] DMA_DEVICE unsigned elements() const { return static_cast<unsigned>(word_) & unknown; }
  [[nodiscard]] DMA_DEVICE unsigned long long word() const { return word_; }

 private:
  unsigned long long word_;
};

/// The word of a slot; null where the CTA has too many slots. One lane of a warp calls it.
[[nodiscard]] inline __device__ __noinline__ unsigned long long* tile_of_slot(const void* slot) {
  const SlotTile wanted(ptx::shared_address(slot), SlotTile::unknown);
  for (unsigned long long& word : cta_record().tiles) {
    SlotTile found(ptx::load_acquire(&word));
    if (!found.is_of_this_cta()) {
      const SlotTile before(ptx::compare_and_swap(&word, found.word(), wanted.word()));
      found = before.is_of_this_cta() ? before : wanted;
    }
    if (found.is_of_slot(wanted)) {
      return &word;
    }
  }
  return nullptr;
}
/// A slot is filled with a tile of so many elements, `unknown` for any. All lanes of a warp call it.
DMA_DEVICE void fill_slot(const void* slot, unsigned elements) {
  if (threadIdx.x % 32 == 0) {
    if (unsigned long long* const word = tile_of_slot(slot)) {
      *static_cast<volatile unsigned long long*>(word) = SlotTile(ptx::shared_address(slot), elements).word();
    }
  }
}
/// Stops a kernel that uses a slot as a tile of another size than it was filled with.
DMA_DEVICE void expect_filled(const void* slot, unsigned elements) {
  if (threadIdx.x % 32 == 0) {
    if (const unsigned long long* const word = tile_of_slot(slot)) {
      const unsigned filled = SlotTile(ptx::load_acquire(word)).elements();
      DMA_EXPECTS(filled == elements || filled == SlotTile::unknown,
                  "dma: a slot was filled with a tile of another number of elements than it is used as; name the same "
                  "tile on both sides: load(source, tile) and wait(tile)",
                  Value("filled", filled), Value("used", elements));
    }
  }
}

}  // namespace dma::machine
#endif
