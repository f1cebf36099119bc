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
  /// What the finding's agent does, "reads bytes 4 to 7 of tile (k.cu:6)", and the other one, "writes them (k.cu:4)":
  /// where it is an access whose bytes are known, else empty. An operation has all accesses up to a synchronization,
  /// and its line is that of this.
  [[nodiscard]] const std::string& access() const noexcept { return access_; }
  [[nodiscard]] const std::string& other_access() const noexcept { return other_access_; }

 private:
  [[nodiscard]] const Operation& operation_of(int agent, int operation) const {
    return recording_.threads[static_cast<std::size_t>(agent)][static_cast<std::size_t>(operation)];
  }
  [[nodiscard]] const ByteRanges& bytes_of(const Operation& operation, bool writes) const {
    return (*recording_.ranges)[writes ? operation.writes : operation.reads];
  }
  [[nodiscard]] std::string line_of(const Operation& operation, bool writes, const ByteRange& bytes) const {
    const void* instruction = nullptr;
    for (int i = operation.seen_first; i < operation.seen_last; ++i) {
      const SeenInstruction& seen = recording_.seen[static_cast<std::size_t>(i)];
      if (seen.writes == writes && seen.hull.first < bytes.last && bytes.first < seen.hull.last) {
        instruction = seen.address;
      }
    }
    return host::detail::line_of(instruction, recording_.places[static_cast<std::size_t>(operation.place)].caller);
  }
  void find(const Operation& now, bool writes, const Operation& earlier, bool other_writes) {
    for (const ByteRange& left : bytes_of(now, writes)) {
      for (const ByteRange& right : bytes_of(earlier, other_writes)) {
        const ByteRange common{std::max(left.first, right.first), std::min(left.last, right.last)};
        if (common.first < common.last) {
          return name(now, writes, earlier, other_writes, common);
        }
      }
    }
  }

  void name(const Operation& now, bool writes, const Operation& earlier, bool other_writes, const ByteRange& common) {
    const std::string bytes = recording_.name_of(common, letters_);
    const std::string line = line_of(now, writes, common);
    const std::string other_line = line_of(earlier, other_writes, common);
    text_ = "; " + bytes + ", " + (writes ? "written" : "read") + line + " and " + (other_writes ? "written" : "read") +
            other_line;
    const bool is_access = now.kind == OperationKind::access;
    access_ = is_access ? (writes ? "writes " : "reads ") + bytes + line : "";
    other_access_ = earlier.kind == OperationKind::access
                        ? (other_writes ? "writes " : "reads ") + (is_access ? "them" : bytes) + other_line
                        : "";
  }

  const Recording& recording_;
  host::detail::PipelineLetters& letters_;
  std::string text_;
  std::string access_;
  std::string other_access_;
};

}  // namespace dma::inline v0_1::proof::detail
