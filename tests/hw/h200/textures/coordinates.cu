// Normalised coordinates of textures: how finely they are cut, by size, axis, sign and addressing mode; cube
// maps. nvcc -O1 coordinates.cu && ./a.out FOLDER
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
cudaTextureObject_t make(cudaArray_t a, cudaTextureFilterMode filter, cudaTextureAddressMode mode) {
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = a;
  cudaTextureDesc t{};
  t.readMode = cudaReadModeElementType;
  t.filterMode = filter;
  t.normalizedCoords = 1;
  for (auto& m : t.addressMode) m = mode;
  cudaTextureObject_t o;
  CK(cudaCreateTextureObject(&o, &r, &t, nullptr));
  return o;
}
__global__ void thresholds(cudaTextureObject_t t, int axis, int step, int count, uint32_t* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float k = 1 + i * step;
  uint32_t low = 0, high = 0x3f7fffff;
  while (low < high) {
    uint32_t m = low + (high - low) / 2;
    float x = __uint_as_float(m);
    float texel = axis == 0 ? tex1D<float>(t, x) : tex2D<float>(t, 0.25f, x);
    if (texel >= k)
      high = m;
    else
      low = m + 1;
  }
  out[i] = low;
}
__global__ void look(cudaTextureObject_t t, const float* at, int count, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = tex1D<float>(t, at[i]);
}
__global__ void look_cube(cudaTextureObject_t t, const float* at, int count, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = texCubemap<float>(t, at[3 * i], at[3 * i + 1], at[3 * i + 2]);
}
static uint64_t state = 1;
static uint32_t number() {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (uint32_t)(state >> 32);
}
int main(int, char** argv) {
  folder = argv[1];
  std::vector<uint32_t> all;
  uint32_t* out;
  CK(cudaMalloc(&out, 4096));
  auto d = cudaCreateChannelDesc<float>();
  for (int axis = 0; axis < 2; ++axis)
    for (int size : {1,     3,     100,   2047,  2048,  2049,  4095,   4096,   4097,  5000,  6000,
                     8000,  8191,  8192,  8193,  9000,  12000, 16383,  16385,  20000, 30000, 32767,
                     32768, 32769, 40000, 50000, 65535, 65536, 100000, 131071, 131072}) {
      if (axis && size > 65536) continue;
      int width = axis ? 2 : size, height = axis ? size : 1;
      std::vector<float> texels(width * height);
      for (int i = 0; i < width * height; ++i) texels[i] = axis ? i / 2 : i;
      cudaArray_t a;
      CK(cudaMallocArray(&a, &d, width, axis ? height : 0));
      CK(cudaMemcpy2DToArray(a, 0, 0, texels.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice));
      auto t = make(a, cudaFilterModePoint, cudaAddressModeClamp);
      int step = size > 200 ? size / 160 : 1, count = size < 2 ? 0 : (size - 2) / step + 1;
      if (count) thresholds<<<(count + 63) / 64, 64>>>(t, axis, step, count, out);
      std::vector<uint32_t> v(count);
      if (count) CK(cudaMemcpy(v.data(), out, count * 4, cudaMemcpyDeviceToHost));
      all.push_back(size);
      all.push_back(axis);
      all.push_back(step);
      all.push_back(count);
      all.insert(all.end(), v.begin(), v.end());
      cudaDestroyTextureObject(t);
      cudaFreeArray(a);
    }
  save("sizes.bin", all);
  std::vector<float> places, answers;
  for (int size : {3, 5, 100, 4097, 10000, 65536}) {
    std::vector<float> texels(size);
    for (int i = 0; i < size; ++i) texels[i] = i;
    cudaArray_t a;
    CK(cudaMallocArray(&a, &d, size));
    CK(cudaMemcpy2DToArray(a, 0, 0, texels.data(), size * 4, size * 4, 1, cudaMemcpyHostToDevice));
    std::vector<float> at(4096);
    for (size_t i = 0; i < at.size(); ++i) {
      int kind = i % 4;
      double turns = kind == 0   ? 0
                     : kind == 1 ? (int)(number() % 7) - 3
                     : kind == 2 ? (int)(number() % 2001) - 1000
                                 : (int)(number() % 200001) - 100000;
      at[i] =
          (float)(turns + (double)(number() % size) / size + ((int)(number() % 33) - 16) / 16.0 * 0x1p-20);
      if (i % 16 == 15) {
        uint32_t bits = number();
        memcpy(&at[i], &bits, 4);
      }
    }
    float *p, *o;
    CK(cudaMalloc(&p, at.size() * 4));
    CK(cudaMalloc(&o, at.size() * 4));
    CK(cudaMemcpy(p, at.data(), at.size() * 4, cudaMemcpyHostToDevice));
    places.insert(places.end(), at.begin(), at.end());
    for (int filter = 0; filter < 2; ++filter)
      for (auto mode :
           {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder}) {
        auto t = make(a, filter ? cudaFilterModeLinear : cudaFilterModePoint, mode);
        look<<<at.size() / 64, 64>>>(t, p, at.size(), o);
        std::vector<float> v(at.size());
        CK(cudaMemcpy(v.data(), o, v.size() * 4, cudaMemcpyDeviceToHost));
        answers.insert(answers.end(), v.begin(), v.end());
        cudaDestroyTextureObject(t);
      }
    cudaFreeArray(a);
  }
  save("places.bin", places);
  save("answers.bin", answers);
  std::vector<float> directions, cubes;
  for (int size : {8, 100, 1000}) {
    std::vector<float> texels((size_t)size * size * 6);
    for (size_t i = 0; i < texels.size(); ++i) texels[i] = i;
    cudaArray_t a;
    CK(cudaMalloc3DArray(&a, &d, make_cudaExtent(size, size, 6), cudaArrayCubemap));
    cudaMemcpy3DParms c{};
    c.srcPtr = make_cudaPitchedPtr(texels.data(), size * 4, size, size);
    c.dstArray = a;
    c.extent = make_cudaExtent(size, size, 6);
    c.kind = cudaMemcpyHostToDevice;
    CK(cudaMemcpy3D(&c));
    std::vector<float> at(3 * 8192);
    for (size_t i = 0; i < at.size() / 3; ++i) {
      float major = (i & 1) ? 1.0f : ldexpf(1 + (number() >> 9) * 0x1p-23f, (int)(number() % 9) - 4), v[3];
      for (int c = 0; c < 2; ++c)
        v[c] =
            major *
            (2.0f * (float)((double)(number() % size) / size + ((int)(number() % 33) - 16) / 16.0 * 0x1p-20) -
             1);
      v[2] = (number() & 1) ? major : -major;
      int turn = number() % 3;
      for (int c = 0; c < 3; ++c) at[3 * i + c] = v[(c + turn) % 3];
    }
    float *p, *o;
    CK(cudaMalloc(&p, at.size() * 4));
    CK(cudaMalloc(&o, at.size() * 4));
    CK(cudaMemcpy(p, at.data(), at.size() * 4, cudaMemcpyHostToDevice));
    directions.insert(directions.end(), at.begin(), at.end());
    auto t = make(a, cudaFilterModePoint, cudaAddressModeClamp);
    look_cube<<<8192 / 64, 64>>>(t, p, 8192, o);
    std::vector<float> v(8192);
    CK(cudaMemcpy(v.data(), o, v.size() * 4, cudaMemcpyDeviceToHost));
    cubes.insert(cubes.end(), v.begin(), v.end());
  }
  save("directions.bin", directions);
  save("cubes.bin", cubes);
  cudaDeviceProp prop;
  CK(cudaGetDeviceProperties(&prop, 0));
  printf("%s done\n", prop.name);
}
