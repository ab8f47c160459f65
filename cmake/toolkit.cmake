# What else makes build/<preset>/toolkit and an installation look like a CUDA toolkit; bin/, include/, lib64/ and nvvm/libdevice come
# from the rooms and from the files of cmake/ that are named after them.
set(toolkit ${CMAKE_BINARY_DIR}/toolkit)
set(HEDDLE_CUDA_RELEASE 12.9.86) # as src/driver/message.h
string(REGEX REPLACE "\\.[0-9]+$" "" HEDDLE_CUDA_VERSION ${HEDDLE_CUDA_RELEASE})

# Build systems read the release from here when they do not ask nvcc.
file(WRITE ${toolkit}/version.json "{
   \"cuda\" : {
      \"name\" : \"CUDA look-alike of Heddle ${PROJECT_VERSION}\",
      \"version\" : \"${HEDDLE_CUDA_RELEASE}\"
   },
   \"cuda_cudart\" : {
      \"name\" : \"CUDA Runtime (cudart)\",
      \"version\" : \"${HEDDLE_CUDA_RELEASE}\"
   },
   \"cuda_nvcc\" : {
      \"name\" : \"CUDA NVCC\",
      \"version\" : \"${HEDDLE_CUDA_RELEASE}\"
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

# libNVVM lies where it does in CUDA's toolkits. The library itself is beside the others, so that it finds what it loads.
add_custom_target(nvvm ALL
  COMMAND ${CMAKE_COMMAND} -E make_directory ${toolkit}/nvvm/lib64 ${toolkit}/nvvm/include
  COMMAND ${CMAKE_COMMAND} -E create_symlink ../../lib64/libnvvm.so.4 ${toolkit}/nvvm/lib64/libnvvm.so.4
  COMMAND ${CMAKE_COMMAND} -E create_symlink libnvvm.so.4 ${toolkit}/nvvm/lib64/libnvvm.so
  COMMAND ${CMAKE_COMMAND} -E create_symlink ../../include/nvvm.h ${toolkit}/nvvm/include/nvvm.h
  VERBATIM)
add_dependencies(toolkit nvvm)
install(FILES ${toolkit}/nvvm/lib64/libnvvm.so.4 ${toolkit}/nvvm/lib64/libnvvm.so DESTINATION nvvm/lib64)
install(FILES ${toolkit}/nvvm/include/nvvm.h DESTINATION nvvm/include)

# Programs link these by habit: what device code calls of the first is part of libheddle.so.0, the second serves NVIDIA's static libraries.
file(WRITE ${CMAKE_BINARY_DIR}/generated/libraries/empty.c "/* Nothing. */\n")
foreach(empty cudadevrt culibos)
  add_library(${empty} STATIC ${CMAKE_BINARY_DIR}/generated/libraries/empty.c)
  target_compile_options(${empty} PRIVATE -Wno-empty-translation-unit)
  set_target_properties(${empty} PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${toolkit}/lib64)
  add_dependencies(toolkit ${empty})
  install(TARGETS ${empty} ARCHIVE DESTINATION lib64)
endforeach()

# clang --cuda-path and older build files look for lib64 by another name.
add_custom_target(toolkit_lib ALL COMMAND ${CMAKE_COMMAND} -E create_symlink lib64 ${toolkit}/lib VERBATIM)
add_dependencies(toolkit toolkit_lib)
install(FILES ${toolkit}/lib DESTINATION .)

