#include <dma/engines/threads/partition.hpp>
#include <dma/engines/threads/piece_map.hpp>
#include <dma/patterns/strided.hpp>

#include <catch2/catch_test_macros.hpp>

#include <vector>

namespace {

template <int Runs, int RunBytes, int Width, int Threads>
void check_map() {
  using Map = dma::detail::PieceMap<Runs, RunBytes, Width, Threads>;
  constexpr int pieces = Runs * (RunBytes / Width);
  std::vector<int> moved(static_cast<std::size_t>(pieces), 0);
  for (int step = 0; step < Map::steps; ++step) {
    for (int thread = 0; thread < Threads; ++thread) {
      const int number = step * Threads + thread;
      REQUIRE(Map::has_piece(thread, step) == (number < pieces));
      if (number < pieces) {
        const dma::detail::Piece piece = Map::at(thread, step);
        REQUIRE(piece.run == number / (RunBytes / Width));
        REQUIRE(piece.offset == number % (RunBytes / Width) * Width);
        ++moved[static_cast<std::size_t>(number)];
      }
    }
  }
  for (const int times : moved) {
    REQUIRE(times == 1);
  }
}

}  // namespace

TEST_CASE("every piece has one thread and one step, neighbours in memory have neighbouring threads", "[mapping]") {
  check_map<1, 4096, 16, 32>();
  check_map<1, 1000, 8, 96>();
  check_map<1, 16, 16, 128>();
  check_map<8, 128, 16, 32>();  // threads take whole runs
  check_map<7, 128, 16, 64>();
  check_map<5, 1024, 16, 32>();  // runs take several steps
  check_map<3, 1024, 16, 64>();
  check_map<6, 80, 16, 32>();  // neither divides the other
  check_map<11, 36, 4, 96>();
  check_map<4, 12, 1, 32>();
}

TEST_CASE("a mapping is separable where runs and threads divide one another, or few threads idle", "[mapping]") {
  STATIC_REQUIRE(dma::detail::PieceMap<1, 1000, 8, 96>::is_separable);
  STATIC_REQUIRE(dma::detail::PieceMap<8, 128, 16, 32>::is_separable);
  STATIC_REQUIRE(dma::detail::PieceMap<5, 1024, 16, 32>::is_separable);
  STATIC_REQUIRE(dma::detail::PieceMap<6, 80, 16, 32>::is_separable);    // 30 threads
  STATIC_REQUIRE(dma::detail::PieceMap<16, 252, 16, 32>::is_separable);  // 30 threads
  // 27 of 32 threads would take 11 steps instead of 9, a lane for each row 16 bytes of 32 rows at a time.
  STATIC_REQUIRE_FALSE(dma::detail::PieceMap<32, 144, 16, 32>::is_separable);
}

namespace {

/// `runs_at_once` runs of `lanes` threads each; a thread without a piece in a step has one in the step that it repeats.
template <int Runs, int RunBytes, int Width, int Threads>
void check_shares(int lanes, int runs_at_once, int steps_per_run) {
  using Map = dma::detail::PieceMap<Runs, RunBytes, Width, Threads>;
  STATIC_REQUIRE(Map::is_separable);
  REQUIRE(Map::steps == (Runs + runs_at_once - 1) / runs_at_once * steps_per_run);
  for (int step = 0; step < Map::steps; ++step) {
    for (int thread = 0; thread < Threads; ++thread) {
      const dma::detail::Piece piece{step / steps_per_run * runs_at_once + thread / lanes,
                                     (step % steps_per_run * lanes + thread % lanes) * Width};
      const bool is_there = thread < lanes * runs_at_once && piece.run < Runs && piece.offset + Width <= RunBytes;
      REQUIRE(Map::has_piece(thread, step) == is_there);
      if (is_there) {
        REQUIRE(Map::at(thread, step) == piece);
        REQUIRE(Map::step_or_earlier(thread, step) == step);
      } else if (thread < lanes * runs_at_once) {
        REQUIRE(Map::step_or_earlier(thread, step) < step);
        REQUIRE(Map::has_piece(thread, Map::step_or_earlier(thread, step)));
      }
    }
  }
}

}  // namespace

TEST_CASE("a run has lanes of its own where threads do not divide it", "[mapping]") {
  check_shares<16, 252, 16, 32>(15, 2, 1);
  check_shares<16, 732, 16, 128>(15, 8, 3);
  check_shares<33, 732, 16, 32>(15, 2, 3);   // the last step has one run
  check_shares<16, 744, 16, 128>(16, 8, 3);  // a run's last step has 14 lanes
  check_shares<9, 744, 16, 64>(7, 9, 7);
  check_shares<34, 136, 4, 128>(17, 7, 2);  // six of the last seven runs
  check_shares<16, 768, 16, 32>(16, 2, 3);  // all threads
}

