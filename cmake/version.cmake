# Script: writes OUT from VERSION and, with FROM_GIT, `git describe`; touches it only when it changes.
set(text "${VERSION}")
if(FROM_GIT)
  execute_process(COMMAND git describe --tags --always --dirty WORKING_DIRECTORY ${SOURCE}
                  OUTPUT_VARIABLE describe OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    string(APPEND text " (${describe})")
  endif()
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#pragma once\n#define HEDDLE_VERSION_STRING \"${text}\"\n" @ONLY)
