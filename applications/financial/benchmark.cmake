# Its sweeps in bench/.
list(APPEND sweeps bandwidth.cu)
