#include <dma/buffering/cursor.hpp>

#include <catch2/catch_test_macros.hpp>

TEST_CASE("the k-th tile is in stage k mod stages and generation k / stages", "[cursor]") {
  for (int stages = 1; stages <= 16; ++stages) {
    dma::Cursor cursor;
    for (int k = 0; k < 200; ++k) {
      REQUIRE(cursor.stage == k % stages);
      REQUIRE(cursor.parity == static_cast<unsigned>(k / stages % 2));
      REQUIRE(cursor.wrapped == (k >= stages));
      cursor.advance(stages);
    }
  }
}

TEST_CASE("advancing by n tiles is advancing n times by one", "[cursor]") {
  for (int stages = 1; stages <= 7; ++stages) {
    dma::Cursor start;
    for (int before = 0; before < 3 * stages; ++before) {
      for (int tiles = 0; tiles < 40; ++tiles) {
        dma::Cursor at_once = start;
        at_once.advance(stages, tiles);
        dma::Cursor one_by_one = start;
        for (int i = 0; i < tiles; ++i) {
          one_by_one.advance(stages);
        }
        REQUIRE(at_once == one_by_one);
      }
      start.advance(stages);
    }
  }
}
