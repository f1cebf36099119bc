# Its sweeps in bench/.
list(APPEND sweeps linear.cu linear_fp8.cu)
