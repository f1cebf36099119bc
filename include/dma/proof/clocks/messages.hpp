#pragma once

#include <dma/machine/scope.hpp>
#include <dma/proof/clocks/vector_clock.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// What the writes of atomic locations carry: what their threads did and knew before a release, for the threads that
/// read them and acquire; and who observes each write, by which it is before what follows there.
///
/// A release is a write that releases, or a later write of its thread there, or one behind a fence; an acquire is a
/// read that acquires, or one before such a read of its location, or before a fence. A read-modify-write hands on what
/// it reads. First and last of it are in the scopes of each other.
///
/// Source  PTX ISA, "Release and Acquire Patterns", "Observation Order", "Causality Order"
class Messages {
 public:
  using Clock = std::shared_ptr<const VectorClock>;
  /// From where a release is, and for whom.
  struct Sender {
    int cta;
    int cluster;
    Scope scope;

    [[nodiscard]] bool reaches(const Sender& other) const { return includes(other) && other.includes(*this); }
    friend bool operator==(const Sender& left, const Sender& right) {
      return left.cta == right.cta && left.cluster == right.cluster && left.scope == right.scope;
    }

   private:
    /// Whether its scope has another thread in it.
    [[nodiscard]] bool includes(const Sender& other) const {
      return scope == Scope::cta ? cta == other.cta : scope == Scope::cluster ? cluster == other.cluster : true;
    }
  };
  struct Part {
    Sender sender;
    Clock clock;
  };
  using Parts = std::vector<Part>;
  /// An access that sees a write: an agent's, when its clock has this epoch.
  struct Observation {
    int agent;
    std::uint32_t epoch;
    int write;  ///< that it makes there itself, and hands on who observes; 0 for none
  };

  Messages(std::size_t agents, std::size_t locations) : agents_(agents), locations_(locations) {}

  /// Whether the write of a location has been made. The first value is there.
  [[nodiscard]] bool is_made(int location, int write) const {
    const auto& writes = at(location).writes;
    return write <= 0 || (static_cast<std::size_t>(write) < writes.size() && writes[index(write)].is_made);
  }
  /// The agent waits for one.
  void wait(int location, int agent) { at(location).waiting.push_back(agent); }
  [[nodiscard]] std::vector<int> take_waiting(int location) { return std::exchange(at(location).waiting, {}); }

  /// An agent reads a write. Calls `join(clock)` with what it is ordered after.
  template <class Join>
  void read(int agent, int location, int write, const Sender& reader, bool acquires, const Join& join) {
    Parts& read = agents_[index(agent)].read[location];
    if (const Write* const made = seen_by(reader, location, write)) {
      add_all(read, made->parts);
    }
    if (acquires) {
      join_all(read, reader, join);
    }
  }
  /// It writes, and knows this. @param from  the write that it reads, 0 or less for none
  void write(int agent, int location, int number, int from, const Sender& writer, bool releases,
             const VectorClock& knows) {
    Agent& self = agents_[index(agent)];
    if (releases) {
      add(self.released[location], {writer, std::make_shared<const VectorClock>(knows)});
    }
    auto& writes = at(location).writes;
    if (writes.size() <= static_cast<std::size_t>(number)) {
      writes.resize(static_cast<std::size_t>(number) + 1);
    }
    Write made{.is_made = true, .sender = writer};
    if (const Write* const before = seen_by(writer, location, from)) {
      made.parts = before->parts;
    }
    if (const auto own = self.released.find(location); own != self.released.end()) {
      add_all(made.parts, own->second);
    }
    add_all(made.parts, self.fenced);
    writes[index(number)] = std::move(made);
  }
  /// An access reads a write, as a part of a read-modify-write too.
  void observe(int location, int write, const Sender& reader, const Observation& observer) {
    if (seen_by(reader, location, write) != nullptr) {
      at(location).writes[index(write)].observers.push_back(observer);
    }
  }
  /// Whether what observes a write is known: `knows(agent, epoch)`.
  template <class Knows>
  [[nodiscard]] bool is_observed(int location, int write, const Knows& knows) const {
    const auto& writes = at(location).writes;
    for (std::vector<int> open{write}; !open.empty();) {
      const Write& made = writes[index(open.back())];
      open.pop_back();
      for (const Observation& it : made.observers) {
        if (knows(it.agent, it.epoch)) {
          return true;
        }
        if (it.write > 0) {
          open.push_back(it.write);
        }
      }
    }
    return false;
  }
  /// What the agent's fences have released, for a write behind them.
  [[nodiscard]] const Parts& fenced(int agent) const { return agents_[index(agent)].fenced; }
  /// Calls `join(clock)` with the parts that are for the reader.
  template <class Join>
  static void join_all(const Parts& parts, const Sender& reader, const Join& join) {
    for (const Part& part : parts) {
      if (part.sender.reaches(reader)) {
        join(*part.clock);
      }
    }
  }
  static void add_all(Parts& parts, const Parts& more) {
    for (const Part& part : more) {
      add(parts, part);
    }
  }
  /// Those of one sender become one.
  static void add(Parts& parts, const Part& part) {
    const auto same =
        std::find_if(parts.begin(), parts.end(), [&](const Part& other) { return other.sender == part.sender; });
    if (same == parts.end()) {
      parts.push_back(part);
    } else if (same->clock != part.clock) {
      auto both = std::make_shared<VectorClock>(*same->clock);
      both->join(*part.clock);
      same->clock = std::move(both);
    }
  }
  /// An ordinary write that only its observers order is over it: no later access sees it.
  void overwrite(int location, int write) { at(location).writes[index(write)].is_over = true; }
  /// A fence between threads. Calls `join(clock)` as a read does; `knows()` is the agent's clock then.
  template <class Join, class Knows>
  void fence(int agent, const Sender& fence, bool acquires, bool releases, const Join& join, const Knows& knows) {
    Agent& self = agents_[index(agent)];
    if (acquires) {
      for (const auto& [location, read] : self.read) {
        join_all(read, fence, join);
      }
    }
    if (releases) {
      add(self.fenced, {fence, std::make_shared<const VectorClock>(knows())});
    }
  }

 private:
  struct Write {
    bool is_made = false;
    bool is_over = false;
    Sender sender{0, 0, Scope::cta};
    Parts parts = {};
    std::vector<Observation> observers = {};
  };
  struct Location {
    std::vector<Write> writes;
    std::vector<int> waiting;  ///< agents
  };
  struct Agent {
    std::map<int, Parts> read;      ///< by location: what the writes that it has read carry
    std::map<int, Parts> released;  ///< by location: what it has released there
    Parts fenced;                   ///< by its fences
  };

  [[nodiscard]] static std::size_t index(int number) { return static_cast<std::size_t>(number); }
  [[nodiscard]] Location& at(int location) { return locations_[index(location)]; }
  [[nodiscard]] const Location& at(int location) const { return locations_[index(location)]; }
  /// A write that an access of this scope reads, null for none.
  [[nodiscard]] const Write* seen_by(const Sender& reader, int location, int write) const {
    if (write <= 0) {
      return nullptr;
    }
    const Write& made = at(location).writes[index(write)];
    return !made.is_over && made.sender.reaches(reader) ? &made : nullptr;
  }

  std::vector<Agent> agents_;
  std::vector<Location> locations_;
};

}  // namespace dma::inline v0_1::proof::detail
