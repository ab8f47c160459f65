// The runtime API, called as programs call it.
#include <cstring>
#include <functional>
#include <thread>

#include "api/cudart/testing.h"

namespace heddle::cudart {
namespace {

using testing::Each;
using testing::ElementsAre;

TEST_F(RuntimeApi, LaunchesAndCopies) {
  int* data = device_ints({1, 2, 3, 4});
  ASSERT_EQ(add(data, 10, 3), cudaSuccess);
  EXPECT_THAT(ints(data, 4), ElementsAre(11, 12, 13, 4));
  EXPECT_EQ(cudaMemset(data + 1, 0xff, 5), cudaSuccess);
  EXPECT_THAT(ints(data, 4), ElementsAre(11, -1, 255, 4));
  EXPECT_EQ(cudaFree(data), cudaSuccess);
  EXPECT_EQ(cudaFree(data), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(RuntimeApi, RefusesLaunchesThatCannotBe) {
  int* data = device_ints({0});
  int what = 1;
  void* args[] = {&data, &what};
  const auto with = [&](dim3 grid, dim3 block, size_t shared) {
    return cudaLaunchKernel(&add_stub, grid, block, args, shared, nullptr);
  };
  EXPECT_EQ(with(dim3(0), dim3(1), 0), cudaErrorInvalidConfiguration);
  EXPECT_EQ(with(dim3(1), dim3(1025), 0), cudaErrorInvalidConfiguration);
  EXPECT_EQ(with(dim3(1), dim3(1, 1, 65), 0), cudaErrorInvalidConfiguration);
  EXPECT_EQ(with(dim3(1, 65536), dim3(1), 0), cudaErrorInvalidConfiguration);
  EXPECT_EQ(with(dim3(1), dim3(1), 49153), cudaErrorInvalidValue);
  EXPECT_EQ(cudaLaunchKernel(&what, dim3(1), dim3(1), args, 0, nullptr), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaLaunchKernel(nullptr, dim3(1), dim3(1), args, 0, nullptr), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaLaunchKernel(&add_stub, dim3(1), dim3(1), args, 0, reinterpret_cast<cudaStream_t>(77)),
            cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaFuncSetAttribute(&add_stub, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000),
            cudaSuccess);
  EXPECT_EQ(with(dim3(1), dim3(1), 100000), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_THAT(ints(data, 1), ElementsAre(1));
}

TEST_F(RuntimeApi, AFaultStays) {
  void* args[] = {nullptr};
  ASSERT_EQ(cudaLaunchKernel(&fault_stub, dim3(1), dim3(1), args, 0, nullptr), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 4), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorIllegalAddress) << "calls go on to report it";
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_STREQ(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&memory, 4), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(RuntimeApi, CopiesSaySoWhenTheDirectionIsWrong) {
  int host[4] = {};
  int* data = device_ints({1, 2, 3, 4});
  EXPECT_EQ(cudaMemcpy(host, data, 16, static_cast<cudaMemcpyKind>(9)), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpy(host, host, 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(data, data, 17, cudaMemcpyDefault), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host, data, 16, cudaMemcpyDefault), cudaSuccess);
  EXPECT_THAT(host, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(cudaMemcpy2D(host, 4, data, 8, 8, 2, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy2D(host, 4, data, 8, 4, 2, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_THAT(host, ElementsAre(1, 3, 3, 4));
}

TEST_F(RuntimeApi, SymbolsAreCopiedInPieces) {
  const float two[2] = {1.5F, 2.5F};
  EXPECT_EQ(cudaMemcpyToSymbol(&factors_shadow, two, 8, 8, cudaMemcpyHostToDevice), cudaSuccess);
  float back[4] = {9, 9, 9, 9};
  EXPECT_EQ(cudaMemcpyFromSymbol(back, &factors_shadow, 16, 0, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_THAT(back, ElementsAre(0, 0, 1.5F, 2.5F));
  EXPECT_EQ(cudaMemcpyToSymbol(&factors_shadow, two, 8, 9, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol(two, two, 8, 0, cudaMemcpyHostToDevice), cudaErrorInvalidSymbol);
  size_t bytes = 0;
  EXPECT_EQ(cudaGetSymbolSize(&bytes, &counter_shadow), cudaSuccess);
  EXPECT_EQ(bytes, 16U);
}

TEST_F(RuntimeApi, StreamsAndEvents) {
  cudaStream_t stream = nullptr;
  cudaEvent_t start = nullptr, end = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&end), cudaSuccess);
  int* data = device_ints({0, 0});
  EXPECT_EQ(cudaEventRecord(start, stream), cudaSuccess);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(add(data, 1, 2, stream), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(end, stream), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(end), cudaSuccess);
  float ms = -1;
  EXPECT_EQ(cudaEventElapsedTime(&ms, start, end), cudaSuccess);
  EXPECT_GT(ms, 0);
  EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
  EXPECT_THAT(ints(data, 2), Each(10));
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventDestroy(start), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(start, nullptr), cudaErrorInvalidResourceHandle);
}

TEST_F(RuntimeApi, DevicesHaveProperties) {
  int count = 0;
  ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 2);
  cudaDeviceProp properties;
  ASSERT_EQ(cudaGetDeviceProperties_v2(&properties, 1), cudaSuccess);
  EXPECT_STREQ(properties.name, "NVIDIA H200");
  EXPECT_EQ(properties.major, 9);
  EXPECT_EQ(properties.warpSize, 32);
  EXPECT_EQ(properties.maxThreadsPerBlock, 1024);
  EXPECT_EQ(cudaGetDeviceProperties_v2(&properties, 2), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetDevice(2), cudaErrorInvalidDevice);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  int device = -1, peers = 0;
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(cudaDeviceCanAccessPeer(&peers, 0, 1), cudaSuccess);
  EXPECT_EQ(peers, 1);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaSuccess);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessAlreadyEnabled);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorInvalidDevice);
}

TEST_F(RuntimeApi, PointersTellWhatTheyAre) {
  int* data = device_ints({1});
  void *pinned = nullptr, *managed = nullptr;
  ASSERT_EQ(cudaHostAlloc(&pinned, 64, cudaHostAllocDefault), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&managed, 64, cudaMemAttachGlobal), cudaSuccess);
  int local = 0;
  const auto type = [](const void* pointer) {
    cudaPointerAttributes attributes;
    EXPECT_EQ(cudaPointerGetAttributes(&attributes, pointer), cudaSuccess);
    return attributes.type;
  };
  EXPECT_EQ(type(data), cudaMemoryTypeDevice);
  EXPECT_EQ(type(pinned), cudaMemoryTypeHost);
  EXPECT_EQ(type(managed), cudaMemoryTypeManaged);
  EXPECT_EQ(type(&local), cudaMemoryTypeUnregistered);
  EXPECT_EQ(cudaFree(pinned), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  *static_cast<int*>(managed) = 5;
  EXPECT_EQ(add(static_cast<int*>(managed), 1, 1), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(*static_cast<int*>(managed), 6);
}

TEST_F(RuntimeApi, ACapturedStreamBecomesAGraph) {
  int* data = device_ints({0, 0, 0});
  cudaStream_t stream = nullptr, side = nullptr;
  cudaEvent_t fork = nullptr, joined = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaStreamCreate(&side), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&fork), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&joined), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(add(data, 1, 3, stream), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(fork, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(side, fork, 0), cudaSuccess);
  EXPECT_EQ(add(data + 2, 10, 1, side), cudaSuccess);
  EXPECT_EQ(add(data, 100, 2, stream), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(joined, side), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(stream, joined, 0), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(side), cudaSuccess) << "its work is part of the graph";
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_THAT(ints(data, 3), Each(0)) << "nothing ran";
  size_t nodes = 0;
  EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 3U);
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaGraphInstantiateWithFlags(&exec, graph, 0), cudaSuccess);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_THAT(ints(data, 3), ElementsAre(303, 303, 33));
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaErrorInvalidValue);
}

TEST_F(RuntimeApi, WhatCannotBeCapturedMakesTheCaptureInvalid) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
}

// What an H200 (driver of CUDA 13) answers.
TEST_F(RuntimeApi, AskingWhileAStreamIsCaptured) {
  cudaStream_t stream = nullptr, other = nullptr;
  cudaEvent_t inside = nullptr, outside = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&inside), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&outside), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(outside, other), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(other), cudaSuccess);
  const auto captured = [&](cudaStreamCaptureMode mode, const std::function<cudaError_t()>& asked) {
    EXPECT_EQ(cudaStreamBeginCapture(stream, mode), cudaSuccess);
    EXPECT_EQ(cudaEventRecord(inside, stream), cudaSuccess);
    const cudaError_t answer = asked();
    cudaGraph_t graph = nullptr;
    const cudaError_t end = cudaStreamEndCapture(stream, &graph);
    if (graph != nullptr) EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    EXPECT_TRUE(end == cudaSuccess || end == cudaErrorStreamCaptureInvalidated);
    return std::pair(answer, end == cudaSuccess);
  };
  float ms = 0;
  const auto lost = [](cudaError_t answer) { return std::pair(answer, false); };
  const auto kept = [](cudaError_t answer) { return std::pair(answer, true); };
  const cudaError_t of_capture = cudaErrorCapturedEvent, no = cudaErrorStreamCaptureUnsupported;
  const auto global = cudaStreamCaptureModeGlobal;
  EXPECT_EQ(captured(global, [&] { return cudaEventQuery(inside); }), lost(of_capture));
  EXPECT_EQ(captured(global, [&] { return cudaEventSynchronize(inside); }), lost(of_capture));
  EXPECT_EQ(captured(global, [&] { return cudaEventElapsedTime(&ms, outside, inside); }), kept(of_capture));
  for (const auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal}) {
    EXPECT_EQ(captured(mode, [&] { return cudaEventQuery(outside); }), lost(no));
    EXPECT_EQ(captured(mode, [&] { return cudaEventSynchronize(outside); }), lost(no));
    EXPECT_EQ(captured(mode, [&] { return cudaStreamQuery(other); }), lost(no));
    EXPECT_EQ(captured(mode, [&] { return cudaStreamSynchronize(other); }), lost(no));
  }
  const auto elsewhere = [&] {
    cudaError_t answer = cudaSuccess;
    std::thread([&] { answer = cudaEventQuery(outside); }).join();
    return answer;
  };
  EXPECT_EQ(captured(global, elsewhere), lost(no));
  EXPECT_EQ(captured(cudaStreamCaptureModeThreadLocal, elsewhere), kept(cudaSuccess));
  EXPECT_EQ(captured(cudaStreamCaptureModeRelaxed, [&] { return cudaEventQuery(outside); }),
            kept(cudaSuccess));
  EXPECT_EQ(captured(cudaStreamCaptureModeRelaxed, [&] { return cudaStreamSynchronize(other); }),
            kept(cudaSuccess));
}

