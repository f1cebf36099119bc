#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

namespace bench {
namespace {

int failed = 0;
std::vector<std::string> added;

/// A stream and the launches of a subject, timed by events: all of them by two, as a graph where that is faster, or
/// each by two of its own.
class Timer {
 public:
  explicit Timer(const Subject& subject)
      : subject_(subject), events_(subject.by_events ? 2 * static_cast<std::size_t>(subject.launches) : 2) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    for (cudaEvent_t& event : events_) {
      check(cudaEventCreate(&event));
    }
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() {
    if (replay_ != nullptr) {
      cudaGraphExecDestroy(replay_);
    }
    for (cudaEvent_t event : events_) {
      cudaEventDestroy(event);
    }
    cudaStreamDestroy(stream_);
  }

  [[nodiscard]] cudaStream_t stream() const { return stream_; }

  void capture() {
    if (!subject_.in_graph || subject_.by_events) {
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
    if (subject_.rest > 0) {
      std::this_thread::sleep_for(std::chrono::duration<double>(subject_.rest));
    }
    if (subject_.by_events) {
      return replay_by_events();
    }
    check(cudaEventRecord(events_[0], stream_));
    if (replay_ != nullptr) {
      check(cudaGraphLaunch(replay_, stream_));
    } else {
      enqueue();
    }
    check(cudaEventRecord(events_[1], stream_));
    check(cudaEventSynchronize(events_[1]));
    return seconds_between(0) / subject_.launches;
  }

 private:
  void enqueue() const {
    for (int i = 0; i < subject_.launches; ++i) {
      subject_.launch(stream_, i);
    }
  }

  [[nodiscard]] double replay_by_events() const {
    // The host fills the queue meanwhile, so that the GPU never waits for it.
    constexpr double milliseconds_a_launch = 0.02;
    delay(milliseconds_a_launch * subject_.launches, stream_);
    for (int i = 0; i < subject_.launches; ++i) {
      const auto first = static_cast<std::size_t>(2 * i);
      check(cudaEventRecord(events_[first], stream_));
      subject_.launch(stream_, i);
      check(cudaEventRecord(events_[first + 1], stream_));
    }
    check(cudaEventSynchronize(events_.back()));
    double seconds = 0;
    for (std::size_t first = 0; first < events_.size(); first += 2) {
      seconds += seconds_between(first);
    }
    return seconds / subject_.launches;
  }

  [[nodiscard]] double seconds_between(std::size_t first) const {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, events_[first], events_[first + 1]));
    return milliseconds * 1e-3;
  }

  const Subject& subject_;
  std::vector<cudaEvent_t> events_;
  cudaStream_t stream_{};
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
  const bool is_measured = subject->seconds > 0;
  if (!is_measured) {
    timer.capture();
    for (int i = 0; i < 2; ++i) {
      static_cast<void>(timer.replay());
    }
    for (double seconds = 0; seconds < subject->busy;) {
      seconds += timer.replay() * subject->launches;
    }
  }
  for ([[maybe_unused]] auto _ : state) {
    state.SetIterationTime(is_measured ? subject->seconds : timer.replay() / subject->rounds);
  }
  if (subject->bytes > 0) {
    state.SetBytesProcessed(static_cast<std::int64_t>(static_cast<double>(state.iterations()) * subject->bytes));
  }
}

}  // namespace

void add(const std::string& name, std::function<Subject()> make, Times times) {
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
  added.push_back(name);
  auto* const registered =
      benchmark::RegisterBenchmark(name.c_str(), run)
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond)
          ->Iterations(replays)
          ->ComputeStatistics("min", [](const std::vector<double>& v) { return *std::min_element(v.begin(), v.end()); })
          ->ComputeStatistics("max",
                              [](const std::vector<double>& v) { return *std::max_element(v.begin(), v.end()); });
  if (times == Times::known) {
    registered->Repetitions(1);
  }
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

const std::vector<std::string>& names() { return added; }

int failures() { return failed; }

}  // namespace bench
