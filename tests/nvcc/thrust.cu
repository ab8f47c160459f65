// Debian's Thrust and CUB, as they are. Every number is worked out on the host again.
// RUN: %nvcc -std=c++17 -O1 %s -o %t && %t
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

#include <algorithm>
#include <cstdio>
#include <cub/cub.cuh>
#include <numeric>
#include <vector>

struct Square {
  __host__ __device__ int operator()(int x) const { return x % 1000 * (x % 1000) % 997; }
};

int wrong = 0;
void expect(const thrust::device_vector<int>& found, const std::vector<int>& wanted, const char* what) {
  const thrust::host_vector<int> here = found;
  if (here.size() == wanted.size() && std::equal(here.begin(), here.end(), wanted.begin())) return;
  std::printf("%s: wrong\n", what);
  ++wrong;
}

int main() {
  constexpr int n = 50'000;
  std::vector<int> wanted(n);
  for (int i = 0; i < n; ++i) wanted[i] = static_cast<int>(i * 7919LL % n);
  thrust::device_vector<int> v(wanted.begin(), wanted.end()), sums(n);
  thrust::sort(v.begin(), v.end());
  std::sort(wanted.begin(), wanted.end());
  expect(v, wanted, "sort");
  if (thrust::reduce(v.begin(), v.end(), 0LL) != std::accumulate(wanted.begin(), wanted.end(), 0LL)) ++wrong;
  thrust::transform(v.begin(), v.end(), v.begin(), Square());
  std::transform(wanted.begin(), wanted.end(), wanted.begin(), Square());
  expect(v, wanted, "transform");
  thrust::inclusive_scan(v.begin(), v.end(), sums.begin());
  std::vector<int> wanted_sums(n);
  std::partial_sum(wanted.begin(), wanted.end(), wanted_sums.begin());
  expect(sums, wanted_sums, "scan");
  thrust::sort(v.begin(), v.end());
  v.erase(thrust::unique(v.begin(), v.end()), v.end());
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  expect(v, wanted, "unique");
  thrust::device_vector<int> most(1);
  void* room = nullptr;
  std::size_t bytes = 0;
  cub::DeviceReduce::Max(room, bytes, sums.data().get(), most.data().get(), n);
  if (cudaMalloc(&room, bytes) != cudaSuccess) return 1;
  cub::DeviceReduce::Max(room, bytes, sums.data().get(), most.data().get(), n);
  expect(most, {*std::max_element(wanted_sums.begin(), wanted_sums.end())}, "cub");
  return wrong != 0;
}
