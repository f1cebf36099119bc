#pragma once

#include "arrays.hpp"

#include <dma/proof/record/recording.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

/// What the threads of a CTA did, as lines that two programs can compare: for each thread
///
/// - each synchronization, in its order: kind, barrier, count and scope;
/// - between two of them the copies of each kind and barrier, with their bytes on both sides;
/// - and the bytes of shared memory that ordinary accesses read and write;
/// - those of each array that they write, between synchronizations of more threads than a warp's.
///
/// Left out are shuffles, for which a compiler may take other instructions, what is read of global memory, which nvcc
/// may read earlier, and atomic accesses.
namespace by_ptx {

using dma::proof::detail::ByteRange;
using dma::proof::detail::ByteRanges;
using dma::proof::detail::GlobalAccess;
using dma::proof::detail::Operation;
using dma::proof::detail::OperationKind;
using dma::proof::detail::Recording;
namespace machine = dma::machine;

class Listing {
 public:
  Listing(const Recording& recording, const Arrays& arrays) : recording_(recording), arrays_(arrays) {}

  void write(std::ostream& out) {
    if (!recording_.error.empty()) {
      out << "error " << recording_.error << '\n';
    }
    for (std::size_t thread = 0; thread < recording_.threads.size(); ++thread) {
      out << "thread " << thread << '\n';
      write_thread(out, thread);
    }
  }

 private:
  struct Bytes {
    ByteRanges reads;
    ByteRanges writes;
  };
  struct Copies {
    int bytes = 0;
    ByteRanges shared;
    Bytes global;
  };
  using CopyKey = std::pair<OperationKind, int>;
  /// What a thread does between two synchronizations.
  struct Segment {
    Bytes shared;
    Bytes global;
    std::map<CopyKey, Copies> copies;

    [[nodiscard]] bool is_empty() const {
      return shared.reads.empty() && shared.writes.empty() && global.writes.empty() && copies.empty();
    }
  };

  [[nodiscard]] static bool is_of_warp(const Operation& operation) {
    return operation.kind == OperationKind::sync && operation.barrier >= Recording::first_meeting;
  }
  /// Whether an operation is one with the next: a warp's synchronizations with the cluster's, whose instruction has all
  /// lanes at once, and a fence of shared memory with the relaxed arrival that it is for.
  [[nodiscard]] static bool is_part_of(const Operation& operation, const Operation& next) {
    const bool is_of_cluster = next.kind == OperationKind::sync && next.barrier >= Recording::first_cluster_barrier &&
                               next.barrier < Recording::first_meeting;
    return (is_of_warp(operation) && is_of_cluster) ||
           (operation.kind == OperationKind::fence && operation.count == Operation::releases_shared &&
            next.kind == OperationKind::phase_arrive && next.is_relaxed);
  }
  [[nodiscard]] static bool is_copy(OperationKind kind) {
    return kind == OperationKind::copy_async || kind == OperationKind::copy_to_shared ||
           kind == OperationKind::copy_to_global || kind == OperationKind::read_async;
  }
  [[nodiscard]] static bool is_synchronization(OperationKind kind) {
    return kind != OperationKind::access && kind != OperationKind::shuffle && kind != OperationKind::atomic &&
           kind != OperationKind::fence_threads && !is_copy(kind);
  }

