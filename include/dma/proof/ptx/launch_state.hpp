#pragma once

#include <dma/machine/host/emulated_thread.hpp>
#include <dma/machine/index3.hpp>
#include <dma/proof/ptx/instruction.hpp>
#include <dma/proof/ptx/products/operand_layout.hpp>
#include <dma/proof/ptx/program.hpp>
#include <dma/proof/ptx/registers/warp_registers.hpp>
#include <dma/proof/ptx/unknown_bytes.hpp>
#include <dma/proof/ptx/value_regions.hpp>
#include <dma/proof/ptx/values/unknown.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// What the threads of a launch have in common, over all its runs.
struct LaunchState {
  const Program* program = nullptr;
  Index3 grid{1, 1, 1};
  Index3 block{1, 1, 1};    ///< threads of a CTA
  Index3 cluster{1, 1, 1};  ///< CTAs
  std::uint64_t dynamic_shared_bytes = 0;
  std::uint64_t sms = 0;      ///< of the GPU, 0 where they are not known
  bool lacks_sms = false;     ///< the kernel has asked for them
  bool starts_early = false;  ///< the grids before may not have ended when it begins
  std::vector<unsigned char> parameters = {};
  std::shared_ptr<UnknownCauses> causes = std::make_shared<UnknownCauses>();
  UnknownBytes unknown = {};
  UnknownBytes unknown_before = {};                      ///< in arrays, as the launches before left them
  UnknownBytes unknown_of_runs = {};                     ///< at the end of any run but the last
  std::map<const void*, std::size_t> on_chip = {};       ///< memory of CTAs, which holds no results, and its bytes
  std::map<std::string, std::string> not_computed = {};  ///< opcodes, and where the first is
  std::map<const Instruction*, Region> regions = {};     ///< behind branches whose predicate was not computed
  std::map<const Instruction*, bool> polls = {};         ///< which instructions that ask for a phase are no waits
  std::shared_ptr<WarpRegisters> registers = std::make_shared<WarpRegisters>();  ///< of this run
  std::uint64_t instructions = 0;
  bool opening_fences = false;             ///< an `mbarrier.init` counts as a fence for bulk copies
  bool reads_unwritten = false;            ///< of shared memory, which is no fault: what it holds at first is not known
  bool own_rows = false;                   ///< of a product's 64 rows of A, a warp reads its own 16
  bool products_meet = false;              ///< a warpgroup begins products when all its warps have come
  bool leaves_pending = false;             ///< at mbarriers, when the kernel ends
  bool whole_vectors = false;              ///< a thread accesses a vector of words of others at once
  bool products_order = false;             ///< accesses of a warp's lanes, by wgmma.fence and wgmma.wait_group
  bool leaves_products_out = false;        ///< products are not computed: a run that needs their values is refused
  bool narrow_fences = false;              ///< a fence of a scope without the threads that it would order is no fault
  bool has_vectors_of_words = false;       ///< which fit into a word
  bool copies_follow_products = false;     ///< to tensor memory, those of their thread, without a wait
  bool copies_to_tensor = false;           ///< there are some
  bool one_value = false;                  ///< warps that store one value by one instruction count as one
  bool lanes_together = false;             ///< lanes of a warp execute an instruction on an mbarrier at once
  std::string unfenced_product = {};       ///< where a product uses registers without a wgmma.fence; empty: nowhere
  std::uint64_t grid_workspace = 0;        ///< of a cooperative grid; 0: it has none
  std::set<std::string> assumptions = {};  ///< what is taken as stronger than it is
  bool wide_arrivals = false;  ///< arrivals at other CTAs' mbarriers, and waits for these, are at cluster scope
  std::string refusal = {};    ///< why the kernel cannot be judged; empty: it can
  /// How often instructions that are more than a value are executed.
  struct Uses {
    std::uint64_t executions = 0;
    std::uint64_t most_of_thread = 0;
  };
  std::map<const Statement*, Uses>* uses = nullptr;  ///< of a run; null: they are not counted

