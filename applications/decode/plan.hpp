#pragma once

/// How decoding is divided among CTAs: a list that a host makes, or a kernel, and that each CTA's warps walk along.

#include "../stream_k.hpp"

#include <dma/dma.hpp>
#include <dma/vector.hpp>

#if !defined(__CUDACC_RTC__)
#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>
#endif

namespace decode {

/// Keys of one head of a sequence, to which one CTA attends.
struct alignas(16) Segment {
  int batch = 0;
  int keys = 0;    ///< of the sequence
  int first = 0;   ///< key
  int end = 0;     ///< behind the last key; none of an empty sequence is before it
  int next = 0;    ///< in the list, of the same CTA; 0 behind its last
  int slot = 0;    ///< in the workspace, of the head's first part, where it has several
  short head = 0;  ///< of keys
  short part = 0;
  short parts = 0;   ///< of the head; none where a CTA has no work
  short stride = 0;  ///< from the CTA of a part to that of the next

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_last() const { return next == 0; }
  /// The slot of one of the head's parts. A CTA has two: for the head whose last keys it has, and for the one whose
  /// first.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int slot_of(int of_part) const {
    return of_part == 0 ? slot : slot - 1 + 2 * of_part * stride;
  }
};

/// A segment of the list, which no earlier grid writes.
[[nodiscard]] DMA_HOST_DEVICE Segment segment_at(const Segment* from) {
  constexpr int parts = sizeof(Segment) / sizeof(dma::Vector<int>);
  dma::Vector<int> words[parts];
  dma::unrolled<parts>([&](auto i) { words[i] = dma::load_global(dma::constant(dma::vectors(&from->batch) + i)); });
  Segment segment;
  memcpy(&segment, words, sizeof segment);
  return segment;
}

/// The keys of all sequences, one after another, in units of `unit` keys. There is a line of them for each head: CTAs
/// that run at the same time then read the heads of the same keys, which are neighbours in memory. An empty sequence
/// counts as a unit, since its zeros are written.
struct Division {
  int batches;
  int kv_heads;
  int unit;
  int most_ctas;
  const int* lengths;  ///< keys of each sequence
  const int* before;   ///< units of a head of the sequences before each, and of all: `batches` + 1

  /// A unit of a line.
  struct Place {
    int batch;
    int head;   ///< of those of the line
    int first;  ///< its number in the head
    int units;  ///< of the head
  };

  [[nodiscard]] DMA_HOST_DEVICE static constexpr int units_of(int keys, int unit) {
    return keys <= 0 ? 1 : (keys + unit - 1) / unit;
  }
  /// Lines: one for all heads where there are more of these than CTAs.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int lines() const { return kv_heads <= most_ctas ? kv_heads : 1; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int heads_of_line() const { return kv_heads / lines(); }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int ctas_of_line() const { return most_ctas / lines(); }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int ctas() const { return lines() * ctas_of_line(); }
  /// Segments of the list: of each CTA the first, then those of each head that are none's first.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int count() const { return ctas() + batches * kv_heads; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int slots() const { return 2 * ctas(); }