TEST_F(RuntimeApi, GraphsOfNodes) {
  int* data = device_ints({0, 0});
  int host[2] = {};
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  cudaMemsetParams fill{};
  fill.dst = data;
  fill.value = 7;
  fill.elementSize = 4;
  fill.width = 2;
  fill.height = 1;
  cudaGraphNode_t filled = nullptr, added = nullptr, copied = nullptr;
  ASSERT_EQ(cudaGraphAddMemsetNode(&filled, graph, nullptr, 0, &fill), cudaSuccess);
  int what = 1;
  void* args[] = {&data, &what};
  cudaKernelNodeParams kernel{};
  kernel.func = &add_stub;
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(2);
  kernel.kernelParams = args;
  ASSERT_EQ(cudaGraphAddKernelNode(&added, graph, &filled, 1, &kernel), cudaSuccess);
  ASSERT_EQ(cudaGraphAddMemcpyNode1D(&copied, graph, &added, 1, host, data, 8, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(cudaGraphAddDependencies(graph, &copied, &filled, 1), cudaErrorInvalidValue) << "a circle";
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaGraphInstantiateWithFlags(&exec, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(exec, nullptr), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_THAT(host, Each(8));
  what = 5;
  EXPECT_EQ(cudaGraphExecKernelNodeSetParams(exec, added, &kernel), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(exec, nullptr), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_THAT(host, Each(12));
  cudaKernelNodeParams told{};
  EXPECT_EQ(cudaGraphKernelNodeGetParams(added, &told), cudaSuccess);
  EXPECT_EQ(*static_cast<int*>(told.kernelParams[1]), 1) << "the graph itself is as it was";
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(RuntimeApi, MemoryInTheOrderOfAStream) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  void* memory = nullptr;
  ASSERT_EQ(cudaMallocAsync(&memory, 8, stream), cudaSuccess);
  cudaMemPool_t pool = nullptr;
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
  uint64_t used = 0;
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), cudaSuccess);
  EXPECT_EQ(used, 8U);
  EXPECT_EQ(cudaMemsetAsync(memory, 0, 8, stream), cudaSuccess);
  EXPECT_EQ(add(static_cast<int*>(memory), 3, 2, stream), cudaSuccess);
  int host[2] = {};
  EXPECT_EQ(cudaMemcpyAsync(host, memory, 8, cudaMemcpyDeviceToHost, stream), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(memory, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_THAT(host, Each(3));
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), cudaSuccess);
  EXPECT_EQ(used, 0U);
  EXPECT_EQ(cudaFreeAsync(memory, stream), cudaErrorInvalidValue);
}

TEST_F(RuntimeApi, ArraysAndTextures) {
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindSigned);
  cudaArray_t array = nullptr;
  ASSERT_EQ(cudaMallocArray(&array, &desc, 4, 2, 0), cudaSuccess);
  EXPECT_EQ(cudaArrayGetInfo(nullptr, nullptr, nullptr, array),
            cudaSuccess);  // asks for nothing, as on an H200
  const int values[] = {1, 2, 3, 4, 5, 6, 7, 8};
  ASSERT_EQ(cudaMemcpy2DToArray(array, 0, 0, values, 16, 16, 2, cudaMemcpyHostToDevice), cudaSuccess);
  int back[8] = {};
  ASSERT_EQ(cudaMemcpyFromArray(back, array, 8, 0, 24, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_THAT(back, ElementsAre(3, 4, 5, 6, 7, 8, 0, 0));
  cudaArray_t narrow = nullptr;  // rows of three
  ASSERT_EQ(cudaMallocArray(&narrow, &desc, 3, 3, 0), cudaSuccess);
  ASSERT_EQ(cudaMemcpyArrayToArray(narrow, 4, 0, array, 8, 0, 24, cudaMemcpyDeviceToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpyFromArray(back, narrow, 4, 0, 24, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_THAT(back, ElementsAre(3, 4, 5, 6, 7, 8, 0, 0));
  EXPECT_EQ(cudaMemcpyArrayToArray(narrow, 4, 0, array, 8, 0, 28, cudaMemcpyDeviceToDevice),
            cudaErrorInvalidValue)
      << "the source has 24 bytes from there on";
  EXPECT_EQ(cudaFreeArray(narrow), cudaSuccess);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc texture{};
  cudaTextureObject_t object = 0;
  ASSERT_EQ(cudaCreateTextureObject(&object, &resource, &texture, nullptr), cudaSuccess);
  texture.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t second = 0;
  EXPECT_EQ(cudaCreateTextureObject(&second, &resource, &texture, nullptr), cudaErrorInvalidValue)
      << "integers cannot be filtered";
  cudaResourceDesc told{};
  EXPECT_EQ(cudaGetTextureObjectResourceDesc(&told, object), cudaSuccess);
  EXPECT_EQ(told.res.array.array, array);
  EXPECT_EQ(cudaDestroyTextureObject(object), cudaSuccess);
  EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
  EXPECT_EQ(cudaFreeArray(array), cudaErrorInvalidResourceHandle);
}

TEST_F(RuntimeApi, OldLaunchesAndPushedConfigurations) {
  int* data = device_ints({0, 0});
  int what = 4;
  ASSERT_EQ(cudaConfigureCall(dim3(1), dim3(2), 0, nullptr), cudaSuccess);
  ASSERT_EQ(cudaSetupArgument(&data, 8, 0), cudaSuccess);
  ASSERT_EQ(cudaSetupArgument(&what, 4, 8), cudaSuccess);
  EXPECT_EQ(cudaLaunch(&add_stub), cudaSuccess);
  EXPECT_EQ(cudaLaunch(&add_stub), cudaErrorMissingConfiguration);
  EXPECT_THAT(ints(data, 2), Each(4));
  EXPECT_EQ(__cudaPushCallConfiguration(dim3(3), dim3(2), 16, nullptr), 0U);
  dim3 grid(0), block(0);
  size_t shared = 0;
  cudaStream_t stream = nullptr;
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), cudaSuccess);
  EXPECT_EQ(grid.x, 3U);
  EXPECT_EQ(shared, 16U);
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), cudaErrorMissingConfiguration);
}

TEST_F(RuntimeApi, ACaptureEndsWithItsStreamAndWithItsDevice) {
  void* memory = nullptr;
  for (const bool whole_device : {false, true}) {
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    EXPECT_EQ(cudaMalloc(&memory, 4), cudaErrorStreamCaptureUnsupported);
    EXPECT_EQ(whole_device ? cudaDeviceReset() : cudaStreamDestroy(stream), cudaSuccess);
    EXPECT_EQ(cudaMalloc(&memory, 4), cudaSuccess) << "nothing is captured any more";
  }
}

}  // namespace
}  // namespace heddle::cudart
