#pragma once

#include <dma/config.hpp>
#include <dma/machine/host/emulated_thread.hpp>
#include <dma/machine/host/instruction.hpp>
#include <dma/machine/index3.hpp>
#include <dma/machine/records.hpp>
#include <dma/machine/scope.hpp>
#include <dma/machine/site.hpp>
#include <dma/standard.hpp>

/// The host model of the machine: each function calls the running emulated thread. `dma/machine/machine.hpp` documents
/// the names. What these calls read is no memory of the kernel's, and a recorder would have to tell it apart.
namespace dma::inline v0_1::machine::host_model {

inline constexpr bool checks_contracts = true;
inline constexpr bool compares_tiles = true;
inline constexpr int architecture = 900;

template <int Needed, class Policy>
void expect_architecture() {}
template <int Launched, int Budget>
void take_budget() {
  this_thread().take_budget();
}
[[nodiscard]] DMA_DETAIL_UNSEEN inline bool has_budget() { return this_thread().has_budget(); }
DMA_DETAIL_UNSEEN inline void claim_barriers(int first, int count) { this_thread().claim_barriers(first, count); }
DMA_DETAIL_UNSEEN inline void release_barriers(int first, int count) { this_thread().release_barriers(first, count); }
inline void claim_storage(const PipelineRecord&, const void*, bool) {}
inline void free_storage(const PipelineRecord&) {}
inline void name_kernel(const char*) {}
DMA_DETAIL_UNSEEN inline void enters(Call call, const Site&) { this_thread().enters(call); }
[[nodiscard]] inline PipelineRecord record_of(const Site&, int) { return {}; }
DMA_DETAIL_UNSEEN inline void enters_again(Call call, const Site&, const PipelineRecord&) {
  this_thread().enters(call);
}
[[nodiscard]] inline bool is_unwinding() { return std::uncaught_exceptions() > 0; }
[[nodiscard]] DMA_DETAIL_UNSEEN inline bool is_shared(const void* address) {
  const auto first = reinterpret_cast<std::uintptr_t>(this_thread().shared());
  return reinterpret_cast<std::uintptr_t>(address) - first < this_thread().shared_bytes();
}
[[nodiscard]] DMA_DETAIL_UNSEEN inline bool is_local(const void* address) { return this_thread().is_local(address); }
/// A host has no memory of its own for the global one: any that is neither shared nor on the thread's stack may be it.
[[nodiscard]] inline bool is_global(const void* address) {
  return address != nullptr && !is_shared(address) && !is_local(address);
}
[[nodiscard]] inline SlotPlace slot_place(const PipelineRecord&, int) { return {}; }
DMA_DETAIL_UNSEEN inline void slot_filled(const void* slot, int elements, std::uint64_t runs, SlotPlace) {
  this_thread().slot_filled(slot, {elements, runs});
}
DMA_DETAIL_UNSEEN inline void slot_used(const void* slot, int elements, std::uint64_t runs, SlotPlace) {
  this_thread().slot_used(slot, {elements, runs});
}
inline void mark_reads(const ReadMark&) {}
inline void expect_reads_over(const ReadMark&) {}
DMA_DETAIL_UNSEEN inline void slot_held(const void* slot, int bytes, Holding holding) {
  this_thread().slot_held(slot, bytes, holding);
}
inline void ends(const PipelineRecord&, bool, int, int) {}
inline void slot_emptied(SlotPlace) {}
DMA_DETAIL_UNSEEN inline void slot_moving(const void* slot, const void* global) {
  this_thread().slot_moving(slot, global);
}
DMA_DETAIL_UNSEEN inline void slots_gone(const void* storage, int bytes) { this_thread().slots_gone(storage, bytes); }
DMA_DETAIL_UNSEEN inline void pipeline_opened(const Site& pipeline, int stages, int slot_bytes) {
  this_thread().pipeline_opened(pipeline, stages, slot_bytes);
}
DMA_DETAIL_UNSEEN inline void called_from(SourceLocation caller) { this_thread().called_from(caller); }
DMA_DETAIL_UNSEEN inline void works_on(const Site& site) { this_thread().works_on(site); }
DMA_DETAIL_UNSEEN inline void touched(const void* place, int bytes, Access access) {
  if (running_thread != nullptr) {
    running_thread->accesses_shared(place, static_cast<stdlib::size_t>(bytes), access);
    if (running_thread->is_watched()) {
      running_thread->touched(place, bytes, access);
    }
  }
}
DMA_DETAIL_UNSEEN inline void exposed(void* tile, int bytes, int element_bytes, Access access) {
  if (EmulatedThread* const thread = watched_thread()) {
    thread->exposed(tile, bytes, element_bytes, access);
  }
}
[[nodiscard]] DMA_DETAIL_UNSEEN inline bool polls_truly() { return this_thread().polls_truly(); }
/// Throws with the index, its position and the bound.
[[noreturn]] inline void refuse_row(long long row, int position, long long rows) {
  detail::MessageText message;
  message.add(
      "dma::Indirect: index %lld at position %d is outside its table of %lld rows; correct the index list or "
      "table_rows",
      row, position, rows);
  detail::throw_or_abort(std::__throw_out_of_range, message);
}
constexpr void expect_row(long long row, int position, long long rows) {
  if (row < 0 || row >= rows) {
    refuse_row(row, position, rows);
  }
}
template <class Call, class... Args>
void call_on_device(const Args&...) {}

inline void assume(bool) {}
[[nodiscard]] DMA_DETAIL_UNSEEN inline Index3 block() { return this_thread().block(); }
[[nodiscard]] DMA_DETAIL_UNSEEN inline Index3 blocks() { return this_thread().blocks(); }
[[nodiscard]] DMA_DETAIL_UNSEEN inline int cluster_rank() { return this_thread().cluster_rank(); }
[[nodiscard]] DMA_DETAIL_UNSEEN inline int cluster_size() { return this_thread().cluster_size(); }
[[nodiscard]] DMA_DETAIL_UNSEEN inline void* peer_address(void* shared, int rank) {
  return this_thread().peer_address(shared, rank);
}
[[nodiscard]] DMA_DETAIL_UNSEEN inline void* shared_memory() { return this_thread().shared(); }
// What the thread's state is, but for the frame of the function that says it, which saves all its caller's registers.
#if defined(DMA_EVERY_ACCESS)
#define DMA_DETAIL_STATE \
  (__builtin_unwind_init(), this_thread().state_above({__builtin_frame_address(0), __builtin_dwarf_cfa()}))
#else
#define DMA_DETAIL_STATE static_cast<std::uint64_t>(0)
#endif

/// What a thread does next may follow from what it and the others have read.
[[gnu::noinline]] DMA_DETAIL_UNSEEN inline void say_state() {
  this_thread().is_about_to_meet(__builtin_return_address(0), DMA_DETAIL_STATE);
}
DMA_DETAIL_UNSEEN inline void say_before_meeting() {
#if defined(DMA_EVERY_ACCESS)
  if (this_thread().is_explored()) {
    say_state();
  }
#endif
}
template <class T>
[[nodiscard]] T shuffle(T value, int source) {
  say_before_meeting();
  this_thread().shuffle(&value, sizeof value, source);
  return value;
}
[[nodiscard]] inline unsigned ballot(bool value) {
  const int lane = this_thread().rank() % 32;
  unsigned found = value ? 1U << lane : 0U;
  for (int distance = 1; distance < 32; distance *= 2) {
    found |= shuffle(found, lane ^ distance);
  }
  return found;
}
[[nodiscard]] inline bool any(bool value) { return ballot(value) != 0; }
inline void trigger_dependent_launch() {}
DMA_DETAIL_UNSEEN inline void grid_dependency_wait() { this_thread().grid_dependency_wait(); }
DMA_DETAIL_UNSEEN inline void load_constants(bool does) { this_thread().load_constants(does); }
DMA_DETAIL_UNSEEN inline void sync_cta() {
  say_before_meeting();
  this_thread().sync_cta();
}
DMA_DETAIL_UNSEEN inline void sync_cluster() { this_thread().sync_cluster(true); }
DMA_DETAIL_UNSEEN inline void sync_warp() {
  say_before_meeting();
  this_thread().sync_warp();
}
[[nodiscard]] DMA_DETAIL_UNSEEN inline bool elect() { return this_thread().elect(); }
[[nodiscard]] inline int per_lane(int value) { return value; }
[[nodiscard]] inline int sm_count() { return 1; }
[[nodiscard]] DMA_DETAIL_UNSEEN inline int cta_threads() { return this_thread().threads(); }
[[nodiscard]] inline bool cta_is_linear() { return true; }
[[nodiscard]] DMA_DETAIL_UNSEEN inline int thread_rank() { return this_thread().rank(); }
[[nodiscard]] inline int uniform_warp_rank() { return shuffle(this_thread().rank() / 32, 0); }

DMA_DETAIL_UNSEEN inline void barrier_sync(int id, int threads, const Site& site) {
  this_thread().barrier_sync(id, threads, site);
}
DMA_DETAIL_UNSEEN inline void barrier_arrive(int id, int threads, const Site& site) {
  this_thread().barrier_arrive(id, threads, site);
}

DMA_DETAIL_UNSEEN inline void execute(const Instruction& instruction) { this_thread().execute(instruction); }
DMA_DETAIL_UNSEEN inline void phase_init(void* barrier, int arrivals) {
  execute({.kind = OperationKind::open, .count = arrivals, .barrier = barrier, .site = {.point = Point::opening}});
}
DMA_DETAIL_UNSEEN inline void phase_invalidate(void* barrier) {
  execute({.kind = OperationKind::close, .barrier = barrier, .site = {.point = Point::closing}});
}
DMA_DETAIL_UNSEEN inline void phase_arrive(void* barrier, const Site& site) {
  execute({.kind = OperationKind::phase_arrive, .barrier = barrier, .site = site});
}
DMA_DETAIL_UNSEEN inline void phase_wait(void* barrier, unsigned parity, const Site& site) {
  execute({.kind = OperationKind::wait, .count = static_cast<int>(parity), .barrier = barrier, .site = site});
}
DMA_DETAIL_UNSEEN inline void await_landing(const void* barrier, unsigned parity) {
  this_thread().await_landing(barrier, parity);
}
[[nodiscard]] DMA_DETAIL_UNSEEN inline bool phase_is_complete(const void* barrier, unsigned parity) {
  return this_thread().phase_is_complete(barrier, parity);
}
DMA_DETAIL_UNSEEN inline void phase_expect(void* barrier, int bytes, const Site& site) {
  execute({.kind = OperationKind::expect, .count = bytes, .barrier = barrier, .site = site});
}
DMA_DETAIL_UNSEEN inline void phase_arrive_expecting(void* barrier, int bytes, const Site& site) {
  host_model::phase_expect(barrier, bytes, site);
  host_model::phase_arrive(barrier, site);
}
DMA_DETAIL_UNSEEN inline void phase_arrive_when_copied(void* barrier, const Site& site) {
  execute({.kind = OperationKind::arrive_when_copied, .barrier = barrier, .site = site});
}
DMA_DETAIL_UNSEEN inline void phase_arrive_when_multiplied(void* barrier, const Site& site) {
  execute({.kind = OperationKind::arrive_when_multiplied, .barrier = barrier, .site = site});
}
DMA_DETAIL_UNSEEN inline void wait_for_async_copies() {
  execute({.kind = OperationKind::await_async, .site = {.point = Point::async_copies}});
}
DMA_DETAIL_UNSEEN inline void fence_async_proxy() { execute({.kind = OperationKind::fence}); }
DMA_DETAIL_UNSEEN inline void begin_async_reads(const void* from, int bytes) {
  execute({.kind = OperationKind::read_async, .count = bytes, .from = static_cast<const unsigned char*>(from)});
}
DMA_DETAIL_UNSEEN inline void commit_async_reads() {
  this_thread().product_registers().commit();
  execute({.kind = OperationKind::commit_reads});
}
template <int Pending>
DMA_DETAIL_UNSEEN void wait_for_async_reads() {
  execute({.kind = OperationKind::await_reads, .count = Pending});
  this_thread().product_registers().wait(Pending);
}

template <class Word>
void use_counter(const Word* word, const char* user) {
  this_thread().counter_used(word, sizeof *word, user);
}
/// Reports the value of a counter to the recorder: what the kernel does with it may depend on the schedule.
inline unsigned long long report_count(unsigned long long value) {
  if (running_thread != nullptr) {
    running_thread->counted(value);
  }
  return value;
}
/// An atomic access of all threads of the GPU, as the GPU makes it. Where a proof sees every access it sees this one
/// too.
template <class Word>
[[gnu::noinline]] DMA_DETAIL_UNSEEN Word count_atomically(AtomicKind kind, Order order, const Word* word, Word value) {
  const AtomicInstruction instruction{.kind = kind,
                                      .order = order,
                                      .scope = Scope::gpu,
                                      .is_counter = true,
                                      .place = const_cast<Word*>(word),
                                      .bytes = int{sizeof(Word)},
                                      .value = value,
                                      .code = __builtin_return_address(0),
                                      .state = running_thread == nullptr ? std::uint64_t{0} : DMA_DETAIL_STATE};
#if defined(DMA_EVERY_ACCESS)
  if (running_thread != nullptr) {
    return static_cast<Word>(running_thread->access_atomically(instruction));
  }
#endif
  return static_cast<Word>(instruction.make());
}
inline unsigned long long count(unsigned long long* word, unsigned long long value) {
  return report_count(count_atomically(AtomicKind::add, Order::relaxed, word, value));
}
/// The CTAs that run after this one take numbers too: a CTA that has had its share finds none left.
[[nodiscard]] inline unsigned long long take_number(unsigned long long* word, unsigned long long one, int numbers) {
  return this_thread().takes_number(word, numbers) ? count(word, one)
                                                   : one * static_cast<unsigned long long>(numbers > 0 ? numbers : 0);
}
[[nodiscard]] inline unsigned long long read_count(const unsigned long long* word) {
  return report_count(count_atomically(AtomicKind::load, Order::relaxed, word, 0ULL));
}
inline void clear_count(unsigned long long* word) { count_atomically(AtomicKind::store, Order::relaxed, word, 0ULL); }
[[nodiscard]] inline unsigned count_around(unsigned* word, unsigned last) {
  this_thread().counts_for_cta();
  return static_cast<unsigned>(report_count(count_atomically(AtomicKind::add_around, Order::acq_rel, word, last)));
}
/// Where all CTAs of a grid run together it waits.
template <class Condition>
void await_grid(const Site&, const char*, unsigned, const Condition& holds) {
  while (this_thread().is_explored() && !holds()) {
  }
}

[[nodiscard]] DMA_DETAIL_UNSEEN inline unsigned long long trace_time(unsigned long long& steps) { return steps++; }
}  // namespace dma::inline v0_1::machine::host_model
