// Callbacks of cuFFT: device functions of the program that elements go through on their way into a transform and out of it. Each transform is compared with
// the same one between two loops of the host.
// RUN: %nvcc -std=c++17 -rdc=true -arch=sm_90 %s -o %t -lcufft_static
// RUN: %t | FileCheck %s
// RUN: env HEDDLE_EXECUTOR=interp %t | FileCheck %s
#include <cuda_runtime.h>
#include <cufftXt.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

__device__ double bias = 0.25;

template <class T>
__device__ T load_real(void* in, size_t offset, void* info, void*) {
  return static_cast<T*>(in)[offset] * *static_cast<T*>(info) + static_cast<T>(bias);
}
template <class C, class T>
__device__ C load_complex(void* in, size_t offset, void* info, void*) {
  const C x = static_cast<C*>(in)[offset];
  return {x.y * *static_cast<T*>(info), x.x + static_cast<T>(offset % 7)};
}
template <class T>
__device__ void store_real(void* out, size_t offset, T x, void* info, void* shared) {
  static_cast<T*>(shared)[threadIdx.x] = x;
  static_cast<T*>(out)[offset] = static_cast<T*>(shared)[threadIdx.x] * *static_cast<T*>(info);
}
template <class C>
__device__ void store_complex(void* out, size_t offset, C x, void* info, void*) {
  static_cast<C*>(out)[offset] = {x.x, x.y - (info == nullptr ? 1 : 0)};
}
__device__ cufftCallbackLoadR load_r = load_real<float>;
__device__ cufftCallbackLoadD load_d = load_real<double>;
__device__ cufftCallbackLoadC load_c = load_complex<cufftComplex, float>;
__device__ cufftCallbackLoadZ load_z = load_complex<cufftDoubleComplex, double>;
__device__ cufftCallbackStoreR store_r = store_real<float>;
__device__ cufftCallbackStoreD store_d = store_real<double>;
__device__ cufftCallbackStoreC store_c = store_complex<cufftComplex>;
__device__ cufftCallbackStoreZ store_z = store_complex<cufftDoubleComplex>;

// One dimension and two, batches, gaps between elements; `in_place` where both sides are of one type.
struct Shape {
  std::vector<int> lengths;
  int batch, stride;
};

