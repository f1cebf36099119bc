#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>

/// Elements of the matrices of tensor cores, read from memory by formulas of the tests' own.
namespace ptx_test {

using Element = std::function<double(const unsigned char* bytes, int i)>;

/// A number of `exponent` and `mantissa` bits and a sign.
inline double small_float(unsigned bits, int exponent, int mantissa) {
  const int e = static_cast<int>(bits >> mantissa) & ((1 << exponent) - 1);
  const double m = static_cast<double>(bits & ((1U << mantissa) - 1)) / (1 << mantissa);
  const double size =
      e == 0 ? std::ldexp(m, 2 - (1 << (exponent - 1))) : std::ldexp(1 + m, e + 1 - (1 << (exponent - 1)));
  return (bits >> (exponent + mantissa) & 1U) != 0 ? -size : size;
}
template <class T>
T at(const unsigned char* bytes, int i) {
  T value;
  std::memcpy(&value, bytes + i * static_cast<int>(sizeof value), sizeof value);
  return value;
}
inline double f16_at(const unsigned char* bytes, int i) { return small_float(at<std::uint16_t>(bytes, i), 5, 10); }
inline double bf16_at(const unsigned char* bytes, int i) { return small_float(at<std::uint16_t>(bytes, i), 8, 7); }
inline double tf32_at(const unsigned char* bytes, int i) {
  return small_float(at<std::uint32_t>(bytes, i) >> 13, 8, 10);
}
inline double f32_at(const unsigned char* bytes, int i) { return double{at<float>(bytes, i)}; }
inline double f64_at(const unsigned char* bytes, int i) { return at<double>(bytes, i); }
inline double e4m3_at(const unsigned char* bytes, int i) { return small_float(bytes[i], 4, 3); }
inline double e5m2_at(const unsigned char* bytes, int i) { return small_float(bytes[i], 5, 2); }
inline double s32_at(const unsigned char* bytes, int i) { return at<std::int32_t>(bytes, i); }
inline double s8_at(const unsigned char* bytes, int i) { return at<std::int8_t>(bytes, i); }
inline double u8_at(const unsigned char* bytes, int i) { return bytes[i]; }
inline int nibble(const unsigned char* bytes, int i) { return bytes[i / 2] >> (i % 2 * 4) & 15; }
inline double u4_at(const unsigned char* bytes, int i) { return nibble(bytes, i); }
inline double s4_at(const unsigned char* bytes, int i) {
  return nibble(bytes, i) < 8 ? nibble(bytes, i) : nibble(bytes, i) - 16;
}
inline double b1_at(const unsigned char* bytes, int i) { return bytes[i / 8] >> (i % 8) & 1; }

struct Type {
  Element read;
  int bits;
  const char* array;  ///< of a launch
};
inline const std::map<std::string, Type> types{
    {"f16", {f16_at, 16, "f16[4096] = random"}},   {"bf16", {bf16_at, 16, "bf16[4096] = random"}},
    {"tf32", {tf32_at, 32, "f32[4096] = random"}}, {"f32", {f32_at, 32, "f32[4096] = random"}},
    {"f64", {f64_at, 64, "f64[4096] = random"}},   {"e4m3", {e4m3_at, 8, "e4m3[4096] = random"}},
    {"e5m2", {e5m2_at, 8, "e5m2[4096] = random"}}, {"s8", {s8_at, 8, "u8[4096] = iota"}},
    {"u8", {u8_at, 8, "u8[4096] = iota"}},         {"s4", {s4_at, 4, "u8[4096] = iota"}},
    {"u4", {u4_at, 4, "u8[4096] = iota"}},         {"b1", {b1_at, 1, "u8[4096] = iota"}},
    {"s32", {s32_at, 32, "s32[4096] = random"}}};

}  // namespace ptx_test
