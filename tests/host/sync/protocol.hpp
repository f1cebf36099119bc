#pragma once

#include <dma/host/launch.hpp>

#include "kernels/matrix.hpp"

#include <catch2/catch_test_macros.hpp>

#include <initializer_list>

/// Tiles a loop. To the thread sanitizer each switch between threads is dear, so that it is shown fewer loops.
#if defined(__SANITIZE_THREAD__)
inline constexpr std::initializer_list<int> trip_counts = {0, 1, 2, 5, 13};
#else
inline constexpr std::initializer_list<int> trip_counts = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
#endif

/// Streams through one kernel, with each number of tiles. Of each kernel of a matrix only `launch` is compiled anew.
template <class Pattern>
void check_kernel(const char* pipe, streams::Style style, bool short_tiles, void (*launch)(unsigned, streams::Job),
                  unsigned seed) {
  for (const int trips : trip_counts) {
    streams::Buffers<Pattern> data(trips, short_tiles ? 3 : 0);
    INFO(pipe << ", " << streams::style_names[static_cast<int>(style)] << ", " << trips << " tiles a loop");
    REQUIRE_NOTHROW(launch(seed, {data.in.data(), data.out.data(), trips, data.short_every}));
    REQUIRE(data.wrong() == 0);
  }
}

inline constexpr auto every_style = [](streams::Style) { return true; };

/// Streams through every kernel of a list on one barrier, by one engine, on the host's CTA.
/// Returns how many kernels these were.
///
/// @tparam is_checked  of a style: whether its kernels are in the list
template <class Barrier, class Engine, class Bufferings = streams::Bufferings, auto is_checked = every_style>
int check_every_kernel(bool short_tiles, unsigned seed) {
  int kernels = 0;
  streams::for_each_kernel<Barrier, Engine>(
      [&]<class Pipe, streams::Style style>() {
        if constexpr (is_checked(style)) {
          const auto launch = [](unsigned order, streams::Job job) {
            dma::host::launch({order}, streams::OnePipeline<Pipe, style>{}, {1}, job);
          };
          check_kernel<typename Pipe::Pattern>(dma::machine::type_name<Pipe>(), style, short_tiles, launch, seed);
          ++kernels;
        }
      },
      Bufferings{});
  return kernels;
}

inline constexpr int kernels_of_matrix = 4 * (9 * 6 + 3);  // patterns and directions x (bufferings x styles + one body)

/// An engine takes part in the order of calls and in how many slots are held. When a slot is released, and whose turn a
/// tile is, are the ring's: the barriers' tests and a GPU's matrix have those styles.
inline constexpr auto meets_an_engine = [](streams::Style style) {
  return style != streams::Style::early_release && style != streams::Style::own_turns;
};

/// Streams through the kernels whose ends of copies differ by engine, which come at any time between the copies' issue
/// and what waits for them, as the seed has it.
template <class Barrier, class Engine, class Bufferings>
int check_engine(bool short_tiles, unsigned seed) {
  return check_every_kernel<Barrier, Engine, Bufferings, meets_an_engine>(short_tiles, seed);
}

/// Two pipelines in one kernel.
template <class Barrier>
void check_every_pair(bool short_tiles, unsigned seed) {
  streams::for_each_pair<Barrier>([&]<class A, class B>() {
    for (const int trips : trip_counts) {
      streams::Buffers<typename A::Pattern> a(trips, short_tiles ? 3 : 0);
      streams::Buffers<typename B::Pattern> b(trips, short_tiles ? 2 : 0);
      INFO(dma::machine::type_name<A>() << " and " << dma::machine::type_name<B>() << ", " << trips << " tiles a loop");
      REQUIRE_NOTHROW(dma::host::launch({seed}, streams::TwoPipelines<A, B>{}, {1},
                                        streams::Job{a.in.data(), a.out.data(), trips, a.short_every},
                                        streams::Job{b.in.data(), b.out.data(), trips, b.short_every}));
      REQUIRE(a.wrong() == 0);
      REQUIRE(b.wrong() == 0);
    }
  });
}
