# Its sweeps in bench/.
list(APPEND sweeps scan.cu select.cu)
