// What dma::tuning::tune finds for the sums of bags of examples/tune.

#include "../applications/bags/launch.cuh"
#include "../examples/tune/bags.hpp"
#include "bags.cuh"
#include "sweeps.hpp"
#include "tuned.cuh"

#include <utility>

namespace bench {
namespace {

using tuned_bags::columns;

struct LaunchBags {
  int table_rows;
  Bags made;

  template <dma::tuning::Variant V>
  void operator()(cudaStream_t stream, int i) const {
    const int list = i % lists;
    dma::launch(tuned_bags::Kernel<V>{}, {ctas_for_bags(made.counts[list], bags, tuned_bags::ids_a_cta<V>)}, stream,
                input(), static_cast<long long>(table_rows), made.ids[list], made.offsets[list], bags, output());
  }
};

TunedProblem<LaunchBags> sums_of_bags(int fewest, int most) {
  const int table_rows = static_cast<int>(2 * window_elements() / columns);
  const Bags made = make_bags(table_rows, fewest, most);
  return {.launch = {table_rows, made},
          .plain =
              [=](cudaStream_t stream, float* answer) {
                launch_plain_sum_bags<columns>(stream, input(), made.ids[0], made.offsets[0], bags, answer);
              },
          .elements = 1LL * bags * columns,
          .tolerance = 0,  // sums of integers
          .bytes = (made.mean_count + bags) * (tuned_bags::row_bytes + 4)};
}

}  // namespace

void add_tuned_bags() {
  for (const auto& [fewest, most] : {std::pair{8, 8}, {32, 32}, {0, 64}}) {
    add_searches<tuned_bags::variants>(
        "tune/bags/row:" + std::to_string(tuned_bags::row_bytes) + "/rows:" + name_of_sizes(fewest, most),
        [fewest = fewest, most = most] { return sums_of_bags(fewest, most); });
  }
}

}  // namespace bench
