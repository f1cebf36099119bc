# cmake -D HOOK=<.githooks/commit-msg> -D FOLDER=<to write in> -P: which messages the hook takes.

cmake_minimum_required(VERSION 3.26)

function(expect result message)
  file(WRITE ${FOLDER}/message "${message}")
  execute_process(COMMAND ${HOOK} ${FOLDER}/message RESULT_VARIABLE status ERROR_VARIABLE error)
  if((status EQUAL 0 AND NOT result STREQUAL taken) OR (NOT status EQUAL 0 AND NOT error MATCHES "${result}"))
    message(SEND_ERROR "'${message}' is not ${result}: ${status} ${error}")
  endif()
endfunction()

string(REPEAT x 72 most)
expect(taken "Say the thing\n")
expect(taken "Say the thing\n\nWhy, and what was measured: a line may have more than 72 characters, as a table or an address has.\n")
expect(taken "${most}\n")
expect(taken "# a comment of git\nSay the thing\n# another\n")
expect("73 characters" "${most}x\n")
expect("0 characters" "\n\nWhy\n")
expect("below the subject" "Say the thing\nand another\n")
expect("period" "Say the thing.\n")
expect("rebase" "Merge branch 'other'\n")
