#pragma once

#include <dma/proof/ptx/launch/report.hpp>
#include <dma/proof/ptx/module.hpp>
#include <dma/proof/ptx/superfluous/find_superfluous.hpp>

#include <array>
#include <cstddef>
#include <ostream>
#include <sstream>
#include <string>

namespace dma::inline v0_1::proof::ptx::detail {

/// The words of `SiteAnswer::Need`, in their order.
inline constexpr std::array names_of_needs{"superfluous", "weaker", "needed", "not run", "not asked", "not judged"};
[[nodiscard]] inline const char* name_of(SiteAnswer::Need need) {
  return names_of_needs[static_cast<std::size_t>(need)];
}

/// Writes a site in one line. What a thread executes at most, it executes so often in the longest launch.
inline void write_site(std::ostream& out, const Superfluous& superfluous, const SiteAnswer& answer) {
  using Need = SiteAnswer::Need;
  out << "  " << name_of(answer.need) << ": " << answer.site.place << ' ' << answer.site.opcode;
  if (answer.need == Need::weaker) {
    out << ", as " << answer.form;
  }
  if (answer.need == Need::superfluous || answer.need == Need::weaker) {
    out << (answer.need == Need::superfluous ? ", " : ", executed ") << answer.executions << " of "
        << superfluous.instructions << " instructions, a thread " << answer.most_of_thread << " at most"
        << (answer.is_alone ? "; not together with those above" : "");
  } else if (!answer.why.empty()) {
    out << " (" << answer.why << ')';
  }
  out << '\n';
}
/// Writes what is superfluous as text, and the rest behind it.
inline void write_superfluous(std::ostream& out, const Superfluous& superfluous) {
  out << "synchronization, judged " << superfluous.judged << " times in " << text_of_seconds(superfluous.seconds)
      << " s";
  if (!superfluous.no_claim.empty()) {
    out << ": nothing is said of it\n  " << superfluous.no_claim << '\n';
    return;
  }
  if (superfluous.saved() > 0) {
    out << ": " << superfluous.saved() << " of " << superfluous.instructions << " instructions may go together";
  }
  out << '\n';
  for (std::size_t need = 0; need < names_of_needs.size(); ++need) {
    for (const SiteAnswer& answer : superfluous.sites) {
      if (static_cast<std::size_t>(answer.need) == need) {
        write_site(out, superfluous, answer);
      }
    }
  }
  for (const std::string& claim : superfluous.rests_on) {
    out << "  rests on " << claim << '\n';
  }
}

/// The same in JSON, with the lines of the PTX.
[[nodiscard]] inline std::string json_of(const Superfluous& superfluous, const Module& module) {
  std::ostringstream out;
  out << "{\"no_claim\": " << json_text(superfluous.no_claim) << ", \"judged\": " << superfluous.judged
      << ", \"seconds\": " << superfluous.seconds << ", \"instructions\": " << superfluous.instructions
      << ", \"saved\": " << superfluous.saved() << ",\n  \"sites\": [";
  for (std::size_t i = 0; i < superfluous.sites.size(); ++i) {
    const SiteAnswer& answer = superfluous.sites[i];
    out << (i == 0 ? "" : ",") << "\n   {\"place\": " << json_text(answer.site.place)
        << ", \"opcode\": " << json_text(answer.site.opcode) << ", \"need\": " << json_text(name_of(answer.need))
        << ", \"form\": " << json_text(answer.form) << ", \"why\": " << json_text(answer.why)
        << ", \"alone\": " << (answer.is_alone ? "true" : "false") << ", \"executions\": " << answer.executions
        << ", \"most_of_thread\": " << answer.most_of_thread << ", \"statements\": [";
    for (std::size_t k = 0; k < answer.site.statements.size(); ++k) {
      const StatementNumber& number = answer.site.statements[k];
      const Statement& statement = module.functions[number.function].statements[number.statement];
      out << (k == 0 ? "" : ", ") << "{\"line\": " << statement.position.line
          << ", \"opcode\": " << json_text(statement.opcode) << '}';
    }
    out << "]}";
  }
  out << "],\n  \"rests_on\": [";
  for (std::size_t i = 0; i < superfluous.rests_on.size(); ++i) {
    out << (i == 0 ? "" : ", ") << json_text(superfluous.rests_on[i]);
  }
  out << "]}";
  return out.str();
}

}  // namespace dma::inline v0_1::proof::ptx::detail
