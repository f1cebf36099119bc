# cmake -D NVCC=<nvcc> -D INCLUDE=<folder> -D SOURCE=<kernels.cu> -D NUMBER=<120> -D HELD_CTAS=<CTAs of 64 threads that an
# SM holds, 32 at most> -D PROVE=<dma-prove> [-D NVDISASM=<nvdisasm>] -P instructions.cmake: which instructions the
# architecture's kernels have, in PTX and, with an nvdisasm, in SASS; and every schedule of their PTX is right. From 90 on it is
# compiled for with its own features, `a`.

set(architecture ${NUMBER})
set(instructions cp.async.cg.shared cp.async.mbarrier.arrive.noinc mbarrier.init)
set(others wgmma.)
set(machine_instructions LDGSTS ARRIVES.LDGSTSBAR)
set(machine_others HGMMA STL LDL CALL)
set(of_bulk_copies mbarrier.try_wait cp.async.bulk.shared cp.async.bulk.tensor.2d elect.sync setmaxnreg.dec setmaxnreg.inc)
set(machine_of_bulk_copies SYNCS.PHASECHK UBLKCP UTMALDG USETMAXREG)
if(NUMBER LESS 90)
  list(APPEND others ${of_bulk_copies})
  list(APPEND machine_instructions ATOMS.ARRIVE)
  list(APPEND machine_others ${machine_of_bulk_copies})
else()
  string(APPEND architecture a)
  list(APPEND instructions ${of_bulk_copies})
  list(APPEND machine_instructions ${machine_of_bulk_copies})
  list(APPEND machine_others ATOMS.ARRIVE)
endif()

# Requests for CTAs that have not begun, and for clusters; accesses of 32 bytes; zeros by one instruction.
set(from_100_on clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128
    clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128
    clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128
    ld.global.v8.u32 st.global.v8.u32 st.bulk.weak.shared::cta)
set(machine_from_100_on UGETNEXTWORKID.SELFCAST UGETNEXTWORKID.BROADCAST LDG.E.ENL2.256 STG.E.ENL2.256 UMEMSETS.64)
if(NUMBER LESS 100)
  list(APPEND others clusterlaunchcontrol. ld.global.v8 st.global.v8 st.bulk)
  list(APPEND machine_others ${machine_from_100_on})
else()
  list(APPEND instructions ${from_100_on})
  list(APPEND machine_instructions ${machine_from_100_on})
endif()

# Four rows by one instruction, loaded and, where the architecture's own features have it, stored.
set(gather cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes)
set(scatter cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group)
if(NUMBER LESS 100)
  list(APPEND others ${gather})
  list(APPEND machine_others UTMALDG.2D.GATHER4)
else()
  list(APPEND instructions ${gather})
  list(APPEND machine_instructions UTMALDG.2D.GATHER4)
endif()
if(NUMBER LESS 100 OR NUMBER GREATER_EQUAL 120)
  list(APPEND others ${scatter})
  list(APPEND machine_others UTMASTG.2D.SCATTER4)
else()
  list(APPEND instructions ${scatter})
  list(APPEND machine_instructions UTMASTG.2D.SCATTER4)
endif()

# Tensor memory: its allocation, products into it, their arrival and loads of the sums.
set(of_tensor_memory tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 tcgen05.relinquish_alloc_permit.cta_group::1
    tcgen05.fence::before_thread_sync tcgen05.fence::after_thread_sync tcgen05.mma.cta_group::1.kind::f16
    tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 tcgen05.ld.sync.aligned.32x32b.x16.b32
    tcgen05.wait::ld.sync.aligned tcgen05.dealloc.cta_group::1.sync.aligned.b32)
set(machine_of_tensor_memory UTCATOMSWS.FIND_AND_SET.ALIGN UTCATOMSWS.AND UTCHMMA UTCBAR LDTM.x16)
if(NUMBER GREATER_EQUAL 100 AND NUMBER LESS 120)
  list(APPEND instructions ${of_tensor_memory})
  list(APPEND machine_instructions ${machine_of_tensor_memory})
else()
  list(APPEND others tcgen05.)
  list(APPEND machine_others UTCHMMA LDTM)
endif()

# expect(<text> <instruction>... NOT <instruction>...): the text has the first and none of the others.
function(expect text)
  set(is_there TRUE)
  foreach(instruction IN LISTS ARGN)
    if(instruction STREQUAL NOT)
      set(is_there FALSE)
      continue()
    endif()
    string(FIND "${text}" " ${instruction}" place)
    if(is_there AND place EQUAL -1)
      message(SEND_ERROR "sm_${architecture} has no ${instruction}")
    elseif(NOT is_there AND NOT place EQUAL -1)
      message(SEND_ERROR "sm_${architecture} has ${instruction}")
    endif()
  endforeach()
