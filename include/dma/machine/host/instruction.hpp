#pragma once

#include <dma/config.hpp>
#include <dma/machine/scope.hpp>
#include <dma/machine/site.hpp>
#include <dma/standard.hpp>

/// Instructions of an emulated thread as values: what a kernel asks its thread for, an emulator executes, and a proof
/// records.
namespace dma::inline v0_1::machine {

/// What a host does instead of an instruction that copies a box, or adds one. It is called when the copy is made, which
/// may be later than its issue.
class BoxCopy {
 public:
  DMA_DETAIL_UNSEEN BoxCopy() noexcept {}
  /// @param copy  called without arguments; `copy.for_each_global_run(visit)` calls `visit(place, bytes)` for each
  ///              piece of its global side, and `Copy::adds` is whether it adds to these
  template <class Copy>
  DMA_DETAIL_UNSEEN explicit BoxCopy(const Copy& copy) : copy_(new Holder<Copy>(copy)) {}
  BoxCopy(const BoxCopy& other) : copy_(other.copy_ == nullptr ? nullptr : other.copy_->clone()) {}
  DMA_DETAIL_UNSEEN BoxCopy(BoxCopy&& other) noexcept : copy_(std::exchange(other.copy_, nullptr)) {}
  BoxCopy& operator=(BoxCopy other) noexcept {
    std::swap(copy_, other.copy_);
    return *this;
  }
  DMA_DETAIL_UNSEEN ~BoxCopy() { delete copy_; }

  [[nodiscard]] explicit operator bool() const noexcept { return copy_ != nullptr; }
  void operator()() const { copy_->make(); }
  [[nodiscard]] bool adds() const noexcept { return copy_->adds(); }
  template <class Visit>
  void for_each_global_run(const Visit& visit) const {
    copy_->visit_global_runs([](const void* visitor, const unsigned char* place,
                                int run_bytes) { (*static_cast<const Visit*>(visitor))(place, run_bytes); },
                             &visit);
  }

 private:
  using VisitRun = void (*)(const void* visitor, const unsigned char* place, int bytes);
  struct AnyCopy {
    AnyCopy() = default;
    AnyCopy(const AnyCopy&) = delete;
    AnyCopy& operator=(const AnyCopy&) = delete;
    virtual ~AnyCopy() = default;
    virtual void make() const = 0;
    [[nodiscard]] virtual bool adds() const noexcept = 0;
    virtual void visit_global_runs(VisitRun visit, const void* visitor) const = 0;
    [[nodiscard]] virtual AnyCopy* clone() const = 0;
  };
  template <class Copy>
  struct Holder final : AnyCopy {
    explicit Holder(const Copy& held) : copy(held) {}
    void make() const override { copy(); }
    [[nodiscard]] bool adds() const noexcept override { return Copy::adds; }
    void visit_global_runs(VisitRun visit, const void* visitor) const override {
      copy.for_each_global_run([&](const unsigned char* place, int count) { visit(visitor, place, count); });
    }
    [[nodiscard]] AnyCopy* clone() const override { return new Holder(copy); }
    Copy copy;
  };

