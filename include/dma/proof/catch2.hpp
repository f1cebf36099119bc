#pragma once

#include <dma/proof/finding.hpp>
#include <dma/proof/verdict.hpp>

#include <catch2/matchers/catch_matchers_templated.hpp>

#include <string>

/// Matchers for Catch2 3. No other header of the library includes Catch2.
namespace dma::inline v0_1::proof {

/// Matches the verdict of a kernel that is correct for every schedule.
///
///     REQUIRE_THAT(dma::proof::prove(MyKernel{}, {1}, x, y, tiles), dma::proof::IsProved());
class IsProved final : public Catch::Matchers::MatcherGenericBase {
 public:
  [[nodiscard]] bool match(const Verdict& verdict) const { return verdict.is_proved(); }
  [[nodiscard]] std::string describe() const override { return "is proved"; }
};

/// Matches the verdict of a kernel with a fault of this kind.
class FailsBy final : public Catch::Matchers::MatcherGenericBase {
 public:
  explicit FailsBy(FindingKind kind) : kind_(kind) {}
  [[nodiscard]] bool match(const Verdict& verdict) const { return verdict.kind == kind_; }
  [[nodiscard]] std::string describe() const override { return std::string("fails by ") + name_of(kind_); }

 private:
  FindingKind kind_;
};

}  // namespace dma::inline v0_1::proof
