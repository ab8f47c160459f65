// Markers, barriers, lists of what to wait for, tasks, boxes of bytes, migration and the commands of shared
// virtual memory: each does its work, and after what it waits for.
#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

#include "api/opencl/headers.h"
#include "api/opencl/testing.h"

namespace heddle::opencl::testing {
namespace {

const char* source =
    "kernel void add(global int* out, int n) { out[get_global_id(0)] += n; }\n"
    "kernel void follow(global int* global* out) { *out[0] = 5; }\n";

class Order : public OpenClTest {
 protected:
  void begin() { start({"h200"}, {}, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE); }
  cl_kernel kernel(const char* name) {
    cl_int error = 0;
    cl_program made = ::clCreateProgramWithSource(context, 1, &source, nullptr, &error);
    EXPECT_EQ(::clBuildProgram(made, 0, nullptr, "-cl-std=CL2.0", nullptr, nullptr), CL_SUCCESS);
    cl_kernel result = ::clCreateKernel(made, name, &error);
    EXPECT_EQ(error, CL_SUCCESS);
    EXPECT_EQ(::clReleaseProgram(made), CL_SUCCESS);
    return result;
  }
  cl_int status(cl_event event) {
    cl_int value = 1;
    EXPECT_EQ(::clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof value, &value, nullptr),
              CL_SUCCESS);
    return value;
  }
  cl_command_type type(cl_event event) {
    cl_command_type value = 0;
    EXPECT_EQ(::clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof value, &value, nullptr), CL_SUCCESS);
    return value;
  }
};

