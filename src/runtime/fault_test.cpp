// Kernels that do what a device would stop for, from the PTX text to the context's state, on the reference
// executor. The process and other contexts go on.
#include <thread>

#include "runtime/testing.h"

namespace heddle::runtime {
namespace {

using testing::HasSubstr;

constexpr const char* program = R"(.version 7.0
.target sm_70
.address_size 64
.file 1 "kernel.cu"

.visible .entry store(.param .u64 p)
{
  .reg .u64 %a;
  ld.param.u64 %a, [p];
  .loc 1 42 7
  st.global.u32 [%a], 1;
  ret;
}
.visible .entry load_bytes(.param .u64 p)
{
  .reg .u64 %p, %a;
  .reg .u32 %v, %t;
  ld.param.u64 %p, [p];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %a, %t, 4, %p;
  ld.global.u32 %v, [%a];
  st.global.u32 [%p], %v;
  ret;
}
.visible .entry trapped(.param .u64 p) { trap; }
.visible .entry endless(.param .u64 p)
{
again:
  bra again;
}
.func (.param .u32 r) down(.param .u32 n)
{
  .local .align 4 .b8 room[256];
  .reg .u32 %n;
  .reg .u64 %l;
  ld.param.u32 %n, [n];
  add.u32 %n, %n, 1;
  mov.u64 %l, room;
  st.local.u32 [%l], %n;
  {
    .param .u32 a;
    .param .u32 b;
    st.param.u32 [a], %n;
    call (b), down, (a);
    ld.param.u32 %n, [b];
  }
  st.param.u32 [r], %n;
  ret;
}
.visible .entry recursive(.param .u64 p)
{
  .reg .u32 %n;
  {
    .param .u32 a;
    .param .u32 b;
    st.param.u32 [a], 0;
    call (b), down, (a);
    ld.param.u32 %n, [b];
  }
  ret;
}
.const .u32 fixed = 5;
.visible .entry write_constant(.param .u64 p)
{
  .reg .u64 %a;
  mov.u64 %a, fixed;
  cvta.const.u64 %a, %a;
  st.u32 [%a], 1;
  ret;
}
.visible .entry read_constant(.param .u64 p)
{
  .reg .u64 %a;
  .reg .u32 %r;
  ld.param.u64 %a, [p];
  ld.const.u32 %r, [fixed];
  st.global.u32 [%a], %r;
  ret;
}
.visible .entry store_aligned(.param .u64 p)
{
  .reg .u64 %a;
  ld.param.u64 %a, [p];
  and.b64 %a, %a, -4;
  st.global.u32 [%a], 1;
  ret;
}
.visible .entry store_if(.param .u64 p, .param .u64 q, .param .u64 n)
{
  .reg .u64 %a, %n;
  .reg .pred %w;
  ld.param.u64 %a, [p];
  ld.param.u64 %n, [n];
  setp.ne.u64 %w, %n, 0;
  @%w st.global.u32 [%a], 1;
  ret;
}
.visible .entry store_number(.param .u64 p, .param .u64 q, .param .u64 n)
{
  .reg .u64 %a, %b, %n;
  .reg .pred %w;
  ld.param.u64 %a, [p];
  ld.param.u64 %b, [q];
  ld.param.u64 %n, [n];
  st.global.u64 [%b], %a;
  setp.ne.u64 %w, %n, 0;
  @%w st.global.u32 [%a], 1;
  ret;
}
.visible .entry store_behind(.param .u64 p, .param .u64 n)
{
  .reg .u64 %a, %n;
  ld.param.u64 %a, [p];
  ld.param.u64 %n, [n];
  add.u64 %a, %a, %n;
  st.global.u32 [%a], 7;
  ret;
}
.visible .entry store_through(.param .u64 p)
{
  .reg .u64 %a, %b;
  ld.param.u64 %a, [p];
  ld.global.u64 %b, [%a+8];
  st.global.u32 [%b], 7;
  ret;
}
.visible .entry good(.param .u64 p)
{
  .reg .u64 %a;
  ld.param.u64 %a, [p];
  st.global.u32 [%a], 7;
  ret;
}
)";

constexpr const char* old_program = R"(.version 2.0
.target sm_13
.address_size 64
.visible .entry store(.param .u64 p)
{
  .reg .u64 %a;
  ld.param.u64 %a, [p];
  st.global.u32 [%a], 1;
  ret;
}
)";

