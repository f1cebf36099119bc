#include "host/proof/right_kernels.hpp"

#include "kernels/right_atomics.hpp"
#include "kernels/right_barriers.hpp"

#include <string>

TEST_CASE("kernels with barriers of their own are right and proved", "[proof][right]") {
  right::run_and_prove_all(right::Barriers{});
}

TEST_CASE("kernels with atomics of their own are right and proved, for the orders of the runs", "[proof][right]") {
  right::run_and_prove_all(right::Atomics{});
  right::Arrays<right::FindsMaximum> arrays;
  const dma::proof::Verdict verdict =
      dma::proof::prove({.inputs = {dma::proof::input(arrays.in_lines)},
                         .outputs = {dma::proof::output(arrays.out_lines), dma::proof::output(arrays.words)}},
                        right::FindsMaximum{}, {1}, arrays.in(), arrays.out(), arrays.words.data());
  const std::string expected = dma::proof::sees_every_access ? "for the values of atomics that these runs read" : "";
  CHECK(verdict.reservation.substr(0, expected.size()) == expected);
  CHECK((verdict.not_judged.count(dma::proof::detail::orders_of_atomics) == 1) == dma::proof::sees_every_access);
}
