#pragma once

#include <dma/config.hpp>
#include <dma/machine/half_float.hpp>
#include <dma/machine/host/emulated_thread.hpp>
#include <dma/machine/host/machine.hpp>
#include <dma/machine/matrix_operand.hpp>
#include <dma/machine/product_element.hpp>
#include <dma/standard.hpp>

/// A host's tensor cores: each thread computes its own part of the result, from the operands that the descriptors say.
/// `dma/machine/matrix.hpp` documents the names. What the products read is no access of a thread:
/// `begin_operand_reads` reports it.
namespace dma::inline v0_1::machine::host_model {

/// The place in the CTA's shared memory, which has as many bits as a descriptor keeps.
[[nodiscard]] DMA_DETAIL_UNSEEN inline unsigned matrix_address(const void* tile) {
  const auto offset = reinterpret_cast<std::uintptr_t>(tile) - reinterpret_cast<std::uintptr_t>(this_thread().shared());
  DMA_EXPECTS(
      offset < this_thread().shared_bytes(),
      "dma::matrix_descriptor: the tile is not in the CTA's shared memory, where the tensor cores read; copy it "
      "into a slot first",
      "address", tile);
  return static_cast<unsigned>(offset);
}

inline void begin_products() {}
DMA_DETAIL_UNSEEN inline void begin_operand_reads(stdlib::uint64_t descriptor, int from, int bytes) {
  const auto* const shared = static_cast<const unsigned char*>(this_thread().shared());
  begin_async_reads(shared + MatrixOperand::decoded(descriptor).address + from, bytes);
}
inline void renew(float&) {}
inline void compute_first(float) {}

/// The bytes of an operand in a CTA's shared memory, by default the thread's own.
class HostOperand {
 public:
  DMA_DETAIL_UNSEEN explicit HostOperand(stdlib::uint64_t descriptor)
      : HostOperand(descriptor, static_cast<const unsigned char*>(this_thread().shared())) {}
  DMA_DETAIL_UNSEEN HostOperand(stdlib::uint64_t descriptor, const unsigned char* shared)
      : layout_(MatrixOperand::decoded(descriptor)), shared_(shared), shared_bytes_(this_thread().shared_bytes()) {}

  /// The elements of an instruction from (`mn`, 0) on, as floats.
  template <class Element, Major Direction>
  DMA_DETAIL_UNSEEN void read(float (&values)[k_of_product<Element>], int mn) const {
    using Bits = ProductBits<Element>;
    constexpr int size = int{sizeof(Bits)};
    constexpr int together = Direction == Major::k ? 16 / size : 1;  // elements that are 16 bytes of a row
    for (int k = 0; k < k_of_product<Element>; k += together) {
      const unsigned place = layout_.place_of(Direction, mn, k * size / 2);
      DMA_EXPECTS(place + size * together <= shared_bytes_,
                  "dma::multiply_add: an operand is outside the CTA's shared memory; correct its descriptor's address "
                  "and strides",
                  "place", static_cast<int>(place));
      Bits bits[together];
      __builtin_memcpy(bits, shared_ + place, sizeof bits);
      for (int i = 0; i < together; ++i) {
        values[k + i] = ProductFloat<Element>::to_float(bits[i]);
      }
    }
  }

