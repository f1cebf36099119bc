# Its sweeps in bench/.
list(APPEND sweeps sgemv.cu)
