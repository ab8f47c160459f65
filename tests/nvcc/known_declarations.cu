// What device code's declarations say: a math function changes no memory and waits for nobody, and dynamic
// shared memory begins at a multiple of 16 bytes. So neighbouring words are read and written together, as
// nvcc has them.
// RUN: %nvcc -arch=sm_90 -ptx %s -o %t.ptx && FileCheck %s < %t.ptx
extern __shared__ float words[];

// CHECK: .extern .shared .align 16 .b8 words[];

// Both halves of a float2 are read before the first call.
// CHECK-LABEL: .entry halves(
// CHECK: ld.global.nc.v2.f32
// CHECK: call.uni
// CHECK-NOT: ld.global
// CHECK: call.uni
// CHECK: st.global.v2.f32
extern "C" __global__ void halves(float2* __restrict__ to, const float2* __restrict__ from) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float low = sinf(from[i].x), high = sinf(from[i].y);
  to[i] = make_float2(low, high);
}

// CHECK-LABEL: .entry pairs(
// CHECK: ld.shared.v2.f32
// CHECK: st.shared.v2.f32
extern "C" __global__ void pairs(float* data, int count) {
  words[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  for (int i = threadIdx.x; i < count / 2; i += blockDim.x) {
    const float a = words[2 * i], b = words[2 * i + 1];
    words[2 * i] = a + b;
    words[2 * i + 1] = a - b;
  }
  __syncthreads();
  data[threadIdx.x] = words[threadIdx.x];
}

// A function with a second result writes behind its pointer alone: what was read stays known, and one of two
// equal calls is left out.
// CHECK-LABEL: .entry known(
// CHECK: ld.global.f32
// CHECK: call.uni
// CHECK-NEXT: __nv_frexpf
// CHECK-NOT: ld.global.f32
// CHECK: call.uni
// CHECK-NOT: call.uni
// CHECK: ret;
extern "C" __global__ void known(float* data) {
  int exponent;
  const float part = frexpf(data[0], &exponent);
  data[1] = part + data[0] * exponent + cosf(part) + cosf(part);
}
