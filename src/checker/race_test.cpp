// Which accesses of small kernels are races. Expectations are the PTX memory model's (PTX ISA 8), by hand.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "checker/race_detector.h"
#include "exec/interp/executor.h"
#include "exec/interp/program_runner.h"
#include "ptx/parser.h"

namespace heddle::checker {
namespace {

struct Shape {
  uint32_t blocks = 1, threads = 64;
  const char* device = "h200";
  uint32_t cluster = 1;
  void (*behind)(RaceDetector&) = nullptr;  // the kernel's last event, before its launch has ended
};

std::vector<Race> races_in(const exec::Launch& asked, const analysis::QuietStretches& stretches,
                           void (*behind)(RaceDetector&)) {
  exec::Launch launch = asked;
  RaceDetector detector({});
  {
    const auto observer = detector.launch(launch, {});
    observer->leave_out_quiet_stretches(stretches);
    launch.observer = observer.get();
    const auto report = exec::interp::make_executor()->run(launch);
    EXPECT_TRUE(report.ok()) << report.error().message();
    if (behind != nullptr) behind(detector);
  }
  return detector.races();
}

// Runs kernel `k(.param .u64 data)` over 64 KiB of zeros, variables included, and says what raced.
std::vector<Race> races_of(const std::string& body, const Shape& shape = {}) {
  const std::string text =
      ".version 8.5\n.target sm_" + std::string(std::strcmp(shape.device, "h200") == 0 ? "90" : "50") +
      "\n.address_size 64\n.visible .entry k(.param .u64 data) {\n"
      ".shared .align 16 .b8 buffer[4096];\n.reg .pred %p<9>; .reg .b32 %r<32>; .reg .b64 "
      "%rd<16>;\nld.param.u64 %rd0, [data]; cvta.to.global.u64 %rd0, %rd0;\n"
      "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; shl.b32 %r2, %r0, 2;\n"
      "cvt.u64.u32 %rd1, %r2; add.u64 %rd2, %rd0, %rd1; mov.u32 %r3, buffer; add.u32 %r4, "
      "%r3, %r2;\n" +
      body + "\nret;\n}\n";
  const auto source = std::make_shared<const SourceText>("test.ptx", text);
  Diagnostics diagnostics;
  const ptx::Module syntax = ptx::read(source, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.render(*source);
  const ptx::Module* const modules[] = {&syntax};
  auto linked = module::link(modules);
  EXPECT_TRUE(linked.ok());
  if (!linked.ok()) return {};
  exec::LoadedModule loaded;
  loaded.image = std::move(linked.value());
  exec::GuestMemory guest;
  exec::interp::Pages pages(guest);
  exec::interp::SilentServices services;
  const uint64_t data = reinterpret_cast<uintptr_t>(pages.allocate(65536));
  exec::Launch launch;
  launch.module = &loaded;
  launch.function = loaded.image->function_index("k");
  launch.shape.grid = {shape.blocks};
  launch.shape.block = {shape.threads};
  launch.shape.cluster = {shape.cluster};
  launch.params = std::as_bytes(std::span(&data, 1));
  launch.device = *arch::find_device(shape.device);
  launch.memory = &guest;
  launch.services = &services;
  launch.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  const std::vector<Race> races = races_in(launch, {}, shape.behind);
  // What is left out of quiet stretches is no part of any race.
  std::memset(reinterpret_cast<void*>(data), 0, 65536);
  const std::vector<Race> without =
      races_in(launch, analysis::quiet_stretches(*loaded.image, launch.function), shape.behind);
  EXPECT_EQ(races.size(), without.size()) << body;
  for (std::size_t i = 0; i < std::min(races.size(), without.size()); ++i)
    EXPECT_TRUE(races[i].first.place == without[i].first.place &&
                races[i].second.place == without[i].second.place && races[i].missing == without[i].missing)
        << body;
  return races;
}

// Races of only one kind, or none.
std::string kinds(const std::vector<Race>& races) {
  static const char* const names[] = {"warp_barrier", "block_barrier", "cluster_barrier", "grid_order",
                                      "launch_order", "family_order",  "acquire_fence",   "lock_acquire",
                                      "lock_release", "atomic_scope",  "copy_wait",       "atomicity"};
  std::set<std::string> all;
  for (const Race& race : races) all.insert(names[static_cast<std::size_t>(race.missing)]);
  std::string text;
  for (const std::string& name : all) text += (text.empty() ? "" : " ") + name;
  return text;
}

const char* const rotate = "xor.b32 %r5, %r4, 128; ld.shared.u32 %r6, [%r5];";  // of the other warp

// Threads that come through different barriers may read where others write.
TEST(Race, IsSeenWhereABlockComesThroughDifferentBarriers) {
  const char* const parts =
      "setp.lt.u32 %p0, %r0, 32; @%p0 bra first; bar.sync 0; ld.shared.u32 %r6, [buffer]; bar.sync 0; bra "
      "end; first: bar.sync 0; st.shared.u32 [%r4], %r0; bar.sync 0; end:";
  EXPECT_EQ(kinds(races_of(parts)), "block_barrier");
  const char* const together =
      "st.shared.u32 [%r4], %r0; bar.sync 0; ld.shared.u32 %r6, [buffer]; bar.sync 0; st.shared.u32 [%r4], "
      "%r0;";
  EXPECT_EQ(kinds(races_of(together)), "");
}

// A launch keeps the lock behind its last event. Its thread may wait for another one that wants it, and so
// never come to give it away.
TEST(Race, ALaunchOfAThreadThatWaitsLetsTheLockGo) {
  const auto behind = [](RaceDetector& detector) {
    detector.let_go();
    std::thread([&detector] { detector.retire({}, {}); }).join();
  };
  EXPECT_EQ(kinds(races_of("st.global.u32 [%rd0], %r0;", {.behind = behind})), "block_barrier");
}

TEST(Race, OrdersABlockByItsBarrier) {
  const std::string store = "st.shared.u32 [%r4], %r0;";
  EXPECT_EQ(kinds(races_of(store + "bar.sync 0;" + rotate)), "");
  const auto races = races_of(store + rotate);
  EXPECT_EQ(kinds(races), "block_barrier");
  ASSERT_EQ(races.size(), 1U);
  EXPECT_EQ(races[0].hazards, 64U * 4);  // each reads what another one writes, whichever comes first
}

TEST(Race, CountsTheBytesOfEveryPair) {
  // Thread 0 reads what 127 others have written: 508 bytes, as compute-sanitizer says of NVIDIA's sample.
  const auto races = races_of(R"(
    st.shared.u32 [%r4], %r0;
    setp.ne.u32 %p0, %r0, 0; @%p0 bra END;
    mov.u32 %r7, 0;
  LOOP: ld.shared.u32 %r6, [%r3]; add.u32 %r3, %r3, 4; add.u32 %r7, %r7, 1;
    setp.lt.u32 %p1, %r7, 128; @%p1 bra LOOP;
  END:)",
                              {.threads = 128});
  uint64_t hazards = 0;
  for (const Race& race : races) hazards += race.hazards;
  EXPECT_EQ(hazards, 508U);
}

TEST(Race, LanesOfAWarpAreInStepBeforeVolta) {
  const std::string body = "st.shared.u32 [%r4], %r0; xor.b32 %r5, %r4, 4; ld.shared.u32 %r6, [%r5];";
  EXPECT_EQ(kinds(races_of(body, {.threads = 32, .device = "gtx980"})), "");
  const auto races = races_of(body, {.threads = 32});
  EXPECT_EQ(kinds(races), "warp_barrier");
  EXPECT_EQ(races[0].severity, Severity::warning);
  EXPECT_EQ(kinds(races_of("st.shared.u32 [%r4], %r0; bar.warp.sync 0xffffffff; xor.b32 %r5, %r4, 4; "
                           "ld.shared.u32 %r6, [%r5];",
                           {.threads = 32})),
            "");
  EXPECT_EQ(kinds(races_of("st.shared.u32 [%r3], %r0;", {.threads = 32, .device = "gtx980"})),
            "warp_barrier");
}

TEST(Race, ABarrierOfSomeWarpsOrdersThose) {
  const std::string store = "st.shared.u32 [%r4], %r0; setp.ge.u32 %p0, %r0, 64;";
  EXPECT_EQ(kinds(races_of(store + "@%p0 bra END; bar.sync 1, 64;" + rotate + "END:", {.threads = 96})), "");
  EXPECT_EQ(kinds(races_of(store + "@%p0 bar.sync 1, 32; @%p0 bra END;" + rotate + "END:", {.threads = 96})),
            "block_barrier");
}

TEST(Race, AnAsynchronousCopyIsDoneWhenItWasWaitedFor) {
  const std::string copy = "cp.async.ca.shared.global [%r4], [%rd2], 4;";
  EXPECT_EQ(kinds(races_of(copy + "cp.async.wait_all; bar.sync 0;" + rotate)), "");
  EXPECT_EQ(kinds(races_of(copy + "cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;" + rotate)), "");
  EXPECT_EQ(kinds(races_of(copy + "bar.sync 0;" + rotate)), "copy_wait");
  EXPECT_EQ(kinds(races_of(copy + "cp.async.wait_all;" + rotate)), "block_barrier");
  // One's own copy, too.
  EXPECT_EQ(kinds(races_of(copy + "ld.shared.u32 %r6, [%r4];")), "copy_wait");
  EXPECT_EQ(kinds(races_of(copy + "cp.async.wait_all; ld.shared.u32 %r6, [%r4];")), "");
  // One group may be left, and that is the one that is read.
  EXPECT_EQ(kinds(races_of(copy + "cp.async.commit_group; cp.async.wait_group 1; bar.sync 0;" + rotate)),
            "copy_wait");
  EXPECT_EQ(kinds(races_of(copy +
                           "cp.async.commit_group; cp.async.commit_group; cp.async.wait_group 1; bar.sync "
                           "0;" +
                           rotate)),
            "");
}

TEST(Race, BlocksOfAClusterAreOrderedByItsBarrier) {
  const std::string far =
      "mov.u32 %r9, %cluster_ctarank; xor.b32 %r9, %r9, 1; mapa.shared::cluster.u32 %r5, %r4, %r9;"
      "ld.shared::cluster.u32 %r6, [%r5];";
  const std::string barrier = "barrier.cluster.arrive; barrier.cluster.wait;";
  const Shape pairs{.blocks = 4, .threads = 64, .cluster = 2};
  EXPECT_EQ(kinds(races_of("st.shared.u32 [%r4], %r0;" + barrier + far + barrier, pairs)), "");
  EXPECT_EQ(kinds(races_of("st.shared.u32 [%r4], %r0;" + far + barrier, pairs)), "cluster_barrier");
  EXPECT_EQ(kinds(races_of("st.shared.u32 [%r4], %r0; bar.sync 0;" + far + barrier, pairs)),
            "cluster_barrier");
}

TEST(Race, BlocksAreNotOrdered) {
  EXPECT_EQ(kinds(races_of("st.global.u32 [%rd2], %r1;", {.blocks = 2, .threads = 32})), "grid_order");
  EXPECT_EQ(kinds(races_of("ld.global.u32 %r5, [%rd2];", {.blocks = 2, .threads = 32})), "");
}

TEST(Race, AtomicOperationsMeetWithinTheirScope) {
  const auto of = [](const std::string& scope, uint32_t blocks) {
    return kinds(races_of("atom.global" + scope + ".add.u32 %r5, [%rd0], 1;", {.blocks = blocks}));
  };
  EXPECT_EQ(of("", 2), "");
  EXPECT_EQ(of(".gpu", 2), "");
  EXPECT_EQ(of(".cta", 1), "");
  EXPECT_EQ(of(".cta", 2), "atomic_scope");
  EXPECT_EQ(kinds(races_of("atom.global.add.u32 %r5, [%rd0], 1; ld.global.u32 %r6, [%rd0];", {.blocks = 2})),
            "atomicity");
}

TEST(Race, ACompareAndSwapThatFailsOnlyReads) {
  const Shape two{.blocks = 2, .threads = 64};
  const auto with = [&](const char* expected, const char* other) {
    return kinds(races_of("atom.global.cas.b32 %r5, [%rd0], " + std::string(expected) + ", 0;" + other, two));
  };
  EXPECT_EQ(with("7", "ld.global.u32 %r6, [%rd0];"), "");
  EXPECT_EQ(with("0", "ld.global.u32 %r6, [%rd0];"), "atomicity");
  EXPECT_EQ(kinds(races_of("atom.global.cas.b32 %r5, [%rd0], 7, 0; st.global.u32 [%rd0], 0;",
                           {.blocks = 2, .threads = 1})),
            "atomicity grid_order");
  // Of one warp's lanes only one changes something.
  EXPECT_EQ(kinds(races_of("setp.ne.u32 %p0, %r0, 5; atom.global.cas.b32 %r5, [%rd0+64], %r0, 5; @%p0 "
                           "ld.global.u32 %r6, [%rd0+64];",
                           {.threads = 32})),
            "atomicity");
  const auto in_shared = [](const char* expected) {
    return kinds(races_of("atom.shared.cas.b32 %r5, [%r3], " + std::string(expected) +
                          ", 0; ld.shared.u32 %r6, [%r3];"));
  };
  EXPECT_EQ(in_shared("7"), "");
  EXPECT_EQ(in_shared("0"), "atomicity");
}

// A plain write and atomic operations that others make of the same place, behind the writer's own one, too.
TEST(Race, AtomicOperationsMeetNoPlainWrite) {
  const std::string first = "or.b32 %r7, %r0, %r1; setp.ne.u32 %p0, %r7, 0; @!%p0 st.global.u32 [%rd0], 5;";
  const std::string fence = "membar.gl; bar.sync 0;", count = "atom.global.add.u32 %r5, [%rd0], 1;";
  for (const uint32_t blocks : {1U, 2U}) {
    EXPECT_EQ(kinds(races_of(first + count, {.blocks = blocks, .threads = 4})), "atomicity");
    EXPECT_EQ(kinds(races_of(first + count, {.blocks = blocks, .threads = 64})), "atomicity");
  }
  EXPECT_EQ(kinds(races_of(first + fence + count, {.threads = 64})), "");
  // The second block may count before the first one sets the counter: it looks at nothing that says it is not
  // so.
  EXPECT_EQ(kinds(races_of(first + fence + count, {.blocks = 2, .threads = 64})), "atomicity");
  EXPECT_EQ(kinds(races_of(first + fence + "red.global.add.u32 [%rd0], 1;", {.blocks = 2, .threads = 64})),
            "atomicity");
}

TEST(Race, AtomicOperationsNeedNoLock) {
  const auto under_lock = [](const std::string& body) {
    return kinds(races_of("L: atom.global.cas.b32 %r5, [%rd0], 0, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra L; " +
                              body + " atom.global.exch.b32 %r6, [%rd0], 0;",
                          {.blocks = 2, .threads = 1}));
  };
  EXPECT_EQ(under_lock("atom.global.add.u32 %r7, [%rd0+64], 1;"), "");
  EXPECT_NE(under_lock("st.global.u32 [%rd0+64], 1;"), "");
  EXPECT_NE(under_lock("atom.global.cta.add.u32 %r7, [%rd0+64], 1;"), "");
}

// One operation of its block alone, hidden behind those of the device that its thread and its neighbours
// make.
TEST(Race, AnAtomicOperationOfTheBlockIsNotForgottenBehindWiderOnes) {
  const std::string wide = "atom.global.gpu.add.u32 %r5, [%rd0], 1;",
                    first = "or.b32 %r7, %r0, %r1; setp.ne.u32 %p0, %r7, 0; @!%p0 ";
  const Shape two{.blocks = 2, .threads = 64};
  EXPECT_EQ(kinds(races_of(first + "atom.global.cta.add.u32 %r5, [%rd0], 1;" + wide + wide, two)),
            "atomic_scope");
  EXPECT_EQ(kinds(races_of(first + wide + wide + wide, two)), "");
}

// The last one of a counter sets it back; whoever is not the last one, or did not count in the others' scope,
// races.
TEST(Race, ACounterIsSetBackByTheLastWhoCounted) {
  const auto of = [](const std::string& scope, const std::string& who) {
    return kinds(races_of("setp.ne.u32 %p0, %r0, 0; @%p0 bra END; atom.global" + scope +
                              ".add.u32 %r5, [%rd0], 1; setp.ne.u32 %p1, " + who +
                              "; @%p1 bra END; st.global.u32 [%rd0], 0; END:",
                          {.blocks = 3}));
  };
  EXPECT_EQ(of("", "%r5, 2"), "");
  EXPECT_EQ(of("", "%r5, 1"), "atomicity");
  EXPECT_EQ(of(".cta", "%r5, 2"), "atomic_scope atomicity");
  EXPECT_EQ(kinds(races_of("setp.ne.u32 %p0, %r1, 2; @%p0 atom.global.add.u32 %r5, [%rd0], 1; "
                           "@!%p0 st.global.u32 [%rd0], 0;",
                           {.blocks = 3, .threads = 1})),
            "atomicity");
}

// Block 0 writes and raises a flag, block 1 waits for the flag and reads.
std::string message(const std::string& raise, const std::string& wait,
                    const std::string& load = "ld.global") {
  return R"(
    setp.ne.u32 %p0, %r0, 0; @%p0 bra END;
    setp.ne.u32 %p1, %r1, 0; @%p1 bra WAIT;
    st.global.u32 [%rd0], 7; )" +
         raise + R"( bra END;
  WAIT: )" +
         wait + load + R"(.u32 %r6, [%rd0];
  END:)";
}

