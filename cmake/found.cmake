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
Version: ${HEDDLE_CUDA_VERSION}
Libs: -L\${libdir} -Wl,-rpath,\${libdir} ${linked}
Cflags: -I\${includedir}
")
endfunction()

# NVIDIA's names.
heddle_pkg_config(cuda-${HEDDLE_CUDA_VERSION} "CUDA driver API" cuda)
heddle_pkg_config(cudart-${HEDDLE_CUDA_VERSION} "CUDA runtime API" cudart)
heddle_pkg_config(nvrtc-${HEDDLE_CUDA_VERSION} "Run-time compilation of CUDA C++" nvrtc)
heddle_pkg_config(nvidia-ml-${HEDDLE_CUDA_VERSION} "Management of devices" nvidia-ml)
heddle_pkg_config(cublas-${HEDDLE_CUDA_VERSION} "Linear algebra" "cublas;cublasLt")
heddle_pkg_config(cufft-${HEDDLE_CUDA_VERSION} "Fourier transforms" cufft)
heddle_pkg_config(cufftw-${HEDDLE_CUDA_VERSION} "Fourier transforms by FFTW's interface" "cufftw;cufft")
heddle_pkg_config(curand-${HEDDLE_CUDA_VERSION} "Random numbers" curand)
heddle_pkg_config(cusolver-${HEDDLE_CUDA_VERSION} "Linear solvers" cusolver)
file(WRITE ${modules}/heddle.pc "prefix=\${pcfiledir}/../..
nvcc=\${prefix}/bin/nvcc
heddle=\${prefix}/bin/heddle

Name: heddle
Description: CUDA and OpenCL without a GPU
Version: ${PROJECT_VERSION}
Requires: cudart-${HEDDLE_CUDA_VERSION}
")
install(DIRECTORY ${modules} DESTINATION lib64)
