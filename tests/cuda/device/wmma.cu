// Warp matrices against products taken one element at a time, in every precision: small integers, so that all are exact.
// RUN: %cuda_ptx --cuda-gpu-arch=sm_80 %s -o %t.ptx
// RUN: %heddle ptx run %t.ptx --kernel matrices --block 32 --arg wrong:out:u32*8 | FileCheck %s
// CHECK: wrong: 0 0 0 0 0 0 0 0
#include <mma.h>
using namespace nvcuda;

template <class T>
__device__ float plain(T value) { return (float)value; }

// One product of m x k by k x n, a by rows, b by columns or rows, c and d by rows.
template <int m, int n, int k, class T, class Element, class C, class BLayout>
__device__ unsigned wrong(Element* a, Element* b, C* c, C* d) {
  const int lane = threadIdx.x;
  const bool b_columns = __is_same(BLayout, wmma::col_major);
  for (int i = lane; i < m * k; i += 32) a[i] = (Element)(float)(i * 7 % 5 + (i / k) % 3);
  for (int i = lane; i < k * n; i += 32) b[i] = (Element)(float)(i * 3 % 7 + (i % 2));
  for (int i = lane; i < m * n; i += 32) c[i] = (C)(float)(i % 11);
  __syncwarp();
  wmma::fragment<wmma::matrix_a, m, n, k, T, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, m, n, k, T, BLayout> fb;
  wmma::fragment<wmma::accumulator, m, n, k, C> fc;
  wmma::load_matrix_sync(fa, a, k);
  wmma::load_matrix_sync(fb, b, b_columns ? k : n);
  wmma::load_matrix_sync(fc, c, n, wmma::mem_row_major);
  wmma::mma_sync(fc, fa, fb, fc);
  for (int i = 0; i < fc.num_elements; ++i) fc.x[i] = fc.x[i] + (C)1.0f;
  wmma::store_matrix_sync(d, fc, n, wmma::mem_row_major);
  __syncwarp();
  unsigned count = 0;
  for (int i = lane; i < m * n; i += 32) {
    float sum = plain(c[i]) + 1;
    for (int j = 0; j < k; ++j) sum += plain(a[i / n * k + j]) * plain(b[b_columns ? i % n * k + j : j * n + i % n]);
    count += sum != plain(d[i]);
  }
  return count;
}

extern "C" __global__ void matrices(unsigned* counts) {
  __shared__ __attribute__((aligned(32))) unsigned char a[4096], b[4096], c[4096], d[4096];
#define PRODUCT(place, m, n, k, T, Element, C, layout) \
  atomicAdd(&counts[place], wrong<m, n, k, T, Element, C, layout>((Element*)a, (Element*)b, (C*)c, (C*)d));
  PRODUCT(0, 16, 16, 16, half, half, float, wmma::col_major)
  PRODUCT(1, 32, 8, 16, half, half, half, wmma::row_major)
  PRODUCT(2, 8, 32, 16, __nv_bfloat16, __nv_bfloat16, float, wmma::col_major)
  PRODUCT(3, 16, 16, 16, signed char, signed char, int, wmma::col_major)
  PRODUCT(4, 32, 8, 16, unsigned char, unsigned char, int, wmma::row_major)
  PRODUCT(5, 16, 16, 8, wmma::precision::tf32, float, float, wmma::col_major)
  PRODUCT(6, 8, 8, 4, double, double, double, wmma::row_major)
  PRODUCT(7, 16, 16, 16, half, half, float, wmma::row_major)
}
