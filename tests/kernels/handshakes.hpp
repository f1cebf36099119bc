#pragma once

#include <dma/dma.hpp>

#include <atomic>

/// Kernels in which a few threads agree by atomics or fences, right or with one mistake. A mistake is a member, so that
/// each kernel is compiled once.
namespace handshakes {

using dma::Order;
using dma::Scope;
using Int = dma::atomic_ref<int, Scope::gpu>;
using Long = dma::atomic_ref<long long, Scope::gpu>;
using One = dma::WarpLayout<dma::Compute<1>>;

enum class Mistake {
  none,
  no_acquire,
  no_release,
  narrow_scope,
  narrow_fence,
  cluster_fence,  ///< between clusters
  one_fence,      ///< of two
  late_check,     ///< before a generation is read
};

/// Words from here on may differ from execution to execution.
inline constexpr int scratch = 40;

/// What each of these kernels has.
struct Handshake {
  using Layout = One;

  Mistake mistake = Mistake::none;

  [[nodiscard]] DMA_HOST_DEVICE bool has(Mistake one) const { return mistake == one; }
  [[nodiscard]] DMA_HOST_DEVICE Order acquire() const {
    return has(Mistake::no_acquire) ? Order::relaxed : Order::acquire;
  }
  [[nodiscard]] DMA_HOST_DEVICE Order release() const {
    return has(Mistake::no_release) ? Order::relaxed : Order::release;
  }
};

/// Two words that are atomic both: the flag orders the other one.
struct Publish : Handshake {
  DMA_HOST_DEVICE void operator()(dma::KernelCta<Publish>& cta, int* words) const {
    if (cta.thread() == 0) {
      const Int flag(words[0]);
      const Int value(words[1]);
      if (cta.block().x == 0) {
        value.store(5, Order::relaxed);
        flag.store(1, release());
      } else {
        while (flag.load(acquire()) == 0) {
        }
        words[2] = value.load(Order::relaxed);
      }
    }
    cta.sync_warp();
  }
};

/// Two warps count, and the last one resets the counter by an ordinary store. They do so twice.
struct ReusedCounter : Handshake {
  using Layout = dma::WarpLayout<dma::Compute<2>>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ReusedCounter>& cta, int* words) const {
    if (cta.thread() % 32 == 0) {
      for (int round = 0; round < 2; ++round) {
        if (Int(words[0]).fetch_add(1, Order::acq_rel) == 1) {
          words[0] = 0;
          Int(words[1]).store(round + 1, release());
        }
        while (Int(words[1]).load(acquire()) != round + 1) {
        }
      }
    }
    cta.sync();
  }
};

/// Each CTA takes places for the numbers that it keeps; the last one adds up what all have kept.
struct Compaction : Handshake {
  DMA_HOST_DEVICE void operator()(dma::KernelCta<Compaction>& cta, int* words) const {
    if (cta.thread() == 0) {
      const int first = 3 * cta.block().x;
      int kept = 0;
      for (int number = first; number < first + 3; ++number) {
        kept += number % 2;
      }
      int place = 8 + Int(words[0]).fetch_add(kept, Order::relaxed);
      for (int number = first; number < first + 3; ++number) {
        if (number % 2 != 0) {
          words[place++] = number;
        }
      }
      const Order order = has(Mistake::no_acquire)   ? Order::release
                          : has(Mistake::no_release) ? Order::acquire
                                                     : Order::acq_rel;
      if (Int(words[1]).fetch_add(1, order) == cta.blocks().x - 1) {
        int sum = 0;
        for (int i = 8; i < 8 + words[0]; ++i) {
          sum += words[i];
          words[i] = 0;
        }
        words[2] = sum;
      }
    }
    cta.sync_warp();
  }
};

