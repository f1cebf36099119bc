// What the page calls, in WebAssembly: proves a choice by its number, and says what was found.

#include "verdicts.hpp"

#include <dma/proof/draw.hpp>
#include <dma/proof/verdict.hpp>

#include <exception>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>

namespace {

dma::proof::Verdict verdict;
std::string told;

const char* tell(std::string text) {
  told = std::move(text);
  return told.c_str();
}

}  // namespace

extern "C" {

/// A line for each choice: kernel, mistake and label.
const char* list_choices() {
  std::string lines;
  for (const site::Choice& choice : site::choices) {
    lines += std::string(choice.kernel) + '\t' + choice.mistake + '\t' + choice.label + '\n';
  }
  return tell(lines);
}

/// The verdict, as a program prints it. Called as a promise.
const char* prove_choice(int number) {
  verdict = {};
  try {
    verdict = std::next(std::begin(site::choices), number)->prove();
  } catch (const std::exception& error) {
    return tell(error.what());
  }
  std::ostringstream text;
  text << verdict;
  return tell(text.str());
}

/// Of the last verdict.
int count_steps() { return static_cast<int>(verdict.timeline.steps.size()); }
const char* draw_schedule(int most_steps) { return tell(dma::proof::draw(verdict, most_steps)); }

}  // extern "C"
