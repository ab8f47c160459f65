# The house rules as tests (label `check`). Each is a script that prints file:line: message and exits non-zero.
if(NOT BUILD_TESTING)
  return()
endif()
