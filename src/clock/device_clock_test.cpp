// Times that the guides tell of their devices, and that nothing changes between two runs.
#include "clock/device_clock.h"

#include "clock/forecast.h"
#include "runtime/testing.h"

namespace heddle::clock {
namespace {

using runtime::Done;
using runtime::MemoryKind;

// Best Practices Guide 3.2.1.3: odata[xid] = idata[xid], xid = blockIdx.x * blockDim.x + threadIdx.x +
// offset. `chain`: so many dependent multiply-adds and nothing else to wait for.
constexpr std::string_view kernels = R"(
.version 1.4
.target sm_10
.entry offset_copy(.param .u64 to, .param .u64 from, .param .u64 offset) {
  .reg .u64 %rd<6>;
  .reg .u32 %r<6>;
  .reg .f32 %f<2>;
  mov.u16 %rh1, %ctaid.x;
  ld.param.u64 %rd1, [to];
  ld.param.u64 %rd2, [from];
  ld.param.u32 %r1, [offset];
  cvt.u32.u16 %r2, %ctaid.x;
  cvt.u32.u16 %r3, %ntid.x;
  cvt.u32.u16 %r4, %tid.x;
  mad.lo.u32 %r5, %r2, %r3, %r4;
  add.u32 %r5, %r5, %r1;
  cvt.u64.u32 %rd3, %r5;
  mul.lo.u64 %rd3, %rd3, 4;
  add.u64 %rd4, %rd2, %rd3;
  add.u64 %rd5, %rd1, %rd3;
  ld.global.f32 %f1, [%rd4];
  st.global.f32 [%rd5], %f1;
  exit;
}
.entry chain(.param .u64 to) {
  .reg .u64 %rd<2>;
  .reg .u32 %r<4>;
  .reg .f32 %f<2>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [to];
  mov.f32 %f1, 0f3f800000;
  mov.u32 %r1, 0;
$loop:
  MADS
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p1, %r1, 64;
  @%p1 bra $loop;
  st.global.f32 [%rd1], %f1;
  exit;
}
)";

std::string text_of_kernels() {
  std::string text(kernels);
  const std::string unused = "  mov.u16 %rh1, %ctaid.x;\n";
  text.erase(text.find(unused), unused.size());
  std::string mads;
  for (int i = 0; i < 32; ++i) mads += "mad.f32 %f1, %f1, %f1, %f1;\n";
  return text.replace(text.find("MADS"), 4, mads);
}

class Clocked {
 public:
  explicit Clocked(const std::string& device) : test({.devices = {device}}) {
    auto made = DeviceClock::create(*test.system);
    EXPECT_TRUE(made.ok()) << runtime::said(made);
    clock = *made;
    test.system->watchers().add(clock);
    module = test.load(text_of_kernels());
  }
  ~Clocked() { test.system->watchers().remove(*clock); }

  // Nanoseconds between two events around the work.
  template <class Work>
  int64_t time(runtime::Stream& stream, Work&& work) {
    runtime::Event before(test.context), behind(test.context);
    EXPECT_DONE(before.record(stream));
    work();
    EXPECT_DONE(behind.record(stream));
    EXPECT_DONE(behind.synchronize());
    return *runtime::Event::elapsed(before, behind);
  }
  double copy_bandwidth(uint64_t offset) {
    constexpr uint32_t blocks = 8192, threads = 256;
    const auto memory = *test.context->allocate(MemoryKind::device, uint64_t{blocks} * threads * 8 + 1024);
    const uint64_t from = memory->address + uint64_t{blocks} * threads * 4 + 512;
    const auto stream = test.stream();
    const int64_t ns = time(*stream, [&] {
      EXPECT_DONE(start(*stream, *module, "offset_copy", {blocks, 1, 1}, {threads, 1, 1},
                        {memory->address, from, offset}));
    });
    EXPECT_DONE(test.context->free(memory->address, {MemoryKind::device}));
    return 8.0 * blocks * threads / static_cast<double>(ns);
  }
  int64_t chain_time(uint32_t threads) {
    const auto memory = *test.context->allocate(MemoryKind::device, 256);
    const auto stream = test.stream();
    return time(*stream, [&] {
      EXPECT_DONE(start(*stream, *module, "chain", {1, 1, 1}, {threads, 1, 1}, {memory->address}));
    });
  }

