// Accesses of a kernel outside of the arrays that a proof or a launch names, in a program that sees each of them.
#include <dma/dma.hpp>
#include <dma/host/launch.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#if defined(DMA_EVERY_ACCESS)

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using dma::proof::FindingKind;
using dma::proof::input;
using dma::proof::output;
using dma::proof::Verdict;

namespace {

constexpr int threads = 64;
constexpr int untouched = -7;
using TwoWarps = dma::WarpLayout<dma::Compute<2>>;

/// Each thread writes four elements.
struct Writes {
  using Layout = TwoWarps;
  static constexpr int line = __LINE__ + 3;
  void operator()(dma::KernelCta<Writes>& cta, int* y) const {
    for (int i = cta.thread(); i < 4 * threads; i += threads) {
      y[i] = i;
    }
  }
};
struct WritesSpan {
  using Layout = TwoWarps;
  void operator()(dma::KernelCta<WritesSpan>& cta, std::span<const int> x, std::span<int> y) const {
    y[static_cast<std::size_t>(cta.thread())] = x[static_cast<std::size_t>(cta.thread()) + 1];
  }
};

/// What a launch copies to a GPU: the body's members and its arguments.
struct Weights {
  int of[threads];
};
struct ReadsArguments {
  using Layout = TwoWarps;
  int factor;
  Weights own;

  void operator()(dma::KernelCta<ReadsArguments>& cta, const int* x, int* y, const Weights& weights,
                  Weights copy) const {
    const int i = cta.thread();
    y[i] = factor * x[i] + own.of[i] + weights.of[i] + copy.of[i];
  }
};
/// A member that is memory of the host's.
struct ReadsHost {
  using Layout = TwoWarps;
  const int* of_host;
  void operator()(dma::KernelCta<ReadsHost>& cta, int* y) const { y[cta.thread()] = *of_host; }
};
/// The address of a local variable reaches another thread.
struct ReadsLocal {
  using Layout = TwoWarps;
  struct Shared {
    const int* local;
  };
  void operator()(dma::KernelCta<ReadsLocal>& cta, int* y) const {
    const int mine = cta.thread();
    const int* volatile address = &mine;
    if (mine == 0) {
      cta.shared<Shared>().local = address;
    }
    cta.sync();
    y[mine] = *cta.shared<Shared>().local;
    cta.sync();
  }
};
/// It throws what a kernel of the library throws, or what a host's function does.
struct Throws {
  using Layout = TwoWarps;
  void operator()(dma::KernelCta<Throws>& cta, int* y, bool of_library) const {
    const std::string text = "a kernel's own error, longer than a string has room for: " + std::to_string(y[0]);
    if (of_library) {
      DMA_EXPECTS(cta.thread() != 40, "dma: the rule", "address", &y[3]);
    } else if (cta.thread() == 40) {
      throw dma::host::KernelError(text);
    }
  }
};
/// It reads constants of a shared library.
struct ReadsLibrary {
  using Layout = TwoWarps;
  const unsigned char* constants;
  void operator()(dma::KernelCta<ReadsLibrary>& cta, int* y) const { y[cta.thread()] = constants[cta.thread() % 16]; }
};
/// It calls a function of the compiler's headers that writes.
struct Exchanges {
  using Layout = TwoWarps;
  void operator()(dma::KernelCta<Exchanges>& cta, int* y) const {
    static_cast<void>(std::exchange(y[cta.thread()], 1));
  }
};
/// CTAs write one element.
struct Shares {
  using Layout = TwoWarps;
  void operator()(dma::KernelCta<Shares>& cta, int* y, int element) const {
    y[cta.thread() + threads * cta.block().x] = 1;
    if (cta.thread() == element) {
      y[element] = cta.block().x;
    }
  }
};

[[nodiscard]] std::string text_of(const Verdict& verdict) {
  std::ostringstream text;
  text << verdict;
  return text.str();
}

}  // namespace

TEST_CASE("256 integers do not go into an array of 10, and none is written behind it", "[proof][bounds]") {
  std::vector<int> y(4 * threads, untouched);
  const auto is_harmed = [&] {
    return std::any_of(y.begin() + 10, y.end(), [](int element) { return element != untouched; });
  };
  const Verdict verdict = dma::proof::prove({.outputs = {output(y.data(), 10, "y")}}, Writes{}, {1}, y.data());
  CAPTURE(verdict);
  CHECK(verdict.kind == FindingKind::out_of_bounds);
  const std::string sentence =
      "dma::host: a thread writes element 64 of y, which has 10 elements; stay inside the array, or name all of it "
      "[block (0, 0, 0), thread 0, seen_bounds_test.cpp:" +
      std::to_string(Writes::line) + "]";
  CHECK(verdict.message == sentence);
  CHECK_THROWS_MATCHES(dma::host::launch({.outputs = {output(y.data(), 10, "y")}}, Writes{}, {1}, y.data()),
                       dma::host::OutOfBounds, MessageMatches(ContainsSubstring(sentence)));
  CHECK(!is_harmed());
  CHECK_THAT(
      text_of(dma::proof::prove({.outputs = {output(y)}}, Writes{}, {1}, y.data())),
      ContainsSubstring("proved (6 runs, ") && ContainsSubstring(", every access seen), bounds of reads not judged\n"));
  CHECK_THAT(text_of(dma::proof::prove(Writes{}, {1}, y.data())),
             ContainsSubstring(", every access seen), bounds not judged\n"));
  CHECK(is_harmed());
}

