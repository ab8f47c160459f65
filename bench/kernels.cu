// The kernels of the benchmark, as a CUDA programmer of the guides would write them. bench/kernels.cl has the
// same algorithms in OpenCL C; bench/rows.cpp says how each is launched and checks what it computes.
#include "device.h"

using uint = unsigned;

static __device__ inline uint global_x() { return blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ inline uint global_y() { return blockIdx.y * blockDim.y + threadIdx.y; }
static __device__ inline uint all_x() { return gridDim.x * blockDim.x; }

extern __shared__ float partial[];  // one a thread

extern "C" {

__global__ void empty(float*) {}

// ---- streams

__global__ void vecadd(const float* a, const float* b, float* c, uint n) {
  const uint i = global_x();
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void saxpy(const float* x, const float* y, float* z, float a, uint n) {
  const uint i = global_x();
  if (i < n) z[i] = a * x[i] + y[i];
}

__global__ void offcopy(const float* in, float* out, uint offset) {
  const uint i = global_x() + offset;
  out[i] = in[i];
}

__global__ void strcopy(const float* in, float* out, uint stride) {
  const uint i = global_x() * stride;
  out[i] = in[i] + 1.0f;
}

// `in` has a halo of three on both sides.
__global__ void stencil(const float* in, float* out) {
  __shared__ float tile[256 + 6];
  const uint l = threadIdx.x, g = global_x() + 3;
  tile[l + 3] = in[g];
  if (l < 3) {
    tile[l] = in[g - 3];
    tile[l + 259] = in[g + 256];
  }
  __syncthreads();
  float sum = 0;
  for (int o = -3; o <= 3; ++o) sum += tile[static_cast<int>(l) + 3 + o];
  out[g] = sum;
}

__global__ void reduce(const float* in, float* out, uint n) {
  __shared__ float sums[256];
  const uint l = threadIdx.x;
  float own = 0;
  for (uint i = global_x(); i < n; i += all_x()) own += in[i];
  sums[l] = own;
  __syncthreads();
  for (uint step = 128; step > 0; step >>= 1) {
    if (l < step) sums[l] += sums[l + step];
    __syncthreads();
  }
  if (l == 0) out[blockIdx.x] = sums[0];
}

__global__ void hist(const uint* data, uint* counts, uint n) {
  __shared__ uint own[256];
  const uint l = threadIdx.x;
  own[l] = 0;
  __syncthreads();
  for (uint i = global_x(); i < n; i += all_x()) atomicAdd(&own[data[i] & 255], 1);
  __syncthreads();
  atomicAdd(&counts[l], own[l]);
}

// ---- matrix times vector, in the steps of the programming guides

__global__ void mv_L2(const float* m, const float* v, uint width, uint height, float* w) {
  const uint y = global_x();
  if (y < height) {
    const float* row = m + y * width;
    float dot = 0;
    for (uint x = 0; x < width; ++x) dot += row[x] * v[x];
    w[y] = dot;
  }
}

__global__ void mv_L3(const float* m, const float* v, uint width, uint height, float* w) {
  for (uint y = global_x(); y < height; y += all_x()) {
    const float* row = m + y * width;
    float dot = 0;
    for (uint x = 0; x < width; ++x) dot += row[x] * v[x];
    w[y] = dot;
  }
}

static __device__ inline float dot_of_thread(const float* row, const float* v, uint width) {
  float dot = 0;
  for (uint x = threadIdx.x; x < width; x += blockDim.x) dot += row[x] * v[x];
  return dot;
}

__global__ void mv_L4(const float* m, const float* v, uint width, uint height, float* w) {
  for (uint y = blockIdx.x; y < height; y += gridDim.x) {
    partial[threadIdx.x] = dot_of_thread(m + y * width, v, width);
    __syncthreads();
    if (threadIdx.x == 0) {
      float dot = 0;
      for (uint t = 0; t < blockDim.x; ++t) dot += partial[t];
      w[y] = dot;
    }
    __syncthreads();
  }
}

__global__ void mv_L5(const float* m, const float* v, uint width, uint height, float* w) {
  for (uint y = blockIdx.x; y < height; y += gridDim.x) {
    partial[threadIdx.x] = dot_of_thread(m + y * width, v, width);
    for (uint step = 1; step < blockDim.x; step *= 2) {
      __syncthreads();
      const uint index = 2 * step * threadIdx.x;
      if (index < blockDim.x) partial[index] += partial[index + step];
    }
    if (threadIdx.x == 0) w[y] = partial[0];
    __syncthreads();
  }
}

__global__ void mv_L6(const float* m, const float* v, uint width, uint height, float* w) {
  for (uint y = blockIdx.x; y < height; y += gridDim.x) {
    partial[threadIdx.x] = dot_of_thread(m + y * width, v, width);
    for (uint step = blockDim.x / 2; step > 0; step /= 2) {
      __syncthreads();
      if (threadIdx.x < step) partial[threadIdx.x] += partial[threadIdx.x + step];
    }
    if (threadIdx.x == 0) w[y] = partial[0];
    __syncthreads();
  }
}

// Warp-synchronous: inside a warp there is no barrier, only that each instruction is done by all lanes before
// the next one. Each warp reduces 64 values, two warps' worth, so half of the warps work.
__global__ void mv_L7(const float* m, const float* v, uint width, uint height, float* w) {
  const uint warp_size = 32;
  for (uint y = blockIdx.x; y < height; y += gridDim.x) {
    partial[threadIdx.x] = dot_of_thread(m + y * width, v, width);
    __syncthreads();
    const uint lane = threadIdx.x & (warp_size - 1);
    float of_warp = 0;
    if (threadIdx.x < blockDim.x / 2) {
      volatile float* p = partial + 2 * threadIdx.x - lane;
      p[0] += p[32];
      p[0] += p[16];
      p[0] += p[8];
      p[0] += p[4];
      p[0] += p[2];
      p[0] += p[1];
      of_warp = p[0];
    }
    __syncthreads();
    if (lane == 0) partial[threadIdx.x / warp_size] = of_warp;
    __syncthreads();
    const uint left = blockDim.x / (2 * warp_size);
    if (threadIdx.x < left / 2) {
      volatile float* p = partial + threadIdx.x;
      if (left >= 8) p[0] += p[4];
      if (left >= 4) p[0] += p[2];
      if (left >= 2) p[0] += p[1];
    }
    if (threadIdx.x == 0) w[y] = partial[0];
    __syncthreads();
  }
}

// ---- matrices

__global__ void mm_naive(const float* a, const float* b, float* c, uint n) {
  const uint x = global_x(), y = global_y();
  float sum = 0;
  for (uint k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

__global__ void mm_tiled(const float* a, const float* b, float* c, uint n) {
  __shared__ float tile_a[16][16], tile_b[16][16];
  const uint tx = threadIdx.x, ty = threadIdx.y;
  const uint x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  float sum = 0;
  for (uint t = 0; t < n / 16; ++t) {
    tile_a[ty][tx] = a[y * n + t * 16 + tx];
    tile_b[ty][tx] = b[(t * 16 + ty) * n + x];
    __syncthreads();
    for (uint k = 0; k < 16; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
    __syncthreads();
  }
  c[y * n + x] = sum;
}

// Blocks of 32 x 8 threads, tiles of 32 x 32.
__global__ void tr_naive(const float* in, float* out, uint n) {
  const uint x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (uint j = 0; j < 32; j += 8) out[x * n + y + j] = in[(y + j) * n + x];
}

__global__ void tr_tiled(const float* in, float* out, uint n) {
  __shared__ float tile[32][33];
  const uint tx = threadIdx.x, ty = threadIdx.y;
  uint x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
  for (uint j = 0; j < 32; j += 8) tile[ty + j][tx] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + tx;
  y = blockIdx.x * 32 + ty;
  for (uint j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[tx][ty + j];
}

__global__ void spmv(const uint* rows, const uint* columns, const float* values, const float* x, float* y,
                     uint count) {
  const uint r = global_x();
  if (r < count) {
    float sum = 0;
    for (uint k = rows[r]; k < rows[r + 1]; ++k) sum += values[k] * x[columns[k]];
    y[r] = sum;
  }
}

// ---- arithmetic

static __device__ inline float normal_distribution(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  const float tail =
      0.39894228040143267794f * expf(-0.5f * d * d) *
      (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - tail : tail;
}

__global__ void bs(float* call, float* put, const float* price, const float* strike, const float* years,
                   float rate, float volatility, uint n) {
  const uint i = global_x();
  if (i >= n) return;
  const float s = price[i], x = strike[i], t = years[i];
  const float root = sqrtf(t);
  const float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
  const float d2 = d1 - volatility * root;
  const float n1 = normal_distribution(d1), n2 = normal_distribution(d2);
  const float discount = expf(-rate * t);
  call[i] = s * n1 - x * discount * n2;
  put[i] = x * discount * (1.0f - n2) - s * (1.0f - n1);
}

__global__ void nbody(const float4* bodies, float4* forces, uint n) {
  __shared__ float4 tile[256];
  const uint i = global_x(), l = threadIdx.x;
  const float4 me = bodies[i];
  float ax = 0, ay = 0, az = 0;
  for (uint base = 0; base < n; base += 256) {
    tile[l] = bodies[base + l];
    __syncthreads();
    for (uint j = 0; j < 256; ++j) {
      const float4 other = tile[j];
      const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      const float f = other.w * r * r * r;
      ax += dx * f;
      ay += dy * f;
      az += dz * f;
    }
    __syncthreads();
  }
  forces[i] = {ax, ay, az, 0};
}

__global__ void mandel(int* out, uint width, int most) {
  const uint x = global_x(), y = global_y();
  const float cx = -2.0f + 2.5f * static_cast<float>(x) / static_cast<float>(width);
  const float cy = -1.25f + 2.5f * static_cast<float>(y) / static_cast<float>(width);
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

// ---- sorting, scanning, barriers, small blocks

__global__ void bitonic(uint* data, uint j, uint k) {
  const uint i = global_x(), other = i ^ j;
  if (other > i) {
    const uint a = data[i], b = data[other];
    if ((i & k) == 0 ? a > b : a < b) {
      data[i] = b;
      data[other] = a;
    }
  }
}

// 512 elements a block of 256 threads.
__global__ void scan_block(const uint* in, uint* out, uint* sums) {
  __shared__ uint tree[512];
  const uint l = threadIdx.x, base = blockIdx.x * 512;
  tree[2 * l] = in[base + 2 * l];
  tree[2 * l + 1] = in[base + 2 * l + 1];
  uint offset = 1;
  for (uint d = 256; d > 0; d >>= 1) {
    __syncthreads();
    if (l < d) {
      const uint a = offset * (2 * l + 1) - 1, b = offset * (2 * l + 2) - 1;
      tree[b] += tree[a];
    }
    offset *= 2;
  }
  if (l == 0) {
    sums[blockIdx.x] = tree[511];
    tree[511] = 0;
  }
  for (uint d = 1; d < 512; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (l < d) {
      const uint a = offset * (2 * l + 1) - 1, b = offset * (2 * l + 2) - 1;
      const uint left = tree[a];
      tree[a] = tree[b];
      tree[b] += left;
    }
  }
  __syncthreads();
  out[base + 2 * l] = tree[2 * l];
  out[base + 2 * l + 1] = tree[2 * l + 1];
}

__global__ void scan_add(uint* out, const uint* sums) {
  const uint i = blockIdx.x * 512 + 2 * threadIdx.x, before = sums[blockIdx.x];
  out[i] += before;
  out[i + 1] += before;
}

__global__ void barheavy(float* out, uint rounds) {
  __shared__ float ring[256];
  const uint l = threadIdx.x;
  ring[l] = static_cast<float>(l) * 0.001f;
  __syncthreads();
  for (uint i = 0; i < rounds; ++i) {
    const float next = ring[(l + 1) & 255];
    __syncthreads();
    ring[l] = next * 0.999f + 0.001f;
    __syncthreads();
  }
  out[global_x()] = ring[l];
}

__global__ void tiny(uint* out) {
  const uint i = global_x();
  out[i] = i * 3 + 1;
}

}  // extern "C"
