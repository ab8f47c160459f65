# What else makes build/<preset>/toolkit and an installation look like a CUDA toolkit; bin/, include/, lib64/ and nvvm/libdevice come
# from the rooms and from the files of cmake/ that are named after them.
set(toolkit ${CMAKE_BINARY_DIR}/toolkit)

# Build systems read the release from here when they do not ask nvcc.
file(WRITE ${toolkit}/version.json "{
   \"cuda\" : {
      \"name\" : \"CUDA look-alike of Heddle ${PROJECT_VERSION}\",
      \"version\" : \"12.5.82\"
   },
   \"cuda_cudart\" : {
      \"name\" : \"CUDA Runtime (cudart)\",
      \"version\" : \"12.5.82\"
   },
   \"cuda_nvcc\" : {
      \"name\" : \"CUDA NVCC\",
      \"version\" : \"12.5.82\"
   }
}
")
install(FILES ${toolkit}/version.json DESTINATION .)

# The compiler's inner step, as nvcc -dryrun prints it, is nvcc by another name.
add_custom_target(cicc ALL
  COMMAND ${CMAKE_COMMAND} -E make_directory ${toolkit}/nvvm/bin
  COMMAND ${CMAKE_COMMAND} -E create_symlink ../../bin/nvcc ${toolkit}/nvvm/bin/cicc
  VERBATIM)
add_dependencies(toolkit cicc)
install(FILES ${toolkit}/nvvm/bin/cicc DESTINATION nvvm/bin)

# Programs link it by habit; what device code calls of it is part of libheddle.so.0.
file(WRITE ${CMAKE_BINARY_DIR}/generated/libraries/cudadevrt.c "/* Nothing: the device runtime is in libheddle.so.0. */\n")
add_library(cudadevrt STATIC ${CMAKE_BINARY_DIR}/generated/libraries/cudadevrt.c)
target_compile_options(cudadevrt PRIVATE -Wno-empty-translation-unit)
set_target_properties(cudadevrt PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${toolkit}/lib64)
add_dependencies(toolkit cudadevrt)
install(TARGETS cudadevrt ARCHIVE DESTINATION lib64)

# clang --cuda-path and older build files look for lib64 by another name.
add_custom_target(toolkit_lib ALL COMMAND ${CMAKE_COMMAND} -E create_symlink lib64 ${toolkit}/lib VERBATIM)
add_dependencies(toolkit toolkit_lib)
install(FILES ${toolkit}/lib DESTINATION .)
