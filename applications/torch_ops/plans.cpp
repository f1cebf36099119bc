// The plans of ../gemm, ../attention, ../decode, ../scan and ../linear for torch_ops.py: they are made by the functions
// that the C++ programs call.

#include "../attention/attend.hpp"
#include "../attention/attend_backward.hpp"
#include "../attention/plan.cpp"
#include "../decode/kernel.hpp"
#include "../gemm/multiply.hpp"
#include "../gemm/partial_sums.hpp"
#include "../gemm/plan.cpp"
#include "../linear/fp8/linear.hpp"
#include "../linear/linear.hpp"
#include "../scan/plan.hpp"

#include <dma/dma.hpp>
#include <dma/machine/readable.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>

#define EXPORTED extern "C" [[gnu::visibility("default")]]

/// Boxes of a matrix for a tensor map: so many, one after another, of so many rows each.
struct Boxes {
  int count;
  int rows;
};

/// What a product needs to be launched. Python does not look into the plan, which the kernels read.
struct GemmLaunch {
  Boxes a;
  Boxes b;
  Boxes c;
  bool is_transposed;  ///< the kernel's A and B are the problem's B and A
  int ctas;
  int adding_ctas;     ///< of the second launch, which adds up parts; 0: there is none
  long long sums;      ///< vectors of four floats of the workspace
  long long counters;  ///< of the workspace
  int plan_bytes;
  unsigned char plan[128];
  char kernel[128];  ///< its type
  char adding_kernel[128];
};

namespace {

template <class Pattern>
Boxes boxes_of(const Pattern& pattern) {
  int rows = 0;
  dma::for_each_part(pattern, [&](const auto& part, int, auto index) {
    if constexpr (decltype(index)::value == 0) {
      rows = part.box().extents[1];
    }
  });
  return {dma::TensorMap<Pattern>::parts, rows};
}

template <class Type, std::size_t Size>
void put_name(char (&to)[Size]) {
  std::snprintf(to, sizeof to, "%s", dma::machine::readable(dma::machine::type_name<Type>()).c_str());
}

template <class Element>
void plan_product(int m, int n, int k, int sms, bool are_aligned, GemmLaunch& launch) {
  const gemm::Plan plan = gemm::make_plan(m, n, k, sms, are_aligned);
  gemm::with_kernel<Element>(plan, [&]<class Kernel>(const Kernel&) {
    const gemm::Problem<Element> p{};
    launch = {boxes_of(Kernel::tile_of_a(p)), boxes_of(Kernel::tile_of_b(p)), boxes_of(Kernel::tile_of_c(p))};
    launch.is_transposed = Kernel::shape.is_transposed;
    launch.ctas = plan.ctas * Kernel::shape.ctas();
    put_name<Kernel>(launch.kernel);
    if (plan.adds_later()) {
      using Added = gemm::AddParts<Element, Kernel::shape>;
      launch.adding_ctas = Added::ctas(plan);
      put_name<Added>(launch.adding_kernel);
    }
  });
  launch.sums = static_cast<long long>(gemm::sums_of(plan));
  launch.counters = static_cast<long long>(gemm::counters_of(plan));
  launch.plan_bytes = sizeof plan;
  static_assert(sizeof plan <= sizeof launch.plan);
  std::memcpy(launch.plan, &plan, sizeof plan);
}

}  // namespace

/// @pre m, n and k are positive, n and k multiples of 8.
EXPORTED void plan_gemm(int m, int n, int k, bool is_half, int sms, bool are_aligned, GemmLaunch& launch) noexcept {
  is_half ? plan_product<gemm::Half>(m, n, k, sms, are_aligned, launch)
          : plan_product<gemm::BFloat16>(m, n, k, sms, are_aligned, launch);
}

/// Arrays and strides of the problem are not read.
EXPORTED void plan_attention(const attention::Problem<attention::BFloat16>& p, int sms,
                             attention::Plan& plan) noexcept {
  plan = attention::plan_of(p, sms);
}

