# Its sweeps in bench/.
list(APPEND sweeps decode.cu)
