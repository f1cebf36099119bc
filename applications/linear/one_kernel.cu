// A kernel that a build compiles to PTX also where there is no GPU.

#include "launch.cuh"

namespace linear {

template class DeviceLinear<Linear<BFloat16, form_of(8)>>;

}  // namespace linear
