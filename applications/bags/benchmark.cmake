# Its sweeps in bench/.
list(APPEND sweeps fused.cu)