 private:
  MatrixOperand layout_;
  const unsigned char* shared_;
  stdlib::size_t shared_bytes_;
};

/// The thread's sums of two rows of A, g and g + 8, with its columns of B.
template <class Element, int Columns, Major MajorOfB>
DMA_DETAIL_UNSEEN void multiply_two_rows(float (&sums)[Columns / 2], const float (&rows)[2][k_of_product<Element>],
                                         stdlib::uint64_t b, bool adds) {
  const int first_column = this_thread().rank() % 4 * 2;
  const HostOperand operand(b);
  for (int i = 0; i < Columns / 4; ++i) {
    float column[k_of_product<Element>];
    operand.read<Element, MajorOfB>(column, i / 2 * 8 + first_column + i % 2);
    float& upper = sums[i / 2 * 4 + i % 2];
    float& lower = sums[i / 2 * 4 + 2 + i % 2];
    float sum_of_upper = adds ? upper : 0.0F;
    float sum_of_lower = adds ? lower : 0.0F;
    for (int k = 0; k < k_of_product<Element>; ++k) {
      sum_of_upper += rows[0][k] * column[k];
      sum_of_lower += rows[1][k] * column[k];
    }
    upper = sum_of_upper;
    lower = sum_of_lower;
  }
}

template <class Element, int Columns, Major MajorOfA, Major MajorOfB>
DMA_DETAIL_UNSEEN void multiply_matrices(float (&sums)[Columns / 2], stdlib::uint64_t a, stdlib::uint64_t b,
                                         bool adds) {
  const int thread = this_thread().rank() % 128;
  float rows[2][k_of_product<Element>];
  for (int half = 0; half < 2; ++half) {
    HostOperand(a).read<Element, MajorOfA>(rows[half], thread / 32 * 16 + thread % 32 / 4 + half * 8);
  }
  multiply_two_rows<Element, Columns, MajorOfB>(sums, rows, b, adds);
}

DMA_DETAIL_UNSEEN inline void use_registers(const void* registers) {
  this_thread().product_registers().begin(registers);
}
[[nodiscard]] DMA_DETAIL_UNSEEN inline bool registers_are_free(const void* registers) {
  return running_thread == nullptr || is_unwinding() || !running_thread->product_registers().is_used(registers);
}

/// Four neighbouring lanes have a row's 16 columns.
template <class Element, int Columns, Major MajorOfB>
DMA_DETAIL_UNSEEN void multiply_rows(float (&sums)[Columns / 2], const stdlib::uint32_t (&a)[4], stdlib::uint64_t b,
                                     bool adds) {
  const int lane = this_thread().rank() % 32;
  float rows[2][16];
  for (int i = 0; i < 4; ++i) {
    stdlib::uint32_t theirs[4] = {a[0], a[1], a[2], a[3]};
    this_thread().shuffle(theirs, sizeof theirs, lane / 4 * 4 + i);
    for (int r = 0; r < 4; ++r) {
      for (int part = 0; part < 2; ++part) {
        rows[r % 2][r / 2 * 8 + i * 2 + part] =
            HalfFloat<Element>::to_float(static_cast<stdlib::uint16_t>(theirs[r] >> (part * 16)));
      }
    }
  }
  multiply_two_rows<Element, Columns, MajorOfB>(sums, rows, b, adds);
}

template <class Element>
[[nodiscard]] stdlib::uint32_t packed(float low, float high) {
  const stdlib::uint32_t above = HalfFloat<Element>::from_float(high);
  return HalfFloat<Element>::from_float(low) | above << 16;
}

/// The lane that names a row takes it from the four that have it.
template <int Count>
DMA_DETAIL_UNSEEN void store_matrices(void* row, const stdlib::uint32_t (&matrices)[Count]) {
  DMA_EXPECTS(reinterpret_cast<stdlib::uintptr_t>(row) % 16 == 0,
              "dma::store_matrix: a row of eight elements begins at an address that is no multiple of 16, where a GPU "
              "would fault; make the pitch of the rows a multiple of 16 bytes",
              "address", row);
  const int lane = this_thread().rank() % 32;
  stdlib::uint32_t values[4];
  for (int i = 0; i < 4; ++i) {
    stdlib::uint32_t theirs[4] = {matrices[0], matrices[1], matrices[2], matrices[3]};
    this_thread().shuffle(theirs, sizeof theirs, lane % 8 * 4 + i);
    values[i] = theirs[lane / 8];
  }
  memcpy(row, values, sizeof values);
}

}  // namespace dma::inline v0_1::machine::host_model
