#include "planted.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstdio>
#include <set>
#include <sstream>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

using Catch::Matchers::ContainsSubstring;

namespace {

/// Longer than any kernel here may take, with all that CUDA does before and after.
constexpr unsigned patience_s = 60;

/// What a pipeline's end says of sides with different numbers of tiles.
constexpr const char* uneven_tiles = "at its end this warp has moved or used another number of tiles than a warp that";

struct Ending {
  int status;          ///< the child's exit status, -1 where it has none
  std::string output;  ///< what it and its kernel printed
};

/// Runs `body` in a process of its own: a kernel that was stopped takes its process's CUDA with it.
template <class Body>
Ending in_a_child(const Body& body) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::fflush(nullptr);  // or the child prints it too
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(patience_s);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    _exit(body());
  }
  close(ends[1]);
  std::string output;
  char part[4096];
  for (ssize_t count = 0; (count = read(ends[0], part, sizeof part)) > 0;) {
    output.append(part, static_cast<std::size_t>(count));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output};
}

/// Whether no two lines are of one warp of a block.
bool are_once_a_warp(const std::string& output) {
  std::set<std::string> warps;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.rfind("block (");
    const std::size_t end = line.find(", thread ", begin == std::string::npos ? 0 : begin);
    if (begin != std::string::npos && end != std::string::npos &&
        !warps.insert(line.substr(begin, end - begin)).second) {
      return false;
    }
  }
  return true;
}

void expect_message(const Ending& ending, const std::string& message) {
  if (ending.status == has_no_device) {
    SKIP(ending.output);
  }
  CAPTURE(ending.output);
  CHECK_THAT(ending.output, ContainsSubstring(message));
  CHECK(ending.status == kernel_was_stopped);
}
void expect_stopped(const Ending& ending, const std::string& message) {
  expect_message(ending, message);
  CHECK(are_once_a_warp(ending.output));
}

/// @param who_waits  for which point
void expect_timeout(const char* mistake, BarrierKind barrier, const std::string& who_waits, int slot) {
  const Ending ending = in_a_child([&] { return run_hang(mistake, barrier); });
  expect_stopped(ending, who_waits + ", Storage at byte ");
  CHECK_THAT(ending.output, ContainsSubstring(", slot " + std::to_string(slot) + ", phase"));
  CHECK_THAT(ending.output, ContainsSubstring("dma: a wait has taken 1 s, and the kernel ends: "));
  CHECK_THAT(ending.output, ContainsSubstring("DmaPipeline<dma::"));
  CHECK_THAT(ending.output, ContainsSubstring("block (0, 0, 0), warp "));
  CHECK_THAT(ending.output, !ContainsSubstring("launched by hand"));
}

/// Which wait exceeds its limit is the same on both kinds of barriers.
void expect_timeout_on_both(const char* mistake, const char* who_waits, int slot) {
  expect_timeout(mistake, BarrierKind::phase, who_waits, slot);
  expect_timeout(mistake, BarrierKind::named, who_waits, slot);
}

/// The warp whose lanes part is stopped at this call.
void expect_parted_on_both(const char* mistake, const std::string& call) {
  for (const BarrierKind barrier : {BarrierKind::phase, BarrierKind::named}) {
    expect_stopped(in_a_child([&] { return run_parted(mistake, barrier); }), call);
  }
}

void expect_violation(const char* mistake, const char* rule) {
  expect_stopped(in_a_child([&] { return run_violation(mistake); }), rule);
}

}  // namespace

TEST_CASE("what each CTA of a grid breaks is printed once, and then how many warps break it", "[checked][contract]") {
  const Ending ending = in_a_child([] { return run_violation("a misaligned source in each CTA of a grid"); });
  expect_message(ending, "dma::DmaHandle: the global address");
  const std::string& output = ending.output;
  CHECK(output.find("block (") == output.rfind("block ("));
  const std::string count = "dma: warps that have the same message, beside the one above: ";
  const std::size_t at = output.find(count);
  REQUIRE(at != std::string::npos);
  CHECK(output.find(count, at + 1) == std::string::npos);
  const int others = std::stoi(output.substr(at + count.size()));
  CHECK(others > 0);
  CHECK(others < 264);
}

