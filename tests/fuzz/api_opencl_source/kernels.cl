// -cl-std=CL3.0 -cl-kernel-arg-info
struct S { int x; float4 v; char c[3]; };
constant float table[4] = {1, 2, 3, 4};
const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
float helper(float x, int n) { for (int i = 0; i < n; ++i) x = fma(x, table[i & 3], 1.0f); return x; }
__attribute__((reqd_work_group_size(64, 1, 1)))
kernel void reduce(global float* restrict in, global float* out, local float* row, int n) {
  int i = get_global_id(0), l = get_local_id(0);
  row[l] = i < n ? in[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = get_local_size(0) / 2; step > 0; step >>= 1) {
    if (l < step) row[l] += row[l + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) out[get_group_id(0)] = helper(row[0], n);
}
kernel void images(read_only image2d_t from, write_only image2d_t to, sampler_t s, global struct S* all) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  float4 c = read_imagef(from, nearest, at) + read_imagef(from, s, convert_float2(at));
  write_imagef(to, at, c.wzyx);
  all[at.x].v = clamp(c, 0.0f, 1.0f);
  all[at.y].c[at.x & 3] = convert_char_sat_rte(c.x * 100);
}
kernel void integers(global uint* p, volatile global int* counter, global uchar4* bytes, long big) {
  local int shared[32];
  uint x = p[get_global_id(0)];
  switch (x & 7) {
    case 0: x = rotate(x, 5u); break;
    case 1: x = popcount(x) + clz(x); break;
    case 2: x = mul_hi(x, 77u) ^ hadd(x, 3u); break;
    default: x = add_sat(x, (uint)big); break;
  }
  shared[get_local_id(0) & 31] = atomic_inc(counter);
  bytes[0] = as_uchar4(x) + vload4(0, (global uchar*)p);
  if (get_sub_group_local_id() == 0) printf("%u %v4hhu\n", x, bytes[0]);
  p[get_global_id(0)] = sub_group_reduce_add(x) + shared[x & 31];
}
kernel void doubles(global double2* d, global half* h) {
  double2 v = d[get_global_id(0)];
  double whole;
  v.x = modf(v.x, &whole) + select(v.y, pow(v.x, v.y), (long)isnan(v.x));
  vstore_half((float)whole, 0, h);
  d[get_global_id(0)] = sqrt(v) / (v + 1.0);
}
