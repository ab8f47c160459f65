// What textures give between texels: each format, filtered, in one to three dimensions, for each addressing
// mode. Images and places are made by a generator of numbers, so that another device can be asked the same;
// another seed asks for other ones.
// nvcc texture_filters.cu -lcuda && ./a.out [SEED]
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static uint64_t state;
static uint32_t number() {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (uint32_t)(state >> 32);
}

struct Kind {
  const char* name;
  CUarray_format format;
  int bytes;
  bool integer;  // CU_TRSF_READ_AS_INTEGER
};
static const Kind kinds[] = {
    {"u8", CU_AD_FORMAT_UNSIGNED_INT8, 1, true},
    {"s8", CU_AD_FORMAT_SIGNED_INT8, 1, true},
    {"u16", CU_AD_FORMAT_UNSIGNED_INT16, 2, true},
    {"s16", CU_AD_FORMAT_SIGNED_INT16, 2, true},
    {"u32", CU_AD_FORMAT_UNSIGNED_INT32, 4, true},
    {"s32", CU_AD_FORMAT_SIGNED_INT32, 4, true},
    {"u8 as float", CU_AD_FORMAT_UNSIGNED_INT8, 1, false},
    {"s8 as float", CU_AD_FORMAT_SIGNED_INT8, 1, false},
    {"u16 as float", CU_AD_FORMAT_UNSIGNED_INT16, 2, false},
    {"s16 as float", CU_AD_FORMAT_SIGNED_INT16, 2, false},
    {"f16", CU_AD_FORMAT_HALF, 2, false},
    {"f32", CU_AD_FORMAT_FLOAT, 4, false},
};
constexpr int width = 13, height = 7, depth = 5;

struct Place {
  float x, y, z;
};
// The bits of what is read: floats and integers alike.
__global__ void look(cudaTextureObject_t image, int dimensions, bool integer, bool is_signed,
                     const Place* places, uint32_t* results, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Place p = places[i];
  if (!integer)
    results[i] = __float_as_uint(dimensions == 1   ? tex1D<float>(image, p.x)
                                 : dimensions == 2 ? tex2D<float>(image, p.x, p.y)
                                                   : tex3D<float>(image, p.x, p.y, p.z));
  else if (is_signed)
    results[i] = (uint32_t)(dimensions == 1   ? tex1D<int>(image, p.x)
                            : dimensions == 2 ? tex2D<int>(image, p.x, p.y)
                                              : tex3D<int>(image, p.x, p.y, p.z));
  else
    results[i] = dimensions == 1   ? tex1D<unsigned>(image, p.x)
                 : dimensions == 2 ? tex2D<unsigned>(image, p.x, p.y)
                                   : tex3D<unsigned>(image, p.x, p.y, p.z);
}

static void need(int code, const char* what) {
  if (code != 0) printf("   %s: %d\n", what, code);
}
#define NEED(...) need((int)(__VA_ARGS__), #__VA_ARGS__)

static std::vector<uint8_t> texels(const Kind& kind, int count) {
  std::vector<uint8_t> bytes(count * kind.bytes);
  for (int i = 0; i < count; ++i) {
    uint32_t bits = number();
    if (kind.format == CU_AD_FORMAT_FLOAT) bits = (bits & 0x807fffff) | (120 + (number() >> 16) % 12) << 23;
    if (kind.format == CU_AD_FORMAT_HALF) bits = (bits & 0x83ff) | (10 + (number() >> 16) % 10) << 10;
    memcpy(&bytes[i * kind.bytes], &bits, kind.bytes);
  }
  return bytes;
}

static const char* modes[] = {"wrap", "clamp", "mirror", "border"};
static Place* places;
static uint32_t* results;
constexpr int most = 4096;

