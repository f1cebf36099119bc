#include <dma/dma.hpp>
#include <dma/machine/readable.hpp>

#include "device/device.hpp"
#include "device/patterns.cuh"
#include "kernels/sums.hpp"

#include <vector>

namespace {

template <class Shape, class Barrier, class Engine>
void add_up(PatternResult& result) {
  using Body = sums::Body<Shape, Barrier, Engine>;
  using Element = typename Shape::Element;
  std::vector<Element> before(sums::rows * sums::pitch);
  for (std::size_t i = 0; i < before.size(); ++i) {
    before[i] = sums::before<Element>(static_cast<int>(i));
  }
  const OnDevice<Element> array(before);
  if constexpr (dma::detail::TakesArrays<Engine, typename Body::Store>) {
    const OnDevice<dma::TensorMap<typename Shape::Tile>> map(
        std::vector{dma::tensor_map<typename Shape::Tile>(array.data(), Shape::tile(0))});
    const dma::TensorMap<typename Shape::Tile>* const where = map.data();
    dma::launch(Body{}, {sums::ctas}, nullptr, where);
    check(cudaDeviceSynchronize());
  } else {
    dma::launch(Body{}, {sums::ctas}, nullptr, array.data());
    check(cudaDeviceSynchronize());
  }
  const std::vector<Element> after = array.values();
  const int wrong = sums::count_wrong<Shape>(after.data(), before.data());
  ++result.cases;
  result.wrong += wrong;
  if (wrong != 0 && result.first_failure.empty()) {
    result.first_failure = dma::machine::readable(dma::machine::type_name<Body>());
  }
}

/// One addition to each element, with every rounding that there is.
template <class T, class Engine>
void round_once(PatternResult& result) {
  using Body = sums::AddsOnce<T, Engine>;
  constexpr int pairs = 1 << 20;
  std::vector<T> before(pairs);
  std::vector<T> terms(pairs);
  for (int i = 0; i < pairs; ++i) {
    before[static_cast<std::size_t>(i)] = sums::of_bits<T>(sums::first_term(i));
    terms[static_cast<std::size_t>(i)] = sums::of_bits<T>(sums::second_term(i));
  }
  const OnDevice<T> array(before);
  const OnDevice<T> device_terms(terms);
  if constexpr (dma::detail::TakesArrays<Engine, dma::StoreAdd<typename Body::Tile>>) {
    const OnDevice<dma::TensorMap<typename Body::Tile>> map(
        std::vector{dma::tensor_map<typename Body::Tile>(array.data(), Body::tile(pairs / 1024, 0))});
    const dma::TensorMap<typename Body::Tile>* const where = map.data();
    dma::launch(Body{}, {pairs / 1024}, nullptr, where, static_cast<const T*>(device_terms.data()));
    check(cudaDeviceSynchronize());
  } else {
    dma::launch(Body{}, {pairs / 1024}, nullptr, array.data(), static_cast<const T*>(device_terms.data()));
    check(cudaDeviceSynchronize());
  }
  const std::vector<T> after = array.values();
  const int wrong = sums::count_wrongly_rounded(before.data(), terms.data(), after.data(), pairs);
  ++result.cases;
  result.wrong += wrong;
  if (wrong != 0 && result.first_failure.empty()) {
    result.first_failure = dma::machine::readable(dma::machine::type_name<Body>());
  }
}
template <class T>
void add_up_two_byte_floats(PatternResult& result) {
  add_up<sums::Lines<T>, dma::NamedBarrier, dma::RegisterCopy<>>(result);
  add_up<sums::Blocks<T>, dma::CudaBarrier, dma::BulkCopy<>>(result);
  add_up<sums::Boxes<T>, dma::CudaBarrier, dma::TensorCopy<>>(result);
  round_once<T, dma::RegisterCopy<>>(result);
  round_once<T, dma::TensorCopy<>>(result);
}

template <class T>
void add_up_elements(PatternResult& result) {
  add_up<sums::Lines<T>, dma::NamedBarrier, dma::RegisterCopy<>>(result);
  add_up<sums::Lines<T>, dma::CudaBarrier, dma::BulkCopy<>>(result);
  add_up<sums::Blocks<T>, dma::CudaBarrier, dma::AsyncCopy<>>(result);
  add_up<sums::Blocks<T>, dma::CudaBarrier, dma::BulkCopy<>>(result);
  add_up<sums::Boxes<T>, dma::CudaBarrier, dma::RegisterCopy<>>(result);
  add_up<sums::Boxes<T>, dma::NamedBarrier, dma::TensorCopy<>>(result);
}

}  // namespace

PatternResult run_sums() {
  PatternResult result;
  add_up_elements<int>(result);
  add_up_elements<unsigned>(result);
  add_up_elements<long long>(result);
  add_up_elements<float>(result);
  add_up_elements<double>(result);
  add_up_two_byte_floats<__half>(result);
  add_up_two_byte_floats<__nv_bfloat16>(result);
  return result;
}
