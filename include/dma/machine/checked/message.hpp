#pragma once

#include <dma/config.hpp>
#include <dma/machine/checked/cta.hpp>
#include <dma/machine/gpu/ptx/warp.hpp>
#include <dma/machine/shared_message.hpp>
#include <dma/machine/site.hpp>

/// The message of a broken contract in the checked build.
#if DMA_CHECKED && defined(__CUDA_ARCH__)
namespace dma::inline v0_1::machine {

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

/// A number or an address in a message, with its name.
struct Value {
  const char* name = nullptr;
  unsigned long long bits = 0;
  bool is_address = false;

  Value() = default;
  template <class T>
  DMA_DEVICE Value(const char* its_name, T value)
      : name(its_name), bits(static_cast<unsigned long long>(static_cast<long long>(value))) {}
  template <class T>
  DMA_DEVICE Value(const char* its_name, T* address)
      : name(its_name), bits(reinterpret_cast<unsigned long long>(address)), is_address(true) {}
};

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
    if (storage != 0 && storage < most_shared_bytes) {
      extern __shared__ __align__(shared_alignment) unsigned char dma_dynamic_shared_memory[];
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
  static constexpr unsigned most_shared_bytes = 1U << 18;
  static constexpr int most = 160;
  char text_[most] = "";
  int length_ = 0;
};

/// Time for other warps to break a contract too.
inline constexpr unsigned long long same_breach_ns = 1'000'000;

/// One line: the rule with its values, the call, and the first thread.
DMA_DEVICE void print_breach(const char* rule, const Value& first, const Value& second, const Value& third,
                             unsigned lanes) {
  Text values;
  const Value* const all[] = {&first, &second, &third};
  for (const Value* const value : all) {
    if (value->name != nullptr) {
      values.add(value == &first ? " [" : ", ").add(*value);
    }
  }
  values.add(first.name != nullptr ? "]" : "");
  const WarpRecord& warp = cta_record().warps[threadIdx.x / 32];
  const bool is_in_call = warp.cta == cta_key() && warp.in.call != Call::none;
  const PipelineName pipeline = is_in_call ? name_of(warp.in) : PipelineName{};
  Text place;
  if (is_in_call) {
    place.add_place(pipeline.storage, warp.in.stage).add("; ");
  }
  printf("%s%s [%s%s%s%skernel [%s, block (%u, %u, %u), warp %u, thread %u, lanes 0x%08x]\n", rule, values.get(),
         is_in_call ? name_of(warp.in.call) : "", is_in_call ? " of [" : "",
         is_in_call ? bracketed(name_at(pipeline.name)) : "", place.get(), kernel_name(), blockIdx.x, blockIdx.y,
         blockIdx.z, threadIdx.x / 32, threadIdx.x, lanes);
}

/// Prints a broken contract, where this warp is the first of its grid that breaks it, and stops the kernel.
[[noreturn]] inline __device__ __noinline__ void stop_with(const char* rule, Value first, Value second, Value third) {
  const unsigned lanes = __activemask();
  if (leads(lanes)) {
    const SharedMessage message(rule);
    if (message.is_first()) {
      print_breach(rule, first, second, third, lanes);
    }
    message.count_others(rule, same_breach_ns);
    end();
  }
  __syncwarp(lanes);
  end();
}
/// The same with up to three values of the rule, each after its name.
[[noreturn]] DMA_DEVICE void stop(const char* rule) { stop_with(rule, {}, {}, {}); }
template <class One>
[[noreturn]] DMA_DEVICE void stop(const char* rule, const char* first, One one) {
  stop_with(rule, {first, one}, {}, {});
}
template <class One, class Two>
[[noreturn]] DMA_DEVICE void stop(const char* rule, const char* first, One one, const char* second, Two two) {
  stop_with(rule, {first, one}, {second, two}, {});
}
template <class One, class Two, class Three>
[[noreturn]] DMA_DEVICE void stop(const char* rule, const char* first, One one, const char* second, Two two,
                                  const char* third, Three three) {
  stop_with(rule, {first, one}, {second, two}, {third, three});
}

/// Stops a kernel that names a row that its table does not have.
[[noreturn]] inline __device__ __noinline__ void refuse_row(long long row, int position, long long rows) {
  const unsigned lanes = __activemask();
  if (leads(lanes)) {
    constexpr const char* rule = "dma::Indirect: an index is outside its table; correct the index list or table_rows";
    const SharedMessage message(rule);
    if (message.is_first()) {
      printf(
          "dma::Indirect: index %lld at position %d is outside its table of %lld rows; correct the index list or "
          "table_rows [kernel [%s, block (%u, %u, %u), warp %u, thread %u, lanes 0x%08x]\n",
          row, position, rows, kernel_name(), blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x / 32, threadIdx.x, lanes);
    }
    message.count_others(rule, same_breach_ns);
    end();
  }
  __syncwarp(lanes);
  end();
}

}  // namespace dma::inline v0_1::machine
#endif
