// Tunes the sums of bags of applications/bags for 65536 bags of 32 rows of 512 bytes on this GPU, and prints what to
// write into the kernel. Exits with 4 where there is no GPU.

#include "../../applications/bags/launch.cuh"
#include "../gpu.hpp"
#include "../usage.hpp"
#include "bags.hpp"

#include <dma/tune/tune.hpp>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <iostream>
#include <random>
#include <type_traits>
#include <vector>

#include <cuda_runtime.h>

// The first variant's answers are those of the others: it is the shape that the example of the bags has.
static_assert(std::is_same_v<tuned_bags::Kernel<tuned_bags::variants[0]>, SumBagsChoice<tuned_bags::columns>>);

int main(int argc, char** argv) try {
  expect_no_arguments(argc, argv, "Measures the variants of the sums of bags on a GPU and prints the fastest.");
  using namespace tuned_bags;
  if (const std::string reason = gpu::missing(); !reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return 4;
  }
  constexpr int bags = 65536;
  constexpr int rows_a_bag = 32;
  constexpr int ids_in_all = bags * rows_a_bag;
  constexpr int table_rows = 1 << 20;  // 512 MB, many times the L2
  constexpr std::size_t sums_elements = std::size_t{bags} * columns;
  std::vector<float> values(std::size_t{table_rows} * columns);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i * 2654435761U >> 20 & 0xff);
  }
  std::mt19937 random(1);
  std::uniform_int_distribution<int> row(0, table_rows - 1);
  std::vector<int> rows(ids_in_all);
  for (int& each : rows) {
    each = row(random);
  }
  std::vector<int> ends;
  for (int bag = 0; bag <= bags; ++bag) {
    ends.push_back(bag * rows_a_bag);
  }
  const float* const table = gpu::device_copy(values);
  const int* const ids = gpu::device_copy(rows);
  const int* const offsets = gpu::device_copy(ends);
  auto* const sums = gpu::device_array<float>(sums_elements);

  const dma::tuning::Report report = dma::tuning::tune<variants>(
      [&]<dma::tuning::Variant V>(cudaStream_t stream, int) {
        dma::launch(Kernel<V>{}, {ctas_for_bags(ids_in_all, bags, ids_a_cta<V>)}, stream, table, table_rows, ids,
                    offsets, bags, sums);
      },
      {.seconds = 20,
       .bytes = (double{ids_in_all} + bags) * (row_bytes + sizeof(int)),
       .answer = dma::tuning::answer(sums, sums_elements),
       .progress = &std::cerr});
  std::cout << report.to_text();
  return report.best().refused.empty() ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "tune_bags: %s\n", error.what());
  return 1;
}