TEST_CASE("rounds end with a run where lanes share runs", "[mapping]") {
  STATIC_REQUIRE(dma::detail::PieceMap<40, 544, 16, 64>::shares.steps_per_run == 3);
  STATIC_REQUIRE(dma::detail::PieceMap<40, 544, 16, 64>::steps_together(4) == 3);
  STATIC_REQUIRE(dma::detail::PieceMap<40, 544, 16, 64>::steps_together(16) == 15);
  STATIC_REQUIRE(dma::detail::PieceMap<40, 544, 16, 64>::steps_together(2) == 2);
  STATIC_REQUIRE(dma::detail::PieceMap<40, 544, 16, 64>::steps_together(24) == 24);
  STATIC_REQUIRE(dma::detail::PieceMap<40, 544, 16, 64>::steps_together(32) == 24);
  STATIC_REQUIRE(dma::detail::PieceMap<40, 544, 16, 64, false>::steps_together(4) == 4);
  STATIC_REQUIRE(dma::detail::PieceMap<40, 512, 16, 64>::steps_together(4) == 4);  // threads take whole runs
}

namespace {

/// Which thread moves which byte, listed for every run.
template <int Runs, int RunBytes, int Width, int Threads>
void check_every_byte_is_moved_once() {
  using Map = dma::detail::PieceMap<Runs, RunBytes, Width, Threads>;
  std::vector<int> moved(static_cast<std::size_t>(Runs * RunBytes), 0);
  const auto move = [&](dma::detail::Piece piece, int bytes) {
    REQUIRE(piece.run >= 0);
    REQUIRE(piece.run < Runs);
    REQUIRE(piece.offset >= 0);
    REQUIRE(piece.offset + bytes <= RunBytes);
    for (int byte = 0; byte < bytes; ++byte) {
      ++moved[static_cast<std::size_t>(piece.run * RunBytes + piece.offset + byte)];
    }
  };
  for (int thread = 0; thread < Threads; ++thread) {
    for (int step = 0; step < Map::steps; ++step) {
      if (Map::has_piece(thread, step)) {
        move(Map::at(thread, step), Width);
      }
    }
    for (int step = 0; step < Map::tail_steps; ++step) {
      if (Map::has_tail(thread, step)) {
        move(Map::tail(thread, step), RunBytes % Width);
      }
    }
    REQUIRE_FALSE(Map::has_tail(thread, Map::tail_steps));
  }
  for (const int times : moved) {
    REQUIRE(times == 1);
  }
}

}  // namespace

TEST_CASE("pieces and tails are every byte once", "[mapping]") {
  check_every_byte_is_moved_once<32, 732, 16, 32>();
  check_every_byte_is_moved_once<33, 252, 16, 32>();
  check_every_byte_is_moved_once<5, 748, 16, 96>();
  check_every_byte_is_moved_once<70, 40, 16, 32>();
  check_every_byte_is_moved_once<64, 527, 16, 32>();  // threads divide a run's pieces
  check_every_byte_is_moved_once<1, 1001, 16, 64>();
}

namespace {

/// Of a full tile whose rows are equally far apart in both memories: a thread that has no piece in a step repeats one
/// of the tile, and one without a tail reads one of the tile.
template <int Rows, int Cols, int Width>
void check_repeated_pieces() {
  constexpr int row_bytes = Cols * 4;
  constexpr int pitch = (row_bytes + Width - 1) / Width * Width;
  using Tile = dma::Strided<float, Cols, Rows, dma::RowLayout{.alignment = Width}>;
  using Partition = dma::detail::FullTilePartition<Tile, 32, Width>;
  STATIC_REQUIRE(Partition::repeats_pieces);
  struct Places {
    long long global;
    long long shared;
  };
  const Tile tile{pitch};
  for (int thread = 0; thread < 32; ++thread) {
    const Partition partition(tile, thread);
    const Places begin = partition.begin(Places{0, 0});
    for (int step = 0; step < Partition::steps; ++step) {
      const dma::Run piece = partition.repeated_piece(step);
      const long long place = begin.shared + piece.shared;
      CAPTURE(thread, step, place);
      REQUIRE(begin.global + piece.global == place);
      REQUIRE(place / pitch < Rows);
      REQUIRE(place % pitch + Width <= row_bytes);
    }
    for (int step = 0; step < Partition::tail_steps; ++step) {
      const dma::Run tail = partition.tail_or_last(step);
      CAPTURE(thread, step, tail.shared);
      REQUIRE(tail.global == tail.shared);
      REQUIRE(tail.shared / pitch < Rows);
      REQUIRE(tail.shared % pitch + tail.bytes == row_bytes);
    }
  }
}

}  // namespace

TEST_CASE("a thread without a piece repeats one of the tile", "[mapping]") {
  check_repeated_pieces<6, 20, 16>();
  check_repeated_pieces<7, 20, 16>();
  check_repeated_pieces<3, 63, 4>();
  check_repeated_pieces<5, 13, 16>();  // with tails, counted run by run
  check_repeated_pieces<13, 13, 16>();
}

TEST_CASE("a tile whose runs are multiples of an access has no tails", "[mapping]") {
  STATIC_REQUIRE(dma::detail::PieceMap<32, 736, 16, 32>::tail_steps == 0);
  STATIC_REQUIRE(dma::detail::PieceMap<32, 732, 16, 32>::tail_steps == 1);
  STATIC_REQUIRE(dma::detail::PieceMap<33, 732, 16, 32>::tail_steps == 2);
}

TEST_CASE("a run shorter than an access has no pieces", "[mapping]") {
  STATIC_REQUIRE(dma::detail::PieceMap<1, 12, 16, 32>::steps == 0);
  REQUIRE_FALSE(dma::detail::PieceMap<1, 12, 16, 32>::has_piece(0, 0));
}
