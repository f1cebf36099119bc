#pragma once

#include <algorithm>
#include <iostream>
#include <istream>
#include <iterator>
#include <sstream>
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

/// Whether a line of operands that tensor cores read has no byte that the other has not. A slot that a kernel body
/// commits as read counts as read whole; PTX says what each product reads.
[[nodiscard]] inline bool reads_no_more(const std::string& by_ptx, const std::string& by_body) {
  constexpr std::string_view reads = "  copies 22 ";
  if (!by_ptx.starts_with(reads) || !by_body.starts_with(reads)) {
    return false;
  }
  const auto ranges_of = [](const std::string& line) {
    std::vector<std::pair<long long, long long>> ranges;
    std::istringstream words(line.substr(line.find(" shared") + 7));
    long long first = 0;
    long long last = 0;
    for (std::string to; words >> first >> to >> last && to == "to"; words.ignore(1)) {
      ranges.emplace_back(first, last);
    }
    return ranges;
  };
  const auto all = ranges_of(by_body);
  const auto some = ranges_of(by_ptx);
  return !some.empty() && std::all_of(some.begin(), some.end(), [&](const auto& range) {
    return std::any_of(all.begin(), all.end(),
                       [&](const auto& wide) { return wide.first <= range.first && range.second <= wide.second; });
  });
}

/// Whether two lists of lines are the same; prints the first that differ, behind what they are of. What a thread reads
/// of shared memory need not be: nvcc leaves out what it does not use, and reads for both ways of a choice.
[[nodiscard]] inline bool are_same(const Lines& by_ptx, const Lines& by_body, Reads& reads) {
  const auto is_same = [&](const std::string& left, const std::string& right) {
    constexpr std::string_view read = "  reads";
    const bool are_reads = left.starts_with(read) && right.starts_with(read);
    reads.all += are_reads ? 1 : 0;
    reads.same += are_reads && left == right ? 1 : 0;
    return are_reads || left == right || reads_no_more(left, right);
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
