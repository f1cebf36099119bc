// The interpreter is compiled here once for the tests that judge texts of PTX.
#include "judge.hpp"

#include <dma/proof/ptx/launch/launch_line.hpp>
#include <dma/proof/ptx/launch/prove_launches.hpp>
#include <dma/proof/ptx/launch/report.hpp>
#include <dma/proof/ptx/read/reader.hpp>

#include <catch2/catch_test_macros.hpp>

#include <sstream>

namespace ptx_test {

namespace {

void check_words(const ptx::LaunchVerdict& launch) {
  std::ostringstream text;
  ptx::write_json(text, {launch}, {});
  for (const char* const name : {"dma::", " cta.", "Shared", "wait<", "peer()", "pipeline", "tile's", "limits."}) {
    INFO(text.str());
    CHECK(text.str().find(name) == std::string::npos);
  }
}

}  // namespace

std::string Judged::kind() const { return ptx::class_of(launch); }

Judged judge(const std::string& text, const std::string& lines, bool keeps_values) {
  const ptx::Module module = ptx::read(text);
  ptx::LaunchProver prover(module, "k.ptx");
  if (!keeps_values) {
    prover.leave_values();
  }
  Judged judged;
  judged.launch = prover.prove(ptx::LaunchReader(lines).read(), {}).back();
  check_words(judged.launch);
  for (const ptx::Array& array : prover.arrays().all()) {
    judged.arrays.emplace_back(array.bytes.data(), array.bytes.data() + array.bytes.size());
    judged.unknown.push_back(prover.not_computed_in(array));
  }
  return judged;
}

}  // namespace ptx_test
