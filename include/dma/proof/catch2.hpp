#pragma once

#include <dma/proof/finding.hpp>
#include <dma/proof/verdict.hpp>

#include <catch2/matchers/catch_matchers_templated.hpp>

#include <string>

/// Matchers for tests that are written with Catch2 3. No other header of the library includes it.
namespace dma::host {

/// A kernel that nothing is wrong with, under any schedule.
///
///     REQUIRE_THAT(dma::host::prove(MyKernel{}, {1}, x, y, tiles), dma::host::IsProved());
class IsProved final : public Catch::Matchers::MatcherGenericBase {
 public:
  [[nodiscard]] bool match(const Verdict& verdict) const { return verdict.is_proved(); }
  [[nodiscard]] std::string describe() const override { return "is proved"; }
};

/// A kernel that has a fault of this kind.
class FailsBy final : public Catch::Matchers::MatcherGenericBase {
 public:
  explicit FailsBy(FindingKind kind) : kind_(kind) {}
  [[nodiscard]] bool match(const Verdict& verdict) const { return verdict.kind == kind_; }
  [[nodiscard]] std::string describe() const override { return std::string("fails by ") + name_of(kind_); }

 private:
  FindingKind kind_;
};

}  // namespace dma::host