  /// Of the CTAs of a line, of which those that have work are the first.
  [[nodiscard]] DMA_HOST_DEVICE constexpr Shares<long long> shares() const {
    const long long units = static_cast<long long>(before[batches]) * heads_of_line();
    return {units, units < ctas_of_line() ? static_cast<int>(units) : ctas_of_line()};
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr Place place_of(long long at) const {
    const int heads = heads_of_line();
    int batch = 0;
    for (int last = batches - 1; batch < last;) {
      const int middle = (batch + last + 1) / 2;
      if (static_cast<long long>(before[middle]) * heads <= at) {
        batch = middle;
      } else {
        last = middle - 1;
      }
    }
    const int own = before[batch + 1] - before[batch];
    const long long within = at - static_cast<long long>(before[batch]) * heads;
    return {batch, static_cast<int>(within / own), static_cast<int>(within % own), own};
  }

  /// Writes the segments of a CTA: those of heads that it shares first, so that the parts of these are added up while
  /// it has other work.
  DMA_HOST_DEVICE constexpr void write(int cta, Segment* list) const {
    const Shares<long long> of_ctas = shares();
    const int rank = cta / lines();
    long long at = of_ctas.first_of(rank);
    long long end = of_ctas.first_of(rank + 1);
    list[cta] = {};
    if (at == end) {
      return;
    }
    Segment* last = nullptr;
    const auto take = [&](const Place& place, int units) {
      const int head = place.head * lines() + cta % lines();
      const int index = last == nullptr ? cta : ctas() + place.batch * kv_heads + head;
      if (last != nullptr) {
        last->next = index;
      }
      last = list + index;
      *last = segment_of(of_ctas, place, units, cta, head);
    };
    const Place first = place_of(at);
    if (first.first > 0) {
      const int left = first.units - first.first;
      const int units = left < end - at ? left : static_cast<int>(end - at);
      take(first, units);
      at += units;
    }
    const Place behind = place_of(end - 1);
    if (at < end && behind.first + 1 < behind.units) {
      end -= behind.first + 1;
      take({behind.batch, behind.head, 0, behind.units}, behind.first + 1);
    }
    while (at < end) {
      const Place whole = place_of(at);
      take(whole, whole.units);
      at += whole.units;
    }
  }

 private:
  [[nodiscard]] DMA_HOST_DEVICE constexpr Segment segment_of(const Shares<long long>& of_ctas, const Place& place,
                                                             int units, int cta, int head) const {
    const long long begin = static_cast<long long>(before[place.batch]) * heads_of_line() +
                            static_cast<long long>(place.head) * place.units;
    const int first_rank = of_ctas.cta_of(begin);
    const int part = cta / lines() - first_rank;
    const int end = (place.first + units) * unit;
    Segment segment;
    segment.batch = place.batch;
    segment.keys = lengths[place.batch];
    segment.first = place.first * unit;
    segment.end = end < segment.keys ? end : segment.keys;
    segment.slot = 2 * (cta - part * lines()) + 1;
    segment.head = static_cast<short>(head);
    segment.part = static_cast<short>(part);
    segment.parts = static_cast<short>(of_ctas.cta_of(begin + place.units - 1) - first_rank + 1);
    segment.stride = static_cast<short>(lines());
    return segment;
  }
};

#if !defined(__CUDACC_RTC__)
/// Throws for a division that no plan has.
inline void expect_divisible(int batches, int kv_heads, int unit, int ctas) {
  if (batches < 1 || kv_heads < 1 || kv_heads > 32767 || unit < 1 || ctas < 1 || ctas > 32767) {
    throw std::invalid_argument("decode: there are " + std::to_string(batches) + " sequences of " +
                                std::to_string(kv_heads) + " heads of keys, units of " + std::to_string(unit) +
                                " keys and " + std::to_string(ctas) +
                                " CTAs; give a plan at least one of each, and at most 32767 heads and CTAs");
  }
}

/// The work of all CTAs. CTA i begins with segment i.
struct Plan {
  std::vector<Segment> segments;
  int ctas;
  int slots;  ///< of the workspace
  int batches;
  int kv_heads;
  int unit;
  int keys;  ///< of the longest sequence
};

/// The plan of sequences of these lengths, in units of `unit` keys.
///
/// @throw std::invalid_argument  no sequence, a negative length, or numbers that no plan has
[[nodiscard]] inline Plan make_plan(const std::vector<int>& lengths, int kv_heads, int unit, int most_ctas) {
  expect_divisible(static_cast<int>(lengths.size()), kv_heads, unit, most_ctas);
  std::vector<int> before{0};
  for (const int keys : lengths) {
    if (keys < 0) {
      throw std::invalid_argument("decode: a sequence has " + std::to_string(keys) + " keys; give 0 or more");
    }
    before.push_back(before.back() + Division::units_of(keys, unit));
  }
  const Division division{static_cast<int>(lengths.size()), kv_heads, unit, most_ctas, lengths.data(), before.data()};
  Plan plan{std::vector<Segment>(static_cast<std::size_t>(division.count())),
            division.ctas(),
            division.slots(),
            division.batches,
            kv_heads,
            unit,
            *std::max_element(lengths.begin(), lengths.end())};
  for (int cta = 0; cta < plan.ctas; ++cta) {
    division.write(cta, plan.segments.data());
  }
  return plan;
}

/// Throws for a plan that is none of a problem's, or of a kernel whose boxes have `box_rows` keys.
inline void expect_plan_of(const Plan& plan, int batches, int kv_heads, int keys, int box_rows) {
  if (plan.batches != batches || plan.kv_heads != kv_heads || plan.keys > keys || plan.unit % box_rows != 0) {
    throw std::invalid_argument("decode: the plan has " + std::to_string(plan.kv_heads) + " heads of " +
                                std::to_string(plan.batches) + " sequences of up to " + std::to_string(plan.keys) +
                                " keys in units of " + std::to_string(plan.unit) + ", and there are " +
                                std::to_string(kv_heads) + " of " + std::to_string(batches) + " of up to " +
                                std::to_string(keys) + " in boxes of " + std::to_string(box_rows) +
                                "; make a plan of this problem's lengths, in units of the kernel's");
  }
}
#endif

}  // namespace decode
