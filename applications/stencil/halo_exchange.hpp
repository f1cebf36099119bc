#pragma once

/// Steps of a stencil over the slabs of a domain, and how the slabs get the planes of their neighbours.

#include "field.hpp"
#include "ranks.hpp"
#include "slab_epilogue.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace stencil {

/// How slabs exchange planes. In each step and for each slab `await` comes before the march, which calls `take` in the
/// kernel as soon as an end is finished, and `send` after all marches have been started: it sends the ends of the
/// fields that the step writes, which have the slabs' indices, to the ghosts of the neighbours' fields.
template <class X, class T>
concept HaloExchange = requires(X exchange, const Slab& slab, const std::vector<Slab>& slabs,
                                const std::vector<Field<T>>& written) {
  { exchange.name() } -> std::convertible_to<const char*>;
  exchange.await(slab);
  exchange.take(slab);
  exchange.send(slabs, written);
};

/// One step of all slabs that this process has. `march(slab, take)` starts the march of one.
template <class T, HaloExchange<T> Exchange, class March>
void step(const std::vector<Slab>& slabs, Exchange& exchange, const std::vector<Field<T>>& written,
          const March& march) {
  for (const Slab& slab : slabs) {
    exchange.await(slab);
    march(slab, exchange.take(slab));
  }
  exchange.send(slabs, written);
}

/// A step of a wave over one slab, whose fields have ghosts before its own planes.
template <class T, class Medium>
[[nodiscard]] StepWaveFrom<T> wave_step(const Medium& medium, const Slab& slab, const Field<T>& now,
                                        const Field<T>& before, T source) {
  const bool has_source = medium.source_z >= slab.first && medium.source_z < slab.last;
  return {{now.data, before.data, medium.upper, medium.lower, slab.local(medium.interface)},
          has_source ? now.at(medium.source_x, medium.source_y, slab.local(medium.source_z)) : -1,
          source};
}

/// Completes, in every process, rows of which each has those of its slab: row z is the domain's plane `first + z`, of
/// `count`, and has `size` values. Without ranks they are complete.
template <class T>
void gather_rows(const Ranks* ranks, const std::vector<Slab>& slabs, int first, int count, std::size_t size, T* rows) {
  if (ranks == nullptr) {
    return;
  }
  const std::size_t values = size * static_cast<std::size_t>(count);
  std::vector<T> all(values * slabs.size());
  ranks->all_gather(rows, values * sizeof(T), all.data());
  for (const Slab& slab : slabs) {
    for (int z = std::max(first, slab.first); z < std::min(first + count, slab.last); ++z) {
      const std::size_t row = size * static_cast<std::size_t>(z - first);
      std::copy_n(all.data() + values * static_cast<std::size_t>(slab.index) + row, size, rows + row);
    }
  }
}

/// The planes that a slab sends to a neighbour, in its own field and in the neighbour's.
template <class T>
struct SentPlanes {
  const T* from;
  T* to;
  std::size_t elements;
};
template <class T>
[[nodiscard]] SentPlanes<T> sent_planes(const Slab& slab, const Slab& neighbour, End end, const Field<T>& from,
                                        const Field<T>& to) {
  const End opposite = end == End::below ? End::above : End::below;
  return {from.data + from.at(0, 0, slab.sent(end)), to.data + to.at(0, 0, neighbour.received(opposite)),
          static_cast<std::size_t>(from.plane_pitch() * slab.ghosts)};
}

/// Copies between slabs in the host's memory, which march one after another, or in a process each. Takes an end whose
/// flag the march has not raised for an error.
class HostCopy {
 public:
  /// @param slabs  of the domain
  explicit HostCopy(const std::vector<Slab>& slabs, const Ranks* ranks = nullptr)
      : slabs_(slabs), ranks_(ranks), flags_(slabs.size() * ends) {}

  [[nodiscard]] const char* name() const { return ranks_ == nullptr ? "copies on the host" : "messages"; }

  void await(const Slab&) const {}
  [[nodiscard]] RaiseFlag take(const Slab& slab) { return {flags_of(slab), step_}; }

  /// @param slabs  of this process
  template <class T>
  void send(const std::vector<Slab>& slabs, const std::vector<Field<T>>& written) {
    for (const Slab& slab : slabs) {
      expect_flag(slab, End::below);
      expect_flag(slab, End::above);
    }
    if (ranks_ != nullptr) {
      send_messages(slabs.front(), written);
    } else {
      for (const Slab& slab : slabs) {
        copy(slab, End::below, written);
        copy(slab, End::above, written);
      }
    }
    ++step_;
  }

 private:
  void expect_flag(const Slab& slab, End end) {
    const unsigned raised = flags_of(slab)[static_cast<int>(end)];
    if (raised != (slab.has(end) ? step_ : 0)) {
      throw std::logic_error("stencil::HostCopy: in step " + std::to_string(step_) + " slab " +
                             std::to_string(slab.index) + " set the flag of its " +
                             (end == End::below ? "lower" : "upper") + " end to " + std::to_string(raised) +
                             "; a march sets it to the step for each neighbour, and no other");
    }
  }
  template <class T>
  void copy(const Slab& slab, End end, const std::vector<Field<T>>& written) const {
    if (slab.has(end)) {
      const auto to = static_cast<std::size_t>(slab.neighbour(end));
      const SentPlanes<T> planes =
          sent_planes(slab, slabs_[to], end, written[static_cast<std::size_t>(slab.index)], written[to]);
      std::copy_n(planes.from, planes.elements, planes.to);
    }
  }
  /// Every process gets both ends of all slabs.
  template <class T>
  void send_messages(const Slab& slab, const std::vector<Field<T>>& written) const {
    const Field<T>& f = written[static_cast<std::size_t>(slab.index)];
    const auto size = static_cast<std::size_t>(f.plane_pitch() * slab.ghosts);
    std::vector<T> own(ends * size);
    std::vector<T> all(own.size() * slabs_.size());
    for (const End end : {End::below, End::above}) {
      if (slab.has(end)) {
        std::copy_n(f.data + f.at(0, 0, slab.sent(end)), size, own.data() + static_cast<std::size_t>(end) * size);
      }
    }
    ranks_->all_gather(own.data(), own.size() * sizeof(T), all.data());
    for (const End end : {End::below, End::above}) {
      if (slab.has(end)) {
        const auto neighbour = static_cast<std::size_t>(slab.neighbour(end));
        const std::size_t opposite = end == End::below ? 1 : 0;
        std::copy_n(all.data() + (neighbour * ends + opposite) * size, size, f.data + f.at(0, 0, slab.received(end)));
      }
    }
  }
  [[nodiscard]] unsigned* flags_of(const Slab& slab) { return &flags_[static_cast<std::size_t>(slab.index * ends)]; }

  std::vector<Slab> slabs_;
  const Ranks* ranks_;
  std::vector<unsigned> flags_;
  unsigned step_ = 1;
};

}  // namespace stencil
