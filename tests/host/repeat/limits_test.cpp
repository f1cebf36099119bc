// Each limit of a proof and of a launch ends a run that does not end by itself, by a sentence.
#include "host/proof/small_programs.hpp"

#include <dma/dma.hpp>
#include <dma/host/launch.hpp>
#include <dma/proof/prove.hpp>
#include <dma/proof/search/search.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace {

using Catch::Matchers::ContainsSubstring;
using dma::proof::FindingKind;
using dma::proof::Verdict;

#if defined(__SANITIZE_THREAD__) && !defined(DMA_EVERY_ACCESS)
#define DMA_SKIP_LOOPS SKIP("the thread sanitizer keeps the timer's signal from a loop on memory")
#else
#define DMA_SKIP_LOOPS static_cast<void>(0)
#endif

/// What a thread does until another one sets a flag.
enum class Loop : unsigned char {
  acquires,
  loads_relaxed,
  adds,
  exchanges,
  reads_volatile,
  reads,
  counts,
  allocates,
  grows_vectors,
  writes_shared,
  yields,
  fences,
  copies,
  meets_warp,
};
struct NamedLoop {
  const char* name;
  Loop loop;
};
constexpr NamedLoop without_waits[] = {
    {"loads and acquires an atomic", Loop::acquires},
    {"loads an atomic", Loop::loads_relaxed},
    {"adds to an atomic", Loop::adds},
    {"compares and exchanges an atomic", Loop::exchanges},
    {"reads a volatile flag", Loop::reads_volatile},
    {"reads a flag", Loop::reads},
    {"reads a counter of the library", Loop::counts},
#if !defined(__SANITIZE_ADDRESS__)  // The memory of a thread that is left is not released.
    {"allocates", Loop::allocates},
    {"grows vectors", Loop::grows_vectors},
#endif
    {"writes shared memory", Loop::writes_shared},
    {"yields", Loop::yields},
    {"fences", Loop::fences},
};

struct Loops {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  struct Shared {
    alignas(16) unsigned char bytes[64];
  };

  void operator()(dma::KernelCta<Loops>& cta, Loop loop, unsigned long long* flag, const unsigned char* from) const {
    auto& shared = cta.shared<Shared>();
    const std::atomic_ref<unsigned long long> word(*flag);
    const auto is_set = [flag] { return *const_cast<volatile unsigned long long*>(flag) != 0; };
    const auto loop_while = [&](const auto& do_something) {
      while (!is_set()) {
        do_something();
      }
    };
    if (loop == Loop::meets_warp && cta.warp() == 0) {
      loop_while([&] { cta.sync_warp(); });
    }
    if (cta.thread() != 3) {
      return;
    }
    switch (loop) {
      case Loop::acquires:
        while (word.load(std::memory_order_acquire) == 0) {
        }
        break;
      case Loop::loads_relaxed:
        while (word.load(std::memory_order_relaxed) == 0) {
        }
        break;
      case Loop::adds:
        while (word.fetch_add(0) == 0) {
        }
        break;
      case Loop::exchanges:
        for (unsigned long long expected = 1; !word.compare_exchange_strong(expected, 2); expected = 1) {
        }
        break;
      case Loop::reads_volatile:
        loop_while([] {});
        break;
      case Loop::reads:
        while (*flag == 0) {
          asm volatile("" ::: "memory");
        }
        break;
      case Loop::counts:
        while (dma::machine::count(flag, 0) == 0) {
        }
        break;
      case Loop::allocates:
        loop_while([] {
          const auto number = std::make_unique<int>(3);
          asm volatile("" ::"r"(number.get()) : "memory");
        });
        break;
      case Loop::grows_vectors:
        loop_while([] {
          std::vector<int> numbers;
          for (int i = 0; i < 3000; ++i) {
            numbers.push_back(i);
          }
          asm volatile("" ::"r"(numbers.data()) : "memory");
        });
        break;
      case Loop::writes_shared:
        loop_while([&] { shared.bytes[7] = 1; });
        break;
      case Loop::yields:
        loop_while([] { std::this_thread::yield(); });
        break;
      case Loop::fences:
        loop_while([] { dma::machine::fence_async_proxy(); });
        break;
      case Loop::copies:
        loop_while([&] {
          dma::machine::this_thread().execute(
              {.kind = dma::machine::OperationKind::copy_async, .count = 16, .to = shared.bytes, .from = from});
        });
        break;
      default:
        break;
    }
  }
};

