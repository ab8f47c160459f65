# How other build systems find the toolkit: find_package(heddle) and pkg-config. Both know it by where they lie, so a moved tree works.
include(CMakePackageConfigHelpers)

set(packages ${toolkit}/lib64/cmake/heddle)
configure_file(${CMAKE_SOURCE_DIR}/cmake/heddle-config.cmake ${packages}/heddle-config.cmake COPYONLY)
write_basic_package_version_file(${packages}/heddle-config-version.cmake VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(DIRECTORY ${packages} DESTINATION lib64/cmake)

set(modules ${toolkit}/lib64/pkgconfig)
# NAME: of the file. LIBRARIES: what is linked, as -l has it.
function(heddle_pkg_config name description libraries)
  string(REPLACE ";" " -l" linked "-l${libraries}")
  file(WRITE ${modules}/${name}.pc "prefix=\${pcfiledir}/../..
libdir=\${prefix}/lib64
includedir=\${prefix}/include

Name: ${name}
Description: ${description}, of Heddle
Version: 12.5
Libs: -L\${libdir} -Wl,-rpath,\${libdir} ${linked}
Cflags: -I\${includedir}
")
endfunction()

# NVIDIA's names.
heddle_pkg_config(cuda-12.5 "CUDA driver API" cuda)
heddle_pkg_config(cudart-12.5 "CUDA runtime API" cudart)
heddle_pkg_config(nvrtc-12.5 "Run-time compilation of CUDA C++" nvrtc)
heddle_pkg_config(nvidia-ml-12.5 "Management of devices" nvidia-ml)
heddle_pkg_config(cublas-12.5 "Linear algebra" "cublas;cublasLt")
heddle_pkg_config(cufft-12.5 "Fourier transforms" cufft)
heddle_pkg_config(cufftw-12.5 "Fourier transforms by FFTW's interface" "cufftw;cufft")
heddle_pkg_config(curand-12.5 "Random numbers" curand)
heddle_pkg_config(cusolver-12.5 "Linear solvers" cusolver)
file(WRITE ${modules}/heddle.pc "prefix=\${pcfiledir}/../..
nvcc=\${prefix}/bin/nvcc
heddle=\${prefix}/bin/heddle

Name: heddle
Description: CUDA and OpenCL without a GPU
Version: ${PROJECT_VERSION}
Requires: cudart-12.5
")
install(DIRECTORY ${modules} DESTINATION lib64)