struct FaultsOn : testing::Test {
  explicit FaultsOn(bool reference) : test({.devices = {"h200", "h200"}, .reference = reference}) {}
  TestSystem test;
  std::shared_ptr<Module> module = test.load(program);
  uint64_t memory = (*test.context->allocate(MemoryKind::device, 1024))->address;

  // Runs the kernel, which must fault. Afterwards everything says so, and another context works.
  exec::Fault fault(std::string_view kernel, uint64_t argument, exec::Dim3 block = {}) {
    EXPECT_DONE(start(*test.context->default_stream(), *module, kernel, {}, block, {argument}));
    const Done state = test.context->synchronize();
    EXPECT_EQ(said(test.context->synchronize()), said(state));
    EXPECT_FALSE(start(*test.context->default_stream(), *module, "good", {}, {}, {memory}).ok());
    EXPECT_FALSE(test.context->allocate(MemoryKind::device, 4).ok());
    for (const uint32_t device : {0u, 1u}) {
      const auto other = test.make_context(device);
      const auto again = test.load(program, other.get());
      const uint64_t result = (*other->allocate(MemoryKind::device, 4))->address;
      EXPECT_DONE(start(*other->default_stream(), *again, "good", {}, {}, {result}));
      EXPECT_DONE(other->synchronize());
      EXPECT_EQ(*pointer<uint32_t>(result), 7u);
    }
    if (state || state.error().fault == nullptr) {
      ADD_FAILURE() << "no fault: " << said(state);
      return {};
    }
    return *state.error().fault;
  }
};

struct Faults : FaultsOn, testing::WithParamInterface<bool> {
  Faults() : FaultsOn(GetParam()) {}
};
INSTANTIATE_TEST_SUITE_P(Executors, Faults, testing::Values(false, true),
                         [](const auto& info) { return std::string(info.param ? "Reference" : "Default"); });
TEST_P(Faults, AStoreBehindTheEnd) {
  const exec::Fault f = fault("store", memory + 1024);
  EXPECT_EQ(f.kind, exec::FaultKind::illegal_address);
  EXPECT_EQ(f.address, memory + 1024);
  EXPECT_EQ(f.bytes, 4u);
  EXPECT_TRUE(f.write);
  EXPECT_EQ(f.kernel, "store");
  EXPECT_EQ(f.line, 42u);
  EXPECT_THAT(f.message(), HasSubstr("kernel.cu:42:7: illegal address: write of 4 bytes"));
  EXPECT_THAT(f.message(), HasSubstr("lies 0 bytes behind the end of device memory of 1024 bytes"));
}

// What a page hides from native code: the bytes up to the alignment, and those before the first.
TEST_P(Faults, AStoreOneByteBehindTheEndOrBeforeTheBeginning) {
  for (const uint64_t bytes : {uint64_t{1000}, uint64_t{4}, uint64_t{4100}, (uint64_t{3} << 20) + 12})
    for (const bool behind : {true, false}) {
      const auto context = test.make_context();
      const auto own = test.load(program, context.get());
      const uint64_t array = (*context->allocate(MemoryKind::device, bytes))->address;
      const uint64_t place = behind ? array + bytes : array - 4;
      auto& stream = *context->default_stream();
      ASSERT_DONE(start(stream, *own, "store_behind", {}, {}, {array, bytes - 4}));
      ASSERT_DONE(context->synchronize());
      ASSERT_DONE(start(stream, *own, "store_behind", {}, {}, {array, place - array}));
      const Done state = context->synchronize();
      ASSERT_EQ(code(state), ErrorCode::fault) << bytes << behind;
      EXPECT_EQ(state.error().fault->kind, exec::FaultKind::illegal_address);
      EXPECT_EQ(state.error().fault->address, place);
      EXPECT_TRUE(state.error().fault->write);
      EXPECT_EQ(state.error().fault->kernel, "store_behind");
    }
}

