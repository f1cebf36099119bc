#pragma once

#include <dma/proof/ptx/module.hpp>
#include <dma/proof/ptx/read/tokens.hpp>

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace dma::inline v0_1::proof::ptx::detail {

/// Reads where instructions come from: `.file` and `.loc`, with the chain of calls that were inlined.
class PlaceReader {
 public:
  PlaceReader(Tokens& tokens, Module& module) : tokens_(tokens), module_(module) {}

  /// Behind `.file`: `<number> "<name>"[, <time>, <bytes>]`.
  void read_file() {
    const auto number = static_cast<int>(tokens_.take_count("a file's number", most));
    if (tokens_.now().kind != Token::Kind::text) {
      tokens_.reject("a file's name is missing before " + Tokens::name_of(tokens_.now()));
    }
    const std::string_view name = tokens_.take().text;
    module_.files[number] = name.substr(1, name.size() - 2);
    while (tokens_.takes(",")) {
      static_cast<void>(tokens_.take_count("a number", UINT64_MAX));
    }
  }
  /// Behind `.loc`: `<file> <line> <column>[, function_name <label>[+<bytes>], inlined_at <file> <line> <column>]`.
  ///
  /// @return  the place's index
  int read_place() {
    Place place = read_numbers();
    if (tokens_.takes(",")) {
      if (tokens_.takes("function_name")) {
        static_cast<void>(tokens_.take_word("a function's name"));
        if (tokens_.takes("+")) {
          static_cast<void>(tokens_.take_count("a number", UINT64_MAX));
        }
        tokens_.expect(",");
      }
      tokens_.expect("inlined_at");
      place.caller = caller_of(read_numbers());
    }
    const int index = index_of(place);
    if (place.caller >= 0) {
      inlined_[key_of(place)] = index;
    }
    return index;
  }

 private:
  static constexpr std::uint64_t most = 0x7fffffff;
  using Key = std::tuple<int, int, int>;

  [[nodiscard]] static Key key_of(const Place& place) { return {place.file, place.line, place.column}; }
  [[nodiscard]] Place read_numbers() {
    Place place;
    place.file = static_cast<int>(tokens_.take_count("a file's number", most));
    place.line = static_cast<int>(tokens_.take_count("a line", most));
    place.column = static_cast<int>(tokens_.take_count("a column", most));
    return place;
  }
  /// A call may be in an inlined function itself: then an earlier `.loc` says where that is.
  [[nodiscard]] int caller_of(const Place& call) {
    const auto inlined = inlined_.find(key_of(call));
    return inlined != inlined_.end() ? inlined->second : index_of(call);
  }
  [[nodiscard]] int index_of(const Place& place) {
    const auto [known, is_new] =
        indices_.try_emplace({key_of(place), place.caller}, static_cast<int>(module_.places.size()));
    if (is_new) {
      module_.places.push_back(place);
    }
    return known->second;
  }

  Tokens& tokens_;
  Module& module_;
  std::map<std::pair<Key, int>, int> indices_;
  std::map<Key, int> inlined_;
};

}  // namespace dma::inline v0_1::proof::ptx::detail