template <class T>
struct Transform {
  using C = std::complex<T>;
  static constexpr bool wide = sizeof(T) == 8;
  static constexpr cufftXtCallbackType types[] = {wide ? CUFFT_CB_LD_REAL_DOUBLE : CUFFT_CB_LD_REAL,
                                                  wide ? CUFFT_CB_LD_COMPLEX_DOUBLE : CUFFT_CB_LD_COMPLEX,
                                                  wide ? CUFFT_CB_ST_REAL_DOUBLE : CUFFT_CB_ST_REAL,
                                                  wide ? CUFFT_CB_ST_COMPLEX_DOUBLE : CUFFT_CB_ST_COMPLEX};
  static void* routine(int type) {
    void* found = nullptr;
    cudaError_t error;
    if (type == 0)
      error = wide ? cudaMemcpyFromSymbol(&found, load_d, 8) : cudaMemcpyFromSymbol(&found, load_r, 8);
    else if (type == 1)
      error = wide ? cudaMemcpyFromSymbol(&found, load_z, 8) : cudaMemcpyFromSymbol(&found, load_c, 8);
    else if (type == 2)
      error = wide ? cudaMemcpyFromSymbol(&found, store_d, 8) : cudaMemcpyFromSymbol(&found, store_r, 8);
    else
      error = wide ? cudaMemcpyFromSymbol(&found, store_z, 8) : cudaMemcpyFromSymbol(&found, store_c, 8);
    if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorString(error));
    return found;
  }
  static cufftResult run(cufftHandle plan, int kind, void* in, void* out) {
    return cufftXtExec(plan, in, out, kind == 2 ? CUFFT_INVERSE : CUFFT_FORWARD);
  }

  // kind: 0 complex, 1 real to complex, 2 complex to real.
  static bool agrees(const Shape& shape, int kind, bool in_place, bool load, bool store) {
    const int rank = static_cast<int>(shape.lengths.size());
    std::vector<int> in_sizes = shape.lengths, out_sizes = shape.lengths;
    if (kind == 2) in_sizes.back() = in_sizes.back() / 2 + 1;
    if (kind == 1) out_sizes.back() = out_sizes.back() / 2 + 1;
    int in_count = shape.stride, out_count = shape.stride;
    for (const int n : in_sizes) in_count *= n;
    for (const int n : out_sizes) out_count *= n;
    cufftHandle plan, plain;
    for (cufftHandle* made : {&plan, &plain})
      if (cufftPlanMany(made, rank, const_cast<int*>(shape.lengths.data()), in_sizes.data(), shape.stride, in_count,
                        out_sizes.data(), shape.stride, out_count,
                        kind == 0 ? wide ? CUFFT_Z2Z : CUFFT_C2C : kind == 1 ? wide ? CUFFT_D2Z : CUFFT_R2C : wide ? CUFFT_Z2D : CUFFT_C2R,
                        shape.batch) != CUFFT_SUCCESS)
        return false;
    const std::size_t in_words = std::size_t(in_count) * shape.batch * (kind == 1 ? 1 : 2);
    const std::size_t out_words = std::size_t(out_count) * shape.batch * (kind == 2 ? 1 : 2);
    T *in, *out, *info, *middle;
    cudaMallocManaged(&in, in_words * sizeof(T));
    cudaMallocManaged(&out, out_words * sizeof(T));
    cudaMallocManaged(&middle, out_words * sizeof(T));
    cudaMallocManaged(&info, sizeof(T));
    *info = 3;
    std::vector<T> values(in_words);
    for (std::size_t i = 0; i < in_words; ++i) values[i] = static_cast<T>(static_cast<int>(i * 37 % 101) - 50) / 32;
    for (std::size_t i = 0; i < in_words; ++i) in[i] = values[i];
    // What the callbacks do, by hand.
    if (load)
      for (std::size_t i = 0; i < in_words; ++i)
        in[i] = kind == 1       ? values[i] * 3 + T(0.25)
                : (i % 2 == 0) ? values[i + 1] * 3
                               : values[i - 1] + static_cast<T>(i / 2 % 7);
    for (std::size_t i = 0; i < out_words; ++i) middle[i] = out[i] = 0;
    bool good = run(plain, kind, in, middle) == CUFFT_SUCCESS && cudaDeviceSynchronize() == cudaSuccess;
    for (std::size_t i = 0; i < in_words; ++i) in[i] = values[i];
    T* const to = in_place ? in : out;
    void *load_info = info, *store_info = kind == 2 ? info : nullptr;
    void *load_routine = routine(kind == 1 ? 0 : 1), *store_routine = routine(kind == 2 ? 2 : 3);
    const auto load_type = types[kind == 1 ? 0 : 1], store_type = types[kind == 2 ? 2 : 3];
    if (load) good = good && cufftXtSetCallback(plan, &load_routine, load_type, &load_info) == CUFFT_SUCCESS;
    if (store) {
      good = good && cufftXtSetCallback(plan, &store_routine, store_type, &store_info) == CUFFT_SUCCESS;
      good = good && cufftXtSetCallbackSharedSize(plan, store_type, 128 * sizeof(T)) == CUFFT_SUCCESS;
    }
    good = good && run(plan, kind, in, to) == CUFFT_SUCCESS && cudaDeviceSynchronize() == cudaSuccess;
    // Of elements between, nothing is known.
    const std::size_t step = kind == 2 ? 1 : 2;
    for (std::size_t i = 0; i < out_words; ++i) {
      if (i / step % shape.stride != 0) continue;
      T wanted = middle[i];
      if (store) wanted = kind == 2 ? wanted * 3 : i % 2 == 0 ? wanted : wanted - 1;
      good = good && to[i] == wanted;
    }
    cufftDestroy(plan);
    cufftDestroy(plain);
    for (T* memory : {in, out, info, middle}) cudaFree(memory);
    return good;
  }
};

