# cmake -D SOURCE_DIR=<repository> -P: every kernel of examples and applications, those of their tests left out, is in the lists whose
# operations on a GPU are compared with a host's recording, or in a list here. Each has a name of its own: of two kernels
# of one name in a program a launch may run the other one.

cmake_minimum_required(VERSION 3.26...3.31)

# They make no operation that is compared: no pipeline, no synchronization.
set(without_operations AddParts AddSplitRows BestOfSumsInRegisters EllSpmmOfRows EllSpmvOfRows MoveDirectly Pack PrepareRows
    RoundQueries ScaleY SpmmOfRows SpmvOfRows SpmvOfScatteredRows UntanglePass Writes)
# The lists have them by the name of a variant: for_each_buffering, with_paper_kernel, with_paper_variant, ScatterRows.
set(by_a_variant Adds BlockHalo HaloOnly Both Vec WriteRows)
# The levels of Gemm, whose operations are compared: its loads, and its loop over k.
set(levels LateRelease OneSlot TwoWarpgroups)
# CTAs wait for the sums of others, and how often they look differs from run to run.
set(look_back TilePerCta TileStream)
# Which CTA of a sequence or a tile comes last, and adds up, differs from run to run; MakePlan has one barrier.
set(last_cta Decode Linear MakePlan ScaledLinear)
# For GPUs with tensor memory, of which none is compared with.
set(tensor_memory InTensorMemory InTensorMemoryOfPairs)

file(GLOB lists ${SOURCE_DIR}/tests/device/log/*.hpp)
set(compared "")
foreach(list IN LISTS lists)
  file(READ ${list} text)
  string(APPEND compared "${text}")
endforeach()

file(GLOB_RECURSE examples ${SOURCE_DIR}/examples/*.hpp ${SOURCE_DIR}/examples/*.cuh ${SOURCE_DIR}/examples/*.cpp
     ${SOURCE_DIR}/examples/*.cu
     ${SOURCE_DIR}/applications/*.hpp ${SOURCE_DIR}/applications/*.cuh ${SOURCE_DIR}/applications/*.cpp
     ${SOURCE_DIR}/applications/*.cu)
list(FILTER examples EXCLUDE REGEX "_test\\.cpp$")
list(FILTER examples EXCLUDE REGEX "break_it/scale\\.hpp$|break_tutorial/|break_more/")  # other examples' kernels, in a namespace for each mistake
set(found "")
set(count 0)
foreach(example IN LISTS examples)
  file(READ ${example} text)
  string(REGEX MATCHALL "operator\\(\\)\\(dma::KernelCta<[A-Za-z]+" kernels "${text}")
  foreach(kernel IN LISTS kernels)
    string(REGEX REPLACE ".*<" "" kernel "${kernel}")
    math(EXPR count "${count} + 1")
    file(RELATIVE_PATH where ${SOURCE_DIR} ${example})
    if(kernel IN_LIST found)
      message(SEND_ERROR "${kernel} (${where}) has the name of another example's kernel; give it one of its own")
    endif()
    list(APPEND found ${kernel})
    if(NOT kernel IN_LIST without_operations AND NOT kernel IN_LIST by_a_variant AND NOT kernel IN_LIST levels AND
       NOT kernel IN_LIST look_back AND NOT kernel IN_LIST last_cta AND NOT kernel IN_LIST tensor_memory AND
       NOT compared MATCHES "[^A-Za-z]${kernel}[^A-Za-z]")
      message(SEND_ERROR "${kernel} (${where}) is in no list of tests/device/log; add it, or say here why not")
    endif()
  endforeach()
endforeach()
if(count LESS 50)
  message(SEND_ERROR "only ${count} kernels were found: the search is out of date")
endif()
message(STATUS "${count} kernels of the examples")
