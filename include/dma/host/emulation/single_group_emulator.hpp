#pragma once

#include <dma/host/emulation/contexts/fiber.hpp>
#include <dma/host/emulation/copies_under_way.hpp>
#include <dma/machine/host/emulated_thread.hpp>

#include <array>
#include <bitset>
#include <cstddef>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>

namespace dma::inline v0_1::host::detail {

/// Runs the threads of a DMA group without a pipeline: enough for an engine's `load` and `store`. Its warps run one
/// after another, and the lanes of a warp meet at shuffles and `sync_warp`. Copies complete at once; barriers and slots
/// throw.
class SingleGroupEmulator final : public machine::EmulatedThread {
 public:
  SingleGroupEmulator() : outer_(std::exchange(machine::running_thread, this)) {}
  ~SingleGroupEmulator() override {
    machine::running_thread = outer_;
    body_ = {};
    for (const auto& fiber : fibers_) {
      if (fiber != nullptr) {
        fiber->resume();
      }
    }
  }

  /// Calls `body(thread)` in each of so many threads, a multiple of 32.
  ///
  /// @throw  what `body` throws, and `std::logic_error` where some lanes of a warp meet and others have ended
  void run(int threads, std::function<void(int thread)> body) {
    body_ = std::move(body);
    for (first_ = 0; first_ < threads; first_ += lanes) {
      run_warp();
    }
  }

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int threads() const noexcept override { return 32; }
  [[nodiscard]] Index3 block() const noexcept override { return {}; }
  [[nodiscard]] Index3 blocks() const noexcept override { return {}; }
  [[nodiscard]] void* shared() const noexcept override { return nullptr; }
  [[nodiscard]] std::size_t shared_bytes() const noexcept override { return 0; }

  void sync_cta() override {}
  void sync_warp() override { meet(); }
  void shuffle(void* value, std::size_t bytes, int source) override {
    // Lanes go from one meeting to the next together, so that the values of two are enough.
    auto& values = values_[meetings_[lane()] % 2];
    std::memcpy(values[lane()].data(), value, bytes);
    meet();
    std::memcpy(value, values[static_cast<unsigned>(source) % lanes].data(), bytes);
  }
  void barrier_sync(int, int, const machine::Site&) override { refuse(); }
  void barrier_arrive(int, int, const machine::Site&) override { refuse(); }
  void slot_filled(const void*, const machine::TileShape&) override { refuse(); }
  void slot_used(const void*, const machine::TileShape&) override { refuse(); }
  void slot_held(const void*, int, machine::Holding) override { refuse(); }
  void slot_moving(const void*, const void*) override { refuse(); }
  void slots_gone(const void*, int) override { refuse(); }
  void claim_barriers(int, int) override { refuse(); }
  void release_barriers(int, int) override { refuse(); }
  [[nodiscard]] bool phase_is_complete(const void*, unsigned) override {
    refuse();
    return false;
  }
  /// Copies complete at once.
  void execute(const machine::Instruction& instruction) override {
    expect_own_cta(instruction);
    if (instruction.is_of_phase()) {
      refuse();
    } else if (instruction.is_copy()) {
      CopySides::of(instruction).move();
    }
  }

 private:
  static constexpr int lanes = 32;
  /// Thrown where the lanes of a warp would meet after one of them has failed, so that their stacks unwind.
  struct Cancelled {};

  static void refuse() {
    throw std::logic_error(
        "dma::host: an engine without a pipeline has no barriers and no slots; run a pipeline by "
        "dma::host::launch");
  }

  [[nodiscard]] std::size_t lane() const noexcept { return static_cast<std::size_t>(rank_ % lanes); }
  /// Lets each other lane of the warp run up to its next meeting.
  void meet() {
    if (!is_unwinding()) {
      ++meetings_[lane()];
      fibers_[lane()]->suspend();
      if (error_ != nullptr) {
        throw Cancelled{};
      }
    }
  }
  /// What the fiber of a lane runs: the lane's thread of one warp after another.
  void run_lane(std::size_t lane) {
    while (body_) {
      try {
        body_(rank_);
      } catch (...) {
        error_ = error_ == nullptr ? std::current_exception() : error_;
      }
      has_ended_[lane] = true;
      fibers_[lane]->suspend();
    }
  }
  void run_warp() {
    meetings_ = {};
    has_ended_ = {};
    error_ = nullptr;
    for (bool any_waits = true; any_waits;) {
      for (rank_ = first_; rank_ < first_ + lanes; ++rank_) {
        resume(lane());
      }
      any_waits = has_ended_.count() < lanes;
      if (any_waits && error_ == nullptr && has_ended_.any()) {
        error_ = std::make_exception_ptr(
            std::logic_error("dma::host: some lanes of a warp shuffle or sync_warp, and others have ended; let all "
                             "32 lanes do the same"));
      }
    }
    if (error_ != nullptr) {
      std::rethrow_exception(error_);
    }
  }
  void resume(std::size_t lane) {
    if (has_ended_[lane]) {
      return;
    }
    if (fibers_[lane] == nullptr) {
      fibers_[lane] = std::make_unique<Fiber>([this, lane] { run_lane(lane); });
    }
    const StackRange outer = std::exchange(running_stack, fibers_[lane]->stack());
    fibers_[lane]->resume();
    running_stack = outer;
  }

  machine::EmulatedThread* outer_;
  std::function<void(int)> body_;  ///< of the group that runs; fibers end where there is none
  std::array<std::unique_ptr<Fiber>, lanes> fibers_;
  int rank_ = 0;
  // Of the warp that runs.
  int first_ = 0;
  std::bitset<lanes> has_ended_;                                              ///< which lanes
  std::array<unsigned, lanes> meetings_{};                                    ///< of each lane
  std::array<std::array<std::array<unsigned char, 16>, lanes>, 2> values_{};  ///< that lanes shuffle
  std::exception_ptr error_;                                                  ///< the first that a lane threw
};

}  // namespace dma::inline v0_1::host::detail