static void ask(const Kind& kind, int dimensions, CUaddress_mode mode, bool normalized,
                const std::vector<uint8_t>& image, int w, int h, int d, const std::vector<Place>& wanted,
                const char* title) {
  CUDA_ARRAY3D_DESCRIPTOR shape{};
  shape.Width = w;
  shape.Height = dimensions > 1 ? h : 0;
  shape.Depth = dimensions > 2 ? d : 0;
  shape.Format = kind.format;
  shape.NumChannels = 1;
  CUarray array;
  NEED(cuArray3DCreate(&array, &shape));
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = image.data();
  copy.srcPitch = copy.WidthInBytes = w * kind.bytes;
  copy.srcHeight = copy.Height = dimensions > 1 ? h : 1;
  copy.Depth = dimensions > 2 ? d : 1;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  NEED(cuMemcpy3D(&copy));
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC how{};
  for (auto& axis : how.addressMode) axis = mode;
  how.filterMode = CU_TR_FILTER_MODE_LINEAR;
  how.flags =
      (kind.integer ? CU_TRSF_READ_AS_INTEGER : 0) | (normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0);
  for (int c = 0; c < 4; ++c) how.borderColor[c] = 0.7f;
  CUtexObject texture = 0;
  NEED(cuTexObjectCreate(&texture, &resource, &how, nullptr));
  const int count = (int)wanted.size();
  memcpy(places, wanted.data(), count * sizeof(Place));
  look<<<(count + 127) / 128, 128>>>(texture, dimensions, kind.integer, kind.name[0] == 's', places, results,
                                     count);
  NEED(cudaDeviceSynchronize());
  printf("%s, %dD, %s%s%s\n", kind.name, dimensions, modes[mode], normalized ? ", normalized" : "", title);
  for (int i = 0; i < count; ++i) printf("%x%c", results[i], i % 16 == 15 || i + 1 == count ? '\n' : ' ');
  NEED(cuTexObjectDestroy(texture));
  NEED(cuArrayDestroy(array));
}

int main(int count, char** words) {
  const uint64_t seed = count > 1 ? strtoull(words[1], nullptr, 10) : 0;
  NEED(cudaMallocManaged(&places, most * sizeof(Place)));
  NEED(cudaMallocManaged(&results, most * sizeof(uint32_t)));
  for (const Kind& kind : kinds) {
    // Every weight between two texels, and what a 512th of a texel more does.
    state = 1 + 1000 * seed;
    for (int pair = 0; pair < 4; ++pair) {
      std::vector<uint8_t> two = texels(kind, 2);
      if (pair == 3 && kind.bytes < 4 && kind.format != CU_AD_FORMAT_HALF)
        for (int b = 0; b < kind.bytes; ++b) two[b] = 0, two[kind.bytes + b] = 255;
      std::vector<Place> along;
      for (int i = 0; i <= 512; ++i) along.push_back({0.5f + i / 512.f, 0, 0});
      char title[64];
      uint32_t a = 0, b = 0;
      memcpy(&a, &two[0], kind.bytes);
      memcpy(&b, &two[kind.bytes], kind.bytes);
      snprintf(title, sizeof title, ", from %x to %x", a, b);
      ask(kind, 1, CU_TR_ADDRESS_MODE_CLAMP, false, two, 2, 1, 1, along, title);
    }
    for (int dimensions = 1; dimensions <= 3; ++dimensions)
      for (int mode = 0; mode < 4; ++mode)
        for (bool normalized : {false, true}) {
          if (!normalized && (mode == CU_TR_ADDRESS_MODE_WRAP || mode == CU_TR_ADDRESS_MODE_MIRROR)) continue;
          state = dimensions * 100 + mode * 10 + normalized + 1000 * seed;
          const std::vector<uint8_t> image = texels(kind, width * height * depth);
          std::vector<Place> anywhere;
          for (int i = 0; i < 256; ++i) {
            // From one image before to one behind, in steps of 2^-16 of a texel or of the image.
            const auto along = [&](int size) {
              const float whole = (float)((int)(number() >> 8) % (3 << 16) - (1 << 16)) / 65536.f;
              return normalized ? whole : whole * size;
            };
            const float x = along(width), y = along(height), z = along(depth);
            anywhere.push_back({x, y, z});
          }
          ask(kind, dimensions, (CUaddress_mode)mode, normalized, image, width, height, depth, anywhere, "");
        }
  }
}
