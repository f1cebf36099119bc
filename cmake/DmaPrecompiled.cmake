# What units of tests have in common, 1.5 to 3 seconds of each, precompiled once for those that announce their accesses and
# once for those that report every access. The libraries have no other use: their targets wait for all of them.
find_package(Catch2 3 REQUIRED)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled.cpp CONTENT "" @ONLY)
foreach(library dma_precompiled_tests dma_precompiled_proofs)
  add_library(${library} OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
  if(library STREQUAL dma_precompiled_proofs)
    dma_own_proof(${library})
  else()
    dma_own_target(${library} dma::proof dma_emulator)
  endif()
  target_link_libraries(${library} PRIVATE Catch2::Catch2)
  dma_compile_fast(${library})
  target_precompile_headers(${library} PRIVATE <dma/dma.hpp> <dma/proof/catch2.hpp> <dma/proof/prove.hpp>
                            <catch2/catch_test_macros.hpp> <catch2/matchers/catch_matchers_string.hpp>)
endforeach()