/// What a backward pass needs to be launched: its three kernels have CTAs `before`, `tiles` and `behind`.
struct BackwardLaunch {
  attention::BackwardPlan plan;
  int before;
  int tiles;
  int behind;
  long long work_floats;
};

/// The same of a backward pass.
EXPORTED void plan_attention_backward(const attention::BackwardProblem<attention::BFloat16>& p,
                                      BackwardLaunch& launch) noexcept {
  attention::with_backward_kernels(
      p, [&]<class Before, class Kernel, class Behind>(const Before&, const Kernel&, const Behind&) {
        const attention::BackwardPlan plan = attention::plan_of(p);
        launch = {plan, Before::ctas(p), plan.tiles(), Behind::ctas(p), attention::work_floats(p)};
      });
}

/// What a step of decoding needs to be launched.
struct DecodeLaunch {
  int ctas;
  int unit;
  int segments;  ///< of the list
  int counters;
  long long floats;  ///< of the parts
  char form[64];     ///< as C++ writes it
};

/// Arrays and strides of the problem are not read.
EXPORTED void plan_decode(const attention::Problem<attention::BFloat16>& p, int page_rows, int sms,
                          DecodeLaunch& launch) noexcept {
  const int queries = p.queries * (p.heads / p.kv_heads);
  const int columns = queries <= 8 ? 8 : queries <= 16 ? 16 : 32;
  const int unit = page_rows % 64 == 0 ? 64 : page_rows % 32 == 0 ? 32 : 16;
  const decode::Division division{p.batches, p.kv_heads, unit, sms, nullptr, nullptr};
  launch = {division.ctas(), unit, division.count(), division.slots(),
            static_cast<long long>(division.slots()) * columns * (p.head_size + 2)};
  static_assert(sizeof(decode::PartOf<64, 16>) == 16 * (64 + 2) * sizeof(float));
  std::snprintf(launch.form, sizeof launch.form, "decode::form_of(%d, %d, %d)", p.head_size, columns, unit);
}

/// What prefix sums need to be launched.
struct ScanLaunch {
  int ctas;
  int tiles;
  int words;         ///< of 4 bytes that a sum has
  char kernel[192];  ///< its type
};

namespace {

template <class T, scan::Kind kind>
void plan_sums(long long elements, bool is_aligned, int sms, ScanLaunch& launch) {
  using Kernels = scan::ScanKernels<scan::Sum<T>, kind>;
  scan::with_kernel<Kernels>(elements, is_aligned, [&]<class Kernel>(const Kernel&) {
    launch.ctas = scan::ctas_of<Kernel>(
        elements, std::min(Kernel::Tile::most_looks,
                           Kernel::traits.cooperative ? scan::ctas_an_sm * sms : Kernel::Tile::most_looks));
    launch.tiles = static_cast<int>((elements + Kernel::Tile::elements - 1) / Kernel::Tile::elements);
    launch.words = sizeof(T) / 4;
    put_name<Kernel>(launch.kernel);
  });
}
template <class T>
void plan_sums(long long elements, bool is_exclusive, bool is_aligned, int sms, ScanLaunch& launch) {
  is_exclusive ? plan_sums<T, scan::Kind::exclusive>(elements, is_aligned, sms, launch)
               : plan_sums<T, scan::Kind::inclusive>(elements, is_aligned, sms, launch);
}

}  // namespace

/// Of elements of `bytes` bytes, 4 or 8.
EXPORTED void plan_scan(long long elements, int bytes, bool is_float, bool is_exclusive, bool is_aligned, int sms,
                        ScanLaunch& launch) noexcept {
  if (is_float) {
    bytes == 4 ? plan_sums<float>(elements, is_exclusive, is_aligned, sms, launch)
               : plan_sums<double>(elements, is_exclusive, is_aligned, sms, launch);
  } else {
    bytes == 4 ? plan_sums<int>(elements, is_exclusive, is_aligned, sms, launch)
               : plan_sums<long long>(elements, is_exclusive, is_aligned, sms, launch);
  }
}

