// The kernels of kernels.cu in OpenCL C, for OpenCL contenders. A work-group is a block; dynamic shared memory
// is the last argument.
#define GROUP_SYNC() barrier(CLK_LOCAL_MEM_FENCE)

kernel void empty(global float* unused) {}

// ---- streams

kernel void vecadd(global const float* a, global const float* b, global float* c, uint n) {
  const uint i = get_global_id(0);
  if (i < n) c[i] = a[i] + b[i];
}

kernel void saxpy(global const float* x, global const float* y, global float* z, float a, uint n) {
  const uint i = get_global_id(0);
  if (i < n) z[i] = a * x[i] + y[i];
}

kernel void offcopy(global const float* in, global float* out, uint offset) {
  const uint i = get_global_id(0) + offset;
  out[i] = in[i];
}

kernel void strcopy(global const float* in, global float* out, uint stride) {
  const uint i = get_global_id(0) * stride;
  out[i] = in[i] + 1.0f;
}

kernel void stencil(global const float* in, global float* out) {
  local float tile[256 + 6];
  const uint l = get_local_id(0), g = get_global_id(0) + 3;
  tile[l + 3] = in[g];
  if (l < 3) {
    tile[l] = in[g - 3];
    tile[l + 259] = in[g + 256];
  }
  GROUP_SYNC();
  float sum = 0;
  for (int o = -3; o <= 3; ++o) sum += tile[(int)l + 3 + o];
  out[g] = sum;
}

kernel void reduce(global const float* in, global float* out, uint n) {
  local float sums[256];
  const uint l = get_local_id(0);
  float own = 0;
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) own += in[i];
  sums[l] = own;
  GROUP_SYNC();
  for (uint step = 128; step > 0; step >>= 1) {
    if (l < step) sums[l] += sums[l + step];
    GROUP_SYNC();
  }
  if (l == 0) out[get_group_id(0)] = sums[0];
}

kernel void hist(global const uint* data, global uint* counts, uint n) {
  local uint own[256];
  const uint l = get_local_id(0);
  own[l] = 0;
  GROUP_SYNC();
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&own[data[i] & 255]);
  GROUP_SYNC();
  atomic_add(&counts[l], own[l]);
}

// ---- matrix times vector

kernel void mv_L2(global const float* m, global const float* v, uint width, uint height, global float* w) {
  const uint y = get_global_id(0);
  if (y < height) {
    global const float* row = m + y * width;
    float dot_ = 0;
    for (uint x = 0; x < width; ++x) dot_ += row[x] * v[x];
    w[y] = dot_;
  }
}

kernel void mv_L3(global const float* m, global const float* v, uint width, uint height, global float* w) {
  for (uint y = get_global_id(0); y < height; y += get_global_size(0)) {
    global const float* row = m + y * width;
    float dot_ = 0;
    for (uint x = 0; x < width; ++x) dot_ += row[x] * v[x];
    w[y] = dot_;
  }
}

inline float dot_of_item(global const float* row, global const float* v, uint width) {
  float dot_ = 0;
  for (uint x = get_local_id(0); x < width; x += get_local_size(0)) dot_ += row[x] * v[x];
  return dot_;
}

kernel void mv_L4(global const float* m, global const float* v, uint width, uint height, global float* w,
                  local float* partial) {
  const uint l = get_local_id(0), size = get_local_size(0);
  for (uint y = get_group_id(0); y < height; y += get_num_groups(0)) {
    partial[l] = dot_of_item(m + y * width, v, width);
    GROUP_SYNC();
    if (l == 0) {
      float dot_ = 0;
      for (uint t = 0; t < size; ++t) dot_ += partial[t];
      w[y] = dot_;
    }
    GROUP_SYNC();
  }
}

kernel void mv_L5(global const float* m, global const float* v, uint width, uint height, global float* w,
                  local float* partial) {
  const uint l = get_local_id(0), size = get_local_size(0);
  for (uint y = get_group_id(0); y < height; y += get_num_groups(0)) {
    partial[l] = dot_of_item(m + y * width, v, width);
    for (uint step = 1; step < size; step *= 2) {
      GROUP_SYNC();
      const uint index = 2 * step * l;
      if (index < size) partial[index] += partial[index + step];
    }
    if (l == 0) w[y] = partial[0];
    GROUP_SYNC();
  }
}

