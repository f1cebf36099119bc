#pragma once

#include "host/proof/fuzz/program.hpp"

#include <dma/dma.hpp>
#include <dma/proof/prove.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

/// A kernel body that does the steps of a program. What it reads of the program is no access of the kernel's.
namespace fuzz {

struct Memories {
  alignas(128) int blocks[shared_blocks][lane_count];
  unsigned long long barriers[phase_barriers];
};

/// An instruction of its own for each place: the rule for lanes that store one value asks for one instruction.
template <int Place>
[[gnu::noinline, gnu::no_icf]] void store_at(int* element, int value) {
  *element = value;
}
template <int... Places>
constexpr auto stores_at(std::integer_sequence<int, Places...>) {
  return std::array{&store_at<Places>...};
}
inline constexpr auto stores = stores_at(std::make_integer_sequence<int, store_count>{});

class Interpreter {
 public:
  Interpreter(const dma::Cta& cta, Memories& shared, int* global) : cta_(cta), shared_(shared), global_(global) {}

  __attribute__((no_sanitize("thread"), noinline)) void run(const Program& program) {
    const int warp = cta_.cluster_rank() * program.warps + cta_.warp();
    const auto& steps = program.steps[static_cast<std::size_t>(warp)];
    const std::size_t count = steps.size();
    for (std::size_t i = 0; i < count; ++i) {
      const Step step = steps[i];
      if (is_one_of(cta_.lane(), step.lanes)) {
        act(step);
      }
    }
  }

 private:
  __attribute__((no_sanitize("thread"), noinline)) void act(const Step& step) {
    namespace machine = dma::machine;
    void* const barrier = &shared_.barriers[step.barrier];
    auto* const block = reinterpret_cast<unsigned char*>(shared_.blocks[step.block]);
    auto* const other = reinterpret_cast<unsigned char*>(global_ + step.other * lane_count);
    switch (step.op) {
      case Op::read:
        return load_from(element_of(step));
      case Op::write:
        return stores[static_cast<std::size_t>(number_of_store(step))](element_of(step), step.value);
      case Op::sync_warp:
        return cta_.sync_warp();
      case Op::shuffle:
        return static_cast<void>(cta_.shuffle(step.value, 0));
      case Op::sync_cta:
        return cta_.sync();
      case Op::sync_cluster:
        return cta_.cluster_sync();
      case Op::sync_named:
        return machine::barrier_sync(step.barrier, step.count * lane_count, {});
      case Op::arrive_named:
        return machine::barrier_arrive(step.barrier, step.count * lane_count, {});
      case Op::open:
        return machine::phase_init(barrier, step.count);
      case Op::close:
        return machine::phase_invalidate(barrier);
      case Op::arrive:
        return machine::phase_arrive(barrier, {});
      case Op::expect:
        return machine::phase_expect(barrier, step.count * block_bytes, {});
      case Op::wait:
        return machine::phase_wait(barrier, static_cast<unsigned>(step.count), {});
      case Op::arrive_at_peer:
        return machine::phase_arrive_at<dma::Scope::cluster>(barrier, 1 - cta_.cluster_rank(), {});
      case Op::wait_in_cluster:
        return machine::phase_wait_in_cluster(barrier, static_cast<unsigned>(step.count), {});
      case Op::fence:
        return machine::fence_async_proxy();
      case Op::copy_async:
        for (int byte = 0; byte < block_bytes; byte += 16) {
          machine::copy_async<16, dma::CacheHints{}>(block, byte, other, byte);
        }
        return;
      case Op::await_async:
        return machine::wait_for_async_copies();
      case Op::arrive_when_copied:
        return machine::phase_arrive_when_copied(barrier, {});
      case Op::load:
        return machine::copy_bulk_to_shared<dma::CacheHints{}>(block, other, block_bytes, barrier);
      case Op::store:
        return machine::copy_bulk_to_global<dma::CacheHints{}>(other, block, block_bytes);
      case Op::commit:
        return machine::commit_bulk_group();
      case Op::await_groups:
        return machine::wait_for_bulk_groups();
      case Op::await_reads:
        return step.count == 0 ? machine::wait_for_bulk_reads<0>() : machine::wait_for_bulk_reads<1>();
      case Op::send:
        return machine::copy_bulk_to_cta(shared_.blocks[step.other], block, block_bytes, 1 - cta_.cluster_rank(),
                                         barrier);
    }
  }
  [[gnu::noinline]] static void load_from(const int* element) {
    asm volatile("" : : "r"(*element));  // The value is used.
  }
  __attribute__((no_sanitize("thread"), noinline)) int* element_of(const Step& step) {
    const int lane = cta_.lane();
    const int index = step.element == Element::its_own          ? lane
                      : step.element == Element::its_neighbours ? lane ^ 1
                      : step.element == Element::first          ? 0
                                                                : 1;
    int* const own = &shared_.blocks[step.block][index];
    return step.memory == Memory::global ? global_ + step.block * lane_count + index
           : step.memory == Memory::own  ? own
                                         : cta_.peer(1 - cta_.cluster_rank(), own);
  }

  const dma::Cta& cta_;
  Memories& shared_;
  int* global_;
};

template <int Warps, int Ctas>
struct Kernel {
  using Layout = dma::WarpLayout<dma::Compute<Warps>>;
  using Shared = Memories;
  static constexpr dma::KernelTraits traits{.cluster = Ctas};

  __attribute__((no_sanitize("thread"))) void operator()(const dma::KernelCta<Kernel>& cta, const Program* program,
                                                         int* global) const {
    Interpreter(cta, cta.template shared<Memories>(), global).run(*program);
  }
};

/// @param seed  of the first of the runs
template <int Warps, int Ctas>
[[nodiscard]] dma::proof::Verdict verdict_of(const Program& program, unsigned seed) {
  alignas(128) static int global[global_blocks * lane_count];
  return dma::proof::prove({.first_seed = seed, .seeds = 2, .limits = {.states = 0}}, Kernel<Warps, Ctas>{}, {Ctas},
                           &program, &global[0]);
}
[[nodiscard]] inline dma::proof::Verdict verdict_of(const Program& program, unsigned seed) {
  if (program.ctas == 2) {
    return program.warps == 1 ? verdict_of<1, 2>(program, seed) : verdict_of<2, 2>(program, seed);
  }
  constexpr std::array verdicts{&verdict_of<1, 1>, &verdict_of<2, 1>, &verdict_of<3, 1>, &verdict_of<4, 1>};
  return verdicts[static_cast<std::size_t>(program.warps - 1)](program, seed);
}

}  // namespace fuzz
