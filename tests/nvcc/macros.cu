// Macros of the device and the host, as nvcc defines them.
// RUN: %nvcc -c -rdc=true --extended-lambda --expt-relaxed-constexpr -gencode arch=compute_60,code=sm_60 -gencode arch=compute_75,code=sm_75 -DALL %s -o %t.o
// RUN: %nvcc -c -arch=sm_13 -DOLD %s -o %t.o
// RUN: %nvcc -c %s -o %t.o
// RUN: %nvcc -c -x cu -default-stream per-thread -DPER_THREAD %s -o %t.o
#if !defined(__NVCC__) || !defined(__CUDACC__)
#error not nvcc
#endif
#if __CUDACC__ != 1 || __NVCC__ != 1
#error programs say "#if __CUDACC__"
#endif
#if __CUDACC_VER_MAJOR__ != 12 || __CUDACC_VER_MINOR__ != 9 || __CUDA_API_VER_MAJOR__ != 12
#error another version
#endif
#ifdef ALL
#if !defined(__CUDACC_RDC__) || !defined(__CUDACC_EXTENDED_LAMBDA__) || !defined(__CUDACC_RELAXED_CONSTEXPR__)
#error a mode is missing
#endif
constexpr int archs[] = {__CUDA_ARCH_LIST__};
static_assert(sizeof(archs) == 2 * sizeof(int) && archs[0] == 600 && archs[1] == 750);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 600 && __CUDA_ARCH__ != 750
#error another architecture
#endif
#elif defined(OLD)
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 130
#error another architecture
#endif
#else
#if defined(__CUDACC_RDC__) || defined(__CUDACC_EXTENDED_LAMBDA__) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 520)
#error a mode that nobody asked for
#endif
#endif
#ifdef PER_THREAD
static_assert(CUDA_API_PER_THREAD_DEFAULT_STREAM == 1);
#endif
__global__ void k(int* p) { *p = 1; }