TEST_CASE("the checked build ends a hang: a compute warp leaves early", "[checked][hang][alone]") {
  expect_timeout_on_both("a compute warp leaves early", "DMA warps wait for empty", 0);
}

TEST_CASE("the checked build ends a hang: the compute warps wait for one tile too many", "[checked][hang][alone]") {
  expect_timeout_on_both("the compute warps wait for one tile too many", "compute warps wait for full", 0);
}

TEST_CASE("the checked build ends a hang: a compute warp skips tiles", "[checked][hang][alone]") {
  expect_timeout_on_both("a compute warp skips tiles", "DMA warps wait for empty", 1);
}

TEST_CASE("the checked build ends a hang: a slot is never released", "[checked][hang][alone]") {
  expect_timeout_on_both("a slot is never released", "DMA warps wait for empty", 0);
}

TEST_CASE("the checked build ends a hang: the DMA warps load too many tiles", "[checked][hang][alone]") {
  expect_timeout_on_both("the DMA warps load too many tiles", "DMA warps wait for empty", 0);
}

TEST_CASE("the checked build ends a hang: the DMA warps never load", "[checked][hang][alone]") {
  expect_timeout_on_both("the DMA warps never load", "compute warps wait for full", 0);
}

TEST_CASE("the checked build ends a hang: the DMA warps load half of the tiles", "[checked][hang][alone]") {
  expect_timeout_on_both("the DMA warps load half of the tiles", "compute warps wait for full", 1);
}

TEST_CASE("the checked build ends a hang: a DMA warp skips a load", "[checked][hang][alone]") {
  expect_timeout("a DMA warp skips a load", BarrierKind::named, "compute warps wait for full", 1);
  expect_stopped(in_a_child([] { return run_hang("a DMA warp skips a load", BarrierKind::phase); }), uneven_tiles);
}

TEST_CASE("the checked build ends a hang: the DMA warps never signal", "[checked][hang][alone]") {
  expect_timeout_on_both("the DMA warps never signal", "compute warps wait for full", 0);
}

TEST_CASE("the checked build ends a hang: two pipelines are waited for in opposite order", "[checked][hang][alone]") {
  expect_timeout_on_both("two pipelines are waited for in opposite order", "DMA warps wait for empty", 0);
}

TEST_CASE("the checked build ends a hang: the DMA warp stores a tile that no warp fills", "[checked][hang][alone]") {
  expect_timeout_on_both("the DMA warp stores a tile that no warp fills", "DMA warps wait for full", 0);
}

TEST_CASE("the checked build ends a hang: the last tile is never used", "[checked][hang][alone]") {
  expect_timeout("the last tile is never used", BarrierKind::named, "DMA warps wait for empty", 0);
  expect_stopped(in_a_child([] { return run_hang("the last tile is never used", BarrierKind::phase); }), uneven_tiles);
}

TEST_CASE("the checked build ends a hang: a compute warp skips the last tile", "[checked][hang][alone]") {
  expect_timeout("a compute warp skips the last tile", BarrierKind::named, "DMA warps wait for empty", 1);
  expect_stopped(in_a_child([] { return run_hang("a compute warp skips the last tile", BarrierKind::phase); }),
                 uneven_tiles);
}

TEST_CASE("the checked build ends a hang: the compute warps fill a tile that is never stored",
          "[checked][hang][alone]") {
  constexpr const char* mistake = "the compute warps fill a tile that is never stored";
  expect_timeout(mistake, BarrierKind::named, "compute warps wait for empty", 0);
  expect_stopped(in_a_child([] { return run_hang(mistake, BarrierKind::phase); }), uneven_tiles);
}

TEST_CASE("the checked build tells two pipelines of one type apart", "[checked][hang][alone]") {
  const Ending ending =
      in_a_child([] { return run_hang("the second of two pipelines of one type", BarrierKind::phase); });
  expect_stopped(ending, "compute warps wait for full, Storage at byte " + std::to_string(second_storage) +
                             " of shared memory, slot 1, phase");
}

TEST_CASE("the checked build ends a hang: an engine expects too many bytes", "[checked][hang][alone]") {
  expect_timeout("an engine expects too many bytes", BarrierKind::phase, "compute warps wait for full", 0);
}

