// Results for the host of calls that a stream captures: there when the graph has run.
#include <cusparse.h>

#include "testing.h"

namespace heddle::libs_test {
namespace {

constexpr auto good = CUSPARSE_STATUS_SUCCESS;

TEST(CusparseCapture, GivesTheHostItsResultWhenTheGraphRuns) {
  cusparseHandle_t handle;
  ASSERT_EQ(cusparseCreate(&handle), good);
  const Device<int> places(std::vector<int>{0, 2});
  Device<float> x(std::vector<float>{3, 5});
  const Device<float> y(std::vector<float>{7, 11, 13}), buffer(1024);
  cusparseSpVecDescr_t vx;
  cusparseDnVecDescr_t vy;
  ASSERT_EQ(
      cusparseCreateSpVec(&vx, 3, 2, places, x, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
      good);
  ASSERT_EQ(cusparseCreateDnVec(&vy, 3, y, CUDA_R_32F), good);
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cusparseSetStream(handle, stream), good);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  float result = 0;
  EXPECT_EQ(cusparseSpVV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, vx, vy, &result, CUDA_R_32F, buffer.get()),
            good);
  cudaGraph_t graph;
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  cudaGraphExec_t program;
  ASSERT_EQ(cudaGraphInstantiateWithFlags(&program, graph, 0), cudaSuccess);
  EXPECT_EQ(result, 0);
  for (const float first : {3.0F, 4.0F}) {
    x.set({first, 5});
    ASSERT_EQ(cudaGraphLaunch(program, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(result, first * 7 + 5 * 13);
  }
  EXPECT_EQ(cudaGraphExecDestroy(program), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cusparseDestroySpVec(vx), good);
  EXPECT_EQ(cusparseDestroyDnVec(vy), good);
  EXPECT_EQ(cusparseDestroy(handle), good);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

}  // namespace
}  // namespace heddle::libs_test
