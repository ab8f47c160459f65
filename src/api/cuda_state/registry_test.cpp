#include "api/cuda_state/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/cuda_state/testing.h"

namespace heddle::cuda {
namespace {

using testing::HasSubstr;

constexpr const char* program_text = R"(
.version 8.0
.target sm_50
.address_size 64
.visible .global .align 4 .u32 counter = 7;
.visible .global .align 4 .b8 table[16] = {1, 2, 3};
.visible .entry count(.param .u64 out) {
  .reg .u32 %r<2>;
  .reg .u64 %d<2>;
  ld.param.u64 %d0, [out];
  ld.global.u32 %r0, [counter];
  add.u32 %r1, %r0, 1;
  st.global.u32 [counter], %r1;
  st.global.u32 [%d0], %r1;
  ret;
}
)";

const char stub = 0, other_stub = 0;
char shadow = 0;

Status run(const ContextRef& context, const void* which, uint64_t out) {
  auto function = Process::get().registry().function(context, which);
  if (!function) return function.error();
  runtime::LaunchRequest request;
  request.kernel = &(*function)->kernel();
  request.params = std::as_bytes(std::span(&out, 1));
  if (Status launched = launch(*context->legacy_stream(), **function, request); !launched) return launched;
  return context->synchronize();
}

TEST(Registry, FindsKernelsAndVariablesByTheirHostSymbols) {
  const TestProcess test;
  Registry& registry = test.process().registry();
  const TestProgram program(program_text);
  void** handle = registry.add_program(program.wrapper());
  registry.add_kernel(handle, &stub, "count");
  registry.add_variable(handle, &shadow, "counter", 4);
  registry.complete(handle);
  const ContextRef context = *runtime_context();
  const auto variable = registry.variable(context, &shadow);
  ASSERT_TRUE(variable.ok()) << said(variable);
  EXPECT_EQ(variable->bytes, 4U);
  auto memory = context->runtime()->allocate(runtime::MemoryKind::device, 4);
  for (const uint32_t expected : {8U, 9U}) {
    const Status ran = run(context, &stub, (*memory)->address);
    ASSERT_TRUE(ran.ok()) << said(ran);
    EXPECT_EQ(*runtime::pointer<uint32_t>((*memory)->address), expected);
    EXPECT_EQ(*runtime::pointer<uint32_t>(variable->address), expected);
  }
  EXPECT_EQ(code(run(context, &other_stub, 0)), Code::invalid_device_function);
  EXPECT_EQ(code(registry.variable(context, &stub)), Code::invalid_symbol);
}

TEST(Registry, AResetLoadsProgramsAgain) {
  const TestProcess test;
  Registry& registry = test.process().registry();
  const TestProgram program(program_text);
  void** handle = registry.add_program(program.wrapper());
  registry.add_kernel(handle, &stub, "count");
  registry.complete(handle);
  for (int round = 0; round < 2; ++round) {
    const ContextRef context = *runtime_context();
    auto memory = context->runtime()->allocate(runtime::MemoryKind::device, 4);
    const Status ran = run(context, &stub, (*memory)->address);
    ASSERT_TRUE(ran.ok()) << said(ran);
    EXPECT_EQ(*runtime::pointer<uint32_t>((*memory)->address), 8U) << "variables begin anew";
    ASSERT_TRUE((*test.process().device(0))->reset_primary().ok());
    EXPECT_EQ(code(context->check()), Code::context_is_destroyed);
  }
}

TEST(Registry, UnregisteredSymbolsMeanNothing) {
  const TestProcess test;
  Registry& registry = test.process().registry();
  const TestProgram program(program_text);
  void** handle = registry.add_program(program.wrapper());
  registry.add_kernel(handle, &stub, "count");
  registry.complete(handle);
  const ContextRef context = *runtime_context();
  ASSERT_TRUE(registry.function(context, &stub).ok());
  registry.remove(handle);
  EXPECT_EQ(code(registry.function(context, &stub)), Code::invalid_device_function);
  registry.remove(handle);  // twice: nothing happens
}

TEST(Registry, SaysWhyAProgramDoesNotRun) {
  const TestProcess test({"gtx480"});
  Registry& registry = test.process().registry();
  const TestProgram too_new(program_text, 50), no_text("this is no PTX", 20);
  void** handle = registry.add_program(too_new.wrapper());
  registry.add_kernel(handle, &stub, "count");
  void** broken = registry.add_program(no_text.wrapper());
  registry.add_kernel(broken, &other_stub, "count");
  const ContextRef context = *runtime_context();
  const auto first = registry.function(context, &stub);
  EXPECT_EQ(code(first), Code::no_binary_for_device);
  EXPECT_THAT(said(first), HasSubstr("rebuild with -gencode arch=compute_20,code=compute_20"));
  EXPECT_EQ(code(registry.function(context, &other_stub)), Code::invalid_ptx);
}

TEST(Registry, ManagedVariablesLieWhereTheHostHasThem) {
  const TestProcess test;
  Registry& registry = test.process().registry();
  const TestProgram program(program_text);
  alignas(4) static uint32_t section[2];
  section[0] = 99;
  registry.add_managed_range(section, section + 2);
  void** handle = registry.add_program(program.wrapper());
  registry.add_kernel(handle, &stub, "count");
  registry.add_variable(handle, section, "counter", 4);
  registry.add_variable(handle, &shadow, "table", 16);
  registry.complete(handle);
  EXPECT_EQ(section[0], 7U) << "the program's initial value";
  section[0] = 20;
  const ContextRef context = *runtime_context();
  const auto variable = registry.variable(context, section);
  ASSERT_TRUE(variable.ok()) << said(variable);
  EXPECT_EQ(variable->address, reinterpret_cast<uint64_t>(section));
  EXPECT_NE(registry.variable(context, &shadow)->address, reinterpret_cast<uint64_t>(&shadow));
  ASSERT_TRUE(run(context, &stub, reinterpret_cast<uint64_t>(section)).ok());
  EXPECT_EQ(section[0], 21U);
  registry.remove(handle);
}

TEST(Registry, ManagedVariablesBehindPointers) {
  const TestProcess test;
  Registry& registry = test.process().registry();
  const TestProgram program(program_text);
  void** handle = registry.add_program(program.wrapper());
  void* pointer = nullptr;
  registry.add_kernel(handle, &stub, "count");
  registry.add_managed_pointer(handle, &pointer, "counter", 4);
  registry.complete(handle);
  ASSERT_NE(pointer, nullptr);
  EXPECT_EQ(*static_cast<uint32_t*>(pointer), 7U);
  const ContextRef context = *runtime_context();
  ASSERT_TRUE(run(context, &stub, reinterpret_cast<uint64_t>(pointer)).ok());
  EXPECT_EQ(*static_cast<uint32_t*>(pointer), 8U);
  registry.remove(handle);
}

// In a section of this test's executable, as programs that clang compiles have them.
[[gnu::section("heddle_managed"), gnu::used]] uint32_t in_the_section = 5;

TEST(Registry, FindsTheSectionOfManagedVariables) {
  const TestProcess test;
  Registry& registry = test.process().registry();
  const TestProgram program(program_text);
  void** handle = registry.add_program(program.wrapper());
  registry.add_variable(handle, &in_the_section, "counter", 4);
  registry.complete(handle);
  EXPECT_EQ(in_the_section, 7U);
  const ContextRef context = *runtime_context();
  EXPECT_EQ(registry.variable(context, &in_the_section)->address,
            reinterpret_cast<uint64_t>(&in_the_section));
  registry.remove(handle);
  EXPECT_FALSE(section_of_file("/dev/null", managed_section));
  EXPECT_FALSE(section_of_file("/proc/self/exe", "no_such_section"));
}

TEST(Registry, UnitsOfALinkedProgramAreOne) {
  const TestProcess test;
  Registry& registry = test.process().registry();
  const TestProgram main_unit(R"(
.version 8.0
.target sm_50
.address_size 64
.extern .func (.param .u32 r) answer();
.visible .entry ask(.param .u64 out) {
  .reg .u32 %r<1>;
  .reg .u64 %d<1>;
  ld.param.u64 %d0, [out];
  { .param .u32 got; call (got), answer; ld.param.u32 %r0, [got]; }
  st.global.u32 [%d0], %r0;
  ret;
}
)"),
      other_unit(R"(
.version 8.0
.target sm_50
.address_size 64
.visible .func (.param .u32 r) answer() { st.param.u32 [r], 42; ret; }
)");
  const void* const units[] = {main_unit.file(), other_unit.file(), nullptr};
  const fatbin::Wrapper linked{fatbin::Wrapper::magic_number, 2, nullptr, units};
  void** handle = registry.add_program(&linked);
  registry.add_kernel(handle, &stub, "ask");
  const ContextRef context = *runtime_context();
  auto memory = context->runtime()->allocate(runtime::MemoryKind::device, 4);
  const Status ran = run(context, &stub, (*memory)->address);
  ASSERT_TRUE(ran.ok()) << said(ran);
  EXPECT_EQ(*runtime::pointer<uint32_t>((*memory)->address), 42U);
}

// NVIDIA's libcudadevrt.a brings machine code into programs that launch from kernels.
TEST(Registry, UnitsWithoutCodeForTheDeviceAreMissedOnlyWhereTheyAreNeeded) {
  const TestProcess test;
  Registry& registry = test.process().registry();
  const TestProgram main_unit(program_text), machine_code(
                                                 "\x7f"
                                                 "ELF",
                                                 90, fatbin::Kind::elf);
  const void* const units[] = {main_unit.file(), machine_code.file(), nullptr};
  const fatbin::Wrapper linked{fatbin::Wrapper::magic_number, 2, nullptr, units};
  void** handle = registry.add_program(&linked);
  registry.add_kernel(handle, &stub, "count");
  registry.add_kernel(handle, &other_stub, "elsewhere");
  registry.add_variable(handle, &shadow, "far", 4);
  const ContextRef context = *runtime_context();
  auto memory = context->runtime()->allocate(runtime::MemoryKind::device, 4);
  const Status ran = run(context, &stub, (*memory)->address);
  ASSERT_TRUE(ran.ok()) << said(ran);
  EXPECT_EQ(*runtime::pointer<uint32_t>((*memory)->address), 8U);
  const auto absent = registry.function(context, &other_stub);
  EXPECT_EQ(code(absent), Code::no_binary_for_device);
  EXPECT_THAT(said(absent), HasSubstr("machine code only"));
  EXPECT_EQ(code(registry.variable(context, &shadow)), Code::no_binary_for_device);
}

// A call into such a unit is what the linker misses; the message says what was left out.
TEST(Registry, ACallIntoAUnitWithoutCodeForTheDeviceIsAnError) {
  const TestProcess test;
  Registry& registry = test.process().registry();
  const TestProgram main_unit(R"(
.version 8.0
.target sm_50
.address_size 64
.extern .func answer();
.visible .entry ask(.param .u64 out) { call answer; ret; }
)"),
      machine_code(
          "\x7f"
          "ELF",
          90, fatbin::Kind::elf);
  const void* const units[] = {main_unit.file(), machine_code.file(), nullptr};
  const fatbin::Wrapper linked{fatbin::Wrapper::magic_number, 2, nullptr, units};
  void** handle = registry.add_program(&linked);
  registry.add_kernel(handle, &stub, "ask");
  const auto absent = registry.function(*runtime_context(), &stub);
  EXPECT_FALSE(absent.ok());
  EXPECT_THAT(said(absent), HasSubstr("answer"));
  EXPECT_THAT(said(absent), HasSubstr("machine code only"));
}

}  // namespace
}  // namespace heddle::cuda
