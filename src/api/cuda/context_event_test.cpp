// Events of all of a context's work.
#include <cuda.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "api/cuda_state/testing.h"

namespace heddle::cu {
namespace {

// Work that goes on until the test says so.
struct Gate {
  std::promise<void> opened;
  std::shared_future<void> open = opened.get_future().share();
  static void wait(void* gate) { static_cast<Gate*>(gate)->open.wait(); }
};
void set(void* flag) { static_cast<std::atomic<bool>*>(flag)->store(true); }

class ContextEvent : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxCreate(&other_, 0, 1), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamCreate(&elsewhere_, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    ASSERT_EQ(cuEventCreate(&foreign_, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxCreate(&context_, 0, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamCreate(&one_, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamCreate(&two_, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    ASSERT_EQ(cuEventCreate(&event_, CU_EVENT_DEFAULT), CUDA_SUCCESS);
  }
  cuda::TestProcess process_{{"h200", "h200"}};
  CUcontext context_ = nullptr, other_ = nullptr;
  CUstream one_ = nullptr, two_ = nullptr, elsewhere_ = nullptr;
  CUevent event_ = nullptr, foreign_ = nullptr;
};

TEST_F(ContextEvent, IsReachedWhenEveryStreamHasComeSoFar) {
  Gate gate;
  ASSERT_EQ(cuLaunchHostFunc(two_, Gate::wait, &gate), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxRecordEvent(context_, event_), CUDA_SUCCESS);
  Gate later;
  ASSERT_EQ(cuLaunchHostFunc(one_, Gate::wait, &later), CUDA_SUCCESS);  // not part of it
  EXPECT_EQ(cuEventQuery(event_), CUDA_ERROR_NOT_READY);
  gate.opened.set_value();
  EXPECT_EQ(cuEventSynchronize(event_), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(one_), CUDA_ERROR_NOT_READY);
  later.opened.set_value();
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
}

TEST_F(ContextEvent, HoldsWhatEveryStreamDoesNextAndNewStreamsToo) {
  Gate gate;
  ASSERT_EQ(cuCtxSetCurrent(other_), CUDA_SUCCESS);
  ASSERT_EQ(cuLaunchHostFunc(elsewhere_, Gate::wait, &gate), CUDA_SUCCESS);
  ASSERT_EQ(cuEventRecord(foreign_, elsewhere_), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxSetCurrent(context_), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxWaitEvent(context_, foreign_), CUDA_SUCCESS);
  CUstream young = nullptr;
  ASSERT_EQ(cuStreamCreate(&young, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  std::atomic<bool> ran[3] = {false, false, false};
  ASSERT_EQ(cuLaunchHostFunc(one_, set, &ran[0]), CUDA_SUCCESS);
  ASSERT_EQ(cuLaunchHostFunc(young, set, &ran[1]), CUDA_SUCCESS);
  ASSERT_EQ(cuLaunchHostFunc(nullptr, set, &ran[2]), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxRecordEvent(context_, event_), CUDA_SUCCESS);
  EXPECT_EQ(cuEventQuery(event_), CUDA_ERROR_NOT_READY);
  for (const auto& flag : ran) EXPECT_FALSE(flag);
  gate.opened.set_value();
  EXPECT_EQ(cuEventSynchronize(event_), CUDA_SUCCESS);
  for (const auto& flag : ran) EXPECT_TRUE(flag);
}

TEST_F(ContextEvent, WithoutWorkBeforeNothingIsWaitedFor) {
  EXPECT_EQ(cuCtxWaitEvent(context_, event_), CUDA_SUCCESS);  // never recorded
  EXPECT_EQ(cuCtxRecordEvent(context_, event_), CUDA_SUCCESS);
  EXPECT_EQ(cuEventSynchronize(event_), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxWaitEvent(context_, event_), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(one_), CUDA_SUCCESS);
}

TEST_F(ContextEvent, EventsOfProcessesAreReachedToo) {
  CUevent shared = nullptr;
  ASSERT_EQ(cuEventCreate(&shared, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  Gate gate;
  ASSERT_EQ(cuLaunchHostFunc(one_, Gate::wait, &gate), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxRecordEvent(context_, shared), CUDA_SUCCESS);
  EXPECT_EQ(cuEventQuery(shared), CUDA_ERROR_NOT_READY);
  ASSERT_EQ(cuCtxWaitEvent(other_, shared), CUDA_SUCCESS);
  std::atomic<bool> ran = false;
  ASSERT_EQ(cuCtxSetCurrent(other_), CUDA_SUCCESS);
  ASSERT_EQ(cuLaunchHostFunc(elsewhere_, set, &ran), CUDA_SUCCESS);
  EXPECT_FALSE(ran);
  gate.opened.set_value();
  EXPECT_EQ(cuStreamSynchronize(elsewhere_), CUDA_SUCCESS);
  EXPECT_TRUE(ran);
  EXPECT_EQ(cuEventSynchronize(shared), CUDA_SUCCESS);
}

TEST_F(ContextEvent, IsRefusedForOthersAndWhileAStreamIsCaptured) {
  EXPECT_EQ(cuCtxRecordEvent(context_, foreign_), CUDA_ERROR_INVALID_HANDLE);
  ASSERT_EQ(cuStreamBeginCapture(one_, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxRecordEvent(context_, event_), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CUgraph graph = nullptr;
  EXPECT_EQ(cuStreamEndCapture(one_, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  ASSERT_EQ(cuStreamBeginCapture(one_, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  ASSERT_EQ(cuEventRecord(event_, one_), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxWaitEvent(other_, event_), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(cuStreamEndCapture(one_, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(cuCtxRecordEvent(context_, event_), CUDA_SUCCESS);
}

}  // namespace
}  // namespace heddle::cu
