# cmake -D NVCC= -D PTX=<file> -D NVDISASM= -D PYTHON= -D CHECK=<script> -P: see matrix_registers.py.

cmake_path(GET PTX STEM name)
execute_process(COMMAND ${NVCC} -cubin -arch=sm_90a ${PTX} -o ${name}.cubin COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${NVDISASM} -c -plr -lrm narrow ${name}.cubin OUTPUT_FILE ${name}.sass COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${PYTHON} ${CHECK} ${name}.sass COMMAND_ERROR_IS_FATAL ANY)
