#include "device/litmus/litmus.hpp"
#include "host/proof/memory/litmus_shapes.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <vector>

// Every outcome that a GPU shows is one that the explorer finds, or load buffering where PTX allows it.
//
//     DMA_LITMUS_LAUNCHES=1000 DMA_LITMUS_SEED=1 DMA_LITMUS_JSON=<file> dma_litmus_tests

namespace {

namespace litmus = memory_tests::litmus;
using memory_tests::Value;

int number_of(const char* variable, int otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoi(text);
}

struct Place {
  const litmus::Where* where;
  gpu_litmus::Where on_gpu;
};
std::vector<Place> places() {
  return {{&litmus::wheres[0], gpu_litmus::Where::between_ctas},
          {&litmus::wheres[1], gpu_litmus::Where::between_ctas},
          {&litmus::wheres[2], gpu_litmus::Where::in_a_cluster},
          {&litmus::in_a_cta, gpu_litmus::Where::in_a_cta}};
}

gpu_litmus::Scope scope_of(memory_tests::Scope scope) {
  return scope == memory_tests::Scope::cta       ? gpu_litmus::Scope::cta
         : scope == memory_tests::Scope::cluster ? gpu_litmus::Scope::cluster
                                                 : gpu_litmus::Scope::gpu;
}

gpu_litmus::Test test_of(const litmus::Shape& shape, const litmus::Form& form, const Place& place) {
  gpu_litmus::Test test{};
  test.roles = static_cast<int>(shape.threads.size());
  for (std::size_t role = 0; role < shape.threads.size(); ++role) {
    for (std::size_t i = 0; i < shape.threads[role].size(); ++i) {
      const litmus::Half& half = shape.threads[role][i];
      test.role[role].accesses[i] = {half.is_write ? 2 : 1, half.location, static_cast<unsigned>(half.value)};
    }
  }
  const bool has_fence = form.ordered == litmus::Ordered::by_acq_rel || form.ordered == litmus::Ordered::by_sc;
  test.ordered = static_cast<gpu_litmus::Ordered>(form.ordered);
  test.fence = scope_of(form.is_narrow ? place.where->narrow : place.where->wide);
  test.access = scope_of(form.is_narrow && !has_fence ? place.where->narrow : place.where->wide);
  test.where = place.on_gpu;
  return test;
}

/// What the reads of a shape saw, then the last values of the locations that it has.
std::vector<Value> outcome_of(const litmus::Shape& shape, unsigned bits) {
  std::vector<Value> outcome;
  int locations = 0;
  for (std::size_t role = 0; role < shape.threads.size(); ++role) {
    for (std::size_t i = 0; i < shape.threads[role].size(); ++i) {
      locations = std::max(locations, shape.threads[role][i].location + 1);
      if (!shape.threads[role][i].is_write) {
        outcome.push_back(bits >> (4 * role + 2 * i) & 3U);
      }
    }
  }
  for (int location = 0; location < locations; ++location) {
    outcome.push_back(bits >> (4 * gpu_litmus::most_roles + 2 * location) & 3U);
  }
  return outcome;
}

/// A row of the result.
struct Row {
  std::string place, shape, form;
  unsigned long long instances = 0;
  unsigned long long weak = 0;
  unsigned long long outside = 0;  ///< of the model
  bool is_allowed = false;
};

Row run_row(const litmus::Shape& shape, const litmus::Form& form, const Place& place, int launches, unsigned seed) {
  const litmus::Found found = litmus::explore_shape(shape, form, *place.where);
  const std::set<std::vector<Value>> modelled(found.outcomes.begin(), found.outcomes.end());
  std::string error;
  const gpu_litmus::Counts counts = gpu_litmus::run(test_of(shape, form, place), launches, seed, error);
  INFO(shape.name << ", " << form.name << ", " << place.where->name << ": " << error);
  REQUIRE(error.empty());
  Row row{place.where->name, shape.name, form.name, 0, 0, 0, litmus::is_allowed(shape, form)};
  for (const auto& [bits, count] : counts) {
    const std::vector<Value> outcome = outcome_of(shape, bits);
    const bool is_weak = shape.is_weak(outcome);
    row.instances += count;
    row.weak += is_weak ? count : 0;
    const bool is_load_buffering = shape.is_load_buffering && row.is_allowed && is_weak;
    row.outside += modelled.count(outcome) == 0 && !is_load_buffering ? count : 0;
  }
  CHECK(row.instances > 0);
  CHECK(row.outside == 0);
  CHECK((row.weak == 0 || row.is_allowed));
  return row;
}

/// As bench/trials has results; the driver and the commit are to be added.
void write(const std::string& path, const std::vector<Row>& rows, int launches, unsigned seed) {
  std::ofstream out(path);
  out << "{\"context\": {\n\"device\": \"" << gpu_litmus::name_of_device() << "\",\n\"launches\": " << launches
      << ",\n\"seed\": " << seed << "\n},\n\"benchmarks\": [\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    out << "{\"name\": \"litmus/place:" << row.place << "/shape:" << row.shape << "/form:" << row.form
        << "\", \"allowed\": " << (row.is_allowed ? "true" : "false") << ", \"instances\": " << row.instances
        << ", \"weak\": " << row.weak << ", \"outside\": " << row.outside << "}" << (i + 1 < rows.size() ? "," : "")
        << "\n";
  }
  out << "]\n}\n";
  REQUIRE(out.flush().good());
}

}  // namespace

TEST_CASE("a GPU shows only outcomes of litmus tests that the model allows", "[device][litmus]") {
  if (const std::string reason = gpu_litmus::missing_device(); !reason.empty()) {
    SKIP(reason);
  }
  const int launches = number_of("DMA_LITMUS_LAUNCHES", 1);
  const auto seed = static_cast<unsigned>(number_of("DMA_LITMUS_SEED", 1));
  std::vector<Row> rows;
  for (const Place& place : places()) {
    for (const litmus::Shape& shape : litmus::shapes) {
      for (const litmus::Form& form : litmus::forms) {
        if (!form.is_narrow || place.on_gpu != gpu_litmus::Where::in_a_cta) {
          rows.push_back(run_row(shape, form, place, launches, seed));
        }
      }
    }
  }
  if (const char* const path = std::getenv("DMA_LITMUS_JSON"); path != nullptr) {
    write(path, rows, launches, seed);
  }
}
