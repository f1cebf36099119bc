// Every sweep, as Google Benchmark runs it: choose by --benchmark_filter, write JSON by --benchmark_out. Exits with 1
// where an answer was wrong, with 4 where there is no GPU.

#include "measure.hpp"
#include "sweeps.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <regex>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <cuda_runtime.h>

namespace {

/// The console's lines, and on stderr how many benchmarks are done and how long the others take if they are like them.
class WithTimeLeft : public benchmark::ConsoleReporter {
 public:
  explicit WithTimeLeft(int count) : count_(count) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    if (runs.empty() || runs.front().run_name.str() == last_) {
      return;
    }
    last_ = runs.front().run_name.str();
    ++done_;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    if (seconds > 5) {
      std::fprintf(stderr, "dma_bench: %d of %d, %.1f minutes left\n", done_, count_,
                   seconds / done_ * (count_ - done_) / 60);
    }
  }

 private:
  int count_;
  int done_ = 0;
  std::string last_{};
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// How many of the registered benchmarks the filter chooses, which begins with '-' where it leaves them out.
int chosen(std::string filter) {
  const bool leaves_out = filter.starts_with('-');
  const std::regex pattern(leaves_out ? filter.substr(1) : filter, std::regex::extended);
  return static_cast<int>(std::count_if(bench::names().begin(), bench::names().end(), [&](const std::string& name) {
    return std::regex_search(name, pattern) != leaves_out;
  }));
}

std::string version(int number) { return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10); }

void describe_machine() {
  cudaDeviceProp device{};
  int driver = 0;
  bench::check(cudaGetDeviceProperties(&device, 0));
  bench::check(cudaDriverGetVersion(&driver));
  const char* const commit = std::getenv("COMMIT");
  const char* const driver_version = std::getenv("DRIVER");
  benchmark::AddCustomContext("device", device.name);
  benchmark::AddCustomContext("sms", std::to_string(device.multiProcessorCount));
  benchmark::AddCustomContext("l2_bytes", std::to_string(device.l2CacheSize));
  benchmark::AddCustomContext("driver", driver_version != nullptr ? driver_version : "CUDA " + version(driver));
  benchmark::AddCustomContext("toolkit", version(CUDART_VERSION));
  benchmark::AddCustomContext("commit", commit != nullptr ? commit : "unknown");
  int kilohertz = 0;
  bench::check(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0));
  constexpr double lanes = 128;  // for FP32 multiply-adds, an SM of every GPU since compute capability 8.6 and of 9.0
  benchmark::AddCustomContext("fp32_flops", std::to_string(2e3 * lanes * device.multiProcessorCount * kilohertz));
  int memory_kilohertz = 0;
  int bus_bits = 0;
  bench::check(cudaDeviceGetAttribute(&memory_kilohertz, cudaDevAttrMemoryClockRate, 0));
  bench::check(cudaDeviceGetAttribute(&bus_bits, cudaDevAttrGlobalMemoryBusWidth, 0));
  constexpr double transfers = 2;  // a clock
  benchmark::AddCustomContext("theoretical_bytes_per_second",
                              std::to_string(transfers * 1e3 * memory_kilohertz * bus_bits / 8));
  benchmark::AddCustomContext("window_bytes", std::to_string(bench::window_bytes()));
}

}  // namespace

int main(int argc, char** argv) {
  const bool only_lists = std::any_of(argv + 1, argv + argc, [](const char* argument) {
    return std::strncmp(argument, "--benchmark_list_tests", std::strlen("--benchmark_list_tests")) == 0;
  });
  // Defaults, which the caller's arguments override.
  std::vector<char*> arguments{argv[0]};
  std::string repetitions = "--benchmark_repetitions=5";
  std::string aggregates = "--benchmark_report_aggregates_only=true";
  arguments.insert(arguments.end(), {repetitions.data(), aggregates.data()});
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) {
    return 2;
  }
#if DMA_BENCH_DEFAULTS
  bench::add_defaults();
#elif DMA_BENCH_TUNED
  bench::add_tuned();
#elif DMA_BENCH_FFT_VARIANTS
  bench::add_fft_variants();
#elif DMA_BENCH_GPUS
  bench::add_stencil_gpus();
#else
  bench::add_all_sweeps();
#endif
  if (!only_lists) {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
      std::fputs("skipped: no CUDA device\n", stderr);
      return 4;
    }
#if DMA_BENCH_GPUS
    if (devices < 2) {
      std::fputs("skipped: this compares two GPUs with one, and this machine has one\n", stderr);
      return 4;
    }
    benchmark::AddCustomContext("gpus", std::to_string(devices));
#endif
    describe_machine();
  }
  if (only_lists) {
    benchmark::RunSpecifiedBenchmarks();
  } else {
    const std::string filter = benchmark::GetBenchmarkFilter();
    WithTimeLeft reporter(chosen(filter == "all" ? "" : filter));
    benchmark::RunSpecifiedBenchmarks(&reporter);
  }
  benchmark::Shutdown();
  if (bench::failures() > 0) {
    std::fprintf(stderr, "dma_bench: %d benchmarks failed\n", bench::failures());
  }
  return bench::failures() == 0 ? 0 : 1;
}
