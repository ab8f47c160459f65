// What is compiled when: by block shape, alignment of pointers, registers that are 0, tier.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "exec/jit/launch/host_state.h"
#include "exec/jit/launch/testing.h"

namespace heddle::exec::jit::testing {
namespace {

constexpr const char* text = R"(
.version 8.0
.target sm_80
.address_size 64
.entry k(.param .u64 a, .param .u32 n, .param .u64 b) { ret; }
)";

void nothing(Context*, uint64_t, uint64_t) {}

class Compiled : public ::testing::Test {
 protected:
  Compiled()
      : world_(text, {{"k", {.entry = nothing}}}, {.threads = 1}),
        data_(reinterpret_cast<uintptr_t>(world_.pages(1))) {}
  std::vector<uint8_t> launch(uint64_t a, uint64_t n, uint64_t b, Dim3 block = {32}) {
    EXPECT_TRUE(world_.run("k", {.block = block}, {a, n, b}).ok());
    return world_.compiler->asked().back().shape.word_alignment;
  }
  std::size_t times() { return world_.compiler->asked().size(); }
  World world_;
  const uint64_t data_;
};

TEST_F(Compiled, once_for_each_block_shape) {
  launch(data_, 1, data_);
  launch(data_, 1, data_);
  EXPECT_EQ(times(), 1u);
  launch(data_, 1, data_, {64});
  EXPECT_EQ(times(), 2u);
  launch(data_, 1, data_, {32, 2});
  EXPECT_EQ(times(), 3u);
  launch(data_, 1, data_, {32});
  EXPECT_EQ(times(), 3u);
}

TEST_F(Compiled, for_the_alignment_of_pointers_and_of_nothing_else) {
  EXPECT_EQ(launch(data_ + 64, 1024, data_ + 4), (std::vector<uint8_t>{4, 0, 2}));
  launch(data_ + 64, 7, data_ + 4);
  EXPECT_EQ(times(), 1u);
  // A number that is not the address of anything.
  EXPECT_EQ(launch(data_, 1, 4096), (std::vector<uint8_t>{4, 0, 0}));
  EXPECT_EQ(times(), 2u);
}

// ---- small launches, which the reference executor is through with before code would be there
constexpr const char* small_text = R"(
.version 8.0
.target sm_80
.address_size 64
.entry k(.param .u64 a) { ret; }
.entry loop(.param .u64 a) { again: bra again; }
.entry products(.param .u64 a)
{
  .reg .b32 %r<2>;
  .reg .f32 %f<4>;
  mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1}, {%r0}, {%f0, %f1, %f2, %f3};
  ret;
}
)";

class Small : public ::testing::Test {
 protected:
  void run(const char* kernel, LaunchShape shape) { EXPECT_TRUE(world_.run(kernel, shape, {0}).ok()); }
  World world_{small_text,
               {{"k", {.entry = nothing}}, {"loop", {.entry = nothing}}, {"products", {.entry = nothing}}},
               {.threads = 1, .small_by_reference = true}};
};

TEST_F(Small, until_they_have_taken_what_code_is_worth) {
  world_.reference_milliseconds = 3;
  for (int i = 0; i < 10; ++i) run("k", {.grid = {100}, .block = {32}});
  EXPECT_GE(world_.reference_runs, 1);
  EXPECT_LE(world_.reference_runs, 4) << "15 million ticks, of 2 to 4 GHz";
  EXPECT_EQ(world_.compiler->asked().size(), 1U);
}

