#pragma once

#include <dma/config.hpp>
#include <dma/engines/tensor/tensor_array.hpp>
#include <dma/engines/tensor/tensor_map.hpp>
#include <dma/launch/launch.hpp>
#include <dma/machine/half_float.hpp>
#include <dma/patterns/box.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/row_layout.hpp>
#include <dma/patterns/view.hpp>
#include <dma/standard.hpp>

#include <cuda.h>
#include <cuda_runtime.h>

namespace dma::inline v0_1 {

namespace detail {

/// The driver's encoder, found through the runtime: nothing is linked against libcuda.
inline auto tensor_map_encoder() {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  throw_if(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found),
           "the driver has no tensor maps; use dma::BulkCopy<>, or a newer driver");
  if (found != cudaDriverEntryPointSuccess) {
    refuse_launch(
        MessageText().add("dma::tensor_map: this driver makes no tensor maps; use dma::BulkCopy<>, or a newer driver"));
  }
  return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(entry);
}

/// The element's type in a tensor map of the GPU.
template <class Element>
[[nodiscard]] constexpr CUtensorMapDataType tensor_type(OutsideArray outside) {
  constexpr int size = static_cast<int>(sizeof(Element));
  if constexpr (stdlib::is_same_v<Element, __nv_bfloat16>) {
    return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  }
  // A copy needs only the element's size; sums and NaN need its type.
  if (stdlib::is_floating_point_v<Element> || machine::HalfFloat<Element>::is_known || outside == OutsideArray::nan) {
    return size == 8   ? CU_TENSOR_MAP_DATA_TYPE_FLOAT64
           : size == 4 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
                       : CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  }
  return size == 8   ? CU_TENSOR_MAP_DATA_TYPE_UINT64
         : size == 4 ? CU_TENSOR_MAP_DATA_TYPE_UINT32
         : size == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                     : CU_TENSOR_MAP_DATA_TYPE_UINT8;
}

/// `which` ends the message of an error.
template <BoxPattern Pattern>
[[nodiscard]] TensorDescriptor encode_box(void* array, const Pattern& pattern, const TensorMapOptions& options,
                                          const char* which) {
  if (options.l2_bytes != 0 && options.l2_bytes != 64 && options.l2_bytes != 128 && options.l2_bytes != 256) {
    refuse_launch(
        MessageText().add("dma::tensor_map: l2_bytes is %d; name 64, 128 or 256, which the L2 fetches at a time, or 0 "
                          "to leave it the choice%s",
                          options.l2_bytes, which));
  }
  const auto box = pattern.box();
  if (const int axis = axis_without_map(box); axis >= 0) {
    refuse_launch(
        MessageText().add("%s [axis %d, elements %lld]%s", refused_axis, axis, box.array_extents[axis], which));
  }
  constexpr int rank = decltype(box)::rank;
  cuuint64_t extents[rank];
  cuuint64_t pitches[rank];
  cuuint32_t box_extents[rank];
  cuuint32_t steps[rank];
  for (int axis = 0; axis < rank; ++axis) {
    extents[axis] = static_cast<cuuint64_t>(box.array_extents[axis]);
    box_extents[axis] = static_cast<cuuint32_t>(box.extents[axis]);
    steps[axis] = 1;
    if (axis > 0) {
      pitches[axis - 1] = static_cast<cuuint64_t>(box.pitch_bytes[axis]);
      if (box.pitch_bytes[axis] % 16 != 0 || box.pitch_bytes[axis] < 0 || box.pitch_bytes[axis] >= (1LL << 40)) {
        refuse_launch(MessageText().add(
            "dma::tensor_map: the pitch of axis %d is %lld bytes, and a tensor map takes multiples of 16 "
            "below 2^40; pad the rows, or use another engine%s",
            axis, box.pitch_bytes[axis], which));
      }
    }
  }
  if (reinterpret_cast<std::uintptr_t>(array) % 16 != 0) {
    refuse_launch(MessageText().add(
        "dma::tensor_map: the array's address is not a multiple of 16; align it, or use another engine%s", which));
  }
  constexpr CUtensorMapSwizzle swizzles[] = {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B,
                                             CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B};
  const CUtensorMapL2promotion promotion = options.l2_bytes == 256   ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B
                                           : options.l2_bytes == 128 ? CU_TENSOR_MAP_L2_PROMOTION_L2_128B
                                           : options.l2_bytes == 64  ? CU_TENSOR_MAP_L2_PROMOTION_L2_64B
                                                                     : CU_TENSOR_MAP_L2_PROMOTION_NONE;
  const bool fills_nan = options.outside == OutsideArray::nan;
  CUtensorMap map;
  const CUresult result = tensor_map_encoder()(
      &map, tensor_type<typename Pattern::Element>(options.outside), rank,
      static_cast<unsigned char*>(array) + box.origin_bytes, extents, pitches, box_extents, steps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, swizzles[static_cast<int>(box.swizzle)], promotion,
      fills_nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    refuse_launch(MessageText().add(
        "dma::tensor_map: the driver refuses this array and box with error %d; compare its extents and "
        "pitches with what docs/guide/limits.md names, or use dma::BulkCopy<>%s",
        static_cast<int>(result), which));
  }
  static_assert(sizeof(CUtensorMap) == sizeof(TensorDescriptor) && alignof(CUtensorMap) <= alignof(TensorDescriptor));
  TensorDescriptor descriptor;
  std::memcpy(&descriptor, &map, sizeof map);
  return descriptor;
}

/// Encodes the array of part `index` into its map.
template <class Pattern, TransferPattern Part>
void encode_part(TensorMap<Pattern>& map, int index, const TensorArray<Part>& array) {
  MessageText which;
  if (part_count_of < Pattern >> 1) {
    which.add(" [part %d]", index);
  }
  if (const char* const refusal = refusal_of_map<typename Part::Element>(array.data, array.options.outside)) {
    refuse_launch(MessageText().add("%s%s", refusal, which.text()));
  }
  // A map serves stores too; the caller decides whether the array may be written.
  void* const address = const_cast<typename Part::Element*>(array.data);
  map.descriptors[index] = encode_box(address, array.part, array.options, which.text());
#if DMA_CHECKED
  map.arrays[index] = describe(static_cast<unsigned char*>(address), array.options.outside, array.part);
#endif
}

}  // namespace detail

