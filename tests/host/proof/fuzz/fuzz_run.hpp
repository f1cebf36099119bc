#pragma once

#include "host/proof/fuzz/all_fragments.hpp"
#include "host/proof/fuzz/edits.hpp"
#include "host/proof/fuzz/interpreter.hpp"
#include "host/proof/fuzz/oracle.hpp"
#include "host/proof/fuzz/program.hpp"
#include "host/proof/fuzz/random.hpp"
#include "host/proof/fuzz/tile_kernels.hpp"
#include "host/proof/fuzz/tile_programs.hpp"
#include "host/proof/fuzz/tiles.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>

namespace fuzz {

/// Makes programs, asks `prove` and the oracle about each, and counts. Each number makes the same programs: one is
/// grown of fragments as long as the oracle calls it right, some of those that it calls wrong are judged too, and at
/// last the program with one or two changes.
class FuzzRun {
 public:
  explicit FuzzRun(std::uint64_t seed) : seed_(seed) {}

  void judge(std::uint64_t number) {
    Random random(seed_ * 1'000'003 + number);
    random.one_in(4) ? judge_tiles(number, random) : judge_steps(number, random);
  }

  [[nodiscard]] std::size_t programs() const { return right_ + wrong_; }
  /// The first programs of which the two say different things, a few lines each; empty where there are none.
  [[nodiscard]] const std::string& disagreements() const { return disagreements_; }
  friend std::ostream& operator<<(std::ostream& out, const FuzzRun& run) {
    out << run.programs() << " programs, " << run.right_ << " right and " << run.wrong_ << " wrong, " << run.operations_
        << " operations, " << run.too_large_ << " beside that were too large for the oracle, " << run.disagreeing_
        << " disagreements\n";
    for (const auto* counts : {&run.wrong_by_change_, &run.wrong_by_fault_}) {
      const char* separator = "wrong: ";
      for (const auto& [what, programs] : *counts) {
        out << std::exchange(separator, ", ") << programs << ' ' << what;
      }
      out << '\n';
    }
    return out;
  }

 private:
  using Answer = Oracle::Answer;
  static constexpr std::size_t most_states = 4'000;
  static constexpr std::size_t most_texts = 5;

  void judge_steps(std::uint64_t number, Random& random) {
    Fragments fragments(random);
    const int count = 1 + random.below(5);
    for (int i = 0; i < count; ++i) {
      const Fragments before = fragments;
      fragments.add();
      Oracle oracle(fragments.program(), most_states);
      const Answer answer = oracle.answer();
      if (answer == Answer::wrong && random.one_in(4)) {
        compare(number, fragments.program(), answer, "a fragment", oracle.fault());
      }
      if (answer != Answer::right) {
        fragments = before;
      }
    }
    compare(number, fragments.program(), Answer::right, "grown", "");
    Program program = fragments.program();
    const char* const how = change(program, 1, random);
    Oracle oracle(program, most_states);
    const Answer answer = oracle.answer();
    compare(number, program, answer, how, oracle.fault());
  }
  void judge_tiles(std::uint64_t number, Random& random) {
    TileProgram program = TileProgramMaker(random).program();
    compare_tiles(number, program, "as it is made");
    const char* const how = change(program, 0, random);
    compare_tiles(number, program, how);
  }
  void compare_tiles(std::uint64_t number, const TileProgram& program, const char* how) {
    const Expanded expanded(program);
    Oracle oracle(expanded.program(), most_states);
    const Answer answer = !expanded.agrees()     ? Answer::wrong
                          : expanded.is_judged() ? oracle.answer()
                                                 : Answer::too_large;
    compare(number, program, answer, how, expanded.agrees() ? oracle.fault() : "unlike numbers of tiles");
  }
  template <class AnyProgram>
  void compare(std::uint64_t number, const AnyProgram& program, Answer answer, const char* how,
               const std::string& fault) {
    if (answer == Answer::too_large) {
      ++too_large_;
      return;
    }
    const bool is_right = answer == Answer::right;
    const dma::proof::Verdict verdict = verdict_of(program, static_cast<unsigned>(number % 12));
    operations_ += verdict.operations;
    ++(is_right ? right_ : wrong_);
    if (!is_right) {
      ++wrong_by_change_[how];
      ++wrong_by_fault_[fault.substr(0, fault.find(':'))];
    }
    if (verdict.is_proved() != is_right && ++disagreeing_ <= most_texts) {
      std::ostringstream text;
      text << "seed " << seed_ << ", number " << number << " (" << how << ")\n"
           << "  the oracle: " << (is_right ? "right" : fault) << "\n  prove: " << verdict << text_of(program);
      disagreements_ += text.str();
    }
  }

  std::uint64_t seed_;
  std::size_t right_ = 0;
  std::size_t wrong_ = 0;
  std::size_t too_large_ = 0;
  std::size_t disagreeing_ = 0;
  std::size_t operations_ = 0;
  std::map<std::string, std::size_t> wrong_by_change_;
  std::map<std::string, std::size_t> wrong_by_fault_;
  std::string disagreements_;
};

}  // namespace fuzz
