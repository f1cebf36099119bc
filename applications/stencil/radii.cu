#include "radii.hpp"

#include "launch.cuh"
#include "runner.hpp"

namespace stencil {

template <class T>
void march_any_radius(const MarchLauncher& march, const Field<const T>& u, const std::vector<T>& coefficients,
                      const Field<T>& out, CUstream_st* stream) {
  with_star(coefficients, [&](const auto& star) { march(u, star, StoreSum<T>{out.data}, stream); });
}
template <class T>
void two_steps_any_radius(const MarchLauncher& march, const Field<const T>& u, const std::vector<T>& coefficients,
                          const Field<T>& between, const Field<T>& out, CUstream_st* stream) {
  with_star(coefficients, [&](const auto& star) { march.two_steps(u, star, between, out, stream); });
}
template void march_any_radius(const MarchLauncher&, const Field<const float>&, const std::vector<float>&,
                               const Field<float>&, CUstream_st*);
template void march_any_radius(const MarchLauncher&, const Field<const double>&, const std::vector<double>&,
                               const Field<double>&, CUstream_st*);
template void two_steps_any_radius(const MarchLauncher&, const Field<const float>&, const std::vector<float>&,
                                   const Field<float>&, const Field<float>&, CUstream_st*);
template void two_steps_any_radius(const MarchLauncher&, const Field<const double>&, const std::vector<double>&,
                                   const Field<double>&, const Field<double>&, CUstream_st*);

}  // namespace stencil
