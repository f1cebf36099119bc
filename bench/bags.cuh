#pragma once

/// Lists of bags for the sweeps of their sums.

#include "measure.hpp"

#include <random>
#include <string>
#include <vector>

namespace bench {

template <class T>
[[nodiscard]] T* device_copy(const std::vector<T>& values) {
  T* array = nullptr;
  check(cudaMalloc(&array, values.size() * sizeof(T)));
  check(cudaMemcpy(array, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return array;
}

inline constexpr int bags = 65536;
inline constexpr int lists = 4;  ///< of ids; consecutive launches take consecutive ones

struct Bags {
  const int* ids[lists];
  const int* offsets[lists];
  int counts[lists];
  double mean_count = 0;
};

/// Bags of `fewest` to `most` rows, anywhere in the first `table_rows`.
[[nodiscard]] inline Bags make_bags(int table_rows, int fewest, int most) {
  Bags result{};
  std::mt19937 random(1);
  std::uniform_int_distribution<int> size(fewest, most);
  std::uniform_int_distribution<int> row(0, table_rows - 1);
  for (int list = 0; list < lists; ++list) {
    std::vector<int> ids;
    std::vector<int> offsets{0};
    for (int bag = 0; bag < bags; ++bag) {
      for (int k = size(random); k > 0; --k) {
        ids.push_back(row(random));
      }
      offsets.push_back(static_cast<int>(ids.size()));
    }
    result.ids[list] = device_copy(ids);
    result.offsets[list] = device_copy(offsets);
    result.counts[list] = static_cast<int>(ids.size());
    result.mean_count += static_cast<double>(ids.size()) / lists;
  }
  return result;
}

[[nodiscard]] inline std::string name_of_sizes(int fewest, int most) {
  return fewest == most ? std::to_string(most) : std::to_string(fewest) + "-" + std::to_string(most);
}

}  // namespace bench
