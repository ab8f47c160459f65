// Handles, contexts, devices and their queries, as a program sees them.
#include <algorithm>

#include "api/opencl/dispatch.h"
#include "api/opencl/extension.h"
#include "api/opencl/headers.h"
#include "api/opencl/testing.h"

// After headers.h, which asks for every version's functions.
#include <CL/cl_icd.h>

namespace heddle::opencl::testing {
namespace {

class Objects : public OpenClTest {};

// The loader calls through the header's structure: ours has the same order.
TEST_F(Objects, HandlesBeginWithTheTableOfTheLoader) {
  start();
  const auto* table = *reinterpret_cast<cl_icd_dispatch* const*>(queue);
  EXPECT_EQ(reinterpret_cast<const void*>(table->clGetPlatformIDs),
            reinterpret_cast<const void*>(&::clGetPlatformIDs));
  EXPECT_EQ(reinterpret_cast<const void*>(table->clEnqueueNDRangeKernel),
            reinterpret_cast<const void*>(&::clEnqueueNDRangeKernel));
  EXPECT_EQ(reinterpret_cast<const void*>(table->clSetContextDestructorCallback),
            reinterpret_cast<const void*>(&::clSetContextDestructorCallback));
  EXPECT_EQ(dispatch_slots() * sizeof(void*), sizeof(cl_icd_dispatch));
  EXPECT_EQ(function_address("clGetPlatformInfo"), reinterpret_cast<void*>(&::clGetPlatformInfo));
  EXPECT_EQ(function_address("clMakeTea"), nullptr);
}

TEST_F(Objects, AHandleOfAnotherKindOrReleasedIsRefused) {
  start();
  cl_int error = 0;
  cl_event event = ::clCreateUserEvent(context, &error);
  ASSERT_EQ(error, CL_SUCCESS);
  EXPECT_EQ(::clRetainKernel(reinterpret_cast<cl_kernel>(event)), CL_INVALID_KERNEL);
  EXPECT_EQ(::clFinish(reinterpret_cast<cl_command_queue>(context)), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(::clSetUserEventStatus(event, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(::clRetainEvent(event), CL_SUCCESS);
  EXPECT_EQ(::clReleaseEvent(event), CL_SUCCESS);
  EXPECT_EQ(::clReleaseEvent(event), CL_SUCCESS);
  EXPECT_EQ(::clReleaseEvent(event), CL_INVALID_EVENT);
  EXPECT_EQ(::clReleaseEvent(nullptr), CL_INVALID_EVENT);
  int nothing = 0;
  EXPECT_EQ(::clRetainContext(reinterpret_cast<cl_context>(&nothing)), CL_INVALID_CONTEXT);
}

// A kernel keeps its program, a queue its context: their handles go on.
TEST_F(Objects, LiveAsLongAsOthersReferToThem) {
  start();
  EXPECT_EQ(::clReleaseContext(context), CL_SUCCESS);
  cl_context found = nullptr;
  ASSERT_EQ(::clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof found, &found, nullptr), CL_SUCCESS);
  EXPECT_EQ(found, context);
  cl_uint count = 1;
  ASSERT_EQ(::clGetContextInfo(found, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, nullptr), CL_SUCCESS);
  EXPECT_EQ(count, 0U);
  EXPECT_EQ(::clReleaseContext(context), CL_INVALID_CONTEXT);
  EXPECT_EQ(::clReleaseCommandQueue(queue), CL_SUCCESS);
  EXPECT_EQ(::clRetainContext(context), CL_INVALID_CONTEXT);
  queue = nullptr;
  context = nullptr;
}

TEST_F(Objects, AQueryChecksItsRoom) {
  start();
  cl_uint units = 0;
  size_t bytes = 0;
  EXPECT_EQ(::clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, &bytes), CL_SUCCESS);
  EXPECT_EQ(units, 15U);
  EXPECT_EQ(bytes, sizeof units);
  EXPECT_EQ(::clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, 2, &units, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(::clGetDeviceInfo(device, 0x7777, sizeof units, &units, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(device_text(CL_DEVICE_NAME), "GeForce GTX 480");
}

struct Shown {
  const char* device;
  const char* version;
  bool global_atomics, local_atomics, f64;
};
// OpenCL Programming Guide, C.1, for the capabilities that there are devices of.
TEST_F(Objects, ExtensionsFollowTheComputeCapability) {
  for (const Shown& shown :
       {Shown{"gtx285", "OpenCL 1.1 ", true, true, true}, Shown{"gtx480", "OpenCL 3.0 ", true, true, true}}) {
    start({shown.device});
    EXPECT_EQ(device_text(CL_DEVICE_VERSION).substr(0, 11), shown.version);
    const std::string extensions = " " + device_text(CL_DEVICE_EXTENSIONS) + " ";
    const auto has = [&](const std::string& name) {
      return extensions.find(" " + name + " ") != std::string::npos;
    };
    for (const char* name : {"cl_khr_byte_addressable_store", "cl_khr_icd", "cl_nv_compiler_options",
                             "cl_nv_device_attribute_query", "cl_nv_pragma_unroll"})
      EXPECT_TRUE(has(name)) << name;
    EXPECT_EQ(has("cl_khr_global_int32_base_atomics"), shown.global_atomics);
    EXPECT_EQ(has("cl_khr_global_int32_extended_atomics"), shown.global_atomics);
    EXPECT_EQ(has("cl_khr_local_int32_base_atomics"), shown.local_atomics);
    EXPECT_EQ(has("cl_khr_local_int32_extended_atomics"), shown.local_atomics);
    EXPECT_EQ(has("cl_khr_fp64"), shown.f64);
    finish();
  }
}

// The same for every capability of the guide's table, without a device on sale.
TEST_F(Objects, ExtensionsOfEveryCapabilityOfTheGuide) {
  struct Row {
    const char* architecture;
    bool global_atomics, local_atomics, f64;
  };
  for (const Row& row :
       {Row{"sm_10", false, false, false}, Row{"sm_11", true, false, false}, Row{"sm_12", true, true, false},
        Row{"sm_13", true, true, true}, Row{"sm_20", true, true, true}}) {
    arch::Device facts = **arch::find_device("gtx285");
    facts.arch = *arch::find_architecture(row.architecture);
    const auto list = extensions_of(facts);
    const auto has = [&](std::string_view name) {
      return std::ranges::any_of(list, [&](const cl_name_version& item) { return item.name == name; });
    };
    EXPECT_TRUE(has("cl_khr_byte_addressable_store"));
    EXPECT_EQ(has("cl_khr_global_int32_base_atomics"), row.global_atomics) << row.architecture;
    EXPECT_EQ(has("cl_khr_global_int32_extended_atomics"), row.global_atomics) << row.architecture;
    EXPECT_EQ(has("cl_khr_local_int32_base_atomics"), row.local_atomics) << row.architecture;
    EXPECT_EQ(has("cl_khr_local_int32_extended_atomics"), row.local_atomics) << row.architecture;
    EXPECT_EQ(has("cl_khr_fp64"), row.f64) << row.architecture;
  }
}

TEST_F(Objects, SubDevicesShareTheUnits) {
  start();
  const cl_device_partition_property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 4, 8,
                                                 CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
  cl_device_id parts[2] = {};
  cl_uint made = 0;
  ASSERT_EQ(::clCreateSubDevices(device, counts, 2, parts, &made), CL_SUCCESS);
  EXPECT_EQ(made, 2U);
  cl_uint units = 0;
  EXPECT_EQ(::clGetDeviceInfo(parts[1], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(units, 8U);
  cl_device_partition_property how[5] = {};
  size_t bytes = 0;
  EXPECT_EQ(::clGetDeviceInfo(parts[0], CL_DEVICE_PARTITION_TYPE, sizeof how, how, &bytes), CL_SUCCESS);
  EXPECT_EQ(bytes, sizeof how);
  EXPECT_EQ(how[2], 8);
  const cl_device_partition_property many[] = {CL_DEVICE_PARTITION_BY_COUNTS, 14, 8,
                                               CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
  EXPECT_EQ(::clCreateSubDevices(device, many, 2, parts + 0, &made), CL_INVALID_DEVICE_PARTITION_COUNT);
  const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 16, 0};
  EXPECT_EQ(::clCreateSubDevices(device, equally, 0, nullptr, &made), CL_DEVICE_PARTITION_FAILED);
  for (cl_device_id part : parts) EXPECT_EQ(::clReleaseDevice(part), CL_SUCCESS);
  EXPECT_EQ(::clReleaseDevice(parts[0]), CL_INVALID_DEVICE);
}

TEST_F(Objects, AContextTakesWhatItShould) {
  start();
  cl_int error = 0;
  EXPECT_EQ(::clCreateContext(nullptr, 0, nullptr, nullptr, nullptr, &error), nullptr);
  EXPECT_EQ(error, CL_INVALID_VALUE);
  const cl_context_properties unknown[] = {0x7777, 1, 0};
  EXPECT_EQ(::clCreateContext(unknown, 1, &device, nullptr, nullptr, &error), nullptr);
  EXPECT_EQ(error, CL_INVALID_PROPERTY);
  const cl_context_properties none[] = {CL_CONTEXT_PLATFORM, 0, 0};
  EXPECT_EQ(::clCreateContextFromType(none, CL_DEVICE_TYPE_GPU, nullptr, nullptr, &error), nullptr);
  EXPECT_EQ(error, CL_INVALID_PLATFORM);
  EXPECT_EQ(::clCreateContextFromType(nullptr, CL_DEVICE_TYPE_CPU, nullptr, nullptr, &error), nullptr);
  EXPECT_EQ(error, CL_DEVICE_NOT_FOUND);
}

}  // namespace
}  // namespace heddle::opencl::testing
