#pragma once

/// A pattern of one to five axes, as a user would write one for tensor maps.

#include <dma/config.hpp>
#include <dma/engines/tensor/tensor_map.hpp>
#include <dma/patterns/box.hpp>
#include <dma/patterns/transfer_pattern.hpp>

namespace shapes {

/// A box of 8 x 3 x 2 x 2 x 2 floats, the innermost axis first, out of an array of 12 x 5 x 3 x 3 x 3: of the first
/// `Axes` of these axes.
template <int Axes, dma::OutsideArray Outside = dma::OutsideArray::zero>
struct AxisBox {
  using Element = float;
  static constexpr dma::OutsideArray outside = Outside;

  DMA_HOST_DEVICE static constexpr int length(int axis) { return axis == 0 ? 8 : axis == 1 ? 3 : 2; }
  DMA_HOST_DEVICE static constexpr int array_length(int axis) { return axis == 0 ? 12 : axis == 1 ? 5 : 3; }

  static constexpr int max_run_count = Axes == 1 ? 1 : 3 << (Axes - 2);
  static constexpr int max_run_bytes = 32;
  static constexpr int run_alignment = 16;
  static constexpr dma::PatternTraits traits{.runs_are_uniform = true};
  static constexpr int tile_bytes = max_run_count * max_run_bytes;
  static constexpr long long count = max_run_count * 8;

  int position[Axes] = {};
  float fill = 0;

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_full() const {
    bool is_inside = true;
    for (int axis = 0; axis < Axes; ++axis) {
      is_inside = is_inside && inside(axis).is_all_of(length(axis));
    }
    return is_inside;
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int size() const { return static_cast<int>(count); }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int run_count() const {
    int runs = inside(0).count() == 0 ? 0 : 1;
    for (int axis = 1; axis < Axes; ++axis) {
      runs *= inside(axis).count();
    }
    return runs;
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr dma::Run run_at(int run) const {
    const dma::detail::Inside cols = inside(0);
    long long global = (position[0] + cols.first) * 4LL;
    int shared = cols.first * 4;
    long long pitch = array_length(0) * 4LL;
    int shared_pitch = max_run_bytes;
    for (int axis = 1; axis < Axes; ++axis) {
      const int place = inside(axis).first + run % inside(axis).count();
      run /= inside(axis).count();
      global += (position[axis] + place) * pitch;
      shared += place * shared_pitch;
      pitch *= array_length(axis);
      shared_pitch *= length(axis);
    }
    return {global, shared, cols.count() * 4};
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_padding(int element) const {
    bool is_outside = false;
    for (int axis = 0; axis < Axes; ++axis) {
      is_outside = is_outside || !inside(axis).has(element % length(axis));
      element /= length(axis);
    }
    return is_outside;
  }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int place_of(int element) { return element; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr float fill_value() const { return fill; }

  [[nodiscard]] DMA_HOST_DEVICE constexpr dma::Box<Axes> box() const {
    dma::Box<Axes> box{};
    long long pitch = 4;
    for (int axis = 0; axis < Axes; ++axis) {
      box.extents[axis] = length(axis);
      box.array_extents[axis] = array_length(axis);
      box.pitch_bytes[axis] = pitch;
      box.position[axis] = position[axis];
      pitch *= array_length(axis);
    }
    return box;
  }

 private:
  [[nodiscard]] DMA_HOST_DEVICE constexpr dma::detail::Inside inside(int axis) const {
    return dma::detail::clip(length(axis), position[axis], array_length(axis));
  }
};

/// By coordinates, and pitches that are written out.
template <int Axes, dma::OutsideArray Outside, class Move, class Fill>
void visit(const AxisBox<Axes, Outside>& shape, const Move& move, const Fill& fill) {
  constexpr int pitch[] = {1, 12, 60, 180, 540};
  constexpr int tile_pitch[] = {1, 8, 24, 48, 96};
  constexpr int lengths[] = {8, 3, 2, 2, 2};
  constexpr int array_lengths[] = {12, 5, 3, 3, 3};
  int place[5] = {};
  const auto last = [&](int axis) { return axis < Axes ? lengths[axis] : 1; };
  for (place[4] = 0; place[4] < last(4); ++place[4]) {
    for (place[3] = 0; place[3] < last(3); ++place[3]) {
      for (place[2] = 0; place[2] < last(2); ++place[2]) {
        for (place[1] = 0; place[1] < last(1); ++place[1]) {
          for (place[0] = 0; place[0] < last(0); ++place[0]) {
            long long global = 0;
            int shared = 0;
            bool is_inside = true;
            for (int axis = 0; axis < Axes; ++axis) {
              const int at = shape.position[axis] + place[axis];
              is_inside = is_inside && at >= 0 && at < array_lengths[axis];
              global += 4LL * at * pitch[axis];
              shared += 4 * place[axis] * tile_pitch[axis];
            }
            if (is_inside) {
              move(global, shared, 4);
            } else {
              fill(shared, shape.fill);
            }
          }
        }
      }
    }
  }
}

}  // namespace shapes
