#pragma once

#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

#include "kernels/matrix.hpp"
#include "mutants/cases.hpp"

/// Cases of the kernels that stream tiles through one pipeline or through two.
namespace mutants {

using streams::Style;

struct Trips {
  int trips;        ///< tiles a loop
  int short_every;  ///< every n-th tile is short, 0 for none
};
inline constexpr Trips some_trips[] = {{5, 0}, {1, 0}, {4, 3}};

template <class Pipe, Style style>
void add_stream(Cases& cases) {
  using Kernel = streams::OnePipeline<Pipe, style>;
  using Pattern = typename Pipe::Pattern;
  const auto job_of = [](streams::Buffers<Pattern>& data, const Trips& trips) {
    return streams::Job{data.in.data(), data.out.data(), trips.trips, trips.short_every};
  };
  cases.push_back(
      {dma::machine::readable(dma::machine::type_name<Pipe>()) + ", " + streams::style_names[static_cast<int>(style)],
       [=] {
         const auto judge = [&](const Trips& trips) {
           streams::Buffers<Pattern> data(trips.trips, trips.short_every);
           return dma::host::prove({.outputs = {dma::host::output(data.out)}}, Kernel{}, {1}, job_of(data, trips));
         };
         return prove_each(judge, some_trips[0], some_trips[1], some_trips[2]);
       },
       [=] {
         bool is_right = true;
         for (const Trips& trips : some_trips) {
           streams::Buffers<Pattern> data(trips.trips, trips.short_every);
           dma::host::launch({3}, Kernel{}, {1}, job_of(data, trips));
           is_right = is_right && data.wrong() == 0;
         }
         return is_right;
       }});
}

template <class A, class B>
void add_pair(Cases& cases) {
  using Kernel = streams::TwoPipelines<A, B>;
  using BuffersA = streams::Buffers<typename A::Pattern>;
  using BuffersB = streams::Buffers<typename B::Pattern>;
  const auto job_of = [](auto& data, const Trips& trips) {
    return streams::Job{data.in.data(), data.out.data(), trips.trips, trips.short_every};
  };
  cases.push_back({"two pipelines, the first " + dma::machine::readable(dma::machine::type_name<A>()),
                   [=] {
                     const auto judge = [&](const Trips& trips) {
                       BuffersA a(trips.trips, trips.short_every);
                       BuffersB b(trips.trips, trips.short_every);
                       return dma::host::prove({.outputs = {dma::host::output(a.out), dma::host::output(b.out)}},
                                               Kernel{}, {1}, job_of(a, trips), job_of(b, trips));
                     };
                     return prove_each(judge, some_trips[0], some_trips[1], some_trips[2]);
                   },
                   [=] {
                     bool is_right = true;
                     for (const Trips& trips : some_trips) {
                       BuffersA a(trips.trips, trips.short_every);
                       BuffersB b(trips.trips, trips.short_every);
                       dma::host::launch({3}, Kernel{}, {1}, job_of(a, trips), job_of(b, trips));
                       is_right = is_right && a.wrong() == 0 && b.wrong() == 0;
                     }
                     return is_right;
                   }});
}

}  // namespace mutants
