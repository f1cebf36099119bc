# Programs for a browser by emscripten, Debian's 3.1.6: the emulator and the prover as WebAssembly.
find_program(DMA_EMCC em++)
mark_as_advanced(DMA_EMCC)

# dma_add_web_program(<target> <folder> <source> <exported function>... [INCLUDES <directory>...] [SMALL]): <folder>/<target>.js and
# .wasm, compiled for size where it is to be SMALL. No part of all; where there is no emscripten the target says so and fails.
function(dma_add_web_program target folder source)
  cmake_parse_arguments(PARSE_ARGV 3 arg SMALL "" INCLUDES)
  if(NOT DMA_EMCC)
    add_custom_target(${target}
      COMMAND ${CMAKE_COMMAND} -E echo "${target}: there is no em++; install Debian's emscripten and configure again"
      COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
    return()
  endif()
  list(TRANSFORM arg_UNPARSED_ARGUMENTS PREPEND _ OUTPUT_VARIABLE exports)
  list(JOIN exports , exports)
  list(TRANSFORM arg_INCLUDES PREPEND -I)
  set(level -O2)
  if(arg_SMALL)
    set(level -Oz)
  endif()
  set(emscripten ${PROJECT_SOURCE_DIR}/src/emscripten)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}.o)
  # Debian's emscripten looks for its JavaScript modules where Debian's node does.
  set(emcc ${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs ${DMA_EMCC})
  add_custom_command(OUTPUT ${object} DEPFILE ${object}.d
    COMMAND ${emcc} -std=c++20 ${level} -fwasm-exceptions -Wall -Wextra -Wconversion -Wshadow -Werror -isystem ${emscripten}
            -I${PROJECT_SOURCE_DIR}/include ${arg_INCLUDES} -MD -MF ${object}.d -MT ${object} -c ${source} -o ${object}
    DEPENDS ${source} COMMENT "Compiling ${target} to WebAssembly" VERBATIM)
  set(program ${folder}/${target}.js ${folder}/${target}.wasm)
  add_custom_command(OUTPUT ${program}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${emcc} -O2 -fwasm-exceptions -sALLOW_MEMORY_GROWTH -sENVIRONMENT=web,worker -sINVOKE_RUN=0
            -sEXPORTED_RUNTIME_METHODS=UTF8ToString -sEXPORTED_FUNCTIONS=${exports} --js-library ${emscripten}/stacks.js
            ${object} -o ${folder}/${target}.js
    DEPENDS ${object} ${emscripten}/stacks.js COMMENT "Linking ${target}.wasm" VERBATIM)
  add_custom_target(${target} DEPENDS ${program})
endfunction()