  AnyCopy* copy_ = nullptr;
};

/// What a thread does that other threads can observe. A proof has these of its agents, which are threads or warps.
enum class OperationKind : unsigned char {
  access,              ///< reads and writes cells by ordinary loads and stores
  atomic,              ///< an atomic access, which acquires (`count` & 1) or releases (`count` & 2) or both
  fence_threads,       ///< a fence between threads, the same
  fence,               ///< `fence.proxy.async`: later bulk copies see the agent's earlier writes
  sync,                ///< arrives at a named barrier and waits until its generation is complete
  shuffle,             ///< the same of a warp's lanes, which orders no accesses
  arrive,              ///< arrives at a named barrier
  open,                ///< initializes a phase barrier of `count` arrivals
  close,               ///< invalidates it
  phase_arrive,        ///< `units` arrivals, which expect `count` bytes
  expect,              ///< expects `count` bytes; below 0: these have come
  wait,                ///< waits until the latest complete phase has parity `count`
  copy_to_shared,      ///< a bulk copy of `count` bytes, which completes on its barrier; reads and writes until then
  copy_async,          ///< a cp.async
  arrive_when_copied,  ///< `units` arrivals, when the agent's earlier cp.async are complete
  await_async,         ///< waits until the agent's cp.async are complete
  commit_async,        ///< closes a group of the agent's cp.async
  await_async_groups,  ///< waits until at most `count` of those groups are in flight
  copy_to_global,      ///< a bulk copy in the agent's open group: what it reads is free before what it writes is there
  commit_group,        ///< closes the group
  await_groups,        ///< waits until at most `count` of the agent's groups are in flight
  await_group_reads,   ///< waits until at most `count` of the agent's groups still read
  read_async,          ///< an instruction that reads on, in the agent's open group of reads: tensor cores do
  commit_reads,        ///< closes that group
  await_reads,         ///< waits until at most `count` of the agent's groups of reads are in flight
  multiply,            ///< products into tensor memory, which read and write on
  arrive_when_multiplied,  ///< an arrival, when the agent's earlier products are complete
  load_tensor,             ///< loads of tensor memory, which read on
  await_loads,             ///< waits until the agent's loads of tensor memory are complete
  store_tensor,            ///< stores to tensor memory, which write on
  await_stores,            ///< waits until those of the agent are complete
  copy_to_tensor,          ///< a copy of shared memory to tensor memory, which arrives as products do
  shift_tensor,            ///< moves rows of tensor memory by one, likewise
  free_tensor,             ///< frees tensor memory
  fence_tensor,            ///< orders tensor memory and a synchronization: before one (`count` 0), or after one (1)
  await_grids,             ///< waits until the grids before are complete
  use_global,              ///< uses global memory for the first time, without such a wait of its own
};

/// Columns of tensor memory.
struct TensorColumns {
  int first = 0;
  int count = 0;
};

/// An instruction of a thread that other threads can observe, but those of barriers that are not in memory.
struct Instruction {
  static constexpr int own_cta = -0x7fffffff;  ///< no rank, not even a wrong one
  static constexpr int behind_shifts = 1;      ///< in `order`
  static constexpr int behind_products = 2;    ///< likewise; PTX does not say that any copy is

  OperationKind kind;
  int count = 0;            ///< arrivals, bytes, parity or groups, by kind
  void* barrier = nullptr;  ///< the phase barrier, or that on which a copy completes
  int cta = own_cta;        ///< the rank of the CTA of the cluster that has its barrier at this place
  int ctas = 1;             ///< of products into tensor memory, and of their arrival: 2 are those of a pair
  Ordered ordered = Ordered::in_cta;
  bool is_relaxed = false;              ///< of a phase barrier: it orders nothing by itself
  bool drops = false;                   ///< of an arrival: later phases take one fewer
  bool is_never_last = false;           ///< of an arrival: it may not complete the phase
  bool is_between_ctas = false;         ///< a copy of shared memory, or of registers where `from` is null
  bool is_of_warpgroup = false;         ///< a wait for the warpgroup's groups of reads, not for the thread's own alone
  unsigned char* to = nullptr;          ///< of a copy
  const unsigned char* from = nullptr;  ///< of a copy, or of asynchronous reads
  int column = 0;                       ///< of tensor memory, `count` of them where `from` is null
  int lane = 0;                         ///< of tensor memory, how many, and from one to the next
  int lanes = 128;
  int lane_step = 1;
  int repeats = 1;  ///< of these columns in the same lanes, and from one to the next
  int repeat_step = 0;
  TensorColumns operands[3] = {};  ///< of tensor memory, that products read in their lanes
  int order = 0;                   ///< of a copy to tensor memory: what of its thread it follows without a wait, added
  const BoxCopy* box = nullptr;    ///< a copy of several ranges, whose side in shared memory is `count` bytes
  const void* code = nullptr;      ///< of a copy: what the kernel executes; null where it is not known
  std::uint64_t moves = 0;         ///< a hash of what is copied from where to where, where `code` is known
  Site site = {};                  ///< for messages

