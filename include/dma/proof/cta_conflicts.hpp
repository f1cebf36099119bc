#pragma once

#include <dma/host/emulation/line_of.hpp>
#include <dma/host/emulation/memory/kernel_memory.hpp>
#include <dma/machine/index3.hpp>
#include <dma/proof/clocks/atomic_order.hpp>
#include <dma/proof/clocks/clock_judge.hpp>
#include <dma/proof/finding.hpp>
#include <dma/proof/record/byte_ranges.hpp>
#include <dma/proof/record/recorded_program.hpp>
#include <dma/proof/record/recording.hpp>
#include <dma/proof/verdict.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// The global memory that the CTAs of a grid access in one run. Nothing orders CTAs, so that no two of them may access
/// the same bytes, one with a write, in whatever order they ran. CTAs that both meet at an atomic may have ordered
/// themselves: of these, writes by both conflict, and a read and a write of which the first is not before an atomic of
/// the CTA that ran first, or the second not after one of the other.
///
/// Cost    a sort of the ranges; for CTAs with atomics of global memory the clocks of their threads
class CtaConflicts {
 public:
  /// @param recording  of one CTA
  void add(const Recording& recording) {
    if (recording.is_alone()) {
      return;
    }
    const auto cta = static_cast<int>(ctas_.size());
    memory_ = recording.memory;
    ctas_.push_back({recording.block, recording.meets_ctas, recording.seen});
    if (recording.meets_ctas) {
      add_with_order(recording, cta);
      return;
    }
    for (const auto& [kind, ranges] : {std::pair(Kind::read, recording.global_reads),
                                       {Kind::write, recording.global_writes},
                                       {Kind::atomic, recording.global_atomics}}) {
      for (const ByteRange& range : ranges) {
        accesses_.push_back({range, cta, kind});
      }
    }
  }

  [[nodiscard]] Verdict judge() {
    std::sort(accesses_.begin(), accesses_.end(),
              [](const Access& left, const Access& right) { return left.bytes < right.bytes; });
    for (std::size_t i = 0; i < accesses_.size(); ++i) {
      const Access& one = accesses_[i];
      for (std::size_t j = i + 1; j < accesses_.size() && accesses_[j].bytes.first < one.bytes.last; ++j) {
        if (conflict(one, accesses_[j])) {
          return verdict_of(one, accesses_[j]);
        }
      }
    }
    return {};
  }

 private:
  struct Cta {
    Index3 block;
    bool meets_others;
    std::vector<SeenInstruction> seen;
  };
  enum class Kind { read, write, atomic, atomic_load };
  struct Access {
    ByteRange bytes;
    int cta;
    Kind kind;
    // An atomic of its CTA.
    bool precedes = false;
    bool follows = false;

    [[nodiscard]] bool writes() const { return kind == Kind::write || kind == Kind::atomic; }
    [[nodiscard]] bool is_atomic() const { return kind == Kind::atomic || kind == Kind::atomic_load; }
  };

  void add_with_order(const Recording& recording, int cta) {
    const Program program = program_of_threads(recording);
    AtomicOrder order;
    static_cast<void>(ClockJudge(program).judge(&order));
    std::map<std::tuple<Kind, bool, bool>, std::set<int>> lists;  // of ranges
    for (const AtomicOrder::Access& access : order.accesses()) {
      const Operation& operation =
          recording.threads[static_cast<std::size_t>(access.agent)].at(static_cast<std::size_t>(access.operation));
      const bool precedes = order.precedes(access);
      if (access.reads) {
        const Kind kind = operation.is_atomic() ? Kind::atomic_load : Kind::read;
        lists[{kind, precedes, access.follows}].insert(operation.reads);
      }
      if (access.writes) {
        lists[{operation.is_atomic() ? Kind::atomic : Kind::write, precedes, access.follows}].insert(operation.writes);
      }
    }
    for (const auto& [key, numbers] : lists) {
      ByteRanges ranges;
      for (const int list : numbers) {
        const ByteRanges& all = (*recording.ranges)[list];
        std::copy_if(all.begin(), all.end(), std::back_inserter(ranges), is_global);
      }
      const auto& [kind, precedes, follows] = key;
      for (const ByteRange& range : tidy(std::move(ranges))) {
        accesses_.push_back({range, cta, kind, precedes, follows});
      }
    }
  }

  [[nodiscard]] const Cta& cta_of(const Access& access) const { return ctas_[static_cast<std::size_t>(access.cta)]; }
  [[nodiscard]] bool conflict(const Access& one, const Access& other) const {
    const bool both_meet = cta_of(one).meets_others && cta_of(other).meets_others;
    const bool any_reads = one.kind == Kind::read || other.kind == Kind::read;
    const bool any_writes = one.writes() || other.writes();
    const bool are_atomic = one.is_atomic() && other.is_atomic();
    const Access& first = one.cta < other.cta ? one : other;
    const Access& second = one.cta < other.cta ? other : one;
    const bool are_ordered = both_meet && any_reads && first.precedes && second.follows;
    return one.cta != other.cta && !are_atomic && any_writes && !are_ordered;
  }
  [[nodiscard]] std::string text_of(const Access& access, const ByteRange& bytes) const {
    const Cta& cta = cta_of(access);
    const auto found = std::find_if(cta.seen.begin(), cta.seen.end(), [&](const SeenInstruction& seen) {
      return seen.writes == access.writes() && seen.hull.first < bytes.last && bytes.first < seen.hull.last;
    });
    return "block (" + std::to_string(cta.block.x) + ", " + std::to_string(cta.block.y) + ", " +
           std::to_string(cta.block.z) + ")" + (access.writes() ? " writes" : " reads") +
           (found == cta.seen.end() ? " by a copy" : host::detail::line_of(found->address, {}));
  }
  [[nodiscard]] Verdict verdict_of(const Access& one, const Access& other) const {
    const ByteRange common{std::max(one.bytes.first, other.bytes.first), std::min(one.bytes.last, other.bytes.last)};
    return {.kind = FindingKind::race,
            .message = "race between CTAs: " + text_of(one, common) + " and " + text_of(other, common) + " " +
                       name_of_global(common, memory_, all_bytes()) +
                       ", and nothing orders them; give each CTA bytes of its own, add them by "
                       "atomics, or use another kernel"};
  }

  [[nodiscard]] ByteRanges all_bytes() const {
    ByteRanges ranges;
    for (const Access& access : accesses_) {
      ranges.push_back(access.bytes);
    }
    return tidy(std::move(ranges));
  }

  const host::detail::KernelMemory* memory_ = nullptr;
  std::vector<Cta> ctas_;
  std::vector<Access> accesses_;
};

}  // namespace dma::inline v0_1::proof::detail
