#pragma once

#include "kernels/right.hpp"

#include <dma/host/launch.hpp>
#include <dma/proof/prove.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

/// Wrong kernels, one for each rule that a kernel can break: programs of a thread that share one kernel body, so that
/// another program costs no other instantiation of it.
namespace wrong {

using right::Async;
using right::Bulk;
using right::count;
using right::Named;
using right::Phase;
using right::Registers;
using right::Tile;
using right::Warps;
using right::Word;

using Kind = dma::proof::FindingKind;
using Kinds = std::vector<Kind>;

inline constexpr int array_count = 32 * count;

/// What a thread of a program has: the CTA, its shared memory, and arrays that all CTAs share.
struct Thread {
  const dma::Cta& cta;
  unsigned char* shared;
  const int* in;
  int* out;
  Word* words;

  /// An object in shared memory, `bytes` after its begin.
  template <class T>
  [[nodiscard]] T& at(int bytes) const {
    return *reinterpret_cast<T*>(shared + bytes);
  }
  [[nodiscard]] int rank() const { return cta.thread(); }
  [[nodiscard]] int lane() const { return cta.lane(); }
};

struct Program {
  const char* name;
  Kinds kinds;  ///< what may be said of it: the cause, or what first comes of it
  void (*body)(Thread&);
  const char* says = "";  ///< what the message has to have in it
  int ctas = 1;
};

/// Two compute warps, and two DMA groups of a warp each.
using Layout = Warps<2, 1, 1>;
using Load = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, Phase, Bulk>;
using LoadByThreads = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, Phase, Registers>;
using LoadNamed = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, Named, Registers>;
using LoadAsync = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, Phase, Async>;
using Store = dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 1}>, Phase, Bulk>;
using StoreByThreads =
    dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 1}>, Phase, Registers>;

inline constexpr int own = 8192;  ///< where memory that no pipeline has begins

template <class Layout_, dma::KernelTraits kernel_traits = dma::KernelTraits{}>
struct Kernel {
  using Layout = Layout_;
  struct Shared {
    alignas(1024) unsigned char bytes[16384];
  };
  static constexpr dma::KernelTraits traits = kernel_traits;

  void operator()(dma::KernelCta<Kernel>& cta, void (*body)(Thread&), const int* in, int* out, Word* words) const {
    Thread thread{cta, cta.template shared<Shared>().bytes, in, out, words};
    body(thread);
  }
};

/// The line of the access at fault. Written where it is: `slot[here(i)] += 1`. A proof that sees every access does not
/// see this one.
inline unsigned fault_line = 0;
template <class T>
[[nodiscard]] __attribute__((no_sanitize("thread"))) T here(T value, unsigned line = __builtin_LINE()) {
  fault_line = line;
  return value;
}

/// Loads `tiles` tiles of the array in the DMA warps; true in the compute warps.
template <class Pipe>
[[nodiscard]] bool computes_after_loading(const Thread& thread, Pipe& pipe, int tiles) {
  if (pipe.is_dma()) {
    const auto dma = pipe.as_dma();
    for (int t = 0; t < tiles; ++t) {
      dma.load(thread.in + t * count);
    }
  }
  return pipe.is_compute();
}
/// The same for stores.
template <class Pipe>
[[nodiscard]] bool computes_after_storing(const Thread& thread, Pipe& pipe, int tiles) {
  if (pipe.is_dma()) {
    const auto dma = pipe.as_dma();
    for (int t = 0; t < tiles; ++t) {
      dma.store(thread.out + t * count);
    }
  }
  return pipe.is_compute();
}

template <class Body = Kernel<Layout>>
[[nodiscard]] dma::proof::Verdict verdict_on(const Program& program, dma::proof::Options options = {}) {
  // No array begins where another ends: an access past the one would be in the other.
  struct Arrays {
    std::array<int, 4096> before;
    alignas(128) std::array<int, array_count> in;
    std::array<int, 4096> between;
    alignas(128) std::array<int, array_count> out;
    std::array<int, 4096> around_words;
    std::array<Word, right::word_count> words;
    std::array<int, 4096> behind;
  };
  static Arrays arrays;
  auto& in = arrays.in;
  auto& out = arrays.out;
  auto& words = arrays.words;
  for (int i = 0; i < array_count; ++i) {
    in[static_cast<std::size_t>(i)] = right::number(i);
  }
  out.fill(right::untouched);
  words.fill(0);
  fault_line = 0;
  options.inputs = {dma::proof::input(in)};
  options.outputs = {dma::proof::output(out), dma::proof::output(words)};
  const int* const source = in.data();
  return dma::proof::prove(options, Body{}, {program.ctas}, program.body, source, out.data(), words.data());
}

/// Whether the verdict is one of those that the program may have, with its words and its line; otherwise what is
/// amiss.
[[nodiscard]] inline std::string complaint(const Program& program, const dma::proof::Verdict& verdict) {
  if (std::find(program.kinds.begin(), program.kinds.end(), verdict.kind) == program.kinds.end()) {
    return std::string("is called: ") + name_of(verdict.kind);
  }
  if (verdict.message.find(program.says) == std::string::npos) {
    return "does not say: " + std::string(program.says);
  }
  // Only a proof that sees every access knows the line of each.
  if (dma::proof::sees_every_access && fault_line != 0 &&
      verdict.message.find(':' + std::to_string(fault_line)) == std::string::npos) {
    return "does not name line " + std::to_string(fault_line);
  }
  return {};
}

}  // namespace wrong
