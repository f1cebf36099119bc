#pragma once

#include <dma/dma.hpp>

/// Kernels whose threads order themselves by memory, right or with one mistake.
namespace by_memory {

using dma::Order;
using dma::Scope;
using Int = dma::atomic_ref<int, Scope::gpu>;
using One = dma::WarpLayout<dma::Compute<1>>;

/// The word of the library's own counter, which no launch has to name.
inline constexpr int counter = 79;

enum class Mistake {
  none,
  no_acquire,
  no_release,
  narrow,       ///< a scope
  in_cluster,   ///< a scope that is a cluster's
  two_steps,    ///< a test and a set
  overwritten,  ///< by a relaxed store of another CTA, which carries nothing on
  opposite,     ///< order of two locks
};

constexpr Order acquire_unless(Mistake mistake) {
  return mistake == Mistake::no_acquire ? Order::relaxed : Order::acquire;
}
constexpr Order release_unless(Mistake mistake) {
  return mistake == Mistake::no_release ? Order::relaxed : Order::release;
}
constexpr Scope scope_of(Mistake mistake) {
  return mistake == Mistake::narrow ? Scope::cta : mistake == Mistake::in_cluster ? Scope::cluster : Scope::gpu;
}
template <Mistake mistake>
using IntOf = dma::atomic_ref<int, scope_of(mistake)>;

/// A kernel in clusters of two CTAs, or the first ones of them alone.
template <class Kernel, bool by_first = false>
struct InClusters : Kernel {
  static constexpr dma::KernelTraits traits{.cluster = 2};

  template <class Cta>
  DMA_HOST_DEVICE void operator()(Cta& cta, int* words) const {
    if (!by_first || cta.cluster_rank() == 0) {
      Kernel::operator()(cta, words);
    }
  }
};

/// CTA 0 gives a value to each other one.
template <Mistake mistake>
struct Flag {
  using Layout = One;

  template <class Cta>
  DMA_HOST_DEVICE void operator()(Cta& cta, int* words) const {
    if (cta.thread() == 0) {
      const IntOf<mistake> flag(words[0]);
      const int block = cta.block().x;
      if (block == 0) {
        words[1] = 7;
        flag.store(1, release_unless(mistake));
      } else if (mistake == Mistake::overwritten && block == 1) {
        flag.store(2, Order::relaxed);
      } else {
        while (flag.load(acquire_unless(mistake)) == 0) {
        }
        words[1 + block] = words[1];
      }
    }
    cta.sync_warp();
  }
};

/// The CTA that counts last adds up what all have left, and resets the counter by an ordinary store.
template <Mistake mistake>
struct LastCta {
  using Layout = One;

  template <class Cta>
  DMA_HOST_DEVICE void operator()(Cta& cta, int* words) const {
    if (cta.thread() == 0) {
      const int block = cta.block().x;
      const int ctas = cta.blocks().x;
      words[2 + block] = block + 1;
      const Order order = mistake == Mistake::no_acquire   ? Order::release
                          : mistake == Mistake::no_release ? Order::acquire
                                                           : Order::acq_rel;
      if (IntOf<mistake>(words[0]).fetch_add(1, order) == ctas - 1) {
        int sum = 0;
        for (int i = 0; i < ctas; ++i) {
          sum += words[2 + i];
        }
        words[1] = sum;
        words[0] = 0;
      }
    }
    cta.sync_warp();
  }
};

/// A prefix sum: each CTA adds what the one before has published.
template <Mistake mistake>
struct LookBack {
  using Layout = One;

  template <class Cta>
  DMA_HOST_DEVICE void operator()(Cta& cta, int* words) const {
    if (cta.thread() == 0) {
      const int block = cta.block().x;
      int* const state = words;
      int* const value = words + 16;
      int sum = block + 1;
      if (block > 0) {
        while (IntOf<mistake>(state[block - 1]).load(acquire_unless(mistake)) == 0) {
        }
        sum += value[block - 1];
      }
      value[block] = sum;
      IntOf<mistake>(state[block]).store(1, release_unless(mistake));
    }
    cta.sync_warp();
  }
};

/// All CTAs wait for each other, and then read what another one has written.
template <Mistake mistake>
struct GridBarrier {
  using Layout = One;

  template <class Cta>
  DMA_HOST_DEVICE void operator()(Cta& cta, int* words) const {
    if (cta.thread() == 0) {
      const int block = cta.block().x;
      const int ctas = cta.blocks().x;
      words[1 + block] = block;
      IntOf<mistake>(words[0]).fetch_add(1, release_unless(mistake));
      while (IntOf<mistake>(words[0]).load(acquire_unless(mistake)) != ctas) {
      }
      words[1 + ctas + block] = words[1 + (block + 1) % ctas];
    }
    cta.sync_warp();
  }
};

/// A counter behind a lock, or behind two that are taken one after the other.
template <Mistake mistake, int locks = 1>
struct Lock {
  using Layout = One;

