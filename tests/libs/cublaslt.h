// cuBLASLt's descriptors and calls, as its tests use them.
#pragma once

#include <cublasLt.h>

#include "testing.h"

namespace heddle::libs_test {

inline constexpr auto good = CUBLAS_STATUS_SUCCESS;

struct Layout {
  cublasLtMatrixLayout_t layout = nullptr;
  Layout(cudaDataType type, int rows, int columns, int ld, cublasLtOrder_t order = CUBLASLT_ORDER_COL,
         int batch = 1, int64_t stride = 0) {
    EXPECT_EQ(cublasLtMatrixLayoutCreate(&layout, type, static_cast<uint64_t>(rows),
                                         static_cast<uint64_t>(columns), ld),
              good);
    set(CUBLASLT_MATRIX_LAYOUT_ORDER, order);
    set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, batch);
    set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, stride);
  }
  ~Layout() { EXPECT_EQ(cublasLtMatrixLayoutDestroy(layout), good); }
  Layout(const Layout&) = delete;
  template <class Value>
  void set(cublasLtMatrixLayoutAttribute_t attribute, Value value) {
    EXPECT_EQ(cublasLtMatrixLayoutSetAttribute(layout, attribute, &value, sizeof value), good);
  }
};

struct Operation {
  cublasLtMatmulDesc_t desc = nullptr;
  Operation(cublasComputeType_t compute, cudaDataType scale) {
    EXPECT_EQ(cublasLtMatmulDescCreate(&desc, compute, scale), good);
  }
  ~Operation() { EXPECT_EQ(cublasLtMatmulDescDestroy(desc), good); }
  Operation(const Operation&) = delete;
  template <class Value>
  void set(cublasLtMatmulDescAttributes_t attribute, Value value) {
    EXPECT_EQ(cublasLtMatmulDescSetAttribute(desc, attribute, &value, sizeof value), good);
  }
};

class CublasLt : public testing::Test {
 public:
  CublasLt() { EXPECT_EQ(cublasLtCreate(&handle), good); }
  ~CublasLt() override { EXPECT_EQ(cublasLtDestroy(handle), good); }
  // As programs do: ask for an algorithm, then multiply with it.
  cublasStatus_t multiply(const Operation& op, const void* alpha, const void* a, const Layout& la,
                          const void* b, const Layout& lb, const void* beta, const void* c, const Layout& lc,
                          void* d, const Layout& ld) {
    cublasLtMatmulPreference_t preference;
    EXPECT_EQ(cublasLtMatmulPreferenceCreate(&preference), good);
    const size_t workspace = 1 << 20;
    EXPECT_EQ(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                   &workspace, sizeof workspace),
              good);
    cublasLtMatmulHeuristicResult_t found[4];
    int count = -1;
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
        handle, op.desc, la.layout, lb.layout, lc.layout, ld.layout, preference, 4, found, &count);
    EXPECT_EQ(cublasLtMatmulPreferenceDestroy(preference), good);
    EXPECT_EQ(count > 0, status == good);
    if (status != good) return status;
    EXPECT_LE(found[0].workspaceSize, workspace);
    EXPECT_EQ(found[0].state, good);
    return cublasLtMatmul(handle, op.desc, alpha, a, la.layout, b, lb.layout, beta, c, lc.layout, d,
                          ld.layout, &found[0].algo, nullptr, 0, nullptr);
  }
  cublasLtHandle_t handle = nullptr;
  Random random{99};
};

}  // namespace heddle::libs_test
