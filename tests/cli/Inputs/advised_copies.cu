// advised_copies NAME: what the guide says against, and with "good" what it recommends instead (CUDA C Best Practices Guide 4.0, 3.1).
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int words = 1 << 20, threads = 256;

__global__ void step(float* data, int count) {
  const int x = blockIdx.x * threads + threadIdx.x;
  if (x < count) data[x] = data[x] * 2 + 1;
}
void run(float* device, int count, cudaStream_t stream = nullptr) { step<<<(count + threads - 1) / threads, threads, 0, stream>>>(device, count); }

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const bool good = std::strcmp(argv[2], "good") == 0;
  const auto is = [&](const char* name) { return std::strcmp(argv[1], name) == 0; };
  float *device, *pinned;
  std::vector<float> pageable(words);
  cudaMalloc(reinterpret_cast<void**>(&device), 4 * words);
  cudaHostAlloc(reinterpret_cast<void**>(&pinned), 4 * words, cudaHostAllocMapped);
  std::memset(pinned, 0, 4 * words);
  if (is("stay")) {  // an intermediate result goes by the host, or stays
    cudaMemcpy(device, pageable.data(), 4 * words, cudaMemcpyHostToDevice);
    run(device, words);
    if (!good) {
      cudaMemcpy(pageable.data(), device, 4 * words, cudaMemcpyDeviceToHost);
      cudaMemcpy(device, pageable.data(), 4 * words, cudaMemcpyHostToDevice);
    }
    run(device, words);
    cudaMemcpy(pageable.data(), device, 4 * words, cudaMemcpyDeviceToHost);
  } else if (is("batch")) {  // rows one by one, or all together
    if (good)
      cudaMemcpy(device, pageable.data(), 4 * 16384, cudaMemcpyHostToDevice);
    else
      for (int i = 0; i < 16384; i += 1024) cudaMemcpy(device + i, &pageable[i], 4 * 1024, cudaMemcpyHostToDevice);
    run(device, 16384);
  } else if (is("pinned")) {
    cudaMemcpy(device, good ? pinned : pageable.data(), 4 * words, cudaMemcpyHostToDevice);
    run(device, words);
    cudaMemcpy(good ? pinned : pageable.data(), device, 4 * words, cudaMemcpyDeviceToHost);
  } else if (is("overlap")) {  // listings 3.3a and 3.3b
    constexpr int parts = 4, part = words / parts;
    cudaStream_t stream[parts];
    for (cudaStream_t& one : stream) cudaStreamCreate(&one);
    if (good) {
      for (int i = 0; i < parts; ++i)
        cudaMemcpyAsync(device + i * part, pinned + i * part, 4 * part, cudaMemcpyHostToDevice, stream[i]);
      for (int i = 0; i < parts; ++i) run(device + i * part, part, stream[i]);
    } else {
      cudaMemcpy(device, pinned, 4 * words, cudaMemcpyHostToDevice);
      run(device, words);
    }
  } else if (is("zero_copy")) {  // listing 3.4
    float* mapped = nullptr;
    cudaHostGetDevicePointer(reinterpret_cast<void**>(&mapped), pinned, 0);
    if (!good) cudaMemcpy(device, pinned, 4 * 16384, cudaMemcpyHostToDevice);
    run(good ? mapped : device, 16384);
  }
  std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