  void write_thread(std::ostream& out, std::size_t thread) {
    const std::vector<Operation>& operations = recording_.threads[thread];
    std::vector<Segment> segments(1);
    std::vector<std::size_t> segment_of;
    std::vector<std::size_t> part_of;  // the first segment behind a synchronization of more threads than a warp's
    std::size_t part = 0;
    for (const Operation& operation : operations) {
      segment_of.push_back(segments.size() - 1);
      part_of.push_back(part);
      if (is_synchronization(operation.kind)) {
        segments.emplace_back();
        part = is_of_warp(operation) ? part : segments.size() - 1;
      } else {
        add(segments.back(), operation);
      }
    }
    segment_of.push_back(segments.size() - 1);
    part_of.push_back(part);
    for (const GlobalAccess& access : recording_.global[thread]) {
      const auto number = access.operation >= 0
                              ? static_cast<std::size_t>(access.operation)
                              : recording_.apart[thread][static_cast<std::size_t>(~access.operation)].before;
      const Operation* const operation = access.operation >= 0 ? &operations[number] : nullptr;
      if (operation != nullptr && operation->kind == OperationKind::atomic) {
        continue;
      }
      Bytes& global = operation != nullptr && is_copy(operation->kind)
                          ? segments[segment_of[number]].copies[{operation->kind, operation->barrier}].global
                          : segments[part_of[number]].global;
      (access.writes ? global.writes : global.reads).push_back(access.bytes);
    }
    write(out, operations, segments);
  }
  void write(std::ostream& out, const std::vector<Operation>& operations, std::vector<Segment>& segments) const {
    std::size_t next = 0;
    std::vector<const Operation*> parts;  // that may be one with what follows; nothing is between them
    const auto write_parts = [&] {
      for (std::size_t part = 0; part < parts.size(); ++part) {
        Segment nothing;
        part > 0 ? write(out, nothing) : void();
        write(out, *parts[part]);
      }
      parts.clear();
    };
    for (const Operation& operation : operations) {
      if (is_synchronization(operation.kind)) {
        Segment& segment = segments[next++];
        const bool is_next = !parts.empty() && segment.is_empty();
        if (is_next && is_part_of(*parts.back(), operation)) {
          parts.clear();
        } else if (!is_next || !is_of_warp(*parts.back()) || !is_of_warp(operation)) {
          write_parts();
          write(out, segment);
        }
        parts.push_back(&operation);
      }
    }
    write_parts();
    write(out, segments[next]);
  }
  void add(Segment& segment, const Operation& operation) const {
    if (operation.kind == OperationKind::access) {
      append(segment.shared.reads, operation.reads);
      append(segment.shared.writes, operation.writes);
    } else if (is_copy(operation.kind)) {
      Copies& copies = segment.copies[{operation.kind, operation.barrier}];
      copies.bytes += operation.count;
      append(copies.shared, operation.reads);
      append(copies.shared, operation.writes);
    }
  }
  /// The bytes of shared memory in a list.
  void append(ByteRanges& to, int list) const {
    for (const ByteRange& range : (*recording_.ranges)[list]) {
      if (!is_global(range) && range.first >= 0) {  // below: a counter of the library
        to.push_back(range);
      }
    }
  }

  void write(std::ostream& out, const Operation& operation) const {
    const auto scope = operation.is_relaxed && operation.kind == OperationKind::phase_arrive
                           ? machine::Ordered::shared_memory_in_cluster
                           : operation.ordered;
    out << "  " << static_cast<int>(operation.kind) << " barrier " << operation.barrier << " count " << operation.count
        << " scope " << static_cast<int>(scope) << '\n';
  }
  void write(std::ostream& out, Segment& segment) const {
    for (auto& [key, copies] : segment.copies) {
      out << "  copies " << static_cast<int>(key.first) << " barrier " << key.second << " count " << copies.bytes;
      write(out, " shared", std::move(copies.shared));
      write(out, " from", std::move(copies.global.reads));
      write(out, " to", std::move(copies.global.writes));
      out << '\n';
    }
    write(out, "  reads", std::move(segment.shared.reads));
    out << '\n';
    for (auto* const writes : {&segment.shared.writes, &segment.global.writes}) {
      if (!writes->empty()) {
        write(out, "  writes", std::move(*writes));
        out << '\n';
      }
    }
  }
  /// Of shared memory its bytes, of global memory the array and its bytes.
  void write(std::ostream& out, const char* what, ByteRanges ranges) const {
    std::vector<std::tuple<int, long long, long long>> places;
    for (const ByteRange& range : dma::proof::detail::tidy(std::move(ranges))) {
      const auto [array, first] =
          is_global(range)
              ? arrays_.place_of(static_cast<std::uintptr_t>(range.first - dma::proof::detail::first_global))
              : std::pair(shared, static_cast<std::size_t>(range.first));
      places.emplace_back(array, static_cast<long long>(first), range.last - range.first);
    }
    std::sort(places.begin(), places.end());
    out << what;
    for (const auto& [array, first, bytes] : places) {
      out << ' ' << (array == shared ? "" : std::to_string(array) + ":") << first << " to " << first + bytes << ',';
    }
  }

  static constexpr int shared = -2;

  const Recording& recording_;
  const Arrays& arrays_;
};

}  // namespace by_ptx
