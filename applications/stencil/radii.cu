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
void steps_any_radius(const MarchLauncher& march, const Field<const T>& u, const std::vector<T>& coefficients,
                      int count, const Field<T>& between, const Field<T>& out, CUstream_st* stream) {
  with_star(coefficients, [&](const auto& star) {
    if (count == 2) {
      march.steps<2>(u, star, between, out, stream);
    } else {
      march.steps<3>(u, star, between, out, stream);
    }
  });
}
template void march_any_radius(const MarchLauncher&, const Field<const float>&, const std::vector<float>&,
                               const Field<float>&, CUstream_st*);
template void march_any_radius(const MarchLauncher&, const Field<const double>&, const std::vector<double>&,
                               const Field<double>&, CUstream_st*);
template void steps_any_radius(const MarchLauncher&, const Field<const float>&, const std::vector<float>&, int,
                               const Field<float>&, const Field<float>&, CUstream_st*);
template void steps_any_radius(const MarchLauncher&, const Field<const double>&, const std::vector<double>&, int,
                               const Field<double>&, const Field<double>&, CUstream_st*);

}  // namespace stencil
