#pragma once

#include <dma/host/emulation/line_of.hpp>
#include <dma/host/emulation/pipeline_letters.hpp>
#include <dma/proof/finding.hpp>
#include <dma/proof/record/byte_ranges.hpp>
#include <dma/proof/record/program.hpp>
#include <dma/proof/record/recording.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace dma::inline v0_1::proof::detail {

/// Where a finding has two operations of threads that access the same bytes: which bytes these are, and the lines that
/// access them. Of a first use of global memory, its line. Empty otherwise.
class CommonBytes {
 public:
  /// @param letters  of the pipelines: those that the text names are noted there
  CommonBytes(const Finding& finding, const Recording& recording, host::detail::PipelineLetters& letters)
      : recording_(recording), letters_(letters) {
    if (finding.operation >= 0 && finding.other_operation >= 0) {
      const Operation& now = operation_of(finding.agent, finding.operation);
      const Operation& earlier = operation_of(finding.other_agent, finding.other_operation);
      for (const auto& [writes, other_writes] :
           {std::pair(true, true), std::pair(false, true), std::pair(true, false)}) {
        if (text_.empty()) {
          find(now, writes, earlier, other_writes);
        }
      }
    } else if (finding.agent >= 0 && finding.operation >= 0) {
      const Operation& now = operation_of(finding.agent, finding.operation);
      if (now.kind == OperationKind::use_global && now.seen_first < now.seen_last) {
        text_ =
            "; it is written" + host::detail::line_of(recording_.seen[static_cast<std::size_t>(now.seen_first)].address,
                                                      recording_.places[static_cast<std::size_t>(now.place)].caller);
      }
    }
  }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  [[nodiscard]] const Operation& operation_of(int agent, int operation) const {
    return recording_.threads[static_cast<std::size_t>(agent)][static_cast<std::size_t>(operation)];
  }
  [[nodiscard]] const ByteRanges& bytes_of(const Operation& operation, bool writes) const {
    return (*recording_.ranges)[writes ? operation.writes : operation.reads];
  }
  [[nodiscard]] std::string access_of(const Operation& operation, bool writes, const ByteRange& bytes) const {
    const void* instruction = nullptr;
    for (int i = operation.seen_first; i < operation.seen_last; ++i) {
      const SeenInstruction& seen = recording_.seen[static_cast<std::size_t>(i)];
      if (seen.writes == writes && seen.hull.first < bytes.last && bytes.first < seen.hull.last) {
        instruction = seen.address;
      }
    }
    return (writes ? "written" : "read") +
           host::detail::line_of(instruction, recording_.places[static_cast<std::size_t>(operation.place)].caller);
  }
  void find(const Operation& now, bool writes, const Operation& earlier, bool other_writes) {
    for (const ByteRange& left : bytes_of(now, writes)) {
      for (const ByteRange& right : bytes_of(earlier, other_writes)) {
        const ByteRange common{std::max(left.first, right.first), std::min(left.last, right.last)};
        if (common.first < common.last) {
          text_ = "; " + recording_.name_of(common, letters_) + ", " + access_of(now, writes, common) + " and " +
                  access_of(earlier, other_writes, common);
          return;
        }
      }
    }
  }

  const Recording& recording_;
  host::detail::PipelineLetters& letters_;
  std::string text_;
};

}  // namespace dma::inline v0_1::proof::detail