TEST_CASE("the checked build ends a hang: a compute group skips a turn", "[checked][hang][alone][groups]") {
  const Ending ending = in_a_child([] { return run_hang("a compute group skips a turn", BarrierKind::phase); });
  expect_stopped(ending, "compute warps wait for their turn, ");
  CHECK_THAT(ending.output, ContainsSubstring("Turns<dma::"));
}

TEST_CASE("the checked build ends a hang: a tile that is handed over is never used", "[checked][hang][alone][groups]") {
  constexpr const char* mistake = "a tile that is handed over is never used";
  const Ending ending = in_a_child([] { return run_hang(mistake, BarrierKind::named); });
  expect_stopped(ending, "producing warps wait for empty, Storage at byte 0 of shared memory, slot 1, phase");
  expect_stopped(in_a_child([] { return run_hang(mistake, BarrierKind::phase); }), uneven_tiles);
}

TEST_CASE("the checked build lets compute groups take turns and hand tiles over", "[checked][right][groups]") {
  for (const BarrierKind barrier : {BarrierKind::phase, BarrierKind::named}) {
    const Ending ending =
        in_a_child([&] { return run_hang("none: compute groups take turns and hand tiles over", barrier); });
    if (ending.status == has_no_device) {
      SKIP(ending.output);
    }
    CAPTURE(ending.output);
    CHECK(ending.status == kernel_went_through);
    CHECK_THAT(ending.output, ContainsSubstring("with: no error"));
  }
}

TEST_CASE("the checked build names a violation: roles of compute groups", "[checked][violation][groups]") {
  expect_violation("a compute group that asks for another one's pipeline",
                   "as_compute() is for compute warps of the group that uses the pipeline");
  expect_violation("consumers that ask for the producers' side", "as_producer() is for the compute group that fills");
  expect_violation("a DMA warp that takes a turn", "take() is for compute warps");
}

TEST_CASE("the checked build lets a warp end a pipeline when others have ended the next", "[checked][right]") {
  for (const char* right : {"none: a warp ends a closed pipeline late", "none: a warp ends a pipeline late"}) {
    const Ending ending = in_a_child([&] { return run_hang(right, BarrierKind::named); });
    if (ending.status == has_no_device) {
      SKIP(ending.output);
    }
    CAPTURE(right, ending.output);
    CHECK(ending.status == kernel_went_through);
    CHECK_THAT(ending.output, ContainsSubstring("with: no error"));
  }
}

TEST_CASE("the checked build names a violation: a source that is misaligned", "[checked][violation]") {
  expect_violation("a source that is misaligned", "not a multiple of the pattern's run_alignment");
}

TEST_CASE("the checked build names a violation: a source in shared memory", "[checked][violation]") {
  expect_violation("a source in shared memory", "the global address is null, or not in global memory");
}

TEST_CASE("the checked build names a violation: a source that is null", "[checked][violation]") {
  expect_violation("a source that is null", "the global address is null, or not in global memory");
}

TEST_CASE("the checked build names a violation: a source that is a tile of a null array", "[checked][violation]") {
  expect_violation("a source that is a tile of a null array", "[address 0x1000,");
}

TEST_CASE("the checked build names a violation: a destination that is null", "[checked][violation]") {
  expect_violation("a destination that is null", "the global address is null, or not in global memory");
}

TEST_CASE("the checked build names a violation: a destination in shared memory", "[checked][violation]") {
  expect_violation("a destination in shared memory", "the global address is null, or not in global memory");
}

TEST_CASE("the checked build names a violation: a tile that is short on one side", "[checked][violation]") {
  expect_violation("a tile that is short on one side", "[filled 256, used 100]");
}

TEST_CASE("the checked build names a violation: a stored tile that is short on one side", "[checked][violation]") {
  expect_violation("a stored tile that is short on one side", "[filled 100, used 256]");
}

TEST_CASE("the checked build names a violation: a map of another array", "[checked][violation]") {
  expect_violation("a map of another array", "other extents, pitches or fill than the map");
}

TEST_CASE("the checked build names a violation: a stored box that crosses odd rows", "[checked][violation]") {
  expect_violation("a stored box that crosses odd rows",
                   "the hardware writes whole 16 bytes, past the end of each row");
  expect_violation("a stored box that crosses odd rows", "[elements of a row 61, bytes of an element 4]");
  const Ending right = in_a_child([] { return run_violation("none: a stored box that crosses even rows"); });
  CAPTURE(right.output);
  CHECK(right.status == kernel_went_through);
}