TEST_P(Faults, AStoreBehindTheEndIsFoundWhereverTheArgumentPoints) {
  for (const uint64_t inside : {0, 500, 999}) {
    const auto context = test.make_context();
    const auto own = test.load(program, context.get());
    const uint64_t array = (*context->allocate(MemoryKind::device, 1000))->address;
    ASSERT_DONE(
        start(*context->default_stream(), *own, "store_behind", {}, {}, {array + inside, 1012 - inside}));
    EXPECT_EQ(code(context->synchronize()), ErrorCode::fault) << inside;
  }
}

TEST_P(Faults, TheFirstThreadThatGoesTooFar) {
  const exec::Fault f = fault("load_bytes", memory, {1024});
  EXPECT_EQ(f.kind, exec::FaultKind::illegal_address);
  EXPECT_EQ(f.thread.x, 256u);
  EXPECT_FALSE(f.write);
}

TEST_P(Faults, ANullPointer) { EXPECT_EQ(fault("store", 0).kind, exec::FaultKind::illegal_address); }

TEST_P(Faults, FreedMemory) {
  const uint64_t gone = (*test.context->allocate(MemoryKind::device, 64))->address;
  ASSERT_DONE(test.context->free(gone, {MemoryKind::device}));
  EXPECT_THAT(fault("store", gone).message(), HasSubstr("that was freed"));
}

TEST_P(Faults, HostMemoryThatIsNotRegistered) {
  alignas(4) uint32_t mine = 3;
  const exec::Fault f = fault("store", address_of(&mine));
  EXPECT_EQ(f.kind, exec::FaultKind::illegal_address);
  EXPECT_EQ(f.address, address_of(&mine));
  EXPECT_EQ(f.line, 42u);
  EXPECT_THAT(f.message(),
              HasSubstr("memory of the host, which was neither allocated, managed nor registered"));
  EXPECT_THAT(f.message(), HasSubstr("the 1st argument of the launch is 0x"));
  EXPECT_EQ(mine, 3u);
}

// As a program's heap does: far from everything else.
TEST_P(Faults, HostMemoryOnTheHeap) {
  const auto mine = std::make_unique<uint32_t[]>(64);
  const exec::Fault f = fault("load_bytes", address_of(mine.get()), {32});
  EXPECT_EQ(f.kind, exec::FaultKind::illegal_address);
  EXPECT_EQ(f.address, address_of(mine.get()));
  EXPECT_FALSE(f.write);
}

TEST_P(Faults, HostMemoryWhosePlaceTheKernelLooksAt) {
  uint32_t mine[2] = {3, 3};
  EXPECT_EQ(fault("store_aligned", address_of(mine)).kind, exec::FaultKind::illegal_address);
  EXPECT_EQ(mine[0] + mine[1], 6u);
}

TEST_P(Faults, AnotherContextsMemory) {
  const auto other = test.make_context(1);
  const exec::Fault f = fault("store", (*other->allocate(MemoryKind::device, 64))->address);
  EXPECT_EQ(f.kind, exec::FaultKind::illegal_address);
  EXPECT_THAT(f.message(), HasSubstr("of another context, to which this one has no access"));
}