TEST(Race, AFlagOrdersWithFencesOfItsScope) {
  const std::string poll =
      "LOOP: ld.volatile.global.u32 %r5, [%rd0+64]; setp.eq.u32 %p2, %r5, 0; @%p2 bra LOOP;";
  const std::string flag = "st.volatile.global.u32 [%rd0+64], 1;";
  const Shape two{.blocks = 2, .threads = 32};
  EXPECT_EQ(kinds(races_of(message("membar.gl;" + flag, poll + "membar.gl;"), two)), "");
  EXPECT_EQ(kinds(races_of(message("membar.cta;" + flag, poll + "membar.gl;"), two)), "grid_order");
  EXPECT_EQ(kinds(races_of(message(flag, poll + "membar.gl;"), two)), "grid_order");
  EXPECT_EQ(kinds(races_of(message("membar.gl;" + flag, poll), two)), "acquire_fence");
  EXPECT_EQ(kinds(races_of(message("membar.gl;" + flag, poll, "ld.volatile.global"), two)), "");
  const std::string acquire =
      "LOOP: ld.acquire.gpu.global.u32 %r5, [%rd0+64]; setp.eq.u32 %p2, %r5, 0; @%p2 bra LOOP;";
  EXPECT_EQ(kinds(races_of(message("st.release.gpu.global.u32 [%rd0+64], 1;", acquire), two)), "");
  EXPECT_EQ(kinds(races_of(message("st.release.cta.global.u32 [%rd0+64], 1;", acquire), two)),
            "atomic_scope grid_order");
  EXPECT_EQ(kinds(races_of(message("st.relaxed.gpu.global.u32 [%rd0+64], 1;", acquire), two)), "grid_order");
}

