#pragma once

#include <dma/dma.hpp>

namespace scan {

/// Where the tiles of a scan say their sums, in global memory: zero before the first launch, and never cleared.
///
/// A word has 4 bytes of a sum and above them the number of the launch that wrote it, so that a word says by itself
/// whether it is there: no fence, and no launch that clears it.
struct TileSums {
  unsigned long long* launches;  ///< above, how many there were; below, the CTAs that have begun in this one
  unsigned long long* words;     ///< for each 4 bytes of a sum those of all tiles
  int tiles;                     ///< that there is room for
};

/// The value of another lane. @pre All 32 lanes call it.
template <class T>
[[nodiscard]] DMA_HOST_DEVICE T of_lane(const dma::Cta& cta, const T& value, int lane) {
  constexpr int words = (sizeof(T) + 3) / 4;
  unsigned parts[words] = {};
  memcpy(parts, &value, sizeof value);
  dma::unrolled<words>([&](auto i) { parts[i] = cta.shuffle(parts[i], lane); });
  T other;
  memcpy(&other, parts, sizeof other);
  return other;
}

/// The sums of one launch: a CTA says those of its tiles, and looks back at those of the tiles before.
template <class T>
class LookBack {
  using Word = dma::atomic_ref<unsigned long long, dma::Scope::gpu>;
  static_assert(sizeof(T) % 4 == 0, "scan: a sum is said in words of 4 bytes; scan a type whose size is a multiple");
  static constexpr int parts = sizeof(T) / 4;

 public:
  /// A CTA begins: one thread calls it, before the CTA says a sum.
  ///
  /// @return  the counter's word, for `number_of_launch`: nothing waits for it before that
  [[nodiscard]] DMA_HOST_DEVICE static unsigned long long begin(const TileSums& sums) {
    return Word(*sums.launches).fetch_add(1, dma::Order::relaxed);
  }
  /// The number of the launch, from 1 on. The last CTA to begin counts it.
  [[nodiscard]] DMA_HOST_DEVICE static unsigned number_of_launch(const TileSums& sums, unsigned long long begun,
                                                                 int ctas) {
    const unsigned launches = static_cast<unsigned>(begun >> 32U);
    if (static_cast<unsigned>(begun) == static_cast<unsigned>(ctas) - 1) {
      Word(*sums.launches).store(static_cast<unsigned long long>(launches + 1) << 32U, dma::Order::relaxed);
    }
    return launches + 1;
  }

  DMA_HOST_DEVICE LookBack(const TileSums& sums, unsigned launch) : sums_(sums), launch_(launch) {}

  /// Says a tile's sum. One thread calls it.
  DMA_HOST_DEVICE void say(int tile, const T& sum) const {
    unsigned values[parts];
    memcpy(values, &sum, sizeof sum);
    dma::unrolled<parts>([&](auto i) {
      Word(word(tile, i)).store(static_cast<unsigned long long>(launch_) << 32U | values[i], dma::Order::relaxed);
    });
  }
  /// The sums of `Count` tiles from `first` on, of those before `last`: waits until all of them are there. Each round
  /// reads all words, so that it takes as long as one read.
  template <int Count>
  DMA_HOST_DEVICE void wait_for(int first, int last, T (&sums)[Count]) const {
    unsigned values[Count][parts];
    bool are_there = false;
    while (!are_there) {
      are_there = true;
      dma::unrolled<Count>([&](auto i) {
        dma::unrolled<parts>([&](auto part) {
          if (first + i < last) {
            const unsigned long long said = Word(word(first + i, part)).load(dma::Order::relaxed);
            values[i][part] = static_cast<unsigned>(said);
            are_there = are_there && static_cast<unsigned>(said >> 32U) == launch_;
          }
        });
      });
    }
    dma::unrolled<Count>([&](auto i) {
      if (first + i < last) {
        memcpy(&sums[i], values[i], sizeof(T));
      }
    });
  }

 private:
  [[nodiscard]] DMA_HOST_DEVICE unsigned long long& word(int tile, int part) const {
    return sums_.words[static_cast<long long>(part) * sums_.tiles + tile];
  }

  TileSums sums_;
  unsigned launch_;
};

}  // namespace scan
