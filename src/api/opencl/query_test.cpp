// What objects answer about themselves, against what they were made with; and references, which programs
// count.
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "api/opencl/headers.h"
#include "api/opencl/testing.h"

namespace heddle::opencl::testing {
namespace {

const char* source =
    "kernel __attribute__((reqd_work_group_size(8, 4, 1))) void first(global const float4* restrict in, "
    "local int* room,\n"
    "    volatile constant int* table, read_only image2d_t picture, sampler_t how, int3 number) { room[0] = "
    "table[0]; }\n"
    "kernel void second(global int* out) { out[get_global_id(0)] = 2; }\n";

class Queries : public OpenClTest {
 protected:
  // The answer as it is asked for: its size first, then refused for want of a byte, then given.
  template <class Ask>
  std::vector<std::byte> answer(const Ask& ask) {
    size_t bytes = 0;
    EXPECT_EQ(ask(0, nullptr, &bytes), CL_SUCCESS);
    std::vector<std::byte> room(bytes + 1, std::byte{0x5a});
    if (bytes != 0) EXPECT_EQ(ask(bytes - 1, room.data(), nullptr), CL_INVALID_VALUE);
    EXPECT_EQ(ask(bytes, room.data(), nullptr), CL_SUCCESS);
    EXPECT_EQ(room.back(), std::byte{0x5a}) << "wrote too much";
    room.pop_back();
    return room;
  }
  template <class T, class Ask>
  T value(const Ask& ask) {
    const std::vector<std::byte> given = answer(ask);
    T result{};
    EXPECT_EQ(given.size(), sizeof result);
    if (given.size() == sizeof result) std::memcpy(&result, given.data(), sizeof result);
    return result;
  }
  template <class Ask>
  std::string words(const Ask& ask) {
    const std::vector<std::byte> given = answer(ask);
    if (given.empty()) return {};
    EXPECT_EQ(given.back(), std::byte{0});
    return reinterpret_cast<const char*>(given.data());
  }
  template <class T, class Ask>
  std::vector<T> list(const Ask& ask) {
    const std::vector<std::byte> given = answer(ask);
    std::vector<T> result(given.size() / sizeof(T));
    if (!given.empty()) std::memcpy(result.data(), given.data(), given.size());
    return result;
  }
  cl_program built(const char* options = "-cl-kernel-arg-info") {
    cl_int error = 0;
    cl_program made = ::clCreateProgramWithSource(context, 1, &source, nullptr, &error);
    EXPECT_EQ(::clBuildProgram(made, 0, nullptr, options, nullptr, nullptr), CL_SUCCESS);
    return made;
  }
};

TEST_F(Queries, KernelsKnowTheirProgramAndTheirArguments) {
  start({"h200"});
  cl_program program = built();
  cl_uint count = 0;
  ASSERT_EQ(::clCreateKernelsInProgram(program, 0, nullptr, &count), CL_SUCCESS);
  ASSERT_EQ(count, 2U);
  cl_kernel kernels[2] = {};
  EXPECT_EQ(::clCreateKernelsInProgram(program, 1, kernels, &count), CL_INVALID_VALUE);
  ASSERT_EQ(::clCreateKernelsInProgram(program, 2, kernels, nullptr), CL_SUCCESS);
  const auto about = [&](cl_kernel kernel, cl_kernel_info name) {
    return [=](size_t size, void* to, size_t* bytes) {
      return ::clGetKernelInfo(kernel, name, size, to, bytes);
    };
  };
  if (words(about(kernels[0], CL_KERNEL_FUNCTION_NAME)) != "first") std::swap(kernels[0], kernels[1]);
  EXPECT_EQ(words(about(kernels[0], CL_KERNEL_FUNCTION_NAME)), "first");
  EXPECT_EQ(words(about(kernels[1], CL_KERNEL_FUNCTION_NAME)), "second");
  EXPECT_EQ(value<cl_uint>(about(kernels[0], CL_KERNEL_NUM_ARGS)), 6U);
  EXPECT_EQ(value<cl_program>(about(kernels[0], CL_KERNEL_PROGRAM)), program);
  EXPECT_EQ(value<cl_context>(about(kernels[0], CL_KERNEL_CONTEXT)), context);
  EXPECT_NE(words(about(kernels[0], CL_KERNEL_ATTRIBUTES)).find("reqd_work_group_size(8"), std::string::npos);

  struct Argument {
    const char *type, *name;
    cl_kernel_arg_address_qualifier address;
    cl_kernel_arg_access_qualifier access;
    cl_kernel_arg_type_qualifier qualifiers;
  };
  const std::array<Argument, 6> expected = {{
      {"float4*", "in", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ACCESS_NONE,
       CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT},
      {"int*", "room", CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_TYPE_NONE},
      // "constant" is "const" too.
      {"int*", "table", CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_ACCESS_NONE,
       CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_VOLATILE},
      {"image2d_t", "picture", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ACCESS_READ_ONLY,
       CL_KERNEL_ARG_TYPE_NONE},
      {"sampler_t", "how", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_TYPE_NONE},
      {"int3", "number", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_TYPE_NONE},
  }};
  for (cl_uint i = 0; i < expected.size(); ++i) {
    SCOPED_TRACE(i);
    const auto argument = [&](cl_kernel_arg_info name) {
      return [=](size_t size, void* to, size_t* bytes) {
        return ::clGetKernelArgInfo(kernels[0], i, name, size, to, bytes);
      };
    };
    EXPECT_EQ(words(argument(CL_KERNEL_ARG_TYPE_NAME)), expected[i].type);
    EXPECT_EQ(words(argument(CL_KERNEL_ARG_NAME)), expected[i].name);
    EXPECT_EQ(value<cl_kernel_arg_address_qualifier>(argument(CL_KERNEL_ARG_ADDRESS_QUALIFIER)),
              expected[i].address);
    EXPECT_EQ(value<cl_kernel_arg_access_qualifier>(argument(CL_KERNEL_ARG_ACCESS_QUALIFIER)),
              expected[i].access);
    EXPECT_EQ(value<cl_kernel_arg_type_qualifier>(argument(CL_KERNEL_ARG_TYPE_QUALIFIER)),
              expected[i].qualifiers);
  }
  size_t bytes = 0;
  EXPECT_EQ(::clGetKernelArgInfo(kernels[0], 6, CL_KERNEL_ARG_NAME, 0, nullptr, &bytes),
            CL_INVALID_ARG_INDEX);
  for (cl_kernel kernel : kernels) EXPECT_EQ(::clReleaseKernel(kernel), CL_SUCCESS);
  EXPECT_EQ(::clReleaseProgram(program), CL_SUCCESS);
  cl_program bare = built("");
  cl_kernel kernel = ::clCreateKernel(bare, "second", nullptr);
  EXPECT_EQ(::clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, 0, nullptr, &bytes),
            CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
  EXPECT_EQ(::clReleaseKernel(kernel), CL_SUCCESS);
  EXPECT_EQ(::clReleaseProgram(bare), CL_SUCCESS);
}

TEST_F(Queries, KernelsKnowTheirGroups) {
  start({"h200"});
  cl_program program = built();
  cl_kernel first = ::clCreateKernel(program, "first", nullptr),
            second = ::clCreateKernel(program, "second", nullptr);
  const auto group = [&](cl_kernel kernel, cl_kernel_work_group_info name) {
    return [=, this](size_t size, void* to, size_t* bytes) {
      return ::clGetKernelWorkGroupInfo(kernel, device, name, size, to, bytes);
    };
  };
  EXPECT_EQ(list<size_t>(group(first, CL_KERNEL_COMPILE_WORK_GROUP_SIZE)), (std::vector<size_t>{8, 4, 1}));
  EXPECT_EQ(list<size_t>(group(second, CL_KERNEL_COMPILE_WORK_GROUP_SIZE)), (std::vector<size_t>{0, 0, 0}));
  EXPECT_EQ(value<size_t>(group(second, CL_KERNEL_WORK_GROUP_SIZE)), 1024U);
  EXPECT_EQ(value<size_t>(group(second, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE)), 32U);
  // "room" takes what the argument says.
  EXPECT_EQ(value<cl_ulong>(group(first, CL_KERNEL_LOCAL_MEM_SIZE)), 0U);
  EXPECT_EQ(::clSetKernelArg(first, 1, 1000, nullptr), CL_SUCCESS);
  EXPECT_EQ(value<cl_ulong>(group(first, CL_KERNEL_LOCAL_MEM_SIZE)), 1000U);
  size_t bytes = 0;
  // Only for custom devices and built-in kernels.
  EXPECT_EQ(::clGetKernelWorkGroupInfo(second, device, CL_KERNEL_GLOBAL_WORK_SIZE, 0, nullptr, &bytes),
            CL_INVALID_VALUE);

  const size_t local[3] = {100, 1, 1};
  size_t answer_of = 0;
  EXPECT_EQ(::clGetKernelSubGroupInfo(second, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof local,
                                      local, sizeof answer_of, &answer_of, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(answer_of, 32U);
  EXPECT_EQ(::clGetKernelSubGroupInfoKHR(second, device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE_KHR,
                                         sizeof local, local, sizeof answer_of, &answer_of, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(answer_of, 4U);
  const size_t wanted = 5;
  size_t found[3] = {};
  EXPECT_EQ(::clGetKernelSubGroupInfo(second, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof wanted,
                                      &wanted, sizeof found, found, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(found[0], 160U);
  EXPECT_EQ(found[1] * found[2], 1U);
  EXPECT_EQ(::clReleaseKernel(first), CL_SUCCESS);
  EXPECT_EQ(::clReleaseKernel(second), CL_SUCCESS);
  EXPECT_EQ(::clReleaseProgram(program), CL_SUCCESS);
}

// "A shallow copy of the kernel object": with the arguments that were set.
TEST_F(Queries, AClonedKernelHasItsArguments) {
  start({"h200"});
  cl_program program = built();
  cl_kernel second = ::clCreateKernel(program, "second", nullptr);
  cl_mem one = buffer(256), other = buffer(256);
  ASSERT_EQ(::clSetKernelArg(second, 0, sizeof one, &one), CL_SUCCESS);
  cl_int error = 0;
  cl_kernel copy = ::clCloneKernel(second, &error);
  ASSERT_EQ(error, CL_SUCCESS);
  ASSERT_EQ(::clSetKernelArg(second, 0, sizeof other, &other), CL_SUCCESS);
  const size_t items = 64;
  for (cl_kernel kernel : {copy, second})
    ASSERT_EQ(::clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
              CL_SUCCESS);
  EXPECT_EQ(contents<cl_int>(one, 64), std::vector<cl_int>(64, 2));
  EXPECT_EQ(contents<cl_int>(other, 64), std::vector<cl_int>(64, 2));
  for (cl_kernel kernel : {copy, second}) EXPECT_EQ(::clReleaseKernel(kernel), CL_SUCCESS);
  for (cl_mem memory : {one, other}) EXPECT_EQ(::clReleaseMemObject(memory), CL_SUCCESS);
  EXPECT_EQ(::clReleaseProgram(program), CL_SUCCESS);
}

TEST_F(Queries, MemoryKnowsWhatItIsPartOf) {
  start({"h200"});
  cl_int error = 0;
  const cl_mem_properties none[] = {0};
  cl_mem whole = ::clCreateBufferWithProperties(context, none, CL_MEM_READ_ONLY, 4096, nullptr, &error);
  ASSERT_EQ(error, CL_SUCCESS);
  const cl_mem_properties odd[] = {0x7777, 1, 0};
  EXPECT_EQ(::clCreateBufferWithProperties(context, odd, 0, 4096, nullptr, &error), nullptr);
  EXPECT_EQ(error, CL_INVALID_PROPERTY);
  const cl_buffer_region region{1024, 512};
  cl_mem part = ::clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
  ASSERT_EQ(error, CL_SUCCESS);
  const auto about = [&](cl_mem memory, cl_mem_info name) {
    return [=](size_t size, void* to, size_t* bytes) {
      return ::clGetMemObjectInfo(memory, name, size, to, bytes);
    };
  };
  EXPECT_EQ(value<cl_mem_object_type>(about(whole, CL_MEM_TYPE)), cl_mem_object_type{CL_MEM_OBJECT_BUFFER});
  EXPECT_EQ(value<size_t>(about(whole, CL_MEM_SIZE)), 4096U);
  EXPECT_EQ(list<cl_mem_properties>(about(whole, CL_MEM_PROPERTIES)), std::vector<cl_mem_properties>{0});
  EXPECT_EQ(value<size_t>(about(part, CL_MEM_SIZE)), 512U);
  EXPECT_EQ(value<size_t>(about(part, CL_MEM_OFFSET)), 1024U);
  EXPECT_EQ(value<cl_mem>(about(part, CL_MEM_ASSOCIATED_MEMOBJECT)), whole);
  EXPECT_EQ(value<cl_mem>(about(whole, CL_MEM_ASSOCIATED_MEMOBJECT)), nullptr);
  // "If flags does not say, those of the buffer are inherited."
  EXPECT_EQ(value<cl_mem_flags>(about(part, CL_MEM_FLAGS)) & CL_MEM_READ_ONLY,
            cl_mem_flags{CL_MEM_READ_ONLY});
  EXPECT_EQ(::clRetainMemObject(part), CL_SUCCESS);
  EXPECT_EQ(value<cl_uint>(about(part, CL_MEM_REFERENCE_COUNT)), 2U);
  EXPECT_EQ(::clReleaseMemObject(part), CL_SUCCESS);
  EXPECT_EQ(::clReleaseMemObject(part), CL_SUCCESS);
  EXPECT_EQ(::clReleaseMemObject(part), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(::clReleaseMemObject(whole), CL_SUCCESS);
}

TEST_F(Queries, ImagesOfEveryWayToMakeThem) {
  start({"h200"});
  cl_int error = 0;
  const cl_image_format texels{CL_RG, CL_UNSIGNED_INT16};
  cl_mem flat = ::clCreateImage2D(context, 0, &texels, 12, 5, 0, nullptr, &error);
  ASSERT_EQ(error, CL_SUCCESS);
  cl_mem deep = ::clCreateImage3D(context, 0, &texels, 12, 5, 3, 0, 0, nullptr, &error);
  ASSERT_EQ(error, CL_SUCCESS);
  cl_image_desc described{};
  described.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY;
  described.image_width = 12, described.image_height = 5, described.image_array_size = 7;
  cl_mem layered = ::clCreateImageWithProperties(context, nullptr, 0, &texels, &described, nullptr, &error);
  ASSERT_EQ(error, CL_SUCCESS);
  struct Expected {
    cl_mem image;
    cl_mem_object_type type;
    size_t depth, layers;
  };
  for (const Expected& one :
       {Expected{flat, CL_MEM_OBJECT_IMAGE2D, 0, 0}, Expected{deep, CL_MEM_OBJECT_IMAGE3D, 3, 0},
        Expected{layered, CL_MEM_OBJECT_IMAGE2D_ARRAY, 0, 7}}) {
    SCOPED_TRACE(one.type);
    const auto about = [&](cl_image_info name) {
      return [name, image = one.image](size_t size, void* to, size_t* bytes) {
        return ::clGetImageInfo(image, name, size, to, bytes);
      };
    };
    const auto format = value<cl_image_format>(about(CL_IMAGE_FORMAT));
    EXPECT_EQ(format.image_channel_order, cl_channel_order{CL_RG});
    EXPECT_EQ(format.image_channel_data_type, cl_channel_type{CL_UNSIGNED_INT16});
    EXPECT_EQ(value<size_t>(about(CL_IMAGE_ELEMENT_SIZE)), 4U);
    EXPECT_EQ(value<size_t>(about(CL_IMAGE_WIDTH)), 12U);
    EXPECT_EQ(value<size_t>(about(CL_IMAGE_HEIGHT)), 5U);
    EXPECT_EQ(value<size_t>(about(CL_IMAGE_DEPTH)), one.depth);
    EXPECT_EQ(value<size_t>(about(CL_IMAGE_ARRAY_SIZE)), one.layers);
    EXPECT_GE(value<size_t>(about(CL_IMAGE_ROW_PITCH)), 48U);
    cl_mem_object_type type = 0;
    EXPECT_EQ(::clGetMemObjectInfo(one.image, CL_MEM_TYPE, sizeof type, &type, nullptr), CL_SUCCESS);
    EXPECT_EQ(type, one.type);
    EXPECT_EQ(::clReleaseMemObject(one.image), CL_SUCCESS);
  }
}

TEST_F(Queries, SamplersOfBothWaysToMakeThem) {
  start({"h200"});
  cl_int error = 0;
  const std::vector<cl_sampler_properties> properties = {CL_SAMPLER_NORMALIZED_COORDS,
                                                         CL_TRUE,
                                                         CL_SAMPLER_ADDRESSING_MODE,
                                                         CL_ADDRESS_REPEAT,
                                                         CL_SAMPLER_FILTER_MODE,
                                                         CL_FILTER_LINEAR,
                                                         0};
  cl_sampler sampler = ::clCreateSamplerWithProperties(context, properties.data(), &error);
  ASSERT_EQ(error, CL_SUCCESS);
  const auto about = [&](cl_sampler_info name) {
    return [=](size_t size, void* to, size_t* bytes) {
      return ::clGetSamplerInfo(sampler, name, size, to, bytes);
    };
  };
  EXPECT_EQ(value<cl_bool>(about(CL_SAMPLER_NORMALIZED_COORDS)), cl_bool{CL_TRUE});
  EXPECT_EQ(value<cl_addressing_mode>(about(CL_SAMPLER_ADDRESSING_MODE)),
            cl_addressing_mode{CL_ADDRESS_REPEAT});
  EXPECT_EQ(value<cl_filter_mode>(about(CL_SAMPLER_FILTER_MODE)), cl_filter_mode{CL_FILTER_LINEAR});
  EXPECT_EQ(list<cl_sampler_properties>(about(CL_SAMPLER_PROPERTIES)), properties);
  EXPECT_EQ(value<cl_context>(about(CL_SAMPLER_CONTEXT)), context);
  EXPECT_EQ(::clRetainSampler(sampler), CL_SUCCESS);
  EXPECT_EQ(value<cl_uint>(about(CL_SAMPLER_REFERENCE_COUNT)), 2U);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(::clReleaseSampler(sampler), CL_SUCCESS);
  EXPECT_EQ(::clReleaseSampler(sampler), CL_INVALID_SAMPLER);
  const cl_sampler_properties twice[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_FILTER_MODE,
                                         CL_FILTER_LINEAR, 0};
  EXPECT_EQ(::clCreateSamplerWithProperties(context, twice, &error), nullptr);
  EXPECT_EQ(error, CL_INVALID_VALUE);
}

TEST_F(Queries, QueuesProgramsAndSubDevicesAreCounted) {
  start({"h200"});
  cl_int error = 0;
  const std::vector<cl_queue_properties> properties = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  for (cl_command_queue made :
       {::clCreateCommandQueueWithProperties(context, device, properties.data(), &error),
        ::clCreateCommandQueueWithPropertiesKHR(context, device, properties.data(), &error)}) {
    const auto about = [&](cl_command_queue_info name) {
      return [=](size_t size, void* to, size_t* bytes) {
        return ::clGetCommandQueueInfo(made, name, size, to, bytes);
      };
    };
    EXPECT_EQ(value<cl_command_queue_properties>(about(CL_QUEUE_PROPERTIES)),
              cl_command_queue_properties{CL_QUEUE_PROFILING_ENABLE});
    EXPECT_EQ(list<cl_queue_properties>(about(CL_QUEUE_PROPERTIES_ARRAY)), properties);
    EXPECT_EQ(::clRetainCommandQueue(made), CL_SUCCESS);
    EXPECT_EQ(value<cl_uint>(about(CL_QUEUE_REFERENCE_COUNT)), 2U);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(::clReleaseCommandQueue(made), CL_SUCCESS);
    EXPECT_EQ(::clReleaseCommandQueue(made), CL_INVALID_COMMAND_QUEUE);
  }
  cl_program program = ::clCreateProgramWithSource(context, 1, &source, nullptr, &error);
  EXPECT_EQ(::clRetainProgram(program), CL_SUCCESS);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(::clReleaseProgram(program), CL_SUCCESS);
  EXPECT_EQ(::clReleaseProgram(program), CL_INVALID_PROGRAM);
  const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 66, 0};
  cl_device_id parts[2] = {};
  ASSERT_EQ(::clCreateSubDevices(device, halves, 2, parts, nullptr), CL_SUCCESS);
  EXPECT_EQ(::clRetainDeviceEXT(parts[0]), CL_SUCCESS);
  EXPECT_EQ(::clRetainDevice(parts[0]), CL_SUCCESS);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(::clReleaseDeviceEXT(parts[0]), CL_SUCCESS);
  EXPECT_EQ(::clReleaseDevice(parts[0]), CL_SUCCESS);
  EXPECT_EQ(::clReleaseDevice(parts[0]), CL_INVALID_DEVICE);
  EXPECT_EQ(::clReleaseDevice(parts[1]), CL_SUCCESS);
  // Devices that the platform has always had are not counted.
  EXPECT_EQ(::clRetainDevice(device), CL_SUCCESS);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(::clReleaseDevice(device), CL_SUCCESS);
  EXPECT_EQ(device_info<cl_uint>(CL_DEVICE_REFERENCE_COUNT), 1U);
}

TEST_F(Queries, ClocksGoOn) {
  start({"h200"});
  cl_ulong devices_before = 0, host_before = 0, host_after = 0;
  EXPECT_EQ(::clGetDeviceAndHostTimer(device, &devices_before, &host_before), CL_SUCCESS);
  EXPECT_EQ(::clGetHostTimer(device, &host_after), CL_SUCCESS);
  EXPECT_GT(devices_before, 0U);
  EXPECT_GE(host_after, host_before);
  EXPECT_EQ(::clGetHostTimer(device, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(::clGetDeviceAndHostTimer(device, nullptr, &host_before), CL_INVALID_VALUE);
}

// What this engine has not says so, and what a compiler kept may go.
TEST_F(Queries, WhatIsNotThereIsRefusedByName) {
  start({"h200"});
  cl_int error = 0;
  const unsigned char module[20] = {3, 2, 0x23, 7};
  EXPECT_EQ(::clCreateProgramWithIL(context, module, sizeof module, &error), nullptr);
  EXPECT_EQ(error, CL_INVALID_OPERATION);
  EXPECT_EQ(device_text(CL_DEVICE_IL_VERSION), "");
  EXPECT_EQ(::clCreatePipe(context, 0, 4, 16, nullptr, &error), nullptr);
  EXPECT_EQ(error, CL_INVALID_OPERATION);
  EXPECT_EQ(device_info<cl_bool>(CL_DEVICE_PIPE_SUPPORT), cl_bool{CL_FALSE});
  EXPECT_EQ(::clCreateProgramWithBuiltInKernels(context, 1, &device, "none", &error), nullptr);
  EXPECT_EQ(error, CL_INVALID_VALUE);
  EXPECT_EQ(device_text(CL_DEVICE_BUILT_IN_KERNELS), "");
  // cl_ext_device_fission numbers its properties in another way, and is not shown.
  const cl_device_partition_property_ext halves[] = {CL_DEVICE_PARTITION_EQUALLY_EXT, 66, 0};
  EXPECT_EQ(::clCreateSubDevicesEXT(device, halves, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(device_text(CL_DEVICE_EXTENSIONS).find("cl_ext_device_fission"), std::string::npos);
  cl_program program = built();
  const cl_uint constant = 1;
  EXPECT_EQ(::clSetProgramSpecializationConstant(program, 0, sizeof constant, &constant),
            CL_INVALID_OPERATION);
  // "Not supported": no program has destructors of its own.
  EXPECT_EQ(::clSetProgramReleaseCallback(program, [](cl_program, void*) {}, nullptr), CL_INVALID_OPERATION);
  EXPECT_EQ(::clUnloadPlatformCompiler(platform), CL_SUCCESS);
  EXPECT_EQ(::clUnloadCompiler(), CL_SUCCESS);
  EXPECT_EQ(::clBuildProgram(program, 0, nullptr, "-DAGAIN", nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(::clReleaseProgram(program), CL_SUCCESS);
  void* const here = reinterpret_cast<void*>(&::clIcdGetPlatformIDsKHR);
  EXPECT_EQ(::clGetExtensionFunctionAddress("clIcdGetPlatformIDsKHR"), here);
  EXPECT_EQ(::clGetExtensionFunctionAddressForPlatform(platform, "clIcdGetPlatformIDsKHR"), here);
  EXPECT_EQ(::clGetExtensionFunctionAddressForPlatform(platform, "clMakeTea"), nullptr);
  cl_platform_id found = nullptr;
  EXPECT_EQ(::clIcdGetPlatformIDsKHR(1, &found, nullptr), CL_SUCCESS);
  EXPECT_EQ(found, platform);
}

}  // namespace
}  // namespace heddle::opencl::testing
