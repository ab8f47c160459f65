# What programs link and load, in toolkit/lib64 (docs/reference/libraries.md):
#   libheddle.so.0                            all of Heddle behind the APIs, but for what compiles
#   libheddle-compilers.so.0                  that: clang, what uses LLVM, the APIs and programs behind which they are; loaded when it is needed
#   libcudart.so.12, libcuda.so.1, ...        a jump for each name, generated from spec/cuda; they load libheddle.so.0
#   libcudart_static.a                        the same jumps inside a program
#   libheddle-blas.so.0                       a module: what is behind libcublas.so.12 and the like, generated from spec/libs
enable_language(ASM)
set(libraries ${CMAKE_BINARY_DIR}/toolkit/lib64)
set(trampoline ${CMAKE_SOURCE_DIR}/src/api/trampoline/load.c)

function(heddle_write_if_new file text)
  file(WRITE ${file}.new "${text}")
  file(COPY_FILE ${file}.new ${file} ONLY_IF_DIFFERENT)
endfunction()

# NAME libcudart.so.12: the file, its soname, and its sources' name below generated/libraries/. LINKS: other names of it. MODULE: what it loads
# instead of libheddle.so.0.
function(heddle_trampoline name)
  cmake_parse_arguments(arg "" "MODULE" "LINKS" ${ARGN})
  string(REGEX MATCH "^lib([A-Za-z-]+)\\.so\\.([0-9.]+)$" matched ${name})
  set(base ${CMAKE_MATCH_1})
  set(version ${CMAKE_MATCH_2})
  set(target trampoline_${base}_${version})
  set(source ${HEDDLE_GENERATED_DIR}/libraries/${name})
  add_library(${target} SHARED ${source}.S ${trampoline})
  add_dependencies(${target} heddle_generated)
  # The loader of sanitizers must come before; these libraries have nothing that they could watch.
  target_compile_options(${target} PRIVATE -fno-sanitize=all)
  target_link_options(${target} PRIVATE -Wl,--version-script=${source}.map -Wl,-z,defs -Wl,-soname,${name} -fno-sanitize=all)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${base} SUFFIX .so.${version} LIBRARY_OUTPUT_DIRECTORY ${libraries}
                        LINK_DEPENDS ${source}.map NO_SONAME ON C_STANDARD 11)
  if(arg_MODULE)
    target_compile_definitions(${target} PRIVATE HEDDLE_MODULE="${arg_MODULE}")
  endif()
  set(links "")
  foreach(link IN LISTS arg_LINKS)
    cmake_path(GET link PARENT_PATH folder)
    if(folder)
      set(file ../${name})
    else()
      set(file ${name})
    endif()
    list(APPEND links COMMAND ${CMAKE_COMMAND} -E make_directory ${libraries}/${folder}
         COMMAND ${CMAKE_COMMAND} -E create_symlink ${file} ${libraries}/${link})
    install(FILES ${libraries}/${link} DESTINATION lib64/${folder})
  endforeach()
  if(links)
    add_custom_command(TARGET ${target} POST_BUILD ${links} VERBATIM)
  endif()
  install(TARGETS ${target} LIBRARY DESTINATION lib64)
  add_dependencies(toolkit ${target})
endfunction()

heddle_trampoline(libcudart.so.11.0)
heddle_trampoline(libcudart.so.12 LINKS libcudart.so)
heddle_trampoline(libcudart.so.13)
heddle_trampoline(libcuda.so.1 LINKS libcuda.so stubs/libcuda.so)
heddle_trampoline(libnvrtc.so.12 LINKS libnvrtc.so)
heddle_trampoline(libnvrtc.so.13)
heddle_trampoline(libnvidia-ml.so.1 LINKS libnvidia-ml.so)
heddle_trampoline(libnvvm.so.4)
heddle_trampoline(libnvJitLink.so.12 LINKS libnvJitLink.so)
heddle_trampoline(libnvJitLink.so.13)
heddle_trampoline(libnvfatbin.so.12 LINKS libnvfatbin.so)
heddle_trampoline(libnvfatbin.so.13)
heddle_trampoline(libcupti.so.12 LINKS libcupti.so)
heddle_trampoline(libcupti.so.13)