TEST_CASE("the checked build names a violation: a tile that is never used, without DMA warps", "[checked][violation]") {
  expect_violation("a tile that is never used, without DMA warps", uneven_tiles);
}

TEST_CASE("the checked build names a violation: a storage in global memory", "[checked][violation]") {
  expect_violation("a storage in global memory", "its Storage is not in shared memory");
}

TEST_CASE("the checked build names a violation: a storage that is misaligned", "[checked][violation]") {
  expect_violation("a storage that is misaligned", "its Storage is not aligned");
}

TEST_CASE("the checked build names a violation: a CTA with too few threads", "[checked][violation]") {
  expect_violation("a CTA with too few threads",
                   "the CTA's number of threads is not that of the pipeline's WarpLayout");
}

TEST_CASE("the checked build names a violation: a CTA with a second axis", "[checked][violation]") {
  // Warps are named by threadIdx.x, which here is the same in several.
  expect_message(in_a_child([] { return run_violation("a CTA with a second axis"); }),
                 "the CTA has threads along y or z");
}

TEST_CASE("the checked build names a violation: a tile that is too large", "[checked][violation]") {
  expect_violation("a tile that is too large", "this tile is larger than its pattern");
}

TEST_CASE("the checked build names a violation: an index outside of its table", "[checked][violation]") {
  expect_violation("an index outside of its table", "index 100 at position 3 is outside its table of 100 rows");
}

TEST_CASE("the checked build names a violation: a compute warp that asks for the DMA role", "[checked][violation]") {
  expect_violation("a compute warp that asks for the DMA role", "as_dma() is for the pipeline's DMA warps");
}

TEST_CASE("the checked build names a violation: a DMA warp that asks for the compute role", "[checked][violation]") {
  expect_violation("a DMA warp that asks for the compute role", "as_compute() is for compute warps");
}

TEST_CASE("the checked build names a violation: a compute warp that loads", "[checked][violation]") {
  expect_violation("a compute warp that loads", "tiles are moved by the pipeline's DMA warps");
}

TEST_CASE("the checked build names a violation: a copy before the wait", "[checked][violation]") {
  expect_violation("a copy before the wait", "copy() into or out of a slot that was not waited for");
}

TEST_CASE("the checked build names a violation: a slot that is signalled full twice", "[checked][violation]") {
  expect_violation("a slot that is signalled full twice", "a slot is signalled that was not waited for, or twice");
}

TEST_CASE("the checked build names a violation: a release without a wait", "[checked][violation]") {
  expect_violation("a release without a wait", "a slot is released that was not waited for, or twice");
}

TEST_CASE("the checked build names a violation: a slot that is released twice", "[checked][violation]") {
  expect_violation("a slot that is released twice", "a slot is released that was not waited for, or twice");
}

TEST_CASE("the checked build names a violation: a wait for a slot that is held", "[checked][violation]") {
  expect_violation("a wait for a slot that is held", "waits for a slot that it holds");
}

TEST_CASE("the checked build names a violation: a slot that is touched after its release", "[checked][violation]") {
  expect_violation("a slot that is touched after its release", "a slot is touched after its release");
}

TEST_CASE("the checked build lets a slot go when tensor cores have read it", "[checked][right]") {
  const Ending ending = in_a_child([] { return run_violation("none, with products"); });
  if (ending.status == has_no_device) {
    SKIP(ending.output);
  }
  CAPTURE(ending.output);
  CHECK(ending.status == kernel_went_through);
  CHECK_THAT(ending.output, ContainsSubstring("with: no error"));
}

TEST_CASE("the checked build names a violation: a slot that is released while tensor cores read it",
          "[checked][violation]") {
  expect_violation("a slot that is released while tensor cores read it",
                   "a slot is released while tensor cores may still read it");
}

TEST_CASE("the checked build names a violation: a slot that is released before its products are committed",
          "[checked][violation]") {
  expect_violation("a slot that is released before its products are committed",
                   "a slot is released before the group of its products is committed");
}

