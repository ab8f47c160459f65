# find_package(heddle): the toolkit as CMake sees it. Before project(... LANGUAGES CUDA) it also says which compiler that is.
#   heddle_ROOT_DIR         the tree, which is shaped like a CUDA toolkit
#   heddle::heddle          the program heddle
#   heddle::nvcc            the compiler
#   heddle_add_test(NAME name COMMAND program [argument...] [DEVICES id...] [CHECK tool...])
#                           a test for each device, name.id, and with CHECK one under heddle check, name.check
get_filename_component(heddle_ROOT_DIR "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

foreach(program heddle nvcc)
  if(NOT TARGET heddle::${program})
    add_executable(heddle::${program} IMPORTED GLOBAL)
    set_target_properties(heddle::${program} PROPERTIES IMPORTED_LOCATION "${heddle_ROOT_DIR}/bin/${program}")
  endif()
endforeach()

# Another toolkit that somebody chose stays.
get_property(heddle_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(NOT "CUDA" IN_LIST heddle_languages AND NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  set(CMAKE_CUDA_COMPILER "${heddle_ROOT_DIR}/bin/nvcc")
endif()
if(NOT CUDAToolkit_ROOT)
  set(CUDAToolkit_ROOT "${heddle_ROOT_DIR}")
endif()

function(heddle_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 test "" "NAME" "COMMAND;DEVICES;CHECK")
  if(NOT test_NAME OR NOT test_COMMAND)
    message(FATAL_ERROR "heddle_add_test needs NAME and COMMAND")
  endif()
  if(test_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "heddle_add_test: unknown argument ${test_UNPARSED_ARGUMENTS}")
  endif()
  list(POP_FRONT test_COMMAND program)
  if(TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
  endif()
  if(NOT test_DEVICES)
    add_test(NAME ${test_NAME} COMMAND heddle::heddle run -- ${program} ${test_COMMAND})
  endif()
  foreach(device IN LISTS test_DEVICES)
    add_test(NAME ${test_NAME}.${device} COMMAND heddle::heddle run --device ${device} -- ${program} ${test_COMMAND})
  endforeach()
  if(test_CHECK)
    list(JOIN test_CHECK "," tools)
    add_test(NAME ${test_NAME}.check COMMAND heddle::heddle check --tool ${tools} --error-exitcode 1 -- ${program} ${test_COMMAND})
  endif()
endfunction()