endfunction()

set(options -arch=sm_${architecture} -std=c++20 -Werror all-warnings)
execute_process(COMMAND ${NVCC} --ptx ${options} -I ${INCLUDE} ${SOURCE} -o kernels.ptx COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${NVCC} -cubin ${options} -Xptxas -v kernels.ptx -o kernels.cubin
                OUTPUT_VARIABLE resources ERROR_VARIABLE resources RESULT_VARIABLE status)
if(NOT status EQUAL 0 OR resources MATCHES "[1-9][0-9]* bytes (stack|spill)")
  message(SEND_ERROR "sm_${architecture} assembles with a warning, a stack or spills:\n${resources}")
endif()
file(READ kernels.ptx ptx)
string(REGEX REPLACE "[\t\n;]+" " " ptx "${ptx}")
expect("${ptx}" ${instructions} ".minnctapersm ${HELD_CTAS} " NOT ${others})
# Pages of one row take as many instructions for a tile of 32 rows as a list of rows does.
foreach(kernel by_loaded_rows by_single_pages)
  string(REGEX MATCH "[.]entry [a-zA-Z0-9_]*${kernel}.*" body "${ptx}")
  string(SUBSTRING "${body}" 1 -1 body)
  string(REGEX REPLACE "[.]entry .*" "" body "${body}")
  string(REGEX MATCHALL "cp[.]async[.]bulk[.]tensor[.]2d[.]shared[a-z:.]*global[a-z0-9:.]*" copies "${body}")
  list(LENGTH copies count)
  if(NUMBER GREATER_EQUAL 100 AND NOT count EQUAL 8 OR NUMBER GREATER_EQUAL 90 AND NUMBER LESS 100 AND NOT count EQUAL 32)
    message(SEND_ERROR "sm_${architecture} copies 32 rows of ${kernel} by ${count} instructions")
  endif()
endforeach()
if(NVDISASM)
  execute_process(COMMAND ${NVDISASM} -c kernels.cubin OUTPUT_VARIABLE sass COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "[\t\n;]+" " " sass "${sass}")
  # The assembler's own checks of allocations of tensor memory, which trap.
  string(REGEX REPLACE "CALL[.]REL[.]NOINC `[(][^)]*_guardrail_trap_[^)]*[)]" "" sass "${sass}")
  expect("${sass}" ${machine_instructions} NOT ${machine_others})
endif()

# Rows of 32 bytes are no box that a tile has room for by itself.
if((NUMBER GREATER_EQUAL 90 AND NUMBER LESS 100) OR NUMBER GREATER_EQUAL 120)
  execute_process(COMMAND ${NVCC} --ptx ${options} -D SHORT_ROWS -I ${INCLUDE} ${SOURCE} -o short.ptx
                  ERROR_VARIABLE refusal OUTPUT_VARIABLE refusal)
  if(NOT refusal MATCHES "dma::TensorCopy: rows of a list that are no multiples of 128 bytes move by fours")
    message(SEND_ERROR "sm_${architecture} takes rows of 32 bytes by themselves:\n${refusal}")
  endif()
endif()

# Every schedule of the kernels as they are, and none without the arrivals that give slots back.
set(launches "by_default<<<1, 160>>>(x: f32[12288] = random, y: out f32[12288], 3)"
             "by_registers<<<1, 160>>>(x, z: out f32[12288], 3)"
             "by_wide_loads<<<1, 160>>>(x, z2: out f32[12288], 3)" "by_wide_stores<<<1, 160>>>(z3: out f32[12288], 3)" "by_async_copies<<<1, 160>>>(x, w: out f32[12288], 3)")
if(NUMBER GREATER_EQUAL 90)
  list(APPEND launches "by_boxes<<<1, 160>>>(map{b: f32[3072] = random, extents (32, 96), box (32, 32)}, s: out f32[96], 96)"
       "by_loaded_rows<<<1, 160>>>(map{c: f32[3072] = iota, extents (32, 96), box (32, 1)}, l: s32[96] = random, t: out f32[71], 71)"
       "by_single_pages<<<1, 160>>>(map{p: f32[3072] = iota, extents (32, 96), box (32, 1)}, o: s32[48] = iota, q: out f32[64], 41)"
       "by_stored_rows<<<1, 160>>>(map{r: out f32[3072], extents (32, 96), box (32, 1)}, list: s32[96] = iota, 71)"
       "by_loaded_rows<<<1, 160>>>(map{r, extents (32, 96), box (32, 1)}, list, t2: out f32[71], 71)")
endif()
if(NUMBER GREATER_EQUAL 100)
  list(APPEND launches "by_pending<<<4, 160>>>(x, v: out f32[1024])" "by_clusters<<<4, 160>>>(x, u: out f32[1024])")
