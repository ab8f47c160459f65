# Compiler, linker and flags for the whole tree. The presets in CMakePresets.json set the HEDDLE_* options.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)  # the rooms also end up in shared libraries
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(HEDDLE_SANITIZE "" CACHE STRING "Sanitizers for -fsanitize=, comma separated")
option(HEDDLE_FUZZ "Build the fuzzers with libFuzzer; otherwise they only replay their corpus" OFF)
option(HEDDLE_COVERAGE "Instrument for llvm-cov" OFF)
option(HEDDLE_WERROR "Make warnings errors" OFF)
option(HEDDLE_JIT "Build the fast executor, which needs LLVM; without it the reference executor runs everything" ON)
option(HEDDLE_PRECOMPILE "Compile what many files include once, before them: half the time for tests and for what uses LLVM" ON)
option(HEDDLE_VERSION_FROM_GIT "Ask git for the version at every build" OFF)

if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19)
  message(FATAL_ERROR "Heddle is built with clang 19; this is ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}. "
                      "Configure with a preset: cmake --preset dev")
endif()

# Bit exactness: the compiler must not fuse a multiply and an add that PTX keeps apart. Never add -ffast-math.
add_compile_options(-ffp-contract=off)
add_compile_options(-Wall -Wextra -Wpedantic -Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi -Wimplicit-fallthrough
                    -Wno-gnu-statement-expression -Wno-gnu-zero-variadic-macro-arguments)
if(HEDDLE_WERROR)
  add_compile_options(-Werror)
endif()
# The same object from any checkout: no machine's path in the output, and ccache hits between checkouts.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
add_link_options(-fuse-ld=lld)
if(HEDDLE_JIT)
  add_compile_definitions(HEDDLE_JIT=1)
else()
  add_compile_definitions(HEDDLE_JIT=0)
endif()
# Part of what compiled kernels are found by in the disk cache: two builds never share them.
add_link_options(-Wl,--build-id)

# Nobody looks at variables there: a sixth of the compiler's time. Behind the preset's -g, which it replaces.
if(DEFINED ENV{CI})
  add_compile_options(-gline-tables-only)
endif()

if(HEDDLE_SANITIZE)
  add_compile_options(-fsanitize=${HEDDLE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${HEDDLE_SANITIZE})
endif()
if(HEDDLE_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(HEDDLE_COVERAGE)
  add_compile_options(-fprofile-instr-generate -fcoverage-mapping)
  add_link_options(-fprofile-instr-generate)
endif()

# What checks and counts is between keeps loops from becoming vectors that are asked to be: a warning of the compiler.
if(HEDDLE_SANITIZE OR HEDDLE_FUZZ OR HEDDLE_COVERAGE)
  add_compile_options(-Wno-pass-failed)
endif()

find_program(HEDDLE_CCACHE ccache)
if(HEDDLE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${HEDDLE_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()
