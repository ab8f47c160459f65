# The house rules as tests (label `check`), lit over tests/ (label `lit`), random programs against g++ (label `oracle`), clang-tidy (target `tidy`).
if(NOT BUILD_TESTING)
  return()
endif()

function(heddle_check name)
  add_test(NAME check.${name} COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/tools/check/${ARGN})
  set_tests_properties(check.${name} PROPERTIES LABELS check TIMEOUT 120)
endfunction()

heddle_check(layers layers.py)
heddle_check(size size.py)
heddle_check(format format.py)
heddle_check(text text.py)
heddle_check(links links.py)
heddle_check(spec spec.py)
heddle_check(pages pages.py)
heddle_check(idle idle.py)
heddle_check(checks checks_test.py)
heddle_check(arch_records ../gen/arch_records_test.py)
heddle_check(isa_records ../gen/isa_records_test.py)

# Too slow for every run: `cmake --build --preset dev --target tidy`, or as a test `ctest --preset dev -C lint -L lint`.
set(tidy ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/tools/check/tidy.py --build ${CMAKE_BINARY_DIR})
add_custom_target(tidy COMMAND ${tidy} DEPENDS heddle_generated USES_TERMINAL VERBATIM)
add_test(NAME lint.tidy COMMAND ${tidy} CONFIGURATIONS lint)
set_tests_properties(lint.tidy PROPERTIES LABELS lint TIMEOUT 3600)

# lit and FileCheck come with llvm-19-tools, outside PATH.
find_path(HEDDLE_LIT_DIR lit.py PATHS /usr/lib/llvm-19/build/utils/lit NO_DEFAULT_PATH)
find_program(HEDDLE_FILECHECK FileCheck HINTS /usr/lib/llvm-19/bin NO_DEFAULT_PATH)
if(NOT HEDDLE_LIT_DIR OR NOT HEDDLE_FILECHECK)
  message(FATAL_ERROR "lit or FileCheck of LLVM 19 not found; run tools/setup (package llvm-19-tools)")
endif()
cmake_path(GET HEDDLE_FILECHECK PARENT_PATH HEDDLE_LLVM_TOOLS)
configure_file(${CMAKE_SOURCE_DIR}/tests/lit.site.cfg.py.in ${CMAKE_BINARY_DIR}/tests/lit/lit.site.cfg.py @ONLY)
# In parts, so that none comes near its limit. lit starts as many tests at once as there are processors, so ctest starts nothing
# beside it.
cmake_host_system_information(RESULT processors QUERY NUMBER_OF_LOGICAL_CORES)
set(lit_parts 4)
foreach(part RANGE 1 ${lit_parts})
  add_test(NAME lit.${part} COMMAND ${Python3_EXECUTABLE} -B ${HEDDLE_LIT_DIR}/lit.py -s -v --order=lexical --num-shards ${lit_parts} --run-shard ${part}
           --xunit-xml-output ${CMAKE_BINARY_DIR}/results/lit.${part}.xml ${CMAKE_BINARY_DIR}/tests/lit)
  set_tests_properties(lit.${part} PROPERTIES LABELS lit TIMEOUT 600 PROCESSORS ${processors} COST 20)
endforeach()

# What runs kernels once more, by the other executor.
if(HEDDLE_JIT)
  set(lit_interp api cuda/device opencl ptx)
  list(TRANSFORM lit_interp PREPEND ${CMAKE_BINARY_DIR}/tests/lit/)
  add_test(NAME lit.interp COMMAND ${Python3_EXECUTABLE} -B ${HEDDLE_LIT_DIR}/lit.py -s -v --order=lexical
           --xunit-xml-output ${CMAKE_BINARY_DIR}/results/lit.interp.xml ${lit_interp})
  set_tests_properties(lit.interp PROPERTIES LABELS lit TIMEOUT 600 PROCESSORS ${processors} COST 20 ENVIRONMENT HEDDLE_EXECUTOR=interp)
endif()

# Both executors against g++, on a fixed set of random programs (tests/oracle).
function(heddle_oracle kind seeds)
  add_test(NAME oracle.${kind} COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/tools/fuzz_oracle.py --kind ${kind} --seeds ${seeds}
           --cpus "" --toolkit ${CMAKE_BINARY_DIR}/toolkit --keep ${CMAKE_BINARY_DIR}/oracle-${kind})
  set_tests_properties(oracle.${kind} PROPERTIES LABELS oracle TIMEOUT 300 COST 20)
endfunction()
heddle_oracle(csmith 0-15)
heddle_oracle(cuda 24-35)
