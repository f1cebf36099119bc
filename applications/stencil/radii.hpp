#pragma once

#include "field.hpp"

#include <vector>

struct CUstream_st;

namespace stencil {

class MarchLauncher;

/// The march with a star of any radius. Its kernels are in a unit of their own.
///
/// @param coefficients  of a star: the middle one and one for each distance, up to a radius of 8
template <class T>
void march_any_radius(const MarchLauncher& march, const Field<const T>& u, const std::vector<T>& coefficients,
                      const Field<T>& out, CUstream_st* stream);
/// 2 or 3 steps of it, in one pass where that is faster, otherwise by way of `between`.
template <class T>
void steps_any_radius(const MarchLauncher& march, const Field<const T>& u, const std::vector<T>& coefficients,
                      int count, const Field<T>& between, const Field<T>& out, CUstream_st* stream);
extern template void march_any_radius(const MarchLauncher&, const Field<const float>&, const std::vector<float>&,
                                      const Field<float>&, CUstream_st*);
extern template void march_any_radius(const MarchLauncher&, const Field<const double>&, const std::vector<double>&,
                                      const Field<double>&, CUstream_st*);
extern template void steps_any_radius(const MarchLauncher&, const Field<const float>&, const std::vector<float>&, int,
                                      const Field<float>&, const Field<float>&, CUstream_st*);
extern template void steps_any_radius(const MarchLauncher&, const Field<const double>&, const std::vector<double>&, int,
                                      const Field<double>&, const Field<double>&, CUstream_st*);

}  // namespace stencil