TEST_CASE("the checked build names a violation: an element outside of its tile", "[checked][violation]") {
  expect_violation("an element outside of its tile", "an element is outside the tile");
}

TEST_CASE("the checked build names a violation: a pipeline that is closed while a slot is held",
          "[checked][violation]") {
  expect_violation("a pipeline that is closed while a slot is held", "close() while this thread holds a slot");
}

TEST_CASE("the checked build names a violation: tiles after close()", "[checked][violation]") {
  expect_violation("a load after close()", "a tile is moved, or waited for, after close()");
  expect_violation("a wait after close()", "a tile is moved, or waited for, after close()");
}

TEST_CASE("the checked build names a violation: two pipelines on the same named barriers", "[checked][violation]") {
  expect_violation("two pipelines on the same named barriers", "use the same named barriers at the same time");
}

TEST_CASE("the checked build names a violation: a storage that is used again without close()", "[checked][violation]") {
  expect_violation("a storage that is used again without close()", "that was not closed");
}

TEST_CASE("the checked build names a violation: a load into a slot that is held", "[checked][violation]") {
  expect_violation("a load into a slot that is held", "into or out of a slot that it still holds");
}

TEST_CASE("the checked build names a violation: a role that does not set its register budget", "[checked][violation]") {
  expect_violation("a role that does not set its register budget", "this warp has not taken its role's");
}

TEST_CASE("the checked build names a violation: a role that sets its register budget twice", "[checked][violation]") {
  expect_violation("a role that sets its register budget twice", "this one has them already");
}

TEST_CASE("the checked build names lanes that part: lanes leave before the pipeline", "[checked][lanes][alone]") {
  expect_parted_on_both("lanes leave before the pipeline", "at the constructor and");
}

TEST_CASE("the checked build names lanes that part: lanes leave inside the loop", "[checked][lanes][alone]") {
  expect_parted_on_both("lanes leave inside the loop", "at wait()");
}

TEST_CASE("the checked build names lanes that part: lanes leave with a slot", "[checked][lanes][alone]") {
  expect_stopped(in_a_child([] { return run_parted("lanes leave with a slot", BarrierKind::phase); }), "at wait()");
  // Their release is another instruction than that of the lanes that stay.
  expect_stopped(in_a_child([] { return run_parted("lanes leave with a slot", BarrierKind::named); }),
                 "in one branch and lanes");
}

TEST_CASE("the checked build names lanes that part: half a warp loads", "[checked][lanes][alone]") {
  expect_parted_on_both("half a warp loads", "at load()");
}

TEST_CASE("the checked build names lanes that part: half a warp copies", "[checked][lanes][alone]") {
  expect_parted_on_both("half a warp copies", "at copy()");
}

TEST_CASE("the checked build names lanes that part: half a warp waits", "[checked][lanes][alone]") {
  expect_parted_on_both("half a warp waits", "at wait()");
}

TEST_CASE("the checked build names lanes that part: half a warp synchronizes", "[checked][lanes][alone]") {
  expect_parted_on_both("half a warp synchronizes", "at sync()");
}

TEST_CASE("the checked build names lanes that part: half a warp synchronizes the CTA", "[checked][lanes][alone]") {
  expect_parted_on_both("half a warp synchronizes the CTA", "at the CTA's sync()");
}

TEST_CASE("the checked build names lanes that part: half a warp closes", "[checked][lanes][alone]") {
  expect_parted_on_both("half a warp closes", "at close()");
}

TEST_CASE("the checked build names lanes that part: half a warp asks whether its CTA is the last",
          "[checked][lanes][alone]") {
  expect_parted_on_both("half a warp asks whether its CTA is the last", "at is_last_cta()");
}

TEST_CASE("the checked build names lanes that part: half a warp takes its role", "[checked][lanes][alone]") {
  expect_parted_on_both("half a warp takes its role", "at take_roles()");
}

TEST_CASE("the checked build names lanes that part: half a warp steps", "[checked][lanes][alone]") {
  expect_parted_on_both("half a warp steps", "at a step");
}

TEST_CASE("the checked build names lanes that part: half a warp is at a named barrier in another branch",
          "[checked][lanes][alone]") {
  expect_stopped(in_a_child([] { return run_parted("half a warp releases elsewhere", BarrierKind::named); }),
                 "in one branch and lanes");
}