/// The last CTA by relaxed counts, each between two fences, and an ordinary store that resets them.
struct FencedLast : Handshake {
  DMA_HOST_DEVICE void operator()(dma::KernelCta<FencedLast>& cta, int* words) const {
    if (cta.thread() == 0) {
      const int ctas = cta.blocks().x;
      words[2 + cta.block().x] = cta.block().x;
      if (!has(Mistake::no_release)) {
        dma::fence<Scope::gpu>(Order::release);
      }
      if (Int(words[0]).fetch_add(1, Order::relaxed) == ctas - 1) {
        if (!has(Mistake::no_acquire)) {
          dma::fence<Scope::gpu>(Order::acquire);
        }
        for (int i = 0; i < ctas && !has(Mistake::late_check); ++i) {
          words[1] += words[2 + i];
        }
        words[0] = 0;
      }
      if (has(Mistake::late_check) && words[0] != 0) {
        words[1] = 1;
      }
    }
    cta.sync_warp();
  }
};

/// The lanes of the last CTA reset the counter, by one instruction.
struct LanesReset : Handshake {
  DMA_HOST_DEVICE void operator()(dma::KernelCta<LanesReset>& cta, int* words) const {
    const int ticket = cta.thread() == 0 ? Int(words[0]).fetch_add(1, Order::acq_rel) : 0;
    const bool is_last = cta.shuffle(ticket, 0) == cta.blocks().x - 1;
    cta.sync_warp();
    if (is_last && (!has(Mistake::late_check) || cta.thread() < 2)) {
      words[0] = has(Mistake::late_check) ? cta.thread() : 0;
    }
    cta.sync_warp();
  }
};

/// One thread accesses a word by ordinary stores and by relaxed counts in turn: program order is all that it needs. The
/// other CTA comes behind a flag.
struct OwnAccesses : Handshake {
  DMA_HOST_DEVICE void operator()(dma::KernelCta<OwnAccesses>& cta, int* words) const {
    if (cta.thread() == 0) {
      const Int count(words[0]);
      if (cta.block().x == 0) {
        words[0] = 3;
        count.fetch_add(1, Order::relaxed);
        words[0] += 1;
        count.fetch_add(1, Order::relaxed);
        Int(words[1]).store(1, release());
      } else {
        while (Int(words[1]).load(acquire()) == 0) {
        }
        count.fetch_add(1, Order::relaxed);
        words[2] = words[0];
      }
    }
    cta.sync_warp();
  }
};

/// CTA 1 sees the count of CTA 0, which stands behind an ordinary store of the same word: a release orders it.
struct OwnStoreSeen : Handshake {
  DMA_HOST_DEVICE void operator()(dma::KernelCta<OwnStoreSeen>& cta, int* words) const {
    if (cta.thread() == 0) {
      const Int count(words[0]);
      if (cta.block().x == 0) {
        words[0] = 3;
        count.fetch_add(1, release());
      } else {
        while (count.load(acquire()) != 4) {
        }
        words[2] = words[0];
      }
    }
    cta.sync_warp();
  }
};

/// Both CTAs read a word, one of them by an atomic load.
struct ReadsTwice : Handshake {
  DMA_HOST_DEVICE void operator()(dma::KernelCta<ReadsTwice>& cta, int* words) const {
    if (cta.thread() == 0) {
      words[1 + cta.block().x] = 1 + (cta.block().x == 0 ? words[0] : Int(words[0]).load(Order::relaxed));
    }
    cta.sync_warp();
  }
};

/// A lock of two CTAs by loads and stores alone.
struct Peterson : Handshake {
  DMA_HOST_DEVICE void operator()(dma::KernelCta<Peterson>& cta, int* words) const {
    if (cta.thread() == 0) {
      const int me = cta.block().x;
      const Int turn(words[scratch]);
      Int(words[me]).store(1, Order::relaxed);
      if (!has(Mistake::one_fence)) {
        dma::fence<Scope::gpu>(Order::seq_cst);
      }
      turn.store(1 - me, Order::relaxed);
      if (has(Mistake::narrow_fence)) {
        dma::fence<Scope::cta>(Order::seq_cst);
      } else {
        dma::fence<Scope::gpu>(Order::seq_cst);
      }
      while (Int(words[1 - me]).load(acquire()) == 1 && turn.load(acquire()) == 1 - me) {
      }
      words[2] += 1;
      Int(words[me]).store(0, release());
    }
    cta.sync_warp();
  }
};

