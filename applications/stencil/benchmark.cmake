# Its sweeps in bench/.
list(APPEND sweeps stencil.cu)
