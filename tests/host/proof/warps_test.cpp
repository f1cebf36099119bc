#include <dma/proof/record/recording.hpp>
#include <dma/proof/record/warps.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

using dma::proof::detail::Operation;
using dma::proof::detail::OperationKind;
using dma::proof::detail::Program;
using dma::proof::detail::Recording;
using List = std::vector<Operation>;

/// Warps of a recording as agents.
namespace {

Operation at_barrier(OperationKind kind, int barrier, int count = 0) {
  return {.kind = kind, .barrier = barrier, .count = count};
}
Operation wait(int barrier) { return at_barrier(OperationKind::wait, barrier); }
Operation phase_arrive(int barrier, int bytes = 0) { return at_barrier(OperationKind::phase_arrive, barrier, bytes); }
/// `__syncwarp` of the first warp.
Operation meet() { return at_barrier(OperationKind::sync, Recording::first_meeting, 32); }

/// The lists of one warp: what `list_of(lane)` does.
std::optional<Program> fold(const std::function<List(Recording&, int lane)>& list_of) {
  Recording recording;
  recording.phase_barriers = 4;
  for (int lane = 0; lane < 32; ++lane) {
    recording.threads.push_back(list_of(recording, lane));
  }
  return dma::proof::detail::program_of_warps(recording);
}
std::ptrdiff_t count(const std::optional<Program>& program, OperationKind kind) {
  REQUIRE(program.has_value());
  const auto& list = program->agents.at(0).operations;
  return std::count_if(list.begin(), list.end(), [&](const Operation& operation) { return operation.kind == kind; });
}
Operation access(Recording& recording, int reads, int writes) {
  const auto list = [&](int at) { return at < 0 ? 0 : recording.ranges->number_of({{4LL * at, 4LL * at + 4}}); };
  return {.kind = OperationKind::access, .reads = list(reads), .writes = list(writes)};
}
}  // namespace

TEST_CASE("what all lanes of a warp do is one operation with all of their arrivals and bytes", "[proof][warps]") {
  const auto program = fold([](Recording&, int) { return List{phase_arrive(0, 16), wait(0)}; });
  REQUIRE(program.has_value());
  const auto& list = program->agents.at(0).operations;
  REQUIRE(list.size() == 2);
  REQUIRE((list[0].units == 32 && list[0].count == 32 * 16 && list[0].lanes == 0xffffffffU));
}

TEST_CASE("lanes that do other things are not folded", "[proof][warps]") {
  REQUIRE(!fold([](Recording&, int lane) { return List{wait(lane < 16 ? 0 : 1)}; }));
  REQUIRE(!fold([](Recording&, int lane) { return List{phase_arrive(0), wait(lane < 16 ? 0 : 1)}; }));
  REQUIRE(!fold([](Recording&, int lane) { return lane < 31 ? List{meet(), wait(0)} : List{wait(0)}; }));
}

TEST_CASE("one lane arrives for its warp where the lanes have synchronized since they waited or accessed",
          "[proof][warps]") {
  const auto arrives = [](List before) {
    return [=](Recording&, int lane) {
      List list = before;
      if (lane == 0) {
        list.push_back(phase_arrive(1));
      }
      return list;
    };
  };
  REQUIRE(fold(arrives({})));
  REQUIRE(!fold(arrives({wait(0)})));
  REQUIRE(count(fold(arrives({wait(0), meet()})), OperationKind::phase_arrive) == 1);
  const auto accesses = [](int writers, bool synchronizes) {
    return fold([=](Recording& recording, int lane) {
      List list;
      if (lane < writers) {
        list.push_back(access(recording, -1, lane));
      }
      if (synchronizes) {
        list.push_back(meet());
      }
      if (lane == 0) {
        list.push_back(phase_arrive(1));
      }
      return list;
    });
  };
  REQUIRE(accesses(1, false));
  REQUIRE(!accesses(2, false));
  REQUIRE(accesses(2, true));
}

TEST_CASE("a warp accesses what each of its lanes does", "[proof][warps]") {
  for (int meant = 0; meant < 32; ++meant) {
    // A thread of another warp writes what that lane does.
    Recording recording;
    for (int thread = 0; thread < 64; ++thread) {
      recording.threads.emplace_back();
      if (thread < 32) {
        recording.threads.back() = {access(recording, -1, thread), meet(), access(recording, thread, -1)};
      } else if (thread == 32) {
        recording.threads.back() = {access(recording, -1, meant)};
      }
    }
    const std::optional<Program> program = dma::proof::detail::program_of_warps(recording);
    REQUIRE(program.has_value());
    const auto set = [&](std::size_t agent, std::size_t operation, bool writes) {
      const Operation& at = program->agents.at(agent).operations.at(operation);
      return program->cell_sets.at(static_cast<std::size_t>(writes ? at.writes : at.reads));
    };
    const std::vector<int> theirs = set(1, 0, true);
    REQUIRE(theirs.size() == 1);
    for (const auto& mine : {set(0, 0, true), set(0, 1, false)}) {
      REQUIRE(std::count(mine.begin(), mine.end(), theirs[0]) == 1);
    }
  }
}

TEST_CASE("a fence of one lane serves for the warp behind a synchronization of the lanes", "[proof][warps]") {
  const auto fences = [](bool by_all, bool synchronizes) {
    return count(fold([=](Recording& recording, int lane) {
                   List list{access(recording, -1, lane)};
                   if (synchronizes) {
                     list.push_back(meet());
                   }
                   if (by_all || lane == 0) {
                     list.push_back({.kind = OperationKind::fence});
                   }
                   return list;
                 }),
                 OperationKind::fence);
  };
  REQUIRE(fences(false, true) == 1);
  REQUIRE(fences(true, true) == 1);
  REQUIRE(fences(true, false) == 1);
  REQUIRE(fences(false, false) == 0);
}

TEST_CASE("a fence serves for cp.async that its lanes have waited for", "[proof][warps]") {
  const auto fences = [](List between, bool by_all) {
    return count(fold([=](Recording& recording, int lane) {
                   Operation copy = access(recording, -1, lane);
                   copy.kind = OperationKind::copy_async;
                   List list{copy};
                   list.insert(list.end(), between.begin(), between.end());
                   if (by_all || lane == 0) {
                     list.push_back({.kind = OperationKind::fence});
                   }
                   return list;
                 }),
                 OperationKind::fence);
  };
  const Operation waits{.kind = OperationKind::await_async};
  const Operation arrives = at_barrier(OperationKind::arrive_when_copied, 0);
  REQUIRE(fences({waits}, true) == 1);
  REQUIRE(fences({waits, meet()}, false) == 1);
  REQUIRE(fences({}, true) == 0);
  REQUIRE(fences({arrives}, true) == 0);
  REQUIRE(fences({arrives, meet()}, true) == 0);
  REQUIRE(fences({arrives, waits}, true) == 1);
}

TEST_CASE("a wait for copies is one of the warp where each lane has it that has copies", "[proof][warps]") {
  const auto waits = [](int copying, int waiting) {
    return count(fold([=](Recording& recording, int lane) {
                   List list;
                   if (lane < copying) {
                     list.push_back(access(recording, -1, lane));
                     list.back().kind = OperationKind::copy_async;
                   }
                   if (lane < waiting) {
                     list.push_back({.kind = OperationKind::await_async});
                   }
                   return list;
                 }),
                 OperationKind::await_async);
  };
  REQUIRE(waits(32, 32) == 1);
  REQUIRE(waits(4, 4) == 1);
  REQUIRE(waits(1, 32) == 1);
  REQUIRE(waits(32, 31) == 0);
}
