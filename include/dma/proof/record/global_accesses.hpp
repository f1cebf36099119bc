#pragma once

#include <dma/proof/record/byte_ranges.hpp>
#include <dma/proof/record/global_memory.hpp>
#include <dma/proof/record/program.hpp>
#include <dma/proof/record/recording.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// Gives a recording's operations those bytes of global memory where two threads or copies may conflict, and the
/// recording the bytes that its CTA reads and writes. Most bytes of global memory are written by one thread, or by
/// none.
class GlobalAccesses {
 public:
  explicit GlobalAccesses(Recording& recording) : recording_(recording) {
    for (const ByteRange& range : recording.global_atomics) {
      memory_.use(range, GlobalMemory::atomics, true);
    }
    for (std::size_t thread = 0; thread < recording.threads.size(); ++thread) {
      for (const GlobalAccess& access : recording.global[thread]) {
        const GlobalMemory::User user = user_of(thread, access);
        memory_.use(access.bytes, user, access.writes);
        if (user == GlobalMemory::atomics) {
          recording.global_atomics.push_back(access.bytes);
        }
      }
    }
    recording.global_atomics = tidy(std::move(recording.global_atomics));
  }

  /// Where a CTA meets others by atomics, or is of one of several grids, its operations have all that they access:
  /// their order decides.
  void settle() {
    if (!recording_.is_alone() && !recording_.meets_ctas) {
      recording_.global_reads = memory_.used(false);
      recording_.global_writes = memory_.used(true);
    }
    for (std::size_t thread = 0; thread < recording_.threads.size(); ++thread) {
      std::vector<const GlobalAccess*> shared;
      for (const GlobalAccess& access : recording_.global[thread]) {
        if (recording_.meets_ctas || recording_.is_of_several ||
            memory_.is_shared(access.bytes, user_of(thread, access))) {
          shared.push_back(&access);
        }
      }
      if (!shared.empty()) {
        recording_.shares_global = true;
        add(thread, shared);
      }
    }
  }

 private:
  [[nodiscard]] static bool is_copy(const Operation& operation) {
    return operation.kind == OperationKind::copy_async || operation.kind == OperationKind::copy_to_shared ||
           operation.kind == OperationKind::copy_to_global;
  }
  [[nodiscard]] GlobalMemory::User user_of(std::size_t thread, const GlobalAccess& access) const {
    if (access.operation >= 0) {
      const Operation& operation = recording_.threads[thread][index(access.operation)];
      if (is_copy(operation)) {
        return operation.adds && access.writes ? GlobalMemory::atomics : GlobalMemory::copy;
      }
    }
    return GlobalMemory::thread(thread);
  }
  [[nodiscard]] static std::size_t index(int number) { return static_cast<std::size_t>(number); }
  [[nodiscard]] std::vector<Operation>& operations(std::size_t thread) { return recording_.threads[thread]; }

  void add(std::size_t thread, const std::vector<const GlobalAccess*>& shared) {
    std::vector<Operation> all;
    std::size_t taken = 0;
    for (std::size_t i = 0; i < shared.size();) {
      const int number = shared[i]->operation;
      ByteRanges reads, writes;
      for (; i < shared.size() && shared[i]->operation == number; ++i) {
        (shared[i]->writes ? writes : reads).push_back(shared[i]->bytes);
      }
      const bool is_apart = number < 0;
      const std::size_t at = is_apart ? recording_.apart[thread][index(~number)].before : index(number);
      all.insert(all.end(), operations(thread).begin() + static_cast<std::ptrdiff_t>(taken),
                 operations(thread).begin() + static_cast<std::ptrdiff_t>(at));
      taken = at + (is_apart ? 0 : 1);
      all.push_back(is_apart ? recording_.apart[thread][index(~number)].operation : operations(thread)[at]);
      all.back().reads = with(all.back().reads, std::move(reads));
      all.back().writes = with(all.back().writes, std::move(writes));
    }
    all.insert(all.end(), operations(thread).begin() + static_cast<std::ptrdiff_t>(taken), operations(thread).end());
    operations(thread) = std::move(all);
  }
  [[nodiscard]] int with(int list, ByteRanges more) {
    const ByteRanges& known = (*recording_.ranges)[list];
    more.insert(more.end(), known.begin(), known.end());
    return recording_.ranges->number_of(more);
  }

  Recording& recording_;
  GlobalMemory memory_;
};

}  // namespace dma::inline v0_1::proof::detail
