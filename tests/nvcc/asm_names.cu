// Names behind a single % in asm statements, as nvcc takes them; everything else as GCC has it.
// RUN: %nvcc -arch=sm_80 %s -o %t && %t | FileCheck %s
// RUN: %nvcc -arch=sm_80 -ptx %s -o - | FileCheck --check-prefix=PTX %s
// RUN: not %nvcc -arch=sm_80 -DWRONG=1 -ptx %s -o - 2>&1 | FileCheck --check-prefix=WRONG %s
// RUN: not %nvcc -arch=sm_80 -DWRONG=2 -c %s -o %t.o 2>&1 | FileCheck --check-prefix=HOST %s
#include <cstdio>

template <class T>
__device__ T lane_plus(T value) {
  T sum;
  asm("{ .reg .u32 %mine;\n\tmov.u32 %mine, %laneid; add.u32 %0, %mine, %1; }" : "=r"(sum) : "r"(value));
  return sum;
}

__global__ void kernel(unsigned* out) {
  unsigned long long before, after;
  unsigned thread, mask, both;
  // PTX: mov.u64 %{{rd[0-9]+}}, %globaltimer;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(before)::"memory");
  // PTX: mov.u32 %{{r[0-9]+}}, %tid.x; // 100%, "quoted" %b
  asm volatile("mov.u32 %0, %tid.x; // 100%%, \"quoted\" %b" : "=r"(thread));
  // PTX: add.u32 %{{r[0-9]+}}, %{{r[0-9]+}}, 5; mov.u32 %{{r[0-9]+}}, %lanemask_lt;
  asm volatile("add.u32 %[sum], %[term], 5; mov.u32 %1, %%lanemask_lt;"
               : [sum] "=r"(both), "=r"(mask)
               : [term] "r"(thread));
  // PTX: .reg .u32 %r77; mov.u32 %r77, %clock;
  asm volatile("{ .reg .u32 %r77; mov.u32 %r77, %clock; }");
  asm volatile(
      "mov.u64 "
      "%0, "
      "%globaltimer;"
      : "=l"(after)::"memory");
  out[threadIdx.x] = thread + mask + both + lane_plus(100u) + (after < before);
#if WRONG == 1
  // WRONG: asm_names.cu:[[#@LINE + 1]]:{{[0-9]+}}: error: invalid operand number in inline asm string
  asm volatile("mov.u32 %0, %tid.x; mov.u32 %3, %laneid;" : "=r"(thread));
#endif
}

#if WRONG == 2
// HOST: asm_names.cu:[[#@LINE + 1]]:{{[0-9]+}}: error: invalid % escape in inline assembly string
void host() { asm volatile("movl %eax, %ebx" ::: "ebx"); }
#endif

int main() {
  unsigned* out;
  cudaMallocManaged(&out, 2 * sizeof *out);
  kernel<<<1, 2>>>(out);
  cudaDeviceSynchronize();
  std::printf("%u %u\n", out[0], out[1]);  // CHECK: 105 109
  return 0;
}
