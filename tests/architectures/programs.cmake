# cmake -D NVCC=<nvcc> -D ROOT=<source folder> -D NUMBER=<120> -P programs.cmake: every kernel of examples/ and applications/
# compiles for the architecture without a warning, or refuses by the sentence that says what to do. From 90 on it is compiled
# for with its own features, `a`.

cmake_minimum_required(VERSION 3.26)
set(architecture ${NUMBER})
if(NUMBER GREATER_EQUAL 90)
  string(APPEND architecture a)
endif()

# Left out: what PyTorch compiles, and what has more kernels of the kinds that a file beside it has.
set(left_out "torch_extension/|gemm/execute_|attention/execute_|decode/decode[.]|linear/linear[.]|/linear_fp8[.]|fft/[a-z]+_passes[.]cu")
set(needs_wgmma "/gemm/one_kernel|/gemm_levels[.]|/attention/one_|/decode/one_|/linear/one_|/linear/fp8/one_")
set(says_wgmma "compile for sm_90a, or use its own matrix instructions")
set(needs_tcgen05 "/gemm/levels/tensor_memory")
set(says_tcgen05 "compile for one of these, or use MatrixSums, which sm_90a has")
set(needs_90 "/fft/each_kind|^applications/rows/|/sparse/device|/stencil/")
set(says_90 "leave the choice to dma::DefaultEngine and dma::DefaultBarrier")

file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/examples/*.cu ${ROOT}/applications/*.cu)
list(FILTER sources EXCLUDE REGEX "${left_out}")
foreach(source IN LISTS sources)
  set(sentence "")
  if(source MATCHES "${needs_wgmma}" AND NOT NUMBER EQUAL 90)
    set(sentence "${says_wgmma}")
  elseif(source MATCHES "${needs_tcgen05}" AND NOT NUMBER MATCHES "^(100|103|110)$")
    set(sentence "${says_tcgen05}")
  elseif(source MATCHES "${needs_90}" AND NUMBER LESS 90)
    set(sentence "${says_90}")
  endif()
  # The assembler's own optimizations take most of the time and change no answer.
  execute_process(COMMAND ${NVCC} -cubin -arch=sm_${architecture} -std=c++20 -O1 -Xptxas -O0 -Werror all-warnings
                          -I ${ROOT}/include ${ROOT}/${source} -o program.cubin
                  RESULT_VARIABLE status ERROR_VARIABLE says OUTPUT_VARIABLE says)
  string(FIND "${says}" "${sentence}" place)
  if(sentence STREQUAL "" AND NOT status EQUAL 0)
    message(SEND_ERROR "${source} does not compile for sm_${architecture}:\n${says}")
  elseif(NOT sentence STREQUAL "" AND (status EQUAL 0 OR place EQUAL -1))
    message(SEND_ERROR "${source} for sm_${architecture} does not say '${sentence}':\n${says}")
  endif()
endforeach()
list(LENGTH sources count)
if(count LESS 20)
  message(SEND_ERROR "only ${count} files are in ${ROOT}")
endif()
