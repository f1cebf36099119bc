#include "measure.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

namespace bench {
namespace {

int failed = 0;

/// A stream, two events, and work that is repeated between them: as a graph where that is faster.
class Timer {
 public:
  explicit Timer(const Subject& subject) : subject_(subject) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    check(cudaEventCreate(&start_));
    check(cudaEventCreate(&stop_));
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() {
    if (replay_ != nullptr) {
      cudaGraphExecDestroy(replay_);
    }
    cudaEventDestroy(stop_);
    cudaEventDestroy(start_);
    cudaStreamDestroy(stream_);
  }

  [[nodiscard]] cudaStream_t stream() const { return stream_; }

  void capture() {
    if (!subject_.in_graph) {
      return;
    }
    cudaGraph_t graph{};
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    enqueue();
    check(cudaStreamEndCapture(stream_, &graph));
    const cudaError_t error = cudaGraphInstantiate(&replay_, graph, 0);
    cudaGraphDestroy(graph);
    check(error);
  }

  /// Seconds of one launch, the mean of one replay.
  [[nodiscard]] double replay() const {
    check(cudaEventRecord(start_, stream_));
    if (subject_.in_graph) {
      check(cudaGraphLaunch(replay_, stream_));
    } else {
      enqueue();
    }
    check(cudaEventRecord(stop_, stream_));
    check(cudaEventSynchronize(stop_));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start_, stop_));
    return milliseconds * 1e-3 / subject_.launches;
  }

 private:
  void enqueue() const {
    for (int i = 0; i < subject_.launches; ++i) {
      subject_.launch(stream_, i);
    }
  }

  const Subject& subject_;
  cudaStream_t stream_{};
  cudaEvent_t start_{};
  cudaEvent_t stop_{};
  cudaGraphExec_t replay_{};
};

void measure(benchmark::State& state, const std::function<Subject()>& make, std::optional<Subject>& subject) {
  const bool is_first = !subject.has_value();
  if (is_first) {
    subject = make();
  }
  Timer timer(*subject);
  if (is_first && subject->wrong) {
    if (const std::string wrong = subject->wrong(timer.stream()); !wrong.empty()) {
      throw std::runtime_error("wrong answer: " + wrong);
    }
  }
  if (is_first && subject->error) {
    subject->measured_error = subject->error(timer.stream());
  }
  if (subject->error) {
    state.counters["error"] = subject->measured_error;
  }
  state.SetLabel(subject->label);
  for (const auto& [name, value] : subject->counters) {
    state.counters[name] = value;
  }
  timer.capture();
  for (int i = 0; i < 2; ++i) {
    static_cast<void>(timer.replay());
  }
  for ([[maybe_unused]] auto _ : state) {
    state.SetIterationTime(timer.replay() / subject->rounds);
  }
  if (subject->bytes > 0) {
    state.SetBytesProcessed(static_cast<std::int64_t>(static_cast<double>(state.iterations()) * subject->bytes));
  }
}

}  // namespace

void add(const std::string& name, std::function<Subject()> make) {
  constexpr int replays = 5;
  const auto subject = std::make_shared<std::optional<Subject>>();
  const auto failure = std::make_shared<std::string>();
  const auto run = [make = std::move(make), subject, failure](benchmark::State& state) {
    // What failed once is not measured again: Google Benchmark aborts where only some repetitions fail.
    if (failure->empty()) {
      try {
        measure(state, make, *subject);
      } catch (const std::exception& error) {
        ++failed;
        *failure = error.what();
      }
    }
    if (!failure->empty()) {
      state.SkipWithError(failure->c_str());
    }
  };
  benchmark::RegisterBenchmark(name.c_str(), run)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond)
      ->Iterations(replays)
      ->ComputeStatistics("min", [](const std::vector<double>& v) { return *std::min_element(v.begin(), v.end()); })
      ->ComputeStatistics("max", [](const std::vector<double>& v) { return *std::max_element(v.begin(), v.end()); });
}

Subject fastest_of(std::vector<Subject> subjects) {
  constexpr int replays = 4;
  Subject* fastest = nullptr;
  double least = 0;
  std::map<std::string, double> rates;
  for (Subject& subject : subjects) {
    Timer timer(subject);
    timer.capture();
    static_cast<void>(timer.replay());
    double seconds = timer.replay();
    for (int i = 1; i < replays; ++i) {
      seconds = std::min(seconds, timer.replay());
    }
    rates[subject.label] = subject.bytes / seconds;
    if (fastest == nullptr || seconds < least) {
      fastest = &subject;
      least = seconds;
    }
  }
  if (fastest == nullptr) {
    throw std::runtime_error("no subject to choose from");
  }
  fastest->counters = std::move(rates);
  return std::move(*fastest);
}

int failures() { return failed; }

}  // namespace bench
