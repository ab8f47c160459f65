// What an architecture lacks is refused when it is compiled for: managed variables before Kepler, launches in device
// code before 3.5 (CUDA C Programming Guide 6.0, J.1.2 and C.4.1).
// RUN: not %nvcc -arch=sm_20 -DMANAGED -c %s -o %t.o 2>&1 | FileCheck --check-prefix=MANAGED %s
// RUN: %nvcc -arch=sm_30 -DMANAGED -c %s -o %t.o
// RUN: not %nvcc -arch=sm_30 -rdc=true -c %s -o %t.o 2>&1 | FileCheck --check-prefix=LAUNCH %s
// RUN: %nvcc -arch=sm_35 -rdc=true -c %s -o %t.o
// MANAGED: error: {{.*}}__managed__ variables require architecture compute_30 or higher
// LAUNCH: error: calling a __global__ function("child") from a __device__ or __global__ function("parent") is only allowed on the compute_35 architecture or above
// LAUNCH: 1 error detected
#ifdef MANAGED
__managed__ int counter = 3;
__global__ void parent() { ++counter; }
#else
__global__ void child(int* p) { *p = 5; }
__global__ void parent(int* p) { child<<<1, 1>>>(p); }
#endif