alignas(16) const unsigned char source[16] = {};

Verdict verdict_on(Loop loop, const dma::proof::Limits& limits) {
  unsigned long long flag = 0;
  const unsigned char* const from = source;
  return dma::proof::prove({.limits = limits}, Loops{}, {1}, loop, &flag, from);
}

/// Whether the loop polls an atomic that no thread changes, which executions tell where a proof sees every access.
[[nodiscard]] bool is_seen_to_poll(Loop loop) {
  return dma::proof::sees_every_access &&
         (loop == Loop::acquires || loop == Loop::loads_relaxed || loop == Loop::adds || loop == Loop::exchanges);
}

[[nodiscard]] double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

TEST_CASE("a proof of a thread that loops without a wait ends by a sentence within twice its seconds",
          "[proof][limits]") {
  DMA_SKIP_LOOPS;
  constexpr double seconds = 0.2;
  for (const NamedLoop& each : without_waits) {
    const double start = cpu_seconds();
    const Verdict verdict = verdict_on(each.loop, {.seconds = seconds});
    const double taken = cpu_seconds() - start;
    CAPTURE(each.name, verdict);
    CHECK(verdict.kind == (is_seen_to_poll(each.loop) ? FindingKind::deadlock : FindingKind::spinning));
    CHECK_THAT(verdict.message, ContainsSubstring("thread"));
    CHECK(taken < 2 * seconds);
  }
}

TEST_CASE("a launch of a thread that loops without a wait ends by a sentence within twice its seconds",
          "[proof][limits]") {
  DMA_SKIP_LOOPS;
  constexpr double seconds = 0.1;
  const auto expect_end = [](const NamedLoop& each) {
    CAPTURE(each.name);
    unsigned long long flag = 0;
    const unsigned char* const from = source;
    const double start = cpu_seconds();
    CHECK_THROWS_AS(dma::host::launch({.spin_seconds = seconds}, Loops{}, {1}, each.loop, &flag, from),
                    dma::host::Spin);
    CHECK(cpu_seconds() - start < 2 * seconds);
  };
  for (const NamedLoop& each : without_waits) {
    expect_end(each);
  }
#if !defined(__SANITIZE_ADDRESS__)
  expect_end({"copies", Loop::copies});
#endif
}

struct LaunchesASpin {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  struct Shared {};
  void operator()(dma::KernelCta<LaunchesASpin>& cta, int* spins) const {
    if (cta.thread() == 0) {
      unsigned long long flag = 0;
      const unsigned char* const from = source;
      try {
        dma::host::launch({.spin_seconds = 0.05}, Loops{}, {1}, Loop::reads_volatile, &flag, from);
      } catch (const dma::host::Spin&) {
        *spins += 1;
      }
      const auto memory = std::make_unique<int>(1);
      *spins += *memory;
    }
    cta.sync();
  }
};

TEST_CASE("a launch that ends by its limit leaves the thread that made it alone", "[proof][limits]") {
  DMA_SKIP_LOOPS;
  int spins = 0;
  dma::host::launch(LaunchesASpin{}, {1}, &spins);
  CHECK(spins == 2);
  const Verdict verdict = dma::proof::prove({.seeds = 1, .outputs = {}}, LaunchesASpin{}, {1}, &spins);
  CHECK(verdict.is_proved());
  CHECK(spins == 4);
}

/// Each thread works for some milliseconds of CPU time.
struct WorksAWhile {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  struct Shared {};
  void operator()(dma::KernelCta<WorksAWhile>& cta, double seconds) const {
    for (const double end = cpu_seconds() + seconds; cpu_seconds() < end;) {
    }
    cta.sync();
  }
};

TEST_CASE("threads that each work for less than the limit may work for more together", "[proof][limits]") {
  CHECK_NOTHROW(dma::host::launch({.spin_seconds = 0.05}, WorksAWhile{}, {1}, 0.005));
}