  [[nodiscard]] int threads() const noexcept { return block.x * block.y * block.z; }
  [[nodiscard]] int ctas_of_cluster() const noexcept { return cluster.x * cluster.y * cluster.z; }
  /// The emulator has the CTAs of a cluster side by side along x.
  [[nodiscard]] bool is_along_x() const noexcept { return cluster.y * cluster.z == 1; }
  [[nodiscard]] Index3 emulated_grid() const noexcept {
    return is_along_x() ? grid : Index3{grid.x * grid.y * grid.z, 1, 1};
  }
  /// The place in its cluster of the CTA of a rank.
  [[nodiscard]] Index3 place_in_cluster(int rank) const noexcept {
    return {rank % cluster.x, rank / cluster.x % cluster.y, rank / (cluster.x * cluster.y)};
  }
  /// The place of a cluster in the grid.
  ///
  /// @param emulated  the place of one of its CTAs in the emulated grid
  [[nodiscard]] Index3 place_of_cluster(Index3 emulated) const noexcept {
    if (is_along_x()) {
      return {emulated.x / cluster.x, emulated.y, emulated.z};
    }
    const int number = emulated.x / ctas_of_cluster();
    const int row = grid.x / cluster.x;
    const int plane = row * (grid.y / cluster.y);
    return {number % row, number / row % (grid.y / cluster.y), number / plane};
  }
  /// The place of a CTA in the grid, likewise.
  [[nodiscard]] Index3 place_of_cta(Index3 emulated, int rank) const noexcept {
    const Index3 of = place_of_cluster(emulated);
    const Index3 in = place_in_cluster(rank);
    return {of.x * cluster.x + in.x, of.y * cluster.y + in.y, of.z * cluster.z + in.z};
  }
  [[nodiscard]] std::size_t shared_bytes() const noexcept {
    return static_cast<std::size_t>(program->static_shared_bytes + dynamic_shared_bytes);
  }
  /// A thread begins. A thread that has begun before begins another run, whose arrays are restored. The first of a CTA
  /// finds no unknown byte in shared memory.
  void begin_thread(machine::EmulatedThread& thread) {
    const Index3 at = thread.block();
    const std::tuple cta{at.z, at.y, at.x};
    if (!begun_.insert({cta, thread.rank()}).second) {
      begun_ = {{cta, thread.rank()}};
      ctas_.clear();
      registers = registers.use_count() == 1 ? registers : std::make_shared<WarpRegisters>();
      unknown_of_runs.add(unknown, 0, UINTPTR_MAX);
      unknown = unknown_before;
    }
    if (leaves_pending) {
      thread.leave_pending();
    }
    if (lanes_together) {
      thread.count_lanes_as_together();
    }
    if (one_value) {
      thread.count_stores_of_warps_as_one();
    }
    if (ctas_.insert(cta).second) {
      registers->begin_cta(thread.cta_index());
      for (auto vote = votes.begin(); vote != votes.end();) {
        vote = vote->first.first == thread.cta_index() ? votes.erase(vote) : std::next(vote);
      }
      unknown.set(thread.shared(), thread.shared_bytes(), reads_unwritten ? unwritten_shared : Unknown());
      on_chip.insert_or_assign(thread.shared(), thread.shared_bytes());
      if (reads_unwritten) {
        thread.count_as_written(thread.shared(), thread.shared_bytes());
      }
    }
  }

  /// The predicates that threads bring to a barrier with a reduction.
  struct Votes {
    std::uint64_t generation = 0;
    int count = 0;
    int yes = 0;
  };
  std::map<std::pair<int, int>, std::array<Votes, 2>> votes = {};  ///< by the CTA and the barrier

  /// Operands of products, by the descriptor, whether m or n is contiguous in it, and which rows or columns they are.
  std::map<std::tuple<std::uint64_t, bool, int, int, int>, OperandLayout> operands = {};

 private:
  using Cta = std::tuple<int, int, int>;
  std::set<std::pair<Cta, int>> begun_;  ///< threads of this run, by their CTA and their rank
  std::set<Cta> ctas_;
};

}  // namespace dma::inline v0_1::proof::ptx::detail
