// Included before everything else: proves that the toolkit is out of this compiler's sight.
#if __has_include(<cuda/std/version>) || __has_include(<cuda_runtime.h>)
#error "a CUDA header is visible"
#endif