TEST_F(Small, not_where_it_would_take_long) {
  run("k", {.grid = {20'000}, .block = {32}});
  run("loop", {.grid = {1}, .block = {32}});
  run("products", {.grid = {1}, .block = {32}});
  run("k", {.grid = {1}, .block = {64}, .cooperative = true});
  EXPECT_EQ(world_.reference_runs, 0);
  EXPECT_EQ(world_.compiler->asked().size(), 4U);
}

TEST_F(Small, not_where_code_is_kept) {
  world_.compiler->keeps = true;
  run("k", {.grid = {1}, .block = {32}});
  EXPECT_EQ(world_.reference_runs, 0);
}

TEST_F(Compiled, a_null_pointer_fits_everything) {
  launch(data_, 1, data_);
  launch(0, 1, data_);
  EXPECT_EQ(times(), 1u);
}

TEST_F(Compiled, after_a_few_variants_one_for_all) {
  for (int i = 0; i < 4; ++i) launch(data_ + (1u << i), 1, data_);
  EXPECT_EQ(times(), 4u);
  EXPECT_EQ(launch(data_ + 1, 1, data_ + 1), (std::vector<uint8_t>{0, 0, 0}));
  EXPECT_EQ(times(), 5u);
  launch(data_ + 2, 1, data_ + 1);
  launch(data_ + 3, 1, data_ + 2);
  launch(data_ + 16, 1, data_);
  EXPECT_EQ(times(), 5u);
}

TEST(CompiledOffsets, for_the_alignment_of_offsets_in_shared_memory) {
  World world(R"(
.version 8.0
.target sm_80
.address_size 64
.entry k(.param .u64 .ptr .shared .align 4 a, .param .u64 n, .param .u64 .ptr .shared .align 4 b) { ret; }
)",
              {{"k", {.entry = nothing}}}, {.threads = 1});
  ASSERT_TRUE(world.run("k", {}, {64, 64, 72}).ok());
  EXPECT_EQ(world.compiler->asked().back().shape.word_alignment, (std::vector<uint8_t>{4, 0, 3}));
  ASSERT_TRUE(world.run("k", {}, {128, 7, 8}).ok());
  EXPECT_EQ(world.compiler->asked().size(), 1u);
}

TEST(CompiledNumbers, once_for_all_numbers) {
  World world(R"(
.version 8.0
.target sm_80
.address_size 64
.entry k(.param .f64 time, .param .u64 p) { ret; }
)",
              {{"k", {.entry = nothing}}}, {.threads = 1});
  ASSERT_TRUE(world.run("k", {}, {0, 0}).ok());
  EXPECT_EQ(world.compiler->asked().back().shape.word_alignment, (std::vector<uint8_t>{0, 4}));
  ASSERT_TRUE(world.run("k", {}, {0x3ff0000000000001, 0}).ok());
  EXPECT_EQ(world.compiler->asked().size(), 1u);
}

class CompiledForRegisters : public ::testing::Test {
 protected:
  static constexpr const char* reader = R"(
.version 8.0
.target sm_80
.address_size 64
.func far(.reg .u32 %v) { mov.u32 %v, %envreg9; ret; }
.entry k() { .reg .u32 %r; mov.u32 %r, %envreg3; call far, (%r); ret; }
)";
  CompiledForRegisters() : world_(reader, {{"k", {.entry = nothing}}}, {.threads = 1}) {}
  uint32_t launch(std::vector<uint32_t> environment) {
    Launch launch = world_.launch("k", {});
    launch.environment = environment;
    EXPECT_TRUE(world_.executor->run(launch).ok());
    return world_.compiler->asked().back().shape.zero_environment;
  }
  std::size_t times() { return world_.compiler->asked().size(); }
  World world_;
};

TEST_F(CompiledForRegisters, that_it_reads_and_that_are_zero) {
  EXPECT_EQ(launch({7, 7, 7, 0, 7}), 1u << 3 | 1u << 9);
  EXPECT_EQ(launch({0, 0, 0, 0, 0, 0, 0, 0, 0, 0}), 1u << 3 | 1u << 9);
  EXPECT_EQ(times(), 1u);
  EXPECT_EQ(launch({0, 0, 0, 5, 0, 0, 0, 0, 0, 0}), 1u << 9);
  EXPECT_EQ(launch({0, 0, 0, 6, 0, 0, 0, 0, 0, 0}), 1u << 9);
  EXPECT_EQ(times(), 2u);
  launch({0, 0, 0, 0});
  EXPECT_EQ(times(), 2u);
}

TEST_F(CompiledForRegisters, of_which_a_launch_says_something) {
  EXPECT_EQ(launch({}), 0u);  // CUDA's may hold a workspace
  EXPECT_EQ(launch({0, 0, 0, 0}), 1u << 3 | 1u << 9);
}

TEST_F(Compiled, another_image_at_the_same_address_is_another_kernel) {
  launch(data_, 1, data_);
  world_.loaded.image.reset();
  World other(text, {});
  world_.loaded.image = other.loaded.image;
  launch(data_, 1, data_);
  EXPECT_EQ(times(), 2u);
}

void takes_time(Context*, uint64_t, uint64_t) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

TEST(tiers, what_takes_time_is_compiled_again_in_the_background) {
  World world(text, {{"k", {.entry = takes_time}}}, {.threads = 1});
  for (int i = 0; i < 500 && world.compiler->asked().size() < 2; ++i)
    ASSERT_TRUE(world.run("k", {}, {0, 0, 0}).ok());
  const auto asked = world.compiler->asked();
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[0].tier, Tier::quick);
  EXPECT_EQ(asked[1].tier, Tier::best);
  EXPECT_EQ(asked[0].shape, asked[1].shape);
}

std::atomic<uint64_t> quick_blocks{0}, best_blocks{0};

void slow_blocks(Context*, uint64_t, uint64_t count) {
  quick_blocks += count;
  std::this_thread::sleep_for(std::chrono::milliseconds(2 * count));
}

void better_blocks(Context* context, uint64_t, uint64_t count) {
  best_blocks += count;
  std::memset(context->slots, 1, 1 << 16);  // memory that only this code asked for
}

