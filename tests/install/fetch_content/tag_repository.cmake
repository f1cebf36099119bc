# cmake -D GIT=<git> -D SOURCE=<project> -D REPOSITORY=<folder> -D TAG=<name> -P tag_repository.cmake: a repository of the
# project's files with an annotated tag, and after it a commit that does not configure.
file(REMOVE_RECURSE ${REPOSITORY})
file(MAKE_DIRECTORY ${REPOSITORY})
foreach(part CMakeLists.txt cmake include src)
  file(COPY ${SOURCE}/${part} DESTINATION ${REPOSITORY})
endforeach()
function(git)
  execute_process(COMMAND ${GIT} -c user.name=dma -c user.email=dma@localhost -c commit.gpgsign=false -c tag.gpgsign=false ${ARGN}
                  WORKING_DIRECTORY ${REPOSITORY} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()
git(init --quiet)
git(add .)
git(commit --quiet -m "The release")
git(tag -a ${TAG} -m "The release")
file(WRITE ${REPOSITORY}/CMakeLists.txt "message(FATAL_ERROR \"this commit is not the tag's\")\n")
git(commit --quiet -a -m "After the release")
