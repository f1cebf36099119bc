#pragma once

#include <dma/host/global_arrays.hpp>
#include <dma/machine/site.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dma::inline v0_1::host::detail {

/// A set of addresses. Ranges that overlap are one; an access that goes over the border of two that adjoin is in none.
///
/// Cost    two comparisons where the range of the call before has it, a binary search otherwise
class AddressRanges {
 public:
  void add(std::span<const std::byte> bytes) {
    if (bytes.empty()) {
      return;
    }
    const auto first = reinterpret_cast<std::uintptr_t>(bytes.data());
    ranges_.push_back({first, first + bytes.size()});
    std::sort(ranges_.begin(), ranges_.end());
    std::vector<Range> joined;
    for (const Range& range : ranges_) {
      if (!joined.empty() && range.first < joined.back().second) {
        joined.back().second = std::max(joined.back().second, range.second);
      } else {
        joined.push_back(range);
      }
    }
    ranges_ = std::move(joined);
    recent_ = 0;
  }
  [[nodiscard]] bool contains(std::uintptr_t first, std::size_t bytes) const {
    if (recent_ < ranges_.size() && has(ranges_[recent_], first, bytes)) {
      return true;
    }
    const auto behind =
        std::upper_bound(ranges_.begin(), ranges_.end(), first,
                         [](std::uintptr_t address, const Range& range) { return address < range.first; });
    if (behind == ranges_.begin() || !has(behind[-1], first, bytes)) {
      return false;
    }
    recent_ = static_cast<std::size_t>(behind - ranges_.begin()) - 1;
    return true;
  }

 private:
  using Range = std::pair<std::uintptr_t, std::uintptr_t>;  ///< to one behind the last
  [[nodiscard]] static bool has(const Range& range, std::uintptr_t first, std::size_t bytes) {
    return first >= range.first && first <= range.second && bytes <= range.second - first;
  }

  std::vector<Range> ranges_;  ///< sorted; none overlaps another
  mutable std::size_t recent_ = 0;
};

/// The global memory that a kernel may access: arrays that were named, its own object and arguments, and counters of
/// the library. Reads are judged where inputs were named, and writes where outputs were.
class KernelMemory {
 public:
  /// @param of_arguments  arrays that the kernel's arguments name themselves
  /// @param has_others    the kernel accesses arrays that are not named, so that nothing is judged
  KernelMemory(const std::vector<Input>& inputs, const std::vector<Output>& outputs, const GlobalArrays& of_arguments,
               bool has_others)
      : judges_reads_(!has_others && inputs.size() + of_arguments.inputs.size() > 0),
        judges_writes_(!has_others && outputs.size() + of_arguments.outputs.size() > 0) {
    for (const auto* const list : {&outputs, &of_arguments.outputs}) {
      for (const Output& output : *list) {
        name(output.bytes, output.element_bytes, output.name, "output", *list, output);
        writable_.add(output.bytes);
        readable_.add(output.bytes);
      }
    }
    for (const auto* const list : {&inputs, &of_arguments.inputs}) {
      for (const Input& input : *list) {
        name(input.bytes, input.element_bytes, input.name, "input", *list, input);
        readable_.add(input.bytes);
      }
    }
  }
  /// A load came before a wait for grids that may write its source: the kernel says that none does.
  void note_constant() { has_constants_ = true; }
  [[nodiscard]] bool has_constants() const { return has_constants_; }
  /// The kernel body, or one of its arguments.
  void add_argument(const void* place, std::size_t bytes) {
    readable_.add({static_cast<const std::byte*>(place), bytes});
  }

  [[nodiscard]] bool judges(machine::Access access) const noexcept {
    return access == machine::Access::write ? judges_writes_ : judges_reads_;
  }
  [[nodiscard]] bool allows(const void* place, std::size_t bytes, machine::Access access) const {
    return !judges(access) || (access == machine::Access::write ? writable_ : readable_)
                                  .contains(reinterpret_cast<std::uintptr_t>(place), bytes);
  }
  /// The library's words in global memory, which no launch has to name.
  void add_counter(const void* word, std::size_t bytes) {
    if (!writable_.contains(reinterpret_cast<std::uintptr_t>(word), bytes)) {
      const std::span<const std::byte> counter(static_cast<const std::byte*>(word), bytes);
      readable_.add(counter);
      writable_.add(counter);
    }
  }

