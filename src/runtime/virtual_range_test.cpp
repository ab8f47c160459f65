// Reserved addresses and what is mapped to them, under both executors.
#include "runtime/virtual_range.h"

#include <gtest/gtest.h>

#include "runtime/copy.h"
#include "runtime/stream.h"
#include "runtime/testing.h"

namespace heddle::runtime {
namespace {

constexpr uint64_t unit = uint64_t{2} << 20;

constexpr const char* program = R"(
.version 8.0
.target sm_70
.address_size 64
.visible .entry write(.param .u64 word) {
  .reg .u64 %a;
  ld.param.u64 %a, [word];
  st.global.u32 [%a], 7;
  ret;
}
.visible .entry read(.param .u64 word) {
  .reg .u64 %a;
  .reg .u32 %r;
  ld.param.u64 %a, [word];
  ld.volatile.global.u32 %r, [%a];
  ret;
}
)";

std::shared_ptr<PhysicalMemory> make() {
  auto made = PhysicalMemory::create(unit, {}, nullptr);
  EXPECT_TRUE(made.ok()) << said(made);
  return std::move(*made);
}

struct Mapped : testing::TestWithParam<bool> {
  Mapped() {
    reserved = *test.system->memory().reserve(4 * unit, unit, 0);
    memory = make();
    address = reserved->address + unit;
    EXPECT_DONE(reserved->range->map(address, unit, memory));
  }
  Done open(Access access) {
    const VirtualRange::Right right = {0, access};
    return reserved->range->set_access(address, unit, {&right, 1});
  }
  // In a context of its own.
  Done run(const char* kernel, uint64_t word) {
    const auto context = test.make_context(0);
    const auto module = test.load(program, context.get());
    EXPECT_DONE(start(*context->default_stream(), *module, kernel, {}, {}, {word}));
    const Done done = context->synchronize();
    context->destroy();
    return done;
  }
  bool faults(const char* kernel, uint64_t word) {
    const Done done = run(kernel, word);
    return !done && done.error().fault != nullptr &&
           done.error().fault->kind == exec::FaultKind::illegal_address &&
           done.error().fault->address == word;
  }
  TestSystem test{{.devices = {"h200"}, .reference = GetParam()}};
  AllocationRef reserved;
  std::shared_ptr<PhysicalMemory> memory;
  uint64_t address = 0;
};

TEST_P(Mapped, KernelsThatHaveNoRightFault) {
  EXPECT_TRUE(faults("read", address));
  EXPECT_DONE(open(Access::read));
  EXPECT_DONE(run("read", address));
  EXPECT_TRUE(faults("write", address + 8));
  EXPECT_DONE(open(Access::read_write));
  EXPECT_DONE(run("write", address + unit - 4));
  EXPECT_TRUE(faults("read", address + unit));
  EXPECT_TRUE(faults("read", address - 4));
  EXPECT_EQ(*pointer<uint32_t>(address + unit - 4), 7U);
  EXPECT_DONE(reserved->range->unmap(address, unit));
  EXPECT_TRUE(faults("read", address));
}

TEST_P(Mapped, WhatIsMappedAgainIsTheSame) {
  EXPECT_DONE(open(Access::read_write));
  EXPECT_DONE(run("write", address));
  EXPECT_DONE(reserved->range->unmap(address, unit));
  address = reserved->address + 3 * unit;
  EXPECT_DONE(reserved->range->map(address, unit, memory));
  EXPECT_DONE(open(Access::read));
  EXPECT_EQ(*pointer<uint32_t>(address), 7U);
}

TEST_P(Mapped, ACopyThatComesTooLateEndsItsContextAndNothingElse) {
  EXPECT_DONE(open(Access::read_write));
  uint32_t word = 1;
  const auto context = test.make_context(0);
  Gate gate;
  EXPECT_DONE(context->default_stream()->host_call([&] { (void)gate.wait(); }));
  EXPECT_DONE(copy(*context->default_stream(), address, reinterpret_cast<uint64_t>(&word), 4));
  EXPECT_DONE(reserved->range->unmap(address, unit));
  gate.open();
  const Done done = context->synchronize();
  ASSERT_FALSE(done.ok());
  ASSERT_NE(done.error().fault, nullptr);
  EXPECT_EQ(done.error().fault->kind, exec::FaultKind::illegal_address);
  EXPECT_DONE(reserved->range->map(address, unit, memory));
  EXPECT_DONE(open(Access::read_write));
  EXPECT_DONE(run("write", address));
}

INSTANTIATE_TEST_SUITE_P(, Mapped, testing::Bool(),
                         [](const auto& which) { return which.param ? "Reference" : "Fast"; });

TEST(PhysicalMemory, IsNotMappedBeyondItsEnd) {
  TestSystem test;
  const auto reserved = *test.system->memory().reserve(4 * unit, unit, 0);
  const std::shared_ptr<PhysicalMemory> memory = make();
  EXPECT_FALSE(reserved->range->map(reserved->address, 2 * unit, memory).ok());
  EXPECT_TRUE(reserved->range->empty());
  EXPECT_FALSE(PhysicalMemory::create(unit + 1, {}, nullptr).ok());
  EXPECT_FALSE(PhysicalMemory::create(0, {}, nullptr).ok());
}

}  // namespace
}  // namespace heddle::runtime
