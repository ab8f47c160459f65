// Graphs through the driver API.
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <sstream>

#include "api/cuda_state/testing.h"

namespace heddle::cu {
namespace {

using testing::ElementsAre;

// add(data, what): data[thread] += what. countdown(data, condition): data[0] -= 1, and the condition is what
// is left. NVIDIA's compiler calls cudaGraphSetConditional in this way.
constexpr char program[] = R"(
.version 8.0
.target sm_50
.address_size 64
.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);
.visible .entry add(.param .u64 data, .param .u32 what) {
  .reg .u32 %r<4>;
  .reg .u64 %d<3>;
  ld.param.u64 %d0, [data];
  ld.param.u32 %r0, [what];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %d1, %r1, 4;
  add.u64 %d2, %d0, %d1;
  ld.global.u32 %r2, [%d2];
  add.u32 %r3, %r2, %r0;
  st.global.u32 [%d2], %r3;
  ret;
}
.visible .entry countdown(.param .u64 data, .param .u64 condition) {
  .reg .u32 %r<2>;
  .reg .u64 %d<2>;
  ld.param.u64 %d0, [data];
  ld.param.u64 %d1, [condition];
  ld.global.u32 %r0, [%d0];
  sub.u32 %r1, %r0, 1;
  st.global.u32 [%d0], %r1;
  {
    .param .b64 param0;
    st.param.b64 [param0+0], %d1;
    .param .b32 param1;
    st.param.b32 [param1+0], %r1;
    call.uni cudaGraphSetConditional, (param0, param1);
  }
  ret;
}
)";

