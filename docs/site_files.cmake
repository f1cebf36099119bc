# cmake -D SOURCE=<repository> -D SITE=<site> -P: the files that the pages name, beside them.
cmake_minimum_required(VERSION 3.26...3.31)
file(COPY ${SOURCE}/docs/ DESTINATION ${SITE} PATTERN *.md EXCLUDE)
foreach(folder applications bench examples include tests)
  file(COPY ${SOURCE}/${folder} DESTINATION ${SITE} PATTERN __pycache__ EXCLUDE)
endforeach()
