#pragma once

#include <dma/dma.hpp>
#include <dma/host/launch.hpp>
#include <dma/machine/readable.hpp>

#include "kernels/matrix.hpp"
#include "mutants/cases.hpp"

/// Cases of the kernels that stream tiles through one pipeline or through two.
namespace mutants {

using streams::Style;

inline constexpr int trips = 4;        ///< tiles a loop; a kernel has four loops
inline constexpr int short_every = 3;  ///< every third tile is short

template <class Pattern>
streams::Job job_of(streams::Buffers<Pattern>& data) {
  return {data.in.data(), data.out.data(), trips, short_every};
}

template <class Pipe, Style style>
void add_stream(Cases& cases) {
  using Kernel = streams::OnePipeline<Pipe, style>;
  using Buffers = streams::Buffers<typename Pipe::Pattern>;
  cases.push_back(
      {dma::machine::readable(dma::machine::type_name<Pipe>()) + ", " + streams::style_names[static_cast<int>(style)],
       [] {
         Buffers data(trips, short_every);
         return dma::proof::prove(writes(data.out), Kernel{}, {1}, job_of(data));
       },
       [] {
         Buffers data(trips, short_every);
         dma::host::launch({3}, Kernel{}, {1}, job_of(data));
         return data.wrong() == 0;
       }});
}

template <class A, class B>
void add_pair(Cases& cases) {
  using Kernel = streams::TwoPipelines<A, B>;
  using BuffersA = streams::Buffers<typename A::Pattern>;
  using BuffersB = streams::Buffers<typename B::Pattern>;
  cases.push_back({"two pipelines, the first " + dma::machine::readable(dma::machine::type_name<A>()),
                   [] {
                     BuffersA a(trips, short_every);
                     BuffersB b(trips, short_every);
                     return dma::proof::prove(writes(a.out, b.out), Kernel{}, {1}, job_of(a), job_of(b));
                   },
                   [] {
                     BuffersA a(trips, short_every);
                     BuffersB b(trips, short_every);
                     dma::host::launch({3}, Kernel{}, {1}, job_of(a), job_of(b));
                     return a.wrong() == 0 && b.wrong() == 0;
                   }});
}

}  // namespace mutants
