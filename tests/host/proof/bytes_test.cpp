#include <dma/proof/executions/bytes_stored.hpp>
#include <dma/proof/record/byte_ranges.hpp>
#include <dma/proof/record/global_memory.hpp>
#include <dma/proof/record/range_table.hpp>
#include <dma/proof/record/seen_accesses.hpp>
#include <dma/proof/record/touched_bytes.hpp>
#include <dma/proof/record/written_bytes.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

using dma::proof::detail::Accesses;
using dma::proof::detail::ByteRange;
using dma::proof::detail::ByteRanges;
using dma::proof::detail::GlobalMemory;
using dma::proof::detail::RangeTable;
using dma::proof::detail::SeenAccesses;
using dma::proof::detail::SeenInstruction;
using dma::proof::detail::TouchedBytes;
using dma::proof::detail::WatchedMemory;
using dma::proof::detail::WrittenBytes;

/// Sets of bytes, each compared with a set of their numbers.
namespace {

using Bytes = std::set<long long>;

void add(Bytes& bytes, const ByteRange& range) {
  for (long long byte = range.first; byte < range.last; ++byte) {
    bytes.insert(byte);
  }
}
Bytes bytes_of(const ByteRanges& ranges) {
  Bytes bytes;
  for (const ByteRange& range : ranges) {
    add(bytes, range);
  }
  return bytes;
}
/// The one list of ranges of a set that is in order and has a gap between any two.
ByteRanges ranges_of(const Bytes& bytes) {
  ByteRanges ranges;
  for (const long long byte : bytes) {
    if (bytes.count(byte - 1) == 0) {
      ranges.push_back({byte, byte});
    }
    ranges.back().last = byte + 1;
  }
  return ranges;
}
ByteRange range_at_random(std::minstd_rand& random, long long bytes, long long longest) {
  const auto first = static_cast<long long>(random() % static_cast<unsigned long>(bytes));
  return {first, std::min(bytes, first + 1 + static_cast<long long>(random() % static_cast<unsigned long>(longest)))};
}
ByteRanges list_at_random(std::minstd_rand& random, long long bytes) {
  ByteRanges ranges(random() % 5);
  std::generate(ranges.begin(), ranges.end(), [&] { return range_at_random(random, bytes, 6); });
  return ranges;
}

bool are_same(const SeenInstruction& left, const SeenInstruction& right) {
  return left.address == right.address && left.writes == right.writes && left.hull == right.hull &&
         left.value == right.value;
}

}  // namespace

TEST_CASE("tidy ranges are in order, have gaps between them and the same bytes", "[proof][bytes]") {
  std::minstd_rand random(11);
  for (int round = 0; round < 3000; ++round) {
    const ByteRanges ranges = list_at_random(random, 24);
    const ByteRanges expected = ranges_of(bytes_of(ranges));
    REQUIRE(dma::proof::detail::tidy(ranges) == expected);
    REQUIRE(dma::proof::detail::is_tidy(ranges) == (ranges == expected));
    Accesses accesses{ranges, ranges};
    accesses.make_tidy();
    REQUIRE(accesses.reads == expected);
    REQUIRE(accesses.writes == expected);
  }
  REQUIRE(!(ByteRange{1, 3} == ByteRange{1, 4}));
  REQUIRE(!(ByteRange{1, 3} == ByteRange{2, 3}));
}

TEST_CASE("a range is found again where it was, in shared and in global memory", "[proof][bytes]") {
  const std::array<unsigned char, 64> shared{};
  const std::array<unsigned char, 8> elsewhere{};
  const WatchedMemory memory(shared.data(), shared.size());
  for (const std::size_t byte : {std::size_t{0}, std::size_t{5}, shared.size() - 4}) {
    const ByteRange range = memory.range_of(shared.data() + byte, 4);
    REQUIRE(range == ByteRange{static_cast<long long>(byte), static_cast<long long>(byte) + 4});
    REQUIRE(memory.place_of(range) == shared.data() + byte);
  }
  const ByteRange global = memory.range_of(elsewhere.data(), 8);
  REQUIRE(dma::proof::detail::is_global(global));
  REQUIRE(memory.place_of(global) == elsewhere.data());
}

TEST_CASE("lists of the same bytes have one number, and others have others", "[proof][bytes]") {
  std::minstd_rand random(5);
  RangeTable table;
  std::map<ByteRanges, int> numbers{{{}, 0}};
  for (int round = 0; round < 3000; ++round) {
    const ByteRanges ranges = list_at_random(random, 14);
    const ByteRanges expected = ranges_of(bytes_of(ranges));
    const auto [known, is_new] = numbers.try_emplace(expected, static_cast<int>(numbers.size()));
    REQUIRE(table.number_of(ranges) == known->second);
    REQUIRE(table[known->second] == expected);
    REQUIRE(table.size() == static_cast<int>(numbers.size()));
  }
  REQUIRE(numbers.size() > 500);
  // However often the table has grown.
  RangeTable many;
  for (int times = 0; times < 2; ++times) {
    for (int i = 0; i < 5000; ++i) {
      REQUIRE(many.number_of({{4LL * i, 4LL * i + 1}}) == i + 1);
    }
  }
}

