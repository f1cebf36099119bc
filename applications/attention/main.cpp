// O = softmax(Q K^T / sqrt(head size)) V, head by head, of bf16 or f16 numbers, or its gradients: prints the plan of
// each length, checks the answer and measures. Runs on the GPU where there is one, otherwise on the emulator. Exits
// with 1 when a result is wrong, with 4 when a GPU was asked for and there is none.

#include "../choose.hpp"
#include "attend.hpp"
#include "attend_backward.hpp"
#include "backward_case.hpp"
#include "reference.hpp"
#include "runner.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <limits>
#include <string>
#include <vector>

namespace {

using attention::Case;
using attention::Runner;
using attention::Shape;

struct Options {
  Shape shape;
  std::vector<int> queries{4096};
  std::vector<int> keys;
  int page_keys = 0;
  bool is_backward = false;
  bool is_f16 = false;
  bool times = true;
  std::string on = "auto";
};

/// Prints a result, and measures. Returns whether the answer is right.
///
/// @param products  of as many numbers as the scores have, with the size of a head each
bool report(Runner& runner, const Shape& shape, bool times, const std::string& plan, double error, int products) {
  std::printf("%d x %d heads of %d, %d queries, %d keys%s: %s: error %.3f of its bound%s", shape.batches, shape.heads,
              shape.head_size, shape.queries, shape.keys, shape.causal ? ", causal" : "", plan.c_str(), error,
              error <= 1 ? "" : " WRONG");
  if (const double seconds = times ? runner.time() : 0; seconds != 0) {
    const double seen = shape.causal ? 0.5 : 1;
    const double operations = 2.0 * products * shape.batches * shape.heads * shape.head_size *
                              static_cast<double>(shape.queries) * shape.keys * seen;
    std::printf("  %.2f us  %.1f TFLOP/s", seconds * 1e6, operations * 1e-12 / seconds);
  }
  std::printf("\n");
  return error <= 1;
}
/// Of so many parts every how many-th is checked, so that about `most` are.
int step_for(long long parts, long long most) {
  return parts <= most ? 1 : static_cast<int>(parts / std::max(1LL, most) | 1);
}

/// Attends, checks some rows and measures. Returns whether the answer is right.
template <class Case, class Answer>
bool solve(Runner& runner, const Shape& shape, bool times, Case& c, const Answer& answer) {
  const auto plan = plan_of(c.p, runner.sms());
  runner.run(c, plan);
  const long long rows = static_cast<long long>(shape.batches) * shape.heads * shape.queries;
  const long long most = (1LL << 27) / (static_cast<long long>(shape.keys) * shape.head_size);
  return report(runner, shape, times, describe(plan), answer.worst_error(step_for(rows, most)), 2);
}
/// Attends, computes the gradients, checks some heads of them and measures. Returns whether they are right.
template <class Element>
bool solve_backward(Runner& runner, const Shape& shape, bool times) {
  attention::BackwardCase<Element> c(shape);
  Case<Element>& forward = c;
  runner.run(forward, plan_of(forward.p, runner.sms()));
  const auto plan = plan_of(c.backward);
  runner.run(c, plan);
  const long long heads = static_cast<long long>(shape.batches) * shape.kv_heads;
  const long long of_head =
      static_cast<long long>(shape.heads / shape.kv_heads) * shape.queries * shape.keys * shape.head_size;
  const double error = c.worst_backward_error(step_for(heads, (1LL << 29) / of_head));
  return report(runner, shape, times, describe(plan), error, 5);
}
/// In pages, batches have fewer and fewer keys, the last none; all of them where they are measured.
template <class Element>
bool solve(Runner& runner, const Shape& shape, const Options& options) {
  if (options.is_backward) {
    return solve_backward<Element>(runner, shape, options.times);
  }
  if (options.page_keys == 0) {
    Case<Element> c(shape);
    return solve(runner, shape, options.times, c, c);
  }
  std::vector<int> lengths(static_cast<std::size_t>(shape.batches), shape.keys);
  for (int batch = 1; batch < shape.batches && !options.times; ++batch) {
    lengths[static_cast<std::size_t>(batch)] = shape.keys * (shape.batches - 1 - batch) / shape.batches;
  }
  attention::PagedCase<Element> c(shape, lengths, options.page_keys);
  return solve(runner, shape, options.times, c, c.whole);
}

int run(int argc, char** argv) {
  CLI::App app("O = softmax(Q K^T / sqrt(head size)) V on tensor cores");
  Options options;
  Shape& shape = options.shape;
  shape.batches = 4;
  shape.heads = 16;
  shape.kv_heads = 0;
  shape.head_size = 128;
  const CLI::Range positive(1, std::numeric_limits<int>::max());
  const CLI::Range not_negative(0, std::numeric_limits<int>::max());
  app.add_option("--batches", shape.batches, "of sequences")->check(positive);
  app.add_option("--heads", shape.heads, "of Q")->check(positive);
  app.add_option("--kv-heads", shape.kv_heads, "of K and V, a divisor of those of Q; 0: as many")->check(not_negative);
  app.add_option("--queries", options.queries, "of a sequence, of one problem after another")->check(positive);
  app.add_option("--keys", options.keys, "of a sequence; left out: as many as queries")->check(positive);
  app.add_option("--head-size", shape.head_size, "elements of a row")->check(CLI::IsMember({64, 128}));
  app.add_flag("--causal", shape.causal, "queries see the keys up to their own, counted from the last");
  app.add_option("--page-keys", options.page_keys, "keys and values in pages of so many keys; 0: in arrays")
      ->check(not_negative);
  app.add_flag("--backward", options.is_backward, "the gradients of Q, K and V, of keys in arrays")
      ->excludes("--page-keys");
  app.add_flag("--f16", options.is_f16, "f16 instead of bf16");
  app.add_flag("--time,!--no-time", options.times, "on a GPU: measure, or only check");
  app.add_option("--on", options.on, "where to run")->check(CLI::IsMember({"auto", "gpu", "host"}));
  CLI11_PARSE(app, argc, argv);
  shape.kv_heads = shape.kv_heads == 0 ? shape.heads : shape.kv_heads;
  options.keys = options.keys.empty() ? options.queries : options.keys;
  if (options.keys.size() != options.queries.size()) {
    std::fprintf(stderr, "attention: --queries names %zu problems and --keys %zu; give as many\n",
                 options.queries.size(), options.keys.size());
    return 1;
  }
  Runner* const runner = choose(options.on, attention::device_runner, attention::host_runner());
  if (runner == nullptr) {
    return 4;
  }
  std::printf("%s\n", runner->name().c_str());
  bool is_right = true;
  for (std::size_t i = 0; i < options.queries.size(); ++i) {
    shape.queries = options.queries[i];
    shape.keys = options.keys[i];
    const auto solved = options.is_f16 ? solve<attention::Half> : solve<attention::BFloat16>;
    is_right = solved(*runner, shape, options) && is_right;
  }
  return is_right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try { return run(argc, argv); } catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