class DriverGraph : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxCreate_v2(&context_, 0, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuModuleLoadData(&module_, program), CUDA_SUCCESS);
    ASSERT_EQ(cuModuleGetFunction(&add_, module_, "add"), CUDA_SUCCESS);
    ASSERT_EQ(cuModuleGetFunction(&countdown_, module_, "countdown"), CUDA_SUCCESS);
    ASSERT_EQ(cuMemAlloc_v2(&data_, 64), CUDA_SUCCESS);
    ASSERT_EQ(cuMemsetD32_v2(data_, 0, 16), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    ASSERT_EQ(cuGraphCreate(&graph_, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  }
  CUDA_KERNEL_NODE_PARAMS add_params(int& what, unsigned threads = 2) {
    arguments_ = {&data_, &what};
    CUDA_KERNEL_NODE_PARAMS params{};
    params.func = add_;
    params.gridDimX = params.gridDimY = params.gridDimZ = params.blockDimY = params.blockDimZ = 1;
    params.blockDimX = threads;
    params.kernelParams = arguments_.data();
    return params;
  }
  CUgraphNode add_node(CUgraph graph, int what, std::vector<CUgraphNode> after = {}) {
    const CUDA_KERNEL_NODE_PARAMS params = add_params(what);
    CUgraphNode node = nullptr;
    EXPECT_EQ(cuGraphAddKernelNode_v2(&node, graph, after.data(), after.size(), &params), CUDA_SUCCESS);
    return node;
  }
  CUgraphExec ready(CUgraph graph) {
    CUgraphExec exec = nullptr;
    EXPECT_EQ(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
    return exec;
  }
  CUresult run(CUgraphExec exec) {
    const CUresult launched = cuGraphLaunch(exec, stream_);
    return launched == CUDA_SUCCESS ? cuStreamSynchronize(stream_) : launched;
  }
  std::vector<int> values(std::size_t count) {
    std::vector<int> host(count);
    EXPECT_EQ(cuMemcpyDtoH_v2(host.data(), data_, count * sizeof(int)), CUDA_SUCCESS);
    return host;
  }
  cuda::TestProcess process_;
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
  CUfunction add_ = nullptr, countdown_ = nullptr;
  CUdeviceptr data_ = 0;
  CUgraph graph_ = nullptr;
  CUstream stream_ = nullptr;
  std::array<void*, 2> arguments_{};
};

TEST_F(DriverGraph, KernelsCopiesAndFillsRunInTheirOrder) {
  CUDA_MEMSET_NODE_PARAMS fill{data_, 0, 7, 4, 2, 1};
  CUgraphNode first = nullptr, copy = nullptr;
  ASSERT_EQ(cuGraphAddMemsetNode(&first, graph_, nullptr, 0, &fill, context_), CUDA_SUCCESS);
  const CUgraphNode second = add_node(graph_, 5, {first});
  std::array<int, 2> host{};
  CUDA_MEMCPY3D back{};
  back.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  back.srcDevice = data_;
  back.dstMemoryType = CU_MEMORYTYPE_HOST;
  back.dstHost = host.data();
  back.WidthInBytes = sizeof host;
  back.Height = back.Depth = 1;
  ASSERT_EQ(cuGraphAddMemcpyNode(&copy, graph_, &second, 1, &back, context_), CUDA_SUCCESS);
  const CUgraphExec exec = ready(graph_);
  EXPECT_EQ(run(exec), CUDA_SUCCESS);
  EXPECT_THAT(host, ElementsAre(12, 12));

  // What the nodes say.
  CUDA_MEMSET_NODE_PARAMS said{};
  EXPECT_EQ(cuGraphMemsetNodeGetParams(first, &said), CUDA_SUCCESS);
  EXPECT_EQ(said.dst, data_);
  EXPECT_EQ(said.value, 7U);
  EXPECT_EQ(said.width, 2U);
  CUDA_MEMCPY3D copied{};
  EXPECT_EQ(cuGraphMemcpyNodeGetParams(copy, &copied), CUDA_SUCCESS);
  EXPECT_EQ(copied.srcDevice, data_);
  EXPECT_EQ(copied.dstHost, host.data());
  EXPECT_EQ(copied.WidthInBytes, sizeof host);
  CUDA_KERNEL_NODE_PARAMS kernel{};
  EXPECT_EQ(cuGraphKernelNodeGetParams_v2(second, &kernel), CUDA_SUCCESS);
  EXPECT_EQ(kernel.func, add_);
  EXPECT_EQ(kernel.blockDimX, 2U);
  EXPECT_EQ(kernel.ctx, context_);
  EXPECT_EQ(*static_cast<int*>(kernel.kernelParams[1]), 5);
  EXPECT_EQ(cuGraphMemcpyNodeGetParams(first, &copied), CUDA_ERROR_INVALID_VALUE);
  CUgraphNodeType type{};
  EXPECT_EQ(cuGraphNodeGetType(copy, &type), CUDA_SUCCESS);
  EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_MEMCPY);

  // Another argument for later launches, then a kernel that is left out.
  int what = 100;
  const CUDA_KERNEL_NODE_PARAMS changed = add_params(what);
  EXPECT_EQ(cuGraphExecKernelNodeSetParams_v2(exec, second, &changed), CUDA_SUCCESS);
  EXPECT_EQ(run(exec), CUDA_SUCCESS);
  EXPECT_THAT(host, ElementsAre(107, 107));
  EXPECT_EQ(cuGraphNodeSetEnabled(exec, second, 0), CUDA_SUCCESS);
  EXPECT_EQ(run(exec), CUDA_SUCCESS);
  EXPECT_THAT(host, ElementsAre(7, 7));
  unsigned enabled = 1;
  EXPECT_EQ(cuGraphNodeGetEnabled(exec, second, &enabled), CUDA_SUCCESS);
  EXPECT_EQ(enabled, 0U);
}

TEST_F(DriverGraph, ShapesAreTold) {
  const CUgraphNode a = add_node(graph_, 1), b = add_node(graph_, 2, {a});
  CUgraphNode c = nullptr;
  ASSERT_EQ(cuGraphAddEmptyNode(&c, graph_, nullptr, 0), CUDA_SUCCESS);
  const CUgraphEdgeData programmatic{
      CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, 0, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC, {}};
  const CUgraphNode d = add_node(graph_, 3);
  EXPECT_EQ(cuGraphAddDependencies_v2(graph_, &b, &d, &programmatic, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphAddDependencies(graph_, &d, &a, 1), CUDA_ERROR_INVALID_VALUE) << "a circle";
  EXPECT_EQ(cuGraphAddDependencies_v2(graph_, &c, &d, &programmatic, 1), CUDA_ERROR_INVALID_VALUE)
      << "an empty node has no such port";
  size_t count = 0;
  EXPECT_EQ(cuGraphGetEdges(graph_, nullptr, nullptr, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 2U);
  std::array<CUgraphNode, 3> from{}, to{};
  count = 3;
  EXPECT_EQ(cuGraphGetEdges(graph_, from.data(), to.data(), &count), CUDA_ERROR_LOSSY_QUERY);
  std::array<CUgraphEdgeData, 3> data{};
  EXPECT_EQ(cuGraphGetEdges_v2(graph_, from.data(), to.data(), data.data(), &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 2U);
  EXPECT_THAT(from, ElementsAre(a, b, nullptr));
  EXPECT_THAT(to, ElementsAre(b, d, nullptr));
  EXPECT_EQ(data[1].type, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
  std::array<CUgraphNode, 1> before{};
  count = 1;
  EXPECT_EQ(cuGraphNodeGetDependencies_v2(d, before.data(), data.data(), &count), CUDA_SUCCESS);
  EXPECT_EQ(before[0], b);
  EXPECT_EQ(cuGraphRemoveDependencies(graph_, &b, &d, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphRemoveDependencies(graph_, &b, &d, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphGetRootNodes(graph_, nullptr, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 3U);
  EXPECT_EQ(cuGraphDestroyNode(a), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroyNode(a), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphGetNodes(graph_, nullptr, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 3U);
}

TEST_F(DriverGraph, ChildrenAreCopiesAndBelongToTheirNode) {
  CUgraph child = nullptr, inner = nullptr;
  ASSERT_EQ(cuGraphCreate(&child, 0), CUDA_SUCCESS);
  add_node(child, 4);
  CUgraphNode node = nullptr;
  ASSERT_EQ(cuGraphAddChildGraphNode(&node, graph_, nullptr, 0, child), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphChildGraphNodeGetGraph(node, &inner), CUDA_SUCCESS);
  EXPECT_NE(inner, child);
  EXPECT_EQ(cuGraphDestroy(inner), CUDA_ERROR_INVALID_VALUE);
  const CUgraphExec exec = ready(graph_);
  EXPECT_EQ(run(exec), CUDA_SUCCESS);
  EXPECT_THAT(values(2), ElementsAre(4, 4));

  CUgraph other = nullptr;
  ASSERT_EQ(cuGraphCreate(&other, 0), CUDA_SUCCESS);
  add_node(other, 30);
  EXPECT_EQ(cuGraphExecChildGraphNodeSetParams(exec, node, other), CUDA_SUCCESS);
  EXPECT_EQ(run(exec), CUDA_SUCCESS);
  EXPECT_THAT(values(2), ElementsAre(34, 34));
  add_node(other, 1);
  EXPECT_EQ(cuGraphExecChildGraphNodeSetParams(exec, node, other), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphDestroy(graph_), CUDA_SUCCESS);
  size_t count = 0;
  EXPECT_EQ(cuGraphGetNodes(inner, nullptr, &count), CUDA_ERROR_INVALID_VALUE) << "it went with its node";
}

TEST_F(DriverGraph, UpdatesTakeOverWhatFits) {
  add_node(graph_, 1);
  const CUgraphExec exec = ready(graph_);
  CUgraph other = nullptr;
  ASSERT_EQ(cuGraphCreate(&other, 0), CUDA_SUCCESS);
  const CUgraphNode first = add_node(other, 20);
  CUgraphExecUpdateResultInfo info{};
  EXPECT_EQ(cuGraphExecUpdate_v2(exec, other, &info), CUDA_SUCCESS);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
  EXPECT_EQ(run(exec), CUDA_SUCCESS);
  EXPECT_THAT(values(2), ElementsAre(20, 20));
  add_node(other, 1, {first});
  EXPECT_EQ(cuGraphExecUpdate_v2(exec, other, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  CUgraphNode node = nullptr;
  CUgraphExecUpdateResult result{};
  EXPECT_EQ(cuGraphExecUpdate(exec, other, &node, &result), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
}

TEST_F(DriverGraph, AConditionalNodeLoopsUntilItsKernelSaysSo) {
  CUgraphConditionalHandle condition = 0;
  ASSERT_EQ(cuGraphConditionalHandleCreate(&condition, graph_, context_, 1, CU_GRAPH_COND_ASSIGN_DEFAULT),
            CUDA_SUCCESS);
  CUDA_MEMSET_NODE_PARAMS five{data_, 0, 5, 4, 1, 1};
  CUgraphNode start = nullptr, loop = nullptr;
  ASSERT_EQ(cuGraphAddMemsetNode(&start, graph_, nullptr, 0, &five, context_), CUDA_SUCCESS);
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  params.conditional.handle = condition;
  params.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
  params.conditional.size = 1;
  params.conditional.ctx = context_;
  ASSERT_EQ(cuGraphAddNode(&loop, graph_, &start, 1, &params), CUDA_SUCCESS);
  ASSERT_NE(params.conditional.phGraph_out, nullptr);
  const CUgraph body = params.conditional.phGraph_out[0];
  void* arguments[] = {&data_, &condition};
  CUDA_KERNEL_NODE_PARAMS kernel{};
  kernel.func = countdown_;
  kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = 1;
  kernel.blockDimX = kernel.blockDimY = kernel.blockDimZ = 1;
  kernel.kernelParams = arguments;
  CUgraphNode inner = nullptr, counter = nullptr;
  ASSERT_EQ(cuGraphAddKernelNode_v2(&inner, body, nullptr, 0, &kernel), CUDA_SUCCESS);
  // Beside it another word counts the turns.
  CUdeviceptr turns = data_ + 8;
  int one = 1;
  void* counting[] = {&turns, &one};
  kernel.func = add_;
  kernel.kernelParams = counting;
  ASSERT_EQ(cuGraphAddKernelNode_v2(&counter, body, &inner, 1, &kernel), CUDA_SUCCESS);
  CUgraphNode another = nullptr;
  EXPECT_EQ(cuGraphAddNode(&another, graph_, nullptr, 0, &params), CUDA_ERROR_INVALID_VALUE)
      << "the handle has its node";
  const CUgraphExec exec = ready(graph_);
  EXPECT_EQ(run(exec), CUDA_SUCCESS);
  EXPECT_EQ(values(3)[2], 5);
  EXPECT_EQ(run(exec), CUDA_SUCCESS) << "the default is assigned again";
  EXPECT_EQ(values(3)[2], 10);

  // A body's node changes for later launches.
  one = 100;
  EXPECT_EQ(cuGraphExecKernelNodeSetParams_v2(exec, counter, &kernel), CUDA_SUCCESS);
  EXPECT_EQ(run(exec), CUDA_SUCCESS);
  EXPECT_EQ(values(3)[2], 510);
  EXPECT_EQ(cuGraphDestroy(body), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverGraph, IfElseAndSwitchChooseABody) {
  // One after the other: they all add to the same words.
  CUgraphNode last = nullptr;
  const auto node_of = [&](CUgraphConditionalNodeType type, unsigned size, unsigned value,
                           std::vector<int> whats) {
    CUgraphNodeParams params{};
    params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    EXPECT_EQ(cuGraphConditionalHandleCreate(&params.conditional.handle, graph_, context_, value,
                                             CU_GRAPH_COND_ASSIGN_DEFAULT),
              CUDA_SUCCESS);
    params.conditional.type = type;
    params.conditional.size = size;
    CUgraphNode node = nullptr;
    EXPECT_EQ(cuGraphAddNode_v2(&node, graph_, &last, nullptr, last == nullptr ? 0 : 1, &params),
              CUDA_SUCCESS);
    for (unsigned i = 0; i < size; ++i) add_node(params.conditional.phGraph_out[i], whats[i]);
    last = node;
  };
  node_of(CU_GRAPH_COND_TYPE_IF, 2, 0, {1, 10});
  node_of(CU_GRAPH_COND_TYPE_IF, 2, 3, {100, 1000});
  node_of(CU_GRAPH_COND_TYPE_SWITCH, 3, 2, {1, 1, 10000});
  node_of(CU_GRAPH_COND_TYPE_SWITCH, 2, 2, {1, 1});
  EXPECT_EQ(run(ready(graph_)), CUDA_SUCCESS);
  EXPECT_THAT(values(2), ElementsAre(10110, 10110));

  CUgraphNodeParams bad{};
  bad.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  ASSERT_EQ(cuGraphConditionalHandleCreate(&bad.conditional.handle, graph_, context_, 0, 0), CUDA_SUCCESS);
  bad.conditional.size = 3;
  CUgraphNode node = nullptr;
  EXPECT_EQ(cuGraphAddNode(&node, graph_, nullptr, 0, &bad), CUDA_ERROR_INVALID_VALUE);
  bad.conditional.size = 1;
  bad.conditional.handle = 8;
  EXPECT_EQ(cuGraphAddNode(&node, graph_, nullptr, 0, &bad), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphConditionalHandleCreate(&bad.conditional.handle, graph_, context_, 0, 2),
            CUDA_ERROR_INVALID_VALUE);
}

// As an H200 refuses it.
TEST_F(DriverGraph, WhatHasMemoryOrConditionsIsNotCopiedAndWhatHasMemoryNotReduced) {
  CUgraph parent = nullptr, copy = nullptr;
  CUgraphNode child = nullptr;
  ASSERT_EQ(cuGraphCreate(&parent, 0), CUDA_SUCCESS);
  CUDA_MEM_ALLOC_NODE_PARAMS params{};
  params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  params.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  params.bytesize = 4096;
  CUgraphNode made = nullptr, freed = nullptr;
  ASSERT_EQ(cuGraphAddMemAllocNode(&made, graph_, nullptr, 0, &params), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphAddMemFreeNode(&freed, graph_, &made, 1, params.dptr), CUDA_SUCCESS);
  const CUgraphNode other = add_node(graph_, 1);
  EXPECT_EQ(cuGraphAddChildGraphNode(&child, parent, nullptr, 0, graph_), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuGraphClone(&copy, graph_), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuGraphRemoveDependencies(graph_, &made, &freed, 1), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuGraphDestroyNode(other), CUDA_ERROR_NOT_SUPPORTED);

  CUgraph conditional = nullptr;
  ASSERT_EQ(cuGraphCreate(&conditional, 0), CUDA_SUCCESS);
  CUgraphNodeParams branch{};
  branch.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  branch.conditional.type = CU_GRAPH_COND_TYPE_IF;
  branch.conditional.size = 1;
  branch.conditional.ctx = context_;
  ASSERT_EQ(cuGraphConditionalHandleCreate(&branch.conditional.handle, conditional, context_, 0, 0),
            CUDA_SUCCESS);
  CUgraphNode node = nullptr;
  ASSERT_EQ(cuGraphAddNode(&node, conditional, nullptr, 0, &branch), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphAddChildGraphNode(&child, parent, nullptr, 0, conditional), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuGraphClone(&copy, conditional), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuGraphDestroy(conditional), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(parent), CUDA_SUCCESS);
}

TEST_F(DriverGraph, MemoryOfGraphsIsCounted) {
  CUDA_MEM_ALLOC_NODE_PARAMS params{};
  params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  params.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  params.bytesize = 4096;
  CUgraphNode made = nullptr, freed = nullptr;
  ASSERT_EQ(cuGraphAddMemAllocNode(&made, graph_, nullptr, 0, &params), CUDA_SUCCESS);
  ASSERT_NE(params.dptr, 0U);
  cuuint64_t used = 0;
  EXPECT_EQ(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used), CUDA_SUCCESS);
  EXPECT_EQ(used, 4096U);
  EXPECT_EQ(cuGraphAddMemFreeNode(&freed, graph_, &made, 1, params.dptr), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphAddMemFreeNode(&freed, graph_, &made, 1, data_), CUDA_ERROR_INVALID_VALUE);
  CUDA_MEM_ALLOC_NODE_PARAMS said{};
  EXPECT_EQ(cuGraphMemAllocNodeGetParams(made, &said), CUDA_SUCCESS);
  EXPECT_EQ(said.dptr, params.dptr);
  EXPECT_EQ(said.bytesize, 4096U);
  used = 1;
  EXPECT_EQ(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &used),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGraphMemTrim(0), CUDA_SUCCESS);
  EXPECT_EQ(cuDeviceGraphMemTrim(1), CUDA_ERROR_INVALID_DEVICE);
  params.poolProps.location.id = 4;
  EXPECT_EQ(cuGraphAddMemAllocNode(&made, graph_, nullptr, 0, &params), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(params.dptr, 0U);
}

// What a launch allocated outlives its graph, until somebody frees it
// (tests/hw/h200/answers/graph_memory.txt).
TEST_F(DriverGraph, AllocatedMemoryOutlivesItsGraph) {
  for (const bool in_order : {false, true}) {
    CUgraph graph = nullptr;
    ASSERT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
    CUDA_MEM_ALLOC_NODE_PARAMS params{};
    params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    params.bytesize = 4096;
    CUgraphNode made = nullptr;
    ASSERT_EQ(cuGraphAddMemAllocNode(&made, graph, nullptr, 0, &params), CUDA_SUCCESS);
    CUgraphExec exec = nullptr;
    ASSERT_EQ(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuGraphLaunch(exec, nullptr), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamSynchronize(nullptr), CUDA_SUCCESS);
    int value = 42, read = 0;
    EXPECT_EQ(cuMemcpyHtoD_v2(params.dptr, &value, sizeof value), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyDtoH_v2(&read, params.dptr, sizeof read), CUDA_SUCCESS);
    EXPECT_EQ(read, 42);
    if (in_order) {
      EXPECT_EQ(cuMemFreeAsync(params.dptr, nullptr), CUDA_SUCCESS);
      EXPECT_EQ(cuStreamSynchronize(nullptr), CUDA_SUCCESS);
    } else {
      EXPECT_EQ(cuMemFree_v2(params.dptr), CUDA_SUCCESS);
    }
    EXPECT_EQ(cuMemcpyDtoH_v2(&read, params.dptr, sizeof read), CUDA_ERROR_INVALID_VALUE);
  }
}

TEST_F(DriverGraph, WordsOfMemoryAreWrittenAndAwaited) {
  CUstreamBatchMemOpParams operations[2] = {};
  operations[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  operations[0].writeValue.address = data_;
  operations[0].writeValue.value = 21;
  operations[1].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_64;
  operations[1].waitValue.address = data_ + 8;
  operations[1].waitValue.value64 = 0;
  operations[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
  CUDA_BATCH_MEM_OP_NODE_PARAMS params{context_, 2, operations, 0};
  CUgraphNode node = nullptr;
  ASSERT_EQ(cuGraphAddBatchMemOpNode(&node, graph_, nullptr, 0, &params), CUDA_SUCCESS);
  EXPECT_EQ(run(ready(graph_)), CUDA_SUCCESS);
  EXPECT_EQ(values(1)[0], 21);
  CUDA_BATCH_MEM_OP_NODE_PARAMS said{};
  EXPECT_EQ(cuGraphBatchMemOpNodeGetParams(node, &said), CUDA_SUCCESS);
  ASSERT_EQ(said.count, 2U);
  EXPECT_EQ(said.paramArray[0].writeValue.value, 21U);
  EXPECT_EQ(said.paramArray[1].waitValue.flags, CU_STREAM_WAIT_VALUE_EQ);
  operations[0].writeValue.address = data_ + 1;
  EXPECT_EQ(cuGraphBatchMemOpNodeSetParams(node, &params), CUDA_ERROR_INVALID_VALUE) << "misaligned";
}

TEST_F(DriverGraph, ObjectsOfTheProgramLiveWithTheGraph) {
  static int ended;
  ended = 0;
  CUuserObject object = nullptr;
  ASSERT_EQ(cuUserObjectCreate(
                &object, nullptr, [](void*) { ++ended; }, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
            CUDA_SUCCESS);
  EXPECT_EQ(cuGraphRetainUserObject(graph_, object, 1, CU_GRAPH_USER_OBJECT_MOVE), CUDA_SUCCESS);
  EXPECT_EQ(cuUserObjectRetain(object, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphReleaseUserObject(graph_, object, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(ended, 0);
  EXPECT_EQ(cuGraphDestroy(graph_), CUDA_SUCCESS);
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(cuUserObjectRelease(object, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverGraph, AttributesOfKernelsAreKept) {
  const CUgraphNode node = add_node(graph_, 1), other = add_node(graph_, 2);
  CUkernelNodeAttrValue value{};
  value.priority = 3;
  EXPECT_EQ(cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphKernelNodeCopyAttributes(other, node), CUDA_SUCCESS);
  value = {};
  EXPECT_EQ(cuGraphKernelNodeGetAttribute(other, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value), CUDA_SUCCESS);
  EXPECT_EQ(value.priority, 3);
  EXPECT_EQ(cuGraphKernelNodeGetAttribute(other, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value),
            CUDA_ERROR_INVALID_VALUE);
  // What an H200 (driver of CUDA 13) answers: of no blocks, of more than a kernel may have.
  value = {};
  EXPECT_EQ(cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value),
            CUDA_ERROR_INVALID_CLUSTER_SIZE);
  value.clusterDim = {17, 1, 1};
  EXPECT_EQ(cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value),
            CUDA_ERROR_INVALID_CLUSTER_SIZE);
}

TEST_F(DriverGraph, PicturesAndClones) {
  const CUgraphNode node = add_node(graph_, 1);
  CUgraph clone = nullptr;
  CUgraphNode copy = nullptr;
  ASSERT_EQ(cuGraphClone(&clone, graph_), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphNodeFindInClone(&copy, node, clone), CUDA_SUCCESS);
  EXPECT_NE(copy, node);
  EXPECT_EQ(cuGraphNodeFindInClone(&copy, copy, graph_), CUDA_ERROR_INVALID_VALUE);
  const std::string path = ::testing::TempDir() + "heddle_graph_test.dot";
  EXPECT_EQ(cuGraphDebugDotPrint(graph_, path.c_str(), CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE), CUDA_SUCCESS);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_THAT(text.str(), testing::HasSubstr("add"));
  EXPECT_THAT(text.str(), testing::HasSubstr("digraph"));
  EXPECT_EQ(cuGraphDebugDotPrint(graph_, (path + "/inside.dot").c_str(), 0), CUDA_ERROR_OPERATING_SYSTEM);
}

}  // namespace
}  // namespace heddle::cu
