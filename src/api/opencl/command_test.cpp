// Buffers, commands, events and kernels, as a program sees them.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <thread>

#include "api/opencl/testing.h"

namespace heddle::opencl::testing {
namespace {

// out[i] = in[i] + 1, of ints; and what faults.
const std::string text = R"(.version 3.1
.target sm_20
.address_size 64
.visible .entry grow(.param .u64 .ptr .global .align 4 in, .param .u64 .ptr .global .align 4 out)
{
  .reg .u32 %r<6>; .reg .u64 %d<4>;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r1, %r2, %r3;
  ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; mul.wide.u32 %d3, %r4, 4;
  add.u64 %d1, %d1, %d3; add.u64 %d2, %d2, %d3;
  ld.global.u32 %r5, [%d1]; add.u32 %r5, %r5, 1; st.global.u32 [%d2], %r5;
  ret;
}
.visible .entry reverse(.param .u64 .ptr .global .align 4 data, .param .u64 .ptr .shared .align 4 room)
{
  .reg .u32 %r<6>; .reg .u64 %d<6>;
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x;
  ld.param.u64 %d1, [data]; ld.param.u64 %d2, [room]; mul.wide.u32 %d3, %r1, 4;
  add.u64 %d4, %d1, %d3; ld.global.u32 %r3, [%d4]; add.u64 %d5, %d2, %d3; st.shared.u32 [%d5], %r3;
  bar.sync 0;
  sub.u32 %r4, %r2, %r1; sub.u32 %r4, %r4, 1; mul.wide.u32 %d3, %r4, 4; add.u64 %d5, %d2, %d3;
  ld.shared.u32 %r3, [%d5]; st.global.u32 [%d4], %r3;
  ret;
}
.visible .entry wild()
{
  .reg .u64 %d;
  mov.u64 %d, 64; st.global.u32 [%d], 1;
  ret;
}
)";

class Commands : public OpenClTest {
 protected:
  cl_kernel kernel(const char* name, const std::string& source = text) {
    if (program_ == nullptr) program_ = program(source);
    cl_int error = 0;
    cl_kernel made = ::clCreateKernel(program_, name, &error);
    EXPECT_EQ(error, CL_SUCCESS);
    return made;
  }
  cl_program program_ = nullptr;
};

std::vector<cl_int> numbers(size_t count) {
  std::vector<cl_int> values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

TEST_F(Commands, MemoryOfTheHostThatIsNotThereIsRefused) {
  start();
  constexpr size_t page = 4096;
  cl_mem memory = buffer(page);
  void* place = mmap(nullptr, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const size_t origin[3] = {}, region[3] = {16, 4, 1};
  for (const bool mapped : {true, false}) {
    for (const cl_bool blocking : {CL_TRUE, CL_FALSE}) {
      const cl_int write = mapped ? CL_SUCCESS : CL_INVALID_VALUE;
      EXPECT_EQ(::clEnqueueReadBuffer(queue, memory, blocking, 0, 64, place, 0, nullptr, nullptr),
                CL_INVALID_VALUE);
      EXPECT_EQ(::clEnqueueWriteBuffer(queue, memory, blocking, 0, 64, place, 0, nullptr, nullptr), write);
      EXPECT_EQ(::clEnqueueReadBufferRect(queue, memory, blocking, origin, origin, region, 0, 0, 0, 0, place,
                                          0, nullptr, nullptr),
                CL_INVALID_VALUE);
      EXPECT_EQ(::clEnqueueWriteBufferRect(queue, memory, blocking, origin, origin, region, 0, 0, 0, 0, place,
                                           0, nullptr, nullptr),
                write);
    }
    EXPECT_EQ(::clFinish(queue), CL_SUCCESS);
    // and not munmap: another thread may map the same page
    mprotect(place, page, PROT_NONE);
  }
  munmap(place, page);
}

TEST_F(Commands, AKernelReadsAndWritesBuffers) {
  start();
  auto values = numbers(512);
  cl_mem in = buffer(2048, CL_MEM_COPY_HOST_PTR, values.data()), out = buffer(2048);
  cl_kernel grow = kernel("grow");
  const size_t global = 512, local = 128;
  EXPECT_EQ(::clEnqueueNDRangeKernel(queue, grow, 1, nullptr, &global, &local, 0, nullptr, nullptr),
            CL_INVALID_KERNEL_ARGS);
  EXPECT_EQ(::clSetKernelArg(grow, 2, sizeof in, &in), CL_INVALID_ARG_INDEX);
  EXPECT_EQ(::clSetKernelArg(grow, 0, 4, &in), CL_INVALID_ARG_SIZE);
  void* foreign = &values;
  EXPECT_EQ(::clSetKernelArg(grow, 0, sizeof foreign, &foreign), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(::clSetKernelArg(grow, 0, sizeof in, &in), CL_SUCCESS);
  EXPECT_EQ(::clSetKernelArg(grow, 1, sizeof out, &out), CL_SUCCESS);
  cl_event event = nullptr;
  ASSERT_EQ(::clEnqueueNDRangeKernel(queue, grow, 1, nullptr, &global, nullptr, 0, nullptr, &event),
            CL_SUCCESS);
  for (cl_int& value : values) ++value;
  EXPECT_EQ(contents<cl_int>(out, 512), values);
  cl_ulong times[4];
  for (cl_uint i = 0; i < 4; ++i)
    EXPECT_EQ(::clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED + i, 8, &times[i], nullptr),
              CL_SUCCESS);
  EXPECT_TRUE(std::is_sorted(times, times + 4));
  cl_command_type type = 0;
  EXPECT_EQ(::clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr), CL_SUCCESS);
  EXPECT_EQ(type, static_cast<cl_command_type>(CL_COMMAND_NDRANGE_KERNEL));
  ::clReleaseEvent(event);
  ::clReleaseMemObject(in);
  ::clReleaseMemObject(out);
}

TEST_F(Commands, RangesAreChecked) {
  start();
  cl_mem memory = buffer(65536);
  cl_kernel grow = kernel("grow");
  for (cl_uint i = 0; i < 2; ++i) ASSERT_EQ(::clSetKernelArg(grow, i, sizeof memory, &memory), CL_SUCCESS);
  const auto enqueue = [&](cl_uint dimensions, std::vector<size_t> global, std::vector<size_t> local) {
    return ::clEnqueueNDRangeKernel(queue, grow, dimensions, nullptr,
                                    global.empty() ? nullptr : global.data(),
                                    local.empty() ? nullptr : local.data(), 0, nullptr, nullptr);
  };
  EXPECT_EQ(enqueue(0, {64}, {}), CL_INVALID_WORK_DIMENSION);
  EXPECT_EQ(enqueue(4, {64, 1, 1, 1}, {}), CL_INVALID_WORK_DIMENSION);
  EXPECT_EQ(enqueue(1, {64}, {0}), CL_INVALID_WORK_GROUP_SIZE);
  EXPECT_EQ(enqueue(1, {2048}, {2048}), CL_INVALID_WORK_ITEM_SIZE);
  EXPECT_EQ(enqueue(2, {1024, 2}, {1024, 2}), CL_INVALID_WORK_GROUP_SIZE);
  EXPECT_EQ(enqueue(3, {1, 1, 128}, {1, 1, 128}), CL_INVALID_WORK_ITEM_SIZE);
  EXPECT_EQ(enqueue(1, {1000}, {1000}), CL_SUCCESS);
  // A range of no work-items, since OpenCL 2.1; and one that has no sizes at all.
  EXPECT_EQ(enqueue(1, {0}, {}), CL_SUCCESS);
  EXPECT_EQ(enqueue(1, {}, {}), CL_SUCCESS);
  EXPECT_EQ(::clFinish(queue), CL_SUCCESS);
  ::clReleaseMemObject(memory);
}

// cl_khr_suggested_local_work_size.
TEST_F(Commands, AGroupIsSuggested) {
  start();
  cl_mem memory = buffer(64);
  cl_kernel grow = kernel("grow");
  const size_t global[2] = {96, 40}, none = 0;
  size_t local[2] = {0, 0};
  EXPECT_EQ(::clGetKernelSuggestedLocalWorkSizeKHR(queue, grow, 2, nullptr, global, local),
            CL_INVALID_KERNEL_ARGS);
  for (cl_uint i = 0; i < 2; ++i) ASSERT_EQ(::clSetKernelArg(grow, i, sizeof memory, &memory), CL_SUCCESS);
  ASSERT_EQ(::clGetKernelSuggestedLocalWorkSizeKHR(queue, grow, 2, nullptr, global, local), CL_SUCCESS);
  EXPECT_EQ(global[0] % local[0], 0U);
  EXPECT_EQ(global[1] % local[1], 0U);
  EXPECT_GT(local[0] * local[1], 1U);
  EXPECT_EQ(::clGetKernelSuggestedLocalWorkSizeKHR(queue, grow, 4, nullptr, global, local),
            CL_INVALID_WORK_DIMENSION);
  EXPECT_EQ(::clGetKernelSuggestedLocalWorkSizeKHR(queue, grow, 1, nullptr, &none, local),
            CL_INVALID_GLOBAL_WORK_SIZE);
  EXPECT_EQ(::clGetKernelSuggestedLocalWorkSizeKHR(queue, grow, 1, nullptr, nullptr, local),
            CL_INVALID_GLOBAL_WORK_SIZE);
  EXPECT_EQ(::clGetKernelSuggestedLocalWorkSizeKHR(queue, grow, 1, nullptr, global, nullptr),
            CL_INVALID_VALUE);
  ::clReleaseMemObject(memory);
}

TEST_F(Commands, BeforeOpenCl21RangesHaveWorkItems) {
  start({"gtx285"});
  std::string old = text;
  old.replace(old.find("sm_20"), 5, "sm_13");
  cl_mem memory = buffer(64);
  cl_kernel grow = kernel("grow", old);
  for (cl_uint i = 0; i < 2; ++i) ASSERT_EQ(::clSetKernelArg(grow, i, sizeof memory, &memory), CL_SUCCESS);
  const size_t none = 0;
  for (const size_t* global : {&none, static_cast<const size_t*>(nullptr)})
    EXPECT_EQ(::clEnqueueNDRangeKernel(queue, grow, 1, nullptr, global, nullptr, 0, nullptr, nullptr),
              CL_INVALID_GLOBAL_WORK_SIZE);
  ::clReleaseMemObject(memory);
}

// OpenCL 1.0's clSetCommandQueueProperty. A queue that becomes ordered waits for an event that one without
// order let pass.
TEST_F(Commands, QueuesChangeTheirOrder) {
  start();
  const auto properties = [&] {
    cl_command_queue_properties now = 0;
    EXPECT_EQ(::clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof now, &now, nullptr), CL_SUCCESS);
    return now;
  };
  constexpr cl_command_queue_properties unordered = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
  cl_command_queue_properties before = 0;
  ASSERT_EQ(::clSetCommandQueueProperty(queue, unordered, CL_TRUE, &before), CL_SUCCESS);
  EXPECT_EQ(before, static_cast<cl_command_queue_properties>(CL_QUEUE_PROFILING_ENABLE));
  EXPECT_EQ(properties(), unordered | CL_QUEUE_PROFILING_ENABLE);
  EXPECT_EQ(::clSetCommandQueueProperty(queue, 64, CL_TRUE, nullptr), CL_INVALID_VALUE);
  cl_mem memory = buffer(4);
  const cl_int value = 5;
  cl_event user = ::clCreateUserEvent(context, nullptr), second = nullptr;
  const auto write_behind_held = [&] {
    EXPECT_EQ(::clEnqueueWriteBuffer(queue, memory, CL_FALSE, 0, 4, &value, 1, &user, nullptr), CL_SUCCESS);
    EXPECT_EQ(::clEnqueueWriteBuffer(queue, memory, CL_FALSE, 0, 4, &value, 0, nullptr, &second), CL_SUCCESS);
  };
  const auto status = [&] {
    cl_int now = 0;
    EXPECT_EQ(::clGetEventInfo(second, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof now, &now, nullptr),
              CL_SUCCESS);
    return now;
  };
  write_behind_held();
  EXPECT_EQ(::clWaitForEvents(1, &second), CL_SUCCESS);  // does not wait for the first
  ASSERT_EQ(::clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
  ASSERT_EQ(::clSetCommandQueueProperty(queue, unordered | CL_QUEUE_PROFILING_ENABLE, CL_FALSE, &before),
            CL_SUCCESS);
  EXPECT_EQ(before, unordered | CL_QUEUE_PROFILING_ENABLE);
  EXPECT_EQ(properties(), 0U);
  user = ::clCreateUserEvent(context, nullptr);
  write_behind_held();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_NE(status(), CL_COMPLETE);
  ASSERT_EQ(::clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(::clFinish(queue), CL_SUCCESS);
  EXPECT_EQ(status(), CL_COMPLETE);
  // There are no queues on the device, and NULL is a queue that one may name.
  EXPECT_EQ(::clSetDefaultDeviceCommandQueue(context, device, nullptr), CL_INVALID_OPERATION);
  ::clReleaseMemObject(memory);
}

TEST_F(Commands, LocalMemoryIsAnArgument) {
  start({"gtx285", "gtx480"});
  ::clReleaseCommandQueue(queue);
  device = devices[1];
  queue = ::clCreateCommandQueue(context, device, 0, nullptr);
  auto values = numbers(256);
  cl_mem data = buffer(1024, CL_MEM_COPY_HOST_PTR, values.data());
  cl_kernel reverse = kernel("reverse");
  ASSERT_EQ(::clSetKernelArg(reverse, 0, sizeof data, &data), CL_SUCCESS);
  EXPECT_EQ(::clSetKernelArg(reverse, 1, 1024, &data), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(::clSetKernelArg(reverse, 1, 0, nullptr), CL_INVALID_ARG_SIZE);
  const size_t size = 256;
  ASSERT_EQ(::clSetKernelArg(reverse, 1, 65536, nullptr), CL_SUCCESS);
  EXPECT_EQ(::clEnqueueNDRangeKernel(queue, reverse, 1, nullptr, &size, &size, 0, nullptr, nullptr),
            CL_OUT_OF_RESOURCES);
  ASSERT_EQ(::clSetKernelArg(reverse, 1, 1024, nullptr), CL_SUCCESS);
  cl_ulong local = 0;
  EXPECT_EQ(::clGetKernelWorkGroupInfo(reverse, device, CL_KERNEL_LOCAL_MEM_SIZE, 8, &local, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(local, 1024U);
  ASSERT_EQ(::clEnqueueNDRangeKernel(queue, reverse, 1, nullptr, &size, &size, 0, nullptr, nullptr),
            CL_SUCCESS);
  std::ranges::reverse(values);
  EXPECT_EQ(contents<cl_int>(data, 256), values);
  ::clReleaseMemObject(data);
}

TEST_F(Commands, CommandsWaitForUserEvents) {
  start({"gtx480"}, {}, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cl_mem memory = buffer(16);
  cl_int one = 1, result = 0;
  cl_event gate = ::clCreateUserEvent(context, nullptr), filled = nullptr, read = nullptr;
  ASSERT_EQ(::clEnqueueFillBuffer(queue, memory, &one, 4, 0, 16, 1, &gate, &filled), CL_SUCCESS);
  ASSERT_EQ(::clEnqueueReadBuffer(queue, memory, CL_FALSE, 4, 4, &result, 1, &filled, &read), CL_SUCCESS);
  cl_int status = 0;
  ASSERT_EQ(::clGetEventInfo(read, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, &status, nullptr), CL_SUCCESS);
  EXPECT_EQ(status, CL_SUBMITTED);
  EXPECT_EQ(::clSetUserEventStatus(gate, 1), CL_INVALID_VALUE);
  EXPECT_EQ(::clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(::clSetUserEventStatus(gate, CL_COMPLETE), CL_INVALID_OPERATION);
  EXPECT_EQ(::clSetUserEventStatus(filled, CL_COMPLETE), CL_INVALID_EVENT);
  EXPECT_EQ(::clWaitForEvents(1, &read), CL_SUCCESS);
  EXPECT_EQ(result, 1);
  for (cl_event event : {gate, filled, read}) ::clReleaseEvent(event);
  ::clReleaseMemObject(memory);
}

TEST_F(Commands, AFailedEventFailsWhatWaitsForIt) {
  start();
  cl_mem memory = buffer(16);
  cl_int one = 1;
  cl_event gate = ::clCreateUserEvent(context, nullptr), filled = nullptr;
  ASSERT_EQ(::clEnqueueFillBuffer(queue, memory, &one, 4, 0, 16, 1, &gate, &filled), CL_SUCCESS);
  cl_int told = 0;
  ASSERT_EQ(::clSetEventCallback(
                filled, CL_COMPLETE,
                [](cl_event, cl_int status, void* data) { *static_cast<cl_int*>(data) = status; }, &told),
            CL_SUCCESS);
  EXPECT_EQ(::clSetUserEventStatus(gate, -5), CL_SUCCESS);
  EXPECT_EQ(::clWaitForEvents(1, &filled), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  cl_int status = 0;
  ASSERT_EQ(::clGetEventInfo(gate, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, &status, nullptr), CL_SUCCESS);
  EXPECT_EQ(status, -5);
  EXPECT_LT(told, 0);
  // The queue goes on.
  EXPECT_EQ(::clEnqueueFillBuffer(queue, memory, &one, 4, 0, 16, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(contents<cl_int>(memory, 4), (std::vector<cl_int>{1, 1, 1, 1}));
  ::clReleaseEvent(gate);
  ::clReleaseEvent(filled);
  ::clReleaseMemObject(memory);
}

TEST_F(Commands, AFaultEndsItsContextAndNothingElse) {
  start();
  std::string told;
  cl_context other = ::clCreateContext(
      nullptr, 1, &device,
      [](const char* words, const void*, size_t, void* data) { *static_cast<std::string*>(data) += words; },
      &told, nullptr);
  cl_command_queue lost = ::clCreateCommandQueue(other, device, 0, nullptr);
  std::swap(context, other);
  cl_program bad = program(text);
  std::swap(context, other);
  cl_kernel wild = ::clCreateKernel(bad, "wild", nullptr);
  const size_t one = 1;
  ASSERT_EQ(::clEnqueueNDRangeKernel(lost, wild, 1, nullptr, &one, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(::clFinish(lost), CL_OUT_OF_RESOURCES);
  EXPECT_NE(told.find("wild"), std::string::npos) << told;
  EXPECT_EQ(::clEnqueueNDRangeKernel(lost, wild, 1, nullptr, &one, nullptr, 0, nullptr, nullptr),
            CL_OUT_OF_RESOURCES);
  ::clReleaseKernel(wild);
  ::clReleaseProgram(bad);
  ::clReleaseCommandQueue(lost);
  ::clReleaseContext(other);
  cl_mem memory = buffer(16);
  const cl_int seven = 7;
  EXPECT_EQ(::clEnqueueFillBuffer(queue, memory, &seven, 4, 0, 16, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(contents<cl_int>(memory, 1)[0], 7);
  ::clReleaseMemObject(memory);
}

TEST_F(Commands, MappingAndPartsSeeTheSameBytes) {
  start();
  auto values = numbers(1024);
  // Once over the program's own memory, aligned and not, and once over the device's.
  std::vector<std::byte> room(8192 + 256);
  const auto base = (reinterpret_cast<uintptr_t>(room.data()) + 127) / 128 * 128;
  for (void* host :
       {reinterpret_cast<void*>(base), reinterpret_cast<void*>(base + 4), static_cast<void*>(nullptr)}) {
    cl_mem memory = buffer(4096, host == nullptr ? 0 : CL_MEM_USE_HOST_PTR, host);
    ASSERT_EQ(::clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, 4096, values.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    cl_int error = 0;
    auto* mapped = static_cast<cl_int*>(::clEnqueueMapBuffer(
        queue, memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 1024, 1024, 0, nullptr, nullptr, &error));
    ASSERT_EQ(error, CL_SUCCESS);
    if (host != nullptr) EXPECT_EQ(static_cast<void*>(mapped), static_cast<std::byte*>(host) + 1024);
    EXPECT_EQ(mapped[3], 259);
    mapped[3] = -1;
    EXPECT_EQ(::clEnqueueUnmapMemObject(queue, memory, &error, 0, nullptr, nullptr), CL_INVALID_VALUE);
    EXPECT_EQ(::clEnqueueUnmapMemObject(queue, memory, mapped, 0, nullptr, nullptr), CL_SUCCESS);
    const cl_buffer_region region{1024, 512};
    cl_mem part =
        ::clCreateSubBuffer(memory, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    ASSERT_EQ(error, CL_SUCCESS);
    EXPECT_EQ(contents<cl_int>(part, 4), (std::vector<cl_int>{256, 257, 258, -1}));
    EXPECT_EQ(::clCreateSubBuffer(part, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error), nullptr);
    EXPECT_EQ(error, CL_INVALID_MEM_OBJECT);
    const cl_buffer_region crooked{12, 512}, long_one{1024, 4096};
    EXPECT_EQ(::clCreateSubBuffer(memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &crooked, &error), nullptr);
    EXPECT_EQ(error, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    EXPECT_EQ(::clCreateSubBuffer(memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &long_one, &error), nullptr);
    EXPECT_EQ(error, CL_INVALID_VALUE);
    ::clReleaseMemObject(part);
    ::clReleaseMemObject(memory);
  }
}

TEST_F(Commands, BoxesAreCopied) {
  start();
  auto values = numbers(64);  // 4 by 4 by 4
  cl_mem from = buffer(256, CL_MEM_COPY_HOST_PTR, values.data()), to = buffer(256);
  const cl_int zero = 0;
  ASSERT_EQ(::clEnqueueFillBuffer(queue, to, &zero, 4, 0, 256, 0, nullptr, nullptr), CL_SUCCESS);
  const size_t source[3] = {4, 1, 1}, target[3] = {0, 0, 0}, region[3] = {8, 2, 2};
  ASSERT_EQ(
      ::clEnqueueCopyBufferRect(queue, from, to, source, target, region, 16, 64, 8, 16, 0, nullptr, nullptr),
      CL_SUCCESS);
  EXPECT_EQ(contents<cl_int>(to, 9), (std::vector<cl_int>{21, 22, 25, 26, 37, 38, 41, 42, 0}));
  EXPECT_EQ(::clEnqueueCopyBufferRect(queue, from, from, source, target, region, 16, 64, 16, 64, 0, nullptr,
                                      nullptr),
            CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(::clEnqueueCopyBuffer(queue, from, from, 0, 8, 16, 0, nullptr, nullptr), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(::clEnqueueCopyBuffer(queue, from, to, 0, 250, 16, 0, nullptr, nullptr), CL_INVALID_VALUE);
  ::clReleaseMemObject(from);
  ::clReleaseMemObject(to);
}

TEST_F(Commands, ReleasedMemoryStaysForWhatWasEnqueued) {
  start();
  auto values = numbers(256);
  cl_mem in = buffer(1024, CL_MEM_COPY_HOST_PTR, values.data()), out = buffer(1024);
  cl_kernel grow = kernel("grow");
  ASSERT_EQ(::clSetKernelArg(grow, 0, sizeof in, &in), CL_SUCCESS);
  ASSERT_EQ(::clSetKernelArg(grow, 1, sizeof out, &out), CL_SUCCESS);
  cl_event gate = ::clCreateUserEvent(context, nullptr);
  const size_t size = 256;
  ASSERT_EQ(::clEnqueueNDRangeKernel(queue, grow, 1, nullptr, &size, &size, 1, &gate, nullptr), CL_SUCCESS);
  bool gone = false;
  ::clSetMemObjectDestructorCallback(in, [](cl_mem, void* data) { *static_cast<bool*>(data) = true; }, &gone);
  ASSERT_EQ(::clReleaseMemObject(in), CL_SUCCESS);
  EXPECT_TRUE(gone);
  EXPECT_EQ(::clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(contents<cl_int>(out, 256)[255], 256);
  ::clReleaseEvent(gate);
  ::clReleaseMemObject(out);
}

TEST_F(Commands, InjectedFailuresAreOpenClsOwn) {
  start({"gtx480"}, "out-of-memory@allocate#1");
  cl_int error = 0;
  EXPECT_EQ(::clCreateBuffer(context, 0, 64, nullptr, &error), nullptr);
  EXPECT_EQ(error, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  ::clReleaseMemObject(buffer(64));
  finish();
  start({"gtx480"}, "invalid-context@copy#1");
  cl_mem memory = buffer(64);
  cl_int value = 0;
  EXPECT_EQ(::clEnqueueFillBuffer(queue, memory, &value, 4, 0, 64, 0, nullptr, nullptr), CL_INVALID_CONTEXT);
  EXPECT_EQ(::clFlush(queue), CL_INVALID_CONTEXT);
  ::clReleaseMemObject(memory);
  finish();
}

TEST_F(Commands, SharedVirtualMemoryIsTheHosts) {
  start();
  auto* shared =
      static_cast<cl_int*>(::clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 2048, 0));
  ASSERT_NE(shared, nullptr);
  for (cl_int i = 0; i < 256; ++i) shared[i] = i;
  cl_kernel grow = kernel("grow");
  ASSERT_EQ(::clSetKernelArgSVMPointer(grow, 0, shared), CL_SUCCESS);
  ASSERT_EQ(::clSetKernelArgSVMPointer(grow, 1, shared + 256), CL_SUCCESS);
  const size_t size = 256;
  ASSERT_EQ(::clEnqueueNDRangeKernel(queue, grow, 1, nullptr, &size, &size, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(::clFinish(queue), CL_SUCCESS);
  EXPECT_EQ(shared[256 + 255], 256);
  EXPECT_EQ(::clSVMAlloc(context, CL_MEM_SVM_ATOMICS, 64, 0), nullptr);
  EXPECT_EQ(::clSVMAlloc(context, 0, 64, 3), nullptr);
  // OpenCL 3.0, clCreateBuffer: "CL_INVALID_BUFFER_SIZE if [...] host_ptr is a pointer allocated using
  // clSVMAlloc and size is greater than the size passed to clSVMAlloc".
  cl_int error = 0;
  EXPECT_EQ(::clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 2049, shared, &error), nullptr);
  EXPECT_EQ(error, CL_INVALID_BUFFER_SIZE);
  cl_mem whole = ::clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 2048, shared, &error);
  EXPECT_EQ(error, CL_SUCCESS);
  EXPECT_EQ(::clReleaseMemObject(whole), CL_SUCCESS);
  ::clSVMFree(context, shared);
  ::clSVMFree(context, shared);
}

}  // namespace
}  // namespace heddle::opencl::testing
