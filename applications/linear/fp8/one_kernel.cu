// A kernel that a build compiles to PTX also where there is no GPU.

#include "launch.cuh"

namespace linear::fp8 {

template class DeviceLinear<ScaledLinear<form_of(64)>>;

}  // namespace linear::fp8