// As on an H200: contexts of a device have one memory.
TEST_P(Faults, AnotherContextsMemoryOfTheSameDeviceIsGood) {
  const auto other = test.make_context(0);
  const uint64_t theirs = (*other->allocate(MemoryKind::device, 64))->address;
  auto& stream = *test.context->default_stream();
  ASSERT_DONE(start(stream, *module, "good", {}, {}, {theirs}));
  ASSERT_DONE(test.context->synchronize());
  EXPECT_EQ(*pointer<uint32_t>(theirs), 7u);
  // Until it is freed, or its context ends.
  ASSERT_DONE(other->free(theirs, {MemoryKind::device}));
  ASSERT_DONE(start(stream, *module, "store", {}, {}, {theirs}));
  EXPECT_EQ(code(test.context->synchronize()), ErrorCode::fault);
}

// "Memory of one context cannot be accessed from another" (CUDA C Best Practices Guide 8.2), as long as each
// context had addresses of its own.
TEST_P(Faults, AnotherContextsMemoryOfTheSameDeviceBeforeUnifiedAddresses) {
  TestSystem old({.devices = {"gtx285"}, .reference = GetParam()});
  const auto other = old.make_context(0);
  const uint64_t theirs = (*other->allocate(MemoryKind::device, 64))->address;
  *pointer<uint32_t>(theirs) = 3;
  const auto own = old.load(old_program);
  ASSERT_DONE(start(*old.context->default_stream(), *own, "store", {}, {}, {theirs}));
  const Done state = old.context->synchronize();
  ASSERT_EQ(code(state), ErrorCode::fault);
  EXPECT_THAT(state.error().message, HasSubstr("of another context, to which this one has no access"));
  EXPECT_EQ(*pointer<uint32_t>(theirs), 3u);
  // It goes on itself.
  const auto again = old.load(old_program, other.get());
  ASSERT_DONE(start(*other->default_stream(), *again, "store", {}, {}, {theirs}));
  ASSERT_DONE(other->synchronize());
  EXPECT_EQ(*pointer<uint32_t>(theirs), 1u);
}

TEST_P(Faults, AHostPointerThatTheKernelFindsInMemory) {
  auto& stream = *test.context->default_stream();
  *pointer<uint64_t>(memory + 8) = memory + 16;
  ASSERT_DONE(start(stream, *module, "store_through", {}, {}, {memory}));
  ASSERT_DONE(test.context->synchronize());
  EXPECT_EQ(*pointer<uint32_t>(memory + 16), 7u);
  const auto mine = std::make_unique<uint32_t[]>(64);
  *pointer<uint64_t>(memory + 8) = address_of(mine.get());
  const exec::Fault f = fault("store_through", memory);
  EXPECT_EQ(f.kind, exec::FaultKind::illegal_address);
  EXPECT_THAT(f.message(), HasSubstr("memory of the host"));
  EXPECT_EQ(mine[0], 0u);
}

// What the kernel does not touch may be anything, and what it does with the number is its own affair.
TEST_P(Faults, AHostPointerIsGoodWhereNothingIsReadOrWritten) {
  const auto mine = std::make_unique<uint32_t[]>(64);
  auto& stream = *test.context->default_stream();
  for (const char* kernel : {"store_if", "store_number"}) {
    ASSERT_DONE(start(stream, *module, kernel, {}, {}, {address_of(mine.get()), memory, 0}));
    ASSERT_DONE(test.context->synchronize());
  }
  EXPECT_EQ(*pointer<uint64_t>(memory), address_of(mine.get()));
  EXPECT_EQ(mine[0], 0u);
}

// An array that begins before what is its own: fine on a device, as long as the access is.
TEST_P(Faults, ABaseOutsideOfItsMemoryIsGoodWhereTheAccessIs) {
  struct alignas(4096) Page {
    uint32_t words[1024];
  };
  const auto pages = std::make_unique<Page[]>(2);
  ASSERT_TRUE(test.context->register_host(address_of(&pages[1]), sizeof(Page), true, false).ok());
  auto& stream = *test.context->default_stream();
  ASSERT_DONE(start(stream, *module, "store_behind", {}, {}, {address_of(&pages[0]), 4096}));
  ASSERT_DONE(start(stream, *module, "store_behind", {}, {}, {memory + 1024, uint64_t(-8)}));
  ASSERT_DONE(test.context->synchronize());
  EXPECT_EQ(pages[1].words[0], 7u);
  EXPECT_EQ(*pointer<uint32_t>(memory + 1016), 7u);
  ASSERT_DONE(start(stream, *module, "store_behind", {}, {}, {address_of(&pages[0]), 4092}));
  EXPECT_EQ(code(test.context->synchronize()), ErrorCode::fault);
  EXPECT_EQ(pages[0].words[1023], 0u);
}