/// A map of the array at `array` for kernels that move `Pattern` by `TensorCopy`; the array's extents and pitches are
/// those of `pattern`, whose position does not matter.
///
/// @throw LaunchError  the hardware cannot describe the array: its address is null or no multiple of 16 bytes, a pitch
///                     is negative, no multiple of 16 or not below 2^40, an axis has no element or more than 2^31,
///                     integers or single bytes are to be NaN outside, `l2_bytes` is none of its values, or the driver
///                     makes no such map
///
/// Cost    a call of the driver on the host for each part; nothing runs on the GPU. A map holds the address, so make it
///         once for an array and keep it
/// Source  CUDA driver API, cuTensorMapEncodeTiled
///
/// @pre The kernel's GPU can access the array for as long as the map is used.
template <TransferPattern Pattern>
[[nodiscard]] TensorMap<Pattern> tensor_map(const typename Pattern::Element* array, const Pattern& pattern,
                                            const TensorMapOptions& options = {}) {
  detail::expect_boxes<Pattern>();
  TensorMap<Pattern> map{};
  for_each_part(pattern, [&](const auto& part, int, auto index) {
    if constexpr (detail::has_hardware_boxes<Pattern>) {
      detail::encode_part(map, index, TensorArray{array, part, options});
    }
  });
  return map;
}

/// A map of a view, for example a `cuda::std::mdspan`, for tiles `Pattern::at(view, ...)`:
/// `dma::tensor_map<Tile>(view)`.
///
/// @throw LaunchError  as above
template <TransferPattern Pattern, detail::StridedView View>
  requires(detail::AddressedView<View>&& detail::BoxOfView<Pattern, View>)
[[nodiscard]] TensorMap<Pattern> tensor_map(const View& view, const TensorMapOptions& options = {}) {
  return tensor_map<Pattern>(detail::address_of(view), detail::first_box_of<Pattern>(view), options);
}

/// A map of several arrays, one for each part of `Pattern` and in their order, so that one tile has boxes of all of
/// them on one barrier:
///
///     dma::tensor_map<dma::Concat<TileOfA, TileOfB>>(dma::TensorArray{a, TileOfA{...}},
///                                                    dma::TensorArray{b, TileOfB{...}})
///
/// @throw LaunchError  as above; the message names the part
template <TransferPattern Pattern, TransferPattern... Parts>
[[nodiscard]] TensorMap<Pattern> tensor_map(const TensorArray<Parts>&... arrays) {
  detail::expect_boxes<Pattern>();
  TensorMap<Pattern> map{};
  if constexpr (detail::are_arrays_of_parts<Pattern, Parts...>() && detail::has_hardware_boxes<Pattern>) {
    int index = 0;
    (detail::encode_part(map, index++, arrays), ...);
  }
  return map;
}

}  // namespace dma::inline v0_1
