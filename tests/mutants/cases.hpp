#pragma once

#include <dma/proof/prove.hpp>
#include <dma/proof/verdict.hpp>

#include <functional>
#include <string>
#include <vector>

/// The kernels that the faults are switched on in, each with its arguments.
namespace mutants {

/// A kernel configuration.
struct Case {
  std::string name;
  std::function<dma::proof::Verdict()> prove;
  /// Launches it, and compares what it wrote with what it should. May throw, as `launch` does.
  std::function<bool()> is_right;
};
using Cases = std::vector<Case>;

/// A proof of a kernel that writes these arrays. A finding is enough: there is no search for its shortest schedule.
/// What ends it is a limit of processor time (ask.hpp), however many proofs run beside it.
template <class... Arrays>
dma::proof::Options writes(Arrays&... arrays) {
  return {.outputs = {dma::proof::output(arrays)...}, .limits = {.states = 0, .seconds = 600}};
}

void add_loads_by_registers(Cases& cases);
void add_loads_by_async_copies(Cases& cases);
void add_loads_by_bulk_copies(Cases& cases);
void add_stores(Cases& cases);
void add_right_kernels(Cases& cases);
void add_round_trips(Cases& cases);
void add_tensor_round_trips(Cases& cases);
void add_box_round_trips(Cases& cases);
void add_other_kernels(Cases& cases);
void add_matrix_products(Cases& cases);
void add_attention(Cases& cases);
void add_attention_backward(Cases& cases);
void add_roles(Cases& cases);
void add_clusters(Cases& cases);
void add_small_examples(Cases& cases);
void add_large_examples(Cases& cases);

}  // namespace mutants
