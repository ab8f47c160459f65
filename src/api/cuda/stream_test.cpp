// Streams of the driver API: words of memory, captures, attributes.
#include <cuda.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "api/cuda_state/testing.h"

namespace heddle::cu {
namespace {

class DriverStream : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxCreate(&context_, 0, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamCreate(&other_, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    ASSERT_EQ(cuMemAlloc(&words_, 64), CUDA_SUCCESS);
    ASSERT_EQ(cuMemsetD32(words_, 0, 16), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  }
  cuda::TestProcess process_;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr, other_ = nullptr;
  CUdeviceptr words_ = 0;
};

TEST_F(DriverStream, OneWaitsForWhatTheOtherWrites) {
  ASSERT_EQ(cuStreamWaitValue32(stream_, words_, 7, CU_STREAM_WAIT_VALUE_EQ), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamWriteValue64(stream_, words_ + 8, 99, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(stream_), CUDA_ERROR_NOT_READY);
  ASSERT_EQ(cuStreamWriteValue32(other_, words_, 7, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream_), CUDA_SUCCESS);
  uint64_t read = 0;
  EXPECT_EQ(cuMemcpyDtoH(&read, words_ + 8, 8), CUDA_SUCCESS);
  EXPECT_EQ(read, 99U);
}

TEST_F(DriverStream, EveryConditionOfWaitsCanBeMet) {
  ASSERT_EQ(cuStreamWriteValue32(stream_, words_, 0xfffffff0, 0), CUDA_SUCCESS);
  // Cyclic: 16 steps behind is not before.
  EXPECT_EQ(cuStreamWaitValue32(stream_, words_, 0xffffffe0, CU_STREAM_WAIT_VALUE_GEQ), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitValue32(stream_, words_, 0x10, CU_STREAM_WAIT_VALUE_AND), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitValue32(stream_, words_, 0x1, CU_STREAM_WAIT_VALUE_NOR | CU_STREAM_WAIT_VALUE_FLUSH),
            CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitValue64(stream_, words_ + 8, 0, CU_STREAM_WAIT_VALUE_EQ), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream_), CUDA_SUCCESS);
}

TEST_F(DriverStream, BadWordsAreRefused) {
  EXPECT_EQ(cuStreamWriteValue32(stream_, words_ + 2, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWriteValue64(stream_, words_ + 4, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWriteValue32(stream_, 0, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWriteValue32(stream_, words_ + 64, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWriteValue32(stream_, words_, 1, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWaitValue32(stream_, words_, 1, 8), CUDA_ERROR_INVALID_VALUE);
  CUstreamBatchMemOpParams operation{};
  operation.operation = static_cast<CUstreamBatchMemOpType>(9);
  EXPECT_EQ(cuStreamBatchMemOp(stream_, 1, &operation, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamBatchMemOp(stream_, 0, &operation, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamBatchMemOp(stream_, 257, &operation, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverStream, CapturesGoIntoGraphsThatAreThere) {
  CUgraph graph = nullptr;
  ASSERT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
  CUgraphNode first = nullptr;
  ASSERT_EQ(cuGraphAddEmptyNode(&first, graph, nullptr, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamBeginCaptureToGraph(stream_, graph, &first, nullptr, 1, CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWriteValue32(stream_, words_, 5, 0), CUDA_SUCCESS);
  CUstreamCaptureStatus status{};
  cuuint64_t id = 0;
  CUgraph into = nullptr;
  const CUgraphNode* last = nullptr;
  size_t count = 0;
  EXPECT_EQ(cuStreamGetCaptureInfo_v3(stream_, &status, &id, &into, &last, nullptr, &count), CUDA_SUCCESS);
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(into, graph);
  ASSERT_EQ(count, 1U);
  CUgraphNodeType type{};
  EXPECT_EQ(cuGraphNodeGetType(*last, &type), CUDA_SUCCESS);
  EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
  EXPECT_EQ(cuStreamUpdateCaptureDependencies(stream_, &first, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES),
            CUDA_SUCCESS);
  EXPECT_EQ(cuStreamUpdateCaptureDependencies(stream_, &first, 1, 2), CUDA_ERROR_INVALID_VALUE);
  CUgraph captured = nullptr;
  // "Nodes that are removed from the dependency set via this API do not result in
  // CUDA_ERROR_STREAM_CAPTURE_UNJOINED if they are unreachable from the stream"
  // (cuStreamUpdateCaptureDependencies).
  EXPECT_EQ(cuStreamEndCapture(stream_, &captured), CUDA_SUCCESS);
  EXPECT_EQ(captured, graph);
  // The program has this graph already; one that nobody has must go somewhere.
  ASSERT_EQ(cuStreamBeginCaptureToGraph(stream_, graph, nullptr, nullptr, 0, CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_SUCCESS);
  EXPECT_EQ(cuStreamEndCapture(stream_, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamEndCapture(stream_, nullptr), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamEndCapture(stream_, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamEndCapture(stream_, &captured), CUDA_SUCCESS);
}

TEST_F(DriverStream, AttributesAreKeptAndCopied) {
  CUstreamAttrValue value{};
  value.accessPolicyWindow.num_bytes = 4096;
  EXPECT_EQ(cuStreamSetAttribute(stream_, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamCopyAttributes(other_, stream_), CUDA_SUCCESS);
  value = {};
  EXPECT_EQ(cuStreamGetAttribute(other_, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value), CUDA_SUCCESS);
  EXPECT_EQ(value.accessPolicyWindow.num_bytes, 4096U);
  EXPECT_EQ(cuStreamGetAttribute(other_, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamSetAttribute(other_, CU_LAUNCH_ATTRIBUTE_PRIORITY, nullptr), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace heddle::cu
