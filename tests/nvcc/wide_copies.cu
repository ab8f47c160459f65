// A structure that is only passed on is moved sixteen bytes at a time where it is aligned so, as NVIDIA's compiler does.
// RUN: %nvcc -O3 -arch=sm_90 -ptx %s -o %t.ptx && FileCheck %s < %t.ptx
// RUN: %nvcc -O3 %s -o %t && %t
#include <cstdio>
#include <cstring>

struct Two { uint4 a, b; };
struct Eight { float2 a, b; };
struct __align__(16) Odd { float v[5]; };  // 32 bytes, of which 20 are used

// CHECK-LABEL: .entry _Z4fourP5uint4PKS_
// CHECK-NOT: ld.global.u64
// CHECK: ld.global.v4.u32
// CHECK-NEXT: st.global.v4.u32
__global__ void four(uint4* o, const uint4* i) { o[threadIdx.x] = i[threadIdx.x]; }
// CHECK-LABEL: .entry _Z3twoP3TwoPKS_
// CHECK: ld.global.v4.u32
// CHECK-NEXT: ld.global.v4.u32
// CHECK-NEXT: st.global.v4.u32
// CHECK-NEXT: st.global.v4.u32
__global__ void two(Two* o, const Two* i) { o[threadIdx.x] = i[threadIdx.x]; }
// CHECK-LABEL: .entry _Z6sharedP5uint4PKS_
// CHECK: st.shared.v4.u32
// CHECK: ld.shared.v4.u32
__global__ void shared(uint4* o, const uint4* i) {
  __shared__ uint4 t[32];
  t[threadIdx.x] = i[threadIdx.x];
  __syncthreads();
  o[threadIdx.x] = t[31 - threadIdx.x];
}
// CHECK-LABEL: .entry _Z4zeroP6float4
// CHECK: st.global.v4.
// CHECK-NOT: st.global
__global__ void zero(float4* o) { o[threadIdx.x] = make_float4(0, 0, 0, 0); }
// Aligned to eight bytes alone.
// CHECK-LABEL: .entry _Z5eightP5EightPKS_
// CHECK-NOT: .v4.
// CHECK-LABEL: .entry
__global__ void eight(Eight* o, const Eight* i) { o[threadIdx.x] = i[threadIdx.x]; }
__global__ void odd(Odd* o, const Odd* i) { o[threadIdx.x] = i[threadIdx.x]; }

template <class T>
int moved(void (*kernel)(T*, const T*), bool backwards = false) {
  T *in, *out;
  cudaMallocManaged(&in, 32 * sizeof(T));
  cudaMallocManaged(&out, 32 * sizeof(T));
  for (unsigned k = 0; k < 32 * sizeof(T); ++k) reinterpret_cast<unsigned char*>(in)[k] = (unsigned char)(k * 37 + k / 256);
  kernel<<<1, 32>>>(out, in);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  for (int k = 0; k < 32; ++k)
    if (std::memcmp(&out[k], &in[backwards ? 31 - k : k], sizeof(T)) != 0) return 1;
  return 0;
}
int odd_moved() {
  Odd *in, *out;
  cudaMallocManaged(&in, sizeof *in);
  cudaMallocManaged(&out, sizeof *out);
  for (int k = 0; k < 5; ++k) in->v[k] = k + 0.5f;
  odd<<<1, 1>>>(out, in);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  return std::memcmp(in->v, out->v, sizeof in->v) != 0;
}
int zeroed() {
  float4* out;
  cudaMallocManaged(&out, 32 * sizeof *out);
  std::memset(out, 1, 32 * sizeof *out);
  zero<<<1, 32>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  for (int k = 0; k < 32; ++k)
    if (out[k].x != 0 || out[k].y != 0 || out[k].z != 0 || out[k].w != 0) return 1;
  return 0;
}
int main() { return moved(four) + moved(two) + moved(shared, true) + moved(eight) + odd_moved() + zeroed(); }