  std::shared_ptr<DeviceClock> clock;  // stays until the system is no more
  runtime::TestSystem test;
  std::shared_ptr<runtime::Module> module;
};

void expect_near(double is, double published, double within) {
  EXPECT_GT(is, published * (1 - within));
  EXPECT_LT(is, published * (1 + within));
}

// CUDA C Best Practices Guide 3.2.1.3, figure 3.7: GB/s.
TEST(DeviceClock, OffsetCopiesHaveTheGuidesBandwidth) {
  Clocked gtx280("gtx280"), g80("8800gtx");
  expect_near(gtx280.copy_bandwidth(0), 120, 0.2);
  expect_near(gtx280.copy_bandwidth(16), 120, 0.2);
  expect_near(g80.copy_bandwidth(0), 74, 0.2);
  expect_near(g80.copy_bandwidth(1), 7, 0.4);
  EXPECT_LT(gtx280.copy_bandwidth(1), gtx280.copy_bandwidth(0));
}

// "To hide register latency ... 192 threads" a multiprocessor (CUDA C Best Practices Guide 4.3): up to there
// more warps take no longer, from there on each takes its own time.
TEST(DeviceClock, AsManyWarpsAsTheGuideSaysHideTheLatency) {
  Clocked g80("8800gtx");
  const auto one = static_cast<double>(g80.chain_time(32)), six = static_cast<double>(g80.chain_time(192)),
             twelve = static_cast<double>(g80.chain_time(384));
  EXPECT_LT(six, one * 1.15);
  expect_near(twelve - six, 6 * 32 * 64 * 4 / 1.35, 0.25);
}

// CUDA C Best Practices Guide 3.1.2: staged copies overlap where the device can.
TEST(DeviceClock, StagedCopiesOverlapWhereTheDeviceCan) {
  const auto staged = [](const std::string& device, int pieces) {
    Clocked on(device);
    constexpr uint64_t bytes = 1 << 20;
    const auto host = *on.test.context->allocate(MemoryKind::pinned, bytes);
    const auto memory = *on.test.context->allocate(MemoryKind::device, 2 * bytes + 4096);
    std::vector<std::shared_ptr<runtime::Stream>> streams;
    for (int i = 0; i < pieces; ++i) streams.push_back(on.test.stream());
    const auto all = on.test.context->default_stream();
    return on.time(*all, [&] {
      for (int i = 0; i < pieces; ++i) {
        const uint64_t at = bytes / static_cast<uint64_t>(pieces) * static_cast<uint64_t>(i);
        EXPECT_DONE(runtime::copy(*streams[static_cast<std::size_t>(i)], memory->address + at,
                                  host->address + at, bytes / static_cast<uint64_t>(pieces)));
        EXPECT_DONE(start(*streams[static_cast<std::size_t>(i)], *on.module, "chain", {60, 1, 1}, {384, 1, 1},
                          {memory->address}));
      }
    });
  };
  // A device of capability 1.0 does one after the other, however many streams.
  EXPECT_GT(staged("8800gtx", 4), staged("8800gtx", 1));
  EXPECT_LT(staged("gtx280", 4), 4 * staged("gtx280", 1));
}

// Where memory lies differs, and with it what lies in one partition.
TEST(DeviceClock, TheSameWorkTakesTheSameTime) {
  Clocked first("gtx480"), second("gtx480");
  const double bandwidth = first.copy_bandwidth(3);
  expect_near(second.copy_bandwidth(3), bandwidth, 0.01);
  EXPECT_LT(bandwidth, 177.4) << "the board's peak";
}

TEST(DeviceClock, WhatTheHostSubmitsBehindAWaitBeginsBehindIt) {
  Clocked on("gtx480");
  const auto one = on.test.stream(), other = on.test.stream({.blocking = false});
  const auto memory = *on.test.context->allocate(MemoryKind::device, 256);
  runtime::Event begin(on.test.context), end(on.test.context);
  EXPECT_DONE(begin.record(*one));
  EXPECT_DONE(start(*one, *on.module, "chain", {1, 1, 1}, {32, 1, 1}, {memory->address}));
  EXPECT_DONE(one->synchronize());
  EXPECT_DONE(end.record(*other));
  EXPECT_DONE(end.synchronize());
  EXPECT_GT(*runtime::Event::elapsed(begin, end), 10000);
}

TEST(Forecast, LinesAreReadAsTheyWereWritten) {
  ForecastLine line;
  line.kernel = "f(int, float)";
  line.device = "h200";
  line.launch = 7, line.blocks = 8, line.threads = 256;
  line.nanoseconds = 1234.5, line.busy = 0.25, line.simulated = 0.5;
  line.bound = "memory";
  std::string written = text(line);
  written.pop_back();
  ForecastLine read;
  ASSERT_TRUE(parse(written, read));
  EXPECT_EQ(text(read), text(line));
  for (const std::string_view wrong :
       {"", "1\t2", "x\tk\td\t1\t1\t1\tb\t1\t1\t", "1\tk\td\t1\t1\t1\tb\t1\t1\t\tmore"})
    EXPECT_FALSE(parse(wrong, read)) << wrong;
}

TEST(Forecast, ASettingThatIsNoneIsAnError) {
  EXPECT_FALSE(Forecast::create("nothing").ok());
  EXPECT_FALSE(Forecast::create("no_such_folder/file:h200").ok());
  EXPECT_FALSE(Forecast::create("/tmp/x:no_such_device").ok());
  const std::string good = testing::TempDir() + "/forecast:h200";
  EXPECT_TRUE(Forecast::create(good, "first=3 parts without=rows").ok());
  EXPECT_FALSE(Forecast::create(good, "first=x").ok());
  EXPECT_FALSE(Forecast::create(good, "without=nothing").ok());
  EXPECT_FALSE(Forecast::create(good, "later").ok());
}

}  // namespace
}  // namespace heddle::clock