/// CTA 1 waits for a signal unless what it waits for is there already.
struct Signal : Handshake {
  DMA_HOST_DEVICE void operator()(dma::KernelCta<Signal>& cta, int* words) const {
    if (cta.thread() == 0) {
      const Int ready(words[0]);
      const Int generation(words[1]);
      if (cta.block().x == 0) {
        words[2] = 7;
        ready.store(1, release());
        generation.fetch_add(1, release());
      } else {
        int before = 0;
        if (!has(Mistake::late_check)) {
          before = generation.load(acquire());
        }
        if (ready.load(acquire()) == 0) {
          if (has(Mistake::late_check)) {
            before = generation.load(acquire());
          }
          while (generation.load(acquire()) == before) {
          }
        }
        words[3] = words[2];
      }
    }
    cta.sync_warp();
  }
};

/// CTA 1 sees a flag at 0, and then at 1, in one of its executions alone. With a mistake the data come behind the flag.
struct SeenTwice : Handshake {
  DMA_HOST_DEVICE void operator()(dma::KernelCta<SeenTwice>& cta, int* words) const {
    if (cta.thread() == 0) {
      const Int flag(words[0]);
      if (cta.block().x == 0) {
        if (!has(Mistake::late_check)) {
          words[1] = 7;
        }
        flag.store(1, release());
        if (has(Mistake::late_check)) {
          words[1] = 7;
        }
      } else if (flag.load(acquire()) == 0 && flag.load(acquire()) == 1) {
        words[scratch] = words[1];
      }
    }
    cta.sync_warp();
  }
};

/// Four warps of a CTA, or four CTAs, count; the last of them by number looks at the counter, and with a mistake waits
/// for ever where it sees 2.
struct TwoOfFour : Handshake {
  using Layout = dma::WarpLayout<dma::Compute<4>>;

  bool is_in_cta = false;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<TwoOfFour>& cta, int* words) const {
    const int number = is_in_cta ? cta.thread() / 32 : cta.block().x;
    if (cta.thread() % 32 == 0 && (is_in_cta || cta.thread() == 0)) {
      Int(words[0]).fetch_add(1, Order::relaxed);
      if (number == 3 && Int(words[0]).load(Order::relaxed) == 2 && has(Mistake::late_check)) {
        while (Int(words[1]).load(Order::relaxed) == 0) {
        }
      }
    }
    cta.sync();
  }
};

/// A flag that is relaxed, between two fences.
struct FencedFlag : Handshake {
  DMA_HOST_DEVICE void fence(Mistake missing, Order order) const {
    if (has(Mistake::narrow_fence)) {
      dma::fence<Scope::cta>(order);
    } else if (has(Mistake::cluster_fence)) {
      dma::fence<Scope::cluster>(order);
    } else if (!has(missing)) {
      dma::fence<Scope::gpu>(order);
    }
  }
  template <class Cta>
  DMA_HOST_DEVICE void operator()(Cta& cta, int* words) const {
    if (cta.thread() == 0) {
      if (cta.block().x == 0) {
        words[1] = 7;
        fence(Mistake::no_release, Order::release);
        if (has(Mistake::narrow_scope)) {
          dma::atomic_ref<int, Scope::cluster>(words[0]).store(1, Order::relaxed);
        } else {
          Int(words[0]).store(1, Order::relaxed);
        }
      } else {
        while (Int(words[0]).load(Order::relaxed) == 0) {
        }
        fence(Mistake::no_acquire, Order::acquire);
        words[2] = words[1];
      }
    }
    cta.sync_warp();
  }
};

