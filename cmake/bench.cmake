# The open benchmark (bench/README.md): kernels.ptx, and a program a contender. None is part of `all`; bench/compare builds them.
set(HEDDLE_BENCH_DIR ${CMAKE_BINARY_DIR}/bench)
file(MAKE_DIRECTORY ${HEDDLE_BENCH_DIR})

# clang alone makes the PTX: the toolkit it could find on this machine is hidden, so the text is the same everywhere.
add_custom_command(
  OUTPUT ${HEDDLE_BENCH_DIR}/kernels.ptx
  COMMAND ${CMAKE_CXX_COMPILER} -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 --cuda-path=/dev/null -nocudainc -nocudalib
          -std=c++20 -O3 -Wall -S ${CMAKE_SOURCE_DIR}/bench/kernels.cu -o ${HEDDLE_BENCH_DIR}/kernels.ptx
  DEPENDS ${CMAKE_SOURCE_DIR}/bench/kernels.cu ${CMAKE_SOURCE_DIR}/bench/device.h
  COMMENT "Compiling bench/kernels.cu to PTX" VERBATIM)
add_custom_target(bench_kernels DEPENDS ${HEDDLE_BENCH_DIR}/kernels.ptx)
