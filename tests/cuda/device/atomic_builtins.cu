// The atomic functions of CUDA 12.8 with an order and a scope, on values worked out by hand: 64 threads.
// RUN: %cuda_ptx --cuda-gpu-arch=sm_60 %s -o %t60.ptx
// RUN: %cuda_ptx --cuda-gpu-arch=sm_90 %s -o %t.ptx
// RUN: %heddle ptx run %t60.ptx --kernel arithmetic --block 64 --arg i:inout:s32=0,100,-1,0,0,5,-1000 --arg l:inout:s64=0,0,0 --arg f:inout:f32=1 --arg d:inout:f64=0.5 | FileCheck %s
// RUN: %heddle ptx run %t.ptx --kernel arithmetic --block 64 --arg i:inout:s32=0,100,-1,0,0,5,-1000 --arg l:inout:s64=0,0,0 --arg f:inout:f32=1 --arg d:inout:f64=0.5 | FileCheck %s
// RUN: %heddle ptx run %t.ptx --kernel exchanges --block 64 --arg b:inout:u8=200,0 --arg h:inout:u16=0,0,0 --arg u:inout:u32=7,0,0,0 --arg l:inout:u64=0,0,0,0 --arg f:inout:f32=0,0 | FileCheck %s --check-prefix=EXCHANGE
// RUN: %heddle ptx run %t.ptx --kernel message --block 64 --arg u:inout:u32=0,0,0 | FileCheck %s --check-prefix=MESSAGE
// RUN: FileCheck %s --check-prefix=PTX --input-file %t.ptx

extern "C" __global__ void arithmetic(int* i, long long* l, float* f, double* d) {
  const int t = threadIdx.x;
  __nv_atomic_fetch_add(&i[0], t, __NV_ATOMIC_RELAXED);  // 0 + .. + 63
  __nv_atomic_fetch_sub(&i[1], 2, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_and(&i[2], ~(1 << (t & 7)), __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);
  __nv_atomic_or(&i[3], 1 << (t & 7), __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_SYSTEM);
  __nv_atomic_xor(&i[4], 1 << (t % 3), __NV_ATOMIC_SEQ_CST);
  __nv_atomic_min(&i[5], -t, __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_max(&i[6], t, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
  __nv_atomic_add(&l[0], 1, __NV_ATOMIC_RELAXED);  // an int becomes what l points to
  __nv_atomic_sub(&l[1], 1ll << 40, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
  __nv_atomic_fetch_min(&l[2], -5000000000ll - t, __NV_ATOMIC_RELAXED);
  __nv_atomic_add(f, (float)t, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_fetch_sub(d, 0.25 * t, __NV_ATOMIC_RELAXED);
}
// CHECK: i: 2016 -28 -256 255 6 -63 63
// CHECK: l: 64 -70368744177664 -5000000063
// CHECK: f: 2017
// CHECK: d: -503.5

struct Half {
  short sign;
};
struct alignas(16) Four {
  unsigned a, b, c, d;
};

extern "C" __global__ void exchanges(unsigned char* b, unsigned short* h, unsigned* u, unsigned long long* l, float* f) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  const unsigned t = threadIdx.x;
  // Counts by compare and exchange, in 16, 32 and 128 bits.
  unsigned short seen = __nv_atomic_load_n(h, __NV_ATOMIC_RELAXED);
  while (!__nv_atomic_compare_exchange_n(h, &seen, seen + 3, true, __NV_ATOMIC_RELEASE, __NV_ATOMIC_RELAXED)) {
  }
  float sum = __nv_atomic_load_n(f, __NV_ATOMIC_RELAXED), next;
  do next = sum + 0.5f;
  while (!__nv_atomic_compare_exchange(f, &sum, &next, false, __NV_ATOMIC_SEQ_CST, __NV_ATOMIC_ACQUIRE,
                                       __NV_THREAD_SCOPE_BLOCK));
  Four* wide = (Four*)l;
  Four old, more;
  __nv_atomic_load(wide, &old, __NV_ATOMIC_ACQUIRE);
  do more = {old.a + 1, old.b, old.c, old.d + 2};
  while (!__nv_atomic_compare_exchange(wide, &old, &more, false, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_RELAXED));
  // Everyone's number is left somewhere: the sum of what came out and of what stays is that of all.
  atomicAdd(&u[1], __nv_atomic_exchange_n(&u[0], t, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_CLUSTER));
  __syncthreads();
  if (t == 0) {
    u[1] += u[0];
    u[0] = 0;
    __nv_atomic_store_n(&b[1], __nv_atomic_load_n(&b[0], __NV_ATOMIC_ACQUIRE) + 1, __NV_ATOMIC_RELEASE);
    const Half minus = {-2};
    __nv_atomic_store((Half*)&h[1], &minus, __NV_ATOMIC_SEQ_CST);
    const float half = 0.5f;
    float before;
    __nv_atomic_exchange(&f[1], &half, &before, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_THREAD);
    const Four last = {1, 2, 3, 4};
    __nv_atomic_store(wide + 1, &last, __NV_ATOMIC_RELAXED);
    unsigned wrong = 1;
    u[2] = __nv_atomic_compare_exchange_n(&u[0], &wrong, 9, false, __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED);
    u[3] = wrong;
  }
#endif
}
// EXCHANGE: b: 200 201
// EXCHANGE: h: 192 65534 0
// EXCHANGE: u: 0 2023 0 0
// EXCHANGE: l: 64 549755813888 8589934593 17179869187
// EXCHANGE: f: 32 0.5

// What was written before a release is there after an acquire.
extern "C" __global__ void message(unsigned* u) {
  if (threadIdx.x == 40) {
    u[0] = 11;
    __nv_atomic_store_n(&u[1], 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
  } else if (threadIdx.x == 0) {
    while (__nv_atomic_load_n(&u[1], __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) == 0) {
    }
    u[2] = u[0];
  }
  __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_BLOCK);
}
// MESSAGE: u: 11 1 11
// PTX-LABEL: .entry message
// PTX-DAG: ld.relaxed.gpu.u32
// PTX-DAG: st.relaxed.gpu.u32
