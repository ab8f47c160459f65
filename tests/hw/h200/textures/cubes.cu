// Directions into cube maps: near the edges of texels, of two and three equal axes, and of special numbers;
// what the nearest texel, a filter and a seamless filter give. nvcc -O1 cubes.cu && ./a.out FOLDER
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
__global__ void look(cudaTextureObject_t t, const float* at, int count, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = texCubemap<float>(t, at[3 * i], at[3 * i + 1], at[3 * i + 2]);
}
static uint64_t state = 28;
static uint32_t number() {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (uint32_t)(state >> 32);
}
static float from_bits(uint32_t bits) {
  float f;
  memcpy(&f, &bits, 4);
  return f;
}
static const uint32_t special[] = {0,          0x80000000, 1,          0x80000001, 0x7fffff,   0x807fffff,
                                   0x800000,   0x80800000, 0x01000000, 0x3f800000, 0xbf800000, 0x3f7fffff,
                                   0x3f800001, 0x7e800000, 0x7effffff, 0x7f000000, 0x7f000001, 0x7f7fffff,
                                   0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001};
static void direction(int kind, int size, float* v) {
  auto sign = [] { return (number() & 1) ? 1.0f : -1.0f; };
  float major = ldexpf(1 + (number() >> 9) * 0x1p-23f, (int)(number() % 9) - 4);
  float w[3];
  switch (kind) {
    case 0:  // anywhere
      for (auto& f : w) f = (int)(number() >> 8) * 0x1p-23f - 1;
      break;
    case 1:  // near an edge between texels
      for (int c = 0; c < 2; ++c)
        w[c] =
            major *
            (2.0f * (float)((double)(number() % size) / size + ((int)(number() % 33) - 16) / 16.0 * 0x1p-20) -
             1);
      w[2] = sign() * major;
      break;
    case 2:  // the same, a longest axis of 1, and a few units off in the last place
      for (int c = 0; c < 2; ++c) {
        w[c] = 2.0f * (float)((double)(number() % (size + 1)) / size) - 1;
        w[c] = from_bits([&] {
          uint32_t b;
          memcpy(&b, &w[c], 4);
          return b + number() % 7 - 3;
        }());
      }
      w[2] = sign();
      break;
    case 3:  // two or three equal axes, or almost
      w[0] = sign() * major, w[1] = sign() * major;
      w[2] = (number() & 1) ? sign() * major : sign() * major * (int)(number() >> 8) * 0x1p-24f;
      if (number() & 1) w[1] = nextafterf(w[1], (number() & 1) ? 0 : INFINITY);
      break;
    case 4:  // special numbers
      for (auto& f : w) f = from_bits(special[number() % (sizeof special / sizeof *special)]);
      break;
    default:  // any bits, of like exponents
      for (auto& f : w) f = from_bits(number());
      if (number() & 1)
        for (int c = 1; c < 3; ++c) {
          uint32_t a, b;
          memcpy(&a, &w[0], 4), memcpy(&b, &w[c], 4);
          w[c] = from_bits((b & 0x807fffff) | (a & 0x7f800000));
        }
  }
  int turn = number() % 3;
  for (int c = 0; c < 3; ++c) v[c] = w[(c + turn) % 3];
}
int main(int, char** argv) {
  folder = argv[1];
  auto d = cudaCreateChannelDesc<float>();
  const int count = 12288;
  std::vector<float> directions, answers;
  for (int size : {8, 100, 1000}) {
    std::vector<float> at(3 * count);
    for (int i = 0; i < count; ++i) direction(i % 6, size, &at[3 * i]);
    float *p, *o;
    CK(cudaMalloc(&p, at.size() * 4));
    CK(cudaMalloc(&o, count * 4));
    CK(cudaMemcpy(p, at.data(), at.size() * 4, cudaMemcpyHostToDevice));
    directions.insert(directions.end(), at.begin(), at.end());
    for (int way = 0; way < 3; ++way) {
      // Nearest: a texel's number. Filtered: 12 bits of a hash, so that no sum of them is rounded.
      std::vector<float> texels((size_t)size * size * 6);
      for (size_t i = 0; i < texels.size(); ++i) texels[i] = way == 0 ? i : ((uint32_t)i * 2654435761u) >> 20;
      cudaArray_t a;
      CK(cudaMalloc3DArray(&a, &d, make_cudaExtent(size, size, 6), cudaArrayCubemap));
      cudaMemcpy3DParms c{};
      c.srcPtr = make_cudaPitchedPtr(texels.data(), size * 4, size, size);
      c.dstArray = a;
      c.extent = make_cudaExtent(size, size, 6);
      c.kind = cudaMemcpyHostToDevice;
      CK(cudaMemcpy3D(&c));
      cudaResourceDesc r{};
      r.resType = cudaResourceTypeArray;
      r.res.array.array = a;
      cudaTextureDesc s{};
      s.readMode = cudaReadModeElementType;
      s.filterMode = way == 0 ? cudaFilterModePoint : cudaFilterModeLinear;
      s.normalizedCoords = 1;
      s.seamlessCubemap = way == 2;
      for (auto& m : s.addressMode) m = cudaAddressModeClamp;
      cudaTextureObject_t t;
      CK(cudaCreateTextureObject(&t, &r, &s, nullptr));
      look<<<(count + 63) / 64, 64>>>(t, p, count, o);
      std::vector<float> v(count);
      CK(cudaMemcpy(v.data(), o, v.size() * 4, cudaMemcpyDeviceToHost));
      answers.insert(answers.end(), v.begin(), v.end());
      cudaDestroyTextureObject(t);
      cudaFreeArray(a);
    }
  }
  save("cube_directions.bin", directions);
  save("cube_answers.bin", answers);
  cudaDeviceProp prop;
  CK(cudaGetDeviceProperties(&prop, 0));
  printf("%s done\n", prop.name);
}