TEST_CASE("a kernel of spans is bounded by them", "[proof][bounds]") {
  std::vector<int> x(threads + 1), y(threads);
  const std::span<const int> from(x);
  CHECK(dma::proof::prove(WritesSpan{}, {1}, from, std::span(y)).is_proved());
  CHECK_THAT(dma::proof::prove(WritesSpan{}, {1}, from.first(threads), std::span(y)).message,
             ContainsSubstring("reads element 64 of argument 0, which has 64 elements"));
  CHECK_THAT(dma::proof::prove(WritesSpan{}, {1}, from, std::span(y).first(1)).message,
             ContainsSubstring("writes element 1 of argument 1, which has 1 element;"));
}

TEST_CASE("a kernel reads its members and its arguments, and no other memory of the host", "[proof][bounds]") {
  std::vector<int> x(threads), y(threads);
  const Weights weights{};
  const Verdict right = dma::proof::prove({.inputs = {input(x)}, .outputs = {output(y)}}, ReadsArguments{2, weights},
                                          {1}, x.data(), y.data(), weights, weights);
  INFO(right);
  CHECK(right.is_proved());

  const auto variable = std::make_unique<int>(3);
  const Verdict of_host =
      dma::proof::prove({.inputs = {input(x)}, .outputs = {output(y)}}, ReadsHost{variable.get()}, {1}, y.data());
  INFO(of_host);
  CHECK(of_host.kind == FindingKind::out_of_bounds);
  CHECK(dma::proof::prove({.inputs = {input(x), input(variable.get(), 1)}, .outputs = {output(y)}},
                          ReadsHost{variable.get()}, {1}, y.data())
            .is_proved());

  const Verdict local = dma::proof::prove({.inputs = {input(x)}, .outputs = {output(y)}}, ReadsLocal{}, {1}, y.data());
  INFO(local);
  CHECK(local.kind == FindingKind::out_of_bounds);
  CHECK_THAT(local.message, ContainsSubstring("in no array of this launch"));
}

TEST_CASE("an error of a kernel is the one that is told", "[proof][bounds]") {
  std::vector<int> y(threads);
  const dma::proof::Options options{.inputs = {input(y)}, .outputs = {output(y, "y")}};
  const Verdict own = dma::proof::prove(options, Throws{}, {1}, y.data(), false);
  INFO(own);
  CHECK(own.kind == FindingKind::broken_contract);
  CHECK_THAT(own.message, ContainsSubstring("longer than a string has room for: 0"));
  const Verdict of_library = dma::proof::prove(options, Throws{}, {1}, y.data(), true);
  INFO(of_library);
  CHECK(of_library.kind == FindingKind::broken_contract);
  CHECK_THAT(of_library.message, ContainsSubstring("dma: the rule [address element 3 of y ("));
}

TEST_CASE("memory of shared libraries is no kernel's", "[proof][bounds]") {
  // The C library's, found by name: what the C++ library has may be linked into the program.
  const auto* const constants = static_cast<const unsigned char*>(dlsym(RTLD_DEFAULT, "in6addr_any"));
  if (constants == nullptr) {
    SKIP("the C library is no shared one");
  }
  std::vector<int> y(threads);
  const Verdict right =
      dma::proof::prove({.inputs = {input(y)}, .outputs = {output(y)}}, ReadsLibrary{constants}, {1}, y.data());
  INFO(right);
  CHECK(right.is_proved());
}

#if defined(__OPTIMIZE__)  // else the compiler's function is not inlined, and has no other line
TEST_CASE("the line of an access is never one of the compiler's", "[proof][bounds]") {
  std::vector<int> y(threads);
  CHECK_THAT(dma::proof::prove({.outputs = {output(y.data(), 1, "y")}}, Exchanges{}, {1}, y.data()).message,
             ContainsSubstring("writes element 1 of y") && ContainsSubstring(", seen_bounds_test.cpp:"));
}
#endif

TEST_CASE("a race is told by array and element, the same wherever the arrays are", "[proof][bounds]") {
  std::vector<std::string> told;
  std::vector<std::unique_ptr<int[]>> between;
  for (int i = 0; i < 3; ++i) {
    between.push_back(std::make_unique<int[]>(900U + 500U * static_cast<unsigned>(i)));
    const auto y = std::make_unique<int[]>(3 * threads);
    const auto list = output(y.get(), 3 * threads, "y");
    told.push_back(text_of(dma::proof::prove({.outputs = {list}}, Shares{}, {3}, y.get(), 5)) +
                   text_of(dma::proof::prove(Shares{}, {3}, y.get(), 5)));
  }
  CAPTURE(told[0]);
  CHECK_THAT(told[0], ContainsSubstring(" element 5 of y, and nothing orders them"));
  CHECK_THAT(told[0],
             ContainsSubstring(" bytes 20 to 23 of global memory (its array is not named; counted from the first "
                               "byte that is accessed there), and nothing"));
  CHECK(told[0] == told[1]);
  CHECK(told[0] == told[2]);
}

#endif
