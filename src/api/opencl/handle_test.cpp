// Handles that a program should not pass: none, of no object, of another kind, released, of another context,
// of a device that the context has not. Every function's every handle, alone or in a list.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "api/opencl/headers.h"
#include "api/opencl/testing.h"
#include "api/opencl/wrong_handles.gen.h"

namespace heddle::opencl::testing {
namespace {

const std::string text = R"(.version 6.0
.target sm_60
.address_size 64
.visible .entry store(.param .u64 .ptr .global .align 4 out)
{
  .reg .u64 %d;
  ld.param.u64 %d, [out]; st.global.u32 [%d], 1;
  ret;
}
)";
const char* source = "kernel void store(global int* out) { *out = 1; }";

constexpr size_t bytes = 4096;
constexpr cl_image_format texels{CL_RGBA, CL_UNSIGNED_INT8};
constexpr size_t zero[3] = {0, 0, 0}, one[3] = {1, 1, 1};

class HandleTest : public OpenClTest {
 protected:
  void begin(std::initializer_list<std::string_view> names = {"h200"}) {
    start(names);
    good = make(context);
  }
  // One of each kind, in this context. The kernel's argument is set.
  Handles make(cl_context where) {
    cl_int error = 0;
    Handles made{.platform = platform, .device = device, .context = where};
    made.queue = ::clCreateCommandQueue(where, device, 0, &error);
    EXPECT_EQ(error, CL_SUCCESS);
    made.buffer = ::clCreateBuffer(where, 0, bytes, nullptr, &error);
    EXPECT_EQ(error, CL_SUCCESS);
    cl_image_desc square{};
    square.image_type = CL_MEM_OBJECT_IMAGE2D;
    square.image_width = square.image_height = 8;
    made.image = ::clCreateImage(where, 0, &texels, &square, nullptr, &error);
    EXPECT_EQ(error, CL_SUCCESS);
    const size_t length = text.size();
    const auto* binary = reinterpret_cast<const unsigned char*>(text.data());
    made.program = ::clCreateProgramWithBinary(where, 1, &device, &length, &binary, nullptr, &error);
    EXPECT_EQ(error, CL_SUCCESS);
    EXPECT_EQ(::clBuildProgram(made.program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
    made.kernel = ::clCreateKernel(made.program, "store", &error);
    EXPECT_EQ(error, CL_SUCCESS);
    EXPECT_EQ(::clSetKernelArg(made.kernel, 0, sizeof made.buffer, &made.buffer), CL_SUCCESS);
    made.event = ::clCreateUserEvent(where, &error);
    EXPECT_EQ(error, CL_SUCCESS);
    EXPECT_EQ(::clSetUserEventStatus(made.event, CL_COMPLETE), CL_SUCCESS);
    made.sampler = ::clCreateSampler(where, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error);
    EXPECT_EQ(error, CL_SUCCESS);
    return made;
  }
  // All but the platform, the device and the context.
  static void release(const Handles& made) {
    EXPECT_EQ(::clFinish(made.queue), CL_SUCCESS);
    EXPECT_EQ(::clReleaseKernel(made.kernel), CL_SUCCESS);
    EXPECT_EQ(::clReleaseProgram(made.program), CL_SUCCESS);
    EXPECT_EQ(::clReleaseSampler(made.sampler), CL_SUCCESS);
    EXPECT_EQ(::clReleaseEvent(made.event), CL_SUCCESS);
    EXPECT_EQ(::clReleaseMemObject(made.image), CL_SUCCESS);
    EXPECT_EQ(::clReleaseMemObject(made.buffer), CL_SUCCESS);
    EXPECT_EQ(::clReleaseCommandQueue(made.queue), CL_SUCCESS);
  }
  cl_context another_context() {
    cl_int error = 0;
    cl_context made = ::clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
    EXPECT_EQ(error, CL_SUCCESS);
    return made;
  }
  Handles released() {
    Handles gone = make(another_context());
    release(gone);
    EXPECT_EQ(::clReleaseContext(gone.context), CL_SUCCESS);
    const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 66, 0};
    cl_device_id parts[2] = {};
    EXPECT_EQ(::clCreateSubDevices(device, halves, 2, parts, nullptr), CL_SUCCESS);
    for (cl_device_id part : parts) EXPECT_EQ(::clReleaseDevice(part), CL_SUCCESS);
    gone.device = parts[0];
    gone.platform = nullptr;  // cannot be released
    return gone;
  }
  void TearDown() override {
    if (good.queue != nullptr) release(good);
    OpenClTest::TearDown();
  }
  Handles good;
};

struct Kind {
  cl_int error;
  void* handle;
};
std::array<Kind, 10> kinds(const Handles& all) {
  return {{{CL_INVALID_PLATFORM, all.platform},
           {CL_INVALID_DEVICE, all.device},
           {CL_INVALID_CONTEXT, all.context},
           {CL_INVALID_COMMAND_QUEUE, all.queue},
           {CL_INVALID_MEM_OBJECT, all.buffer},
           {CL_INVALID_MEM_OBJECT, all.image},
           {CL_INVALID_PROGRAM, all.program},
           {CL_INVALID_KERNEL, all.kernel},
           {CL_INVALID_EVENT, all.event},
           {CL_INVALID_SAMPLER, all.sampler}}};
}

TEST_F(HandleTest, OfEveryFunctionAreLookedUp) {
  begin();
  const Handles gone = released();
  int nothing[32] = {};
  for (const WrongHandle& wrong : wrong_handles) {
    SCOPED_TRACE(std::string(wrong.function) + "'s " + wrong.parameter);
    if (!wrong.may_be_null) EXPECT_EQ(wrong.call(good, nullptr), wrong.error);
    EXPECT_EQ(wrong.call(good, nothing), wrong.error) << "of nobody's";
    EXPECT_EQ(wrong.call(good, reinterpret_cast<void*>(16)), wrong.error) << "nowhere";
    for (const Kind& kind : kinds(good))
      if (kind.error != wrong.error)
        EXPECT_EQ(wrong.call(good, kind.handle), wrong.error) << "of kind " << kind.error;
    for (const Kind& kind : kinds(gone))
      if (kind.error == wrong.error && kind.handle != nullptr)
        EXPECT_EQ(wrong.call(good, kind.handle), wrong.error) << "released";
  }
  EXPECT_GT(std::size(wrong_handles), 120U);
}

TEST_F(HandleTest, OfEveryWaitListAreLookedUp) {
  begin();
  const Handles gone = released();
  int nothing[32] = {};
  for (const WrongWaitList& wrong : wrong_wait_lists) {
    SCOPED_TRACE(wrong.function);
    EXPECT_EQ(wrong.call(good, 1, nullptr), CL_INVALID_EVENT_WAIT_LIST);
    EXPECT_EQ(wrong.call(good, 0, &good.event), CL_INVALID_EVENT_WAIT_LIST);
    for (void* bad : {static_cast<void*>(nullptr), static_cast<void*>(nothing),
                      static_cast<void*>(good.queue), static_cast<void*>(gone.event)}) {
      const cl_event list[] = {good.event, static_cast<cl_event>(bad)};
      EXPECT_EQ(wrong.call(good, 2, list), CL_INVALID_EVENT_WAIT_LIST);
    }
  }
  EXPECT_GT(std::size(wrong_wait_lists), 25U);
}

// A command with everything as it should be, of which parts then belong to another context.
struct Command {
  const char* function;
  bool waits, first, second;  // which of these it takes
  // The queue and the host's memory are ours; kernel, buffers and images are of first and second.
  cl_int (*call)(const Handles& good, const Handles& first, const Handles& second, const cl_event* wait,
                 std::byte* host);
};

#define HEDDLE_COMMAND(name, first, second, ...)                               \
  {#name, true, first, second,                                                 \
   []([[maybe_unused]] const Handles& good, [[maybe_unused]] const Handles& a, \
      [[maybe_unused]] const Handles& b, const cl_event* wait,                 \
      [[maybe_unused]] std::byte* host) -> cl_int { return ::name(good.queue, __VA_ARGS__, nullptr); }}
#define HEDDLE_WAIT 1, wait
const Command commands[] = {
    HEDDLE_COMMAND(clEnqueueReadBuffer, true, false, a.buffer, CL_TRUE, 0, 64, host, HEDDLE_WAIT),
    HEDDLE_COMMAND(clEnqueueWriteBuffer, true, false, a.buffer, CL_TRUE, 0, 64, host, HEDDLE_WAIT),
    HEDDLE_COMMAND(clEnqueueReadBufferRect, true, false, a.buffer, CL_TRUE, zero, zero, one, 0, 0, 0, 0, host,
                   HEDDLE_WAIT),
    HEDDLE_COMMAND(clEnqueueWriteBufferRect, true, false, a.buffer, CL_TRUE, zero, zero, one, 0, 0, 0, 0,
                   host, HEDDLE_WAIT),
    HEDDLE_COMMAND(clEnqueueFillBuffer, true, false, a.buffer, host, 4, 0, 64, HEDDLE_WAIT),
    HEDDLE_COMMAND(clEnqueueCopyBuffer, true, true, a.buffer, b.buffer, 0, 64, 16, HEDDLE_WAIT),
    HEDDLE_COMMAND(clEnqueueCopyBufferRect, true, true, a.buffer, b.buffer, zero, one, one, 0, 0, 0, 0,
                   HEDDLE_WAIT),
    HEDDLE_COMMAND(clEnqueueMigrateMemObjects, true, false, 1, &a.buffer, 0, HEDDLE_WAIT),
    HEDDLE_COMMAND(clEnqueueReadImage, true, false, a.image, CL_TRUE, zero, one, 0, 0, host, HEDDLE_WAIT),
    HEDDLE_COMMAND(clEnqueueWriteImage, true, false, a.image, CL_TRUE, zero, one, 0, 0, host, HEDDLE_WAIT),
    HEDDLE_COMMAND(clEnqueueFillImage, true, false, a.image, host, zero, one, HEDDLE_WAIT),
    HEDDLE_COMMAND(clEnqueueCopyImage, true, true, a.image, b.image, zero,
                   std::array<size_t, 3>{1, 1, 0}.data(), one, HEDDLE_WAIT),
    HEDDLE_COMMAND(clEnqueueCopyImageToBuffer, true, true, a.image, b.buffer, zero, one, 0, HEDDLE_WAIT),
    HEDDLE_COMMAND(clEnqueueCopyBufferToImage, true, true, a.buffer, b.image, 0, zero, one, HEDDLE_WAIT),
    HEDDLE_COMMAND(clEnqueueNDRangeKernel, true, false, a.kernel, 1, nullptr, one, nullptr, HEDDLE_WAIT),
    HEDDLE_COMMAND(clEnqueueTask, true, false, a.kernel, HEDDLE_WAIT),
    HEDDLE_COMMAND(clEnqueueMarkerWithWaitList, false, false, HEDDLE_WAIT),
    HEDDLE_COMMAND(clEnqueueBarrierWithWaitList, false, false, HEDDLE_WAIT),
    HEDDLE_COMMAND(clEnqueueSVMMemFill, false, false, host, host + 64, 4, 16, HEDDLE_WAIT),
    HEDDLE_COMMAND(clEnqueueSVMMemcpy, false, false, CL_TRUE, host, host + 64, 16, HEDDLE_WAIT),
    HEDDLE_COMMAND(clEnqueueSVMMap, false, false, CL_TRUE, CL_MAP_READ, host, 64, HEDDLE_WAIT),
    HEDDLE_COMMAND(clEnqueueSVMUnmap, false, false, host, HEDDLE_WAIT),
    HEDDLE_COMMAND(clEnqueueSVMMigrateMem, false, false, 1, std::array<const void*, 1>{host}.data(), nullptr,
                   0, HEDDLE_WAIT),
    {"clEnqueueNativeKernel", true, true, false,
     [](const Handles& good, const Handles& a, const Handles&, const cl_event* wait, std::byte*) -> cl_int {
       cl_mem argument = a.buffer;
       const void* place = &argument;
       return ::clEnqueueNativeKernel(
           good.queue, [](void*) {}, &argument, sizeof argument, 1, &a.buffer, &place, 1, wait, nullptr);
     }},
    {"clEnqueueSVMFree", true, false, false,
     [](const Handles& good, const Handles&, const Handles&, const cl_event* wait, std::byte*) -> cl_int {
       void* own = ::clSVMAlloc(good.context, 0, 64, 0);
       return ::clEnqueueSVMFree(good.queue, 1, &own, nullptr, nullptr, 1, wait, nullptr);
     }},
    {"clEnqueueWaitForEvents", true, false, false,
     [](const Handles& good, const Handles&, const Handles&, const cl_event* wait, std::byte*) -> cl_int {
       return ::clEnqueueWaitForEvents(good.queue, 1, wait);
     }},
    {"clGetKernelSuggestedLocalWorkSizeKHR", false, true, false,
     [](const Handles& good, const Handles& a, const Handles&, const cl_event*, std::byte*) -> cl_int {
       size_t size = 0;
       return ::clGetKernelSuggestedLocalWorkSizeKHR(good.queue, a.kernel, 1, nullptr, one, &size);
     }},
    {"clEnqueueMapBuffer", true, true, false,
     [](const Handles& good, const Handles& a, const Handles&, const cl_event* wait, std::byte*) -> cl_int {
       cl_int error = 0;
       (void)::clEnqueueMapBuffer(good.queue, a.buffer, CL_TRUE, CL_MAP_READ, 0, 64, 1, wait, nullptr,
                                  &error);
       return error;
     }},
    {"clEnqueueMapImage", true, true, false,
     [](const Handles& good, const Handles& a, const Handles&, const cl_event* wait, std::byte*) -> cl_int {
       cl_int error = 0;
       size_t pitch = 0;
       (void)::clEnqueueMapImage(good.queue, a.image, CL_TRUE, CL_MAP_READ, zero, one, &pitch, nullptr, 1,
                                 wait, nullptr, &error);
       return error;
     }},
    {"clEnqueueUnmapMemObject", true, true, false,
     [](const Handles& good, const Handles& a, const Handles&, const cl_event* wait, std::byte*) -> cl_int {
       cl_int error = 0;
       cl_command_queue own = nullptr;
       cl_context context = nullptr;
       (void)::clGetMemObjectInfo(a.buffer, CL_MEM_CONTEXT, sizeof context, &context, nullptr);
       own = ::clCreateCommandQueue(context, good.device, 0, &error);
       void* at =
           ::clEnqueueMapBuffer(own, a.buffer, CL_TRUE, CL_MAP_READ, 0, 64, 0, nullptr, nullptr, &error);
       const cl_int result = ::clEnqueueUnmapMemObject(good.queue, a.buffer, at, 1, wait, nullptr);
       if (result != CL_SUCCESS) (void)::clEnqueueUnmapMemObject(own, a.buffer, at, 0, nullptr, nullptr);
       (void)::clReleaseCommandQueue(own);
       return result;
     }},
};

TEST_F(HandleTest, EveryCommandIsAmongThem) {
  for (const WrongWaitList& taking : wrong_wait_lists) {
    const std::string_view name = taking.function;
    const bool found = std::ranges::any_of(commands, [&](const Command& c) { return c.function == name; });
    EXPECT_TRUE(found) << name;
  }
}

TEST_F(HandleTest, OfAnotherContextAreRefused) {
  begin();
  const Handles other = make(another_context());
  auto* host = static_cast<std::byte*>(::clSVMAlloc(good.context, 0, 256, 0));
  ASSERT_NE(host, nullptr);
  for (const Command& command : commands) {
    SCOPED_TRACE(command.function);
    EXPECT_EQ(command.call(good, good, good, &good.event, host), CL_SUCCESS);
    if (command.waits)
      EXPECT_EQ(command.call(good, good, good, &other.event, host), CL_INVALID_CONTEXT) << "event";
    if (command.first)
      EXPECT_EQ(command.call(good, other, good, &good.event, host), CL_INVALID_CONTEXT) << "first";
    if (command.second)
      EXPECT_EQ(command.call(good, good, other, &good.event, host), CL_INVALID_CONTEXT) << "second";
  }
  const cl_event both[] = {good.event, other.event};
  EXPECT_EQ(::clWaitForEvents(2, both), CL_INVALID_CONTEXT);
  EXPECT_EQ(::clFinish(good.queue), CL_SUCCESS);
  ::clSVMFree(good.context, host);
  release(other);
  EXPECT_EQ(::clReleaseContext(other.context), CL_SUCCESS);
}

// What stands in lists, and in values behind pointers.
TEST_F(HandleTest, InListsAreLookedUp) {
  begin();
  const Handles gone = released();
  int nothing[32] = {};
  cl_int error = 0;
  cl_program written = ::clCreateProgramWithSource(context, 1, &source, nullptr, &error);
  ASSERT_EQ(error, CL_SUCCESS);
  const char* name = "header.h";
  const size_t length = text.size();
  const auto* binary = reinterpret_cast<const unsigned char*>(text.data());
  const auto bad = [&](auto null, auto released_one) {
    using Handle = decltype(null);
    return std::array<Handle, 4>{null, reinterpret_cast<Handle>(nothing),
                                 reinterpret_cast<Handle>(good.queue), released_one};
  };
  for (cl_device_id one : bad(cl_device_id{}, gone.device)) {
    EXPECT_EQ(::clCreateContext(nullptr, 1, &one, nullptr, nullptr, &error), nullptr);
    EXPECT_EQ(error, CL_INVALID_DEVICE);
    EXPECT_EQ(::clBuildProgram(written, 1, &one, nullptr, nullptr, nullptr), CL_INVALID_DEVICE);
    EXPECT_EQ(::clCompileProgram(written, 1, &one, nullptr, 0, nullptr, nullptr, nullptr, nullptr),
              CL_INVALID_DEVICE);
    EXPECT_EQ(::clLinkProgram(context, 1, &one, nullptr, 1, &written, nullptr, nullptr, &error), nullptr);
    EXPECT_EQ(error, CL_INVALID_DEVICE);
    EXPECT_EQ(::clCreateProgramWithBinary(context, 1, &one, &length, &binary, nullptr, &error), nullptr);
    EXPECT_EQ(error, CL_INVALID_DEVICE);
    EXPECT_EQ(::clCreateProgramWithBuiltInKernels(context, 1, &one, "none", &error), nullptr);
    EXPECT_EQ(error, CL_INVALID_DEVICE);
  }
  for (cl_program one : bad(cl_program{}, gone.program)) {
    EXPECT_EQ(::clCompileProgram(written, 0, nullptr, nullptr, 1, &one, &name, nullptr, nullptr),
              CL_INVALID_PROGRAM);
    EXPECT_EQ(::clLinkProgram(context, 0, nullptr, nullptr, 1, &one, nullptr, nullptr, &error), nullptr);
    EXPECT_EQ(error, CL_INVALID_PROGRAM);
  }
  for (cl_mem one : bad(cl_mem{}, gone.buffer)) {
    const cl_mem list[] = {good.buffer, one};
    EXPECT_EQ(::clEnqueueMigrateMemObjects(queue, 2, list, 0, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
    cl_mem arguments[2] = {};
    const void* places[] = {arguments, arguments + 1};
    EXPECT_EQ(::clEnqueueNativeKernel(
                  queue, [](void*) {}, arguments, sizeof arguments, 2, list, places, 0, nullptr, nullptr),
              CL_INVALID_MEM_OBJECT);
    // No object is an argument too.
    if (one != nullptr) EXPECT_EQ(::clSetKernelArg(good.kernel, 0, sizeof one, &one), CL_INVALID_MEM_OBJECT);
    cl_image_desc line{};
    line.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
    line.image_width = 8;
    line.buffer = one;
    EXPECT_EQ(::clCreateImage(context, 0, &texels, &line, nullptr, &error), nullptr);
    EXPECT_EQ(error, CL_INVALID_IMAGE_DESCRIPTOR);
  }
  for (cl_event one : bad(cl_event{}, gone.event)) {
    const cl_event list[] = {good.event, one};
    EXPECT_EQ(::clWaitForEvents(2, list), CL_INVALID_EVENT);
    EXPECT_EQ(::clEnqueueWaitForEvents(queue, 2, list), CL_INVALID_EVENT);
  }
  for (cl_platform_id one : bad(cl_platform_id{}, reinterpret_cast<cl_platform_id>(gone.device))) {
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                reinterpret_cast<cl_context_properties>(one), 0};
    EXPECT_EQ(::clCreateContext(properties, 1, &device, nullptr, nullptr, &error), nullptr);
    EXPECT_EQ(error, CL_INVALID_PLATFORM);
    EXPECT_EQ(::clCreateContextFromType(properties, CL_DEVICE_TYPE_ALL, nullptr, nullptr, &error), nullptr);
    EXPECT_EQ(error, CL_INVALID_PLATFORM);
  }
  // These have no way to tell an error.
  for (cl_context one : bad(cl_context{}, gone.context)) {
    EXPECT_EQ(::clSVMAlloc(one, 0, 64, 0), nullptr);
    ::clSVMFree(one, nothing);
  }
  EXPECT_EQ(::clGetExtensionFunctionAddressForPlatform(reinterpret_cast<cl_platform_id>(nothing),
                                                       "clIcdGetPlatformIDsKHR"),
            nullptr);
  EXPECT_EQ(::clReleaseProgram(written), CL_SUCCESS);
}

TEST_F(HandleTest, OfDevicesThatTheContextHasNotAreRefused) {
  start({"h200", "h200"});
  cl_context own = another_context();
  good = make(own);
  cl_device_id other = devices[1];
  cl_int error = 0;
  size_t size = 0;
  EXPECT_EQ(::clCreateCommandQueue(own, other, 0, &error), nullptr);
  EXPECT_EQ(error, CL_INVALID_DEVICE);
  EXPECT_EQ(::clCreateCommandQueueWithProperties(own, other, nullptr, &error), nullptr);
  EXPECT_EQ(error, CL_INVALID_DEVICE);
  EXPECT_EQ(::clCreateCommandQueueWithPropertiesKHR(own, other, nullptr, &error), nullptr);
  EXPECT_EQ(error, CL_INVALID_DEVICE);
  EXPECT_EQ(::clSetDefaultDeviceCommandQueue(own, other, good.queue), CL_INVALID_DEVICE);
  EXPECT_EQ(::clGetProgramBuildInfo(good.program, other, CL_PROGRAM_BUILD_STATUS, 0, nullptr, &size),
            CL_INVALID_DEVICE);
  EXPECT_EQ(::clGetKernelWorkGroupInfo(good.kernel, other, CL_KERNEL_WORK_GROUP_SIZE, 0, nullptr, &size),
            CL_INVALID_DEVICE);
  EXPECT_EQ(::clGetKernelSubGroupInfo(good.kernel, other, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, nullptr, 0,
                                      nullptr, &size),
            CL_INVALID_DEVICE);
  EXPECT_EQ(::clGetKernelSubGroupInfoKHR(good.kernel, other, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE,
                                         sizeof one, one, 0, nullptr, &size),
            CL_INVALID_DEVICE);
  cl_program written = ::clCreateProgramWithSource(own, 1, &source, nullptr, &error);
  EXPECT_EQ(::clBuildProgram(written, 1, &other, nullptr, nullptr, nullptr), CL_INVALID_DEVICE);
  EXPECT_EQ(::clCompileProgram(written, 1, &other, nullptr, 0, nullptr, nullptr, nullptr, nullptr),
            CL_INVALID_DEVICE);
  EXPECT_EQ(::clLinkProgram(own, 1, &other, nullptr, 1, &written, nullptr, nullptr, &error), nullptr);
  EXPECT_EQ(error, CL_INVALID_DEVICE);
  const size_t length = text.size();
  const auto* binary = reinterpret_cast<const unsigned char*>(text.data());
  EXPECT_EQ(::clCreateProgramWithBinary(own, 1, &other, &length, &binary, nullptr, &error), nullptr);
  EXPECT_EQ(error, CL_INVALID_DEVICE);
  EXPECT_EQ(::clCreateProgramWithBuiltInKernels(own, 1, &other, "none", &error), nullptr);
  EXPECT_EQ(error, CL_INVALID_DEVICE);
  EXPECT_EQ(::clReleaseProgram(written), CL_SUCCESS);
  release(good);
  good = {};
  EXPECT_EQ(::clReleaseContext(own), CL_SUCCESS);
}

}  // namespace
}  // namespace heddle::opencl::testing