TEST_CASE("bytes that are touched are given back in ranges, up to the last one of a word", "[proof][bytes]") {
  std::minstd_rand random(17);
  constexpr long long bytes = 6 * 64;
  TouchedBytes touched(bytes);
  for (int round = 0; round < 3000; ++round) {
    Bytes expected;
    for (int access = round % 5; access > 0; --access) {
      ByteRange range = range_at_random(random, bytes, round % 2 == 0 ? 9 : 200);
      // A third of them ends with a word.
      range.last = round % 3 == 0 ? std::min(bytes, (range.last + 63) / 64 * 64) : range.last;
      touched.add(range);
      add(expected, range);
    }
    ByteRanges ranges;
    touched.take(ranges);
    REQUIRE(ranges == ranges_of(expected));
  }
}

TEST_CASE("global memory knows of each byte who reads and writes it", "[proof][bytes]") {
  struct Users {
    std::multiset<GlobalMemory::User> readers, writers;
  };
  const std::array users{GlobalMemory::thread(0), GlobalMemory::thread(7), GlobalMemory::copy, GlobalMemory::atomics};
  // Pages that the memory may take for each other, and the end of one.
  const std::array<long long, 4> begins{4090, 4090 + 4096, 4090 + 64 * 4096, 4090 + 128 * 4096};
  std::minstd_rand random(23);
  for (int round = 0; round < 1000; ++round) {
    GlobalMemory memory;
    std::map<long long, Users> bytes;
    Bytes used[2];
    for (int i = 0; i < 6; ++i) {
      const long long first = dma::proof::detail::first_global + begins.at(random() % begins.size()) +
                              static_cast<long long>(random() % 10);
      const ByteRange range{first, first + 1 + static_cast<long long>(random() % 4)};
      const GlobalMemory::User user = users.at(random() % users.size());
      const bool writes = user == GlobalMemory::atomics || random() % 2 == 0;
      memory.use(range, user, writes);
      for (long long byte = range.first; byte < range.last; ++byte) {
        (writes ? bytes[byte].writers : bytes[byte].readers).insert(user);
      }
    }
    for (const auto& [byte, its] : bytes) {
      for (const bool writes : {false, true}) {
        const auto& all = writes ? its.writers : its.readers;
        // Atomics are told apart where they are the only users.
        if (!all.empty() && all.count(GlobalMemory::atomics) != all.size()) {
          used[writes ? 1 : 0].insert(byte);
        }
      }
      const auto one_of = [](const std::multiset<GlobalMemory::User>& all) -> std::optional<GlobalMemory::User> {
        const bool is_one = !all.empty() && all.count(*all.begin()) == all.size() &&
                            (*all.begin() != GlobalMemory::copy || all.size() == 1);
        return is_one ? std::optional(*all.begin()) : std::nullopt;
      };
      for (const GlobalMemory::User user : users) {
        const auto writer = one_of(its.writers);
        const auto reader = one_of(its.readers);
        const bool is_read_by_another =
            !its.readers.empty() && (!reader || reader != writer || reader == GlobalMemory::copy);
        const bool expected =
            !its.writers.empty() &&
            (!writer || (writer == GlobalMemory::atomics && user != GlobalMemory::atomics) || is_read_by_another);
        REQUIRE(memory.is_shared({byte, byte + 1}, user) == expected);
      }
    }
    REQUIRE(memory.used(false) == ranges_of(used[0]));
    REQUIRE(memory.used(true) == ranges_of(used[1]));
  }
}

TEST_CASE("bytes are written since a time or not, and may be words of open barriers", "[proof][bytes]") {
  constexpr long long bytes = 48;
  std::minstd_rand random(29);
  for (int round = 0; round < 300; ++round) {
    WrittenBytes written(bytes);
    std::array<unsigned, bytes> times{};  // 0: never; those of barriers are in the set
    Bytes barriers;
    std::vector<unsigned> since{0, written.tick()};
    for (int i = 0; i < 12; ++i) {
      const ByteRange range = range_at_random(random, bytes, 12);
      const unsigned what = static_cast<unsigned>(random() % 8);
      const long long word = range.first / 8 * 8;
      if (what == 0) {
        written.open_barrier({word, word + 8});
        add(barriers, {word, word + 8});
      } else {
        if (what == 1) {
          written.forget(range);
        } else {
          written.write(range);
        }
        const unsigned now = what == 1 ? 0 : since.back() + 1;
        for (long long byte = range.first; byte < range.last; ++byte) {
          times.at(static_cast<std::size_t>(byte)) = now;
          barriers.erase(byte);
        }
        if (what != 1) {
          since.push_back(now);
        }
      }
      const ByteRange asked = range_at_random(random, bytes, 12);
      std::optional<long long> barrier;
      for (long long byte = asked.last; byte-- > asked.first;) {
        barrier = barriers.count(byte) != 0 ? std::optional(byte) : barrier;
        REQUIRE(written.was_written(byte) ==
                (times.at(static_cast<std::size_t>(byte)) != 0 || barriers.count(byte) != 0));
      }
      REQUIRE(written.barrier_in(asked) == barrier);
      const unsigned time = since.at(random() % since.size());
      for (const long long granule : {1, 4, 8}) {
        std::optional<long long> unwritten;
        for (long long first = asked.first; first < asked.last && !unwritten; first += granule) {
          bool any = false;
          for (long long byte = first; byte < std::min(first + granule, asked.last); ++byte) {
            any = any || barriers.count(byte) != 0 || times.at(static_cast<std::size_t>(byte)) > time;
          }
          unwritten = any ? std::nullopt : std::optional(first);
        }
        REQUIRE(written.unwritten_in(asked, granule, time) == unwritten);
      }
    }
  }
}