  DMA_HOST_DEVICE static void take(int& word) {
    if (mistake == Mistake::two_steps) {
      while (IntOf<mistake>(word).load(Order::acquire) != 0) {
      }
      IntOf<mistake>(word).store(1, Order::relaxed);
      return;
    }
    while (true) {
      int free = 0;
      if (IntOf<mistake>(word).compare_exchange_strong(free, 1, acquire_unless(mistake))) {
        return;
      }
    }
  }
  template <class Cta>
  DMA_HOST_DEVICE void operator()(Cta& cta, int* words) const {
    if (cta.thread() == 0) {
      const int first = mistake == Mistake::opposite ? cta.block().x % 2 : 0;
      take(words[first]);
      if (locks == 2) {
        take(words[1 - first]);
      }
      words[2] += 1;
      if (locks == 2) {
        IntOf<mistake>(words[1 - first]).store(0, Order::release);
      }
      IntOf<mistake>(words[first]).store(0, release_unless(mistake));
    }
    cta.sync_warp();
  }
};

/// A lock that is passed on in the order of tickets.
template <Mistake mistake>
struct TicketLock {
  using Layout = One;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<TicketLock>& cta, int* words) const {
    if (cta.thread() == 0) {
      const int ticket = IntOf<mistake>(words[0]).fetch_add(1, Order::relaxed);
      while (IntOf<mistake>(words[1]).load(acquire_unless(mistake)) != ticket) {
      }
      words[2] += 1;
      IntOf<mistake>(words[1]).store(ticket + 1, release_unless(mistake));
    }
    cta.sync_warp();
  }
};

/// A counter behind a lock that an exchange takes: who finds it taken writes what was there.
template <Mistake mistake>
struct ExchangeLock {
  using Layout = One;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ExchangeLock>& cta, int* words) const {
    if (cta.thread() == 0) {
      while (IntOf<mistake>(words[0]).exchange(1, acquire_unless(mistake)) != 0) {
      }
      words[1] += 1;
      IntOf<mistake>(words[0]).store(0, release_unless(mistake));
    }
    cta.sync_warp();
  }
};

/// CTAs draw tickets until there are none, and each writes the places that it draws.
struct Tickets {
  using Layout = One;
  static constexpr int count = 3;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Tickets>& cta, int* words) const {
    if (cta.thread() == 0) {
      const Int next(words[0]);
      for (int ticket = next.fetch_add(1, Order::relaxed); ticket < count; ticket = next.fetch_add(1, Order::relaxed)) {
        words[1 + ticket] = ticket;
      }
    }
    cta.sync_warp();
  }
};

/// Parts of a sum, added in the order of the CTAs.
template <Mistake mistake>
struct Semaphore {
  using Layout = One;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Semaphore>& cta, int* words) const {
    const int block = cta.block().x;
    if (cta.thread() == 0) {
      while (IntOf<mistake>(words[0]).load(acquire_unless(mistake)) != block) {
      }
    }
    cta.sync_warp();
    words[1 + cta.thread()] = 2 * words[1 + cta.thread()] + block;
    cta.sync_warp();
    if (cta.thread() == 0) {
      IntOf<mistake>(words[0]).store(block + 1, release_unless(mistake));
    }
    cta.sync_warp();
  }
};

/// CTA 0 puts numbers into two places in turn, and CTA 1 takes them.
template <Mistake mistake, int count = 3>
struct Queue {
  using Layout = One;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Queue>& cta, int* words) const {
    if (cta.thread() == 0) {
      const IntOf<mistake> put(words[0]);
      const IntOf<mistake> taken(words[1]);
      int sum = 0;
      for (int i = 0; i < count; ++i) {
        if (cta.block().x == 0) {
          while (i - taken.load(acquire_unless(mistake)) == 2) {
          }
          words[2 + i % 2] = i + 1;
          put.store(i + 1, release_unless(mistake));
        } else {
          while (put.load(Order::acquire) == i) {
          }
          sum += words[2 + i % 2];
          taken.store(i + 1, Order::release);
        }
      }
      if (cta.block().x == 1) {
        words[4] = sum;
      }
    }
    cta.sync_warp();
  }
};

/// The lanes of a warp count in eight bins of shared memory, and nobody reads what was there.
struct Histogram {
  using Layout = One;
  struct Shared {
    int bins[8];
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Histogram>& cta, int* words) const {
    auto& bins = cta.shared<Shared>().bins;
    if (cta.thread() < 8) {
      bins[cta.thread()] = 0;
    }
    cta.sync_warp();
    dma::atomic_ref<int, Scope::cta>(bins[cta.thread() % 8]).store_add(1, Order::relaxed);
    cta.sync_warp();
    if (cta.thread() < 8) {
      words[cta.thread()] = bins[cta.thread()];
    }
  }
};

/// The largest number of all CTAs, by compare and swap.
struct Maximum {
  using Layout = One;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Maximum>& cta, int* words) const {
    if (cta.thread() == 0) {
      const int mine = 10 - cta.block().x;
      int before = Int(words[0]).load(Order::relaxed);
      while (before < mine && !Int(words[0]).compare_exchange_weak(before, mine, Order::relaxed)) {
      }
    }
    cta.sync_warp();
  }
};

