# cmake -D INCLUDE=<directory> -P: fails when a header outside dma/machine/gpu/ptx holds an asm statement; the other folder
# with them has the switches of a host's fibers, one file a processor.

file(GLOB_RECURSE headers RELATIVE ${INCLUDE} ${INCLUDE}/dma/*)
list(FILTER headers EXCLUDE REGEX "^dma/(machine/gpu/ptx/|host/emulation/contexts/)")
if(NOT headers)
  message(FATAL_ERROR "no headers in ${INCLUDE}")
endif()
foreach(header IN LISTS headers)
  file(READ ${INCLUDE}/${header} text)
  # With its parenthesis, so that a comment may say the word.
  if(text MATCHES "(^|[^A-Za-z0-9_])(asm|__asm|__asm__)[ \t\n]*(volatile|__volatile__|goto|inline)?[ \t\n]*[({]")
    message(SEND_ERROR "${header}: asm belongs in dma/machine/gpu/ptx")
  endif()
endforeach()
