#pragma once

#include <dma/dma.hpp>
#include <dma/engines/tensor/host_tensor_map.hpp>
#include <dma/host/launch.hpp>
#include <dma/machine/readable.hpp>

#include "kernels/round_trip.hpp"
#include "kernels/shapes.hpp"
#include "mutants/cases.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

/// Cases that load tiles of several shapes by a pattern and store them by the same pattern.
namespace mutants {

/// Loads each shape's tile, notes the bytes that arrived, and stores them again.
template <class Pattern, class Warps, class Barrier, class Engine>
struct ThereAndBack {
  using Layout = Warps;
  using In = dma::DmaPipeline<Pattern, dma::MultiBuffer<Warps, 2>, Barrier, Engine>;
  using Out =
      dma::DmaPipeline<dma::Store<Pattern>, dma::MultiBuffer<Warps, 2, dma::DmaGroups{.first = 1}>, Barrier, Engine>;
  struct Shared {
    typename In::Storage in;
    typename Out::Storage out;
  };

  /// @param holds_data  of each shape's `Pattern::tile_bytes`: whether an element, or padding, is there
  void operator()(dma::KernelCta<ThereAndBack>& cta, const round_trip::Job<Pattern>& job,
                  const unsigned char* holds_data) const {
    auto& shared = cta.template shared<Shared>();
    In in(cta, shared.in);
    Out out(cta, shared.out);
    if (in.is_dma()) {
      for (int i = 0; i < job.count; ++i) {
        if constexpr (dma::detail::TakesArrays<Engine, Pattern>) {
          in.as_dma().load(*job.in_map, job.shapes[i]);
        } else {
          in.as_dma().load(reinterpret_cast<const Element*>(job.in), job.shapes[i]);
        }
      }
    } else if (out.is_dma()) {
      for (int i = 0; i < job.count; ++i) {
        if constexpr (dma::detail::TakesArrays<Engine, Pattern>) {
          out.as_dma().store(job.out_maps[i], job.shapes[i]);
        } else {
          out.as_dma().store(reinterpret_cast<Element*>(job.out + i * job.out_stride_bytes), job.shapes[i]);
        }
      }
    } else {
      const auto compute = in.as_compute();
      for (int i = 0; i < job.count; ++i) {
        const auto full = compute.wait(job.shapes[i]);
        const auto empty = out.as_compute().wait(job.shapes[i]);
        const auto* from = reinterpret_cast<const unsigned char*>(full.data());
        auto* to = reinterpret_cast<unsigned char*>(empty.data());
        const long long first = static_cast<long long>(i) * Pattern::tile_bytes;
        constexpr int size = sizeof(Element);
        for (int byte = compute.rank() * size; byte < Pattern::tile_bytes; byte += compute.size() * size) {
          if (holds_data[first + byte] != 0) {
            std::memcpy(job.arrived + first + byte, from + byte, sizeof(Element));
            std::memcpy(to + byte, from + byte, sizeof(Element));
          }
        }
      }
    }
  }

