// What malloc gives in kernels, used rightly and wrongly.
#include <cstdio>
#include <cstring>

__global__ void use(int *out, int what) {
  volatile int *p = static_cast<int *>(malloc(10 * sizeof(int)));
  volatile int *q = static_cast<int *>(malloc(10 * sizeof(int)));
  for (int i = 0; i < 10; ++i) p[i] = q[i] = i;
  if (what == 1) p[10] = 7;  // line 9
  if (what == 2) free((void *)q);
  if (what == 2) out[1] = q[3];  // line 11
  if (what == 3) {
    volatile int *r = static_cast<int *>(malloc(16));
    out[1] = r[2];  // line 14
    free((void *)r);
  }
  out[0] = p[9];
  free((void *)p);
  if (what != 2) free((void *)q);
}

int main(int, char **argv) {
  int *out;
  cudaMalloc(&out, 2 * sizeof(int));
  cudaMemset(out, 0, 2 * sizeof(int));
  const char *names[] = {"right", "behind", "freed", "unset"};
  for (int i = 0; i < 4; ++i)
    if (std::strcmp(argv[1], names[i]) == 0) use<<<1, 1>>>(out, i);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