/// The order of two fence.sc is all that orders data here: CTA 0 says that it has not seen the store of CTA 1, whose
/// fence is behind its own then.
struct FenceOrder : Handshake {
  DMA_HOST_DEVICE void operator()(dma::KernelCta<FenceOrder>& cta, int* words) const {
    if (cta.thread() == 0) {
      const Order order = has(Mistake::one_fence) ? Order::acq_rel : Order::seq_cst;
      const Int there(words[0]);
      const Int answer(words[scratch]);
      if (cta.block().x == 0) {
        words[2] = 7;
        dma::fence<Scope::gpu>(order);
        answer.store(there.load(Order::relaxed) == 0 ? 1 : 2, Order::relaxed);
      } else {
        there.store(1, Order::relaxed);
        dma::fence<Scope::gpu>(order);
        int found = 0;
        while ((found = answer.load(Order::relaxed)) == 0) {
        }
        if (found == 1 && words[2] != 7) {
          words[3] = 1;
        }
      }
    }
    cta.sync_warp();
  }
};

/// Lanes of a warp that meet between a store and a load. A shuffle orders no memory.
struct Lanes : Handshake {
  DMA_HOST_DEVICE void operator()(dma::KernelCta<Lanes>& cta, int* words) const {
    int told = 0;
    if (cta.thread() == 1) {
      Int(words[0]).store(1, Order::relaxed);
      told = Int(words[0]).load(Order::relaxed);
    }
    told = cta.shuffle(told, 1);
    if (!has(Mistake::no_release)) {
      cta.sync_warp();
    }
    if (cta.thread() == 1 - told) {
      words[1] = Int(words[0]).load(Order::relaxed);
    }
  }
};

/// A warp polls words of the CTAs before it: all its lanes, or the first one, which tells the others.
struct WarpPolls : Handshake {
  bool by_first = false;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<WarpPolls>& cta, int* words) const {
    const int block = cta.block().x;
    const int before = by_first ? (cta.thread() == 0 ? block - 1 : -1) : block - 1 - cta.thread();
    int there = 1;
    do {
      there = before < 0 ? 1 : Int(words[before]).load(acquire());
    } while (cta.any(there == 0));
    if (cta.thread() == 0) {
      words[8 + block] = block == 0 ? 1 : 1 + words[8 + before];
      Int(words[block]).store(1, release());
    }
    cta.sync_warp();
  }
};

/// The first thread of a CTA waits for the CTA before, and tells the others in the loop: its warp by a shuffle, or all
/// by shared memory.
struct Meets : Handshake {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  struct Shared {
    int there;
  };

  bool by_warp = false;

  DMA_HOST_DEVICE bool is_there(int block, int* words) const {
    return block == 0 || Int(words[block - 1]).load(acquire()) != 0;
  }
  DMA_HOST_DEVICE void operator()(dma::KernelCta<Meets>& cta, int* words) const {
    int& there = cta.shared<Shared>().there;
    const int block = cta.block().x;
    int found = 0;
    while (by_warp && cta.thread() < 32 && found == 0) {
      found = cta.shuffle(cta.thread() == 0 && is_there(block, words) ? 1 : 0, 0);
      cta.sync_warp();
    }
    while (!by_warp && found == 0) {
      if (cta.thread() == 0) {
        there = is_there(block, words) ? 1 : 0;
      }
      cta.sync();
      found = there;
      cta.sync();
    }
    if (cta.thread() == 0) {
      words[8 + block] = block == 0 ? 1 : 1 + words[8 + block - 1];
      if (!has(Mistake::late_check)) {
        Int(words[block]).store(1, release());
      }
    }
    cta.sync();
  }
};

/// Two threads of a CTA count together how often they have met, by ordinary stores, while the first reads a word.
struct CountsInMemory : Handshake {
  struct Shared {
    int met;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<CountsInMemory>& cta, int* words) const {
    int& met = cta.shared<Shared>().met;
    if (cta.thread() == 1) {
      met = 0;
    }
    cta.sync();
    while (met < 3) {
      if (cta.thread() == 0) {
        static_cast<void>(Int(words[0]).load(Order::relaxed));
      }
      cta.sync();
      if (cta.thread() == 1) {
        met += 1;
      }
      cta.sync();
    }
    if (cta.thread() == 1) {
      words[1] = met;
    }
  }
};

