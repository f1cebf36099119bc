#pragma once

/// What Python calls in a library that a host compiler makes of a kernel body: a run on the emulator, or a proof.

#include <dma_python/description.hpp>

#include <dma/host/launch.hpp>
#include <dma/proof/prove.hpp>

#include <cstddef>
#include <exception>
#include <span>
#include <sstream>
#include <string>

namespace dma::python {

/// An argument that is an array. The same as _host.py's.
struct HostArray {
  std::byte* address;
  std::size_t bytes;
  std::size_t element_bytes;
  int argument;    ///< its place
  int is_written;  ///< the kernel may write it
};

/// The same as _host.py's.
struct HostCall {
  int is_proof;
  int grid[3];
  unsigned seed;
  const void* const* arguments;  ///< one address each
  int count;                     ///< of arrays
  const HostArray* arrays;
  int has_other_arrays;  ///< an argument names memory whose size is not known
  // What it returns, until the next call of this thread.
  int is_right;
  const char* kind;
  const char* message;
  const char* timeline;
  const char* text;
  const char* pipelines;  ///< a line each: stages, tiles, type and place
};

/// Names the arrays of a call in the options of a proof or a launch.
template <class Options>
void name_arrays(Options& options, const HostCall& call) {
  options.has_other_arrays = call.has_other_arrays != 0;
  for (const HostArray& array : std::span(call.arrays, static_cast<std::size_t>(call.count))) {
    const std::span bytes(array.address, array.bytes);
    const std::string name = "argument " + std::to_string(array.argument);
    if (array.is_written != 0) {
      options.outputs.emplace_back(bytes, array.element_bytes, name);
    } else {
      options.inputs.emplace_back(bytes, array.element_bytes, name);
    }
  }
}

template <class Body, class... Args, int... Index>
void run_on_host(HostCall& call, Arguments<Args...>, stdlib::integer_sequence<int, Index...>) {
  thread_local std::string message;
  thread_local std::string timeline;
  thread_local std::string text;
  thread_local std::string pipelines;
  const dma::Index3 grid{call.grid[0], call.grid[1], call.grid[2]};
  message = timeline = text = pipelines = call.kind = "";
  try {
    if (call.is_proof != 0) {
      proof::Options options{.first_seed = call.seed};
      name_arrays(options, call);
      const proof::Verdict verdict =
          proof::prove(options, Body{}, grid, Args(*static_cast<const Args*>(call.arguments[Index]))...);
      std::ostringstream stream;
      stream << verdict;
      message = verdict.message;
      timeline = verdict.timeline.text();
      text = stream.str();
      for (const proof::detail::RingUse& ring : verdict.rings) {
        pipelines += std::to_string(ring.stages) + '\t' + std::to_string(ring.tiles) + '\t' + ring.pipeline +
                     ", at byte " + std::to_string(ring.offset) + " of shared memory\n";
      }
      call.kind = proof::name_of(verdict.kind);
      call.is_right = verdict.is_proved() ? 1 : 0;
    } else {
      host::LaunchOptions options{.seed = call.seed};
      name_arrays(options, call);
      host::launch(options, Body{}, grid, Args(*static_cast<const Args*>(call.arguments[Index]))...);
      call.is_right = 1;
    }
  } catch (const std::exception& error) {
    call.is_right = 0;
    call.kind = "error";
    message = text = error.what();
  }
  call.message = message.c_str();
  call.timeline = timeline.c_str();
  call.text = text.c_str();
  call.pipelines = pipelines.c_str();
}
template <class Body, class... Args>
void run_on_host(HostCall& call, Arguments<Args...> arguments) {
  run_on_host<Body>(call, arguments, stdlib::make_integer_sequence<int, static_cast<int>(sizeof...(Args))>{});
}

template <class Body, class... Args>
consteval Description describe_body(Arguments<Args...>) {
  return describe_body<Body, Args...>();
}

}  // namespace dma::python
