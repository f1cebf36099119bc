#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

/// All executions of a program whose threads order themselves by memory. Knows no kernel and no emulator: what the
/// threads do comes from a `Program`.
namespace dma::inline v0_1::proof::detail::memory {

/// The bits of a word of up to 8 bytes.
using Value = std::uint64_t;

/// What an access or a fence orders. `weak` is an ordinary access; `sc` is a fence's alone.
enum class Order : unsigned char { weak, relaxed, acquire, release, acq_rel, sc };

/// The threads that an access or a fence is about (PTX ISA, "Scope").
enum class Scope : unsigned char { cta, cluster, gpu, system };

/// Whether an access, or a fence, is part of an acquire pattern.
constexpr bool acquires(Order order) {
  return order == Order::acquire || order == Order::acq_rel || order == Order::sc;
}
/// Whether one is part of a release pattern.
constexpr bool releases(Order order) {
  return order == Order::release || order == Order::acq_rel || order == Order::sc;
}

/// Where a thread runs: the numbers of its CTA, of its cluster and of its GPU, each among all.
struct Place {
  int cta = 0;
  int cluster = 0;
  int gpu = 0;
};

/// What a read-modify-write makes of the value that it reads. A compare that fails writes nothing.
struct Changed {
  bool writes;
  Value value;
};
/// @param operand   `Operation::value`
/// @param compared  `Operation::compared`
using Change = Changed (*)(Value old, Value operand, Value compared);

/// Writes the operand.
inline Changed exchange(Value, Value operand, Value) { return {true, operand}; }
/// Writes the sum.
inline Changed add(Value old, Value operand, Value) { return {true, old + operand}; }
/// Writes a part of the word, the bits of the mask.
inline Changed merge(Value old, Value operand, Value mask) { return {true, (old & ~mask) | (operand & mask)}; }
/// Writes the operand where it reads what it compares with.
inline Changed compare_and_swap(Value old, Value operand, Value compared) { return {old == compared, operand}; }

/// The number of an operation among those of its thread.
struct OperationName {
  int thread;
  int operation;
};

/// What a thread does.
struct Operation {
  enum class Kind : unsigned char {
    read,
    write,
    change,  ///< a read-modify-write
    fence,
    point,  ///< of a barrier or a copy: behind the operations in `after`, and no access
  };
  Kind kind = Kind::read;
  int location = -1;
  Order order = Order::relaxed;
  Scope scope = Scope::gpu;
  Value value = 0;     ///< written, or the change's operand
  Value compared = 0;  ///< the change's other operand
  Change change = nullptr;
  /// A change whose result is not read: a reduction, which makes no acquire pattern (PTX ISA, "Release and Acquire
  /// Patterns").
  bool is_unread = false;
  /// An unread change that gives the same in every order with the others of its location: such sums are not ordered.
  bool is_sum = false;
  /// A read that may be a poll. It is taken after what others can do, which costs fewer executions; either is right.
  bool may_wait = false;
  std::vector<OperationName> after = {};  ///< of a point: what others did before; all of it has been done
  /// Of a point: false for a shuffle, by which a thread may know what the others read, and which orders no memory.
  bool orders = true;
  /// Of an ordinary write: those of one number, but 0, are one instruction of a warp.
  std::uint64_t store = 0;
  /// Of an ordinary access, the bits of the word that it is about. A write of some of them is a change by `merge`.
  Value bits = ~Value{0};
};

/// A part of an execution. A read-modify-write is two, its read and its write, next to each other in program order.
struct Event {
  enum class Kind : unsigned char { read, write, fence, point };
  /// The write from which all locations have their first values.
  static constexpr int initial = -1;

  Kind kind = Kind::read;
  int thread = 0;
  int number = 0;     ///< among the events of its thread
  int operation = 0;  ///< of its thread
  int location = -1;
  Order order = Order::relaxed;
  Scope scope = Scope::gpu;
  Value value = 0;         ///< read or written
  int from = initial;      ///< of a read, the write that it sees; of a write of a sum, the write before
  bool is_change = false;  ///< a half of a read-modify-write
  bool is_unread = false;
  bool is_sum = false;  ///< a write without its read
  bool writes = false;  ///< a change's read that its write follows
  Value written = 0;    ///< the value of that write
  Value operand = 0;    ///< what the change needs to be made again for another value
  Value compared = 0;
  Change change = nullptr;
  Order change_order = Order::relaxed;  ///< of both halves
  std::vector<int> after = {};          ///< of a point: events
  bool orders = true;                   ///< likewise, whether they precede it in causality order
  std::uint64_t store = 0;              ///< of an ordinary write: of which instruction of a warp it is
  Value bits = ~Value{0};               ///< `Operation::bits`
  bool may_wait = false;                ///< a read that may be a poll

