// curand_discrete and curand_discrete4: the numbers of an H200 (driver 580.159.04, cuRAND 10.4.0, 2026-11-29), seed 1234.
// RUN: %nvcc %s -o %t -lcurand && env LD_LIBRARY_PATH=%toolkit/lib64 %t | FileCheck %s
#include <curand.h>
#include <curand_kernel.h>

#include <cstdio>

template <class State>
__global__ void draw(unsigned* to, int n, curandDiscreteDistribution_t distribution) {
  State state;
  curand_init(1234ULL, 0, 0, &state);
  for (int i = 0; i < n; ++i) to[i] = curand_discrete(&state, distribution);
}
__global__ void draw4(unsigned* to, int n, curandDiscreteDistribution_t distribution) {
  curandStatePhilox4_32_10_t state;
  curand_init(1234ULL, 0, 0, &state);
  for (int i = 0; i < n; i += 4) {
    const uint4 v = curand_discrete4(&state, distribution);
    to[i] = v.x, to[i + 1] = v.y, to[i + 2] = v.z, to[i + 3] = v.w;
  }
}
// Compiles; its distribution is that of curand_normal4_double.
__global__ void logarithmic(double* to) {
  curandStatePhilox4_32_10_t state;
  curand_init(1234ULL, 0, 0, &state);
  const double4 v = curand_log_normal4_double(&state, 0, 1);
  *to = v.x + v.y + v.z + v.w;
}

// CHECK: 0.5 xorwow: 1 0 0 0 0 0 1 0 1 1 0 0 0 0 0 0 1 1 2 0
// CHECK-NEXT: 0.5 philox: 1 0 1 0 0 1 0 2 1 0 0 0 0 1 0 0 2 0 2 0
// CHECK-NEXT: 0.5 mrg32k3a: 0 0 2 1 0 0 1 0 1 0 0 0 1 1 0 0 0 0 1 0
// CHECK-NEXT: 0.5 philox4: 1 0 1 0 0 1 0 2 1 0 0 0 0 1 0 0 2 0 2 0
// CHECK-NEXT: 10.3 xorwow: 15 11 7 11 7 10 14 8 12 12 10 9 10 9 8 10 15 11 16 9
// CHECK-NEXT: 10.3 philox: 15 7 13 8 9 15 6 17 13 5 8 10 9 15 11 7 17 7 4 6
// CHECK-NEXT: 10.3 mrg32k3a: 8 10 15 12 10 6 11 8 12 10 11 10 11 14 11 8 11 9 13 9
// CHECK-NEXT: 10.3 philox4: 15 7 13 8 9 15 6 17 13 5 8 10 9 15 11 7 17 7 4 6
// CHECK-NEXT: 1000 xorwow: 1031 1008 969 1007 971 996 1024 978 1015 939 997 988 1003 984 978 996 1032 1015 1040 990
// CHECK-NEXT: 1000 philox: 1034 971 1018 977 993 1036 949 1042 1020 946 977 1000 986 1032 1007 964 1042 962 1050 949
// CHECK-NEXT: 1000 mrg32k3a: 978 996 1049 957 1001 949 1010 977 1013 1001 1007 998 1010 1025 1005 977 1009 986 1023 984
// CHECK-NEXT: 1000 philox4: 1034 971 1018 977 993 1036 949 1042 1020 946 977 1000 986 1032 1007 964 1042 962 1050 949
// CHECK-NEXT: 5000 xorwow: 5025 4912 4928 5017 4907 4962 4972 4951 4919 4948 4952 5124 4974 5000 5079 4987 4964 5084 4894 4979
// CHECK-NEXT: 5000 philox: 4962 5011 5071 5130 4997 4988 4923 5118 4995 5029 4935 4891 4941 4976 4986 4910 5036 5119 4953 4833
// CHECK-NEXT: 5000 mrg32k3a: 4974 4958 5124 4879 4989 5080 4909 5030 4985 4895 4963 4919 5090 5031 4918 5026 4910 4972 4877 4981
// CHECK-NEXT: 5000 philox4: 4962 5011 5071 5130 4997 4988 4923 5118 4995 5029 4935 4891 4941 4976 4986 4910 5036 5119 4953 4833
// CHECK-NEXT: NULL 101 101, means 104 104, log 1
int main() {
  const int n = 20;
  unsigned* to;
  cudaMallocManaged(&to, n * sizeof *to);
  const auto tell = [&](double mean, const char* name) {
    cudaDeviceSynchronize();
    std::printf("%g %s:", mean, name);
    for (int i = 0; i < n; ++i) std::printf(" %u", to[i]);
    std::printf("\n");
  };
  curandDiscreteDistribution_t distribution;
  for (const double mean : {0.5, 10.3, 1000.0, 5000.0}) {
    curandCreatePoissonDistribution(mean, &distribution);
    draw<curandStateXORWOW_t><<<1, 1>>>(to, n, distribution);
    tell(mean, "xorwow");
    draw<curandStatePhilox4_32_10_t><<<1, 1>>>(to, n, distribution);
    tell(mean, "philox");
    draw<curandStateMRG32k3a_t><<<1, 1>>>(to, n, distribution);
    tell(mean, "mrg32k3a");
    draw4<<<1, 1>>>(to, n, distribution);
    tell(mean, "philox4");
    curandDestroyDistribution(distribution);
  }
  double* sum;
  cudaMallocManaged(&sum, sizeof *sum);
  logarithmic<<<1, 1>>>(sum);
  cudaDeviceSynchronize();
  std::printf("NULL %d %d, means %d %d, log %d\n", curandCreatePoissonDistribution(10, nullptr), curandDestroyDistribution(nullptr),
              curandCreatePoissonDistribution(0, &distribution), curandCreatePoissonDistribution(400001, &distribution), *sum > 0);
}