// In a queue without an order, each holds back what was to come after it until a gate opens.
TEST_F(Order, BarriersHoldWhatComesAfterAndMarkersTellOfWhatCameBefore) {
  begin();
  using Hold = cl_int (*)(cl_command_queue, cl_event gate);
  const Hold holds[] = {
      [](cl_command_queue queue, cl_event gate) {
        return ::clEnqueueBarrierWithWaitList(queue, 1, &gate, nullptr);
      },
      [](cl_command_queue queue, cl_event gate) { return ::clEnqueueWaitForEvents(queue, 1, &gate); },
      // Behind a command that waits for the gate.
      [](cl_command_queue queue, cl_event gate) {
        const cl_int error = ::clEnqueueMarkerWithWaitList(queue, 1, &gate, nullptr);
        return error != CL_SUCCESS ? error : ::clEnqueueBarrier(queue);
      },
  };
  for (const Hold hold : holds) {
    cl_int error = 0, one = 1;
    cl_event gate = ::clCreateUserEvent(context, &error), filled = nullptr, marked = nullptr;
    cl_mem memory = buffer(64);
    ASSERT_EQ(hold(queue, gate), CL_SUCCESS);
    ASSERT_EQ(::clEnqueueFillBuffer(queue, memory, &one, 4, 0, 64, 0, nullptr, &filled), CL_SUCCESS);
    ASSERT_EQ(::clEnqueueMarker(queue, &marked), CL_SUCCESS);
    EXPECT_EQ(type(marked), cl_command_type{CL_COMMAND_MARKER});
    EXPECT_GT(status(filled), CL_COMPLETE);
    EXPECT_GT(status(marked), CL_COMPLETE);
    ASSERT_EQ(::clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    EXPECT_EQ(::clWaitForEvents(1, &marked), CL_SUCCESS);
    EXPECT_EQ(status(filled), CL_COMPLETE);
    for (cl_event event : {gate, filled, marked}) EXPECT_EQ(::clReleaseEvent(event), CL_SUCCESS);
    EXPECT_EQ(::clReleaseMemObject(memory), CL_SUCCESS);
  }
  EXPECT_EQ(::clEnqueueMarker(queue, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(::clEnqueueWaitForEvents(queue, 0, nullptr), CL_INVALID_VALUE);
}

// "Equivalent to clEnqueueNDRangeKernel with work_dim = 1, global_work_size = 1 and local_work_size = 1."
TEST_F(Order, ATaskIsOneWorkItem) {
  begin();
  cl_kernel add = kernel("add");
  std::vector<cl_int> zeros(16, 0);
  cl_mem memory = buffer(64, CL_MEM_COPY_HOST_PTR, zeros.data());
  const cl_int seven = 7;
  ASSERT_EQ(::clSetKernelArg(add, 0, sizeof memory, &memory), CL_SUCCESS);
  ASSERT_EQ(::clSetKernelArg(add, 1, sizeof seven, &seven), CL_SUCCESS);
  cl_event event = nullptr;
  ASSERT_EQ(::clEnqueueTask(queue, add, 0, nullptr, &event), CL_SUCCESS);
  EXPECT_EQ(type(event), cl_command_type{CL_COMMAND_TASK});
  ASSERT_EQ(::clWaitForEvents(1, &event), CL_SUCCESS);
  std::vector<cl_int> expected(16, 0);
  expected[0] = 7;
  EXPECT_EQ(contents<cl_int>(memory, 16), expected);
  // Four times, in order: queued, submitted, started, ended.
  cl_ulong times[4] = {};
  for (cl_uint i = 0; i < 4; ++i)
    ASSERT_EQ(::clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED + i, sizeof times[i], &times[i],
                                        nullptr),
              CL_SUCCESS);
  EXPECT_TRUE(std::ranges::is_sorted(times));
  EXPECT_EQ(::clReleaseEvent(event), CL_SUCCESS);
  EXPECT_EQ(::clReleaseKernel(add), CL_SUCCESS);
  EXPECT_EQ(::clReleaseMemObject(memory), CL_SUCCESS);
}

// What it is given is a copy, in which memory objects are where their bytes are.
TEST_F(Order, ANativeKernelIsGivenTheBytesOfBuffers) {
  begin();
  struct Given {
    cl_mem memory;
    cl_int number;
  };
  std::vector<cl_int> zeros(4, 0);
  cl_mem memory = buffer(16, CL_MEM_COPY_HOST_PTR, zeros.data());
  const cl_image_format texels{CL_R, CL_UNSIGNED_INT32};
  cl_int error = 0;
  cl_mem image = ::clCreateImage2D(context, 0, &texels, 4, 4, 0, nullptr, &error);
  ASSERT_EQ(error, CL_SUCCESS);
  const auto native = [](void* given) {
    auto* number = *static_cast<cl_int**>(given);
    number[2] = static_cast<Given*>(given)->number;
  };
  Given given{memory, 9};
  const void* places[] = {&given.memory};
  cl_event done = nullptr;
  ASSERT_EQ(
      ::clEnqueueNativeKernel(queue, native, &given, sizeof given, 1, &memory, places, 0, nullptr, &done),
      CL_SUCCESS);
  given.number = 1;
  EXPECT_EQ(type(done), cl_command_type{CL_COMMAND_NATIVE_KERNEL});
  ASSERT_EQ(::clWaitForEvents(1, &done), CL_SUCCESS);
  EXPECT_EQ(contents<cl_int>(memory, 4), (std::vector<cl_int>{0, 0, 9, 0}));
  EXPECT_EQ(
      ::clEnqueueNativeKernel(queue, native, &given, sizeof given, 1, &image, places, 0, nullptr, nullptr),
      CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(
      ::clEnqueueNativeKernel(queue, nullptr, &given, sizeof given, 0, nullptr, nullptr, 0, nullptr, nullptr),
      CL_INVALID_VALUE);
  EXPECT_EQ(::clReleaseEvent(done), CL_SUCCESS);
  for (cl_mem each : {memory, image}) EXPECT_EQ(::clReleaseMemObject(each), CL_SUCCESS);
}

// A box of 3 x 2 x 2 bytes at (1, 1, 1) of 8 x 4 x 3 goes to (2, 0, 0) of 6 x 3 x 2, and back.
TEST_F(Order, BoxesGoToTheHostAndBack) {
  begin();
  std::vector<unsigned char> first(8 * 4 * 3);
  std::iota(first.begin(), first.end(), static_cast<unsigned char>(1));
  cl_mem memory = buffer(first.size(), CL_MEM_COPY_HOST_PTR, first.data());
  const size_t there[3] = {1, 1, 1}, here[3] = {2, 0, 0}, box[3] = {3, 2, 2};
  std::vector<unsigned char> host(6 * 3 * 2, 0), expected = host;
  for (size_t z = 0; z < 2; ++z)
    for (size_t y = 0; y < 2; ++y)
      for (size_t x = 0; x < 3; ++x)
        expected[(z * 3 + y) * 6 + x + 2] = first[((z + 1) * 4 + y + 1) * 8 + x + 1];
  ASSERT_EQ(::clEnqueueReadBufferRect(queue, memory, CL_TRUE, there, here, box, 8, 32, 6, 18, host.data(), 0,
                                      nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(host, expected);
  for (unsigned char& byte : host) byte = static_cast<unsigned char>(byte + 100);
  ASSERT_EQ(::clEnqueueWriteBufferRect(queue, memory, CL_TRUE, there, here, box, 8, 32, 6, 18, host.data(), 0,
                                       nullptr, nullptr),
            CL_SUCCESS);
  for (size_t z = 0; z < 2; ++z)
    for (size_t y = 0; y < 2; ++y)
      for (size_t x = 0; x < 3; ++x) first[((z + 1) * 4 + y + 1) * 8 + x + 1] += 100;
  EXPECT_EQ(contents<unsigned char>(memory, first.size()), first);
  EXPECT_EQ(::clEnqueueReadBufferRect(queue, memory, CL_TRUE, there, here, box, 2, 32, 6, 18, host.data(), 0,
                                      nullptr, nullptr),
            CL_INVALID_VALUE)
      << "a row of two bytes holds no three";
  cl_event event = nullptr;
  ASSERT_EQ(::clEnqueueMigrateMemObjects(queue, 1, &memory, CL_MIGRATE_MEM_OBJECT_HOST, 0, nullptr, &event),
            CL_SUCCESS);
  EXPECT_EQ(type(event), cl_command_type{CL_COMMAND_MIGRATE_MEM_OBJECTS});
  EXPECT_EQ(::clWaitForEvents(1, &event), CL_SUCCESS);
  EXPECT_EQ(contents<unsigned char>(memory, first.size()), first);
  EXPECT_EQ(::clEnqueueMigrateMemObjects(queue, 0, nullptr, 0, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(::clReleaseEvent(event), CL_SUCCESS);
  EXPECT_EQ(::clReleaseMemObject(memory), CL_SUCCESS);
}

TEST_F(Order, BuffersBecomeImages) {
  begin();
  cl_int error = 0;
  std::vector<cl_uint> numbers(40);
  std::iota(numbers.begin(), numbers.end(), 1U);
  cl_mem memory = buffer(numbers.size() * 4, CL_MEM_COPY_HOST_PTR, numbers.data());
  const cl_image_format texels{CL_R, CL_UNSIGNED_INT32};
  cl_mem image = ::clCreateImage2D(context, 0, &texels, 5, 6, 0, nullptr, &error);
  ASSERT_EQ(error, CL_SUCCESS);
  const size_t origin[3] = {1, 2, 0}, region[3] = {3, 4, 1};
  cl_event copied = nullptr;
  ASSERT_EQ(::clEnqueueCopyBufferToImage(queue, memory, image, 8, origin, region, 0, nullptr, &copied),
            CL_SUCCESS);
  std::vector<cl_uint> read(12);
  ASSERT_EQ(
      ::clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, read.data(), 1, &copied, nullptr),
      CL_SUCCESS);
  EXPECT_EQ(read, std::vector<cl_uint>(numbers.begin() + 2, numbers.begin() + 14));
  EXPECT_EQ(::clReleaseEvent(copied), CL_SUCCESS);
  for (cl_mem each : {image, memory}) EXPECT_EQ(::clReleaseMemObject(each), CL_SUCCESS);
}

TEST_F(Order, SharedVirtualMemoryIsCopiedFilledMappedAndFreed) {
  begin();
  auto* from = static_cast<cl_int*>(::clSVMAlloc(context, CL_MEM_READ_WRITE, 256, 0));
  auto* to = static_cast<cl_int*>(::clSVMAlloc(context, CL_MEM_READ_WRITE, 256, 0));
  auto** pointers = static_cast<cl_int**>(::clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0));
  ASSERT_TRUE(from != nullptr && to != nullptr && pointers != nullptr);
  const cl_int pattern[2] = {3, 4};
  cl_event filled = nullptr, copied = nullptr, mapped = nullptr;
  ASSERT_EQ(::clEnqueueSVMMemFill(queue, from, pattern, sizeof pattern, 256, 0, nullptr, &filled),
            CL_SUCCESS);
  ASSERT_EQ(::clEnqueueSVMMemcpy(queue, CL_FALSE, to, from, 256, 1, &filled, &copied), CL_SUCCESS);
  ASSERT_EQ(::clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, to, 256, 1, &copied, &mapped),
            CL_SUCCESS);
  for (int i = 0; i < 64; ++i) ASSERT_EQ(to[i], i % 2 == 0 ? 3 : 4) << i;
  pointers[0] = to;
  ASSERT_EQ(::clEnqueueSVMUnmap(queue, to, 0, nullptr, nullptr), CL_SUCCESS);
  const void* moved[] = {to};
  ASSERT_EQ(::clEnqueueSVMMigrateMem(queue, 1, moved, nullptr, 0, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(::clFinish(queue), CL_SUCCESS);

  // A kernel follows an address that it finds in memory.
  cl_kernel follow = kernel("follow");
  void* reached[] = {to};
  ASSERT_EQ(::clSetKernelArgSVMPointer(follow, 0, pointers), CL_SUCCESS);
  ASSERT_EQ(::clSetKernelExecInfo(follow, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof reached, reached), CL_SUCCESS);
  const cl_bool system = CL_TRUE;
  EXPECT_EQ(::clSetKernelExecInfo(follow, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof system, &system),
            CL_INVALID_OPERATION);
  ASSERT_EQ(::clEnqueueTask(queue, follow, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(::clFinish(queue), CL_SUCCESS);
  EXPECT_EQ(to[0], 5);

  EXPECT_EQ(::clEnqueueSVMMemcpy(queue, CL_TRUE, to, to + 1, 16, 0, nullptr, nullptr), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(::clEnqueueSVMMemFill(queue, to, pattern, 3, 12, 0, nullptr, nullptr), CL_INVALID_VALUE);
  std::atomic<cl_uint> freed{0};
  void* both[] = {from, to};
  cl_event gone = nullptr;
  ASSERT_EQ(::clEnqueueSVMFree(
                queue, 2, both,
                [](cl_command_queue, cl_uint count, void** those, void* data) {
                  for (cl_uint i = 0; i < count; ++i)
                    static_cast<std::atomic<cl_uint>*>(data)->fetch_add(those[i] != nullptr);
                },
                &freed, 0, nullptr, &gone),
            CL_SUCCESS);
  EXPECT_EQ(::clWaitForEvents(1, &gone), CL_SUCCESS);
  EXPECT_EQ(freed, 2U);
  for (void* pointer : both) ::clSVMFree(context, pointer);
  ::clSVMFree(context, pointers);
  for (cl_event event : {filled, copied, mapped, gone}) EXPECT_EQ(::clReleaseEvent(event), CL_SUCCESS);
  EXPECT_EQ(::clReleaseKernel(follow), CL_SUCCESS);
}

}  // namespace
}  // namespace heddle::opencl::testing
