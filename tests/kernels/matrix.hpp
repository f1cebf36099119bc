#pragma once

/// The matrix of the protocol: every buffering x barrier x pattern x direction x style, as one list that host and
/// device tests share.

#include "kernels/stream.hpp"

#include <string>
#include <vector>

namespace streams {

using dma::Compute;
using dma::Dma;
using dma::WarpLayout;

// The bufferings. One without DMA warps streams through `Style::one_body` only.
using Single = dma::SingleBuffer<WarpLayout<Compute<2>, Dma<1>>>;
using SingleOfTwoWarps = dma::SingleBuffer<WarpLayout<Compute<1>, Dma<2>>>;
using Double = dma::DoubleBuffer<WarpLayout<Compute<2>, Dma<1>, Dma<1>>>;
using Manual = dma::ManualDoubleBuffer<WarpLayout<Compute<2>, Dma<1>>>;
using ManualOfSecondGroup = dma::ManualDoubleBuffer<WarpLayout<Compute<1>, Dma<2>, Dma<1>>, 1>;
using ThreeStages = dma::MultiBuffer<WarpLayout<Compute<2>, Dma<1>>, 3>;
using FourStagesTwoGroups = dma::MultiBuffer<WarpLayout<Compute<1>, Dma<2>, Dma<2>>, 4, dma::DmaGroups{.count = 2}>;
using SixStagesThreeGroups =
    dma::MultiBuffer<WarpLayout<Compute<2>, Dma<1>, Dma<1>, Dma<1>>, 6, dma::DmaGroups{.count = 3}>;
using AutomaticStages = dma::MultiBuffer<WarpLayout<Compute<2>, Dma<1>>>;
using NoDmaWarpsSingle = dma::SingleBuffer<WarpLayout<Compute<2>>>;
using NoDmaWarpsDouble = dma::DoubleBuffer<WarpLayout<Compute<2>>>;
using NoDmaWarpsThree = dma::MultiBuffer<WarpLayout<Compute<3>>, 3>;

template <class... Types>
struct List {};
/// What an engine's end of a copy meets: one stage and several, one group and several, no DMA warps.
using FewBufferings =
    List<Single, Double, Manual, FourStagesTwoGroups, SixStagesThreeGroups, NoDmaWarpsSingle, NoDmaWarpsThree>;
/// All, in two lists of the same length, each for a translation unit of its own.
using OneGroupBufferings = List<Single, SingleOfTwoWarps, Manual, ManualOfSecondGroup, ThreeStages, AutomaticStages>;
using OtherBufferings =
    List<Double, FourStagesTwoGroups, SixStagesThreeGroups, NoDmaWarpsSingle, NoDmaWarpsDouble, NoDmaWarpsThree>;
template <class... First, class... Second>
List<First..., Second...> join(List<First...>, List<Second...>);
using Bufferings = decltype(join(OneGroupBufferings{}, OtherBufferings{}));

inline constexpr const char* style_names[] = {"scope",     "early release", "explicit calls",
                                              "own turns", "two slots",     "one body"};

/// One kernel of the matrix: calls `body.template operator()<Pipe, style>()`.
template <class Pattern, class Buffering, class Barrier, class Engine, class Body>
void for_each_style(const Body& body) {
  using Pipe = dma::DmaPipeline<Pattern, Buffering, Barrier, Engine>;
  body.template operator()<Pipe, Style::one_body>();
  if constexpr (Buffering::Layout::is_specialized) {
    body.template operator()<Pipe, Style::scope>();
    body.template operator()<Pipe, Style::early_release>();
    body.template operator()<Pipe, Style::explicit_calls>();
    body.template operator()<Pipe, Style::own_turns>();
    body.template operator()<Pipe, Style::two_slots>();
  }
}

template <class Barrier, class Engine, class Body, class... Buffering>
void for_each_kernel(const Body& body, List<Buffering...>) {
  constexpr bool carries_loads = Barrier::supports(Engine::completion);
  if constexpr (carries_loads) {
    (for_each_style<Sequential, Buffering, Barrier, Engine>(body), ...);
    (for_each_style<Strided, Buffering, Barrier, Engine>(body), ...);
  }
  (for_each_style<dma::Store<Sequential>, Buffering, Barrier, Engine>(body), ...);
  (for_each_style<dma::Store<Strided>, Buffering, Barrier, Engine>(body), ...);
}

/// Two pipelines on one layout, as the paper's SGEMV has them.
template <class Barrier, class Body>
void for_each_pair(const Body& body) {
  using TwoGroups = WarpLayout<Compute<2>, Dma<1>, Dma<2>>;
  using FourGroups = WarpLayout<Compute<1>, Dma<1>, Dma<1>, Dma<2>, Dma<2>>;
  const auto pair = [&]<class A, class B>() {
    body.template operator()<dma::DmaPipeline<Sequential, A, Barrier>, dma::DmaPipeline<Strided, B, Barrier>>();
    body.template
    operator()<dma::DmaPipeline<Sequential, A, Barrier>, dma::DmaPipeline<dma::Store<Strided>, B, Barrier>>();
  };
  pair.template operator()<dma::SingleBuffer<TwoGroups>, dma::SingleBuffer<TwoGroups, 1>>();
  pair.template operator()<dma::ManualDoubleBuffer<TwoGroups>, dma::ManualDoubleBuffer<TwoGroups, 1>>();
  pair.template operator()<dma::DoubleBuffer<FourGroups>, dma::DoubleBuffer<FourGroups, 2>>();
  pair.template operator()<dma::MultiBuffer<TwoGroups, 3>, dma::SingleBuffer<TwoGroups, 1>>();
}

/// Input and output of a kernel that streams `trips` tiles a loop, and the check: what must have been copied, by a walk
/// over matrix coordinates that knows nothing of runs or pieces.
template <class Pattern>
struct Buffers {
  static constexpr float untouched = -1.0F;

  int tiles;
  int short_every;
  std::vector<float> in;
  std::vector<float> out;

  Buffers(int trips, int short_every_)
      : tiles(passes * trips),
        short_every(short_every_),
        in(static_cast<std::size_t>(tiles * tile_stride<Pattern> + 64)),
        out(in.size(), untouched) {
    for (std::size_t i = 0; i < in.size(); ++i) {
      in[i] = static_cast<float>(i);
    }
  }

  /// Elements that differ from what they should be: wrong, missing, or written where no tile reaches.
  [[nodiscard]] int wrong() const {
    std::vector<float> expected(in.size(), untouched);
    for (int tile = 0; tile < tiles; ++tile) {
      const Pattern shape = shape_of<Pattern>(tile, short_every);
      const auto copy = [&](int offset) {
        const auto i = static_cast<std::size_t>(tile * tile_stride<Pattern> + offset);
        expected[i] = in[i];
      };
      if constexpr (Pattern::max_run_count == 1) {
        for (int i = 0; i < shape.elements; ++i) {
          copy(i);
        }
      } else {
        for (int row = 0; row < shape.rows; ++row) {
          for (int col = 0; col < shape.cols; ++col) {
            copy(row * source_pitch + col);
          }
        }
      }
    }
    int count = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      count += out[i] == expected[i] ? 0 : 1;
    }
    return count;
  }
};

}  // namespace streams
