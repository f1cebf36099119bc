#pragma once

#include <dma/config.hpp>
#include <dma/engines/piece_map.hpp>
#include <dma/run.hpp>
#include <dma/transfer_pattern.hpp>
#include <dma/warp_layout.hpp>

namespace dma {

/// How a pipeline moves its full tile, as a value: for a `static_assert`, or to print (`dma/host/print.hpp`).
///
/// Source  CudaDMA 2.0's diagnose()
struct Explanation {
  int access_bytes;     ///< of one access of one thread
  int run_count;        ///< of the full tile
  int run_bytes;        ///< of its longest run
  int steps;            ///< accesses a DMA thread makes for a tile, at most
  int bytes_in_flight;  ///< of one DMA group before its first wait
  int stages;
  int storage_bytes;         ///< shared memory of the pipeline
  int hardware_barriers;     ///< named barriers it takes; 0 for phase barriers
  bool books_all_barriers;   ///< their numbers reach the instruction in a register: an SM then holds 4 CTAs at most
  int sectors_per_request;   ///< 32-byte sectors of global memory that a warp's worst access touches
  int fewest_sectors;        ///< that as many bytes can lie in
  int bank_conflict_degree;  ///< turns that a warp's worst access to shared memory takes; 1 is none
  const char* remedy;        ///< one sentence where it is off the fast path, empty where it is on it

  [[nodiscard]] constexpr bool is_coalesced() const noexcept { return sectors_per_request == fewest_sectors; }
  [[nodiscard]] constexpr bool is_fast() const noexcept { return remedy[0] == '\0'; }
};

/// What one access of a warp costs, by the places of its lanes' pieces: the rules of the hardware, not a measurement.
class WarpAccess {
 public:
  constexpr void add(const Run& piece) noexcept { pieces_[count_++] = piece; }

  /// Distinct 32-byte sectors, for a global address that is itself a multiple of 32.
  [[nodiscard]] constexpr int sectors() const noexcept {
    int distinct = 0;
    for (int i = 0; i < count_; ++i) {
      bool is_new = true;
      for (int j = 0; j < i; ++j) {
        is_new = is_new && sector(pieces_[j]) != sector(pieces_[i]);
      }
      distinct += is_new ? 1 : 0;
    }
    return distinct;
  }
  [[nodiscard]] constexpr int fewest_sectors() const noexcept {
    return count_ == 0 ? 0 : (count_ * pieces_[0].bytes + 31) / 32;
  }

  /// Distinct words that the fullest bank has to give: 32 banks of 4 bytes, wide accesses in as many passes as they
  /// need.
  [[nodiscard]] constexpr int bank_conflict_degree() const noexcept {
    const int lanes_a_pass = count_ == 0 ? 1 : pieces_[0].bytes <= 4 ? 32 : 128 / pieces_[0].bytes;
    int worst = 1;
    for (int first = 0; first < count_; first += lanes_a_pass) {
      for (int bank = 0; bank < 32; ++bank) {
        const int words = words_in(bank, first, first + lanes_a_pass < count_ ? first + lanes_a_pass : count_);
        worst = words > worst ? words : worst;
      }
    }
    return worst;
  }

 private:
  [[nodiscard]] static constexpr long long sector(const Run& piece) noexcept {
    return (piece.global >= 0 ? piece.global : piece.global - 31) / 32;
  }
  [[nodiscard]] constexpr int words_in(int bank, int first, int last) const noexcept {
    int words[warp_size] = {};
    int distinct = 0;
    for (int i = first; i < last; ++i) {
      for (int word = pieces_[i].shared / 4; word <= (pieces_[i].shared + pieces_[i].bytes - 1) / 4; ++word) {
        if (word % 32 != bank) {
          continue;
        }
        bool is_new = true;
        for (int j = 0; j < distinct; ++j) {
          is_new = is_new && words[j] != word;
        }
        if (is_new) {
          words[distinct++] = word;
        }
      }
    }
    return distinct;
  }

  Run pieces_[warp_size] = {};
  int count_ = 0;
};

/// Explains a pipeline over a pattern whose runs are uniform. Where pitches are run-time values, `pattern` has typical
/// ones.
///
/// Constexpr, on a host: every access of the first warp of a DMA group is listed, so the cost is that of the mapping.
template <class Pipeline>
[[nodiscard]] constexpr Explanation explain(const typename Pipeline::Pattern& pattern = {}) {
  using Pattern = typename Pipeline::Pattern;
  static_assert(
      UniformPattern<Pattern>,
      "dma::explain: the runs of this pattern have lengths of their own, so that it moves run by run; give it "
      "runs_are_uniform where they are, or explain its parts");
  constexpr int width = Pipeline::Engine::template access_bytes<Pattern>;
  using Map = PieceMap<Pattern::max_run_count, Pattern::max_run_bytes, width, Pipeline::group_threads>;

  Explanation result{};
  result.access_bytes = width;
  result.run_count = Pattern::max_run_count;
  result.run_bytes = Pattern::max_run_bytes;
  result.steps = Map::steps;
  const int held = Map::steps < Pipeline::Engine::loads_in_flight ? Map::steps : Pipeline::Engine::loads_in_flight;
  const int pieces_held = held * Pipeline::group_threads < Map::pieces ? held * Pipeline::group_threads : Map::pieces;
  result.bytes_in_flight = pieces_held * width;
  result.stages = Pipeline::stages;
  result.storage_bytes = static_cast<int>(sizeof(typename Pipeline::Storage));
  result.hardware_barriers = Pipeline::barrier_ids;
  result.books_all_barriers = Pipeline::barrier_ids > 0 && Pipeline::stages > Pipeline::groups;

  result.bank_conflict_degree = 1;
  int worst_surplus = -1;
  for (int step = 0; step < Map::steps; ++step) {
    WarpAccess access;
    for (int lane = 0; lane < warp_size; ++lane) {
      if (Map::has_piece(lane, step)) {
        const Piece piece = Map::at(lane, step);
        const Run run = pattern.run_at(piece.run);
        access.add({run.global + piece.offset, run.shared + piece.offset, width});
      }
    }
    const int surplus = access.sectors() - access.fewest_sectors();
    if (surplus > worst_surplus) {
      worst_surplus = surplus;
      result.sectors_per_request = access.sectors();
      result.fewest_sectors = access.fewest_sectors();
    }
    const int degree = access.bank_conflict_degree();
    result.bank_conflict_degree = degree > result.bank_conflict_degree ? degree : result.bank_conflict_degree;
  }

  result.remedy = !result.is_coalesced()
                      ? "a warp's access touches more sectors than its bytes need: make runs multiples of "
                        "32 bytes and start them on 32"
                  : result.bank_conflict_degree > 1
                      ? "lanes of a warp meet in a bank of shared memory: give RowLayout another pitch_bytes"
                  : result.access_bytes < 16 && Pattern::max_run_bytes >= 16
                      ? "accesses are narrower than 16 bytes: align addresses, pitches and run lengths to 16"
                      : "";
  return result;
}

}  // namespace dma
