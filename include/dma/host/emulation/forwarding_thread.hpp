#pragma once

#include <dma/config.hpp>
#include <dma/machine/host/emulated_thread.hpp>
#include <dma/machine/host/instruction.hpp>
#include <dma/machine/index3.hpp>
#include <dma/machine/site.hpp>

#include <cstddef>
#include <cstdint>

namespace dma::inline v0_1::host::detail {

/// Forwards to a thread what the library reports of slots and barrier numbers. A derived class does the operations of
/// the kernel.
class ForwardingThread : public machine::EmulatedThread {
 public:
  explicit ForwardingThread(machine::EmulatedThread& thread) : inner_(thread) {
    if (thread.is_explored()) {
      be_explored();
    }
  }

  [[nodiscard]] int rank() const noexcept final { return inner_.rank(); }
  [[nodiscard]] int threads() const noexcept final { return inner_.threads(); }
  [[nodiscard]] Index3 block() const noexcept final { return inner_.block(); }
  [[nodiscard]] Index3 blocks() const noexcept final { return inner_.blocks(); }
  [[nodiscard]] int cluster_rank() const noexcept final { return inner_.cluster_rank(); }
  [[nodiscard]] int cluster_size() const noexcept final { return inner_.cluster_size(); }
  [[nodiscard]] int cta_index() const noexcept final { return inner_.cta_index(); }
  [[nodiscard]] int ctas_together() const noexcept final { return inner_.ctas_together(); }
  [[nodiscard]] std::uint64_t state_above(const machine::CallFrame& frame) const noexcept override {
    return inner_.state_above(frame);
  }
  void is_about_to_meet(const void* code, std::uint64_t state) override { inner_.is_about_to_meet(code, state); }
  void await(bool (*holds)(const void*), const void* object, bool may_throw) final {
    inner_.await(holds, object, may_throw);
  }
  [[nodiscard]] std::size_t cluster_pitch() const noexcept final { return inner_.cluster_pitch(); }
  [[nodiscard]] void* peer_address(void* shared, int rank) final { return inner_.peer_address(shared, rank); }
  [[nodiscard]] machine::TensorCells& tensor_cells_of(int rank) final { return inner_.tensor_cells_of(rank); }
  [[nodiscard]] void* shared() const noexcept final { return inner_.shared(); }
  [[nodiscard]] std::size_t shared_bytes() const noexcept final { return inner_.shared_bytes(); }
  [[nodiscard]] bool is_local(const void* address) const noexcept final { return inner_.is_local(address); }
  [[nodiscard]] bool starts_early() const noexcept final { return inner_.starts_early(); }

  [[nodiscard]] bool elect() override { return inner_.elect(); }
  std::uint64_t access_atomically(const machine::AtomicInstruction& instruction) override {
    return inner_.access_atomically(instruction);
  }
  void grid_dependency_wait() override { inner_.grid_dependency_wait(); }
  void load_constants(bool does) override { inner_.load_constants(does); }
  void global_accessed(machine::Access access) override { inner_.global_accessed(access); }
  void add_place(dma::detail::MessageText& message, const void* address) const final {
    inner_.add_place(message, address);
  }
  void accesses_global(const void* place, std::size_t bytes, machine::Access access) override {
    inner_.accesses_global(place, bytes, access);
  }
  void accesses_shared(const void* place, std::size_t bytes, machine::Access access) final {
    inner_.accesses_shared(place, bytes, access);
  }
  void accesses(const void* place, std::size_t bytes, machine::Access access, const void* instruction) override {
    inner_.accesses(place, bytes, access, instruction);
  }
  void accesses_word(const void* place, std::size_t bytes, machine::Access access, const void* instruction) final {
    inner_.accesses_word(place, bytes, access, instruction);
  }
  void counter_used(const void* word, std::size_t bytes, const char* user) override {
    inner_.counter_used(word, bytes, user);
  }
  [[nodiscard]] bool takes_number(const void* word, int numbers) override { return inner_.takes_number(word, numbers); }
  [[nodiscard]] bool cancels_cluster(Index3& first) override { return inner_.cancels_cluster(first); }
  void learns_of_response(bool is_cancelled) override { inner_.learns_of_response(is_cancelled); }
  void counts_for_cta() override { inner_.counts_for_cta(); }

  void slot_filled(const void* slot, const machine::TileShape& tile) override { inner_.slot_filled(slot, tile); }
  void slot_used(const void* slot, const machine::TileShape& tile) override { inner_.slot_used(slot, tile); }
  void slot_held(const void* slot, int bytes, machine::Holding holding) override {
    inner_.slot_held(slot, bytes, holding);
  }
  void slot_moving(const void* slot, const void* global) override { inner_.slot_moving(slot, global); }
  void slots_gone(const void* storage, int bytes) override { inner_.slots_gone(storage, bytes); }
  void claim_barriers(int first, int count) override { inner_.claim_barriers(first, count); }
  void release_barriers(int first, int count) override { inner_.release_barriers(first, count); }

  void pipeline_opened(const machine::Site& pipeline, int stages, int slot_bytes) override {
    inner_.pipeline_opened(pipeline, stages, slot_bytes);
  }
  void called_from(const machine::SourceLocation& caller) override { inner_.called_from(caller); }
  void works_on(const machine::Site& site) override { inner_.works_on(site); }
  void enters(machine::Call call) override { inner_.enters(call); }

 protected:
  machine::EmulatedThread& inner_;
};

}  // namespace dma::inline v0_1::host::detail