template <class T>
void all(const char* name) {
  for (int kind = 0; kind < 3; ++kind)
    for (const Shape& shape : {Shape{{60}, 7, 1}, Shape{{6, 10}, 3, 2}, Shape{{3, 4, 8}, 1, 1}, Shape{{4099}, 1, 1}})
      for (int sides = 0; sides < 4; ++sides)
        for (int in_place = 0; in_place < (kind == 0 ? 2 : 1); ++in_place)
          if (!Transform<T>::agrees(shape, kind, in_place, sides & 1, sides & 2))
            std::printf("%s: kind %d, rank %zu, sides %d, in place %d differ\n", name, kind, shape.lengths.size(), sides, in_place);
  std::printf("%s: done\n", name);
}

int main() {
  all<float>("float");
  all<double>("double");
  // CHECK-NOT: differ
  // CHECK: float: done
  // CHECK-NOT: differ
  // CHECK: double: done

  cufftHandle plan;
  cufftPlan1d(&plan, 64, CUFFT_C2C, 1);
  void *right = Transform<float>::routine(1), *wrong = Transform<float>::routine(0), *nothing = reinterpret_cast<void*>(0x10000);
  std::printf("%d\n", cufftXtSetCallback(plan, &wrong, CUFFT_CB_LD_REAL, nullptr));
  std::printf("%d\n", cufftXtSetCallback(plan, &wrong, CUFFT_CB_LD_COMPLEX, nullptr));
  std::printf("%d\n", cufftXtSetCallback(plan, &nothing, CUFFT_CB_LD_COMPLEX, nullptr));
  std::printf("%d\n", cufftXtSetCallback(plan, nullptr, CUFFT_CB_LD_COMPLEX, nullptr));
  std::printf("%d\n", cufftXtSetCallbackSharedSize(plan, CUFFT_CB_LD_COMPLEX, 16385));
  std::printf("%d\n", cufftXtSetCallback(99, &right, CUFFT_CB_LD_COMPLEX, nullptr));
  // A type that the plan does not have; functions that take something else, or are none; and so on.
  // CHECK-NEXT: 3
  // CHECK-NEXT: 4
  // CHECK-NEXT: 4
  // CHECK-NEXT: 4
  // CHECK-NEXT: 4
  // CHECK-NEXT: 1

  // One that was cleared is not called: this one would miss its argument.
  std::printf("%d", cufftXtSetCallback(plan, &right, CUFFT_CB_LD_COMPLEX, nullptr));
  std::printf(" %d", cufftXtClearCallback(plan, CUFFT_CB_LD_COMPLEX));
  cufftComplex* memory;
  cudaMalloc(&memory, 64 * sizeof(cufftComplex));
  std::printf(" %d", cufftExecC2C(plan, memory, memory, CUFFT_FORWARD));
  std::printf(" %d\n", cudaDeviceSynchronize());
  // CHECK-NEXT: 0 0 0 0

  // In a graph, between other work; and a callback that faults ends the context as a kernel does.
  cufftXtSetCallback(plan, &right, CUFFT_CB_LD_COMPLEX, nullptr);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cufftSetStream(plan, stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMemsetAsync(memory, 0, 64 * sizeof(cufftComplex), stream);
  std::printf("%d", cufftExecC2C(plan, memory, memory, CUFFT_FORWARD));
  cudaGraph_t graph;
  cudaStreamEndCapture(stream, &graph);
  size_t nodes = 0;
  cudaGraphGetNodes(graph, nullptr, &nodes);
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, stream);
  std::printf(" %zu %s\n", nodes, cudaGetErrorName(cudaStreamSynchronize(stream)));
  // CHECK-NEXT: 0 3 cudaErrorIllegalAddress
}