/// The first lane reads a word until the second one has met it three times.
struct CountsMeetings : Handshake {
  DMA_HOST_DEVICE void operator()(dma::KernelCta<CountsMeetings>& cta, int* words) const {
    int met = 0;
    bool goes_on = true;
    while (goes_on) {
      if (cta.thread() == 0) {
        static_cast<void>(Int(words[0]).load(Order::relaxed));
      }
      goes_on = cta.any(cta.thread() == 1 && ++met < 3);
    }
    if (cta.thread() == 1) {
      words[1] = met;
    }
    cta.sync_warp();
  }
};

/// A look-back by the order in which CTAs take tickets, or by their index.
struct TicketLookBack : Handshake {
  bool by_index = false;

  template <class Cta>
  DMA_HOST_DEVICE void operator()(Cta& cta, int* words) const {
    if (cta.thread() == 0) {
      const int turn = by_index ? cta.block().x : Int(words[scratch]).fetch_add(1, Order::relaxed);
      int sum = turn + 1;
      if (turn > 0) {
        while (Int(words[turn - 1]).load(acquire()) == 0) {
        }
        sum += words[16 + turn - 1];
      }
      words[16 + turn] = sum;
      Int(words[turn]).store(1, release());
    }
    cta.sync_warp();
  }
};

/// Each thread takes a place for a number of its own; with a mistake thread 3 does something else at place 1.
struct Places : Handshake {
  DMA_HOST_DEVICE void operator()(dma::KernelCta<Places>& cta, int* words) const {
    const int place = Int(words[0]).fetch_add(1, Order::relaxed);
    words[scratch + place] = cta.thread();
    if (has(Mistake::late_check) && cta.thread() == 3 && place == 1) {
      words[1] = words[scratch];
    }
    if (has(Mistake::no_acquire) && cta.thread() == 3 && place == 1) {
      while (Int(words[1]).load(Order::relaxed) == 0) {
      }
    }
    cta.sync_warp();
  }
};

/// CTAs that access a word as 8 bytes and as 4 of them.
struct MixedSizes : Handshake {
  DMA_HOST_DEVICE void operator()(dma::KernelCta<MixedSizes>& cta, int* words) const {
    if (cta.thread() == 0) {
      if (cta.block().x == 0) {
        Long(reinterpret_cast<long long&>(words[0])).store(5, Order::relaxed);
      } else {
        Int(words[1]).store(1, Order::relaxed);
      }
    }
    cta.sync_warp();
  }
};

/// Two CTAs store the halves of a word, or with a mistake one of them, by ordinary stores; CTA 2 reads all of it.
struct HalvesOfWord : Handshake {
  DMA_HOST_DEVICE void operator()(dma::KernelCta<HalvesOfWord>& cta, int* words) const {
    if (cta.thread() == 0) {
      const int block = cta.block().x;
      if (block < 2) {
        words[has(Mistake::late_check) ? 0 : block] = block + 1;
        Int(words[4 + block]).store(1, release());
      } else {
        for (int other = 0; other < 2; ++other) {
          while (Int(words[4 + other]).load(acquire()) == 0) {
          }
        }
        words[2] = Long(reinterpret_cast<long long&>(words[0])).load(Order::relaxed) == 0x200000001 ? 1 : 2;
      }
    }
    cta.sync_warp();
  }
};

