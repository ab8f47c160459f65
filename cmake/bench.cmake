# The open benchmark (bench/README.md): kernels.ptx, and a program a contender. bench/compare builds the target
# `bench_contenders`; part of `all` is only what the test below needs.
set(bench ${CMAKE_SOURCE_DIR}/bench/contenders)
set(HEDDLE_BENCH_DIR ${CMAKE_BINARY_DIR}/bench)
file(MAKE_DIRECTORY ${HEDDLE_BENCH_DIR})

# clang alone makes the PTX: the toolkit it could find on this machine is hidden, so the text is the same everywhere.
add_custom_command(
  OUTPUT ${HEDDLE_BENCH_DIR}/kernels.ptx
  COMMAND ${CMAKE_CXX_COMPILER} -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 --cuda-path=/dev/null -nocudainc -nocudalib
          -std=c++20 -O3 -Wall -S ${CMAKE_SOURCE_DIR}/bench/kernels.cu -o ${HEDDLE_BENCH_DIR}/kernels.ptx
  DEPENDS ${CMAKE_SOURCE_DIR}/bench/kernels.cu ${CMAKE_SOURCE_DIR}/bench/device.h
  COMMENT "Compiling bench/kernels.cu to PTX" VERBATIM)
if(BUILD_TESTING)
  add_custom_target(bench_kernels ALL DEPENDS ${HEDDLE_BENCH_DIR}/kernels.ptx)
else()
  add_custom_target(bench_kernels DEPENDS ${HEDDLE_BENCH_DIR}/kernels.ptx)
endif()
add_custom_target(bench_contenders DEPENDS bench_kernels)

# The rows, and the protocol: the same code with the same flags in every contender.
add_library(bench_rows STATIC EXCLUDE_FROM_ALL ${bench}/problem.cpp ${bench}/rows.cpp ${bench}/streams.cpp ${bench}/matrices.cpp
            ${bench}/arithmetic.cpp ${bench}/blocks.cpp ${bench}/contender.cpp)
target_include_directories(bench_rows PUBLIC ${bench})
target_compile_options(bench_rows PRIVATE -O3)

function(heddle_bench_program name)
  add_executable(${name} EXCLUDE_FROM_ALL ${ARGN})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${HEDDLE_BENCH_DIR})
  add_dependencies(bench_contenders ${name})
endfunction()

heddle_bench_program(bench_heddle ${bench}/heddle_main.cpp)
target_link_libraries(bench_heddle PRIVATE bench_rows heddle_runtime heddle_clock)

# May be run under another system's libraries (--opencl).
heddle_bench_program(bench_opencl ${bench}/opencl_main.cpp ${bench}/opencl_api.cpp)
target_link_libraries(bench_opencl PRIVATE bench_rows ${CMAKE_DL_LIBS})
target_link_options(bench_opencl PRIVATE -static-libstdc++ -static-libgcc)

heddle_bench_program(bench_limits ${bench}/limits_main.cpp)
target_compile_options(bench_limits PRIVATE -O3 -march=native -ffp-contract=fast)
target_link_libraries(bench_limits PRIVATE Threads::Threads)

# The device math functions beside the host's (bench/math).
heddle_bench_program(bench_math ${bench}/math_main.cpp)
target_compile_options(bench_math PRIVATE -O2 -march=native -Wno-psabi)
target_link_libraries(bench_math PRIVATE heddle_math ${CMAKE_DL_LIBS})

# Plain C++ with each compiler that has OpenMP here: everything but plain.cpp is the same, and so is the linker.
set(plain_flags -std=c++20 -O3 -march=native -ffast-math -fopenmp)
function(heddle_bench_plain name compiler openmp)
  set(object ${HEDDLE_BENCH_DIR}/${name}.o)
  add_custom_command(OUTPUT ${object} COMMAND ${compiler} ${plain_flags} -I${bench} -c ${bench}/plain.cpp -o ${object}
                     DEPENDS ${bench}/plain.cpp ${bench}/plain.h ${bench}/problem.h VERBATIM
                     COMMENT "Compiling bench/plain.cpp with ${compiler}")
  execute_process(COMMAND ${compiler} --version OUTPUT_VARIABLE version)
  string(REGEX MATCH "^[^\n]+" version "${version}")
  heddle_bench_program(${name} ${bench}/plain_main.cpp ${object})
  target_compile_definitions(${name} PRIVATE "BENCH_COMPILER=\"${version}\"")
  target_link_libraries(${name} PRIVATE bench_rows ${openmp} ${ARGN})
endfunction()

# Its own version's run-time library (package libomp-19-dev); an older one lacks functions.
find_library(HEDDLE_LIBOMP NAMES omp libomp.so.5 PATHS /usr/lib/llvm-19/lib NO_DEFAULT_PATH)
if(HEDDLE_LIBOMP)
  heddle_bench_plain(bench_plain_clang ${CMAKE_CXX_COMPILER} ${HEDDLE_LIBOMP})
endif()
find_program(HEDDLE_GXX g++)
if(HEDDLE_GXX)
  # libmvec has the vector exp and log that GCC calls.
  heddle_bench_plain(bench_plain_gcc ${HEDDLE_GXX} gomp mvec m)
endif()

# Every row is right with our executor, at small sizes.
if(BUILD_TESTING)
  set_target_properties(bench_heddle PROPERTIES EXCLUDE_FROM_ALL OFF)
  add_test(NAME bench.right COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/bench/compare --build ${CMAKE_BINARY_DIR}
           --no-build --only ours --rounds 1 --runs 1 --size small)
  set_tests_properties(bench.right PROPERTIES LABELS bench TIMEOUT 300)
endif()