# The headers of the clang inside (stddef.h, opencl-c-base.h, its CUDA wrapper), so that the tree compiles wherever it is copied. Left out: what is for
# other processors than the host's, and for libraries that are not here (OpenMP's, the sanitizers').
execute_process(COMMAND ${HEDDLE_CLANG_CUDA} -print-resource-dir OUTPUT_VARIABLE clang_resources OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
cmake_path(GET clang_resources FILENAME clang_version)
set(clang_headers ${toolkit}/lib64/clang/${clang_version})
file(REMOVE_RECURSE ${clang_headers})
file(COPY ${clang_resources}/include DESTINATION ${clang_headers}
     REGEX "/(arm|altivec|hexagon|htmx?l?intrin|hvx|larch|lasx|lsx|msa\\.|ppc_|riscv|s390|sifive|vecintrin|velintrin|wasm|zos_)" EXCLUDE
     REGEX "/(omp|fuzzer|orc|profile|sanitizer|xray|__clang_hip|ISO_Fortran)" EXCLUDE)
# Their licence: LLVM's, which is the Apache License with exceptions.
foreach(licence /usr/share/doc/libclang-common-${clang_version}-dev/copyright ${clang_resources}/LICENSE.TXT)
  if(EXISTS ${licence} AND NOT EXISTS ${clang_headers}/LICENSE.LLVM)
    configure_file(${licence} ${clang_headers}/LICENSE.LLVM COPYONLY)
  endif()
endforeach()
if(NOT EXISTS ${clang_headers}/LICENSE.LLVM)
  message(WARNING "no licence text of clang's headers found: put LLVM's LICENSE.TXT into ${clang_headers} before the tree is given away")
endif()
configure_file(${CMAKE_SOURCE_DIR}/LICENSE ${clang_headers}/LICENSE.Apache-2.0 COPYONLY)
install(DIRECTORY ${toolkit}/lib64/clang DESTINATION lib64)

# Whoever gets the tree gets its licence; an installation has the documentation too, shaped as here, so that its links hold.
configure_file(${CMAKE_SOURCE_DIR}/LICENSE ${toolkit}/LICENSE COPYONLY)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION .)
set(documents share/doc/heddle)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/ARCHITECTURE.md
        ${CMAKE_SOURCE_DIR}/CONTRIBUTING.md DESTINATION ${documents})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs ${CMAKE_SOURCE_DIR}/examples DESTINATION ${documents})

set(described_programs nvcc ptxas fatbinary cuobjdump bin2c nvlink nvprune nvdisasm)  # those of spec/driver
# Manual pages: of spec/driver's programs by tools/gen, of heddle by itself. Instrumented builds run nothing while they build.
set(man ${toolkit}/share/man/man1)
set(man_pages "")
foreach(program IN LISTS described_programs)
  add_custom_command(OUTPUT ${man}/${program}.1
    COMMAND ${CMAKE_COMMAND} -E copy ${HEDDLE_GENERATED_DIR}/man/${program}.1 ${man}/${program}.1
    DEPENDS heddle_generated ${HEDDLE_GENERATED_DIR}/man/${program}.1 VERBATIM)
  list(APPEND man_pages ${man}/${program}.1)
endforeach()
foreach(program bandwidthTest deviceQuery cu++filt nvidia-smi compute-sanitizer cuda-memcheck ncu nv-nsight-cu-cli nvprof)
  add_custom_command(OUTPUT ${man}/${program}.1
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/docs/man/${program}.1 ${man}/${program}.1
    DEPENDS ${CMAKE_SOURCE_DIR}/docs/man/${program}.1 VERBATIM)
  list(APPEND man_pages ${man}/${program}.1)
endforeach()
if(NOT HEDDLE_SANITIZE AND NOT HEDDLE_COVERAGE)
  add_custom_command(OUTPUT ${man}/heddle.1
    COMMAND ${CMAKE_COMMAND} -E make_directory ${man}
    COMMAND heddle --manual > ${man}/heddle.1
    DEPENDS heddle libheddle compilers VERBATIM)
  list(APPEND man_pages ${man}/heddle.1)
endif()
add_custom_target(man_pages ALL DEPENDS ${man_pages})
add_dependencies(toolkit man_pages)
install(FILES ${man_pages} DESTINATION share/man/man1)

# Completion for bash, of the same tables.
set(completions ${toolkit}/share/bash-completion/completions)
set(completion_files "")
foreach(program IN LISTS described_programs)
  add_custom_command(OUTPUT ${completions}/${program}
    COMMAND ${CMAKE_COMMAND} -E copy ${HEDDLE_GENERATED_DIR}/completion/${program} ${completions}/${program}
    DEPENDS heddle_generated ${HEDDLE_GENERATED_DIR}/completion/${program} VERBATIM)
  list(APPEND completion_files ${completions}/${program})
endforeach()
if(NOT HEDDLE_SANITIZE AND NOT HEDDLE_COVERAGE)
  add_custom_command(OUTPUT ${completions}/heddle
    COMMAND ${CMAKE_COMMAND} -E make_directory ${completions}
    COMMAND heddle --completion > ${completions}/heddle
    DEPENDS heddle libheddle compilers VERBATIM)
  list(APPEND completion_files ${completions}/heddle)
endif()
add_custom_target(completions ALL DEPENDS ${completion_files})
add_dependencies(toolkit completions)
install(FILES ${completion_files} DESTINATION share/bash-completion/completions)
