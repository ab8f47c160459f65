// NVBLAS before a program's BLAS: large calls and matrices of a device go to the device, all others and wrong arguments to the host's
// library; what LAPACK inside Heddle calls by the same names goes nowhere else.
// RUN: %nvcc -shared -Xcompiler -fPIC -DHOST %s -o %t.host.so
// RUN: %nvcc %s -o %t -lnvblas -lcusolver -lcublas
// RUN: echo "NVBLAS_CPU_BLAS_LIB %t.host.so" > %t.conf && echo "NVBLAS_TRACE_LOG_ENABLED" >> %t.conf
// RUN: echo "NVBLAS_GPU_LIST ALL0" >> %t.conf && echo "NVBLAS_TILE_DIM 100" >> %t.conf && echo "NVBLAS_GPU_DISABLED_SSYRK" >> %t.conf
// RUN: echo "NVBLAS_TILE_DIM x" >> %t.conf && echo "NVBLAS_GPU_LIST 7" >> %t.conf
// RUN: env NVBLAS_CONFIG_FILE=%t.conf LD_LIBRARY_PATH=%toolkit/lib64 %t 2>&1 | FileCheck %s
// RUN: env HEDDLE_NVBLAS=device NVBLAS_CONFIG_FILE=%t.conf LD_LIBRARY_PATH=%toolkit/lib64 %t 2>&1 | FileCheck --check-prefix ALWAYS %s
// RUN: env NVBLAS_CONFIG_FILE=%t.none LD_LIBRARY_PATH=%toolkit/lib64 %t 2>&1 | FileCheck --check-prefix NONE %s
#include <cstdio>

#ifdef HOST

// Tells that it was called, and does nothing.
#define HOST_ROUTINE(name) \
  extern "C" void name() { std::printf("host: " #name "\n"); std::fflush(stdout); }
HOST_ROUTINE(dgemm_)
HOST_ROUTINE(ztrsm_)
HOST_ROUTINE(ssyrk_)

#else

#include <cuComplex.h>
#include <cuda_runtime.h>
#include <cusolverDn.h>
#include <nvblas.h>

#include <cmath>
#include <vector>

// CHECK: [NVBLAS] NVBLAS_CONFIG_FILE environment variable is set to
// CHECK: [NVBLAS] Using devices :0
// CHECK: [NVBLAS] Cannot parse line 6 in config file
// CHECK: [NVBLAS] Problem parsing line 7
// CHECK: [NVBLAS] Config parsed
// CHECK: [NVBLAS] dgemm[cpu]: ta=N, tb=N, m=8, n=8, k=8
// CHECK: host: dgemm_
// CHECK: [NVBLAS] dgemm[gpu]: ta=n, tb=t, m=321, n=321, k=321
// CHECK-NEXT: product of 321: right
// CHECK: [NVBLAS] dgemm[cpu]: ta=N, tb=N, m=400, n=400, k=400
// CHECK: host: dgemm_
// CHECK: [NVBLAS] dgemm[gpu]: ta=N, tb=N, m=8, n=8, k=8
// CHECK-NEXT: product on the device: right
// CHECK: [NVBLAS] ztrsm[gpu]: si=L, up=U, ta=N, di=N, m=321, n=321
// CHECK-NEXT: triangle: right
// CHECK: [NVBLAS] ssyrk[cpu]: up=L, ta=N, n=1000, k=1000
// CHECK: host: ssyrk_
// CHECK-NEXT: eigenvalues: right

// ALWAYS: [NVBLAS] dgemm[gpu]: ta=N, tb=N, m=8, n=8, k=8
// ALWAYS-NEXT: product of 8: right
// ALWAYS: [NVBLAS] dgemm[cpu]: ta=N, tb=N, m=400, n=400, k=400

// NONE: [NVBLAS] Cannot open config file
// NONE: [NVBLAS] CPU Blas library need to be provided
// NONE: product of 8: right
// NONE: eigenvalues: right

using Numbers = std::vector<double>;

Numbers numbers(int count) {
  Numbers made(count);
  for (int i = 0; i < count; ++i) made[i] = i % 7 - 2;
  return made;
}
const char* right(bool good) { return good ? "right" : "wrong"; }

// C = A B, or A B', from the program's own sums.
bool is_product(int n, bool turned, const Numbers& a, const Numbers& b, const Numbers& c) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += a[i + k * n] * (turned ? b[j + k * n] : b[k + j * n]);
      if (c[i + j * n] != sum) return false;
    }
  return true;
}

