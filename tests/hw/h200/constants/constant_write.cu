// May a kernel write a __constant__ variable through its global address, and what do later launches read?
// README.md.
#include <cstdio>
__constant__ int values[64];
__global__ void put(int* p, int v) { p[threadIdx.x] = v + threadIdx.x; }
__global__ void get(int* out) { out[threadIdx.x] = values[threadIdx.x]; }
__global__ void add(int* p) { atomicAdd(&p[threadIdx.x], 1000); }
int main() {
  int* at = nullptr;
  int* out = nullptr;
  int host[64], back[64];
  printf("address %d\n", cudaGetSymbolAddress((void**)&at, values));
  cudaMalloc(&out, sizeof host);
  for (int i = 0; i < 64; ++i) host[i] = -i;
  printf("to symbol %d\n", cudaMemcpyToSymbol(values, host, sizeof host));
  get<<<1, 64>>>(out);
  printf("get %d\n", cudaDeviceSynchronize());
  cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost);
  printf("before %d %d\n", back[1], back[63]);
  put<<<1, 64>>>(at, 7);
  printf("put %d\n", cudaDeviceSynchronize());
  get<<<1, 64>>>(out);
  printf("get %d\n", cudaDeviceSynchronize());
  cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost);
  printf("after put %d %d\n", back[1], back[63]);
  add<<<1, 64>>>(at);
  printf("add %d\n", cudaDeviceSynchronize());
  get<<<1, 64>>>(out);
  printf("get %d\n", cudaDeviceSynchronize());
  cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost);
  printf("after add %d %d\n", back[1], back[63]);
  cudaPointerAttributes a{};
  printf("attributes %d type %d\n", cudaPointerGetAttributes(&a, at), (int)a.type);
  printf("memset %d\n", cudaMemset(at, 0, sizeof host));
  cudaMemcpy(back, at, sizeof back, cudaMemcpyDeviceToHost);
  printf("after memset %d\n", back[63]);
}
