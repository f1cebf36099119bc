#pragma once

#include "host/proof/memory/threads.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/// Programs whose threads order themselves by memory, as kernels do, and what has to be found in them.
namespace memory_tests {

/// Of programs that are right: how many executions they have.
struct RightProgram {
  std::string name;
  Threads program;
  long executions;
  int resident = 0;
};

inline Thread::Wanted is(Value wanted) {
  return [wanted](Value value) { return value == wanted; };
}
inline Thread::Wanted is_not(Value unwanted) {
  return [unwanted](Value value) { return value != unwanted; };
}
inline Thread::Wanted is_at_least(Value least) {
  return [least](Value value) { return value >= least; };
}
inline Value value_of(int number) { return static_cast<Value>(number); }

/// Locations that a program names.
constexpr int flag = 0;
constexpr int data = 1;

inline Threads flag_and_data(Order store, Order load, bool fences = false, Scope scope = Scope::gpu,
                             Scope fence = Scope::gpu) {
  return Threads({[=](Thread& t) {
                    t.write(data, 7);
                    if (fences) {
                      t.fence(Order::acq_rel, fence);
                    }
                    t.store(flag, 1, store, scope);
                  },
                  [=](Thread& t) {
                    t.await(flag, is(1), load, scope);
                    if (fences) {
                      t.fence(Order::acq_rel, fence);
                    }
                    t.check(t.read(data) == 7, "old data");
                  }});
}

/// Each thread adds one to a number, under a lock by a loop of exchanges.
inline Threads spin_lock(std::size_t threads, Order lock = Order::acquire, Order unlock = Order::release) {
  return Threads(threads, [=](Thread& t) {
    t.lock(flag, lock);
    t.write(data, t.read(data) + 1);
    t.unlock(flag, unlock);
  });
}
/// The same by a loop of compares.
inline Threads compare_lock(std::size_t threads) {
  return Threads(threads, [](Thread& t) {
    t.await_swap(flag, 0, 1);
    t.write(data, t.read(data) + 1);
    t.unlock(flag);
  });
}
inline Threads ticket_lock(std::size_t threads, Order wait = Order::acquire, Order leave = Order::release) {
  return Threads(threads, [=](Thread& t) {
    constexpr int next = 0;
    constexpr int served = 1;
    constexpr int number = 2;
    const Value mine = t.add(next, 1);
    t.await(served, is(mine), wait);
    t.write(number, t.read(number) + 1);
    t.store(served, mine + 1, leave);
  });
}
/// CTAs take tiles from a counter.
inline Threads tickets(std::size_t threads, Value tiles) {
  return Threads(threads, [=](Thread& t) {
    for (Value tile = t.add(flag, 1); tile < tiles; tile = t.add(flag, 1)) {
      t.write(1 + static_cast<int>(tile), 1);
    }
  });
}
/// The last CTA adds up what all have left, and puts the counter back with an ordinary write.
inline Threads last_cta(std::size_t ctas, Order fence, Order ticket = Order::relaxed, Scope scope = Scope::gpu) {
  return Threads(ctas, [=](Thread& t) {
    t.write(1 + t.number(), value_of(10 + t.number()));
    if (fence != Order::relaxed) {
      t.fence(fence, scope);
    }
    if (t.add(0, 1, ticket) != ctas - 1) {
      return;
    }
    if (fence != Order::relaxed) {
      t.fence(fence, scope);
    }
    Value sum = 0;
    for (std::size_t cta = 0; cta < ctas; ++cta) {
      sum += t.read(1 + static_cast<int>(cta));
    }
    t.check(sum == 10 * ctas + ctas * (ctas - 1) / 2, "wrong sum");
    t.write(0, 0);
  });
}
/// A scan whose CTAs look back over the sums and prefixes of those before.
inline Threads look_back(std::size_t ctas, Order store, Order load, bool reversed = false) {
  return Threads(ctas, [=](Thread& t) {
    const auto n = static_cast<int>(ctas);
    const int me = reversed ? n - 1 - t.number() : t.number();
    t.write(n + me, value_of(me + 1));
    if (me == 0) {
      t.write(2 * n, 1);
    }
    t.store(me, me == 0 ? 2 : 1, store);
    if (me == 0) {
      return;
    }
    Value sum = 0;
    for (int cta = me - 1; cta >= 0; --cta) {
      const Value state = t.await(cta, is_not(0), load);
      sum += t.read((state == 2 ? 2 * n : n) + cta);
      if (state == 2) {
        break;
      }
    }
    t.check(sum == value_of(me * (me + 1) / 2), "wrong prefix");
    t.write(2 * n + me, sum + value_of(me + 1));
    t.store(me, 2, store);
  });
}
/// A barrier of all CTAs: a counter that each polls.
inline Threads grid_barrier(std::size_t ctas, int rounds = 1, Order arrive = Order::release,
                            Order wait = Order::acquire) {
  return Threads(ctas, [=](Thread& t) {
    const auto n = static_cast<int>(ctas);
    for (int round = 0; round < rounds; ++round) {
      t.write(1 + round * n + t.number(), 1);
      t.add(0, 1, arrive);
      t.await(0, is_at_least(value_of((round + 1) * n)), wait);
      t.check(t.read(1 + round * n + (t.number() + 1) % n) == 1, "old data");
    }
  });
}
/// CTAs add to a result in turn.
inline Threads split_k(std::size_t ctas, Order wait = Order::acquire, Order leave = Order::release) {
  return Threads(ctas, [=](Thread& t) {
    t.await(flag, is(value_of(t.number())), wait);
    t.write(data, t.read(data) + 1);
    t.store(flag, value_of(t.number() + 1), leave);
  });
}
/// The same, where a turn is the place among those that have begun.
inline Threads ticketed_split_k(std::size_t ctas) {
  return Threads(ctas, [=](Thread& t) {
    const Value turn = t.add(2, 1);
    t.await(flag, is(turn));
    t.write(data, t.read(data) + 1);
    t.store(flag, turn + 1, Order::release);
  });
}
/// A ring of two slots.
inline Threads queue(Value items, Order put = Order::release, Order take = Order::acquire) {
  constexpr int head = 0;
  constexpr int tail = 1;
  const auto slot_of = [](Value item) { return 2 + static_cast<int>(item % 2); };
  return Threads({[=](Thread& t) {
                    for (Value item = 0; item < items; ++item) {
                      if (item >= 2) {
                        t.await(tail, is_at_least(item - 1));
                      }
                      t.write(slot_of(item), item + 1);
                      t.store(head, item + 1, put);
                    }
                  },
                  [=](Thread& t) {
                    for (Value item = 0; item < items; ++item) {
                      t.await(head, is_at_least(item + 1), take);
                      t.check(t.read(slot_of(item)) == item + 1, "wrong item");
                      t.store(tail, item + 1, Order::release);
                    }
                  }});
}
/// Each thread keeps its number, if it is even, at a place that a counter gives it.
inline Threads compaction(std::size_t threads) {
  return Threads(threads, [](Thread& t) {
    if (t.number() % 2 == 0) {
      t.write(1 + static_cast<int>(t.add(0, 1)), value_of(t.number()));
    }
  });
}
inline Threads histogram(std::size_t threads, int bins) {
  return Threads(threads, [=](Thread& t) {
    for (int i = 0; i < 3; ++i) {
      t.sum((t.number() * 5 + i) % bins, 1);
    }
  });
}
inline Threads compare_maximum(std::size_t threads) {
  return Threads(threads, [](Thread& t) {
    const Value mine = value_of(10 + t.number());
    Value old = t.load(0);
    while (old < mine && !t.compare_and_swap(0, old, mine, Order::relaxed, &old)) {
    }
  });
}
/// The thread that counts last sets one of two words, which the others poll in turn.
inline Threads poll_of_two_words(std::size_t threads, int set) {
  return Threads(threads, [=](Thread& t) {
    const Thread::Wanted is_set = [](Value value) { return value != 0; };
    if (t.add(2, 1) == threads - 1) {
      t.store(set, 1);
    } else {
      t.await_either(0, is_set, 1, is_set);
    }
  });
}
/// Peterson's lock of two threads, with a fence.sc behind both stores, and one between them.
inline Threads peterson(bool has_fence_between) {
  const auto side = [=](int me) {
    return [=](Thread& t) {
      constexpr int turn = 2;
      constexpr int inside = 3;
      t.store(me, 1);
      if (has_fence_between) {
        t.fence(Order::sc);
      }
      t.store(turn, value_of(1 - me));
      t.fence(Order::sc);
      t.await_either(
          1 - me, [](Value wants) { return wants == 0; }, turn, [me](Value whose) { return whose == value_of(me); });
      t.write(inside, t.read(inside) + 1);
      t.unlock(me);
    };
  };
  return Threads({side(0), side(1)});
}

inline std::vector<RightProgram> right_programs() {
  using enum Order;
  std::vector<RightProgram> all = {
      {"flag, release and acquire", flag_and_data(release, acquire), 1},
      {"flag, relaxed with fences", flag_and_data(relaxed, relaxed, true), 1},
      {"tickets, 3 CTAs, 3 tiles", tickets(3, 3), 27 * 6},
      {"last CTA of 4, fence.sc", last_cta(4, sc), 24},
      {"last CTA of 6, fence.acq_rel", last_cta(6, acq_rel), 720},
      {"last CTA of 5, ticket acq_rel", last_cta(5, relaxed, acq_rel), 120},
      {"look-back of 6 CTAs", look_back(6, release, acquire), 120},
      {"look-back of 4 CTAs, 2 resident", look_back(4, release, acquire), 6, 2},
      {"grid barrier, 5 of 5 resident", grid_barrier(5), 120},
      {"grid barrier, 3 CTAs, 2 rounds", grid_barrier(3, 2), 6 * 6 * 6},
      {"spin lock of 4 threads", spin_lock(4), 24},
      {"spin lock by compares, 4 threads", compare_lock(4), 24},
      {"ticket lock of 4 threads", ticket_lock(4), 24},
      {"split-K semaphore, 16 CTAs", split_k(16), 1},
      {"queue of 2 slots, 4 items", queue(4), 18},
      {"compaction of 8 threads", compaction(8), 24},
      {"histogram of 32 lanes, 8 bins", histogram(32, 8), 1},
      {"CAS maximum, 3 threads", compare_maximum(3), 28},
  };
  return all;
}

}  // namespace memory_tests