/// Two CTAs say that they are there, and look for the other one: one of them sees it, where fences have one order.
template <bool has_fences>
struct EachOther {
  using Layout = One;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<EachOther>& cta, int* words) const {
    if (cta.thread() == 0) {
      const int me = cta.block().x;
      Int(words[me]).store(1, Order::release);
      if (has_fences) {
        dma::fence<Scope::gpu>(Order::seq_cst);
      }
      if (Int(words[1 - me]).load(Order::acquire) == 0) {
        words[2] = 1;
      }
    }
    cta.sync_warp();
  }
};

/// A flag between the warps of a CTA, behind a barrier.
template <Mistake mistake>
struct WithinCta {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  struct Shared {
    int flag;
    int data;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<WithinCta>& cta, int* words) const {
    auto& shared = cta.template shared<Shared>();
    if (cta.thread() == 0) {
      shared.flag = 0;
    }
    cta.sync();
    const dma::atomic_ref<int, Scope::cta> flag(shared.flag);
    if (cta.thread() == 0) {
      shared.data = 5;
      flag.store(1, release_unless(mistake));
    } else if (cta.thread() == 32) {
      while (flag.load(acquire_unless(mistake)) == 0) {
      }
      words[0] = shared.data;
    }
    cta.sync();
  }
};

/// The last CTA by the library's counter, after a flag of the kernel's own.
struct LastByLibrary {
  using Layout = One;
  struct Shared {
    dma::ArrivalCounter arrivals;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<LastByLibrary>& cta, int* words) const {
    const int block = cta.block().x;
    const int ctas = cta.blocks().x;
    words[1 + block] = block + 1;
    if (cta.thread() == 0 && block == 0) {
      Int(words[0]).store(1, Order::relaxed);
    }
    if (dma::is_last_cta(cta, reinterpret_cast<dma::ArrivalCounter&>(words[counter]), ctas,
                         cta.shared<Shared>().arrivals) &&
        cta.thread() == 0) {
      int sum = 0;
      for (int i = 0; i < ctas; ++i) {
        sum += words[1 + i];
      }
      words[1 + ctas] = sum;
    }
  }
};

/// A prefix sum of tiles that a pipeline loads: look-back behind it.
template <Mistake mistake>
struct Scan {
  using Tile = dma::Sequential<int, 16>;
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Scan>& cta, int* words) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (pipe.is_dma()) {
      pipe.as_dma().load(words);
    } else {
      auto compute = pipe.as_compute();
      auto tile = compute.wait();
      if (compute.rank() == 0) {
        const int block = cta.block().x;
        int sum = 1;
        for (int i = 0; i < Tile::count; ++i) {
          sum += tile[i];
        }
        if (block > 0) {
          while (IntOf<mistake>(words[16 + block - 1]).load(acquire_unless(mistake)) == 0) {
          }
          sum += words[32 + block - 1];
        }
        words[32 + block] = sum;
        IntOf<mistake>(words[16 + block]).store(1, release_unless(mistake));
      }
    }
  }
};

/// The same by decoupled look-back: each CTA publishes its own sum, adds those of the CTAs before it back to one that
/// has published the sum of all up to it, and publishes that.
template <Mistake mistake>
struct DecoupledScan {
  using Tile = dma::Sequential<int, 16>;
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    typename Pipe::Storage storage;
  };
  static constexpr int has_sum = 1;     ///< state of a CTA that has published its own sum
  static constexpr int has_prefix = 2;  ///< and that of all up to it

  DMA_HOST_DEVICE static void publish(int* words, int block, int state) {
    IntOf<mistake>(words[16 + block]).store(state, release_unless(mistake));
  }
  DMA_HOST_DEVICE static int sum_before(const int* sums, const int* prefixes, int* words, int block) {
    int sum = 0;
    for (int other = block - 1; other >= 0; --other) {
      int state = 0;
      while (state == 0) {
        state = IntOf<mistake>(words[16 + other]).load(acquire_unless(mistake));
      }
      if (state == has_prefix) {
        return sum + prefixes[other];
      }
      sum += sums[other];
    }
    return sum;
  }
  DMA_HOST_DEVICE void operator()(dma::KernelCta<DecoupledScan>& cta, int* words) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (pipe.is_dma()) {
      pipe.as_dma().load(words);
    } else {
      auto compute = pipe.as_compute();
      auto tile = compute.wait();
      if (compute.rank() == 0) {
        const int block = cta.block().x;
        int* const sums = words + 32;
        int* const prefixes = words + 48;
        int sum = 1;
        for (int i = 0; i < Tile::count; ++i) {
          sum += tile[i];
        }
        if (block > 0) {
          sums[block] = sum;
          publish(words, block, has_sum);
          sum += sum_before(sums, prefixes, words, block);
        }
        prefixes[block] = sum;
        publish(words, block, has_prefix);
      }
    }
  }
};

}  // namespace by_memory