  [[nodiscard]] DMA_DETAIL_UNSEEN bool is_copy() const noexcept {
    return kind == OperationKind::copy_async || kind == OperationKind::copy_to_shared ||
           kind == OperationKind::copy_to_global;
  }
  /// Whether it is one of a phase barrier, and no copy that completes on it.
  [[nodiscard]] DMA_DETAIL_UNSEEN bool is_of_phase() const noexcept {
    return kind == OperationKind::open || kind == OperationKind::close || kind == OperationKind::phase_arrive ||
           kind == OperationKind::expect || kind == OperationKind::wait || kind == OperationKind::arrive_when_copied ||
           kind == OperationKind::arrive_when_multiplied;
  }
  /// Whether it is an access of tensor memory.
  [[nodiscard]] DMA_DETAIL_UNSEEN bool is_of_tensor_memory() const noexcept {
    return kind == OperationKind::multiply || kind == OperationKind::load_tensor ||
           kind == OperationKind::store_tensor || kind == OperationKind::copy_to_tensor ||
           kind == OperationKind::shift_tensor || kind == OperationKind::free_tensor;
  }
  /// Whether other threads may run before it returns.
  [[nodiscard]] DMA_DETAIL_UNSEEN bool is_wait() const noexcept {
    return kind == OperationKind::wait || kind == OperationKind::await_async ||
           kind == OperationKind::await_async_groups || kind == OperationKind::await_groups ||
           kind == OperationKind::await_group_reads || kind == OperationKind::await_reads;
  }
  /// The side of a copy, or of asynchronous reads, that is in shared memory.
  [[nodiscard]] DMA_DETAIL_UNSEEN const unsigned char* shared_side() const noexcept {
    return kind == OperationKind::copy_to_global || kind == OperationKind::read_async ? from : to;
  }
  /// Of a copy that is made after the call.
  [[nodiscard]] BoxCopy own_box() const { return box == nullptr ? BoxCopy() : *box; }
  /// Calls `visit(place, bytes)` for each piece of a copy's global side.
  template <class Visit>
  void for_each_global_run(const Visit& visit) const {
    if (box != nullptr) {
      box->for_each_global_run(visit);
    } else {
      visit(kind == OperationKind::copy_to_global ? to : from, count);
    }
  }
};

/// What an operand of a product has of a CTA's shared memory: pieces in order, none of which touches another. They stay
/// where they are for a run, so that operands of the same pieces and beginning are the same bytes.
struct OperandPieces {
  struct Piece {
    std::size_t first;  ///< from `begin` on
    std::size_t bytes;
  };

  const unsigned char* begin;
  const Piece* pieces;
  std::size_t count;  ///< at least 1

  [[nodiscard]] const unsigned char* first() const noexcept { return begin + pieces[0].first; }
  /// From the first piece to the end of the last.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return pieces[count - 1].first + pieces[count - 1].bytes - pieces[0].first;
  }
};

/// The frame of a function that has saved all registers of its caller: where its record lies (the caller's frame
/// pointer and the address of the call), and where the caller's own frame begins.
struct CallFrame {
  const void* record;
  const void* caller;
};

/// What the value of a word is, for its arithmetic.
enum class AtomicType : unsigned char { bits, with_sign, floating };

/// An atomic access of a thread, or a fence between threads.
struct AtomicInstruction {
  AtomicKind kind;
  AtomicType type = AtomicType::bits;
  Order order = Order::relaxed;
  Scope scope = Scope::system;
  /// Of the standard's atomics or of libcu++'s: their scope is not known on a host, and taken at its widest.
  bool is_standard = false;
  bool is_counter = false;  ///< of the library's
  bool answers = true;      ///< false: the kernel uses nothing of what it finds
  void* place = nullptr;
  int bytes = 4;  ///< of the word: 1 to 8
  std::uint64_t value = 0;
  std::uint64_t expected = 0;  ///< of a compare_exchange
  const void* code = nullptr;  ///< the address behind the access in the kernel's code; null where it is not known
  std::uint64_t state = 0;     ///< a hash of the kernel's frames and registers; 0 where it is not known