kernel void mv_L6(global const float* m, global const float* v, uint width, uint height, global float* w,
                  local float* partial) {
  const uint l = get_local_id(0), size = get_local_size(0);
  for (uint y = get_group_id(0); y < height; y += get_num_groups(0)) {
    partial[l] = dot_of_item(m + y * width, v, width);
    for (uint step = size / 2; step > 0; step /= 2) {
      GROUP_SYNC();
      if (l < step) partial[l] += partial[l + step];
    }
    if (l == 0) w[y] = partial[0];
    GROUP_SYNC();
  }
}

// Relies on a warp of 32 in lockstep, which OpenCL does not promise: an implementation may be wrong here by
// right.
kernel void mv_L7(global const float* m, global const float* v, uint width, uint height, global float* w,
                  local float* partial) {
  const uint warp = 32, l = get_local_id(0), size = get_local_size(0);
  for (uint y = get_group_id(0); y < height; y += get_num_groups(0)) {
    partial[l] = dot_of_item(m + y * width, v, width);
    GROUP_SYNC();
    const uint lane = l & (warp - 1);
    float of_warp = 0;
    if (l < size / 2) {
      volatile local float* p = partial + 2 * l - lane;
      p[0] += p[32];
      p[0] += p[16];
      p[0] += p[8];
      p[0] += p[4];
      p[0] += p[2];
      p[0] += p[1];
      of_warp = p[0];
    }
    GROUP_SYNC();
    if (lane == 0) partial[l / warp] = of_warp;
    GROUP_SYNC();
    const uint left = size / (2 * warp);
    if (l < left / 2) {
      volatile local float* p = partial + l;
      if (left >= 8) p[0] += p[4];
      if (left >= 4) p[0] += p[2];
      if (left >= 2) p[0] += p[1];
    }
    if (l == 0) w[y] = partial[0];
    GROUP_SYNC();
  }
}

// ---- matrices