/// CTA 2 stores a half of a word that CTAs 0 and 1 have stored in some order, and waits for ever where that changes the
/// other half. With a mistake it looks at that of a word that has not been stored.
struct KeepsOtherHalf : Handshake {
  DMA_HOST_DEVICE void operator()(dma::KernelCta<KeepsOtherHalf>& cta, int* words) const {
    if (cta.thread() == 0) {
      const int block = cta.block().x;
      const Long word(reinterpret_cast<long long&>(words[scratch]));
      if (block < 2) {
        word.store((block + 1LL) << 32, Order::relaxed);
        Int(words[4 + block]).store(1, release());
      } else {
        for (int other = 0; other < 2; ++other) {
          while (Int(words[4 + other]).load(acquire()) == 0) {
          }
        }
        const long long before = has(Mistake::late_check) ? 0 : word.load(Order::relaxed);
        words[scratch] = 7;
        if (word.load(Order::relaxed) != before + 7) {
          while (Int(words[2]).load(Order::relaxed) == 0) {
          }
        }
      }
    }
    cta.sync_warp();
  }
};

/// CTA 0 stores a byte of a word, and CTA 1 reads the word: behind a flag, or with a mistake where it polls the word.
struct PolledByte : Handshake {
  DMA_HOST_DEVICE void operator()(dma::KernelCta<PolledByte>& cta, int* words) const {
    if (cta.thread() == 0) {
      const Int word(words[0]);
      if (cta.block().x == 0) {
        reinterpret_cast<char*>(words)[1] = 3;
        word.fetch_add(1, release());
        Int(words[1]).store(1, release());
      } else {
        while (!has(Mistake::late_check) && Int(words[1]).load(acquire()) == 0) {
        }
        while ((word.load(acquire()) & 1) == 0) {
        }
        words[2] = words[0];
      }
    }
    cta.sync_warp();
  }
};

/// CTA 0 reads a word by an ordinary load before CTA 1 stores it by an ordinary store, and accesses it atomically.
struct FirstValue : Handshake {
  DMA_HOST_DEVICE void operator()(dma::KernelCta<FirstValue>& cta, int* words) const {
    if (cta.thread() == 0) {
      if (cta.block().x == 0) {
        const bool is_first = words[0] == 0;
        Int(words[1]).store(1, release());
        while (is_first == has(Mistake::late_check) && Int(words[2]).load(Order::relaxed) == 0) {
        }
      } else {
        while (Int(words[1]).load(acquire()) == 0) {
        }
        words[0] = 5;
        Int(words[0]).fetch_add(1, Order::relaxed);
      }
    }
    cta.sync_warp();
  }
};

/// The lanes of a warp store a word by one instruction, each at its turn, from the last one on.
struct LanesInTurn : Handshake {
  DMA_HOST_DEVICE void operator()(dma::KernelCta<LanesInTurn>& cta, int* words) const {
    for (int turn = 0; turn < cta.blocks().x + 2; ++turn) {
      if (cta.thread() == cta.blocks().x + 1 - turn) {
        words[0] = 1;
      }
      cta.sync_warp();
    }
    if (cta.thread() == 0) {
      words[1] = Int(words[0]).fetch_add(1, Order::relaxed);
    }
    cta.sync_warp();
  }
};

/// The lanes of a warp store a byte of a word by one instruction: one value, or with a mistake one of each lane.
struct LanesSetByte : Handshake {
  DMA_HOST_DEVICE void operator()(dma::KernelCta<LanesSetByte>& cta, int* words) const {
    reinterpret_cast<char*>(words)[1] = static_cast<char>(has(Mistake::late_check) ? cta.thread() : 3);
    cta.sync_warp();
    if (cta.thread() == 0) {
      words[1] = Int(words[0]).fetch_add(1, Order::relaxed);
    }
    cta.sync_warp();
  }
};

/// Copies and words that are accessed atomically. A tile is loaded whose words are counted in shared memory then, so
/// often that with a mistake a slot has a second tile; or CTA 2 loads words that CTAs 0 and 1 have stored in some
/// order, and waits for ever where the tile has another value than the word, or with a mistake counts in the tile.
template <class Engine>
struct TileOfWords : Handshake {
  using Tile = dma::Sequential<int, 4>;
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, dma::CudaBarrier, Engine>;
  struct Shared {
    typename Pipe::Storage storage;
  };

