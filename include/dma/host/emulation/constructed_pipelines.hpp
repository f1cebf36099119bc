#pragma once

#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/emulation/pipeline_letters.hpp>
#include <dma/machine/site.hpp>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace dma::inline v0_1::host::detail {

/// The pipelines of a CTA in the order of their construction, which is collective: each thread constructs the same
/// ones, at the same places of the source.
class ConstructedPipelines {
 public:
  /// A thread constructs a pipeline.
  ///
  /// @param number  of pipelines that it has constructed before
  ///
  /// @throw KernelError  another thread has constructed its own of that number elsewhere
  void construct(std::size_t number, int rank, const machine::SourceLocation& caller) {
    if (number == first_.size()) {
      first_.push_back({rank, caller});
    }
    const Constructed& first = first_[number];
    if (!is_same(first.caller, caller)) {
      throw KernelError("dma::DmaPipeline: thread " + std::to_string(rank) + " constructs a pipeline (" +
                        place(caller) + ") where thread " + std::to_string(first.rank) + " constructs one elsewhere (" +
                        place(first.caller) + advice);
    }
  }
  /// A thread has ended.
  ///
  /// @throw KernelError  another thread has constructed more
  void expect_all(std::size_t count, int rank) const {
    if (count < first_.size()) {
      throw KernelError("dma::DmaPipeline: thread " + std::to_string(rank) + " ends without a pipeline that thread " +
                        std::to_string(first_[count].rank) + " has constructed (" + place(first_[count].caller) +
                        advice);
    }
  }

 private:
  struct Constructed {
    int rank;
    machine::SourceLocation caller;
  };

  static constexpr const char* advice =
      "); construct each pipeline once, in all threads of the CTA, before the branch of the roles";

  [[nodiscard]] static bool is_same(const machine::SourceLocation& left, const machine::SourceLocation& right) {
    return left.line() == right.line() && left.column() == right.column() &&
           std::strcmp(left.file(), right.file()) == 0;
  }
  [[nodiscard]] static std::string place(const machine::SourceLocation& caller) {
    return source_line(caller) + ":" + std::to_string(caller.column());
  }

  std::vector<Constructed> first_;  ///< of each number, the thread that came first
};

}  // namespace dma::inline v0_1::host::detail