kernel void mm_naive(global const float* a, global const float* b, global float* c, uint n) {
  const uint x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (uint k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

kernel __attribute__((reqd_work_group_size(16, 16, 1))) void mm_tiled(global const float* a,
                                                                       global const float* b, global float* c,
                                                                       uint n) {
  local float tile_a[16][16], tile_b[16][16];
  const uint tx = get_local_id(0), ty = get_local_id(1);
  const uint x = get_group_id(0) * 16 + tx, y = get_group_id(1) * 16 + ty;
  float sum = 0;
  for (uint t = 0; t < n / 16; ++t) {
    tile_a[ty][tx] = a[y * n + t * 16 + tx];
    tile_b[ty][tx] = b[(t * 16 + ty) * n + x];
    GROUP_SYNC();
    for (uint k = 0; k < 16; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
    GROUP_SYNC();
  }
  c[y * n + x] = sum;
}

kernel void tr_naive(global const float* in, global float* out, uint n) {
  const uint x = get_group_id(0) * 32 + get_local_id(0), y = get_group_id(1) * 32 + get_local_id(1);
  for (uint j = 0; j < 32; j += 8) out[x * n + y + j] = in[(y + j) * n + x];
}

kernel void tr_tiled(global const float* in, global float* out, uint n) {
  local float tile[32][33];
  const uint tx = get_local_id(0), ty = get_local_id(1);
  uint x = get_group_id(0) * 32 + tx, y = get_group_id(1) * 32 + ty;
  for (uint j = 0; j < 32; j += 8) tile[ty + j][tx] = in[(y + j) * n + x];
  GROUP_SYNC();
  x = get_group_id(1) * 32 + tx;
  y = get_group_id(0) * 32 + ty;
  for (uint j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[tx][ty + j];
}

kernel void spmv(global const uint* rows, global const uint* columns, global const float* values,
                 global const float* x, global float* y, uint count) {
  const uint r = get_global_id(0);
  if (r < count) {
    float sum = 0;
    for (uint k = rows[r]; k < rows[r + 1]; ++k) sum += values[k] * x[columns[k]];
    y[r] = sum;
  }
}

// ---- arithmetic

inline float normal_distribution(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
  const float tail =
      0.39894228040143267794f * exp(-0.5f * d * d) *
      (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - tail : tail;
}

kernel void bs(global float* call, global float* put, global const float* price, global const float* strike,
               global const float* years, float rate, float volatility, uint n) {
  const uint i = get_global_id(0);
  if (i >= n) return;
  const float s = price[i], x = strike[i], t = years[i];
  const float root = sqrt(t);
  const float d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
  const float d2 = d1 - volatility * root;
  const float n1 = normal_distribution(d1), n2 = normal_distribution(d2);
  const float discount = exp(-rate * t);
  call[i] = s * n1 - x * discount * n2;
  put[i] = x * discount * (1.0f - n2) - s * (1.0f - n1);
}

kernel void nbody(global const float4* bodies, global float4* forces, uint n) {
  local float4 tile[256];
  const uint i = get_global_id(0), l = get_local_id(0);
  const float4 me = bodies[i];
  float ax = 0, ay = 0, az = 0;
  for (uint base = 0; base < n; base += 256) {
    tile[l] = bodies[base + l];
    GROUP_SYNC();
    for (uint j = 0; j < 256; ++j) {
      const float4 other = tile[j];
      const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      const float r = rsqrt(dx * dx + dy * dy + dz * dz + 0.01f);
      const float f = other.w * r * r * r;
      ax += dx * f;
      ay += dy * f;
      az += dz * f;
    }
    GROUP_SYNC();
  }
  forces[i] = (float4)(ax, ay, az, 0);
}

kernel void mandel(global int* out, uint width, int most) {
  const uint x = get_global_id(0), y = get_global_id(1);
  const float cx = -2.0f + 2.5f * (float)x / (float)width, cy = -1.25f + 2.5f * (float)y / (float)width;
  float zx = 0, zy = 0;
  int i = 0;
  while (i < most && zx * zx + zy * zy < 4.0f) {
    const float t = zx * zx - zy * zy + cx;
    zy = 2 * zx * zy + cy;
    zx = t;
    ++i;
  }
  out[y * width + x] = i;
}

// ---- sorting, scanning, barriers, small groups

kernel void bitonic(global uint* data, uint j, uint k) {
  const uint i = get_global_id(0), other = i ^ j;
  if (other > i) {
    const uint a = data[i], b = data[other];
    if ((i & k) == 0 ? a > b : a < b) {
      data[i] = b;
      data[other] = a;
    }
  }
}

kernel void scan_block(global const uint* in, global uint* out, global uint* sums) {
  local uint tree[512];
  const uint l = get_local_id(0), base = get_group_id(0) * 512;
  tree[2 * l] = in[base + 2 * l];
  tree[2 * l + 1] = in[base + 2 * l + 1];
  uint offset = 1;
  for (uint d = 256; d > 0; d >>= 1) {
    GROUP_SYNC();
    if (l < d) {
      const uint a = offset * (2 * l + 1) - 1, b = offset * (2 * l + 2) - 1;
      tree[b] += tree[a];
    }
    offset *= 2;
  }
  if (l == 0) {
    sums[get_group_id(0)] = tree[511];
    tree[511] = 0;
  }
  for (uint d = 1; d < 512; d *= 2) {
    offset >>= 1;
    GROUP_SYNC();
    if (l < d) {
      const uint a = offset * (2 * l + 1) - 1, b = offset * (2 * l + 2) - 1;
      const uint left = tree[a];
      tree[a] = tree[b];
      tree[b] += left;
    }
  }
  GROUP_SYNC();
  out[base + 2 * l] = tree[2 * l];
  out[base + 2 * l + 1] = tree[2 * l + 1];
}

kernel void scan_add(global uint* out, global const uint* sums) {
  const uint i = get_group_id(0) * 512 + 2 * get_local_id(0), before = sums[get_group_id(0)];
  out[i] += before;
  out[i + 1] += before;
}

kernel void barheavy(global float* out, uint rounds) {
  local float ring[256];
  const uint l = get_local_id(0);
  ring[l] = (float)l * 0.001f;
  GROUP_SYNC();
  for (uint i = 0; i < rounds; ++i) {
    const float next = ring[(l + 1) & 255];
    GROUP_SYNC();
    ring[l] = next * 0.999f + 0.001f;
    GROUP_SYNC();
  }
  out[get_global_id(0)] = ring[l];
}

kernel void tiny(global uint* out) {
  const uint i = get_global_id(0);
  out[i] = i * 3 + 1;
}
