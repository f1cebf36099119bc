// A kernel that a build compiles to PTX also where there is no GPU.

#include "launch.cuh"

namespace decode {

template class DevicePlan<Decode<BFloat16, form_of(128, 8, 16, true)>>;

}  // namespace decode
