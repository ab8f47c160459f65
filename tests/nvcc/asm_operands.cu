// Operands of asm statements without a comma between them, as nvcc takes them.
// RUN: %nvcc -arch=sm_80 %s -o %t && %t | FileCheck %s
// RUN: not %nvcc -arch=sm_80 -DWRONG=1 -ptx %s -o - 2>&1 | FileCheck --check-prefix=WRONG %s
// RUN: not %nvcc -arch=sm_80 -DWRONG=2 -ptx %s -o - 2>&1 | FileCheck --check-prefix=UNFINISHED %s
#include <cstdio>

template <class T>
__device__ T three_times(T value) {
  T result;
  asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(value) "r"((value, 2u)), "r"(value));
  return result;
}

#define PLACE(pointer) "l"(pointer)

__global__ void kernel(unsigned* out) {
  unsigned low, high;
  asm volatile("mov.b64 {%0, %1}, %2;" : "=r"(low) "=r"(high) : "l"(0x500000007ull));
  asm volatile("st.global.u32 [%1], %0;" ::"r"(low) PLACE(out) : "memory");
  asm volatile("st.global.u32 [%[to]], %[what];" ::[to] "l"(out + 1)[what] "r"(high) : "memory");
  asm volatile("st.global.u32 [%1 + 8], %0;" : : "r"(three_times(7u)) "l"(out) : "memory");
#if WRONG == 1
  // WRONG: [[@LINE+1]]:45: error: expected ')'
  asm volatile("mov.u32 %0, 1;" : "=r"(low) 5);
#elif WRONG == 2
  // UNFINISHED: [[@LINE+1]]:44: error: expected ')'
  asm volatile("mov.u32 %0, 1;" : "=r"(low "l"(out));
#endif
}

int main() {
  unsigned* out;
  cudaMallocManaged(&out, 3 * sizeof(unsigned));
  kernel<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  printf("%u %u %u\n", out[0], out[1], out[2]);
  // CHECK: 7 5 21
}
