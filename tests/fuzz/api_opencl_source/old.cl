// -cl-std=CL1.1 -cl-fast-relaxed-math -cl-nv-verbose
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef struct __attribute__((packed)) { char a; int b; } Packed;
typedef union { float f; uint u; } Bits;
#define SQUARE(x) ((x) * (x))
__kernel void f(__global Packed* p, __constant int* c, __global float4* v, const int n) {
  __private Bits bits;
  float a[8];
  int i;
  #pragma unroll 4
  for (i = 0; i < 8; i++) a[i] = native_sin(v[i].x) * SQUARE(half_exp(v[i].y));
  bits.f = dot(v[0], v[1]) + length(v[2]) + a[n & 7];
  p[n].b = bits.u + c[n] + (p[n].a ? ~n : n << 3);
  v[3].s02 = normalize(cross(v[4], v[5])).xy;
}
__kernel void g(__global char* d, __global const char* s) {
  __local char t[64];
  event_t e = async_work_group_copy(t, s, 64, 0);
  wait_group_events(1, &e);
  do { d[get_global_id(0)] = t[get_local_id(0)]; } while (d[0]-- > 3);
}
