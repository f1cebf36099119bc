#pragma once

#include <dma/engines/tensor/host_tensor_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace by_ptx {

/// The arrays that a list's kernels get, numbered in the order in which it asks for them.
class Arrays {
 public:
  template <class T>
  [[nodiscard]] T* array(long long count) {
    const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
    auto units = std::make_unique<Unit[]>(bytes / sizeof(Unit) + 1);
    auto* const data = reinterpret_cast<T*>(units.get());
    all_.push_back({std::move(units), bytes});
    return data;
  }
  template <class T>
  [[nodiscard]] T* copy_of(const std::vector<T>& values) {
    T* const data = array<T>(static_cast<long long>(values.size()));
    std::copy(values.begin(), values.end(), data);
    return data;
  }
  /// The number of the array that has an address, and the byte there; -1 where none has it.
  [[nodiscard]] std::pair<int, std::size_t> place_of(std::uintptr_t address) const {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const auto begin = reinterpret_cast<std::uintptr_t>(all_[i].units.get());
      if (address >= begin && address < begin + all_[i].bytes) {
        return {static_cast<int>(i), address - begin};
      }
    }
    return {-1, 0};
  }

  /// What `run` changes of the arrays is undone.
  template <class Run>
  auto without_changes(const Run& run) {
    std::vector<std::vector<unsigned char>> before;
    for (const Array& array : all_) {
      const auto* const bytes = reinterpret_cast<const unsigned char*>(array.units.get());
      before.emplace_back(bytes, bytes + array.bytes);
    }
    auto result = run();
    for (std::size_t i = 0; i < all_.size(); ++i) {
      std::copy(before[i].begin(), before[i].end(), reinterpret_cast<unsigned char*>(all_[i].units.get()));
    }
    return result;
  }

 protected:
  struct alignas(128) Unit {  // the alignment of cudaMalloc matters to engines
    unsigned char bytes[128] = {};
  };
  struct Array {
    std::unique_ptr<Unit[]> units;
    std::size_t bytes;
  };
  std::vector<Array> all_;
};

}  // namespace by_ptx
