// Every atomic function at once, on values worked out by hand: 64 threads, thread i with its own share.
// RUN: %cuda_ptx --cuda-gpu-arch=sm_20 %s -o %t20.ptx -nocudalib -Xclang -target-sdk-version=12.5
// RUN: %cuda_ptx --cuda-gpu-arch=sm_70 %s -o %t.ptx
// RUN: %heddle ptx run %t.ptx --kernel integers --block 64 --arg i:inout:s32=0,100,0,5,-1000,1000,-1,0,0,7 --arg u:inout:u32=0,100,0,9,0,4000000000,0xffffffff,0,0,0,0 --arg l:inout:u64=0,0,100,0,0xffffffffffffffff,0,0 | FileCheck %s --check-prefix=INT
// RUN: %heddle ptx run %t.ptx --kernel floats --block 64 --arg f:inout:f32=1,0 --arg d:inout:f64=0.5 | FileCheck %s --check-prefix=FLOAT
// RUN: %heddle ptx run %t.ptx --kernel scopes --block 64 --arg u:inout:u32=0,0,0,0 --arg h:inout:u16=0,0 | FileCheck %s --check-prefix=SCOPE

extern "C" __global__ void integers(int* i, unsigned* u, unsigned long long* l) {
  int t = threadIdx.x;
  atomicAdd(&i[0], t);        // 0 + .. + 63 = 2016
  atomicSub(&i[1], 2);        // 100 - 128
  atomicExch(&i[2], 77);      // whoever was last
  atomicMin(&i[3], t - 10);   // -10
  atomicMax(&i[4], t);        // 63
  atomicMin(&i[5], -t);       // -63
  atomicAnd(&i[6], ~(1 << (t & 7)));
  atomicOr(&i[7], 1 << (t & 7));
  atomicXor(&i[8], 1 << (t % 3));  // bit 0: 22 times, bit 1: 21 times, bit 2: 21 times
  atomicCAS(&i[9], 7, 8);
  atomicAdd(&u[0], (unsigned)t);
  atomicSub(&u[1], 1u);
  atomicExch(&u[2], 5u);
  atomicMin(&u[3], 100u - t);
  atomicMax(&u[4], 4000000000u - t);
  atomicMin(&u[5], 4000000000u - t);
  atomicAnd(&u[6], ~(1u << (t & 31)));
  atomicOr(&u[7], 1u << (t & 15));
  atomicXor(&u[8], 3u);
  atomicInc(&u[9], 9u);   // counts modulo 10: 64 mod 10
  atomicDec(&u[10], 9u);  // 0 -> 9 -> 8 ...: after 64 steps 6
  atomicAdd(&l[0], 1ull << 40);
  atomicExch(&l[1], 3ull);
  atomicCAS(&l[2], 100ull, 1ull << 50);
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 320
  atomicMax(&l[3], (unsigned long long)t << 33);
  atomicMin(&l[4], (unsigned long long)(t + 5) << 33);
  atomicOr(&l[5], 1ull << t);
  atomicMin((long long*)&l[6], -5000000000ll - t);
#endif
}
// INT: i: 2016 -28 77 -10 63 -63 -256 255 6 8
// INT: u: 2016 36 5 9 4000000000 3999999937 0 65535 0 4 6
// INT: l: 70368744177664 3 1125899906842624 541165879296 42949672960 18446744073709551615 18446744068709551553

// Small integers, so that no order of additions rounds.
extern "C" __global__ void floats(float* f, double* d) {
  atomicAdd(&f[0], (float)threadIdx.x);
  atomicExch(&f[1], 2.5f);
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
  atomicAdd(d, 0.25 * threadIdx.x);
#endif
}
// FLOAT: f: 2017 2.5
// FLOAT: d: 504.5

extern "C" __global__ void scopes(unsigned* u, unsigned short* h) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
  atomicAdd_block(&u[0], 1u);
  atomicAdd_system(&u[1], 2u);
  atomicMax_block(&u[2], threadIdx.x);
  if (atomicCAS_system(&u[3], 0u, threadIdx.x + 1) == 0) h[1] = 1;
  unsigned short seen = h[0], old;
  do {
    old = seen;
    seen = atomicCAS(&h[0], old, (unsigned short)(old + 3));
  } while (seen != old);
#endif
}
// SCOPE: u: 64 128 63 {{[1-9][0-9]*}}
// SCOPE: h: 192 1
