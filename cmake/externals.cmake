# Outside libraries a room may name after EXTERNAL, or for its tests alone after TEST_EXTERNAL. Each is looked for only when
# a room with sources asks for it.
function(heddle_external target name)
  if(name STREQUAL llvm)
    find_package(LLVM 19.1 CONFIG REQUIRED HINTS /usr/lib/llvm-19/lib/cmake/llvm)
    target_include_directories(${target} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS})
    target_link_libraries(${target} PUBLIC LLVM)  # the one shared library of Debian
  elseif(name STREQUAL clang)
    find_package(Clang 19.1 CONFIG REQUIRED HINTS /usr/lib/llvm-19/lib/cmake/clang)
    target_include_directories(${target} SYSTEM PUBLIC ${CLANG_INCLUDE_DIRS})
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