TEST_CASE("accesses are seen as bytes and as instructions with theirs, of the thread that runs", "[proof][bytes]") {
  std::array<unsigned char, 96> shared{};
  std::array<unsigned char, 96> global{};
  std::array<unsigned char, 4> code{};
  for (std::size_t i = 0; i < shared.size(); ++i) {
    shared.at(i) = static_cast<unsigned char>(i + 1);
    global.at(i) = static_cast<unsigned char>(200 - i);
  }
  std::minstd_rand random(31);
  SeenAccesses seen(shared.data(), shared.size());
  const long long first_global = seen.memory().range_of(global.data(), 1).first;
  for (std::size_t round = 0; round < 400; ++round) {
    const std::size_t thread = round % 3;
    // Half of the threads end with accesses that they have not taken.
    if (round % 2 == 0) {
      seen.add(thread + 10, {0, 96}, true, code.data());
      seen.add(thread + 10, {first_global, first_global + 9}, false, code.data() + 1);
    }
    REQUIRE(!seen.has_any_of(thread));
    Bytes reads[2];
    Bytes writes[2];
    std::vector<SeenInstruction> expected;
    for (std::size_t i = 0; i < 1 + round % 6; ++i) {
      const bool is_global = random() % 2 == 0;
      const bool is_write = random() % 2 == 0;
      ByteRange range = range_at_random(random, 60, 8);
      if (is_global) {
        range = {range.first + first_global, range.last + first_global};
      }
      const void* const instruction = code.data() + 2 * (is_global ? 1 : 0) + random() % 2;
      seen.add(thread, range, is_write, instruction);
      add((is_write ? writes : reads)[is_global ? 1 : 0], range);
      const auto known = std::find_if(expected.begin(), expected.end(), [&](const SeenInstruction& other) {
        return other.address == instruction && other.writes == is_write;
      });
      if (known == expected.end()) {
        expected.push_back({instruction, is_write, range, {}});
      } else {
        known->hull = {std::min(known->hull.first, range.first), std::max(known->hull.last, range.last)};
      }
    }
    REQUIRE(seen.has_any_of(thread));
    REQUIRE(!seen.has_any_of(thread + 1));
    Accesses in_shared;
    Accesses in_global;
    seen.take(in_shared, in_global);
    REQUIRE(in_shared.reads == ranges_of(reads[0]));
    REQUIRE(in_shared.writes == ranges_of(writes[0]));
    REQUIRE(bytes_of(in_global.reads) == reads[1]);
    REQUIRE(bytes_of(in_global.writes) == writes[1]);
    for (SeenInstruction& instruction : expected) {
      const auto& memory = dma::proof::detail::is_global(instruction.hull) ? global : shared;
      const auto first = instruction.hull.first - (dma::proof::detail::is_global(instruction.hull) ? first_global : 0);
      const auto count = instruction.hull.last - instruction.hull.first;
      if (instruction.writes && count <= 16) {
        std::copy_n(memory.begin() + first, count, instruction.value.begin());
      }
    }
    std::vector<SeenInstruction> instructions;
    seen.take_instructions(instructions);
    REQUIRE(std::equal(instructions.begin(), instructions.end(), expected.begin(), expected.end(), are_same));
    REQUIRE(!seen.has_any_of(thread));
  }
}

TEST_CASE("stores that leave bytes as they were are told from others", "[proof]") {
  dma::proof::detail::BytesStored stores;
  std::vector<int> words(20);
  REQUIRE(stores.note(&words[0], sizeof(int)));
  REQUIRE(stores.are_as_before());
  words[0] = 1;
  REQUIRE(!stores.are_as_before());
  REQUIRE(stores.note(&words[0], sizeof(int)));
  words[0] = 0;  // as at first
  REQUIRE(stores.are_as_before());
  words[0] = 1;
  stores.forget();
  REQUIRE(stores.are_as_before());
  for (int i = 0; i < 16; ++i) {
    REQUIRE(stores.note(&words[static_cast<std::size_t>(i)], sizeof(int)));
  }
  REQUIRE(!stores.note(&words[16], sizeof(int)));
}
