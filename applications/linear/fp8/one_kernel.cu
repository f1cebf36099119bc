// A kernel that a build compiles to PTX also where there is no GPU.

#include "../launch.cuh"
#include "linear.hpp"

namespace linear {

template class DeviceLinear<fp8::ScaledLinear<fp8::form_of(64)>>;

}  // namespace linear
