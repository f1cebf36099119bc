# Its sweeps in bench/.
list(APPEND sweeps linear.cu)
