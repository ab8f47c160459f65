// OpenCL C to PTX: options, logs, descriptions of kernels, objects and libraries.
#include "frontend/opencl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/opencl/mangled.h"

namespace heddle::frontend {
namespace {

using testing::HasSubstr;

OpenClTarget target() {
  return {
      "75",
      {"cl_khr_fp64", "__opencl_c_fp64", "cl_khr_int64_base_atomics", "__opencl_c_int64", "__opencl_c_images",
       "__opencl_c_generic_address_space", "__opencl_c_work_group_collective_functions"}};
}

TEST(OpenCl, MakesPtxThatSaysWhereArgumentsPoint) {
  const OpenClResult built = build_opencl(
      target(),
      "kernel void k(global float* a, local int* b, constant float4* c, float3 d) { a[b[0]] = c->x + d.z; }",
      "");
  ASSERT_TRUE(built.ok()) << built.log;
  EXPECT_EQ(built.log, "");
  EXPECT_THAT(built.ptx, HasSubstr(".visible .entry k("));
  EXPECT_THAT(built.ptx, HasSubstr(".param .u64 .ptr .global .align 4 k_param_0"));
  EXPECT_THAT(built.ptx, HasSubstr(".param .u64 .ptr .shared .align 4 k_param_1"));
  EXPECT_THAT(built.ptx, HasSubstr("ld.const"));
}

TEST(OpenCl, VolatileVariablesOfAThreadAreLocalMemory) {
  OpenClTarget tesla = target();
  for (const char* capability : {"13", "75"}) {
    tesla.capability = capability;
    const OpenClResult built =
        build_opencl(tesla,
                     "kernel void k(global int* p, int n) { volatile int one = n; volatile int t[4];"
                     " t[0] = n; t[n & 3] = one; *p = t[0] + one; }",
                     "");
    ASSERT_TRUE(built.ok()) << built.log;
    EXPECT_THAT(built.ptx, Not(HasSubstr("cvta")));
    EXPECT_THAT(built.ptx, Not(HasSubstr("volatile")));
    EXPECT_THAT(built.ptx, HasSubstr("ld.local.u32"));
  }
}

TEST(OpenCl, ConvertsToNarrowIntegersThroughOnesOf32Bits) {
  const OpenClResult built =
      build_opencl(target(),
                   "kernel void k(global float* f, global uchar* c, global short* s) { c[0] = (uchar)f[0];"
                   " c[1] = convert_uchar(f[1]); s[0] = (short)f[2]; s[1] = convert_short_sat(f[3]); }",
                   "");
  ASSERT_TRUE(built.ok()) << built.log;
  const auto count = [&](std::string_view text) {
    int found = 0;
    for (std::size_t at = built.ptx.find(text); at != std::string::npos; at = built.ptx.find(text, at + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(count("cvt.rzi.u32.f32"), 2) << built.ptx;
  EXPECT_EQ(count("cvt.rzi.s32.f32"), 1) << built.ptx;
  EXPECT_THAT(built.ptx, HasSubstr("0fC7000000"));  // -32768: what saturates still does
}

TEST(OpenCl, MakesTheSamePtxWhateverWasMadeBefore) {
  constexpr const char* calls = "kernel void k(global float* a) { *a = sin(*a) + pow(*a, 3.5f); }";
  const std::string first = build_opencl(target(), calls, "").ptx;
  EXPECT_THAT(first, HasSubstr("call.uni"));
  EXPECT_EQ(build_opencl(target(), calls, "").ptx, first);
}

TEST(OpenCl, LogsAsClangDoes) {
  const OpenClResult bad = build_opencl(target(), "kernel void k(global int* a) { *a = nothing; }\n", "");
  EXPECT_EQ(bad.status, OpenClStatus::failed);
  EXPECT_THAT(bad.log, HasSubstr("<kernel>:1:37: error: use of undeclared identifier 'nothing'\n"));
  EXPECT_THAT(bad.log, HasSubstr("1 error generated.\n"));
  const char* warned = "#warning careful\nkernel void k() {}\n";
  EXPECT_THAT(build_opencl(target(), warned, "").log, HasSubstr("warning: careful"));
  EXPECT_EQ(build_opencl(target(), warned, "-w").log, "");
  EXPECT_EQ(build_opencl(target(), warned, "-Werror").status, OpenClStatus::failed);
  const OpenClResult missing = build_opencl(target(), "void f(void); kernel void k() { f(); }", "");
  EXPECT_EQ(missing.status, OpenClStatus::failed);
  EXPECT_THAT(missing.log, HasSubstr("undefined reference to 'f'"));
}

TEST(OpenCl, KnowsThePragmasOfExtensionsThatTheDeviceShows) {
  OpenClTarget shows = target();
  shows.extensions.emplace_back("cl_nv_pragma_unroll");
  const auto log = [&](const char* name) {
    const OpenClResult built = build_opencl(
        shows, "#pragma OPENCL EXTENSION " + std::string(name) + " : enable\nkernel void k() {}", "");
    EXPECT_TRUE(built.ok()) << built.log;
    return built.log;
  };
  EXPECT_EQ(log("cl_nv_pragma_unroll"), "");
  EXPECT_THAT(log("cl_nv_pragma_roll"), HasSubstr("'cl_nv_pragma_roll' unknown"));
}

TEST(OpenCl, NamesTheOptionThatIsWrong) {
  const auto log = [](const char* options) {
    const OpenClResult result = build_opencl(target(), "kernel void k() {}", options);
    EXPECT_EQ(result.status, OpenClStatus::invalid_options) << options;
    return result.log;
  };
  EXPECT_THAT(log("-D A=1 --make-coffee"), HasSubstr("unknown build option '--make-coffee'"));
  EXPECT_THAT(log("-cl-std=CL9.9"), HasSubstr("'CL9.9' is none of CL1.0"));
  EXPECT_THAT(log("-D"), HasSubstr("'-D' needs a value"));
  EXPECT_THAT(log("-cl-nv-maxrregcount=many"), HasSubstr("'many' is no number"));
  EXPECT_THAT(log("-cl-nv-opt-level 7"), HasSubstr("at most 3"));
  EXPECT_THAT(log("-D \"A=1"), HasSubstr("a quote"));
}

TEST(OpenCl, TakesWhatOptionsSay) {
  const OpenClResult built = build_opencl(
      target(), "#include NAME\nkernel void k(global float* a) { *a = TEXT[0] + VALUE + B / 3.0; }",
      "-DVALUE=2 -D B=3 -D \"TEXT=\\\"x y\\\"\" -D NAME=\\\"/dev/null\\\" -cl-nv-maxrregcount 32 "
      "-cl-nv-verbose "
      "-cl-std=CL2.0 -cl-mad-enable -cl-fast-relaxed-math -cl-denorms-are-zero -cl-kernel-arg-info -g -I "
      "/nowhere");
  ASSERT_TRUE(built.ok()) << built.log;
  EXPECT_TRUE(built.settings.verbose);
  EXPECT_EQ(built.settings.most_registers, 32U);
  EXPECT_THAT(built.ptx, HasSubstr(".maxnreg 32"));
  EXPECT_EQ(built.kernels.at(0).arguments.at(0).name, "a");
  EXPECT_THAT(
      build_opencl(target(), "kernel void k(global float* a) { *a *= 3.0f; }", "-cl-denorms-are-zero").ptx,
      HasSubstr(".ftz.f32"));
}

TEST(OpenCl, TellsImagesFromTypesOfTheProgramWhoseNamesBeginLikeTheirs) {
  const OpenClResult built = build_opencl(target(),
                                          "typedef struct { int width; } image_data;\n"
                                          "typedef image1d_t picture;\n"
                                          "kernel void k(picture p, global image_data* d, image_data v) {\n"
                                          "  d->width = get_image_width(p) + v.width;\n}",
                                          "");
  ASSERT_TRUE(built.ok()) << built.log;
  const auto& a = built.kernels.at(0).arguments;
  EXPECT_EQ(a.at(0).kind, OpenClKind::image);
  EXPECT_EQ(a.at(0).image, "image1d_t");
  EXPECT_EQ(a.at(1).kind, OpenClKind::pointer);
  EXPECT_EQ(a.at(2).kind, OpenClKind::value);
}

TEST(OpenCl, DescribesKernels) {
  const OpenClResult built =
      build_opencl(target(),
                   "typedef struct { int a; double b; } pair;\n"
                   "kernel __attribute__((reqd_work_group_size(8, 4, 1))) "
                   "__attribute__((vec_type_hint(uint2))) void k(char c, pair p, "
                   "const global volatile uint* restrict g, read_only image2d_array_t i, sampler_t s,"
                   " local double2* l, float3 v) {}",
                   "-cl-kernel-arg-info");
  ASSERT_TRUE(built.ok()) << built.log;
  ASSERT_EQ(built.kernels.size(), 1U);
  const OpenClKernel& kernel = built.kernels[0];
  EXPECT_EQ(kernel.required_group, (std::array<uint32_t, 3>{8, 4, 1}));
  EXPECT_EQ(kernel.attributes, "vec_type_hint(uint2) reqd_work_group_size(8,4,1)");
  EXPECT_THAT(built.ptx, HasSubstr(".reqntid 8, 4, 1"));
  ASSERT_EQ(kernel.arguments.size(), 7U);
  const auto& a = kernel.arguments;
  EXPECT_EQ(a[0].size, 1U);
  EXPECT_EQ(a[1].size, 16U);
  EXPECT_EQ(a[1].offset, 8U);
  EXPECT_EQ(a[2].type_name, "uint*");
  EXPECT_TRUE(a[2].is_const && a[2].is_volatile && a[2].is_restrict);
  EXPECT_EQ(a[2].address, OpenClAddress::global);
  EXPECT_EQ(a[3].kind, OpenClKind::image);
  EXPECT_EQ(a[3].image, "image2d_array_t");
  EXPECT_EQ(a[3].access, OpenClAccess::read_only);
  EXPECT_EQ(a[4].kind, OpenClKind::sampler);
  EXPECT_EQ(a[5].kind, OpenClKind::local);
  EXPECT_EQ(a[5].alignment, 16U);
  EXPECT_EQ(a[6].size, 16U);
  EXPECT_EQ(a[6].offset, 64U);
  const auto again = kernels_of(built.ptx);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->at(0).attributes, kernel.attributes);
  EXPECT_EQ(again->at(0).arguments.at(3).image, "image2d_array_t");
  EXPECT_EQ(again->at(0).arguments.at(6).offset, a[6].offset);
  EXPECT_EQ(again->at(0).arguments.at(2).name, "g");
  EXPECT_FALSE(kernels_of(built.ptx.substr(0, built.ptx.size() - 30)).ok());
  EXPECT_FALSE(kernels_of(".version 8.0").ok());
}

TEST(OpenCl, CompilesAndLinksApart) {
  const OpenClHeader header{"deep/twice.h", "int twice(int);\n"};
  const OpenClResult uses =
      compile_opencl(target(), "#include \"deep/twice.h\"\nkernel void k(global int* a) { *a = twice(*a); }",
                     {&header, 1}, "");
  ASSERT_TRUE(uses.ok()) << uses.log;
  const OpenClResult gives = compile_opencl(target(), "int twice(int x) { return 2 * x; }", {}, "");
  ASSERT_TRUE(gives.ok()) << gives.log;
  const OpenClResult library = link_opencl(target(), std::array{gives.object}, "-create-library");
  ASSERT_TRUE(library.ok()) << library.log;
  const OpenClResult program = link_opencl(target(), std::array{uses.object, library.object}, "");
  ASSERT_TRUE(program.ok()) << program.log;
  EXPECT_THAT(program.ptx, HasSubstr(".entry k("));
  EXPECT_EQ(program.kernels.size(), 1U);
  EXPECT_THAT(link_opencl(target(), std::array{uses.object}, "").log,
              HasSubstr("undefined reference to 'twice'"));
  EXPECT_THAT(link_opencl(target(), std::array{gives.object, gives.object}, "").log,
              HasSubstr("in two objects"));
  EXPECT_THAT(link_opencl(target(), std::array{std::string("junk")}, "").log, HasSubstr("damaged"));
}

TEST(OpenCl, RefusesRecursionAndNamesItsCycle) {
  const auto log = [](const char* source) {
    const OpenClResult result = build_opencl(target(), source, "");
    EXPECT_EQ(result.status, OpenClStatus::failed) << source;
    return result.log;
  };
  EXPECT_THAT(
      log("int f(int n) { return n < 2 ? 1 : n * f(n - 1); }\nkernel void k(global int* a) { *a = f(3); }"),
      HasSubstr("<kernel>:1:39: error: recursion is not supported in OpenCL C: 'f' calls itself\n"));
  const std::string circle =
      log("int g(int);\nint f(int n) { return g(n - 1); }\nint g(int n) {\n  return f(n);\n}\n");
  EXPECT_THAT(circle,
              HasSubstr("<kernel>:2:23: error: recursion is not supported in OpenCL C: 'f' calls 'g', "
                        "which calls 'f'\n"));
  EXPECT_THAT(circle, HasSubstr("<kernel>:4:10: note: 'g' calls 'f' here\n"));
  EXPECT_THAT(circle, HasSubstr("1 error generated.\n"));
  EXPECT_THAT(log("kernel void k(global int* a) { if (*a) k(a); }"), HasSubstr("'k' calls itself"));
  // What is not executed, what is of another type, and two ways to one function are no recursion.
  EXPECT_TRUE(build_opencl(target(),
                           "int once(int n) { return n; }\n"
                           "int left(int n) { return once(n); }\n"
                           "int right(int n) { return once(n) + sizeof(right(n)); }\n"
                           "int __attribute__((overloadable)) o(float x) { return 1; }\n"
                           "int __attribute__((overloadable)) o(int x) { return o(1.0f); }\n"
                           "kernel void k(global int* a) { *a = left(1) + right(2) + o(3); }",
                           "")
                  .ok());
}

TEST(OpenCl, RefusesRecursionOfSeveralObjects) {
  const OpenClResult here =
      compile_opencl(target(), "int there(int);\nint here(int n) { return n ? there(n - 1) : 0; }", {}, "");
  const OpenClResult there = compile_opencl(target(),
                                            "int here(int);\nint there(int n) { return here(n); }\nkernel "
                                            "void k(global int* a) { *a = there(*a); }",
                                            {}, "");
  ASSERT_TRUE(here.ok() && there.ok()) << here.log << there.log;
  const OpenClResult program = link_opencl(target(), std::array{here.object, there.object}, "");
  EXPECT_EQ(program.status, OpenClStatus::failed);
  EXPECT_THAT(program.log, HasSubstr("recursion is not supported in OpenCL C: '"));
  EXPECT_THAT(program.log, HasSubstr("'there', which calls 'here'"));
}

// clang 19 itself looks for the end of such a structure for ever.
TEST(OpenCl, RefusesStructuresThatHaveThemselvesAsMembers) {
  const OpenClResult c = build_opencl(
      target(),
      "struct S { struct S s; int x; };\nstruct T { struct S s[2]; };\nkernel void k(struct T t) {}", "");
  EXPECT_EQ(c.status, OpenClStatus::failed);
  EXPECT_THAT(c.log, HasSubstr("<kernel>:1:21: error: field has incomplete type"));
  const OpenClResult cpp =
      build_opencl(target(), "struct S { S s; };\nkernel void k(struct S s) {}", "-cl-std=CLC++");
  EXPECT_EQ(cpp.status, OpenClStatus::failed);
  EXPECT_THAT(cpp.log, HasSubstr("error: field has incomplete type 'S'"));
}

TEST(OpenCl, RefusesSamplersWithoutAConstantValue) {
  const auto log = [](const char* body) {
    return build_opencl(target(), std::string("kernel void k(int n) { ") + body + " }", "").log;
  };
  EXPECT_THAT(log("const sampler_t s = n;"),
              HasSubstr("error: initializer element is not a compile-time constant"));
  EXPECT_THAT(log("sampler_t s;"), HasSubstr("error: sampler 's' must be initialized"));
  EXPECT_EQ(log("const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST;"), "");
}

// LLVM's fatal errors and crashes are failures of the program that brought them about.
TEST(OpenCl, SurvivesWhatTheCompilerDoesNot) {
  const OpenClResult built = build_opencl(
      target(), "kernel void k(global int* a) { asm volatile(\"mov.u32 %0, 5;\" : \"=m\"(*a)); }", "");
  EXPECT_EQ(built.status, OpenClStatus::failed);
  EXPECT_THAT(built.log, HasSubstr("error: "));
  EXPECT_EQ(built.ptx, "");
  // An error of LLVM's that is not fatal, and a remark that is none of the program's business.
  const OpenClResult operand = build_opencl(
      target(), "kernel void k(global int* a) { asm(\"mov.u32 %0, %1;\" :: \"r\"(5), \"n\"(a[0])); }", "");
  EXPECT_EQ(operand.status, OpenClStatus::failed);
  EXPECT_THAT(operand.log, HasSubstr("error: constraint 'n' expects an integer constant expression"));
  EXPECT_EQ(operand.ptx, "");
  const OpenClResult loop = build_opencl(target(),
                                         "kernel void k(global float* a) {\n#pragma unroll 4\n"
                                         "  for (int i = 0; i < a[1]; ++i) { a[i] = i; barrier(1); }\n}",
                                         "");
  EXPECT_TRUE(loop.ok());
  EXPECT_EQ(loop.log, "");
  EXPECT_TRUE(build_opencl(target(), "kernel void k() {}", "").ok());
}

TEST(OpenCl, TakesInlinePtxAndNoHeadersOfTheHost) {
  const OpenClResult built = build_opencl(
      target(),
      "kernel void k(global int* a) { int l; asm volatile(\"mov.u32 %0, %%laneid;\" : \"=r\"(l)); *a = l; }",
      "");
  ASSERT_TRUE(built.ok()) << built.log;
  EXPECT_THAT(built.ptx, HasSubstr("%laneid"));
  EXPECT_THAT(build_opencl(target(), "#include <stdio.h>\nkernel void k() {}", "").log,
              HasSubstr("'stdio.h' file not found"));
}

TEST(OpenCl, KernelsMayCallKernels) {
  const OpenClResult built = build_opencl(
      target(),
      "kernel void inner(global int* a) { a[1] = 7; }\nkernel void outer(global int* a) { inner(a); }", "");
  ASSERT_TRUE(built.ok()) << built.log;
  EXPECT_EQ(built.kernels.size(), 2U);
}

TEST(Mangled, ReadsNames) {
  using opencl::Element;
  const auto name =
      opencl::read_mangled("_Z25atomic_fetch_add_explicitPU3AS1VU7_Atomicii12memory_order12memory_scope");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->name, "atomic_fetch_add_explicit");
  ASSERT_EQ(name->parameters.size(), 4U);
  EXPECT_TRUE(name->parameters[0].pointer && name->parameters[0].is_atomic);
  EXPECT_EQ(name->parameters[0].space, 1U);
  EXPECT_EQ(name->parameters[0].element, Element::i32);
  EXPECT_EQ(name->parameters[3].other, "memory_scope");
  const auto fract = opencl::read_mangled("_Z5fractDv4_fPU3AS3S_");
  ASSERT_TRUE(fract);
  EXPECT_EQ(fract->parameters[1].width, 4U);
  EXPECT_EQ(fract->parameters[1].space, 3U);
  for (const char* bad :
       {"", "_Z", "_Z0", "_Z999x", "_Z1fS_", "_Z1fDv1_f", "_Z1fPPf", "_Z1fDv", "_Z1fPU", "sin"})
    EXPECT_FALSE(opencl::read_mangled(bad)) << bad;
}

}  // namespace
}  // namespace heddle::frontend