/// What a layer of 4-bit or 8-bit weights needs to be launched.
struct LayerLaunch {
  linear::Plan plan;
  Boxes w;           ///< a plane of a box for each row group
  Boxes x;           ///< likewise for each 64 k
  int maps_of_w;     ///< of equal boxes
  long long packed;  ///< elements of the weights
  long long floats;  ///< of the sums of parts
  char form[64];     ///< as C++ writes it
};

namespace {

template <int group, bool has_zeros, int bits>
void plan_layer(int m, int n, int k, int sms, LayerLaunch& launch) {
  using Element = linear::BFloat16;  // or another of two bytes
  const linear::Problem<Element> p{m, n, k, group, has_zeros, nullptr, k, nullptr, nullptr, n, bits};
  linear::with_kernel<Element, group, has_zeros, bits>(p, sms, [&]<class Early>(const Early&) {
    // Whatever ran before may have written the weights.
    using Kernel = linear::Linear<Element, Early::form.behind_weights()>;
    const auto box_of = [](const auto& pattern) { return Boxes{pattern.box().extents[2], pattern.box().extents[1]}; };
    launch.plan = Kernel::plan_of(p, sms);
    launch.w = box_of(typename Kernel::BoxOfW{});
    launch.x = box_of(Kernel::inputs_of(p));
    launch.maps_of_w = dma::TensorMap<typename Kernel::TileOfW>::parts;
    launch.packed = static_cast<long long>(linear::packed_elements(n, k, group, has_zeros, bits));
    launch.floats = 4 * static_cast<long long>(linear::vectors_of<Kernel>(launch.plan));
    constexpr linear::Form form = Kernel::form;
    static_assert(form.weights_wait);
    std::snprintf(launch.form, sizeof launch.form, "linear::Form{%d, %d, %s, %d, %d, %d, %d, true, %d}", form.columns,
                  form.group, form.has_zeros ? "true" : "false", form.row_groups, form.slots, form.registers,
                  form.cluster, form.bits);
  });
}
template <int bits>
void plan_layer(int m, int n, int k, int group, bool has_zeros, int sms, LayerLaunch& launch) {
  if (group == 64) {
    has_zeros ? plan_layer<64, true, bits>(m, n, k, sms, launch) : plan_layer<64, false, bits>(m, n, k, sms, launch);
  } else {
    has_zeros ? plan_layer<128, true, bits>(m, n, k, sms, launch) : plan_layer<128, false, bits>(m, n, k, sms, launch);
  }
}

}  // namespace

/// Of x in either type of two bytes.
///
/// @pre The problem is one that `linear::expect_valid` takes.
EXPORTED void plan_linear_layer(int m, int n, int k, int group, bool has_zeros, int bits, int sms,
                                LayerLaunch& launch) noexcept {
  bits == 4 ? plan_layer<4>(m, n, k, group, has_zeros, sms, launch)
            : plan_layer<8>(m, n, k, group, has_zeros, sms, launch);
}

/// What a layer of 8-bit numbers needs to be launched.
struct ScaledLayerLaunch {
  linear::Plan plan;
  Boxes w;
  Boxes x;
  long long floats;  ///< of the sums of parts
  char kernel[128];  ///< its type
};

/// @pre The problem is one that `linear::fp8::expect_valid` takes.
EXPORTED void plan_linear_fp8(int m, int n, int k, int sms, ScaledLayerLaunch& launch) noexcept {
  const linear::fp8::Problem p{m, n, k, nullptr, k, nullptr, 0, 0, nullptr, k, nullptr, nullptr, n};
  linear::fp8::with_kernel(p, sms, [&]<class Early>(const Early&) {
    // Whatever ran before may have written the weights.
    using Kernel = linear::fp8::ScaledLinear<Early::form.behind_weights()>;
    launch.plan = Kernel::plan_of(p, sms);
    launch.w = boxes_of(Kernel::weights_of(p));
    launch.x = boxes_of(Kernel::inputs_of(p));
    launch.floats = 4 * static_cast<long long>(linear::vectors_of<Kernel>(launch.plan));
    put_name<Kernel>(launch.kernel);
  });
}
