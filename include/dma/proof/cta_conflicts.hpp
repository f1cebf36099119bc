#pragma once

#include <dma/machine/index3.hpp>
#include <dma/proof/finding.hpp>
#include <dma/proof/line_of.hpp>
#include <dma/proof/record/byte_ranges.hpp>
#include <dma/proof/record/recording.hpp>
#include <dma/proof/verdict.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace dma::host {

/// The global memory that the CTAs of a grid access in one run. Nothing orders CTAs, so that no two of them may access
/// the same bytes, one with a write, in whatever order they ran. CTAs that both meet at an atomic may have ordered
/// themselves: of these only writes by both conflict.
///
/// Cost    a sort of the ranges
class CtaConflicts {
 public:
  /// @param recording  of one CTA
  void add(const Recording& recording) {
    const auto cta = static_cast<int>(ctas_.size());
    ctas_.push_back({recording.block, recording.meets_ctas, recording.seen});
    for (const auto& [kind, ranges] : {std::pair(Kind::read, recording.global_reads),
                                       {Kind::write, recording.global_writes},
                                       {Kind::atomic, tidy(recording.global_atomics)}}) {
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
  enum class Kind { read, write, atomic };
  struct Access {
    ByteRange bytes;
    int cta;
    Kind kind;
  };

  [[nodiscard]] const Cta& cta_of(const Access& access) const { return ctas_[static_cast<std::size_t>(access.cta)]; }
  [[nodiscard]] bool conflict(const Access& one, const Access& other) const {
    const bool both_meet = cta_of(one).meets_others && cta_of(other).meets_others;
    const bool both_write = one.kind != Kind::read && other.kind != Kind::read;
    const bool any_writes = one.kind != Kind::read || other.kind != Kind::read;
    const bool are_atomic = one.kind == Kind::atomic && other.kind == Kind::atomic;
    return one.cta != other.cta && !are_atomic && (both_meet ? both_write : any_writes);
  }
  [[nodiscard]] std::string text_of(const Access& access, const ByteRange& bytes) const {
    const Cta& cta = cta_of(access);
    const auto found = std::find_if(cta.seen.begin(), cta.seen.end(), [&](const SeenInstruction& seen) {
      return seen.writes == (access.kind != Kind::read) && seen.hull.first < bytes.last && bytes.first < seen.hull.last;
    });
    return "block (" + std::to_string(cta.block.x) + ", " + std::to_string(cta.block.y) + ", " +
           std::to_string(cta.block.z) + ")" + (access.kind == Kind::read ? " reads" : " writes") +
           (found == cta.seen.end() ? " by a copy" : line_of(found->address, {}));
  }
  [[nodiscard]] Verdict verdict_of(const Access& one, const Access& other) const {
    const ByteRange common{std::max(one.bytes.first, other.bytes.first), std::min(one.bytes.last, other.bytes.last)};
    return {.kind = FindingKind::race,
            .message = "race between CTAs: " + text_of(one, common) + " and " + text_of(other, common) + " " +
                       name_of(common) + ", and nothing orders them; give each CTA bytes of its own, add them by " +
                       "atomics, or use another kernel"};
  }

  std::vector<Cta> ctas_;
  std::vector<Access> accesses_;
};

}  // namespace dma::host