TEST(tiers, blocks_that_have_not_begun_take_the_better_code) {
  World world(text, {{"k", {.entry = slow_blocks, .best_entry = better_blocks, .best_slot_bytes = 1 << 16}}},
              {.threads = 2});
  constexpr uint32_t blocks = 5000;  // 10 s of the first code
  ASSERT_TRUE(world.run("k", {.grid = {blocks}}, {0, 0, 0}).ok());
  EXPECT_EQ(quick_blocks + best_blocks, blocks);
  EXPECT_GE(quick_blocks, 1u);
  EXPECT_GT(best_blocks, blocks / 2);
}

TEST(tiers, what_an_earlier_process_made_best_is_taken_at_once) {
  World world(text, {{"k", {.entry = takes_time}}}, {.threads = 1});
  world.compiler->keeps = true;
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(world.run("k", {}, {0, 0, 0}).ok());
  ASSERT_EQ(world.compiler->asked().size(), 1u);
  EXPECT_EQ(world.compiler->asked()[0].tier, Tier::best);
}

TEST(tiers, what_a_process_took_is_noted_and_never_more_than_that) {
  World world(text, {{"k", {.entry = takes_time}}}, {.threads = 1});
  const auto start = ticks();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(world.run("k", {}, {0, 0, 0}).ok());
  const uint64_t took = ticks() - start;
  uint64_t noted = 0;
  for (const Experience& e : world.compiler->notes()) noted += e.ran;
  EXPECT_GT(noted, 0u);
  EXPECT_LE(noted, took);
  EXPECT_LE(world.compiler->notes().size(), 6u);  // of 20 launches: it has to double
}

TEST(tiers, what_took_time_in_earlier_processes_is_compiled_well_at_the_first_launch) {
  World world(text, {{"k", {.entry = nothing}}}, {.threads = 1});
  world.compiler->earlier = {.ran = 10'000'000'000, .quick = 1'000'000};
  ASSERT_TRUE(world.run("k", {}, {0, 0, 0}).ok());
  for (int i = 0; i < 500 && world.compiler->asked().size() < 2; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const auto asked = world.compiler->asked();
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[0].tier, Tier::quick);
  EXPECT_EQ(asked[1].tier, Tier::best);
  const std::lock_guard lock(world.trace_mutex);
  EXPECT_THAT(world.trace,
              ::testing::Contains(::testing::HasSubstr("best code is made now, and waited for")));
}

TEST(tiers, what_took_less_than_the_better_code_would_take_waits) {
  World world(text, {{"k", {.entry = nothing}}}, {.threads = 1});
  world.compiler->earlier = {.ran = 10'000'000, .quick = 1'000'000};
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(world.run("k", {}, {0, 0, 0}).ok());
  EXPECT_EQ(world.compiler->asked().size(), 1u);
  EXPECT_TRUE(world.compiler->notes().empty());
}

TestCompiler* compiler_at_end = nullptr;

[[noreturn]] void end_while_better_code_is_made() {
  std::atexit([] {
    const auto notes = compiler_at_end->notes();
    _exit(notes.size() == 1 && notes[0].ran >= 1'000'000 && notes[0].quick == 20'000'000 ? 0 : 1);
  });
  World world(text, {{"k", {.entry = nothing}}}, {.threads = 1});
  compiler_at_end = world.compiler;
  world.compiler->endless = true;
  world.compiler->earlier = {.ran = 40'000'000, .quick = 20'000'000};
  if (!world.run("k", {}, {0, 0, 0}).ok()) _exit(3);
  while (world.compiler->asked().size() < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::exit(2);
}

TEST(tiersDeathTest, what_was_spent_on_better_code_that_is_left_is_noted) {
  EXPECT_EXIT(end_while_better_code_is_made(), ::testing::ExitedWithCode(0), "");
}

TEST(tiers, with_a_tier_asked_for_nothing_is_noted) {
  World world(text, {{"k", {.entry = takes_time}}}, {.threads = 1, .tier = Tier::quick});
  world.compiler->earlier = {.ran = 10'000'000'000, .quick = 1'000'000};
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(world.run("k", {}, {0, 0, 0}).ok());
  EXPECT_EQ(world.compiler->asked().size(), 1u);
  EXPECT_TRUE(world.compiler->notes().empty());
}

TEST(tiers, a_tier_can_be_the_only_one) {
  World world(text, {{"k", {.entry = takes_time}}}, {.threads = 1, .tier = Tier::best});
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(world.run("k", {}, {0, 0, 0}).ok());
  ASSERT_EQ(world.compiler->asked().size(), 1u);
  EXPECT_EQ(world.compiler->asked()[0].tier, Tier::best);
  EXPECT_THAT(world.trace.at(0),
              ::testing::HasSubstr("jit: compiled k for blocks of 1, pointers aligned to 16 16, best, "));
}

}  // namespace
}  // namespace heddle::exec::jit::testing
