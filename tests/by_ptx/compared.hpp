#pragma once

#include <algorithm>
#include <iostream>
#include <istream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace by_ptx {

using Lines = std::vector<std::string>;

/// The lines of one kernel after another.
class Kernels {
 public:
  explicit Kernels(std::istream& in) : in_(in) { std::getline(in_, first_); }

  [[nodiscard]] Lines next() {
    Lines lines{std::move(first_)};
    first_.clear();
    for (std::string line; std::getline(in_, line); lines.push_back(std::move(line))) {
      if (line.starts_with("kernel ")) {
        first_ = std::move(line);
        break;
      }
    }
    return lines;
  }
  [[nodiscard]] bool is_over() const { return first_.empty(); }

 private:
  std::istream& in_;
  std::string first_;
};

/// How many lists of bytes that a thread reads between two synchronizations are the same.
struct Reads {
  int all = 0;
  int same = 0;
};

/// Whether two lists of lines are the same; prints the first that differ, behind what they are of. What a thread reads
/// of shared memory need not be: nvcc leaves out what it does not use, and reads for both ways of a choice.
[[nodiscard]] inline bool are_same(const Lines& by_ptx, const Lines& by_body, Reads& reads) {
  const auto is_same = [&](const std::string& left, const std::string& right) {
    constexpr std::string_view read = "  reads";
    const bool are_reads = left.starts_with(read) && right.starts_with(read);
    reads.all += are_reads ? 1 : 0;
    reads.same += are_reads && left == right ? 1 : 0;
    return are_reads || left == right;
  };
  const auto [left, right] = std::mismatch(by_ptx.begin(), by_ptx.end(), by_body.begin(), by_body.end(), is_same);
  if (left == by_ptx.end() && right == by_body.end()) {
    return true;
  }
  for (const char* const of : {"kernel ", "block ", "thread "}) {
    const auto last = std::find_if(std::make_reverse_iterator(left), by_ptx.rend(),
                                   [&](const std::string& line) { return line.starts_with(of); });
    std::cout << (last == by_ptx.rend() ? "" : *last) << ' ';
  }
  std::cout << "\n  by PTX: " << (left == by_ptx.end() ? "nothing more" : *left)
            << "\n  by C++: " << (right == by_body.end() ? "nothing more" : *right) << std::endl;
  return false;
}

}  // namespace by_ptx
