# Its sweeps in bench/.
list(APPEND sweeps rows.cu)
