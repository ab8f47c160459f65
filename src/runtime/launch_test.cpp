#include "runtime/launch.h"

#include <array>
#include <thread>

#include "runtime/testing.h"

namespace heddle::runtime {
namespace {

using testing::HasSubstr;

// What a launch of kernel "k" says.
struct Launches : testing::Test {
  TestSystem test{{.scripted = true}};

  static std::string text(std::string_view directives, std::string_view body = "",
                          std::string_view target = "sm_90") {
    return ".version 8.0\n.target " + std::string(target) +
           "\n.address_size 64\n.visible .entry k(.param .u64 p)\n" + std::string(directives) + "\n{\n" +
           std::string(body) + "\n ret;\n}\n";
  }
  static std::string answer(TestSystem& system, const std::string& program, LaunchRequest request,
                            void (*change)(Kernel&) = nullptr) {
    const auto module = system.load(program);
    if (module == nullptr) return "not loaded";
    const uint64_t argument = 0;
    request.kernel = *module->kernel("k");
    if (change != nullptr) change(*request.kernel);
    if (request.params.empty()) request.params = std::as_bytes(std::span(&argument, 1));
    const Done done = launch(*system.context->default_stream(), request);
    EXPECT_DONE(system.context->check());  // a refused launch is not sticky
    return said(done);
  }
};

TEST_F(Launches, AreHeldToTheDevicesLimits) {
  const std::string plain = text("");
  EXPECT_EQ(answer(test, plain, {.grid = {1000}, .block = {1024}}), "ok");
  EXPECT_EQ(answer(test, plain, {.block = {1025}}),
            "block of 'k' has 1025 threads in x, device 'h200' (sm_90) allows 1024");
  EXPECT_EQ(answer(test, plain, {.block = {32, 32, 2}}),
            "block of 'k' is 2048 threads, device 'h200' (sm_90) allows 1024");
  EXPECT_EQ(answer(test, plain, {.block = {1, 1, 65}}),
            "block of 'k' has 65 threads in z, device 'h200' (sm_90) allows 64");
  EXPECT_EQ(answer(test, plain, {.grid = {1, 65536}}),
            "grid of 'k' has 65536 blocks in y, device 'h200' (sm_90) allows 65535");
  EXPECT_NE(answer(test, plain, {.grid = {0}}), "ok");
  EXPECT_NE(answer(test, plain, {.block = {0}}), "ok");
  EXPECT_EQ(answer(test, plain, {.dynamic_shared = 49153}),
            "shared memory of 'k' is 49153 bytes, device 'h200' (sm_90) allows 49152");
  EXPECT_EQ(answer(test, plain, {.dynamic_shared = 100'000},
                   [](Kernel& kernel) { EXPECT_TRUE(kernel.set_max_dynamic_shared(100'000)); }),
            "ok");
  EXPECT_EQ(
      answer(test, plain, {}, [](Kernel& kernel) { EXPECT_FALSE(kernel.set_max_dynamic_shared(232'449)); }),
      "ok");
}

TEST_F(Launches, ErrorsNameTheLimit) {
  const auto module = test.load(text(""));
  LaunchRequest request;
  request.kernel = *module->kernel("k");
  request.block = {2000};
  const uint64_t argument = 0;
  request.params = std::as_bytes(std::span(&argument, 1));
  const Done done = launch(*test.context->default_stream(), request);
  EXPECT_EQ(code(done), ErrorCode::launch_limit);
  EXPECT_EQ(done.error().limit, arch::Limit::block_dim);
}

TEST_F(Launches, AreHeldToWhatTheKernelSays) {
  EXPECT_EQ(answer(test, text(".maxntid 128, 1, 1"), {.block = {129}}),
            "block of 'k' is 129 threads, the kernel is compiled for at most 128");
  EXPECT_EQ(answer(test, text(".reqntid 64, 2, 1"), {.block = {128}}),
            "block of 'k' is (128,1,1) threads, the kernel is compiled for (64,2,1)");
  EXPECT_EQ(answer(test, text(".reqntid 64, 2, 1"), {.block = {64, 2}}), "ok");
  EXPECT_EQ(answer(test, text(".reqnctapercluster 2, 1, 1"), {.grid = {3}}),
            "grid of 'k' has 3 blocks in x, its clusters have 2: no whole number of clusters");
  EXPECT_EQ(answer(test, text(".reqnctapercluster 2, 1, 1"), {.grid = {4}}), "ok");
  EXPECT_EQ(answer(test, text(".reqnctapercluster 2, 1, 1"), {.grid = {4}, .cluster = exec::Dim3{4}}),
            "cluster of 'k' is (4,1,1), the kernel is compiled for (2,1,1)");
}

TEST_F(Launches, ClustersAreHeldToTheDevice) {
  EXPECT_EQ(answer(test, text(""), {.grid = {16}, .cluster = exec::Dim3{8}}), "ok");
  EXPECT_THAT(answer(test, text(""), {.grid = {16}, .cluster = exec::Dim3{16}}), HasSubstr("allows 8"));
  EXPECT_EQ(answer(test, text(""), {.grid = {16}, .cluster = exec::Dim3{16}},
                   [](Kernel& kernel) { kernel.large_cluster_allowed = true; }),
            "ok");
  TestSystem old({.devices = {"k40"}, .scripted = true});
  EXPECT_THAT(answer(old, text("", "", "sm_35"), {.grid = {2}, .cluster = exec::Dim3{2}}),
              HasSubstr("device 'k40' (sm_35) has no clusters"));
}

TEST_F(Launches, ACooperativeGridMustFit) {
  // 2048 threads of a multiprocessor, 132 of them.
  EXPECT_EQ(answer(test, text(""), {.grid = {264}, .block = {1024}, .cooperative = true}), "ok");
  EXPECT_EQ(answer(test, text(""), {.grid = {265}, .block = {1024}, .cooperative = true}),
            "cooperative grid of 'k' is 265 blocks, device 'h200' (sm_90) holds 264 at once");
  TestSystem old({.devices = {"k40"}, .scripted = true});
  EXPECT_THAT(answer(old, text("", "", "sm_35"), {.cooperative = true}),
              HasSubstr("has no cooperative launches"));
}

TEST_F(Launches, ParametersAreCopied) {
  uint64_t seen = 0;
  Gate go;
  (*test.kernels)["k"] = [&](const exec::Launch& launch) -> Report {
    go.wait();
    std::memcpy(&seen, launch.params.data(), 8);
    return exec::LaunchReport{};
  };
  const auto module = test.load(text(""));
  uint64_t argument = 42;
  LaunchRequest request;
  request.kernel = *module->kernel("k");
  request.params = std::as_bytes(std::span(&argument, 1));
  ASSERT_DONE(launch(*test.context->default_stream(), request));
  argument = 0;
  go.open();
  EXPECT_DONE(test.context->synchronize());
  EXPECT_EQ(seen, 42u);
  request.params = {};
  EXPECT_EQ(said(launch(*test.context->default_stream(), request)),
            "the arguments of 'k' are 0 bytes, the kernel takes 8");
  const void* pointers[] = {&argument};
  EXPECT_EQ(pack_parameters(*request.kernel, pointers)->size(), 8u);
  const void* const missing[] = {nullptr};
  EXPECT_EQ(said(pack_parameters(*request.kernel, missing)), "argument 0 of 'k' is null");
  EXPECT_EQ(code(pack_parameters(*request.kernel, nullptr)), ErrorCode::invalid_value);
}

TEST_F(Launches, AreRefusedForStrangersAndForUnloadedModules) {
  const auto other = test.make_context();
  const auto module = test.load(text(""));
  EXPECT_EQ(code(start(*other->default_stream(), *module, "k")), ErrorCode::invalid_handle);
  EXPECT_DONE(module->unload());
  EXPECT_EQ(code(start(*test.context->default_stream(), *module, "k")), ErrorCode::invalid_handle);
  EXPECT_EQ(code(module->unload()), ErrorCode::invalid_handle);
  const LaunchRequest nothing;
  EXPECT_EQ(code(launch(*test.context->default_stream(), nothing)), ErrorCode::invalid_handle);
}

TEST_F(Launches, AFaultEndsItsContextAndNoOther) {
  TestSystem two({.devices = {"h200", "h200"}, .scripted = true});
  const auto other = two.make_context(1);
  const auto module = two.load(text("")), there = two.load(text(""), other.get());
  (*two.kernels)["k"] = [&](const exec::Launch& launch) -> Report {
    if (launch.memory == &other->guest_memory()) return exec::LaunchReport{};
    exec::Fault fault;
    fault.kind = exec::FaultKind::trap;
    fault.kernel = "k";
    return fault;
  };
  const auto stream = two.stream();
  Event event(two.context);
  std::vector<std::string> states;
  ASSERT_DONE(start(*stream, *module, "k"));
  (void)stream->host_callback(
      [&](const Done& state) { states.push_back(state ? "ok" : name(state.error().fault->kind)); });
  const Done first = stream->synchronize();
  ASSERT_EQ(code(first), ErrorCode::fault);
  EXPECT_EQ(first.error().fault->kind, exec::FaultKind::trap);
  // Everything that follows says the same.
  EXPECT_EQ(code(two.context->synchronize()), ErrorCode::fault);
  EXPECT_EQ(code(two.context->allocate(MemoryKind::device, 16)), ErrorCode::fault);
  EXPECT_EQ(code(start(*stream, *module, "k")), ErrorCode::fault);
  EXPECT_EQ(code(stream->query()), ErrorCode::fault);
  EXPECT_EQ(code(event.record(*stream)), ErrorCode::fault);
  EXPECT_EQ(code(two.context->create_stream({})), ErrorCode::fault);
  EXPECT_EQ(code(module->unload()), ErrorCode::fault);
  EXPECT_EQ(code(two.context->set_limit(ContextLimit::stack_bytes, 2048)), ErrorCode::fault);
  for (const std::string& state : states) EXPECT_EQ(state, "trap");
  // The other device goes on.
  EXPECT_DONE(start(*other->default_stream(), *there, "k"));
  EXPECT_DONE(other->synchronize());
}

TEST_F(Launches, AFaultEndsOtherKernelsOfItsContext) {
  const auto module = test.load(empty_kernels({"endless", "faulty"}, "sm_90"));
  std::atomic<bool> runs{false};
  (*test.kernels)["endless"] = [&](const exec::Launch& launch) -> Report {
    runs = true;
    while (!launch.cancel->load()) std::this_thread::yield();
    exec::Fault fault;
    fault.kind = exec::FaultKind::cancelled;
    return fault;
  };
  (*test.kernels)["faulty"] = [&](const exec::Launch&) -> Report {
    while (!runs) std::this_thread::yield();
    exec::Fault fault;
    fault.kind = exec::FaultKind::misaligned_address;
    return fault;
  };
  const auto first = test.stream(), second = test.stream();
  ASSERT_DONE(start(*first, *module, "endless"));
  ASSERT_DONE(start(*second, *module, "faulty"));
  const Done state = test.context->synchronize();
  ASSERT_FALSE(state.ok());
  EXPECT_EQ(state.error().fault->kind, exec::FaultKind::misaligned_address);
}

TEST_F(Launches, HaveTheContextsLimits) {
  exec::Launch seen;
  (*test.kernels)["k"] = [&](const exec::Launch& launch) -> Report {
    seen = launch;
    return exec::LaunchReport{};
  };
  const auto module = test.load(text("", ".local .align 8 .b8 room[4096];"));
  EXPECT_EQ(*test.context->limit(ContextLimit::stack_bytes), 1024u);
  ASSERT_DONE(test.context->set_limit(ContextLimit::stack_bytes, 8192));
  ASSERT_DONE(start(*test.context->default_stream(), *module, "k"));
  ASSERT_DONE(test.context->synchronize());
  // Of the stack three times as much: frames of PTX hold what a device has in registers.
  EXPECT_GE(seen.local_bytes, 4096u + 3 * 8192u);
  EXPECT_LT(seen.local_bytes, 4096u + 3 * 8192u + 1024u);
  EXPECT_FALSE(seen.deadline.has_value());
  EXPECT_EQ(seen.device->id, "h200");
  EXPECT_EQ(code(test.context->set_limit(ContextLimit::stack_bytes, uint64_t{1} << 40)),
            ErrorCode::invalid_value);
  ASSERT_DONE(test.context->set_limit(ContextLimit::printf_bytes, 4096));
  EXPECT_EQ(*test.context->limit(ContextLimit::printf_bytes), 4096u);
  ASSERT_DONE(test.context->set_limit(ContextLimit::heap_bytes, 1 << 20));
  EXPECT_NE(test.context->services().allocate(100), 0u);
  EXPECT_EQ(code(test.context->set_limit(ContextLimit::heap_bytes, 1 << 22)), ErrorCode::busy);
}

TEST_F(Launches, TheStackOfADeepChainOfCallsIsKnown) {
  const auto module = test.load(R"(.version 8.0
.target sm_90
.address_size 64
.func leaf() { .local .align 4 .b8 room[1000]; ret; }
.func middle() { .local .align 4 .b8 room[100]; call leaf; ret; }
.func again() { .local .align 4 .b8 room[64]; call again; ret; }
.visible .entry k(.param .u64 p) { .local .align 4 .b8 room[10]; call middle; ret; }
.visible .entry r(.param .u64 p) { call again; ret; }
)");
  ASSERT_NE(module, nullptr);
  const uint64_t chain = (*module->kernel("k"))->needs().local_bytes;
  EXPECT_GE(chain, 1110u);
  EXPECT_LT(chain, 1200u);
  EXPECT_LT((*module->kernel("r"))->needs().local_bytes, 128u);
}

// CUDA C Programming Guide G.1: 512 KB a thread, to the byte.
TEST_F(Launches, MayHaveAllLocalMemoryOfAThread) {
  EXPECT_EQ(answer(test, text("", ".local .align 4 .b8 room[524288];"), {}), "ok");
  EXPECT_NE(answer(test, text("", ".local .align 4 .b8 room[524292];"), {}), "ok");
}

// PTX ISA 10.29: "initialized by the driver prior to kernel launch".
struct Environments : testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Executors, Environments, testing::Bool());
TEST_P(Environments, AreWhatTheLaunchSays) {
  TestSystem test{{.reference = GetParam()}};
  const auto module = test.load(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
      " .reg .b64 %rd<4>; .reg .b32 %r<8>;\n ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x;\n"
      " mul.wide.u32 %rd2, %r1, 16; add.u64 %rd1, %rd1, %rd2;\n"
      " mov.b32 %r2, %envreg0; mov.b32 %r3, %envreg2; mov.b32 %r4, %envreg5; mov.b32 %r5, %envreg31;\n"
      " st.global.v4.b32 [%rd1], {%r2, %r3, %r4, %r5};\n ret;\n}\n");
  ASSERT_NE(module, nullptr);
  const AllocationRef memory = *test.context->allocate(MemoryKind::device, 64 * 16);
  std::array<uint32_t, 6> environment{10, 11, 12, 13, 14, 15};
  const uint64_t argument = memory->address;
  LaunchRequest request{.kernel = *module->kernel("k"),
                        .block = {64},
                        .params = std::as_bytes(std::span(&argument, 1)),
                        .environment = environment};
  ASSERT_DONE(launch(*test.context->default_stream(), request));
  environment[0] = 99;  // it was copied
  ASSERT_DONE(test.context->default_stream()->synchronize());
  const auto* seen = reinterpret_cast<const std::array<uint32_t, 4>*>(memory->address);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(seen[i], (std::array<uint32_t, 4>{10, 12, 15, 0})) << i;
}

}  // namespace
}  // namespace heddle::runtime