  bool is_counted = false;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<TileOfWords>& cta, int* words) const {
    const int block = cta.block().x;
    const int tiles = is_counted ? (has(Mistake::late_check) ? 3 : 2) : block == 2 ? 1 : 0;
    const Int word(words[scratch]);
    if (cta.thread() == 0 && !is_counted && block < 2) {
      word.store(block + 1, Order::relaxed);
      Int(words[4 + block]).store(1, release());
    }
    if (cta.thread() % 32 == 0 && !is_counted && block == 2) {
      for (int other = 0; other < 2; ++other) {
        while (Int(words[4 + other]).load(acquire()) == 0) {
        }
      }
    }
    cta.sync();
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (pipe.is_dma()) {
      auto dma = pipe.as_dma();
      for (int i = 0; i < tiles; ++i) {
        dma.load(words + scratch + (is_counted ? 4 * i : 0));
      }
    } else {
      auto compute = pipe.as_compute();
      for (int i = 0; i < tiles; ++i) {
        auto tile = compute.wait();
        if (compute.rank() == 0 && (is_counted || has(Mistake::late_check))) {
          words[i] = dma::atomic_ref<int, Scope::cta>(tile[0]).fetch_add(1, Order::relaxed);
        } else if (compute.rank() == 0 && tile[0] != word.load(Order::relaxed)) {
          while (Int(words[2]).load(Order::relaxed) == 0) {
          }
        }
      }
    }
  }
};

/// CTAs 0 and 1 set a flag of one byte each by the standard's atomics, count, and CTA 2 reads what is behind the flags,
/// and the word of both.
struct FlagsInWord : Handshake {
  void operator()(dma::KernelCta<FlagsInWord>& cta, int* words) const {
    if (cta.thread() == 0) {
      const int block = cta.block().x;
      auto* const flags = reinterpret_cast<unsigned char*>(words);
      std::atomic_ref(words[scratch]).fetch_add(1, std::memory_order_relaxed);
      if (block < 2) {
        words[1 + block] = 7;
        const bool is_relaxed = has(Mistake::no_release);
        std::atomic_ref(flags[block]).store(1, is_relaxed ? std::memory_order_relaxed : std::memory_order_release);
      } else {
        const bool is_relaxed = has(Mistake::no_acquire);
        for (int other = 0; other < 2; ++other) {
          while (
              std::atomic_ref(flags[other]).load(is_relaxed ? std::memory_order_relaxed : std::memory_order_acquire) ==
              0) {
          }
        }
        words[3] = words[1] + words[2] + (words[0] == 0x101 ? 1 : 0);
      }
    }
    cta.sync_warp();
  }
};

/// A store far from all memory, behind a store that is atomic where this is to be explored.
struct StoresFarAway {
  using Layout = One;

  bool is_explored;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<StoresFarAway>& cta, int* words) const {
    if (is_explored && cta.thread() == 0) {
      Int(words[0]).store(1, Order::relaxed);
    }
    cta.sync_warp();
    words[(1LL << 44) + cta.thread()] = 1;
  }
};

/// The library's counters, in a kernel whose executions are explored.
struct Tiles : Handshake {
  using Queue = dma::TileQueue<One>;
  struct Shared {
    typename Queue::Storage numbers;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Tiles>& cta, int* words) const {
    Queue queue(cta, cta.shared<Shared>().numbers, reinterpret_cast<dma::TileCounter&>(words[scratch]), 4);
    if (cta.thread() == 0) {
      Int(words[8]).store(1, Order::relaxed);
    }
    for (const int tile : queue) {
      if (cta.thread() == 0) {
        words[tile] += 1;
      }
    }
  }
};
/// Tiles that the CTAs load side by side.
struct Paced : Handshake {
  using Tile = dma::Sequential<int, 4>;
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    typename Pipe::Storage storage;
  };
  static constexpr dma::KernelTraits traits{.cooperative = true};

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Paced>& cta, int* words) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const int block = cta.block().x;
    const int tiles = 2 - block;
    if (cta.thread() == 0) {
      Int(words[8]).store(1, Order::relaxed);
    }
    if (pipe.is_dma()) {
      auto dma = pipe.as_dma();
      dma::Pace<1> pace(cta, pipe, reinterpret_cast<dma::PaceCounter*>(words + scratch));
      for (int tile = 0; tile < tiles; ++tile) {
        pace.step();
        dma.load(words + 12);
      }
    } else {
      auto compute = pipe.as_compute();
      for (int i = 0; i < tiles; ++i) {
        auto tile = compute.wait();
        if (compute.rank() == 0) {
          words[16 + block] += tile[0];
        }
      }
    }
  }
};

