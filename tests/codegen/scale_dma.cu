// The README's kernel and nothing else: what it costs to compile.
#include "../../examples/scale/scale.cuh"