void products() {
  const double one = 1, none = 0;
  int n = 8;
  Numbers a = numbers(n * n), b = numbers(n * n), c(n * n);
  dgemm_("N", "N", &n, &n, &n, &one, a.data(), &n, b.data(), &n, &none, c.data(), &n);
  std::printf("product of 8: %s\n", right(is_product(n, false, a, b, c)));
  std::fflush(stdout);

  n = 321;
  a = numbers(n * n), b = numbers(n * n), c = Numbers(n * n, NAN);
  dgemm("n", "t", &n, &n, &n, &one, a.data(), &n, b.data(), &n, &none, c.data(), &n);
  std::printf("product of 321: %s\n", right(is_product(n, true, a, b, c)));
  std::fflush(stdout);

  const int many = 400, few = 10;
  dgemm_("N", "N", &many, &many, &many, &one, a.data(), &few, b.data(), &many, &none, c.data(), &many);

  n = 8;
  a = numbers(n * n), b = numbers(n * n), c = Numbers(n * n);
  double* on_device;
  cudaMalloc(&on_device, 3 * sizeof(double) * n * n);
  double *da = on_device, *db = da + n * n, *dc = db + n * n;
  cudaMemcpy(da, a.data(), sizeof(double) * n * n, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), sizeof(double) * n * n, cudaMemcpyHostToDevice);
  dgemm_("N", "N", &n, &n, &n, &one, da, &n, db, &n, &none, dc, &n);
  cudaMemcpy(c.data(), dc, sizeof(double) * n * n, cudaMemcpyDeviceToHost);
  std::printf("product on the device: %s\n", right(is_product(n, false, a, b, c)));
  std::fflush(stdout);
}

void others() {
  const int n = 321;
  const cuDoubleComplex two = make_cuDoubleComplex(2, 0);
  std::vector<cuDoubleComplex> a(n * n), x(n * n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      a[i + j * n] = make_cuDoubleComplex(i == j ? 2 : 0, 0);
      x[i + j * n] = make_cuDoubleComplex(i, j);
    }
  ztrsm_("L", "U", "N", "N", &n, &n, &two, a.data(), &n, x.data(), &n);
  bool good = true;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) good = good && x[i + j * n].x == i && x[i + j * n].y == j;
  std::printf("triangle: %s\n", right(good));
  std::fflush(stdout);

  const float one = 1, none = 0;
  const int many = 1000;
  std::vector<float> f(many * many, 1), g(many * many);
  ssyrk_("L", "N", &many, &many, &one, f.data(), &many, &none, g.data(), &many);
}

// Values of a matrix of cosines; LAPACK's method for them multiplies by the names that are NVBLAS's here.
void eigenvalues() {
  const int n = 200;
  Numbers a(n * n), w(n);
  for (int i = 0; i < n; ++i) a[i + i * n] = 2;
  for (int i = 0; i + 1 < n; ++i) a[i + 1 + i * n] = a[i + (i + 1) * n] = -1;
  double *da, *dw, *work;
  int *info, room = 0;
  cudaMalloc(&da, sizeof(double) * n * n);
  cudaMalloc(&dw, sizeof(double) * n);
  cudaMalloc(&info, sizeof(int));
  cudaMemcpy(da, a.data(), sizeof(double) * n * n, cudaMemcpyHostToDevice);
  cusolverDnHandle_t handle;
  cusolverDnCreate(&handle);
  cusolverDnDsyevd_bufferSize(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, da, n, dw, &room);
  cudaMalloc(&work, sizeof(double) * room);
  cusolverDnDsyevd(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, da, n, dw, work, room, info);
  cudaMemcpy(w.data(), dw, sizeof(double) * n, cudaMemcpyDeviceToHost);
  bool good = true;
  for (int i = 0; i < n; ++i)
    good = good && std::abs(w[i] - (2 - 2 * std::cos((i + 1) * 3.14159265358979323846 / (n + 1)))) < 1e-12;
  std::printf("eigenvalues: %s\n", right(good));
}

int main() {
  products();
  others();
  eigenvalues();
}

#endif
