#pragma once

#include <dma/proof/ptx/module.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// Synchronization of which a kernel may have more than it needs.
enum class SyncKind : unsigned char {
  none,
  fence,        ///< between threads
  proxy_fence,  ///< before copies and products by the asynchronous proxy, or behind `mbarrier.init`
  product_fence,
  barrier,
  warp_barrier,
  cluster_arrival,  ///< it and the wait behind it are one barrier
  cluster_wait,
  phase_wait,  ///< for an mbarrier
  copy_wait,   ///< for copies or products of the thread
  grid_wait,
  access  ///< one with an order or a scope
};

/// What a statement is. What computes a value too (`bar.red`), what other threads wait for (an arrival), and fences
/// that the judges do not follow (those of tensor maps) are none of these.
[[nodiscard]] inline SyncKind sync_kind_of(const Statement& statement) {
  const std::string_view name = statement.name();
  const auto has = [&](std::string_view word) { return statement.has(word); };
  if (name == "membar" || name == "fence") {
    const bool is_of_proxies = has("proxy");
    return has("alias") || has("tensormap::generic") ? SyncKind::none
           : is_of_proxies || has("mbarrier_init")   ? SyncKind::proxy_fence
                                                     : SyncKind::fence;
  }
  if (name == "bar" || name == "barrier") {
    const bool is_plain = has("sync") && !has("red");
    return has("cluster") ? (has("arrive") ? SyncKind::cluster_arrival : SyncKind::cluster_wait)
           : !is_plain    ? SyncKind::none
           : has("warp")  ? SyncKind::warp_barrier
                          : SyncKind::barrier;
  }
  if (name == "wgmma") {
    return has("fence") ? SyncKind::product_fence : has("wait_group") ? SyncKind::copy_wait : SyncKind::none;
  }
  if (name == "cp") {
    return has("wait_group") || has("wait_all") ? SyncKind::copy_wait : SyncKind::none;
  }
  if (name == "mbarrier") {
    return has("try_wait") || has("test_wait") ? SyncKind::phase_wait
           : has("arrive")                     ? SyncKind::access
                                               : SyncKind::none;
  }
  if (name == "griddepcontrol") {
    return has("wait") ? SyncKind::grid_wait : SyncKind::none;
  }
  const bool is_access = name == "ld" || name == "st" || name == "atom" || name == "red";
  return is_access && !has("async") ? SyncKind::access : SyncKind::none;
}

/// A scope as statements name it. A wider one has a larger number.
struct NamedScope {
  std::string_view word;
  int width;
};
inline constexpr int cluster_width = 1;  ///< of `.cluster`
inline constexpr int gpu_width = 2;      ///< of `.gpu`
inline constexpr int system_width = 3;   ///< of `.sys`
/// All of them, the narrowest first.
inline constexpr std::array scope_words{NamedScope{"cta", 0}, NamedScope{"cluster", cluster_width},
                                        NamedScope{"gpu", gpu_width}, NamedScope{"gl", gpu_width},
                                        NamedScope{"sys", system_width}};
/// The scope that a statement names; `width` is -1 where it names none.
[[nodiscard]] inline NamedScope scope_of(const Statement& statement) {
  for (const NamedScope& scope : scope_words) {
    if (statement.has(scope.word)) {
      return scope;
    }
  }
  return {"", -1};
}
/// An opcode with one of its words exchanged for another one.
[[nodiscard]] inline std::string with_word(const std::string& opcode, std::string_view word, std::string_view by) {
  std::string result;
  for (std::size_t first = 0; first <= opcode.size();) {
    const std::size_t end = std::min(opcode.find('.', first), opcode.size());
    const std::string_view each = std::string_view(opcode).substr(first, end - first);
    result += (first == 0 ? "" : ".") + std::string(each == word ? by : each);
    first = end + 1;
  }
  return result;
}

/// Whether it is a fence of shared memory alone, which has one scope.
[[nodiscard]] inline bool is_of_shared_alone(const Statement& statement) {
  return statement.has("sync_restrict::shared::cta") || statement.has("sync_restrict::shared::cluster");
}

/// Opcodes of a weaker order, the weakest first.
[[nodiscard]] inline std::vector<std::string> weaker_orders(const Statement& statement) {
  const SyncKind kind = sync_kind_of(statement);
  const std::string& opcode = statement.opcode;
  if (statement.name() == "membar") {
    const NamedScope scope = scope_of(statement);
    return {"fence.acq_rel." + std::string(scope.width == gpu_width ? "gpu" : scope.word)};
  }
  if (kind == SyncKind::fence) {
    return statement.has("sc") ? std::vector{with_word(opcode, "sc", "acq_rel")} : std::vector<std::string>{};
  }
  if (kind == SyncKind::copy_wait && statement.has("bulk") && !statement.has("read")) {
    return {with_word(opcode, "wait_group", "wait_group.read")};
  }
  std::vector<std::string> all;
  if (statement.name() == "mbarrier") {
    // At CTA scope an order is no instruction of its own.
    for (const std::string_view order : {"acquire", "release"}) {
      if (statement.has(order) && scope_of(statement).width == cluster_width) {
        all.push_back(with_word(opcode, order, "relaxed"));
      }
    }
    return all;
  }
  if (kind == SyncKind::access) {
    for (const std::string_view order : {"acquire", "release", "acq_rel"}) {
      if (statement.has(order)) {
        all.push_back(with_word(opcode, order, "relaxed"));
      }
    }
    if (statement.has("acq_rel")) {
      all.push_back(with_word(opcode, "acq_rel", "acquire"));
      all.push_back(with_word(opcode, "acq_rel", "release"));
    }
  }
  return all;
}
/// Opcodes of a narrower scope, the narrowest first.
///
/// @param has_clusters  whether the scope of a cluster is another one than that of a CTA
[[nodiscard]] inline std::vector<std::string> narrower_scopes(const Statement& statement, bool has_clusters) {
  const SyncKind kind = sync_kind_of(statement);
  const NamedScope now = scope_of(statement);
  const bool is_old = statement.name() == "membar";
  std::vector<std::string> all;
  if ((kind != SyncKind::fence && kind != SyncKind::access && kind != SyncKind::phase_wait) ||
      (statement.name() == "mbarrier" && now.width != cluster_width) || is_of_shared_alone(statement)) {
    return all;
  }
  for (const NamedScope& scope : scope_words) {
    const bool is_named = scope.width == gpu_width       ? is_old == (scope.word == "gl")
                          : scope.width == cluster_width ? has_clusters && !is_old
                                                         : true;
    if (scope.width < now.width && is_named) {
      all.push_back(with_word(statement.opcode, now.word, scope.word));
    }
  }
  return all;
}

/// Gives a statement another opcode, or leaves it out where that is empty. A wait for an mbarrier is done at once then.
inline void weaken(Statement& statement, const std::string& opcode) {
  if (!opcode.empty()) {
    statement.opcode = opcode;
  } else if (sync_kind_of(statement) == SyncKind::phase_wait) {
    const Operand zero{.kind = Operand::Kind::number};
    statement.operands = {statement.operands.at(0), zero, zero};
    statement.opcode = "setp.eq.u32";
  } else {
    statement.operands.clear();
    statement.opcode = "pmevent";
  }
}

}  // namespace dma::inline v0_1::proof::ptx::detail
