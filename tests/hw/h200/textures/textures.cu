// What textures answer where it was not known: filtered signed bytes, where normalised coordinates change
// texel, subnormal results; how long looks at textures and at mapped memory take. nvcc -O1 textures.cu &&
// ./a.out FOLDER
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#define CK(x)                                             \
  do {                                                    \
    cudaError_t e = (x);                                  \
    if (e != cudaSuccess) {                               \
      printf("%d %s\n", __LINE__, cudaGetErrorString(e)); \
      exit(1);                                            \
    }                                                     \
  } while (0)
static std::string folder;
template <class T>
void save(const char* name, const std::vector<T>& v) {
  FILE* f = fopen((folder + "/" + name).c_str(), "wb");
  fwrite(v.data(), sizeof(T), v.size(), f);
  fclose(f);
}
cudaTextureObject_t make(cudaArray_t a, cudaTextureReadMode read, cudaTextureFilterMode filter,
                         bool normalized, cudaTextureAddressMode mode) {
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = a;
  cudaTextureDesc t{};
  t.readMode = read;
  t.filterMode = filter;
  t.normalizedCoords = normalized;
  for (auto& m : t.addressMode) m = mode;
  cudaTextureObject_t o;
  CK(cudaCreateTextureObject(&o, &r, &t, nullptr));
  return o;
}
// Each pair of signed bytes at one weight: 65,536 words in 512 rows of 128 pairs (256 texels).
__global__ void pairs(cudaTextureObject_t t, int w, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;  // pair number: a * 256 + b
  int row = i / 128, column = i % 128;
  out[i] = tex2D<float>(t, 2 * column + 0.5f + w / 256.0f, row + 0.5f);
}
// The smallest normalised coordinate (as bits) whose texel is at least k of size.
__global__ void thresholds(cudaTextureObject_t t, int size, int step, int count, uint32_t* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int k = 1 + i * step;
  uint32_t low = 0, high = 0x3f7fffff;  // to just below 1
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (tex1D<int>(t, __uint_as_float(middle)) >= k)
      high = middle;
    else
      low = middle + 1;
  }
  out[i] = low;
}
// The smallest normalised coordinate whose filtered value between texels k and k + 1 is at least j of 256.
__global__ void steps(cudaTextureObject_t t, int size, int k, uint32_t* out) {
  int j = threadIdx.x;
  uint32_t low = __float_as_uint((k + 0.25f) / size), high = __float_as_uint((k + 1.75f) / size);
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (tex1D<float>(t, __uint_as_float(middle)) >= k + j / 256.0f)
      high = middle;
    else
      low = middle + 1;
  }
  out[j] = low;
}
__global__ void small(cudaTextureObject_t t, int count, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count * 32) out[i] = tex2D<float>(t, 0.5f + (i % 32) / 32.0f, i / 32 + 0.5f);
}
__global__ void chase(cudaTextureObject_t t, int start, int hops, long long* time, int* end) {
  int at = start;
  for (int i = 0; i < hops; ++i) at = tex1Dfetch<int>(t, at);
  long long begin = clock64();
  for (int i = 0; i < hops; ++i) at = tex1Dfetch<int>(t, at);
  *time = clock64() - begin;
  *end = at;
}
__global__ void chase_array(cudaTextureObject_t t, int hops, long long* time, float* end) {
  float at = 0.5f;
  for (int i = 0; i < hops; ++i) at = tex2D<float>(t, at, 0.5f);
  long long begin = clock64();
  for (int i = 0; i < hops; ++i) at = tex2D<float>(t, at, 0.5f);
  *time = clock64() - begin;
  *end = at;
}
__global__ void chase_memory(const int* p, int hops, long long* time, int* end) {
  int at = 0;
  long long begin = clock64();
  for (int i = 0; i < hops; ++i) at = __ldcg(p + at);
  *time = clock64() - begin;
  *end = at;
}
__global__ void read_mapped(const float* p, float* out, size_t n, int stride) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x, all = (size_t)gridDim.x * blockDim.x;
  float s = 0;
  for (size_t at = i; at * stride < n; at += all) s += p[at * stride];
  out[i] = s;
}
__global__ void write_mapped(float* p, size_t n, int stride) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x, all = (size_t)gridDim.x * blockDim.x;
  for (size_t at = i; at * stride < n; at += all) p[at * stride] = i;
}
// A texture read along rows, or along columns, or shifted: time of a copy.
__global__ void copy_texture(cudaTextureObject_t t, float* out, int n, int dx, bool transposed) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * n + x] =
      transposed ? tex2D<float>(t, y + 0.5f + dx, x + 0.5f) : tex2D<float>(t, x + 0.5f + dx, y + 0.5f);
}
__global__ void copy_buffer(cudaTextureObject_t t, float* out, int n, int shift, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex1Dfetch<float>(t, (int)(((long long)i * stride + shift) % n));
}
__global__ void copy_plain(const float* p, float* out, int n, int shift, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = p[((long long)i * stride + shift) % n];
}
template <class F>
float best(F&& f) {
  cudaEvent_t a, b;
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  float least = 1e9;
  for (int i = 0; i < 7; ++i) {
    cudaEventRecord(a);
    f();
    cudaEventRecord(b);
    CK(cudaEventSynchronize(b));
    float ms;
    cudaEventElapsedTime(&ms, a, b);
    if (ms < least) least = ms;
  }
  return least;
}
int main(int, char** argv) {
  folder = argv[1];
  cudaDeviceProp prop;
  CK(cudaGetDeviceProperties(&prop, 0));
  int driver;
  cudaDriverGetVersion(&driver);
  printf("%s, driver API %d\n", prop.name, driver);
  {  // signed bytes
    std::vector<int8_t> texels(512 * 256);
    for (int i = 0; i < 65536; ++i) texels[2 * i] = i / 256, texels[2 * i + 1] = i % 256;
    cudaArray_t a;
    auto d = cudaCreateChannelDesc<signed char>();
    CK(cudaMallocArray(&a, &d, 256, 512));
    CK(cudaMemcpy2DToArray(a, 0, 0, texels.data(), 256, 256, 512, cudaMemcpyHostToDevice));
    auto t = make(a, cudaReadModeNormalizedFloat, cudaFilterModeLinear, false, cudaAddressModeClamp);
    float* out;
    CK(cudaMalloc(&out, 65536 * 4));
    std::vector<float> words(65536);
    std::vector<int16_t> all;
    long odd = 0;
    for (int w : {0, 1, 2, 3, 5, 16, 31, 64, 77, 100, 127, 128, 129, 171, 200, 255}) {
      pairs<<<256, 256>>>(t, w, out);
      CK(cudaMemcpy(words.data(), out, 65536 * 4, cudaMemcpyDeviceToHost));
      for (float f : words) {
        int16_t p = (int16_t)std::lrint((double)f * 32767);
        all.push_back(p);
        float back = (float)(p * 32769.0 / (32768.0 * 32768.0));
        odd += memcmp(&back, &f, 4) != 0;
      }
    }
    printf("signed bytes: %zu words, of another form %ld\n", all.size(), odd);
    save("signed_bytes.bin", all);
  }
  {  // coordinates
    std::vector<uint32_t> all, table;
    uint32_t* out;
    CK(cudaMalloc(&out, 4096));
    for (int size :
         {2,   3,   5,   6,   7,   9,   10,  11,   12,   13,   16,   17,   24,    31,    33,    48,   100,
          127, 129, 255, 257, 300, 500, 768, 1000, 1023, 1025, 4095, 4097, 10000, 16384, 20000, 32767})
      for (int mode = 0; mode < 3; ++mode) {
        std::vector<int> texels(size);
        for (int i = 0; i < size; ++i) texels[i] = i;
        cudaArray_t a;
        auto d = cudaCreateChannelDesc<int>();
        CK(cudaMallocArray(&a, &d, size));
        CK(cudaMemcpy2DToArray(a, 0, 0, texels.data(), size * 4, size * 4, 1, cudaMemcpyHostToDevice));
        auto t = make(a, cudaReadModeElementType, cudaFilterModePoint, true,
                      mode == 0   ? cudaAddressModeClamp
                      : mode == 1 ? cudaAddressModeWrap
                                  : cudaAddressModeMirror);
        int step = size > 200 ? size / 160 : 1, count = (size - 2) / step + 1;
        thresholds<<<(count + 63) / 64, 64>>>(t, size, step, count, out);
        std::vector<uint32_t> v(count);
        CK(cudaMemcpy(v.data(), out, count * 4, cudaMemcpyDeviceToHost));
        all.push_back(size);
        all.push_back(mode);
        all.push_back(step);
        all.push_back(count);
        all.insert(all.end(), v.begin(), v.end());
        cudaDestroyTextureObject(t);
        cudaFreeArray(a);
      }
    save("thresholds.bin", all);
    for (int size : {3, 5, 7, 13, 16, 100, 1000, 4097})
      for (int k : {0, 1, size / 3, size / 2, size - 2}) {
        if (k > size - 2) continue;
        std::vector<float> texels(size);
        for (int i = 0; i < size; ++i) texels[i] = i;
        cudaArray_t a;
        auto d = cudaCreateChannelDesc<float>();
        CK(cudaMallocArray(&a, &d, size));
        CK(cudaMemcpy2DToArray(a, 0, 0, texels.data(), size * 4, size * 4, 1, cudaMemcpyHostToDevice));
        auto t = make(a, cudaReadModeElementType, cudaFilterModeLinear, true, cudaAddressModeClamp);
        steps<<<1, 256>>>(t, size, k, out);
        std::vector<uint32_t> v(256);
        CK(cudaMemcpy(v.data(), out, 1024, cudaMemcpyDeviceToHost));
        table.push_back(size);
        table.push_back(k);
        table.insert(table.end(), v.begin(), v.end());
        cudaDestroyTextureObject(t);
        cudaFreeArray(a);
      }
    save("steps.bin", table);
  }
  {  // subnormal sums: pairs of floats around the smallest normal one
    const uint32_t bits[] = {0,        0x80000000, 1,          0x80000001, 0x1000,    0x400000,
                             0x7fffff, 0x807fffff, 0x800000,   0x80800000, 0x800001,  0x80800001,
                             0xffffff, 0x1000000,  0x81000000, 0x1800000,  0x2000000, 0x3f800000};
    std::vector<uint32_t> texels;
    for (uint32_t a : bits)
      for (uint32_t b : bits) texels.push_back(a), texels.push_back(b);
    int count = texels.size() / 2;
    cudaArray_t a;
    auto d = cudaCreateChannelDesc<float>();
    CK(cudaMallocArray(&a, &d, 2, count));
    CK(cudaMemcpy2DToArray(a, 0, 0, texels.data(), 8, 8, count, cudaMemcpyHostToDevice));
    auto t = make(a, cudaReadModeElementType, cudaFilterModeLinear, false, cudaAddressModeClamp);
    float* out;
    CK(cudaMalloc(&out, count * 128));
    small<<<(count * 32 + 255) / 256, 256>>>(t, count, out);
    std::vector<uint32_t> v(count * 32);
    CK(cudaMemcpy(v.data(), out, count * 128, cudaMemcpyDeviceToHost));
    save("subnormals.bin", v);
    auto p = make(a, cudaReadModeElementType, cudaFilterModePoint, false, cudaAddressModeClamp);
    small<<<(count * 32 + 255) / 256, 256>>>(p, count, out);
    CK(cudaMemcpy(v.data(), out, count * 128, cudaMemcpyDeviceToHost));
    save("subnormals_point.bin", v);
  }
  long long* time;
  int* end;
  CK(cudaMalloc(&time, 8));
  CK(cudaMalloc(&end, 8));
  long long clocks;
  for (size_t kb : {4, 16, 64, 128, 192, 256, 1024, 8192, 262144}) {  // latency, a hop a line of 128 bytes
    int n = kb * 256;
    std::vector<int> next(n);
    for (int i = 0; i < n; ++i) next[i] = (i + 32) % n;
    int* p;
    CK(cudaMalloc(&p, n * 4ull));
    CK(cudaMemcpy(p, next.data(), n * 4ull, cudaMemcpyHostToDevice));
    cudaResourceDesc r{};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = p;
    r.res.linear.desc = cudaCreateChannelDesc<int>();
    r.res.linear.sizeInBytes = n * 4ull;
    cudaTextureDesc d{};
    d.readMode = cudaReadModeElementType;
    cudaTextureObject_t t;
    CK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    int hops = n / 32 > 20000 ? 20000 : n / 32;
    if (kb == 262144) {
      int big = 0;
      (void)big;
    }
    chase<<<1, 1>>>(t, 0, hops, time, end);
    CK(cudaMemcpy(&clocks, time, 8, cudaMemcpyDeviceToHost));
    printf("tex1Dfetch chase %zu KB: %.1f clocks\n", kb, (double)clocks / hops);
    cudaFree(p);
  }
  for (int n : {64, 1024, 16384})
    for (int mode = 0; mode < 2; ++mode) {
      std::vector<float> next(n);
      for (int i = 0; i < n; ++i) next[i] = (i + 16) % n + 0.5f;
      cudaArray_t a;
      auto d = cudaCreateChannelDesc<float>();
      CK(cudaMallocArray(&a, &d, n, 8));
      CK(cudaMemcpy2DToArray(a, 0, 0, next.data(), n * 4, n * 4, 1, cudaMemcpyHostToDevice));
      auto t = make(a, cudaReadModeElementType, mode ? cudaFilterModeLinear : cudaFilterModePoint, false,
                    cudaAddressModeClamp);
      int hops = n / 16;
      if (hops < 256) hops = 256;
      chase_array<<<1, 1>>>(t, hops, time, (float*)end);
      CK(cudaMemcpy(&clocks, time, 8, cudaMemcpyDeviceToHost));
      printf("tex2D chase %d texels, %s: %.1f clocks\n", n, mode ? "linear" : "point", (double)clocks / hops);
    }
  {  // mapped memory
    size_t n = 64 << 20;
    float *h, *m, *o, *c, *dev;
    CK(cudaHostAlloc(&h, n, cudaHostAllocMapped));
    CK(cudaHostGetDevicePointer(&m, h, 0));
    CK(cudaMalloc(&o, 4 << 20));
    CK(cudaMalloc(&dev, n));
    CK(cudaHostAlloc(&c, n, cudaHostAllocWriteCombined));
    memset(h, 0, n);
    memset(c, 0, n);
    int* hi = (int*)h;
    for (int i = 0; i < 1 << 20; ++i) hi[i] = (i + 1024) % (1 << 20);
    chase_memory<<<1, 1>>>((int*)m, 1000, time, end);
    CK(cudaMemcpy(&clocks, time, 8, cudaMemcpyDeviceToHost));
    printf("mapped chase: %.1f clocks first time\n", clocks / 1000.0);
    chase_memory<<<1, 1>>>((int*)m, 1000, time, end);
    CK(cudaMemcpy(&clocks, time, 8, cudaMemcpyDeviceToHost));
    printf("mapped chase: %.1f clocks again\n", clocks / 1000.0);
    for (int stride : {1, 2, 8, 32}) {
      float r = best([&] { read_mapped<<<1024, 256>>>(m, o, n / 4, stride); }),
            w = best([&] { write_mapped<<<1024, 256>>>(m, n / 4, stride); });
      float rd = best([&] { read_mapped<<<1024, 256>>>(dev, o, n / 4, stride); });
      printf("mapped 64 MB stride %d: read %.3f ms, write %.3f ms; device memory read %.3f ms\n", stride, r,
             w, rd);
    }
    float r4 = best([&] { read_mapped<<<1024, 256>>>(m, o, 1 << 20, 1); }),
          r16 = best([&] { read_mapped<<<1024, 256>>>(m, o, 1 << 18, 1); });
    printf("mapped 4 MB read %.4f ms, 1 MB %.4f ms\n", r4, r16);
    printf("copy 64 MB to device: pinned %.3f ms, write-combined %.3f ms; to host: pinned %.3f ms\n",
           best([&] { cudaMemcpyAsync(dev, h, n, cudaMemcpyHostToDevice); }),
           best([&] { cudaMemcpyAsync(dev, c, n, cudaMemcpyHostToDevice); }),
           best([&] { cudaMemcpyAsync(h, dev, n, cudaMemcpyDeviceToHost); }));
  }
  {  // copies through textures
    int n = 4096;
    float *out, *in;
    CK(cudaMalloc(&out, n * n * 4ull));
    CK(cudaMalloc(&in, n * n * 4ull));
    CK(cudaMemset(in, 0, n * n * 4ull));
    cudaArray_t a;
    auto d = cudaCreateChannelDesc<float>();
    CK(cudaMallocArray(&a, &d, n, n));
    auto t = make(a, cudaReadModeElementType, cudaFilterModePoint, false, cudaAddressModeClamp),
         l = make(a, cudaReadModeElementType, cudaFilterModeLinear, false, cudaAddressModeClamp);
    for (int by : {8, 1})
      for (int dx : {0, 1, 8, 17})
        for (bool tr : {false, true})
          printf("tex2D copy 4096^2, blocks 32 x %d, shift %d, transposed %d: %.4f ms, linear %.4f\n", by, dx,
                 tr, best([&] { copy_texture<<<dim3(n / 32, n / by), dim3(32, by)>>>(t, out, n, dx, tr); }),
                 best([&] { copy_texture<<<dim3(n / 32, n / by), dim3(32, by)>>>(l, out, n, dx, tr); }));
    cudaResourceDesc r{};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = in;
    r.res.linear.desc = d;
    r.res.linear.sizeInBytes = n * n * 4ull;
    cudaTextureDesc td{};
    td.readMode = cudaReadModeElementType;
    cudaTextureObject_t b;
    CK(cudaCreateTextureObject(&b, &r, &td, nullptr));
    for (int stride : {1, 2, 8, 32})
      for (int shift : {0, 1, 16})
        printf("tex1Dfetch copy 64 MB, stride %d, shift %d: %.4f ms, plain %.4f\n", stride, shift,
               best([&] { copy_buffer<<<n * n / 256, 256>>>(b, out, n * n, shift, stride); }),
               best([&] { copy_plain<<<n * n / 256, 256>>>(in, out, n * n, shift, stride); }));
  }
  return 0;
}
