// A texture or surface object may be destroyed as soon as the kernel that uses it has been launched, though nothing
// has run yet.
// RUN: %nvcc %s -o %t && %t | FileCheck %s
#include <condition_variable>
#include <cstdio>
#include <mutex>

std::mutex door;
std::condition_variable opened;
bool open_ = false;
void CUDART_CB wait_at_door(void*) {
  std::unique_lock lock(door);
  opened.wait(lock, [] { return open_; });
}

__global__ void read(cudaTextureObject_t picture, cudaSurfaceObject_t copy) {
  const int x = threadIdx.x, y = threadIdx.y;
  surf2Dwrite(tex2D<int>(picture, x + 0.5f, y + 0.5f) + 1, copy, x * sizeof(int), y);
}

int main() {
  int numbers[16];
  for (int i = 0; i < 16; ++i) numbers[i] = 100 + i;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t from, to;
  cudaMallocArray(&from, &format, 4, 4);
  cudaMallocArray(&to, &format, 4, 4, cudaArraySurfaceLoadStore);
  cudaMemcpy2DToArray(from, 0, 0, numbers, 16, 16, 4, cudaMemcpyHostToDevice);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = from;
  cudaTextureDesc description = {};
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  resource.res.array.array = to;
  cudaSurfaceObject_t surface;
  cudaCreateSurfaceObject(&surface, &resource);

  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaLaunchHostFunc(stream, wait_at_door, nullptr);
  read<<<1, dim3(4, 4), 0, stream>>>(texture, surface);
  printf("%d %d\n", cudaDestroyTextureObject(texture), cudaDestroySurfaceObject(surface));
  // CHECK: 0 0
  {
    const std::lock_guard lock(door);
    open_ = true;
  }
  opened.notify_all();
  printf("%s\n", cudaGetErrorString(cudaStreamSynchronize(stream)));
  // CHECK: no error
  cudaMemcpy2DFromArray(numbers, 16, to, 0, 0, 16, 4, cudaMemcpyDeviceToHost);
  printf("%d %d\n", numbers[0], numbers[15]);
  // CHECK: 101 116
}
