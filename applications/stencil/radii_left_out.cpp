#include "radii.hpp"

#include <stdexcept>

namespace stencil {

namespace {

[[noreturn]] void refuse() {
  throw std::runtime_error(
      "stencil: this program was built where there is no GPU, without the kernels of every radius; configure it again "
      "where there is one");
}

}  // namespace

template <class T>
void march_any_radius(const MarchLauncher&, const Field<const T>&, const std::vector<T>&, const Field<T>&,
                      CUstream_st*) {
  refuse();
}
template <class T>
void steps_any_radius(const MarchLauncher&, const Field<const T>&, const std::vector<T>&, int, const Field<T>&,
                      const Field<T>&, CUstream_st*) {
  refuse();
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
