# devlib/opencl/*.cl and the generated functions of elements -> build/<preset>/devlib/opencl.library, which
# src/frontend/opencl/library.cpp takes in: the built-in functions of OpenCL C.
find_program(HEDDLE_LLVM_NM llvm-nm HINTS /usr/lib/llvm-19/bin NO_DEFAULT_PATH)
find_program(HEDDLE_CLANG_CL clang HINTS /usr/lib/llvm-19/bin NO_DEFAULT_PATH)
if(NOT HEDDLE_LLVM_NM OR NOT HEDDLE_CLANG_CL)
  message(FATAL_ERROR "clang or llvm-nm of LLVM 19 not found; run tools/setup (packages clang-19, llvm-19)")
endif()

file(GLOB opencl_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/devlib/opencl/*.cl)
file(GLOB opencl_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/devlib/opencl/*.h)
list(APPEND opencl_sources ${HEDDLE_GENERATED_DIR}/frontend/opencl/elementwise.gen.cl)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/devlib/opencl)
# Everything that some device may have; which processor it is for, the program says.
string(JOIN "," opencl_extensions -cl-ext=-all +cl_khr_fp16 +cl_khr_fp64 +__opencl_c_fp64 +__opencl_c_generic_address_space
       +cl_khr_subgroups +__opencl_c_subgroups +__opencl_c_atomic_order_seq_cst +__opencl_c_atomic_scope_device)
set(opencl_parts "")
foreach(source IN LISTS opencl_sources)
  cmake_path(GET source STEM name)
  cmake_path(GET source FILENAME file)
  cmake_path(GET source PARENT_PATH folder)
  set(part ${CMAKE_BINARY_DIR}/devlib/opencl/${name}.bc)
  add_custom_command(
    OUTPUT ${part}
    COMMAND ${HEDDLE_CLANG_CL} -x cl -cl-std=CL3.0 --target=nvptx64-nvidia-nvcl -nogpulib -I${CMAKE_SOURCE_DIR}/devlib/opencl
            -cl-no-stdinc -include opencl-c-base.h -Xclang ${opencl_extensions} -D__opencl_c_atomic_scope_all_devices=1
            -Xclang -target-cpu -Xclang sm_90 -Xclang -target-feature -Xclang +ptx85 -O2 -Wall -Werror -Wno-unused-function
            -emit-llvm -c ${file} -o ${part}  # bitcode says what it was made of: no machine's path
    COMMAND ${HEDDLE_LLVM_OPT} -passes=verify -disable-output ${part}
    WORKING_DIRECTORY ${folder}
    DEPENDS ${source} ${opencl_headers} heddle_generated
    VERBATIM)
  list(APPEND opencl_parts ${part})
endforeach()
set(HEDDLE_OPENCL_LIBRARY ${CMAKE_BINARY_DIR}/devlib/opencl.library)
add_custom_command(
  OUTPUT ${HEDDLE_OPENCL_LIBRARY}
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/tools/gen/pack_opencl.py --nm ${HEDDLE_LLVM_NM} --out ${HEDDLE_OPENCL_LIBRARY} ${opencl_parts}
  DEPENDS ${opencl_parts} ${CMAKE_SOURCE_DIR}/tools/gen/pack_opencl.py
  COMMENT "Packing the OpenCL built-in library"
  VERBATIM)
add_custom_target(opencl_library DEPENDS ${HEDDLE_OPENCL_LIBRARY})
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/frontend/opencl/library.cpp PROPERTIES
  COMPILE_DEFINITIONS "HEDDLE_OPENCL_LIBRARY=\"${HEDDLE_OPENCL_LIBRARY}\"" OBJECT_DEPENDS ${HEDDLE_OPENCL_LIBRARY})
