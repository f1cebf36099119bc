#include <dma/dma.hpp>
#include <dma/machine/readable.hpp>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "../../examples/gpu.hpp"
#include "device/device.hpp"
#include "device/patterns.cuh"
#include "kernels/matrix_product.hpp"
#include "kernels/matrix_reference.hpp"

namespace {

using dma::Major;
using dma::Swizzle;
using kernels::Operand;

void add(PatternResult& result, int wrong, const char* what) {
  ++result.cases;
  result.wrong += wrong;
  result.first_failure = wrong != 0 && result.first_failure.empty() ? what : result.first_failure;
}

template <class A, class B, int Columns>
void multiply(PatternResult& result, int first_row, int first_k) {
  using Product = kernels::MatrixProduct<A, B, Columns>;
  const int wrong =
      kernels::wrong_elements<A, B, Columns>(first_row, first_k, [&](const auto& a, const auto& b, auto& c) {
        using Bits = typename A::Bits;
        const OnDevice<Bits> device_a(a);
        const OnDevice<Bits> device_b(b);
        const OnDevice<float> device_c(c);
        const Bits* const bits_of_a = device_a.data();
        const Bits* const bits_of_b = device_b.data();
        dma::launch(Product{}, {1}, nullptr, bits_of_a, bits_of_b, device_c.data(), first_row, first_k);
        check(cudaDeviceSynchronize());
        c = device_c.values();
      });
  add(result, wrong, dma::machine::readable(dma::machine::type_name<Product>()).c_str());
}

template <Major major, Swizzle swizzle, class Element = __nv_bfloat16>
void multiply_both_ways(PatternResult& result) {
  constexpr Major other = major == Major::k ? Major::mn : Major::k;
  multiply<Operand<Element, major, swizzle, 128>, Operand<Element, other, swizzle, 192>, 128>(result, 64, 16);
  multiply<Operand<Element, major, swizzle, 128>, Operand<Element, major, swizzle, 64>, 64>(result, 0, 0);
}

template <int Columns>
void multiply_columns(PatternResult& result) {
  using A = Operand<__nv_bfloat16, Major::k, Swizzle::bytes_128, 128>;
  multiply<A, Operand<__nv_bfloat16, Major::k, Swizzle::bytes_128, Columns>, Columns>(result, 8, 32);
}

template <class Element, Swizzle swizzle>
void multiply_bytes(PatternResult& result) {
  using A = Operand<Element, Major::k, swizzle, 128>;
  multiply<A, Operand<Element, Major::k, swizzle, 64>, 64>(result, 64, 0);
  multiply<A, Operand<Element, Major::k, swizzle, 40>, 8>(result, 8, 32);
}

template <class Element>
void multiply_twice(PatternResult& result) {
  const int wrong =
      kernels::wrong_elements_of_two_products<Element>([](auto product, const auto& a, const auto& b, auto& out) {
        const OnDevice<std::uint16_t> device_a(a);
        const OnDevice<std::uint16_t> device_b(b);
        const OnDevice<std::uint16_t> device_out(out);
        const std::uint16_t* const bits_of_a = device_a.data();
        const std::uint16_t* const bits_of_b = device_b.data();
        dma::launch(product, {1}, nullptr, bits_of_a, bits_of_b, device_out.data());
        check(cudaDeviceSynchronize());
        out = device_out.values();
      });
  add(result, wrong, "two products");
}

}  // namespace

std::string missing_tensor_cores() { return gpu::missing(); }

PatternResult run_matrix_products() {
  PatternResult result;
  multiply_both_ways<Major::k, Swizzle::bytes_128>(result);
  multiply_both_ways<Major::mn, Swizzle::bytes_128, __half>(result);
  multiply_both_ways<Major::k, Swizzle::bytes_64>(result);
  multiply_both_ways<Major::mn, Swizzle::bytes_64>(result);
  multiply_both_ways<Major::k, Swizzle::bytes_32, __half>(result);
  multiply_both_ways<Major::mn, Swizzle::bytes_32>(result);
  multiply_both_ways<Major::k, Swizzle::none>(result);
  multiply_both_ways<Major::mn, Swizzle::none>(result);
  multiply_columns<8>(result);
  multiply_columns<24>(result);
  multiply_columns<104>(result);
  multiply_columns<256>(result);
  multiply_bytes<__nv_fp8_e4m3, Swizzle::bytes_128>(result);
  multiply_bytes<__nv_fp8_e4m3, Swizzle::none>(result);
  multiply_bytes<__nv_fp8_e5m2, Swizzle::bytes_64>(result);
  multiply_twice<__nv_bfloat16>(result);
  multiply_twice<__half>(result);
  return result;
}