  [[nodiscard]] bool is_read() const { return kind == Kind::read; }
  [[nodiscard]] bool is_write() const { return kind == Kind::write; }
  [[nodiscard]] bool is_access() const { return is_read() || is_write(); }
  [[nodiscard]] bool is_strong() const { return kind != Kind::point && order != Order::weak; }
  /// An ordinary write of a part of its word: nothing comes between what it keeps and what it writes.
  [[nodiscard]] bool is_of_part() const { return is_change && order == Order::weak; }
};

/// Whether two accesses of a location have a bit in common. What is not ordinary is of the whole word.
[[nodiscard]] inline bool have_common_bits(const Event& one, const Event& other) {
  return (one.bits & other.bits) != 0;
}

/// Whether two writes are by one instruction of a warp, of one value: which of them is the last makes no difference.
[[nodiscard]] inline bool are_one_store(const Event& one, const Event& other) {
  const bool is_of_part = one.is_of_part() && one.bits == other.bits;
  return one.store != 0 && one.store == other.store &&
         (is_of_part ? ((one.operand ^ other.operand) & one.bits) == 0 : one.value == other.value);
}

/// The part of a change that is its read, or its write: it acquires or releases, as what it is.
inline void halve(Event& event, Event::Kind kind) {
  const bool keeps = kind == Event::Kind::read ? acquires(event.change_order) : releases(event.change_order);
  const Order order = kind == Event::Kind::read ? Order::acquire : Order::release;
  event.kind = kind;
  event.order = event.change_order == Order::weak ? Order::weak : keeps ? order : Order::relaxed;
}

/// What an operation adds to an execution, but for its kind.
[[nodiscard]] inline Event event_of(int thread, int number, const Operation& operation) {
  Event event;
  event.thread = thread;
  event.operation = number;
  event.location = operation.location;
  event.order = operation.order;
  event.scope = operation.scope;
  event.value = operation.value;
  event.operand = operation.value;
  event.compared = operation.compared;
  event.change = operation.change;
  event.change_order = operation.order;
  event.is_change = operation.kind == Operation::Kind::change;
  event.is_unread = operation.is_unread || operation.is_sum;
  event.orders = operation.orders;
  event.store = operation.store;
  event.bits = operation.bits;
  event.may_wait = operation.may_wait;
  return event;
}

/// The write that follows a change's read.
[[nodiscard]] inline Event written_half(const Event& read) {
  Event event = read;
  halve(event, Event::Kind::write);
  event.value = read.written;
  event.from = Event::initial;
  event.writes = false;
  return event;
}

/// Where the threads are.
class Places {
 public:
  explicit Places(std::vector<Place> threads) : threads_(std::move(threads)) {}

  [[nodiscard]] int count() const { return static_cast<int>(threads_.size()); }
  [[nodiscard]] const Place& of(int thread) const { return threads_[static_cast<std::size_t>(thread)]; }
  /// One more than the highest number of a CTA.
  [[nodiscard]] int ctas() const {
    int most = 0;
    for (const Place& place : threads_) {
      most = place.cta < most ? most : place.cta + 1;
    }
    return most;
  }
  /// The same of clusters.
  [[nodiscard]] int clusters() const {
    int most = 0;
    for (const Place& place : threads_) {
      most = place.cluster < most ? most : place.cluster + 1;
    }
    return most;
  }
  /// Whether a scope of one thread has another one in it.
  [[nodiscard]] bool includes(Scope scope, int thread, int other) const {
    switch (scope) {
      case Scope::cta:
        return of(thread).cta == of(other).cta;
      case Scope::cluster:
        return of(thread).cluster == of(other).cluster;
      case Scope::gpu:
        return of(thread).gpu == of(other).gpu;
      case Scope::system:
        break;
    }
    return true;
  }
  /// PTX ISA, "Morally strong operations". Accesses are of one location.
  [[nodiscard]] bool are_morally_strong(const Event& one, const Event& other) const {
    if (one.thread == other.thread) {
      return true;
    }
    return one.is_strong() && other.is_strong() && includes(one.scope, one.thread, other.thread) &&
           includes(other.scope, other.thread, one.thread);
  }

 private:
  std::vector<Place> threads_;
};

}  // namespace dma::inline v0_1::proof::detail::memory
