# LLVM. What has the property HEDDLE_OWN_LLVM gets it from the static libraries, the parts that it uses: a shared library of all of it takes 12 ms to
# load, and brings five others. For all else, tests mostly, it is the one shared library of Debian.
function(heddle_llvm)
  find_package(LLVM 19.1 CONFIG REQUIRED HINTS /usr/lib/llvm-19/lib/cmake/llvm)
  if(TARGET heddle_llvm)
    return()
  endif()
  add_library(heddle_llvm INTERFACE)
  target_include_directories(heddle_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
  set(own "$<BOOL:$<TARGET_PROPERTY:HEDDLE_OWN_LLVM>>")
  foreach(part IN LISTS LLVM_AVAILABLE_LIBS)
    if(part MATCHES "^LLVM" AND TARGET ${part})
      get_target_property(type ${part} TYPE)
      if(type STREQUAL STATIC_LIBRARY)
        target_link_libraries(heddle_llvm INTERFACE "$<${own}:$<TARGET_FILE:${part}>>")
      endif()
    endif()
  endforeach()
  find_library(HEDDLE_ZLIB z REQUIRED)
  target_link_libraries(heddle_llvm INTERFACE "$<${own}:${HEDDLE_ZLIB}>" "$<$<NOT:${own}>:LLVM>")
endfunction()

# Outside libraries a room may name after EXTERNAL, or for its tests alone after TEST_EXTERNAL. Each is looked for only when
# a room with sources asks for it.
function(heddle_external target name)
  if(name STREQUAL llvm)
    heddle_llvm()
    target_link_libraries(${target} PUBLIC heddle_llvm)
  elseif(name STREQUAL clang)
    find_package(Clang 19.1 CONFIG REQUIRED HINTS /usr/lib/llvm-19/lib/cmake/clang)
    target_include_directories(${target} SYSTEM PUBLIC ${CLANG_INCLUDE_DIRS})
    heddle_llvm()
    get_property(imported DIRECTORY PROPERTY IMPORTED_TARGETS)
    foreach(part IN LISTS imported)
      get_target_property(behind ${part} INTERFACE_LINK_LIBRARIES)
      if(part MATCHES "^clang" AND "LLVM" IN_LIST behind)
        list(TRANSFORM behind REPLACE "^LLVM$" heddle_llvm)
        set_target_properties(${part} PROPERTIES INTERFACE_LINK_LIBRARIES "${behind}")
      endif()
    endforeach()
    # The static libraries: some decisions of clang's are ours (src/frontend/launch_rules.cpp, attribute_order.cpp, asm_names.cpp, asm_operands.cpp,
    # shared_variables.cpp, const_variables.cpp, lambda_traits.cpp, template_names.cpp, other_side.cpp, opencl/incomplete_members.cpp), and only across object files can a linker put one function in another's place.
    target_link_libraries(${target} PUBLIC clangCodeGen clangFrontend clangDriver)
    foreach(replaced _ZN5clang8SemaCUDA18IdentifyPreferenceEPKNS_12FunctionDeclES3_
            _ZN5clang8SemaCUDA9CheckCallENS_14SourceLocationEPNS_12FunctionDeclE
            _ZN5clang8SemaCUDA23checkAllowedInitializerEPNS_7VarDeclE
            _ZN5clang8SemaCUDA20MaybeAddConstantAttrEPNS_7VarDeclE
            _ZN5clang4Sema14isTemplateNameEPNS_5ScopeERNS_12CXXScopeSpecEbRKNS_13UnqualifiedIdENS_9OpaquePtrINS_8QualTypeEEEbRNS8_INS_12TemplateNameEEERbb
            _ZN5clang12Preprocessor3LexERNS_5TokenE
            _ZN5clang4Sema14BuildTypeTraitENS_9TypeTraitENS_14SourceLocationEN4llvm8ArrayRefIPNS_14TypeSourceInfoEEES2_
            _ZN5clang4Sema24ActOnTagFinishDefinitionEPNS_5ScopeEPNS_4DeclENS_11SourceRangeE
            _ZN5clang4Sema15ActOnGCCAsmStmtENS_14SourceLocationEbbjjPPNS_14IdentifierInfoEN4llvm15MutableArrayRefIPNS_4ExprEEES9_S8_S9_jS1_
            _ZN5clang6Parser21ParseAsmStringLiteralEb
            _ZN5clang4Sema29shouldIgnoreInHostDeviceCheckEPNS_12FunctionDeclE
            _ZN5clang7CodeGen13CodeGenModule17GetAddrOfFunctionENS_10GlobalDeclEPN4llvm4TypeEbbNS0_15ForDefinition_tE
            _ZN5clang7CodeGen13CodeGenModule23GetOrCreateLLVMFunctionEN4llvm9StringRefEPNS2_4TypeENS_10GlobalDeclEbbbNS2_13AttributeListENS0_15ForDefinition_tE)
      target_link_options(${target} PUBLIC LINKER:--wrap=${replaced})
    endforeach()
  elseif(name STREQUAL zstd)
    find_path(ZSTD_INCLUDE_DIR zstd.h REQUIRED)
    find_library(ZSTD_LIBRARY zstd REQUIRED)
    target_include_directories(${target} SYSTEM PUBLIC ${ZSTD_INCLUDE_DIR})
    target_link_libraries(${target} PUBLIC ${ZSTD_LIBRARY})
  elseif(name STREQUAL lz4)
    find_path(LZ4_INCLUDE_DIR lz4.h REQUIRED)
    find_library(LZ4_LIBRARY lz4 REQUIRED)
    target_include_directories(${target} SYSTEM PUBLIC ${LZ4_INCLUDE_DIR})
    target_link_libraries(${target} PUBLIC ${LZ4_LIBRARY})
  elseif(name STREQUAL cuda)  # our own headers of the CUDA APIs, as programs see them
    target_include_directories(${target} SYSTEM PUBLIC ${HEDDLE_GENERATED_DIR}/include ${CMAKE_SOURCE_DIR}/include)
  elseif(name STREQUAL openblas)  # BLAS and LAPACK; declared in src/libs/cublas/fortran.h
    find_library(OPENBLAS_LIBRARY openblas REQUIRED)
    target_link_libraries(${target} PUBLIC ${OPENBLAS_LIBRARY})
  elseif(name STREQUAL opencl)  # Khronos's headers
    find_path(OPENCL_INCLUDE_DIR CL/cl_icd.h REQUIRED)
    target_include_directories(${target} SYSTEM PUBLIC ${OPENCL_INCLUDE_DIR})
  elseif(name STREQUAL sleef)
    find_library(SLEEF_LIBRARY sleef REQUIRED)
    target_link_libraries(${target} PUBLIC ${SLEEF_LIBRARY})
  elseif(name STREQUAL mpfr)
    target_link_libraries(${target} PUBLIC mpfr gmp)
  else()
    message(FATAL_ERROR "room target ${target}: unknown external library '${name}' (see cmake/externals.cmake)")
  endif()
endfunction()