// A lock around an access of each block.
std::string locked(const std::string& first, const std::string& second) {
  return R"(
    setp.ne.u32 %p0, %r0, 0; @%p0 bra END;
    setp.ne.u32 %p1, %r1, 0;
  )" + [&] { return "@%p1 bra OTHER;\n" + first + "bra END;\nOTHER:" + second + "END:"; }();
}
std::string section(const std::string& name, const std::string& before, const std::string& behind) {
  return name + ": atom.global.cas.b32 %r5, [%rd0+64], 0, 1; setp.ne.u32 %p2, %r5, 0; @%p2 bra " + name +
         ";" + before + "st.global.u32 [%rd0], %r1;" + behind + "atom.global.exch.b32 %r5, [%rd0+64], 0;";
}

TEST(Race, ALockNeedsItsFencesWhicheverBlockComesFirst) {
  const std::string gl = "membar.gl;", cta = "membar.cta;";
  const Shape two{.blocks = 2, .threads = 32};
  const auto of = [&](const std::string& first, const std::string& second) {
    return kinds(races_of(locked(first, second), two));
  };
  const std::string good = section("A", gl, gl), also_good = section("B", gl, gl);
  EXPECT_EQ(of(good, also_good), "");
  EXPECT_EQ(of(section("A", "", gl), also_good), "lock_acquire");
  EXPECT_EQ(of(section("A", cta, gl), also_good), "lock_acquire");
  EXPECT_EQ(of(good, section("B", gl, "")), "lock_release");
  EXPECT_EQ(of(good, section("B", gl, cta)), "lock_release");
  EXPECT_NE(of(section("A", gl, ""), also_good), "");
  EXPECT_NE(of(good, section("B", "", gl)), "");
  EXPECT_EQ(of(good, "st.global.u32 [%rd0], 2;"), "grid_order");
}

}  // namespace
}  // namespace heddle::checker
