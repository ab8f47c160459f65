// Statements of the guides about textures and about memory of the host that kernels reach.
//
// OpenCL Programming Guide 3.3.2.5: reads of images are cached, by a cache for 2D locality. 256 threads read a texel of 4 bytes each; a sector has 4 x 2 of them. By hand:
// a row: 8 sectors a warp, 64, all new. A square of 16 x 16 along its rows: a warp reads two rows, 4 sectors, 32 in all, all new. Along its columns: a warp reads two
// columns, 8 sectors, 64 in all, of which 32 are new.
// RUN: %nvcc -arch=sm_13 %s -o %t.13
// RUN: %heddle profile --device gtx285 --csv --metrics tex_cache_hit,tex_cache_miss,gld_request --output %t.csv %t.13
// RUN: grep 'look' %t.csv | FileCheck %s --check-prefix=COUNTS
// COUNTS: look_along_row{{.*}}"tex_cache_hit",{{.*}},"0"
// COUNTS: look_along_row{{.*}}"tex_cache_miss",{{.*}},"64"
// COUNTS: look_at_square{{.*}}"tex_cache_hit",{{.*}},"0"
// COUNTS: look_at_square{{.*}}"tex_cache_miss",{{.*}},"32"
// COUNTS: look_along_columns{{.*}}"tex_cache_hit",{{.*}},"32"
// COUNTS: look_along_columns{{.*}}"tex_cache_miss",{{.*}},"32"
// The same by the names that later devices have for it, on the reference executor, too.
// RUN: %nvcc -arch=sm_75 %s -o %t.75
// RUN: %heddle profile --device rtx2080ti --csv --metrics l1tex__t_sectors_pipe_tex_mem_texture.sum,l1tex__t_sectors_pipe_tex_mem_texture_lookup_hit.sum --output %t.75.csv %t.75
// RUN: grep 'look' %t.75.csv | FileCheck %s --check-prefix=LATER
// RUN: env HEDDLE_EXECUTOR=interp %heddle profile --device rtx2080ti --csv --metrics l1tex__t_sectors_pipe_tex_mem_texture.sum,l1tex__t_sectors_pipe_tex_mem_texture_lookup_hit.sum --output %t.75i.csv %t.75
// RUN: grep 'look' %t.75i.csv | FileCheck %s --check-prefix=LATER
// LATER: look_along_row{{.*}}"l1tex__t_sectors_pipe_tex_mem_texture.sum",{{.*}},"64"
// LATER: look_along_columns{{.*}}"l1tex__t_sectors_pipe_tex_mem_texture.sum",{{.*}},"64"
// LATER: look_along_columns{{.*}}"l1tex__t_sectors_pipe_tex_mem_texture_lookup_hit.sum",{{.*}},"32"
//
// Times, on the virtual clock: Inputs/guide_textures.py has each statement with its place.
// RUN: %heddle predict --device gtx285 --devices 8800gtx,gtx285,gtx480 --csv --output %t.times %t.13
// RUN: python3 %S/Inputs/guide_textures.py %t.times | FileCheck %s --check-prefix=TIMES
// TIMES: {{^}}statements: 20, not so: 0{{$}}
#include <cstdio>

texture<float, 2, cudaReadModeElementType> image;
texture<float, 1, cudaReadModeElementType> buffer;
texture<int, 1, cudaReadModeElementType> chain;

__global__ void look_along_row(float* out) { out[threadIdx.x] = tex2D(image, threadIdx.x + 0.5f, 0.5f); }
__global__ void look_at_square(float* out) {
  out[threadIdx.x] = tex2D(image, threadIdx.x % 16 + 0.5f, threadIdx.x / 16 + 0.5f);
}
__global__ void look_along_columns(float* out) {
  out[threadIdx.x] = tex2D(image, threadIdx.x / 16 + 0.5f, threadIdx.x % 16 + 0.5f);
}

// CUDA C Best Practices Guide 3.2.4.1: a copy with a shift, from global memory and through a texture.
__global__ void shift_copy(float* out, const float* in, int shift) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  out[at] = in[at + shift];
}
__global__ void texture_shift_copy(float* out, int shift) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  out[at] = tex1Dfetch(buffer, at + shift);
}

// One thread after the other place: in a few KB that the cache has, or in all of the memory.
__global__ void chase(int* out, int hops) {
  int at = 0;
#pragma unroll 1
  for (int i = 0; i < hops; ++i) at = tex1Dfetch(chain, at);
  *out = at;
}
// Each lane another sector: all blocks the same few KB, or each its own.
__global__ void share(float* out, int stride) {
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < 64; ++i)
    sum += tex1Dfetch(buffer, blockIdx.x * stride + (i * 1024 + threadIdx.x * 8) % (stride != 0 ? 8192 : 512));
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void add_one(float* data, int times) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < times; ++i) sum += *(volatile float*)(data + at);
  data[at] = sum + 1;
}
__global__ void add_one_apart(float* data) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  data[at * 16] += 1;
}

#define CHECK(call)                                                                       \
  do {                                                                                    \
    if (const cudaError_t error = (call); error != cudaSuccess) {                         \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      return 1;                                                                           \
    }                                                                                     \
  } while (0)

int main() {
  constexpr int count = 1 << 20;
  float *out, *in;
  CHECK(cudaMalloc(reinterpret_cast<void**>(&out), 16 * count * sizeof(float)));
  CHECK(cudaMalloc(reinterpret_cast<void**>(&in), 2 * count * sizeof(float)));
  cudaArray* array;
  const cudaChannelFormatDesc of_float = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocArray(&array, &of_float, 256, 256));
  CHECK(cudaBindTextureToArray(image, array));
  look_along_row<<<1, 256>>>(out);
  look_at_square<<<1, 256>>>(out);
  look_along_columns<<<1, 256>>>(out);

  CHECK(cudaBindTexture(nullptr, buffer, in, 2 * count * sizeof(float)));
  for (const int shift : {0, 1, 8, 16}) {
    shift_copy<<<count / 256, 256>>>(out, in, shift);
    texture_shift_copy<<<count / 256, 256>>>(out, shift);
  }

  int* next = new int[count];
  int* links;
  CHECK(cudaMalloc(reinterpret_cast<void**>(&links), count * sizeof(int)));
  for (const int size : {256, count}) {
    for (int i = 0; i < size; ++i) next[i] = (i + 64) % size;
    CHECK(cudaMemcpy(links, next, size * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaBindTexture(nullptr, chain, links, size * sizeof(int)));
    chase<<<1, 1>>>(reinterpret_cast<int*>(out), 2000);
  }
  for (const int stride : {0, 8192}) share<<<120, 128>>>(out, stride);

  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  float *host, *mapped;
  CHECK(cudaHostAlloc(reinterpret_cast<void**>(&host), 16 * count * sizeof(float), cudaHostAllocMapped));
  CHECK(cudaHostGetDevicePointer(reinterpret_cast<void**>(&mapped), host, 0));
  for (const int times : {1, 4}) {
    add_one<<<count / 256, 256>>>(mapped, times);
    add_one<<<count / 256, 256>>>(out, times);
  }
  add_one_apart<<<count / 256, 256>>>(mapped);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