  [[nodiscard]] DMA_DETAIL_UNSEEN bool is_fence() const noexcept { return kind == AtomicKind::fence; }
  [[nodiscard]] DMA_DETAIL_UNSEEN bool reads() const noexcept { return kind != AtomicKind::store && !is_fence(); }
  /// Whether the kernel may use what it finds.
  [[nodiscard]] DMA_DETAIL_UNSEEN bool is_unread() const noexcept { return kind == AtomicKind::store_add || !answers; }
  [[nodiscard]] DMA_DETAIL_UNSEEN bool is_change() const noexcept { return reads() && kind != AtomicKind::load; }
  /// Whether it writes, where it finds this value.
  [[nodiscard]] DMA_DETAIL_UNSEEN bool writes(std::uint64_t before) const noexcept {
    return kind == AtomicKind::compare_exchange ? before == expected : kind != AtomicKind::load && !is_fence();
  }
  /// What it writes then.
  [[nodiscard]] DMA_DETAIL_UNSEEN std::uint64_t after(std::uint64_t before) const noexcept {
    switch (kind) {
      case AtomicKind::add:
      case AtomicKind::store_add:
        return type == AtomicType::floating ? sum(before) : cut(before + value);
      case AtomicKind::bit_and:
        return before & value;
      case AtomicKind::bit_or:
        return before | value;
      case AtomicKind::bit_xor:
        return before ^ value;
      case AtomicKind::bit_nand:
        return cut(~(before & value));
      case AtomicKind::least:
        return is_less(value, before) ? value : before;
      case AtomicKind::greatest:
        return is_less(before, value) ? value : before;
      case AtomicKind::add_around:
        return before >= value ? 0 : before + 1;
      case AtomicKind::sub_around:
        return before == 0 || before > value ? value : before - 1;
      case AtomicKind::load:
      case AtomicKind::fence:
        return before;
      default:
        return value;
    }
  }
  /// Makes it in memory. Returns the value before.
  DMA_DETAIL_UNSEEN std::uint64_t make() const noexcept {
    std::uint64_t before = 0;
    if (!is_fence()) {
      read(before);
      if (writes(before)) {
        write(after(before));
      }
    }
    return kind == AtomicKind::store ? value : before;
  }
  DMA_DETAIL_UNSEEN void read(std::uint64_t& found) const noexcept {
    __builtin_memcpy(&found, place, static_cast<std::size_t>(bytes));
  }
  DMA_DETAIL_UNSEEN void write(std::uint64_t now) const noexcept {
    __builtin_memcpy(place, &now, static_cast<std::size_t>(bytes));
  }

 private:
  [[nodiscard]] DMA_DETAIL_UNSEEN std::uint64_t cut(std::uint64_t all) const noexcept {
    return bytes == 8 ? all : all & ((std::uint64_t{1} << (8 * bytes)) - 1);
  }
  [[nodiscard]] DMA_DETAIL_UNSEEN bool is_less(std::uint64_t left, std::uint64_t right) const noexcept {
    const int above = 64 - 8 * bytes;
    return type == AtomicType::with_sign
               ? static_cast<std::int64_t>(left << above) < static_cast<std::int64_t>(right << above)
               : left < right;
  }
  template <class Float, class Bits>
  [[nodiscard]] DMA_DETAIL_UNSEEN std::uint64_t sum_of(std::uint64_t before) const noexcept {
    const Bits words[] = {static_cast<Bits>(before), static_cast<Bits>(value)};
    Float numbers[2];
    __builtin_memcpy(numbers, words, sizeof numbers);
    numbers[0] += numbers[1];
    Bits result = 0;
    __builtin_memcpy(&result, numbers, sizeof result);
    return result;
  }
  [[nodiscard]] DMA_DETAIL_UNSEEN std::uint64_t sum(std::uint64_t before) const noexcept {
    return bytes == 4 ? sum_of<float, std::uint32_t>(before) : sum_of<double, std::uint64_t>(before);
  }
};

}  // namespace dma::inline v0_1::machine
