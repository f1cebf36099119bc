#pragma once

/// Transforms of real points by complex ones of half as many points: point j of the complex transform has the real
/// points 2 j and 2 j + 1. With E and O the transforms of the even and the odd real points, its results are
/// Z = E + i O. Those of the real points are X[k] = E[k] + w^k O[k], where w = exp(-2 pi i / (2 points)). Results k and
/// points - k of E are conjugates, and those of O, so that such a pair of Z gives both of X, and the other way round.

#include "shape.hpp"
#include "twiddle.hpp"

#include <dma/dma.hpp>

namespace fft {

/// Result k, and the conjugate of result points - k.
struct Pair {
  Complex at_k;
  Complex mirrored;
};

/// A pair of X, twice, of a pair of Z; with the conjugate of the factor, a pair of Z of a pair of X.
///
/// @param pair    the second one not conjugated
/// @param factor  -i w^k
[[nodiscard]] DMA_HOST_DEVICE constexpr Pair untangled(const Pair& pair, Complex factor) {
  const Complex conjugate = conjugated(pair.mirrored, -1);
  const Complex sum = pair.at_k + conjugate;
  const Complex turned = (pair.at_k - conjugate) * factor;
  return {sum + turned, sum - turned};
}

/// -i w^k, as a root of unity: a quarter of a turn is half of the complex transform's points.
///
/// @param log_real  logarithm of the real points
[[nodiscard]] DMA_HOST_DEVICE Complex untangling_factor(int k, int log_real) {
  return root_of_unity(static_cast<unsigned>(k + (1 << (log_real - 2))), log_real);
}

/// A pass that only untangles, from Z to X, or with a negative `sign_in` from X to Z; may be in place. Column k of
/// `problem` is the pair of results k and points - k, and column 0 also has result points / 2, which is its own pair.
///
/// Cost  reads and writes every point once more
template <PassShape shape>
struct UntanglePass {
  static constexpr int threads = shape.threads();
  using Layout = dma::WarpLayout<dma::Compute<threads / dma::warp_size>>;
  static constexpr dma::KernelTraits traits{.min_ctas = shape.ctas_an_sm, .programmatic_launch = true};

  DMA_HOST_DEVICE void operator()(dma::KernelCta<UntanglePass>& cta, const PassProblem& problem) const {
    cta.grid_dependency_wait();
    const TilePlace place(problem, shape.columns, cta.block().x);
    const Complex* const from = problem.from + place.offset(problem.in);
    Complex* const to = problem.to + place.offset(problem.out);
    const bool is_inverse = problem.sign_in < 0;
    const float scale = is_inverse ? 1.0F : 0.5F;
    const int middle = problem.columns_in_all;
    const int first = place.first_column + cta.thread();
    Pair pairs[pairs_a_thread]{};
    dma::unrolled<pairs_a_thread>([&](auto i) {
      const int k = first + i * threads;
      if (k < middle) {
        // Z repeats after its points, X has one more.
        pairs[i] = {from[k], from[k == 0 && !is_inverse ? 0 : 2 * middle - k]};
      }
    });
    dma::unrolled<pairs_a_thread>([&](auto i) {
      const int k = first + i * threads;
      if (k < middle) {
        const Pair pair = untangled(pairs[i], conjugated(untangling_factor(k, problem.log_twiddles), problem.sign_in));
        to[k] = pair.at_k * scale;
        if (k > 0 || !is_inverse) {
          to[2 * middle - k] = conjugated(pair.mirrored, -1) * scale;
        }
        if (k == 0) {
          to[middle] = conjugated(from[middle], -1) * (2 * scale);
        }
      }
    });
  }
};

}  // namespace fft