TEST_CASE("a launch gives the signal of its timer back", "[proof][limits]") {
  const auto take = [](const struct sigaction& now) {
    struct sigaction before {};
    REQUIRE(sigaction(SIGVTALRM, &now, &before) == 0);
    return before;
  };
  const auto launch = [] { dma::host::launch(WorksAWhile{}, {1}, 0.0); };
  struct sigaction own {};
  own.sa_handler = [](int) {};
  launch();
  const struct sigaction before = take(own);
  launch();
  const struct sigaction after = take(before);
  CHECK(before.sa_handler == SIG_DFL);
  CHECK(after.sa_handler == own.sa_handler);
}

TEST_CASE("a proof over all numbers of tiles ends with the first that spins", "[proof][limits]") {
  using Pipe = dma::DmaPipeline<dma::Sequential<int, 32>, dma::SingleBuffer<Loops::Layout>, dma::CudaBarrier,
                                dma::RegisterCopy<>>;
  DMA_SKIP_LOOPS;
  constexpr double seconds = 0.2;
  const double start = cpu_seconds();
  const Verdict verdict = dma::proof::for_all_trips<Pipe>([](int tiles) {
    unsigned long long flag = tiles < 2 ? 1 : 0;
    const unsigned char* const from = source;
    return dma::proof::prove({.limits = {.seconds = seconds}}, Loops{}, {1}, Loop::reads_volatile, &flag, from);
  });
  CHECK(verdict.kind == FindingKind::spinning);
  CHECK_THAT(verdict.message, ContainsSubstring("with 2 tiles"));
  CHECK(cpu_seconds() - start < 2 * seconds);
}

TEST_CASE("atomics without an end give the same verdict however fast the machine is", "[proof][limits]") {
  if (!dma::proof::sees_every_access) {
    SKIP("a proof sees atomics where it sees every access");
  }
  for (const Loop loop : {Loop::acquires, Loop::loads_relaxed, Loop::adds, Loop::exchanges}) {
    const Verdict one = verdict_on(loop, {.seconds = 20});
    const Verdict other = verdict_on(loop, {.seconds = 60});
    CAPTURE(one);
    CHECK(one.kind == FindingKind::deadlock);
    CHECK_THAT(one.message, ContainsSubstring("thread 3 polls") && ContainsSubstring("a value that no thread changes"));
    CHECK(one.message == other.message);
  }
}

/// Runs a function in a process of its own: its result, and the most memory that it took.
struct Apart {
  char text[256] = "";
  long megabytes = 0;
};
template <class Function>
[[nodiscard]] Apart run_apart(const Function& function) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t id = fork();
  REQUIRE(id >= 0);
  if (id == 0) {
#if defined(__GLIBC__)
    // Large blocks are mappings whatever tests before have freed, so that vectors that grow leave no holes.
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
#endif
    Apart result;
    const std::string text = function();
    text.copy(result.text, sizeof result.text - 1);
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    result.megabytes = used.ru_maxrss / 1024;
    _exit(write(ends[1], &result, sizeof result) == sizeof result ? 0 : 1);
  }
  close(ends[1]);
  Apart result;
  const ssize_t bytes = read(ends[0], &result, sizeof result);
  close(ends[0]);
  int status = 0;
  waitpid(id, &status, 0);
  REQUIRE(status == 0);
  REQUIRE(bytes == sizeof result);
  return result;
}

/// Agents that arrive and wait, each at a barrier of its own: 11^4 states at least.
dma::proof::detail::Program independent_agents() {
  dma::proof::detail::Program program;
  for (int agent = 0; agent < 4; ++agent) {
    program.phase_barriers.push_back(1);
    program.agents.push_back({"agent " + std::to_string(agent), {}});
    for (int round = 0; round < 10; ++round) {
      program.agents.back().operations.push_back(small::phase_arrive(agent));
      program.agents.back().operations.push_back(small::wait(agent, round % 2));
    }
  }
  return program;
}

