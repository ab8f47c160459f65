// Programs in OpenCL C: compiled, linked, saved and read again.
#include "api/opencl/program.h"

#include <gmock/gmock.h>

#include <cctype>
#include <chrono>
#include <thread>

#include "api/opencl/testing.h"

namespace heddle::opencl::testing {
namespace {

class Programs : public OpenClTest {
 protected:
  cl_program source(const char* text) {
    cl_int error = 0;
    cl_program made = ::clCreateProgramWithSource(context, 1, &text, nullptr, &error);
    EXPECT_EQ(error, CL_SUCCESS);
    return made;
  }
  cl_program compiled(const char* text) {
    cl_program made = source(text);
    EXPECT_EQ(::clCompileProgram(made, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
    return made;
  }
  cl_program_binary_type type_of(cl_program made) {
    cl_program_binary_type type = 77;
    EXPECT_EQ(::clGetProgramBuildInfo(made, device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, nullptr),
              CL_SUCCESS);
    return type;
  }
  std::vector<unsigned char> binary_of(cl_program made) {
    size_t bytes = 0;
    EXPECT_EQ(::clGetProgramInfo(made, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr), CL_SUCCESS);
    std::vector<unsigned char> binary(bytes);
    unsigned char* place = binary.data();
    EXPECT_EQ(::clGetProgramInfo(made, CL_PROGRAM_BINARIES, sizeof place, &place, nullptr), CL_SUCCESS);
    return binary;
  }
  cl_program from_binary(const std::vector<unsigned char>& binary, cl_int& error) {
    const size_t bytes = binary.size();
    const unsigned char* place = binary.data();
    return ::clCreateProgramWithBinary(context, 1, &device, &bytes, &place, nullptr, &error);
  }
};

constexpr const char* twice = "int twice(int x) { return 2 * x; }";
constexpr const char* caller = "int twice(int); kernel void f(global int* p) { *p = twice(*p); }";

TEST_F(Programs, SubDevicesRunWhatIsBuiltForTheirDevice) {
  start();
  const cl_device_partition_property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 4, 8,
                                                 CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
  cl_device_id all[3] = {device};
  ASSERT_EQ(::clCreateSubDevices(device, counts, 2, all + 1, nullptr), CL_SUCCESS);
  cl_int error = 0;
  cl_context own = ::clCreateContext(nullptr, 3, all, nullptr, nullptr, &error);
  ASSERT_EQ(error, CL_SUCCESS);
  const char* text = "kernel void f(global int* p) { *p *= 2; }";
  const auto statuses = [&](cl_program made) {
    std::vector<cl_build_status> found;
    for (cl_device_id one : all) {
      cl_build_status status = 77;
      EXPECT_EQ(::clGetProgramBuildInfo(made, one, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, nullptr),
                CL_SUCCESS);
      found.push_back(status);
    }
    return found;
  };
  cl_program whole = ::clCreateProgramWithSource(own, 1, &text, nullptr, &error);
  ASSERT_EQ(::clBuildProgram(whole, 1, &device, "", nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(statuses(whole), std::vector<cl_build_status>(3, CL_BUILD_SUCCESS));
  cl_program part = ::clCreateProgramWithSource(own, 1, &text, nullptr, &error);
  ASSERT_EQ(::clBuildProgram(part, 1, all + 1, "", nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(statuses(part), (std::vector<cl_build_status>{CL_BUILD_NONE, CL_BUILD_SUCCESS, CL_BUILD_NONE}));
  cl_kernel kernel = ::clCreateKernel(whole, "f", &error);
  ASSERT_EQ(error, CL_SUCCESS);
  int number = 21;
  cl_mem memory = ::clCreateBuffer(own, CL_MEM_COPY_HOST_PTR, sizeof number, &number, &error);
  ASSERT_EQ(error, CL_SUCCESS);
  ASSERT_EQ(::clSetKernelArg(kernel, 0, sizeof memory, &memory), CL_SUCCESS);
  for (cl_device_id one : all) {
    cl_command_queue queue_of_one = ::clCreateCommandQueue(own, one, 0, &error);
    ASSERT_EQ(error, CL_SUCCESS);
    const size_t items = 1;
    EXPECT_EQ(
        ::clEnqueueNDRangeKernel(queue_of_one, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
        CL_SUCCESS);
    EXPECT_EQ(
        ::clEnqueueReadBuffer(queue_of_one, memory, CL_TRUE, 0, sizeof number, &number, 0, nullptr, nullptr),
        CL_SUCCESS);
    EXPECT_EQ(::clReleaseCommandQueue(queue_of_one), CL_SUCCESS);
  }
  EXPECT_EQ(number, 21 * 8);
  ::clReleaseMemObject(memory), ::clReleaseKernel(kernel);
  ::clReleaseProgram(whole), ::clReleaseProgram(part), ::clReleaseContext(own);
  ::clReleaseDevice(all[1]), ::clReleaseDevice(all[2]);
}

// What was built goes with the last that may run it: not with the context, programs build thousands.
TEST_F(Programs, TakeTheirCodeWithThem) {
  start();
  cl_int error = 0;
  cl_program made = source("constant int two = 2; kernel void f(global int* p) { *p *= two; }");
  ASSERT_EQ(::clBuildProgram(made, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
  const std::weak_ptr<runtime::Module> first = find(made)->build_of(*find(device)).module->weak_from_this();
  ASSERT_EQ(::clBuildProgram(made, 0, nullptr, "-DAGAIN", nullptr, nullptr), CL_SUCCESS);
  EXPECT_TRUE(first.expired());
  const std::weak_ptr<runtime::Module> code = find(made)->build_of(*find(device)).module->weak_from_this();
  cl_kernel kernel = ::clCreateKernel(made, "f", &error);
  ASSERT_EQ(::clReleaseProgram(made), CL_SUCCESS);
  EXPECT_FALSE(code.expired());
  int number = 21;
  cl_mem memory = buffer(sizeof number, CL_MEM_COPY_HOST_PTR, &number);
  ASSERT_EQ(::clSetKernelArg(kernel, 0, sizeof memory, &memory), CL_SUCCESS);
  cl_event gate = ::clCreateUserEvent(context, &error);
  const size_t items = 1;
  ASSERT_EQ(::clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 1, &gate, nullptr),
            CL_SUCCESS);
  ASSERT_EQ(::clReleaseKernel(kernel), CL_SUCCESS);
  EXPECT_FALSE(code.expired());
  ASSERT_EQ(::clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(contents<int>(memory, 1)[0], 42);
  EXPECT_EQ(::clFinish(queue), CL_SUCCESS);
  // The thread that ran the launch may not have let go of it yet.
  for (int i = 0; i < 10000 && !code.expired(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(code.expired());
  ::clReleaseEvent(gate), ::clReleaseMemObject(memory);
}

// "CL_PROGRAM_BINARY_TYPE": what a program was saved as is what it is when it is read.
TEST_F(Programs, BinariesAreWhatTheyWere) {
  start();
  cl_int error = 0;
  cl_program object = compiled(twice);
  EXPECT_EQ(type_of(object), static_cast<cl_program_binary_type>(CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT));
  cl_program library =
      ::clLinkProgram(context, 1, &device, "-create-library", 1, &object, nullptr, nullptr, &error);
  ASSERT_EQ(error, CL_SUCCESS);
  cl_program again = from_binary(binary_of(object), error);
  ASSERT_EQ(error, CL_SUCCESS);
  EXPECT_EQ(type_of(again), static_cast<cl_program_binary_type>(CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT));
  cl_program read = from_binary(binary_of(library), error);
  ASSERT_EQ(error, CL_SUCCESS);
  EXPECT_EQ(type_of(read), static_cast<cl_program_binary_type>(CL_PROGRAM_BINARY_TYPE_LIBRARY));

  // A program of a library that was read is none.
  const std::array inputs{compiled(caller), read};
  cl_program linked = ::clLinkProgram(context, 1, &device, "", 2, inputs.data(), nullptr, nullptr, &error);
  ASSERT_EQ(error, CL_SUCCESS);
  EXPECT_EQ(type_of(linked), static_cast<cl_program_binary_type>(CL_PROGRAM_BINARY_TYPE_EXECUTABLE));
  cl_kernel kernel = ::clCreateKernel(linked, "f", &error);
  ASSERT_EQ(error, CL_SUCCESS);
  cl_int value = 21;
  cl_mem memory = buffer(4, CL_MEM_COPY_HOST_PTR, &value);
  ASSERT_EQ(::clSetKernelArg(kernel, 0, sizeof memory, &memory), CL_SUCCESS);
  const size_t one = 1;
  ASSERT_EQ(::clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(contents<cl_int>(memory, 1), std::vector<cl_int>{42});
}

TEST_F(Programs, DamagedObjectsAreRefused) {
  start();
  cl_int error = 0;
  std::vector<unsigned char> binary = binary_of(compiled(twice));
  ASSERT_GT(binary.size(), 64U);
  binary.resize(binary.size() / 2 / 4 * 4);
  EXPECT_EQ(from_binary(binary, error), nullptr);
  EXPECT_EQ(error, CL_INVALID_BINARY);
}

// Values as the last parameter, behind which there is nothing to read.
// The description of the kernels at the end of the PTX says where arguments are written to.
TEST_F(Programs, PtxIsRefusedWhenItsDescriptionIsDamaged) {
  start();
  cl_program made = source("kernel void f(global int* p, int n, float4 v) { p[n] = v.x; }");
  ASSERT_EQ(::clBuildProgram(made, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
  const std::vector<unsigned char> good = binary_of(made);
  const std::string text(good.begin(), good.end());
  const auto fate = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const size_t place = changed.find(from, changed.find("//.heddle"));
    EXPECT_NE(place, std::string::npos) << from;
    changed.replace(place, from.size(), to);
    cl_int error = 0;
    cl_program again = from_binary({changed.begin(), changed.end()}, error);
    if (again == nullptr) return error;
    error = ::clBuildProgram(again, 0, nullptr, "", nullptr, nullptr);
    ::clReleaseProgram(again);
    return error;
  };
  EXPECT_EQ(fate("f", "f"), CL_SUCCESS);
  EXPECT_EQ(fate("//.heddle.end", "//.heddle.en"), CL_INVALID_BINARY);
  EXPECT_EQ(fate("\t16\t16\t16", "\t16\t16"), CL_INVALID_BINARY);
  EXPECT_EQ(fate("\t16\t16\t16", "\t16\t16\t99"), CL_INVALID_BINARY);
  EXPECT_EQ(fate("\t16\t16\t16", "\t16\t-16\t16"), CL_INVALID_BINARY);
  EXPECT_EQ(fate("\t16\t16\t16", "\t1048576\t16\t16"), CL_BUILD_PROGRAM_FAILURE);
  EXPECT_EQ(fate("\t16\t16\t16", "\t16\t4096\t16"), CL_BUILD_PROGRAM_FAILURE);
  EXPECT_EQ(fate("//.kernel\tf", "//.kernel\tg"), CL_BUILD_PROGRAM_FAILURE);
  EXPECT_EQ(fate("//.argument\t0", "//.argument\t0\t0\t0\t0\t8\t4\t4\t\t\t\n//.argument\t0"),
            CL_BUILD_PROGRAM_FAILURE);
  ::clReleaseProgram(made);
}

TEST_F(Programs, TakeSmallVectors) {
  start();
  for (const std::string type :
       {"uchar", "uchar2", "uchar3", "uchar4", "ushort", "ushort2", "ushort3", "uchar8"}) {
    SCOPED_TRACE(type);
    const size_t width = type.back() == '3'               ? 4
                         : std::isdigit(type.back()) != 0 ? static_cast<size_t>(type.back() - '0')
                                                          : 1;
    const size_t bytes = width * (type[1] == 's' ? 2 : 1);
    const std::string text =
        "kernel void k(global " + type + "* o, " + type + " x, " + type + " y) { *o = x + y; }";
    cl_program made = source(text.c_str());
    ASSERT_EQ(::clBuildProgram(made, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
    cl_int error = 0;
    cl_kernel kernel = ::clCreateKernel(made, "k", &error);
    ASSERT_EQ(error, CL_SUCCESS);
    const std::vector<cl_uchar> x{1, 2, 3, 4, 5, 6, 7, 8}, y{10, 20, 30, 40, 50, 60, 70, 80};
    cl_mem memory = buffer(8);
    ASSERT_EQ(::clSetKernelArg(kernel, 0, sizeof memory, &memory), CL_SUCCESS);
    ASSERT_EQ(::clSetKernelArg(kernel, 1, bytes, x.data()), CL_SUCCESS);
    ASSERT_EQ(::clSetKernelArg(kernel, 2, bytes, y.data()), CL_SUCCESS);
    const size_t one = 1;
    ASSERT_EQ(::clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr),
              CL_SUCCESS);
    const std::vector<cl_uchar> out = contents<cl_uchar>(memory, 8);
    const size_t elements = type.back() == '3' ? bytes / 4 * 3 : bytes;
    for (size_t i = 0; i < elements; ++i) EXPECT_EQ(out[i], x[i] + y[i]) << "byte " << i;
    ::clReleaseKernel(kernel);
    ::clReleaseProgram(made);
  }
}

// A function that is not inlined takes and gives two bytes as others do.
TEST_F(Programs, FunctionsTakeAndGivePairsOfBytes) {
  start();
  cl_program made = source(R"(
__attribute__((noinline)) uchar2 turned(uchar2 a, int b, char2 c) {
  return (uchar2)(a.y + c.y, a.x + b + c.x);
}
kernel void k(global uchar2* o) { o[2] = turned(o[0], 100, as_char2(o[1])); })");
  ASSERT_EQ(::clBuildProgram(made, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
  cl_int error = 0;
  cl_kernel kernel = ::clCreateKernel(made, "k", &error);
  ASSERT_EQ(error, CL_SUCCESS);
  std::vector<cl_uchar> bytes{1, 2, 30, 40, 0, 0};
  cl_mem memory = ::clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, bytes.size(), bytes.data(), &error);
  ASSERT_EQ(error, CL_SUCCESS);
  ASSERT_EQ(::clSetKernelArg(kernel, 0, sizeof memory, &memory), CL_SUCCESS);
  const size_t one = 1;
  ASSERT_EQ(::clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr),
            CL_SUCCESS);
  bytes = contents<cl_uchar>(memory, 6);
  EXPECT_EQ(bytes[4], 42);
  EXPECT_EQ(bytes[5], 131);
  ::clReleaseMemObject(memory);
  ::clReleaseKernel(kernel);
  ::clReleaseProgram(made);
}

// What a device shows is what its programs can be built with.
TEST_F(Programs, SubGroupsAreThereWhereTheDeviceShowsThem) {
  const char* text =
      "kernel void k(global int* o, int x) {\n"
      "#ifdef __opencl_c_work_group_collective_functions\n  o[0] = work_group_reduce_add(x);\n#endif\n"
      "#ifdef __opencl_c_subgroups\n  o[1] = sub_group_reduce_add(x);\n#endif\n"
      "#ifdef cl_khr_subgroup_extended_types\n  o[2] = sub_group_broadcast((char2)(x, 1), 0u).x;\n#endif\n"
      "#ifdef cl_khr_subgroup_non_uniform_vote\n  o[3] = sub_group_elect();\n#endif\n"
      "#ifdef cl_khr_subgroup_ballot\n  o[4] = sub_group_ballot(x).x;\n#endif\n"
      "#ifdef cl_khr_subgroup_non_uniform_arithmetic\n  o[5] = "
      "sub_group_non_uniform_scan_inclusive_mul(x);\n#endif\n"
      "#ifdef cl_khr_subgroup_shuffle\n  o[6] = sub_group_shuffle_xor(x, 1u);\n#endif\n"
      "#ifdef cl_khr_subgroup_shuffle_relative\n  o[7] = sub_group_shuffle_up(x, 1u);\n#endif\n"
      "#ifdef cl_khr_subgroup_clustered_reduce\n  o[8] = sub_group_clustered_reduce_max(x, 4u);\n#endif\n"
      "#ifdef cl_khr_subgroup_rotate\n  o[9] = sub_group_rotate(x, 1);\n#endif\n}\n";
  struct Shown {
    const char* device;
    bool sub_groups, progress;
  };
  for (const Shown& shown :
       {Shown{"gtx480", false, false}, {"k40", true, false}, {"gtx980", true, false}, {"h200", true, true}}) {
    SCOPED_TRACE(shown.device);
    start({shown.device});
    cl_program made = source(text);
    EXPECT_EQ(::clBuildProgram(made, 0, nullptr, "-cl-std=CL3.0", nullptr, nullptr), CL_SUCCESS);
    ::clReleaseProgram(made);
    const std::string extensions = " " + device_text(CL_DEVICE_EXTENSIONS) + " ";
    EXPECT_EQ(extensions.find(" cl_khr_subgroups ") != std::string::npos, shown.progress);
    EXPECT_EQ(device_info<cl_bool>(CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS),
              shown.progress ? CL_TRUE : CL_FALSE);
    for (const char* name : {"extended_types", "non_uniform_vote", "ballot", "non_uniform_arithmetic",
                             "shuffle", "shuffle_relative", "clustered_reduce", "rotate"})
      EXPECT_EQ(extensions.find(" cl_khr_subgroup_" + std::string(name) + " ") != std::string::npos,
                shown.sub_groups)
          << name;
    EXPECT_EQ(device_info<cl_uint>(CL_DEVICE_MAX_NUM_SUB_GROUPS) != 0, shown.sub_groups);
  }
}

TEST_F(Programs, VariablesTakeTheRoomOfTheirTypes) {
  start();
  cl_program made = source(
      "global uchar3 a; global double3 b; kernel void k(global int* o) { *o = a.x + (int)b.x; a.y = 1; b.y = "
      "1; }");
  ASSERT_EQ(::clBuildProgram(made, 0, nullptr, "-cl-std=CL3.0", nullptr, nullptr), CL_SUCCESS);
  size_t bytes = 0;
  EXPECT_EQ(::clGetProgramBuildInfo(made, device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, sizeof bytes,
                                    &bytes, nullptr),
            CL_SUCCESS);
  EXPECT_GE(bytes, 4U + 32U);
}

TEST_F(Programs, TheLogSaysWhatAKernelTakes) {
  constexpr const char* text =
      "kernel void plain(global int* p) { local int row[64]; row[get_local_id(0)] = *p; barrier(1); *p = "
      "row[1]; }"
      "kernel void stack(global int* p, int n) { int t[4]; for (int i = 0; i < n; i++) t[i & 3] = p[i];"
      "  *p = t[n & 3]; }";
  const auto log_of = [&](cl_program made) {
    char log[1024] = {};
    EXPECT_EQ(::clGetProgramBuildInfo(made, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, nullptr),
              CL_SUCCESS);
    return std::string(log);
  };
  const auto private_bytes = [&](cl_program made, const char* name) {
    cl_kernel kernel = ::clCreateKernel(made, name, nullptr);
    cl_ulong bytes = 77;
    EXPECT_EQ(
        ::clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof bytes, &bytes, nullptr),
        CL_SUCCESS);
    ::clReleaseKernel(kernel);
    return bytes;
  };
  start({"gtx480"});
  cl_program made = source(text);
  ASSERT_EQ(::clBuildProgram(made, 0, nullptr, "-cl-nv-verbose", nullptr, nullptr), CL_SUCCESS);
  EXPECT_THAT(log_of(made),
              ::testing::MatchesRegex(
                  "ptxas info    : Compiling entry function 'plain' for 'sm_20'\n"
                  "ptxas info    : Used [0-9]+ registers, 256 bytes smem, 8 bytes cmem\\[0\\]\n"
                  "ptxas info    : Compiling entry function 'stack' for 'sm_20'\n"
                  "ptxas info    : Used [0-9]+ registers, 16 bytes lmem, 12 bytes cmem\\[0\\]\n"));
  EXPECT_EQ(private_bytes(made, "plain"), 0U);
  EXPECT_EQ(private_bytes(made, "stack"), 16U);
  ::clReleaseProgram(made);

  // Devices of compute capability 1.x take a kernel's parameters from shared memory (OpenCL guide, 3.2.3).
  start({"gtx285"});
  made = source(text);
  ASSERT_EQ(::clBuildProgram(made, 0, nullptr, "-cl-nv-verbose", nullptr, nullptr), CL_SUCCESS);
  EXPECT_THAT(log_of(made),
              ::testing::MatchesRegex("(.|\n)*'plain' for 'sm_13'\n.* registers, 264 bytes smem\n(.|\n)*"
                                      "'stack' for 'sm_13'\n.* registers, 16 bytes lmem, 12 bytes smem\n"));
  ::clReleaseProgram(made);
}

// OpenCL guide, 2.4: after a mode switch every call fails that way.
TEST_F(Programs, AreNotBuiltInALostContext) {
  start({"gtx480"}, "invalid-context@copy");
  cl_mem memory = buffer(16);
  const cl_int seven = 7;
  EXPECT_EQ(::clEnqueueFillBuffer(queue, memory, &seven, 4, 0, 16, 0, nullptr, nullptr), CL_INVALID_CONTEXT);
  cl_program made = source("kernel void f(global int* p) { *p = 1; }");
  EXPECT_EQ(::clBuildProgram(made, 0, nullptr, "", nullptr, nullptr), CL_INVALID_CONTEXT);
  cl_program object = compiled("kernel void g(global int* p) { *p = 1; }");
  cl_int error = 0;
  EXPECT_EQ(::clLinkProgram(context, 0, nullptr, "", 1, &object, nullptr, nullptr, &error), nullptr);
  EXPECT_EQ(error, CL_INVALID_CONTEXT);
  ::clReleaseProgram(object);
  ::clReleaseProgram(made);
  ::clReleaseMemObject(memory);
}

// OpenCL Programming Guide for the CUDA Architecture, 3.3.2.5 and C.1.
TEST_F(Programs, DevicesOf1xHaveTheImagesOfOpenCl10) {
  start({"gtx285"});
  EXPECT_EQ(device_info<cl_bool>(CL_DEVICE_IMAGE_SUPPORT), cl_bool{CL_TRUE});
  EXPECT_EQ(device_info<cl_uint>(CL_DEVICE_MAX_READ_IMAGE_ARGS), 128U);
  EXPECT_EQ(device_info<cl_uint>(CL_DEVICE_MAX_WRITE_IMAGE_ARGS), 8U);
  EXPECT_EQ(device_info<cl_uint>(CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS), 0U);
  EXPECT_EQ(device_info<size_t>(CL_DEVICE_IMAGE2D_MAX_WIDTH), 65536U);
  EXPECT_EQ(device_info<size_t>(CL_DEVICE_IMAGE3D_MAX_DEPTH), 2048U);
  const auto formats = [&](cl_mem_object_type type) {
    cl_uint count = 0;
    EXPECT_EQ(::clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, type, 0, nullptr, &count), CL_SUCCESS);
    return count;
  };
  EXPECT_GE(formats(CL_MEM_OBJECT_IMAGE2D), 30U);
  EXPECT_EQ(formats(CL_MEM_OBJECT_IMAGE2D), formats(CL_MEM_OBJECT_IMAGE3D));
  EXPECT_EQ(formats(CL_MEM_OBJECT_IMAGE1D), 0U);
  EXPECT_EQ(formats(CL_MEM_OBJECT_IMAGE2D_ARRAY), 0U);
}

TEST_F(Programs, VersionsSayWhoseTheyAre) {
  start();
  // "OpenCL<space>C<space><major_version.minor_version><space><vendor-specific information>"
  EXPECT_EQ(device_text(CL_DEVICE_OPENCL_C_VERSION).substr(0, 13), "OpenCL C 1.2 ");
  EXPECT_EQ(device_text(CL_DEVICE_VERSION).substr(0, 11), "OpenCL 3.0 ");
}

}  // namespace
}  // namespace heddle::opencl::testing