TEST_P(Faults, APeersMemoryIsGoodOnceAccessIsEnabled) {
  const auto other = test.make_context(1);
  const uint64_t theirs = (*other->allocate(MemoryKind::device, 64))->address;
  ASSERT_DONE(test.context->enable_peer(*other));
  ASSERT_DONE(start(*test.context->default_stream(), *module, "good", {}, {}, {theirs}));
  ASSERT_DONE(test.context->synchronize());
  EXPECT_EQ(*pointer<uint32_t>(theirs), 7u);
  ASSERT_DONE(test.context->disable_peer(*other));
  ASSERT_DONE(start(*test.context->default_stream(), *module, "store", {}, {}, {theirs}));
  EXPECT_EQ(code(test.context->synchronize()), ErrorCode::fault);
  EXPECT_EQ(*pointer<uint32_t>(theirs), 7u);
}

TEST_P(Faults, AMisalignedAddress) {
  const exec::Fault f = fault("store", memory + 2);
  EXPECT_EQ(f.kind, exec::FaultKind::misaligned_address);
  EXPECT_EQ(f.address, memory + 2);
}

TEST_P(Faults, ATrap) { EXPECT_EQ(fault("trapped", 0).kind, exec::FaultKind::trap); }

TEST_P(Faults, AWriteToAConstantIsNone) {
  auto& stream = *test.context->default_stream();
  ASSERT_DONE(start(stream, *module, "write_constant", {}, {}, {0}));
  ASSERT_DONE(start(stream, *module, "read_constant", {}, {}, {memory}));
  ASSERT_DONE(test.context->synchronize());
  EXPECT_EQ(*pointer<uint32_t>(memory), 1u);
}

TEST_P(Faults, EndlessRecursion) {
  const exec::Fault f = fault("recursive", 0);
  EXPECT_EQ(f.kind, exec::FaultKind::stack_overflow);
  EXPECT_EQ(f.kernel, "recursive");
}

// Once a context, and not where the program wants silence.
TEST(FaultsAreTold, OnTheErrorOutputAsTheyComeFirst) {
  for (const bool quiet : {false, true}) {
    TestSystem test({.quiet = quiet});
    const auto module = test.load(program);
    ASSERT_DONE(start(*test.context->default_stream(), *module, "store"));
    (void)start(*test.context->default_stream(), *module, "store");
    EXPECT_EQ(code(test.context->synchronize()), ErrorCode::fault);
    const std::string told = test.errors();
    if (quiet) {
      EXPECT_EQ(told, "");
      continue;
    }
    EXPECT_THAT(told,
                testing::StartsWith("heddle: kernel.cu:42:7: illegal address: write of 4 bytes at 0x0"));
    EXPECT_THAT(told, HasSubstr("kernel 'store', block (0,0,0), thread (0,0,0)"));
    EXPECT_EQ(std::ranges::count(told, '\n'), 1);
  }
}

