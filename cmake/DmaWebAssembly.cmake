# Programs for a browser by emscripten, Debian's 3.1.6: the emulator and the prover as WebAssembly.
find_program(DMA_EMCC em++)
find_program(DMA_WASM_OPT wasm-opt)
mark_as_advanced(DMA_EMCC DMA_WASM_OPT)

# dma_add_web_program(<target> <folder> <source> <exported function>... [INCLUDES <directory>...] [SMALL]): <folder>/<target>.js and
# .wasm. SMALL: compiled for size, without files, and with what numbers.js has in place of C's. No part of all; where there is no
# emscripten the target says so and fails.
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
  set(libraries --js-library ${PROJECT_SOURCE_DIR}/src/emscripten/stacks.js)
  set(link -O2)  # beyond it the exports that JavaScript calls lose their names
  set(opt ${CMAKE_COMMAND} -E true)
  if(arg_SMALL)
    set(level -Oz -flto -Dstrtod=dma_strtod)
    list(APPEND link -flto -sMALLOC=emmalloc -sFILESYSTEM=0)  # the smaller one of two, and no files
    list(APPEND libraries --js-library ${PROJECT_SOURCE_DIR}/src/emscripten/numbers.js)
    # emcc's own run of it is not the last that makes the program smaller. Features are those of all browsers that take promises.
    set(opt ${DMA_WASM_OPT} -Oz --converge --enable-exception-handling --enable-bulk-memory --enable-sign-ext
        --enable-nontrapping-float-to-int --enable-mutable-globals --low-memory-unused --zero-filled-memory
        --ignore-implicit-traps --reorder-functions --reorder-locals ${folder}/${target}.wasm -o ${folder}/${target}.wasm)
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
    COMMAND ${emcc} ${link} -fwasm-exceptions -sALLOW_MEMORY_GROWTH -sENVIRONMENT=web,worker -sINVOKE_RUN=0
            -sEXPORTED_RUNTIME_METHODS=UTF8ToString -sEXPORTED_FUNCTIONS=${exports} ${libraries} ${object} -o ${folder}/${target}.js
    COMMAND ${opt}
    DEPENDS ${object} ${emscripten}/stacks.js ${emscripten}/numbers.js COMMENT "Linking ${target}.wasm" VERBATIM)
  add_custom_target(${target} DEPENDS ${program})
endfunction()