/// CTA 0 of a cluster leaves a value in the shared memory of CTA 1, behind a flag there.
struct ClusterFlag : Handshake {
  struct Shared {
    int flag;
    int data;
  };
  static constexpr dma::KernelTraits traits{.cluster = 2};

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ClusterFlag>& cta, int* words) const {
    auto& shared = cta.shared<Shared>();
    if (cta.thread() == 0) {
      shared.flag = 0;
    }
    cta.cluster_sync();
    if (cta.thread() == 0) {
      int& word = *cta.peer(1, &shared.flag);
      if (cta.cluster_rank() == 0) {
        *cta.peer(1, &shared.data) = 5;
        if (has(Mistake::narrow_scope)) {
          dma::atomic_ref<int, Scope::cta>(word).store(1, release());
        } else {
          dma::atomic_ref<int, Scope::cluster>(word).store(1, release());
        }
      } else {
        while (dma::atomic_ref<int, Scope::cluster>(word).load(acquire()) == 0) {
        }
        words[cta.block().x / 2] = shared.data;
      }
    }
    cta.cluster_sync();
  }
};

/// A sum that goes from cluster to cluster: from the first CTA of each to the second one by a copy, from there on to
/// the next cluster behind a flag.
struct Relay : Handshake {
  using Barrier = dma::PhaseBarrier<Scope::cluster>;
  struct Shared {
    Barrier::State full;
    int sum;
    int late;
  };
  static constexpr dma::KernelTraits traits{.cluster = 2};

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Relay>& cta, int* words) const {
    auto& shared = cta.shared<Shared>();
    Barrier full(cta, shared.full, 1);
    const int cluster = cta.block().x / 2;
    int* const sums = words + 16;
    if (cta.cluster_rank() == 0) {
      if (cta.thread() == 0) {
        int sum = cluster + 1;
        if (cluster > 0) {
          while (Int(words[cluster - 1]).load(acquire()) == 0) {
          }
          sum += sums[cluster - 1];
        }
        full.send(1, &shared.sum, sum);
        if (has(Mistake::late_check) && cluster > 0) {
          *cta.peer(1, &shared.late) = sum;  // where the other CTA may have ended
        }
      }
      return;
    }
    if (cta.thread() == 0) {
      full.expect(static_cast<int>(sizeof shared.sum));
    }
    full.wait();
    if (cta.thread() == 0) {
      sums[cluster] = shared.sum;
      Int(words[cluster]).store(1, release());
    }
  }
};

/// CTA 0 waits for another one.
struct WaitsForCta : Handshake {
  static constexpr dma::KernelTraits traits{.cluster = 2};

  int other = 1;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<WaitsForCta>& cta, int* words) const {
    if (cta.thread() == 0 && cta.block().x == other) {
      Int(words[0]).store(1, release());
    }
    while (cta.thread() == 0 && cta.block().x == 0 && Int(words[0]).load(acquire()) == 0) {
    }
    cta.sync_warp();
  }
};

/// One thread that counts.
struct Counts {
  using Layout = One;

  int count;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Counts>& cta, int* words) const {
    for (int i = 0; i < count && cta.thread() == 0; ++i) {
      Int(words[0]).fetch_add(1, Order::relaxed);
    }
    cta.sync_warp();
  }
};

}  // namespace handshakes