# OpenCL's installable client driver, and the file by which loaders find it (cl_khr_icd): in the toolkit and where it is installed.
heddle_trampoline(libheddle-opencl.so.1)
set(vendors etc/OpenCL/vendors)
file(WRITE ${CMAKE_BINARY_DIR}/toolkit/${vendors}/heddle.icd "${libraries}/libheddle-opencl.so.1\n")
install(CODE "file(WRITE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${vendors}/heddle.icd\" \"\${CMAKE_INSTALL_PREFIX}/lib64/libheddle-opencl.so.1\\n\")")

# Inside a program nothing tells where the toolkit lies, so its folder is part of the library: the build's or the installed one.
function(heddle_static_runtime target folder)
  add_library(${target} STATIC ${HEDDLE_GENERATED_DIR}/libraries/libcudart.so.12.S ${trampoline})
  add_dependencies(${target} heddle_generated)
  target_compile_definitions(${target} PRIVATE HEDDLE_STATIC HEDDLE_LIBRARY_FOLDER="${folder}")
  target_compile_options(${target} PRIVATE -fno-sanitize=all)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME cudart_static C_STANDARD 11)
endfunction()
heddle_static_runtime(cudart_static ${libraries})
set_target_properties(cudart_static PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${libraries})
add_dependencies(toolkit cudart_static)
heddle_static_runtime(cudart_static_installed ${CMAKE_INSTALL_PREFIX}/lib64)
set_target_properties(cudart_static_installed PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/installed)
install(TARGETS cudart_static_installed ARCHIVE DESTINATION lib64)
add_dependencies(toolkit cudart_static_installed)

