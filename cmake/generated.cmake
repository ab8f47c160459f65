# Runs tools/gen/gen.py: spec/**/*.toml -> build/<preset>/generated/. Files that would not change are not touched.
# Generated <room>/*.gen.cpp join the room of that name; headers are included as "<room>/<name>.gen.h".
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)

set(HEDDLE_GENERATED_DIR ${CMAKE_BINARY_DIR}/generated)
file(GLOB HEDDLE_GENERATORS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tools/gen/*.py)
file(GLOB_RECURSE HEDDLE_SPECS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/spec/*.toml)
# tools/gen/isa_evals.py and isa_lowers.py look there for the functions that are written.
file(GLOB_RECURSE HEDDLE_EVALS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/exec/interp/*.cpp
     ${CMAKE_SOURCE_DIR}/src/exec/jit/lower/instructions/*.cpp ${CMAKE_SOURCE_DIR}/src/exec/jit/texture/form.cpp
     ${CMAKE_SOURCE_DIR}/src/exec/jit/matrix/form.cpp)
# A new record or a changed generator may mean another list of files.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${HEDDLE_GENERATORS})

set(gen ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/tools/gen/gen.py --spec ${CMAKE_SOURCE_DIR}/spec)
execute_process(COMMAND ${gen} --list-outputs OUTPUT_VARIABLE outputs RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "tools/gen/gen.py --list-outputs failed; its message is above")
endif()
# cmake/libraries.cmake reads a list of what it makes.
execute_process(COMMAND ${gen} --out ${HEDDLE_GENERATED_DIR} --only gen_lib_libraries RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "tools/gen/gen.py failed; its message is above")
endif()
string(REGEX MATCHALL "[^\n]+" outputs "${outputs}")
list(TRANSFORM outputs PREPEND ${HEDDLE_GENERATED_DIR}/ OUTPUT_VARIABLE HEDDLE_GENERATED)

# The files are by-products of a stamp, so that an untouched file rebuilds nothing (ninja's restat).
add_custom_command(
  OUTPUT ${HEDDLE_GENERATED_DIR}/generated.stamp
  BYPRODUCTS ${HEDDLE_GENERATED}
  COMMAND ${gen} --out ${HEDDLE_GENERATED_DIR}
  COMMAND ${CMAKE_COMMAND} -E touch ${HEDDLE_GENERATED_DIR}/generated.stamp
  DEPENDS ${HEDDLE_GENERATORS} ${HEDDLE_SPECS} ${HEDDLE_EVALS}
  COMMENT "Generating code from spec/"
  VERBATIM)
add_custom_target(heddle_generated DEPENDS ${HEDDLE_GENERATED_DIR}/generated.stamp)

# The version. Asking git at every build costs a relink after every commit, so only the presets that ship do it.
set(version_command ${CMAKE_COMMAND} -DVERSION=${PROJECT_VERSION} -DFROM_GIT=${HEDDLE_VERSION_FROM_GIT} -DSOURCE=${CMAKE_SOURCE_DIR}
    -DOUT=${HEDDLE_GENERATED_DIR}/support/version.gen.h -P ${CMAKE_SOURCE_DIR}/cmake/version.cmake)
if(HEDDLE_VERSION_FROM_GIT)
  add_custom_target(heddle_version BYPRODUCTS ${HEDDLE_GENERATED_DIR}/support/version.gen.h COMMAND ${version_command}
                    COMMENT "Reading the version from git" VERBATIM)
  add_dependencies(heddle_generated heddle_version)
else()
  execute_process(COMMAND ${version_command})
endif()