  /// Pairs of arrays of which one ends where the other begins, inside of no third: behind the border an access to the
  /// one is an access to the other. "x and y", "x and y, and 2 more pairs"; empty where there are none.
  [[nodiscard]] std::string adjoining() const {
    std::string first;
    int others = -1;
    for (const Array& array : arrays_) {
      const std::uintptr_t border = array.first + array.bytes;
      const auto is_inside = [border](const Array& it) { return it.first < border && border - it.first < it.bytes; };
      for (const Array& next : arrays_) {
        if (next.first == border && next.bytes > 0 && array.bytes > 0 &&
            std::none_of(arrays_.begin(), arrays_.end(), is_inside)) {
          first = ++others == 0 ? array.name + " and " + next.name : first;
        }
      }
    }
    return others < 1 ? first
                      : first + ", and " + std::to_string(others) + (others == 1 ? " more pair" : " more pairs");
  }

  [[nodiscard]] bool names_any() const noexcept { return !arrays_.empty(); }
  /// "element 3 of y"; empty where no array that was named has the first byte.
  [[nodiscard]] std::string name_of(std::uintptr_t place, std::size_t bytes) const {
    const auto array = std::find_if(arrays_.begin(), arrays_.end(),
                                    [&](const Array& named) { return place - named.first < named.bytes; });
    return array == arrays_.end() ? "" : array->text_of(static_cast<long long>(place - array->first), bytes);
  }
  /// What is wrong with an access that `allows` does not, and what to do.
  [[nodiscard]] std::string refusal(const void* at, std::size_t bytes, machine::Access access) const {
    const auto place = reinterpret_cast<std::uintptr_t>(at);
    const bool writes = access == machine::Access::write;
    const std::string verb = writes ? "writes " : "reads ";
    if (writes && readable_.contains(place, bytes)) {
      const std::string array = name_of(place, bytes);
      return array.empty() ? "writes its own arguments, which a GPU keeps constant; write to an array"
                           : "writes " + array + ", which is an input; name it among the outputs too";
    }
    if (const Array* const nearest = nearest_to(place)) {
      const long long elements = static_cast<long long>(nearest->bytes / nearest->element_bytes);
      return verb + nearest->text_of(static_cast<long long>(place - nearest->first), bytes) + ", which has " +
             std::to_string(elements) + (nearest->element_bytes == 1 ? " byte" : " element") +
             (elements == 1 ? "" : "s") + "; stay inside the array, or name all of it";
    }
    return writes ? "writes " + std::to_string(bytes) +
                        " bytes of global memory that is in no array of this launch; name it among the outputs, as "
                        "dma::proof::output(y), or write elsewhere"
                  : "reads " + std::to_string(bytes) +
                        " bytes of global memory that is in no array of this launch; name it among the inputs, as "
                        "dma::proof::input(x), or read elsewhere";
  }

 private:
  struct Array {
    std::uintptr_t first;
    std::size_t bytes;
    std::size_t element_bytes;
    std::string name;

    /// "element 3 of y", "elements 8 to 11 of output 0", "bytes 13 to 14 of y".
    [[nodiscard]] std::string text_of(long long offset, std::size_t count) const {
      const auto size = static_cast<long long>(element_bytes);
      const auto last = offset + static_cast<long long>(count) - 1;
      const auto element_of = [size](long long byte) { return byte < 0 ? (byte + 1) / size - 1 : byte / size; };
      const bool is_whole = element_of(offset) == element_of(last) || (offset % size == 0 && (last + 1) % size == 0);
      const long long from = is_whole ? element_of(offset) : offset;
      const long long to = is_whole ? element_of(last) : last;
      const std::string numbers =
          from == to ? " " + std::to_string(from) : "s " + std::to_string(from) + " to " + std::to_string(to);
      return (is_whole && size > 1 ? "element" : "byte") + numbers + " of " + name;
    }
  };

  template <class List, class Item>
  void name(std::span<const std::byte> bytes, std::size_t element_bytes, const std::string& given, const char* kind,
            const List& list, const Item& item) {
    const auto number = &item - list.data();
    arrays_.push_back({reinterpret_cast<std::uintptr_t>(bytes.data()), bytes.size(), element_bytes,
                       given.empty() ? std::string(kind) + " " + std::to_string(number) : given});
  }
  /// Null where all are far away: which one is nearest depends on the system then.
  [[nodiscard]] const Array* nearest_to(std::uintptr_t place) const {
    const Array* nearest = nullptr;
    std::uintptr_t least = UINTPTR_MAX;
    for (const Array& array : arrays_) {
      const std::uintptr_t distance = place < array.first                 ? array.first - place
                                      : place - array.first < array.bytes ? 0
                                                                          : place - array.first - array.bytes;
      if (distance < std::min(least, std::max<std::uintptr_t>(array.bytes, 4096))) {
        least = distance;
        nearest = &array;
      }
    }
    return nearest;
  }

  bool judges_reads_;
  bool judges_writes_;
  bool has_constants_ = false;
  std::vector<Array> arrays_;  ///< outputs first, in the order in which they were named
  AddressRanges readable_;
  AddressRanges writable_;
};

}  // namespace dma::inline v0_1::host::detail