TEST(NoMemoryForAKernel, IsToldOnceAndTheContextGoesOn) {
  TestSystem on({.scripted = true});
  exec::Fault none;
  none.kind = exec::FaultKind::out_of_resources;
  none.detail = "the host has no memory for a block";
  std::atomic<int> ran = 0;
  (*on.kernels)["hungry"] = [&](const exec::Launch&) -> Report { return none; };
  (*on.kernels)["greedy"] = [&](const exec::Launch&) -> Report { throw std::bad_alloc(); };
  (*on.kernels)["modest"] = [&](const exec::Launch&) -> Report {
    ++ran;
    return exec::LaunchReport{};
  };
  const auto module = on.load(empty_kernels({"hungry", "greedy", "modest"}));
  const auto stream = on.stream();
  for (const char* name : {"hungry", "greedy"}) {
    SCOPED_TRACE(name);
    ASSERT_DONE(start(*stream, *module, name));
    const Done told = stream->synchronize();
    ASSERT_FALSE(told.ok());
    EXPECT_EQ(told.error().code, ErrorCode::out_of_memory);
    EXPECT_THAT(told.error().message, HasSubstr("the host has no memory"));
    EXPECT_DONE(stream->synchronize());
    EXPECT_DONE(on.context->check());
    // Whoever does not wait learns it when he asks, or when he begins something.
    ASSERT_DONE(start(*stream, *module, name));
    Done asked = Unit{};
    do asked = stream->query();
    while (!asked && asked.error().code == ErrorCode::not_ready);
    ASSERT_FALSE(asked.ok());
    EXPECT_EQ(asked.error().code, ErrorCode::out_of_memory);
    ASSERT_DONE(start(*stream, *module, "modest"));
    EXPECT_DONE(on.context->synchronize());
  }
  EXPECT_EQ(ran, 2);
  EXPECT_EQ(on.errors(), "");
}

TEST(FaultsInTime, AnEndlessLoopEndsAtTheTimeLimit) {
  TestSystem test({.kernel_timeout = std::chrono::milliseconds(30)});
  const auto module = test.load(program);
  ASSERT_DONE(start(*test.context->default_stream(), *module, "endless"));
  const Done state = test.context->synchronize();
  ASSERT_EQ(code(state), ErrorCode::fault);
  EXPECT_EQ(state.error().fault->kind, exec::FaultKind::timeout);
}

TEST(FaultsInTime, AnEndlessLoopEndsWhenTheHostSaysSo) {
  TestSystem test;
  const auto module = test.load(program);
  ASSERT_DONE(start(*test.context->default_stream(), *module, "endless"));
  std::thread host([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    test.context->cancel();
  });
  const Done state = test.context->synchronize();
  host.join();
  ASSERT_EQ(code(state), ErrorCode::fault);
  EXPECT_EQ(state.error().fault->kind, exec::FaultKind::cancelled);
}

TEST(FaultsInTime, AProcessCanEndWhileAKernelRuns) {
  TestSystem test;
  const auto module = test.load(program);
  ASSERT_DONE(start(*test.context->default_stream(), *module, "endless"));
}

constexpr const char* services = R"(.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
.global .align 1 .b8 format[] = {116, 32, 61, 32, 37, 100, 10, 0};
.global .align 1 .b8 condition[] = {120, 32, 62, 32, 48, 0};
.global .align 1 .b8 file[] = {107, 46, 99, 117, 0};
.global .align 1 .b8 where[] = {107, 0};

.visible .entry prints(.param .u64 p)
{
  .local .align 8 .b8 room[8];
  .reg .u64 %a, %f;
  .reg .u32 %t, %r;
  mov.u32 %t, %tid.x;
  mov.u64 %a, room;
  st.local.u32 [%a], %t;
  cvta.local.u64 %a, %a;
  mov.u64 %f, format;
  cvta.global.u64 %f, %f;
  {
    .param .b64 x; .param .b64 y; .param .b32 z;
    st.param.b64 [x], %f;
    st.param.b64 [y], %a;
    call (z), vprintf, (x, y);
    ld.param.b32 %r, [z];
  }
  ret;
}
.visible .entry allocates(.param .u64 p)
{
  .reg .u64 %a, %m;
  ld.param.u64 %a, [p];
  {
    .param .b64 x; .param .b64 y;
    st.param.b64 [x], 4096;
    call (y), malloc, (x);
    ld.param.b64 %m, [y];
  }
  st.global.u64 [%a], %m;
  st.u32 [%m], 99;
  ret;
}
.visible .entry releases(.param .u64 p)
{
  .reg .u64 %a;
  ld.param.u64 %a, [p];
  {
    .param .b64 x;
    st.param.b64 [x], %a;
    call free, (x);
  }
  ret;
}
.visible .entry asserts(.param .u64 p)
{
  .reg .u64 %m, %f, %w;
  mov.u64 %m, condition;
  mov.u64 %f, file;
  mov.u64 %w, where;
  {
    .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
    st.param.b64 [a], %m;
    st.param.b64 [b], %f;
    st.param.b32 [c], 12;
    st.param.b64 [d], %w;
    st.param.b64 [e], 1;
    call __assertfail, (a, b, c, d, e);
  }
  ret;
}
)";

