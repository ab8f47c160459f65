# devlib/*.cpp -> toolkit/nvvm/libdevice/libdevice.10.bc: the `__nv_*` functions of device code that PTX alone expresses (devlib/devlib.h).
find_program(HEDDLE_LLVM_LINK llvm-link HINTS /usr/lib/llvm-19/bin NO_DEFAULT_PATH)
find_program(HEDDLE_LLVM_OPT opt HINTS /usr/lib/llvm-19/bin NO_DEFAULT_PATH)
if(NOT HEDDLE_LLVM_LINK OR NOT HEDDLE_LLVM_OPT OR NOT HEDDLE_CLANG_CUDA)
  message(FATAL_ERROR "clang++-19, llvm-link or opt of LLVM 19 not found; run tools/setup (packages clang-19, llvm-19)")
endif()

file(GLOB devlib_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/devlib/*.cpp)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/devlib)
set(devlib_parts "")
# The usual passes would settle __nvvm_reflect() here, before anyone has said what -ftz is; so only these, on the whole.
set(devlib_passes "cgscc(inline),function(sroa,early-cse,simplifycfg,instcombine,loop-unroll,sroa,instcombine)")
foreach(source IN LISTS devlib_sources)
  cmake_path(GET source STEM name)
  set(part ${CMAKE_BINARY_DIR}/devlib/${name}.bc)
  add_custom_command(
    OUTPUT ${part}
    COMMAND ${HEDDLE_CLANG_CUDA} -x c++ --target=nvptx64-nvidia-cuda -nogpulib -nostdinc -std=c++20 -O2 -ffp-contract=off
            -fno-exceptions -fno-rtti -Wall -Wextra -Werror -emit-llvm -Xclang -disable-llvm-passes -c ${source} -o ${part}
    DEPENDS ${source} ${CMAKE_SOURCE_DIR}/devlib/devlib.h
    VERBATIM)
  list(APPEND devlib_parts ${part})
endforeach()

set(HEDDLE_LIBDEVICE ${CMAKE_BINARY_DIR}/toolkit/nvvm/libdevice/libdevice.10.bc)
add_custom_command(
  OUTPUT ${HEDDLE_LIBDEVICE}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/toolkit/nvvm/libdevice
  COMMAND ${HEDDLE_LLVM_LINK} ${devlib_parts} -o ${CMAKE_BINARY_DIR}/devlib/linked.bc
  COMMAND ${HEDDLE_LLVM_OPT} -passes=${devlib_passes} ${CMAKE_BINARY_DIR}/devlib/linked.bc -o ${HEDDLE_LIBDEVICE}
  DEPENDS ${devlib_parts}
  COMMENT "Linking libdevice.10.bc"
  VERBATIM)
add_custom_target(devlib ALL DEPENDS ${HEDDLE_LIBDEVICE})
add_dependencies(toolkit devlib)
install(FILES ${HEDDLE_LIBDEVICE} DESTINATION nvvm/libdevice)
