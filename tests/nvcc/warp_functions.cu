// What clang's own headers say about a warp's functions is what the device does.
// RUN: %nvcc -arch=sm_80 %s -o %t && %t
#include <cstdio>

__global__ void reduce(unsigned* out) {
  const unsigned lane = threadIdx.x, all = 0xffffffffu;
  unsigned* mine = out + 8 * lane;
  mine[0] = __reduce_add_sync(all, lane);
  mine[1] = __reduce_max_sync(all, lane + 5);
  mine[2] = __reduce_min_sync(all, lane + 5);
  mine[3] = __reduce_and_sync(all, lane | 64);
  mine[4] = __reduce_or_sync(all, lane);
  mine[5] = __reduce_xor_sync(all, 1u << lane);
  mine[6] = static_cast<unsigned>(__reduce_min_sync(all, -static_cast<int>(lane)));
  mine[7] = 0;
  if (lane < 8) mine[7] = __reduce_add_sync(0xffu, lane + 1);
}

int main() {
  static unsigned out[8 * 32];
  unsigned* device = nullptr;
  if (cudaMalloc(&device, sizeof out) != cudaSuccess) return 2;
  reduce<<<1, 32>>>(device);
  if (cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost) != cudaSuccess) return 3;
  const unsigned expected[8] = {496, 36, 5, 64, 31, 0xffffffffu, static_cast<unsigned>(-31), 36};
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 8; ++i) {
      const unsigned right = i == 7 && lane >= 8 ? 0 : expected[i];
      if (out[8 * lane + i] == right) continue;
      std::printf("lane %d, %d: %u, not %u\n", lane, i, out[8 * lane + i], right);
      return 1;
    }
  return 0;
}