TEST(Services, WhatKernelsPrintComesWhenTheHostSynchronises) {
  TestSystem test;
  const auto module = test.load(services);
  ASSERT_DONE(start(*test.context->default_stream(), *module, "prints", {}, {3}));
  Event event(test.context);
  ASSERT_DONE(event.record(*test.context->default_stream()));
  while (!event.query().ok()) std::this_thread::yield();
  EXPECT_EQ(test.printed(), "");
  ASSERT_DONE(test.context->default_stream()->synchronize());
  EXPECT_EQ(test.printed(), "t = 0\nt = 1\nt = 2\n");
}

TEST(Services, WhatKernelsPrintedComesAtTheStartOfTheNextLaunch) {
  TestSystem test;
  const auto module = test.load(services);
  ASSERT_DONE(start(*test.context->default_stream(), *module, "prints", {}, {1}));
  Event event(test.context);
  ASSERT_DONE(event.record(*test.context->default_stream()));
  while (!event.query().ok()) std::this_thread::yield();
  EXPECT_EQ(test.printed(), "");
  ASSERT_DONE(start(*test.context->default_stream(), *module, "prints", {}, {2}));
  EXPECT_EQ(test.printed(), "t = 0\n");
  ASSERT_DONE(test.context->synchronize());
  EXPECT_EQ(test.printed(), "t = 0\nt = 0\nt = 1\n");
}

TEST(Services, TheHeapOutlivesTheKernel) {
  TestSystem test;
  const auto module = test.load(services);
  const uint64_t place = (*test.context->allocate(MemoryKind::device, 8))->address;
  ASSERT_DONE(start(*test.context->default_stream(), *module, "allocates", {}, {}, {place}));
  ASSERT_DONE(test.context->synchronize());
  const uint64_t piece = *pointer<uint64_t>(place);
  ASSERT_NE(piece, 0u);
  EXPECT_EQ(*pointer<uint32_t>(piece), 99u);
  EXPECT_EQ(test.system->memory().find(piece)->kind, MemoryKind::heap);
  EXPECT_EQ(code(test.context->free(piece, {MemoryKind::device})), ErrorCode::invalid_value);
  ASSERT_DONE(start(*test.context->default_stream(), *module, "releases", {}, {}, {piece}));
  ASSERT_DONE(test.context->synchronize());
  ASSERT_DONE(start(*test.context->default_stream(), *module, "releases", {}, {}, {piece}));
  EXPECT_EQ(code(test.context->synchronize()), ErrorCode::fault);
}

TEST(Services, AFailedAssertionIsPrintedAndEndsTheContext) {
  TestSystem test;
  const auto module = test.load(services);
  ASSERT_DONE(start(*test.context->default_stream(), *module, "asserts"));
  const Done state = test.context->synchronize();
  ASSERT_EQ(code(state), ErrorCode::fault);
  EXPECT_EQ(state.error().fault->kind, exec::FaultKind::assertion);
  EXPECT_EQ(test.errors(), "k.cu:12: k: block: [0,0,0], thread: [0,0,0] Assertion `x > 0` failed.\n");
}

}  // namespace
}  // namespace heddle::runtime
