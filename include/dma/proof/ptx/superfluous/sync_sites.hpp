#pragma once

#include <dma/proof/ptx/instruction.hpp>
#include <dma/proof/ptx/link.hpp>
#include <dma/proof/ptx/module.hpp>
#include <dma/proof/ptx/program.hpp>
#include <dma/proof/ptx/superfluous/weaker_forms.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// A statement by the numbers of its function and of itself.
struct StatementNumber {
  std::size_t function;
  std::size_t statement;

  [[nodiscard]] bool operator==(const StatementNumber&) const = default;
};

/// Synchronization of one line of the source. Where a compiler has unrolled a loop, or inlined a function of several
/// entries, it is several statements.
struct SyncSite {
  SyncKind kind = SyncKind::none;
  std::string place;   ///< "kernel.cu:12", with all calls
  std::string opcode;  ///< of the first statement
  std::vector<StatementNumber> statements = {};
  std::set<std::string> entries = {};  ///< that have it
};

/// Finds the synchronization of entries, and of what they call.
class SyncSites {
 public:
  SyncSites(const Module& module, std::string text_name) : module_(module), text_name_(std::move(text_name)) {}

  [[nodiscard]] std::vector<SyncSite> of(const std::set<std::string>& entries) {
    const std::vector<AlignedBytes> globals = place_globals(module_);
    for (const std::string& entry : entries) {
      const Program program = Linker(module_, text_name_, globals).link(entry);
      for (std::size_t function = 0; function < program.codes.size(); ++function) {
        if (program.codes[function].function != nullptr) {
          add(program, function, entry);
        }
      }
    }
    std::erase_if(sites_, [](const SyncSite& site) { return site.kind == SyncKind::cluster_wait; });
    return std::move(sites_);
  }

 private:
  void add(const Program& program, std::size_t function, const std::string& entry) {
    const std::vector<Statement>& statements = module_.functions[function].statements;
    const bool pairs_up = arrivals_and_waits_alternate(statements);
    for (std::size_t i = 0; i < statements.size(); ++i) {
      const SyncKind kind = sync_kind_of(statements[i]);
      const Statement& statement = statements[i];
      const bool is_plain =
          kind == SyncKind::access && weaker_orders(statement).empty() && narrower_scopes(statement, true).empty();
      if (kind == SyncKind::none || is_plain) {
        continue;
      }
      const int place = statement.place;
      const std::tuple key{place, statement.opcode, place < 0 ? function : 0, place < 0 ? i : 0};
      const auto [known, is_new] = number_of_.try_emplace(key, sites_.size());
      if (is_new) {
        sites_.push_back({kind, place_of(program, statement), statement.opcode});
      }
      SyncSite& site = sites_[known->second];
      site.entries.insert(entry);
      put(site, {function, i});
      if (kind == SyncKind::cluster_arrival && pairs_up) {
        const auto wait =
            std::find_if(statements.begin() + static_cast<std::ptrdiff_t>(i), statements.end(),
                         [](const Statement& each) { return sync_kind_of(each) == SyncKind::cluster_wait; });
        put(site, {function, static_cast<std::size_t>(wait - statements.begin())});
      }
    }
  }
  /// With all calls that were inlined: one of them is the line to change.
  [[nodiscard]] std::string place_of(const Program& program, const Statement& statement) const {
    if (statement.place < 0) {
      return program.text_of({.place = statement.place, .statement = &statement});
    }
    const Place& place = module_.places[static_cast<std::size_t>(statement.place)];
    return file_with_calls(module_, place, module_.places.size()) + ':' + std::to_string(place.line);
  }
  static void put(SyncSite& site, StatementNumber number) {
    if (std::find(site.statements.begin(), site.statements.end(), number) == site.statements.end()) {
      site.statements.push_back(number);
    }
  }
  [[nodiscard]] static bool arrivals_and_waits_alternate(const std::vector<Statement>& statements) {
    bool has_arrived = false;
    for (const Statement& statement : statements) {
      const SyncKind kind = sync_kind_of(statement);
      if (kind == SyncKind::cluster_arrival || kind == SyncKind::cluster_wait) {
        if (has_arrived != (kind == SyncKind::cluster_wait)) {
          return false;
        }
        has_arrived = !has_arrived;
      }
    }
    return !has_arrived;
  }

  const Module& module_;
  std::string text_name_;
  std::vector<SyncSite> sites_;
  std::map<std::tuple<int, std::string, std::size_t, std::size_t>, std::size_t> number_of_;
};

}  // namespace dma::inline v0_1::proof::ptx::detail
