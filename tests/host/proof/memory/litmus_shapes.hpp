#pragma once

#include "host/proof/memory/threads.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

// The 13 shapes of litmus tests, each in eight forms and in three places. What PTX allows is written here from its
// axioms and from the results published for it (Lustig and others, ASPLOS 2019), not from what is found.

namespace memory_tests::litmus {

enum Location { x, y, z };

/// How the accesses of a shape are ordered: by their own orders, or by a fence between them.
enum class Ordered { not_at_all, by_accesses, by_acq_rel, by_sc };

/// Where the threads of a shape are, with a scope that has all of them and a narrower one.
struct Where {
  const char* name;
  std::function<Place(int)> place;
  Scope wide;
  Scope narrow;
};

struct Form {
  const char* name;
  Ordered ordered;
  bool is_narrow;
};

inline const std::vector<Form> forms = {
    {"relaxed", Ordered::not_at_all, false},
    {"relaxed, narrow", Ordered::not_at_all, true},
    {"release/acquire", Ordered::by_accesses, false},
    {"release/acquire, narrow", Ordered::by_accesses, true},
    {"fence.acq_rel", Ordered::by_acq_rel, false},
    {"fence.acq_rel, narrow", Ordered::by_acq_rel, true},
    {"fence.sc", Ordered::by_sc, false},
    {"fence.sc, narrow", Ordered::by_sc, true},
};

/// Where a form has fences, its accesses have the wide scope: the fence alone is narrow.
class Access {
 public:
  Access(const Form& form, const Where& where)
      : ordered_(form.ordered),
        fence_(form.is_narrow ? where.narrow : where.wide),
        access_(form.is_narrow && !has_fence() ? where.narrow : where.wide) {}

  [[nodiscard]] bool has_fence() const { return ordered_ == Ordered::by_acq_rel || ordered_ == Ordered::by_sc; }
  void write(Thread& thread, int location, Value value) const {
    thread.store(location, value, ordered_ == Ordered::by_accesses ? Order::release : Order::relaxed, access_);
  }
  void read(Thread& thread, int location) const {
    thread.out(thread.load(location, ordered_ == Ordered::by_accesses ? Order::acquire : Order::relaxed, access_));
  }
  void fence(Thread& thread) const {
    if (has_fence()) {
      thread.fence(ordered_ == Ordered::by_sc ? Order::sc : Order::acq_rel, fence_);
    }
  }

