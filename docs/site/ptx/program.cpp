// What the page calls, in WebAssembly: reads PTX, and proves its launches as dma-prove does.

// The interpreter of PTX reports each access.
#define DMA_EVERY_ACCESS
#define DMA_EMULATOR_HERE

#include <dma/proof/draw.hpp>
#include <dma/proof/proof_options.hpp>
#include <dma/proof/ptx/launch/launch_line.hpp>
#include <dma/proof/ptx/launch/prove_launches.hpp>
#include <dma/proof/ptx/launch/ptx_words.hpp>
#include <dma/proof/ptx/launch/report.hpp>
#include <dma/proof/ptx/list.hpp>
#include <dma/proof/ptx/read/reader.hpp>
#include <dma/proof/verdict.hpp>

#include <cstdarg>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace ptx = dma::proof::ptx::detail;

std::string given[3];  // the PTX, its file's name, and the launches
std::string told;
dma::proof::Verdict verdict;

const char* tell(std::string text) {
  told = std::move(text);
  return told.c_str();
}

/// What is wrong, as the program writes it, and where: in the PTX or in the launches.
std::string mistake(const std::string& text, const char* in = "", ptx::Position at = {0, 0}) {
  return "{\"mistake\": " + ptx::json_text("dma-prove: " + text) + ", \"in\": \"" + in +
         "\", \"line\": " + std::to_string(at.line) + ", \"column\": " + std::to_string(at.column) + '}';
}

/// Calls `use(module)` for the PTX that was given.
template <class Use>
std::string with_module(const Use& use) {
  try {
    const ptx::Module module = ptx::read(given[0]);
    return use(module);
  } catch (const ptx::SyntaxError& error) {
    return mistake(given[1] + ": " + error.what(), "ptx", error.position());
  } catch (const std::exception& error) {
    return mistake(ptx::in_ptx_words(error.what()));
  }
}

std::string prove(const ptx::Module& module) {
  std::vector<ptx::LaunchLine> lines;
  try {
    lines = ptx::LaunchReader(given[2]).read();
  } catch (const ptx::SyntaxError& error) {
    const ptx::Position at = error.position();
    return mistake(
        error.message() + " [launch, line " + std::to_string(at.line) + ", column " + std::to_string(at.column) + ']',
        "launch", at);
  }
  const auto verdicts = ptx::LaunchProver(module, given[1]).prove(lines, {});
  verdict = verdicts.back().verdict;
  return "{\"text\": " + ptx::json_text(ptx::report_of(verdicts, {})) + ", \"class\": \"" +
         ptx::class_of(verdicts.back()) + "\", \"entry\": " + ptx::json_text(verdicts.back().entry) +
         ", \"steps\": " + std::to_string(verdict.timeline.steps.size()) + '}';
}

}  // namespace

extern "C" {

/// What the library of C++ ends with, without a text, which would bring vfprintf.
void abort_message(const char*, ...) { std::abort(); }

/// Names of template arguments and functions are not read in the browser, where they take a twentieth of the program.
char* __cxa_demangle(const char*, char*, std::size_t*, int* status) {
  *status = -1;
  return nullptr;
}

// Functions of JavaScript's numbers (numbers.js), instead of a library of C's that is as large as a judge.
double dma_sin(double);
double dma_cos(double);
double dma_tanh(double);
int dma_print(char* text, std::size_t size, double);

double sin(double x) { return dma_sin(x); }
double cos(double x) { return dma_cos(x); }
double tanh(double x) { return dma_tanh(x); }
float sinf(float x) { return static_cast<float>(dma_sin(static_cast<double>(x))); }
float cosf(float x) { return static_cast<float>(dma_cos(static_cast<double>(x))); }
float tanhf(float x) { return static_cast<float>(dma_tanh(static_cast<double>(x))); }
/// std::to_string of a number with a point alone calls it, with "%f".
int snprintf(char* text, std::size_t size, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int length = dma_print(text, size, va_arg(arguments, double));
  va_end(arguments);
  return length;
}

/// Where the page writes the PTX (0), the name of its file (1) or the launches (2).
char* take_text(int which, int bytes) {
  given[which].resize(static_cast<std::size_t>(bytes));
  return given[which].data();
}

/// The entries of the PTX, as the option --list has them, or a mistake, in JSON.
const char* list_entries() {
  return tell(with_module(
      [](const ptx::Module& module) { return "{\"list\": " + ptx::json_text(ptx::list_of(module)) + '}'; }));
}

/// The verdict in JSON, or a mistake. Called as a promise.
const char* prove_ptx() {
  verdict = {};
  return tell(with_module(&prove));
}

/// Of the last verdict.
const char* draw_schedule(int most_steps) { return tell(dma::proof::draw(verdict, most_steps)); }

}  // extern "C"
