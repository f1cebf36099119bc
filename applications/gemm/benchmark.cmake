# Its sweeps in bench/, and what they have of it.
list(APPEND sweeps gemm.cu)
foreach(unit execute_bf16.cu plan.cpp)
  list(APPEND sweeps ${CMAKE_CURRENT_LIST_DIR}/${unit})
endforeach()
