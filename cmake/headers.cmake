# include/ and what is generated from spec/cuda -> toolkit/include: the headers of CUDA programs.
find_program(HEDDLE_CLANG_CUDA clang++-19)

file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/include/*)
set(generated_headers ${HEDDLE_GENERATED})
list(FILTER generated_headers INCLUDE REGEX "^${HEDDLE_GENERATED_DIR}/include/")
list(TRANSFORM headers PREPEND ${CMAKE_SOURCE_DIR}/include/ OUTPUT_VARIABLE header_files)

# Copied as a whole, after what an earlier build left has gone: a header that was removed must not go on compiling.
add_custom_command(
  OUTPUT ${CMAKE_BINARY_DIR}/headers.stamp
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${CMAKE_BINARY_DIR}/toolkit/include
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/toolkit/include
  COMMAND ${CMAKE_COMMAND} -E copy ${generated_headers} ${CMAKE_BINARY_DIR}/toolkit/include
  # Where CUDA 13 keeps libcu++: build files copy it from there, for NVRTC.
  COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/toolkit/include/cccl
  COMMAND ${CMAKE_COMMAND} -E create_symlink ../cuda ${CMAKE_BINARY_DIR}/toolkit/include/cccl/cuda
  COMMAND ${CMAKE_COMMAND} -E create_symlink ../nv ${CMAKE_BINARY_DIR}/toolkit/include/cccl/nv
  COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/headers.stamp
  DEPENDS ${header_files} ${HEDDLE_GENERATED_DIR}/generated.stamp
  COMMENT "Copying the CUDA headers"
  VERBATIM)
add_custom_target(headers ALL DEPENDS ${CMAKE_BINARY_DIR}/headers.stamp)
add_dependencies(headers heddle_generated)
add_dependencies(toolkit headers)
install(DIRECTORY ${CMAKE_BINARY_DIR}/toolkit/include/ DESTINATION include)
