# Its sweeps in bench/.
list(APPEND sweeps sparse.cu)