TEST_CASE("a search ends by its bytes", "[proof][limits]") {
  const dma::proof::detail::Program program = independent_agents();
  dma::proof::detail::Search whole(program, {.bytes = std::size_t{256} << 20});
  CHECK(whole.judge().kind == FindingKind::none);
  CHECK(whole.states() > 11 * 11 * 11 * 11);
  dma::proof::detail::Search search(program, {.bytes = std::size_t{100} << 10});
  CHECK(search.judge().kind == FindingKind::too_many_states);
  CHECK(search.states() < 10'000);
}

#if !defined(__SANITIZE_ADDRESS__) && (!defined(__SANITIZE_THREAD__) || defined(DMA_EVERY_ACCESS))
// Without a sanitizer's memory.
TEST_CASE("a recording ends by a sentence within twice the bytes that it may take", "[proof][limits]") {
  const Apart idle = run_apart([] { return std::string(); });
  for (const Loop loop : {Loop::fences, Loop::meets_warp}) {
    const Apart ended = run_apart([&] { return verdict_on(loop, {.bytes = std::size_t{64} << 20}).message; });
    CAPTURE(ended.text);
    CHECK_THAT(ended.text,
               ContainsSubstring("the recorded runs take more than dma::proof::Options::limits.bytes (block"));
    CHECK(ended.megabytes - idle.megabytes < 2 * 64);
  }
}

struct ManyThreads {
  using Layout = dma::WarpLayout<dma::Compute<32>>;
  struct Shared {};
  void operator()(dma::KernelCta<ManyThreads>& cta) const { cta.sync(); }
};

TEST_CASE("a process without memory gives a sentence", "[proof][limits]") {
  const auto with_megabytes_more = [](rlim_t megabytes, const auto& function) {
    return run_apart([megabytes, &function] {
      long pages = 0;
      std::FILE* const statm = std::fopen("/proc/self/statm", "r");
      if (std::fscanf(statm, "%ld", &pages) != 1) {
        _exit(3);
      }
      std::fclose(statm);
      const rlim_t bytes = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE)) + (megabytes << 20);
      const rlimit limit{bytes, bytes};
      setrlimit(RLIMIT_AS, &limit);
      return function();
    });
  };
  const auto prove = [] {
    const Verdict verdict = verdict_on(Loop::meets_warp, {.seconds = 20});
    return std::string(name_of(verdict.kind)) + ": " + verdict.message;
  };
  const auto launch = [] {
    try {
      dma::host::launch(ManyThreads{}, {1});
    } catch (const dma::host::OutOfMemory& error) {
      return std::string(error.what());
    }
    return std::string("ended well");
  };
  for (const rlim_t megabytes : {1, 20, 60, 200}) {
    CAPTURE(megabytes);
    const Apart ended = with_megabytes_more(megabytes, prove);
    CHECK_THAT(ended.text, ContainsSubstring("refused: out of memory: dma::host: the process has no memory left for"));
    CHECK_THAT(ended.text, ContainsSubstring("raise its limit (ulimit -v), or run a smaller problem"));
  }
  CHECK_THAT(with_megabytes_more(1, launch).text, ContainsSubstring("dma::host: the process has no memory left for"));
  CHECK_THAT(with_megabytes_more(300, launch).text, ContainsSubstring("ended well"));
}
#endif

/// 32 threads, each of which meets its warp 1000 times.
struct MeetsOften {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  void operator()(dma::KernelCta<MeetsOften>& cta) const {
    for (int i = 0; i < 1000; ++i) {
      cta.sync_warp();
    }
  }
};

TEST_CASE("the recorded runs of all CTAs take no more bytes together than a proof may take", "[proof][limits]") {
  const auto prove = [](int ctas) {
    const dma::proof::Limits limits{.bytes = std::size_t{16} << 20};
    return dma::proof::prove({.seeds = 2, .limits = limits}, MeetsOften{}, {ctas});
  };
  CHECK(prove(1).is_proved());
  const Verdict verdict = prove(32);
  CHECK(verdict.kind == FindingKind::out_of_memory);
  CHECK(verdict.runs > 1);
  CHECK(verdict.runs < 32);
}

}  // namespace
