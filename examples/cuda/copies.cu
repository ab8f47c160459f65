// Copies whose threads start off a segment's boundary, leave gaps, or read shifted data, the last also through the texture cache
// (CUDA C Best Practices Guide 4.0, 3.2.1.3, 3.2.1.4 and 3.2.4.1, listings 3.5, 3.6, 3.12 and 3.13).
//
//     nvcc copies.cu -o copies && ./copies
#include "check.h"

constexpr int threads = 64, blocks = 32, count = threads * blocks, farthest = 32;

// Listing 3.5: a warp's addresses lie in a row but begin anywhere.
__global__ void offset_copy(float* to, const float* from, int offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x + offset;
  to[i] = from[i];
}

// Listing 3.6: of what a transaction brings, only every stride-th element is used.
__global__ void stride_copy(float* to, const float* from, int stride) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
  to[i] = from[i];
}

// Listing 3.12: reads begin anywhere, writes do not.
__global__ void shift_copy(float* to, const float* from, int shift) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i + shift];
}

// Listing 3.13, with a texture object where the guide had a texture reference (texture_reference.cu has that).
__global__ void texture_shift_copy(float* to, cudaTextureObject_t from, int shift) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = tex1Dfetch<float>(from, i + shift);
}

cudaTextureObject_t texture_of(float* data, std::size_t bytes) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = data;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = bytes;
  cudaTextureDesc how{};
  how.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  return texture;
}

// What is to be in `to` after index i of the launch was copied from index `source(i)` to index `target(i)`; the rest stays zero.
template <class Source, class Target>
std::vector<float> copied(const std::vector<float>& from, Source source, Target target) {
  std::vector<float> to(from.size());
  for (int i = 0; i < count; ++i) to[target(i)] = from[source(i)];
  return to;
}

int main() {
  std::vector<float> data(count * farthest + farthest);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i + 1);
  const DeviceArray<float> from(data), to(data.size());
  const cudaTextureObject_t texture = texture_of(from, from.bytes());

  const auto clear = [&] { CHECK(cudaMemset(to, 0, to.bytes())); };
  const auto same = [](int i) { return i; };
  for (int distance = 0; distance <= farthest; ++distance) {
    char name[64];
    const auto moved = [distance](int i) { return i + distance; };
    clear();
    offset_copy<<<blocks, threads>>>(to, from, distance);
    std::snprintf(name, sizeof name, "listing 3.5, offset %d", distance);
    expect(name, to.values(), copied(data, moved, moved));

    if (distance > 0) {
      const auto spread = [distance](int i) { return i * distance; };
      clear();
      stride_copy<<<blocks, threads>>>(to, from, distance);
      std::snprintf(name, sizeof name, "listing 3.6, stride %d", distance);
      expect(name, to.values(), copied(data, spread, spread));
    }

    clear();
    shift_copy<<<blocks, threads>>>(to, from, distance);
    std::snprintf(name, sizeof name, "listing 3.12, shift %d", distance);
    expect(name, to.values(), copied(data, moved, same));

    clear();
    texture_shift_copy<<<blocks, threads>>>(to, texture, distance);
    std::snprintf(name, sizeof name, "listing 3.13, shift %d", distance);
    expect(name, to.values(), copied(data, moved, same));
  }
  CHECK(cudaGetLastError());
  CHECK(cudaDestroyTextureObject(texture));
}