# What `heddle run` puts before a program: its constructor comes before all others.
file(GLOB preload CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/api/preload/*.[cs])
add_library(heddle_run SHARED ${preload})
target_include_directories(heddle_run PRIVATE ${HEDDLE_GENERATED_DIR}/libraries)
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/api/preload/first_call.s PROPERTIES
  COMPILE_OPTIONS -Wno-unused-command-line-argument
  OBJECT_DEPENDS "${HEDDLE_GENERATED_DIR}/libraries/libcudart.so.11.0.names;${HEDDLE_GENERATED_DIR}/libraries/libcudart.so.12.names;${HEDDLE_GENERATED_DIR}/libraries/libcudart.so.13.names")
add_dependencies(heddle_run heddle_generated)
target_compile_options(heddle_run PRIVATE -fno-sanitize=all -fvisibility=hidden)
target_link_options(heddle_run PRIVATE -Wl,-z,initfirst -Wl,-z,defs -fno-sanitize=all)
set_target_properties(heddle_run PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${libraries} C_STANDARD 11)
install(TARGETS heddle_run LIBRARY DESTINATION lib64)
add_dependencies(toolkit heddle_run)

# NVTX 1 and 2 had a library; 3 is headers alone.
add_library(nvtx SHARED ${CMAKE_SOURCE_DIR}/src/api/nvtx/library.c)
add_dependencies(nvtx headers)
target_include_directories(nvtx PRIVATE ${CMAKE_BINARY_DIR}/toolkit/include)
target_compile_options(nvtx PRIVATE -fno-sanitize=all -Wno-missing-prototypes)
heddle_write_if_new(${CMAKE_BINARY_DIR}/libnvToolsExt.map "libnvToolsExt.so.1 { global: nvtx*; local: *; };\n")
target_link_options(nvtx PRIVATE -Wl,--version-script=${CMAKE_BINARY_DIR}/libnvToolsExt.map -Wl,-z,defs -Wl,-soname,libnvToolsExt.so.1
                    -fno-sanitize=all)
set_target_properties(nvtx PROPERTIES OUTPUT_NAME nvToolsExt SUFFIX .so.1 NO_SONAME ON LIBRARY_OUTPUT_DIRECTORY ${libraries} C_STANDARD 11)
add_custom_command(TARGET nvtx POST_BUILD COMMAND ${CMAKE_COMMAND} -E create_symlink libnvToolsExt.so.1 ${libraries}/libnvToolsExt.so VERBATIM)
install(TARGETS nvtx LIBRARY DESTINATION lib64)
install(FILES ${libraries}/libnvToolsExt.so DESTINATION lib64)
add_dependencies(toolkit nvtx)

# Everything behind the APIs and the programs, in two libraries that stay loaded until the process ends. Programs that run what is compiled already need
# the first alone. Each object is in one of them: the second takes from the first what is there. So the first shows all functions of ours beside
# heddle_find (src/api/shared), bound within it. A program's entry is where its room is.
set(behind_libheddle "")
set(behind_compilers "")
set(entries_libheddle heddle_find)
set(entries_compilers heddle_find_compiler)
set(programs "")
heddle_room_target(room api/shared)
list(APPEND behind_libheddle ${room})
heddle_room_target(room api/compilers)
list(APPEND behind_compilers ${room})
foreach(path IN LISTS HEDDLE_ROOMS)
  if(HEDDLE_ROOM_${path}_PROGRAM)
    set(library libheddle)
    if(HEDDLE_ROOM_${path}_COMPILES)
      set(library compilers)
    endif()
    heddle_room_target(room ${path})
    list(APPEND behind_${library} ${room})
    list(APPEND programs ${HEDDLE_ROOM_${path}_PROGRAM})
    list(APPEND entries_${library} heddle_main_${HEDDLE_ROOM_${path}_PROGRAM})
    set(library_of_${HEDDLE_ROOM_${path}_PROGRAM} ${library})
  endif()
endforeach()
# What of namespace heddle has a name outside its object: functions and objects, virtual tables, types, guards, and those of threads.
list(JOIN entries_libheddle "; " shown)
string(APPEND shown "; heddle_*; __wrap___cxa_atexit; _ZN6heddle*; _ZNK6heddle*; _ZT?N6heddle*; _ZTh*_N6heddle*; _ZTv*_N6heddle*; _ZGVN6heddle*")
set(hidden "")
# Debuggers look for these (src/exec/jit/debug/gdb.cpp). Each library has a heddle_compilers of its own.
if(HEDDLE_JIT)
  set(hidden "heddle_compilers; ")
  string(APPEND shown "; __jit_debug_register_code; __jit_debug_descriptor")
  list(APPEND entries_compilers heddle_compilers)
endif()
list(JOIN entries_compilers "; " shown_compilers)

heddle_write_if_new(${CMAKE_BINARY_DIR}/libheddle.map "{ global: ${shown}; local: ${hidden}*; };\n")
heddle_write_if_new(${CMAKE_BINARY_DIR}/compilers.map "{ global: ${shown_compilers}; local: *; };\n")
# The sources are the rooms. An object on the command line comes before all that archives have: this is what is asked for compilers, and those of exec/jit
# stay where they are.
set(loads "")
if(HEDDLE_JIT)
  set(loads "#include \"api/shared/kernel_compilers.h\"\n
extern \"C\" const heddle::exec::jit::Compilers* heddle_compilers(std::string& why) {
  return heddle::shared::load_kernel_compilers(why);
}\n")
endif()
heddle_write_if_new(${CMAKE_BINARY_DIR}/libheddle.cpp "${loads}")
heddle_write_if_new(${CMAKE_BINARY_DIR}/compilers.cpp "")

function(heddle_own_library target file)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${file} SUFFIX .so.0 NO_SONAME ON LIBRARY_OUTPUT_DIRECTORY ${libraries}
                        LINK_DEPENDS ${CMAKE_BINARY_DIR}/${target}.map)
  list(TRANSFORM entries_${target} PREPEND -Wl,-u, OUTPUT_VARIABLE wanted)
  target_link_options(${target} PRIVATE -Wl,--version-script=${CMAKE_BINARY_DIR}/${target}.map -Wl,-z,nodelete ${wanted}
                      -Wl,--wrap=__cxa_atexit -Wl,--gc-sections -Wl,-z,pack-relative-relocs -Wl,-soname,lib${file}.so.0)
  if(NOT HEDDLE_SANITIZE)
    target_link_options(${target} PRIVATE -Wl,-z,defs)
  endif()
  install(TARGETS ${target} LIBRARY DESTINATION lib64)
  add_dependencies(toolkit ${target})
endfunction()

add_library(libheddle SHARED ${CMAKE_BINARY_DIR}/libheddle.cpp)
target_link_libraries(libheddle PRIVATE ${behind_libheddle})
heddle_own_library(libheddle heddle)
# Nothing of it needs LLVM, which rooms bring along.
target_link_options(libheddle PRIVATE -Wl,-Bsymbolic LINKER:--as-needed)

add_library(compilers SHARED ${CMAKE_BINARY_DIR}/compilers.cpp)
target_link_libraries(compilers PRIVATE libheddle ${behind_compilers})
heddle_own_library(compilers heddle-compilers)
set_target_properties(compilers PROPERTIES HEDDLE_OWN_LLVM ON BUILD_RPATH "\$ORIGIN" BUILD_RPATH_USE_ORIGIN ON INSTALL_RPATH "\$ORIGIN")

# Programs that need no more than a room or two.
foreach(path IN LISTS HEDDLE_ROOMS)
  set(program ${HEDDLE_ROOM_${path}_ALONE})
  if(program)
    heddle_room_target(room ${path})
    cmake_path(GET path FILENAME name)
    string(MAKE_C_IDENTIFIER ${program} target)
    add_executable(alone_${target} ${CMAKE_SOURCE_DIR}/src/driver/start/alone.c)
    target_compile_definitions(alone_${target} PRIVATE HEDDLE_ENTRY=heddle_main_${name})
    target_compile_options(alone_${target} PRIVATE -Wno-missing-prototypes)
    target_link_libraries(alone_${target} PRIVATE ${room})
    set_target_properties(alone_${target} PROPERTIES OUTPUT_NAME ${program} RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/toolkit/bin
                          C_STANDARD 11 LINKER_LANGUAGE CXX)
    install(TARGETS alone_${target} RUNTIME DESTINATION bin)
    add_dependencies(toolkit alone_${target})
  endif()
endforeach()

# What modules know of libheddle.so.0: one name. Rooms that both need are in both.
heddle_write_if_new(${CMAKE_BINARY_DIR}/shown.c "void heddle_find(void);\nvoid heddle_find(void) {}\n")
add_library(libheddle_shown SHARED ${CMAKE_BINARY_DIR}/shown.c)
target_compile_options(libheddle_shown PRIVATE -fno-sanitize=all)
target_link_options(libheddle_shown PRIVATE -Wl,-soname,libheddle.so.0 -fno-sanitize=all)
set_target_properties(libheddle_shown PROPERTIES OUTPUT_NAME heddle SUFFIX .so.0 NO_SONAME ON LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/shown)

add_custom_target(heddle_modules)
# A module: the rooms behind some libraries of CUDA programs, apart from libheddle.so.0, so that who calls none of them never loads what they link.
function(heddle_library_module name)
  cmake_parse_arguments(arg "" "" "ROOMS" ${ARGN})
  set(target heddle_module_${name})
  add_library(${target} SHARED ${HEDDLE_GENERATED_DIR}/libraries/${name}_find.cpp)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/src ${HEDDLE_GENERATED_DIR})
  foreach(path IN LISTS arg_ROOMS)
    heddle_room_target(room ${path})
    target_link_libraries(${target} PRIVATE ${room})
  endforeach()
  target_link_libraries(${target} PRIVATE libheddle_shown)
  heddle_write_if_new(${CMAKE_BINARY_DIR}/module.map "{ global: heddle_find_library; local: *; };\n")
  target_link_options(${target} PRIVATE -Wl,--version-script=${CMAKE_BINARY_DIR}/module.map -Wl,-z,nodelete -Wl,--gc-sections
                      -Wl,-soname,libheddle-${name}.so.0)
  if(NOT HEDDLE_SANITIZE)
    target_link_options(${target} PRIVATE -Wl,-z,defs)
  endif()
  set_target_properties(${target} PROPERTIES OUTPUT_NAME heddle-${name} SUFFIX .so.0 NO_SONAME ON LIBRARY_OUTPUT_DIRECTORY ${libraries}
                        BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "\$ORIGIN" LINK_DEPENDS ${CMAKE_BINARY_DIR}/module.map)
  install(TARGETS ${target} LIBRARY DESTINATION lib64)
  add_dependencies(toolkit ${target})
  add_dependencies(heddle_modules ${target})
endfunction()

# libcublas_static.a: its jumps, with names of their own, because several of them may be in one program. No module: libheddle.so.0 itself.
function(heddle_static_library name shared module)
  set(localized "")
  foreach(symbol heddle_addresses heddle_failures heddle_names heddle_library heddle_count heddle_load)
    list(APPEND localized --localize-symbol=${symbol})
  endforeach()
  foreach(place built installed)
    set(folder ${libraries})
    set(archive ${libraries}/lib${name}.a)
    if(place STREQUAL installed)
      set(folder ${CMAKE_INSTALL_PREFIX}/lib64)
      set(archive ${CMAKE_BINARY_DIR}/installed/lib${name}.a)
    endif()
    set(target ${name}_${place})
    add_library(${target}_parts OBJECT ${HEDDLE_GENERATED_DIR}/libraries/${shared}.S ${trampoline})
    add_dependencies(${target}_parts heddle_generated)
    target_compile_definitions(${target}_parts PRIVATE HEDDLE_STATIC HEDDLE_LIBRARY_FOLDER="${folder}")
    if(module)
      target_compile_definitions(${target}_parts PRIVATE HEDDLE_MODULE="${module}")
    endif()
    target_compile_options(${target}_parts PRIVATE -fno-sanitize=all -fPIC)
    set_target_properties(${target}_parts PROPERTIES C_STANDARD 11)
    set(object ${CMAKE_BINARY_DIR}/${target}.o)
    add_custom_command(OUTPUT ${archive}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/installed
      COMMAND ld -r -o ${object} $<TARGET_OBJECTS:${target}_parts>
      COMMAND objcopy ${localized} ${object}
      COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
      COMMAND ${CMAKE_AR} rcs ${archive} ${object}
      DEPENDS ${target}_parts $<TARGET_OBJECTS:${target}_parts> COMMAND_EXPAND_LISTS VERBATIM)
    add_custom_target(${target} ALL DEPENDS ${archive})
    add_dependencies(toolkit ${target})
  endforeach()
  install(FILES ${CMAKE_BINARY_DIR}/installed/lib${name}.a DESTINATION lib64)
endfunction()

include(${HEDDLE_GENERATED_DIR}/libraries/libraries.cmake)

# NVIDIA's compiler of PTX has no shared library; of the others programs take either.
heddle_static_library(nvptxcompiler_static libnvptxcompiler_static "")
heddle_static_library(nvJitLink_static libnvJitLink.so.12 "")
heddle_static_library(nvfatbin_static libnvfatbin.so.12 "")
heddle_static_library(nvrtc_static libnvrtc.so.12 "")

# The programs: each is a small one that loads one of the two libraries and calls its entry there, so that clang and LLVM are in the tree once.
foreach(program IN LISTS programs)
  add_executable(${program} ${CMAKE_SOURCE_DIR}/src/driver/start/start.c)
  set(library ${library_of_${program}})
  get_target_property(file ${library} OUTPUT_NAME)
  target_compile_definitions(${program} PRIVATE HEDDLE_PROGRAM="${program}" HEDDLE_LIBRARY="lib${file}.so.0")
  target_link_libraries(${program} PRIVATE ${CMAKE_DL_LIBS})
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/toolkit/bin C_STANDARD 11)
  add_dependencies(${program} ${library})
  install(TARGETS ${program} RUNTIME DESTINATION bin)
  add_dependencies(toolkit ${program})
endforeach()

# Other names of bin/heddle (src/cli/main.cpp).
foreach(name compute-sanitizer cuda-memcheck ncu nv-nsight-cu-cli nvprof)
  add_custom_command(TARGET heddle POST_BUILD VERBATIM
                     COMMAND ${CMAKE_COMMAND} -E create_symlink heddle ${CMAKE_BINARY_DIR}/toolkit/bin/${name})
  install(FILES ${CMAKE_BINARY_DIR}/toolkit/bin/${name} DESTINATION bin)
endforeach()
