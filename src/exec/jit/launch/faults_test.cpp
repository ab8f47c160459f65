// Kernels that fault, and kernels that do not end: values for their launch, nothing for anybody else.
#include <chrono>
#include <csignal>
#include <thread>

#include "exec/jit/launch/testing.h"
#include "exec/memory_map.h"

// The kernels here are C++, so ThreadSanitizer's own code runs inside of them, which must not be left
// anywhere.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SANITIZED_KERNELS
#endif
#endif
#if defined(SANITIZED_KERNELS)
#define SKIP_WITH_SANITIZED_KERNELS() GTEST_SKIP() << "ThreadSanitizer is in the kernels"
#else
#define SKIP_WITH_SANITIZED_KERNELS() static_cast<void>(0)
#endif

namespace heddle::exec::jit::testing {
namespace {

using std::chrono::steady_clock;

constexpr const char* text = R"(
.version 8.0
.target sm_80
.address_size 64
.file 1 "k.cu"
.func helper(.param .u64 a)
{
  .reg .b64 %a;
  .reg .f32 %f;
  ld.param.u64 %a, [a];
  st.global.f32 [%a], %f;
  ret;
}
.entry k(.param .u64 a, .param .u64 b)
{
  .reg .b64 %a;
  .reg .f32 %f, %g;
  .reg .b32 %r;
  .loc 1 12 5
  ld.global.v2.f32 {%f, %g}, [%a];
  .loc 1 13 5
  atom.shared.add.u32 %r, [%a], 1;
  ld.f32 %f, [%a];
  add.f32 %g, %f, 0f3f800000;
  .loc 1 15 9
  { .param .u64 p; st.param.u64 [p], %a; call helper, (p); }
  ret;
}
)";

enum : uint32_t { load_site, atomic_site, generic_site, helper_site, call_site, add_site };

std::vector<Site> sites(const module::Image& image) {
  const auto find = [&](const char* function, const char* words) {
    const uint32_t index = image.function_index(function);
    const auto& code = image.functions[index].code;
    for (uint32_t i = 0; i < code.size(); ++i)
      if (module::instruction_text(image, image.functions[index], code[i]).find(words) != std::string::npos)
        return Site{index, i};
    ADD_FAILURE() << words;
    return Site{};
  };
  std::vector<Site> all = {find("k", "ld.global.v2"),   find("k", "atom.shared"), find("k", "ld.f32"),
                           find("helper", "st.global"), find("k", "call"),        find("k", "add.f32")};
  all[helper_site].called_from = call_site;
  return all;
}

// The sites are those of the text, whoever linked it.
std::vector<Site> known_sites() {
  static const World world(text, {});
  return sites(*world.loaded.image);
}

std::unique_ptr<World> make(KernelEntry entry, uint32_t site, const AccessLanes& lanes,
                            unsigned threads = 1) {
  const NativeKernel kernel{.entry = entry,
                            .slot_bytes = 0,
                            .local_bytes = 64,
                            .uses_steps = true,
                            .sites = known_sites(),
                            .lanes = {AccessLanes{}, lanes},
                            .place = {site + 1, 1}};
  return std::make_unique<World>(text, std::map<std::string, NativeKernel>{{"k", kernel}},
                                 Options{.threads = threads});
}

// Faults in block 5, in a group that begins with thread 32.
template <class Body>
void in_block_5(Context* context, uint64_t first, uint64_t blocks, Body&& body) {
  for (uint64_t i = first; i < first + blocks; ++i) {
    set_block(context, i);
    context->first_thread = 32;
    if (i == 5) body();
  }
}

void read_argument(Context* context, uint64_t first, uint64_t blocks) {
  in_block_5(context, first, blocks, [&] { static_cast<void>(*argument<volatile float>(context)); });
}

TEST(faults, an_access_to_nothing_is_a_value_with_everything_that_is_known) {
  auto world = make(read_argument, load_site, AccessLanes::of_one(3));
  const auto data = reinterpret_cast<uintptr_t>(world->pages(1));
  EXPECT_TRUE(world->run("k", {.grid = {3, 3}, .block = {16, 8}}, {data, 0}).ok());
  const Fault fault = world->fault("k", {.grid = {3, 3}, .block = {16, 8}}, {data + 4096, 0});
  EXPECT_EQ(fault.kind, FaultKind::illegal_address);
  EXPECT_EQ(fault.kernel, "k");
  EXPECT_EQ(fault.function, "k");
  EXPECT_EQ(fault.instruction_text, "ld.global.v2.f32 {%f, %g}, [%a]");
  EXPECT_EQ(fault.file, "k.cu");
  EXPECT_EQ(fault.line, 12u);
  EXPECT_EQ(fault.block, (Dim3{2, 1, 0}));
  EXPECT_EQ(fault.thread, (Dim3{3, 2, 0}));
  EXPECT_EQ(fault.warp, 1u);
  EXPECT_EQ(fault.lane, 3u);
  EXPECT_EQ(fault.address, data + 4096);
  EXPECT_EQ(fault.bytes, 8u);
  EXPECT_FALSE(fault.write);
  EXPECT_EQ(fault.space, module::Space::global);
  EXPECT_THAT(fault.detail, ::testing::HasSubstr("no memory that may be read lies at 0x"));
  // And the next launch is as if nothing had been.
  EXPECT_TRUE(world->run("k", {.grid = {3, 3}, .block = {16, 8}}, {data, 0}).ok());
}

TEST(faults, a_place_without_a_lane_claims_none) {
  auto world = make(read_argument, load_site, {});
  const Fault fault = world->fault("k", {.grid = {9}, .block = {64}}, {64, 0});
  EXPECT_EQ(fault.thread, (Dim3{32, 0, 0}));
  EXPECT_THAT(fault.detail, ::testing::EndsWith("; by this thread or one of those behind it"));
}

TEST(faults, a_load_that_became_part_of_its_use_is_found) {
  auto world = make(read_argument, add_site, AccessLanes::of_one(0));
  const Fault fault = world->fault("k", {.grid = {9}, .block = {64}}, {64, 0});
  EXPECT_EQ(fault.instruction_text, "ld.f32 %f, [%a]");
  EXPECT_EQ(fault.bytes, 4u);
  EXPECT_EQ(fault.space, module::Space::global);
}

TEST(faults, without_a_line_of_its_own_an_instruction_has_that_of_its_call) {
  const auto body = [](Context* context, uint64_t first, uint64_t blocks) {
    in_block_5(context, first, blocks, [&] { *argument<volatile float>(context) = 1; });
  };
  auto world = make(body, helper_site, AccessLanes::of_one(0));
  const Fault fault = world->fault("k", {.grid = {9}, .block = {64}}, {64, 0});
  EXPECT_EQ(fault.function, "helper");
  EXPECT_TRUE(fault.write);
  EXPECT_EQ(fault.line, 15u);
}

#if defined(__x86_64__)
TEST(faults, an_address_that_no_memory_can_have_is_found_in_the_registers) {
  const auto body = [](Context* context, uint64_t first, uint64_t blocks) {
    in_block_5(context, first, blocks, [&] {
      // Not in C++: a sanitizer would look at its own memory first.
      asm volatile("movl (%0), %%eax" ::"r"(argument<void>(context)) : "eax", "memory");
    });
  };
  auto world = make(body, load_site, AccessLanes::of_one(0));
  const Fault fault = world->fault("k", {.grid = {9}, .block = {64}}, {0xdead'beef'0000'1230, 0});
  EXPECT_EQ(fault.address, 0xdead'beef'0000'1230u);
  EXPECT_EQ(fault.kind, FaultKind::illegal_address);
}

TEST(faults, of_an_access_whose_lanes_lie_in_a_row_the_lane_is_counted) {
  const auto body = [](Context* context, uint64_t first, uint64_t blocks) {
    in_block_5(context, first, blocks, [&] {
      const auto* data = argument<const float>(context);
      float values __attribute__((vector_size(16)));
      asm volatile("movups (%1), %0" : "=x"(values) : "r"(data) : "memory");
    });
  };
  auto world = make(body, generic_site, AccessLanes::of_row(4));
  const auto data = reinterpret_cast<uintptr_t>(world->pages(1));
  // Four lanes of 4 bytes each: the third one is beyond the page.
  Fault fault = world->fault("k", {.grid = {9}, .block = {64}}, {data + 4096 - 8, 0});
  EXPECT_EQ(fault.thread, (Dim3{32 + 4 + 2, 0, 0}));
  EXPECT_EQ(fault.address, data + 4096);
  fault = world->fault("k", {.grid = {9}, .block = {64}}, {data + 4096, 0});
  EXPECT_EQ(fault.thread, (Dim3{32 + 4, 0, 0}));
  // Of 8 bytes a lane there could be another instruction before this one.
  auto other = make(body, load_site, AccessLanes::of_row(4));
  const auto behind = reinterpret_cast<uintptr_t>(other->pages(1)) + 4096;
  fault = other->fault("k", {.grid = {9}, .block = {64}}, {behind + 4, 0});
  EXPECT_EQ(fault.address, behind);
  EXPECT_THAT(fault.detail, ::testing::EndsWith("; by this thread or one of those behind it"));
}

TEST(faults, a_lane_that_the_code_notes_is_believed) {
  const auto body = [](Context* context, uint64_t first, uint64_t blocks) {
    in_block_5(context, first, blocks, [&] {
      context->lane = 17;
      static_cast<void>(*argument<volatile float>(context));
    });
  };
  auto world = make(body, generic_site, AccessLanes::of_noted());
  EXPECT_EQ(world->fault("k", {.grid = {9}, .block = {64}}, {64, 0}).thread, (Dim3{32 + 17, 0, 0}));
}
#endif

TEST(faults, shared_memory_ends_at_a_guard_that_no_32_bit_offset_passes) {
  const auto body = [](Context* context, uint64_t first, uint64_t blocks) {
    in_block_5(context, first, blocks, [&] {
      std::memset(context->shared, 1, context->shared_bytes);
      const auto offset = reinterpret_cast<uintptr_t>(argument<void>(context));
      *static_cast<volatile std::byte*>(context->shared + offset) = {};
    });
  };
  auto world = make(body, atomic_site, AccessLanes::of_one(0));
  for (const uint64_t offset : {uint64_t{1024}, uint64_t{0x8000'0000}, uint64_t{0xffff'ffff}}) {
    const Fault fault =
        world->fault("k", {.grid = {9}, .block = {64}, .dynamic_shared = 1000}, {offset & ~uint64_t{3}, 0});
    EXPECT_EQ(fault.kind, FaultKind::illegal_address);
    EXPECT_EQ(fault.space, module::Space::shared);
    EXPECT_EQ(fault.address, offset & ~uint64_t{3});
    EXPECT_TRUE(fault.write);
    EXPECT_EQ(fault.detail, "the block has 1000 bytes of shared memory");
  }
}

TEST(faults, a_generic_access_to_shared_memory_is_told_in_its_space) {
  const auto body = [](Context* context, uint64_t first, uint64_t blocks) {
    in_block_5(context, first, blocks,
               [&] { static_cast<void>(*reinterpret_cast<volatile std::byte*>(context->shared + 64)); });
  };
  auto world = make(body, generic_site, AccessLanes::of_one(0));
  const Fault fault = world->fault("k", {.grid = {9}, .block = {64}, .dynamic_shared = 64}, {0, 0});
  EXPECT_EQ(fault.space, module::Space::shared);
  EXPECT_EQ(fault.address, 64u);
}

TEST(faults, native_code_says_what_it_found) {
  const auto body = [](Context* context, uint64_t first, uint64_t blocks) {
    in_block_5(context, first, blocks, [&] {
      heddle_jit_fault(context, load_site, static_cast<uint32_t>(FaultKind::misaligned_address), 37, 0x1234,
                       8, 0, static_cast<uint32_t>(module::Space::global));
    });
  };
  auto world = make(body, 0, {});
  const Fault fault = world->fault("k", {.grid = {9}, .block = {64}}, {0, 0});
  EXPECT_EQ(fault.kind, FaultKind::misaligned_address);
  EXPECT_EQ(fault.thread, (Dim3{37, 0, 0}));
  EXPECT_EQ(fault.line, 12u);
  EXPECT_EQ(fault.detail, "the address is no multiple of 8");
}

TEST(faults, generic_addresses_are_resolved_in_their_windows) {
  static std::byte* found[5];
  static Context seen;
  const auto body = [](Context* context, uint64_t first, uint64_t blocks) {
    in_block_5(context, first, blocks, [&] {
      const WindowMap& w = windows64;
      seen = *context;
      found[0] = heddle_jit_resolve(context, w.shared_base + 8, 3, 4, 1, generic_site);
      found[1] = heddle_jit_resolve(context, w.local_base + 8, 3, 4, 1, generic_site);
      found[2] = heddle_jit_resolve(context, w.param_base + 8, 3, 8, 0, generic_site);
      found[3] = heddle_jit_resolve(context, reinterpret_cast<uintptr_t>(argument<void>(context)), 3, 4, 0,
                                    generic_site);
      found[4] = heddle_jit_resolve(context, reinterpret_cast<uintptr_t>(argument<void>(context, 1)), 3, 4, 1,
                                    generic_site);
    });
  };
  auto world = make(body, 0, {});
  const auto data = reinterpret_cast<uintptr_t>(world->pages(1));
  const LaunchShape shape{.grid = {9}, .block = {64}, .dynamic_shared = 64};
  ASSERT_TRUE(world->run("k", shape, {data, data}).ok());
  EXPECT_EQ(found[0], seen.shared + 8);
  EXPECT_EQ(found[1], seen.local + 3 * seen.local_stride + 8);
  EXPECT_EQ(found[2], seen.parameters + 8);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(found[3]), data);
  Fault fault = world->fault("k", shape, {data, windows64.shared_base + 64});
  EXPECT_EQ(fault.space, module::Space::shared);
  EXPECT_EQ(fault.address, 64u);
  EXPECT_EQ(fault.thread, (Dim3{3, 0, 0}));
  fault = world->fault("k", shape, {data, windows64.param_base});
  EXPECT_EQ(fault.detail, "kernel parameters are read-only");
  fault = world->fault("k", shape, {data, data + 2});
  EXPECT_EQ(fault.kind, FaultKind::misaligned_address);
  fault = world->fault("k", shape, {data, data + 8192});
  EXPECT_EQ(fault.kind, FaultKind::illegal_address);
  EXPECT_EQ(fault.address, data + 8192);
}

TEST(faults, steps_work_on_registers_of_the_worker_and_may_fault) {
  const auto body = [](Context* context, uint64_t first, uint64_t blocks) {
    in_block_5(context, first, blocks, [&] {
      auto* out = argument<uint64_t>(context);
      context->step_registers[4] = 100;
      heddle_jit_step(context, load_site, 0, 1 << 4);
      out[0] = context->step_registers[4];
      if (argument<void>(context, 1) != nullptr) heddle_jit_step(context, helper_site, 7, 1);
    });
  };
  auto world = make(body, 0, {});
  auto* out = reinterpret_cast<uint64_t*>(world->pages(1));
  ASSERT_TRUE(world->run("k", {.grid = {9}, .block = {64}}, {reinterpret_cast<uintptr_t>(out), 0}).ok());
  EXPECT_EQ(out[0], 106u);  // block 5
  const Fault fault = world->fault("k", {.grid = {9}, .block = {64}}, {reinterpret_cast<uintptr_t>(out), 1});
  EXPECT_EQ(fault.detail, "step");
  EXPECT_EQ(fault.line, 15u);
}

TEST(faults, clocks_go_forward) {
  static uint64_t times[6];
  const auto body = [](Context* context, uint64_t first, uint64_t blocks) {
    in_block_5(context, first, blocks, [&] {
      for (uint32_t i = 0; i < 6; ++i) times[i] = heddle_jit_clock(context, i / 2);
    });
  };
  auto world = make(body, 0, {});
  ASSERT_TRUE(world->run("k", {.grid = {9}}, {0, 0}).ok());
  EXPECT_LE(times[0], times[1]);
  EXPECT_LE(times[2], times[3]);
  EXPECT_LE(times[4], times[5]);
  EXPECT_GT(times[4], uint64_t{1'700'000'000'000'000'000});
}

std::atomic<int> running;

void endless(Context* context, uint64_t first, uint64_t) {
  set_block(context, first);
  ++running;
  for (volatile int i = 0;; i = i + 1) {
  }
}

TEST(faults, a_launch_beyond_its_deadline_ends) {
  SKIP_WITH_SANITIZED_KERNELS();
  auto world = make(endless, load_site, {}, 2);
  std::vector<uint64_t> params(2);
  Launch launch = world->launch("k", {.grid = {9}, .block = {64}}, params);
  const auto start = steady_clock::now();
  launch.deadline = start + std::chrono::milliseconds(200);
  const auto result = world->executor->run(launch);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, FaultKind::timeout);
  EXPECT_EQ(result.error().line, 12u);
  EXPECT_EQ(result.error().detail, "the launch ran past the device's time limit");
  EXPECT_GE(steady_clock::now() - start, std::chrono::milliseconds(200));
  EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(faults, compiling_takes_nothing_of_the_time_until_the_deadline) {
  const auto body = [](Context* context, uint64_t first, uint64_t) {
    set_block(context, first);
    const auto start = steady_clock::now();
    while (steady_clock::now() - start < std::chrono::milliseconds(60)) {
    }
  };
  auto world = make(body, load_site, {}, 1);
  world->compiler->takes = std::chrono::milliseconds(600);
  std::vector<uint64_t> params(2);
  Launch launch = world->launch("k", {}, params);
  launch.deadline = steady_clock::now() + std::chrono::milliseconds(500);
  const auto result = world->executor->run(launch);
  EXPECT_TRUE(result.ok());
}

// Like the scheduler of fibers: C++ that runs native code inside, and may not be left anywhere.
TEST(faults, code_of_the_host_is_left_only_where_it_says) {
  static std::atomic<int> left_in_the_middle;
  const auto body = [](Context* context, uint64_t first, uint64_t) {
    set_block(context, first);
    for (;;) {
      heddle_jit_begin_host(context);
      ++left_in_the_middle;
      heddle_jit_begin_host(context);
      for (volatile int i = 0; i < 1000; i = i + 1) {
      }
      heddle_jit_end_host(context);
      --left_in_the_middle;
      heddle_jit_end_host(context);
    }
  };
  auto world = make(body, load_site, {}, 1);
  for (int i = 0; i < 5; ++i) {
    left_in_the_middle = 0;
    std::vector<uint64_t> params(2);
    Launch launch = world->launch("k", {}, params);
    launch.deadline = steady_clock::now() + std::chrono::milliseconds(5);
    EXPECT_FALSE(world->executor->run(launch).ok());
    // The inner end is such a place, too.
    EXPECT_LE(left_in_the_middle.load(), 1);
  }
}

TEST(faults, a_cancelled_launch_ends_and_others_go_on) {
  SKIP_WITH_SANITIZED_KERNELS();
  auto world = make(endless, load_site, {}, 2);
  auto other = make(read_argument, load_site, AccessLanes::of_one(0), 2);
  const auto data = reinterpret_cast<uintptr_t>(other->pages(1));
  std::atomic<bool> cancel{false};
  running = 0;
  std::thread stream([&] {
    std::vector<uint64_t> params(2);
    Launch launch = world->launch("k", {.grid = {9}}, params);
    launch.cancel = &cancel;
    const auto result = world->executor->run(launch);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().kind, FaultKind::cancelled);
  });
  while (running == 0) std::this_thread::yield();
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(other->run("k", {.grid = {9}}, {data, 0}).ok());
  cancel = true;
  stream.join();
}

TEST(faults, a_launch_that_is_cancelled_before_it_begins_says_so) {
  SKIP_WITH_SANITIZED_KERNELS();
  auto world = make(endless, load_site, {}, 1);
  const std::atomic<bool> cancel{true};
  std::vector<uint64_t> params(2);
  Launch launch = world->launch("k", {.grid = {9}}, params);
  launch.cancel = &cancel;
  const auto result = world->executor->run(launch);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, FaultKind::cancelled);
}

// Blocks before 40 take their time, 40 runs for ever, those after it fault: on two threads, whose second one
// begins with block 50.
TEST(faults, one_block_that_faults_ends_the_others) {
  SKIP_WITH_SANITIZED_KERNELS();
  const auto body = [](Context* context, uint64_t first, uint64_t blocks) {
    for (uint64_t i = first; i < first + blocks; ++i) {
      set_block(context, i);
      if (i < 40) {
        std::this_thread::sleep_for(std::chrono::microseconds(500));
      } else if (i == 40) {
        ++running;
        for (volatile int spin = 0;; spin = spin + 1) {
        }
      } else {
        while (running == 0) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        static_cast<void>(*argument<volatile float>(context));
      }
    }
  };
  for (int i = 0; i < 10; ++i) {
    running = 0;
    auto world = make(body, load_site, AccessLanes::of_one(0), 2);
    const Fault fault = world->fault("k", {.grid = {100}}, {64, 0});
    EXPECT_EQ(fault.kind, FaultKind::illegal_address);
    EXPECT_EQ(fault.block, (Dim3{50, 0, 0}));
  }
}

TEST(faults, many_launches_fault_on_many_threads) {
  auto world = make(read_argument, load_site, AccessLanes::of_one(0), 2);
  const auto data = reinterpret_cast<uintptr_t>(world->pages(1));
  std::vector<std::thread> streams;
  for (int stream = 0; stream < 4; ++stream)
    streams.emplace_back([&, stream] {
      for (int i = 0; i < 50; ++i) {
        const bool bad = (i + stream) % 2 == 0;
        EXPECT_EQ(world->run("k", {.grid = {200}, .block = {64}}, {bad ? 64 : data, 0}).ok(), !bad);
      }
    });
  for (std::thread& stream : streams) stream.join();
}

TEST(faults, memory_that_the_host_has_not_got_is_an_error) {
  const NativeKernel kernel{.entry = read_argument, .local_bytes = uint64_t{1} << 44};
  World world(text, {{"k", kernel}}, {.threads = 1});
  const Fault fault = world.fault("k", {.grid = {9}, .block = {1024}}, {64, 0});
  EXPECT_EQ(fault.kind, FaultKind::out_of_resources);
}

TEST(FaultsDeathTest, a_fault_outside_native_code_is_as_it_was_before) {
  auto world = make(read_argument, load_site, AccessLanes::of_one(0));
  const auto data = reinterpret_cast<uintptr_t>(world->pages(1));
  ASSERT_TRUE(world->run("k", {.grid = {9}}, {data, 0}).ok());
  EXPECT_DEATH(
      {
        volatile auto* nothing = reinterpret_cast<volatile int*>(static_cast<uintptr_t>(64));
        *nothing = 1;
      },
      "");
}

}  // namespace
}  // namespace heddle::exec::jit::testing
