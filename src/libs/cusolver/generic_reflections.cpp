// The 64-bit interface: the triangle of a block of reflections.
#include "libs/cusolver/functions.gen.h"
#include "libs/cusolver/generic.h"

namespace heddle::cusolver {
using namespace generic;

namespace {

// As an H200 answers: k may be more than n, and rows of V are refused by the call alone.
void check_reflections(int64_t n, int64_t k, int64_t ldt, cudaDataType v, cudaDataType tau, cudaDataType t,
                       cudaDataType compute) {
  narrow(n, "n is negative"), narrow(k, "k is negative"), leading(ldt, k, "ldt is less than k");
  require(v == tau && v == t && v == compute, "types that differ");
}
std::size_t reflections_room(int64_t n, int64_t k) {
  return static_cast<std::size_t>(std::max<int64_t>((n + k) * k * 16, 256));
}

}  // namespace

void cusolverDnXlarft_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverDirectMode_t,
                                 cusolverStorevMode_t, int64_t n, int64_t k, cudaDataType dataTypeV,
                                 const void*, int64_t, cudaDataType dataTypeTau, const void*,
                                 cudaDataType dataTypeT, void*, int64_t ldt, cudaDataType computeType,
                                 size_t* workspaceInBytesOnDevice, size_t* workspaceInBytesOnHost) {
  begin(handle, params);
  check_reflections(n, k, ldt, dataTypeV, dataTypeTau, dataTypeT, computeType);
  *workspaceInBytesOnDevice = reflections_room(n, k);
  *workspaceInBytesOnHost = 0;
}
void cusolverDnXlarft(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverDirectMode_t direct,
                      cusolverStorevMode_t storev, int64_t n, int64_t k, cudaDataType dataTypeV,
                      const void* V, int64_t ldv, cudaDataType dataTypeTau, const void* tau,
                      cudaDataType dataTypeT, void* T, int64_t ldt, cudaDataType computeType, void*,
                      size_t workspaceInBytesOnDevice, void*, size_t) {
  begin(handle, params);
  const Call call(handle);
  check_reflections(n, k, ldt, dataTypeV, dataTypeTau, dataTypeT, computeType);
  require(direct == CUBLAS_DIRECT_FORWARD || direct == CUBLAS_DIRECT_BACKWARD, "direct is no such mode");
  require(storev == CUBLAS_STOREV_COLUMNWISE, "reflections are columns of V: CUBLAS_STOREV_COLUMNWISE");
  require(workspaceInBytesOnDevice >= reflections_room(n, k), "the workspace is less than bufferSize says");
  const int rows = narrow(n, "n is negative"), count = narrow(k, "k is negative"),
            ld = leading(ldv, n, "ldv is less than n"), to_ld = leading(ldt, k, "ldt is less than k");
  require(count <= rows, "k is more than n");
  const bool forward = direct == CUBLAS_DIRECT_FORWARD;
  with_type(dataTypeV, [&]<class N>() {
    call.submit("Xlarft", [=](Access& access) {
      const N* const v = access.read(static_cast<const N*>(V), rows, count, ld);
      const N* const factors = access.read(static_cast<const N*>(tau), static_cast<uint64_t>(count));
      N* const to = access.write(static_cast<N*>(T), count, count, to_ld);
      if (count == 0) return;
      Matrix<N> reflections(v, rows, count, ld), t(to, count, count, to_ld);
      fortran::larft<N>(forward ? 'F' : 'B', 'C', rows, count, reflections.data(), reflections.ld(), factors,
                        t.data(), t.ld());
      for (int j = 0; j < count; ++j)  // the other triangle is zeros on a device
        for (int i = 0; i < count; ++i)
          if (forward ? i > j : i < j) t.data()[i + int64_t{j} * t.ld()] = N(0);
      t.put_back(to, to_ld);
    });
  });
}

}  // namespace heddle::cusolver