 private:
  using Element = typename Pattern::Element;
};

/// A few shapes of a pattern with their memory: at most `Pairs` of a shape from the list's begin and one from its end.
template <class Pattern, class Engine, std::size_t Pairs>
class RoundTrip {
 public:
  RoundTrip() : indices_(shapes::indices_for<int, Pattern>()) {
    const std::vector<Pattern> all = shapes::all<Pattern>(indices_);
    std::vector<Pattern> usable{};
    for (const Pattern& shape : all) {
      if (round_trip::is_moved<Engine>(shape) && round_trip::is_stored<Engine>(shape)) {
        usable.push_back(std::is_same_v<Engine, dma::TensorCopy<>> ? round_trip::filled_by_map(shape) : shape);
      }
    }
    // The full tile first, where the list has it, so that slots are used again after short tiles.
    std::stable_partition(usable.begin(), usable.end(), [](const Pattern& shape) { return shape.is_full(); });
    const std::size_t step = usable.size() / Pairs + 1;
    for (std::size_t i = 0; i < usable.size(); i += step) {
      shapes_.push_back(usable[i]);
      shapes_.push_back(usable[usable.size() - 1 - i]);
    }
    reach_ = shapes::reach(shapes_);
    in_.resize(2 * reach_);
    for (std::size_t i = 0; i < in_.size(); ++i) {
      in_[i] = static_cast<unsigned char>((i * 7 + i / 251) % 211);
    }
    out_.assign(in_.size() * shapes_.size(), 0xee);
    arrived_.assign(Pattern::tile_bytes * shapes_.size(), 0xee);
    holds_data_.assign(arrived_.size(), 0);
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      unsigned char* const tile = holds_data_.data() + i * Pattern::tile_bytes;
      shapes::visit(
          shapes_[i],
          [&](long long, int shared, int bytes) { std::memset(tile + shared, 1, static_cast<std::size_t>(bytes)); },
          [&](int shared, const auto& value) { std::memset(tile + shared, 1, sizeof value); });
    }
    if constexpr (std::is_same_v<Engine, dma::TensorCopy<>>) {
      for (std::size_t i = 0; i <= shapes_.size(); ++i) {
        unsigned char* const array = i < shapes_.size() ? out_.data() + reach_ + i * in_.size() : in_.data() + reach_;
        maps_.push_back(dma::host::tensor_map<Pattern>(reinterpret_cast<typename Pattern::Element*>(array),
                                                       shapes_[i % shapes_.size()]));
      }
    }
  }

  [[nodiscard]] round_trip::Job<Pattern> job() {
    return {shapes_.data(),
            static_cast<int>(shapes_.size()),
            in_.data() + reach_,
            out_.data() + reach_,
            static_cast<long long>(in_.size()),
            arrived_.data(),
            maps_.empty() ? nullptr : &maps_.back(),
            maps_.data()};
  }
  [[nodiscard]] std::vector<unsigned char>& out() { return out_; }
  [[nodiscard]] std::vector<unsigned char>& arrived() { return arrived_; }
  [[nodiscard]] const unsigned char* holds_data() const { return holds_data_.data(); }

  [[nodiscard]] bool is_right() const {
    int wrong = 0;
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      std::vector<unsigned char> expected(in_.size(), 0xee);
      const unsigned char* const tile = arrived_.data() + i * Pattern::tile_bytes;
      shapes::visit(
          shapes_[i],
          [&](long long global, int shared, int bytes) {
            const auto place = static_cast<std::size_t>(static_cast<long long>(reach_) + global);
            for (std::size_t byte = 0; byte < static_cast<std::size_t>(bytes); ++byte) {
              wrong += tile[static_cast<std::size_t>(shared) + byte] == in_[place + byte] ? 0 : 1;
              expected[place + byte] = in_[place + byte];
            }
          },
          [&](int shared, const auto& value) { wrong += round_trip::holds(tile + shared, value) ? 0 : 1; });
      wrong += std::equal(expected.begin(), expected.end(), out_.begin() + static_cast<std::ptrdiff_t>(i * in_.size()))
                   ? 0
                   : 1;
    }
    return wrong == 0;
  }

 private:
  std::vector<int> indices_;
  std::vector<Pattern> shapes_;
  std::size_t reach_ = 0;
  std::vector<unsigned char> in_, out_, arrived_, holds_data_;
  std::vector<dma::TensorMap<Pattern>> maps_;
};

template <class Pattern, class Engine, class Barrier = dma::CudaBarrier, int Warps = 1, std::size_t Pairs = 3>
void add_round_trip(Cases& cases) {
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<Warps>, dma::Dma<Warps>>;
  using Kernel = ThereAndBack<Pattern, Layout, Barrier, Engine>;
  cases.push_back({"there and back, " + dma::machine::readable(dma::machine::type_name<typename Kernel::In>()),
                   [] {
                     RoundTrip<Pattern, Engine, Pairs> data;
                     return dma::proof::prove(writes(data.out(), data.arrived()), Kernel{}, {1}, data.job(),
                                              data.holds_data());
                   },
                   [] {
                     RoundTrip<Pattern, Engine, Pairs> data;
                     dma::host::launch({3}, Kernel{}, {1}, data.job(), data.holds_data());
                     return data.is_right();
                   }});
}

}  // namespace mutants