endif()
list(JOIN launches "\n" text)
file(WRITE launches.txt "${text}\n")
execute_process(COMMAND ${PROVE} kernels.ptx --launch-file launches.txt OUTPUT_VARIABLE verdicts ERROR_VARIABLE verdicts)
string(REGEX MATCHALL ": proved " proved "${verdicts}")
list(LENGTH launches wanted)
list(LENGTH proved count)
if(NOT count EQUAL wanted)
  message(SEND_ERROR "of ${wanted} launches for sm_${architecture} ${count} are proved:\n${verdicts}")
endif()
file(READ kernels.ptx ptx)
string(REGEX REPLACE "mbarrier[.]arrive[.]shared::cta[.]b64[^;]*;" "" ptx "${ptx}")
file(WRITE without_arrivals.ptx "${ptx}")
list(GET launches 0 launch)
execute_process(COMMAND ${PROVE} without_arrivals.ptx --launch "${launch}" OUTPUT_VARIABLE verdicts ERROR_VARIABLE verdicts)
if(NOT verdicts MATCHES "by_default: deadlock")
  message(SEND_ERROR "without arrivals for sm_${architecture}:\n${verdicts}")
endif()

# Products of matrices in tensor memory, of one CTA and of pairs, by their PTX as by C++
# (applications/gemm/levels/levels_test.cpp), and what they do without each of their instructions that orders.
function(prove_product name launch)
  execute_process(COMMAND ${NVCC} --ptx -arch=sm_${architecture} -std=c++20 -lineinfo -I ${INCLUDE}
                          ${ROOT}/applications/gemm/levels/${name}.cu -o product.ptx COMMAND_ERROR_IS_FATAL ANY)
  file(READ product.ptx whole)
  foreach(left_out IN LISTS ARGN)
    string(REGEX MATCH "^([a-z0-9_.:]*[a-z]): (.*)" left_out "${left_out}")
    set(finding "${CMAKE_MATCH_2}")
    string(REGEX REPLACE "${CMAKE_MATCH_1}[^;]*;" "" ptx "${whole}")
    file(WRITE changed.ptx "${ptx}")
    execute_process(COMMAND ${PROVE} changed.ptx --launch "${launch}" OUTPUT_VARIABLE verdict ERROR_VARIABLE verdict)
    if(NOT verdict MATCHES "^InTensorMemory[a-zA-Z]*: ${finding}" OR verdict MATCHES "not computed")
      message(SEND_ERROR "${name} without ${left_out} for sm_${architecture}:\n${verdict}")
    endif()
  endforeach()
endfunction()
if(NUMBER GREATER_EQUAL 100 AND NUMBER LESS 120)
  set(matrices "{map{a: bf16[60000] = random, extents (200, 300), box (64, 128), swizzle 128}, map{b: bf16[8000] = random, \
extents (200, 40), box (64, 128), swizzle 128}, s32 300, s32 40, s32 200, a, s64 200, b, s64 200, c: out bf16[12000], s64 40")
  set(orders "nothing: proved" "tcgen05.commit: deadlock" "tcgen05.dealloc: pending at exit" "tcgen05.wait::ld: broken contract"
      "tcgen05.fence::before_thread_sync: a copy or an asynchronous read"
      "tcgen05.fence::after_thread_sync: missing proxy fence")
  prove_product(tensor_memory "InTensorMemory<<<1, 192, 140000>>>({u8 0}, ${matrices}, u64 0, u8 0})" ${orders})
  prove_product(tensor_memory_of_pairs
                "InTensorMemoryOfPairs<<<2, 192, cluster 2, 140000>>>({u8 0}, ${matrices}, u64 0, u8 0})" ${orders})

  # Products of both CTAs, and their arrival in both.
  execute_process(COMMAND ${NVCC} -cubin -arch=sm_${architecture} -std=c++20 -Werror all-warnings -Xptxas -v -I ${INCLUDE}
                          ${ROOT}/applications/gemm/levels/tensor_memory_of_pairs.cu -o pairs.cubin
                  OUTPUT_VARIABLE resources ERROR_VARIABLE resources RESULT_VARIABLE status)
  if(NOT status EQUAL 0 OR resources MATCHES "[1-9][0-9]* bytes (stack|spill)")
    message(SEND_ERROR "sm_${architecture} assembles products of pairs with a warning, a stack or spills:\n${resources}")
  endif()
  if(NVDISASM)
    execute_process(COMMAND ${NVDISASM} -c pairs.cubin OUTPUT_VARIABLE sass COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX REPLACE "[\t\n;]+" " " sass "${sass}")
    expect("${sass}" UTCATOMSWS.2CTA.FIND_AND_SET UTCHMMA.2CTA UTCBAR.2CTA.MULTICAST LDTM.x16 NOT "UTCHMMA gdesc" STL LDL)
  endif()
endif()