 private:
  Ordered ordered_;
  Scope fence_;
  Scope access_;
};

/// One half of a thread's body.
struct Half {
  bool is_write;
  int location;
  Value value = 0;
};
inline Half w(int location, Value value) { return {true, location, value}; }
inline Half r(int location) { return {false, location}; }

/// What has to hold for the weak outcome to be forbidden.
enum class Forbidden {
  by_cause,      ///< synchronization by patterns: release and acquire, or fences; wide
  by_fence_sc,   ///< an order of fence.sc; wide
  by_coherence,  ///< always, where the accesses are morally strong
  always         ///< by program order in one thread
};

struct Shape {
  const char* name;
  std::vector<std::vector<Half>> threads;
  std::function<bool(const std::vector<Value>&)> is_weak;  ///< what is read, thread by thread, then the last values
  Forbidden forbidden;
  bool is_load_buffering = false;
};

inline const std::vector<Shape> shapes = {
    {"MP", {{w(x, 1), w(y, 1)}, {r(y), r(x)}}, [](auto& o) { return o[0] == 1 && o[1] == 0; }, Forbidden::by_cause},
    {"SB", {{w(x, 1), r(y)}, {w(y, 1), r(x)}}, [](auto& o) { return o[0] == 0 && o[1] == 0; }, Forbidden::by_fence_sc},
    {"LB",
     {{r(x), w(y, 1)}, {r(y), w(x, 1)}},
     [](auto& o) { return o[0] == 1 && o[1] == 1; },
     Forbidden::by_cause,
     true},
    {"S", {{w(x, 2), w(y, 1)}, {r(y), w(x, 1)}}, [](auto& o) { return o[0] == 1 && o[1] == 2; }, Forbidden::by_cause},
    {"R",
     {{w(x, 1), w(y, 1)}, {w(y, 2), r(x)}},
     [](auto& o) { return o[0] == 0 && o[2] == 2; },
     Forbidden::by_fence_sc},
    {"2+2W",
     {{w(x, 1), w(y, 2)}, {w(y, 1), w(x, 2)}},
     [](auto& o) { return o[0] == 1 && o[1] == 1; },
     Forbidden::by_fence_sc},
    {"WRC",
     {{w(x, 1)}, {r(x), w(y, 1)}, {r(y), r(x)}},
     [](auto& o) { return o[0] == 1 && o[1] == 1 && o[2] == 0; },
     Forbidden::by_cause},
    {"ISA2",
     {{w(x, 1), w(y, 1)}, {r(y), w(z, 1)}, {r(z), r(x)}},
     [](auto& o) { return o[0] == 1 && o[1] == 1 && o[2] == 0; },
     Forbidden::by_cause},
    {"IRIW",
     {{w(x, 1)}, {w(y, 1)}, {r(x), r(y)}, {r(y), r(x)}},
     [](auto& o) { return o[0] == 1 && o[1] == 0 && o[2] == 1 && o[3] == 0; },
     Forbidden::by_fence_sc},
    {"CoRR", {{w(x, 1)}, {r(x), r(x)}}, [](auto& o) { return o[0] == 1 && o[1] == 0; }, Forbidden::by_coherence},
    {"CoWW", {{w(x, 1), w(x, 2)}}, [](auto& o) { return o[0] == 1; }, Forbidden::always},
    {"CoWR", {{w(x, 1), r(x)}, {w(x, 2)}}, [](auto& o) { return o[0] == 0; }, Forbidden::always},
    {"CoRW", {{r(x), w(x, 1)}, {w(x, 2)}}, [](auto& o) { return o[0] == 2 && o[1] == 2; }, Forbidden::by_coherence},
};

inline bool is_allowed(const Shape& shape, const Form& form) {
  const bool has_fence = form.ordered == Ordered::by_acq_rel || form.ordered == Ordered::by_sc;
  switch (shape.forbidden) {
    case Forbidden::by_cause:
      return form.is_narrow || form.ordered == Ordered::not_at_all;
    case Forbidden::by_fence_sc:
      return form.is_narrow || form.ordered != Ordered::by_sc;
    case Forbidden::by_coherence:
      return form.is_narrow && !has_fence;
    case Forbidden::always:
      break;
  }
  return false;
}

/// What the explorer finds in a shape.
struct Found {
  bool is_weak = false;
  long executions = 0;
  bool is_complete = false;
  std::vector<std::vector<Value>> outcomes;
};

inline Found explore_shape(const Shape& shape, const Form& form, const Where& where) {
  std::vector<Body> bodies;
  std::vector<Place> places;
  const Access access(form, where);
  for (const std::vector<Half>& halves : shape.threads) {
    bodies.push_back([&halves, &access](Thread& thread) {
      for (std::size_t i = 0; i < halves.size(); ++i) {
        if (i > 0) {
          access.fence(thread);
        }
        if (halves[i].is_write) {
          access.write(thread, halves[i].location, halves[i].value);
        } else {
          access.read(thread, halves[i].location);
        }
      }
    });
    places.push_back(where.place(static_cast<int>(places.size())));
  }
  Threads program(bodies, places);
  const Result result = explore(program, {.stops_at_fault = false});
  const std::vector<std::vector<Value>>& outcomes = program.outcomes;
  return {std::any_of(outcomes.begin(), outcomes.end(), shape.is_weak), result.executions,
          result.is_complete && static_cast<long>(outcomes.size()) == result.executions, outcomes};
}

inline const std::vector<Where> wheres = {
    {"between clusters",
     [](int thread) {
       return Place{thread, thread, 0};
     },
     Scope::gpu, Scope::cluster},
    {"between CTAs",
     [](int thread) {
       return Place{thread, thread, 0};
     },
     Scope::gpu, Scope::cta},
    {"between CTAs of a cluster",
     [](int thread) {
       return Place{thread, 0, 0};
     },
     Scope::cluster, Scope::cta},
    {"between GPUs",
     [](int thread) {
       return Place{thread, thread, thread};
     },
     Scope::system, Scope::gpu},
};
inline const Where in_a_cta = {"in a CTA", [](int) { return Place{}; }, Scope::cta, Scope::cta};

}  // namespace memory_tests::litmus
