#include "mirror.hpp"

#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

// clang-format off

using dma::proof::FailsBy;
using dma::proof::FindingKind;
using dma::proof::IsProved;

namespace {

std::vector<float> ramp() {
  std::vector<float> x(8 * 64);
  std::iota(x.begin(), x.end(), 0.0F);
  return x;
}

template <Mistake mistake>
dma::proof::Verdict verdict_of(int tiles) {
  const std::vector<float> x = ramp();
  std::vector<float> y(x.size());
  return dma::proof::prove({.inputs = {dma::proof::input(x)}, .outputs = {dma::proof::output(y)}},
                           Mirror<mistake>{}, {1}, x.data(), y.data(), 2.0F, tiles);
}

/// The lines of a page's text blocks about this kernel, without those that are cut short.
std::vector<std::string> quoted(const std::string& file) {
  std::ifstream page(std::string(PAGES) + file);
  std::vector<std::string> lines, block;
  bool is_in_block = false, is_ours = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      if (is_ours) lines.insert(lines.end(), block.begin(), block.end());
      is_in_block = line == "```text";
      is_ours = false;
      block.clear();
    } else if (is_in_block) {
      is_ours = is_ours || line.find("mirror.hpp") != std::string::npos;
      if (line.find("...") == std::string::npos) block.push_back(line);
    }
  }
  return lines;
}

}  // namespace

TEST_CASE("the mirror is right, and proved") {
  const std::vector<float> x = ramp();
  std::vector<float> y(x.size());
  dma::host::launch(Mirror<Mistake::none>{}, {2}, x.data(), y.data(), 2.0F, 8);
  for (std::size_t i = 0; i < x.size(); ++i) REQUIRE(y[i] == 2 * (x[i] + x[i / 64 * 64 + 63 - i % 64]));
  REQUIRE_THAT(verdict_of<Mistake::none>(3), IsProved());
}

TEST_CASE("each mistake is found") {
  REQUIRE_THAT(verdict_of<Mistake::no_sync>(3), FailsBy(FindingKind::race));
  REQUIRE_THAT(verdict_of<Mistake::extra_tile>(3), FailsBy(FindingKind::deadlock));
  REQUIRE_THAT(verdict_of<Mistake::early_return>(3), FailsBy(FindingKind::deadlock));
  REQUIRE_THAT(verdict_of<Mistake::early_release>(3), FailsBy(FindingKind::broken_contract));
}

TEST_CASE("a write that leaves the bytes as they were counts as a read, and the verdict says so") {
  const std::vector<float> zeros(8 * 64);
  std::vector<float> y(zeros.size());
  std::ostringstream text;
  text << dma::proof::prove(Mirror<Mistake::no_sync>{}, {1}, zeros.data(), y.data(), 2.0F, 3);
  REQUIRE(dma::proof::sees_every_access == (text.str().find("race") == 0));
  REQUIRE(dma::proof::sees_every_access != (text.str().find("not watched: writes by tile[i] that leave the bytes") != std::string::npos));
}

TEST_CASE("the pages quote these verdicts") {
  std::ostringstream text;
  text << verdict_of<Mistake::no_sync>(1) << verdict_of<Mistake::extra_tile>(1) << verdict_of<Mistake::early_release>(1);
  for (const char* page : {"README.md", "docs/guide/tutorial/prove.md"}) {
    const std::vector<std::string> lines = quoted(page);
    REQUIRE(lines.size() >= 4);
    for (const std::string& line : lines) {
      INFO(page << ": " << line);
      CHECK(text.str().find(line + "\n") != std::string::npos);
    }
  }
}
