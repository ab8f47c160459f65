# Outside libraries a room may name after EXTERNAL, or for its tests alone after TEST_EXTERNAL. Each is looked for only when
# a room with sources asks for it.
function(heddle_external target name)
  if(name STREQUAL llvm)
    find_package(LLVM 19.1 CONFIG REQUIRED HINTS /usr/lib/llvm-19/lib/cmake/llvm)
    target_include_directories(${target} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS})
    target_link_libraries(${target} PUBLIC LLVM)  # the one shared library of Debian
  elseif(name STREQUAL zstd)
    find_path(ZSTD_INCLUDE_DIR zstd.h REQUIRED)
    find_library(ZSTD_LIBRARY zstd REQUIRED)
    target_include_directories(${target} SYSTEM PUBLIC ${ZSTD_INCLUDE_DIR})
    target_link_libraries(${target} PUBLIC ${ZSTD_LIBRARY})
  elseif(name STREQUAL mpfr)
    target_link_libraries(${target} PUBLIC mpfr gmp)
  else()
    message(FATAL_ERROR "room target ${target}: unknown external library '${name}' (see cmake/externals.cmake)")
  endif()
endfunction()
