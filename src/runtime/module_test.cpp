#include "runtime/module.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "runtime/testing.h"

namespace heddle::runtime {
namespace {

using testing::HasSubstr;

std::string load_error(TestSystem& test, std::vector<ProgramText> texts) {
  std::string log;
  const auto module = load_module(*test.context, texts, log);
  return module ? "ok" : log;
}

constexpr const char* variables = R"(.version 7.0
.target sm_50
.address_size 64
.visible .global .align 4 .u32 numbers[4] = {1, 2, 3};
.visible .const .align 8 .f64 pi = 0d400921FB54442D18;
.visible .const .align 1 .b8 letter[3] = {97, 98, 99};
.visible .global .u64 place = numbers + 8;
.visible .global .u64 self = generic(place);
.visible .global .attribute(.managed) .u32 shared_count = 7;
.visible .global .u64 table[2] = {work, other};
.func work() { ret; }
.func other() { ret; }
.visible .entry k() { ret; }
)";

TEST(Modules, PlaceVariablesWithTheirFirstContents) {
  TestSystem test;
  const auto module = test.load(variables);
  ASSERT_NE(module, nullptr);
  const auto at = [&](std::string_view name) { return module->variable(name)->address; };
  EXPECT_EQ(module->variable("numbers")->bytes, 16u);
  EXPECT_THAT(std::vector<uint32_t>(pointer<uint32_t>(at("numbers")), pointer<uint32_t>(at("numbers")) + 4),
              testing::ElementsAre(1, 2, 3, 0));
  EXPECT_EQ(*pointer<double>(at("pi")), 3.141592653589793);
  EXPECT_EQ(std::string(pointer<char>(at("letter")), 3), "abc");
  EXPECT_EQ(*pointer<uint64_t>(at("place")), at("numbers") + 8);
  EXPECT_EQ(*pointer<uint64_t>(at("self")), at("place"));
  EXPECT_EQ(*pointer<uint32_t>(at("shared_count")), 7u);
  EXPECT_NE(pointer<uint64_t>(at("table"))[0], 0u);
  EXPECT_NE(pointer<uint64_t>(at("table"))[0], pointer<uint64_t>(at("table"))[1]);
  EXPECT_EQ(test.system->memory().find(at("numbers"))->kind, MemoryKind::variable);
  EXPECT_EQ(test.system->memory().find(at("shared_count"))->kind, MemoryKind::managed);
  // Kernels write variables, and constants by their global address.
  EXPECT_TRUE(test.context->guest_memory().accessible(at("numbers"), 16, true));
  EXPECT_TRUE(test.context->guest_memory().accessible(at("pi"), 8, false));
  EXPECT_TRUE(test.context->guest_memory().accessible(at("pi"), 8, true));
}

TEST(Modules, TheHostWritesConstants) {
  TestSystem test;
  const auto module = test.load(variables);
  const uint64_t pi = module->variable("pi")->address, letter = module->variable("letter")->address;
  const double three = 3;
  for (int i = 0; i < 3; ++i) {
    ASSERT_DONE(copy(*test.context->default_stream(), pi, address_of(&three), sizeof three));
    ASSERT_DONE(fill(*test.context->default_stream(), letter, 'x', 3));
    ASSERT_DONE(test.context->synchronize());
    EXPECT_EQ(*pointer<double>(pi), 3);
    EXPECT_EQ(std::string(pointer<char>(letter), 3), "xxx");
  }
}

TEST(Modules, UnloadingTakesTheVariablesAway) {
  TestSystem test;
  const auto module = test.load(variables);
  const uint64_t address = module->variable("numbers")->address;
  const uint64_t before = test.system->devices()[0].budget.used();
  EXPECT_GT(before, 0u);
  std::weak_ptr<Module> gone;
  {
    const auto second = test.load(variables);
    EXPECT_NE(second->variable("numbers")->address, address);
    gone = second;
    EXPECT_DONE(second->unload());
  }
  EXPECT_TRUE(gone.expired());
  EXPECT_EQ(test.system->devices()[0].budget.used(), before);
  EXPECT_NE(test.system->memory().find(address), nullptr);
}

// Launches keep a module until they end, and it keeps something ready for the next ones: not for ever.
TEST(Modules, LaunchedOnesGoWhenNobodyHasThem) {
  TestSystem test({.scripted = true});
  const auto launch_some = [&](Module& module) {
    LaunchRequest request;
    request.kernel = *module.kernel("k");
    for (int i = 0; i < 40; ++i) ASSERT_DONE(launch(*test.context->default_stream(), request));
  };
  std::weak_ptr<Module> unloaded, released, kept;
  {
    const auto first = test.load(variables), second = test.load(variables);
    unloaded = first, released = second;
    launch_some(*first);
    launch_some(*second);
    EXPECT_DONE(first->unload());
    second->unload_when_unused();
    launch_some(*second);  // an OpenCL kernel outlives its program
    EXPECT_DONE(test.context->synchronize());
    const auto third = test.load(variables);
    kept = third;
    launch_some(*third);
    EXPECT_DONE(test.context->synchronize());
  }
  // The thread that ran the last launch lets go of it after it has told that it is done.
  const auto goes = [](const std::weak_ptr<Module>& module) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!module.expired() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return module.expired();
  };
  EXPECT_TRUE(goes(unloaded));
  EXPECT_TRUE(goes(released));
  EXPECT_FALSE(kept.expired());
  test.context->destroy();
  EXPECT_TRUE(goes(kept));
}

TEST(Modules, NamesThatAreNotThereAreSaid) {
  TestSystem test;
  const auto module = test.load(variables);
  EXPECT_EQ(said(module->kernel("kk")), "no kernel is called 'kk'; did you mean 'k'?");
  EXPECT_EQ(said(module->variable("number")), "no variable is called 'number'; did you mean 'numbers'?");
  EXPECT_EQ(code(module->variable("nothing_like_it")), ErrorCode::not_found);
  EXPECT_EQ(code(module->bound("numbers", module::SymbolKind::texture)), ErrorCode::not_found);
}

TEST(Modules, SeveralTextsAreLinked) {
  TestSystem test;
  const std::string first = R"(.version 7.0
.target sm_50
.address_size 64
.extern .global .u32 counter;
.extern .func helper();
.visible .entry k() { .reg .u32 %r; ld.global.u32 %r, [counter]; call helper; ret; }
)";
  const std::string second = R"(.version 7.0
.target sm_50
.address_size 64
.visible .global .u32 counter = 5;
.visible .func helper() { ret; }
)";
  std::string log;
  const std::vector<ProgramText> texts{{"first.ptx", first}, {"second.ptx", second}};
  const auto module = load_module(*test.context, texts, log);
  ASSERT_TRUE(module.ok()) << log;
  EXPECT_EQ(*pointer<uint32_t>((*module)->variable("counter")->address), 5u);
  EXPECT_THAT(load_error(test, {{"first.ptx", first}}), HasSubstr("counter"));
}

// A package has one text for devices of all kinds, and may be newer than this one.
constexpr const char* of_tomorrow = R"(.version 7.0
.target sm_50
.address_size 64
.visible .global .u32 x = 1;
.func helper() {
  .reg .pred %p;
  .reg .u32 %r;
  @%p tcgen09.spin.b32 %r,  // not yet; invented
    {%r, %r};
  ret;
}
.visible .entry direct() { .reg .u32 %r; add.sat.f128 %r, %r, %r; frob; ret; }
.visible .entry through() { call helper; ret; }
.visible .entry sound() { .reg .u64 %a; .reg .u32 %r; mov.u64 %a, x; ld.global.u32 %r, [%a]; ret; }
)";

TEST(Modules, AnUnknownInstructionHarmsThoseKernelsAloneThatReachIt) {
  TestSystem test;
  std::string log;
  const std::vector<ProgramText> texts{{"t.ptx", of_tomorrow}};
  const auto module = load_module(*test.context, texts, log);
  ASSERT_TRUE(module.ok()) << log;
  EXPECT_THAT(log, HasSubstr("t.ptx:8:"));
  EXPECT_THAT(log, HasSubstr("tcgen09"));
  EXPECT_TRUE((*module)->kernel("sound").ok());
  const auto direct = (*module)->kernel("direct");
  ASSERT_FALSE(direct.ok());
  EXPECT_EQ(direct.error().code, ErrorCode::invalid_image);
  EXPECT_THAT(direct.error().message, HasSubstr("kernel 'direct' cannot run: t.ptx:12:"));
  const auto through = (*module)->kernel("through");
  ASSERT_FALSE(through.ok());
  EXPECT_THAT(through.error().message, HasSubstr("tcgen09"));
  // Lines of what is sound are those of the text.
  const module::Image& image = (*module)->image();
  const module::Function& sound = *image.find_function("sound");
  EXPECT_EQ(image.units[0].source->locate(sound.code[0].source_offset).line, 14u);
}

TEST(Modules, AProgramWithoutASoundKernelIsRefusedAsBefore) {
  TestSystem test;
  const std::string head = ".version 7.0\n.target sm_50\n.address_size 64\n";
  EXPECT_THAT(load_error(test, {{"k.ptx", head + ".visible .entry k() { frob.u32; ret; }\n"}}),
              HasSubstr("k.ptx:4:"));
  // A known instruction that is wrong, or text that is no instruction: an error of the whole.
  EXPECT_THAT(load_error(test, {{"k.ptx", head + ".visible .entry k() { ret; }\n"
                                                 ".visible .entry b() { frob.u32; add.u32 1, 2; ret; }\n"}}),
              HasSubstr("k.ptx:5:"));
  EXPECT_THAT(load_error(test, {{"k.ptx", head + ".visible .entry k() { ret; }\nfrob.u32;\n"}}),
              HasSubstr("k.ptx:5:"));
  EXPECT_THAT(load_error(test, {{"k.ptx", head + ".visible .entry k() { ret; }\n"
                                                 ".visible .entry b() { frob.u32 /* ; }\n"}}),
              HasSubstr("k.ptx:5:"));
}

TEST(Modules, AFunctionThatIsNowhereIsNamed) {
  TestSystem test;
  const std::string program = R"(.version 7.0
.target sm_50
.address_size 64
.extern .func nowhere();
.visible .entry k() { call nowhere; ret; }
)";
  EXPECT_THAT(load_error(test, {{"k.ptx", program}}),
              HasSubstr("function 'nowhere' is called but defined nowhere"));
  const std::string unused = R"(.version 7.0
.target sm_50
.address_size 64
.extern .func nowhere();
.visible .entry k() { ret; }
)";
  EXPECT_EQ(load_error(test, {{"k.ptx", unused}}), "ok");
}

TEST(Modules, BadTextIsReportedWithItsPlace) {
  TestSystem test;
  EXPECT_THAT(load_error(test, {{"bad.ptx", ".version 7.0\n.target sm_50\n.entry k() { florp.u32 %r1; }\n"}}),
              HasSubstr("bad.ptx:3:"));
  EXPECT_NE(load_error(test, {{"empty.ptx", ""}}), "ok");
  EXPECT_NE(load_error(test, {{"binary.ptx", std::string("\x7f"
                                                         "ELF\0\0\1",
                                                         7)}}),
            "ok");
  EXPECT_DONE(test.context->check());
}

TEST(Modules, MustBeForTheDevice) {
  TestSystem test({.devices = {"k40"}});
  EXPECT_THAT(load_error(test, {{"k.ptx", empty_kernels({"k"}, "sm_50")}}),
              HasSubstr("the program is for sm_50, device 'k40' (sm_35) cannot run it"));
  EXPECT_EQ(load_error(test, {{"k.ptx", empty_kernels({"k"}, "sm_30")}}), "ok");
}

TEST(Modules, ConstantsAreHeldToTheDevicesLimit) {
  TestSystem test;
  EXPECT_THAT(load_error(test, {{"k.ptx",
                                 ".version 7.0\n.target sm_50\n.address_size 64\n"
                                 ".const .b8 table[65537];\n.visible .entry k() { ret; }\n"}}),
              HasSubstr("65537 bytes"));
}

TEST(Modules, ReferencesAreBoundForLaterLaunches) {
  TestSystem test({.scripted = true});
  const auto module = test.load(R"(.version 7.0
.target sm_50
.address_size 64
.global .texref picture;
.visible .entry k(.param .u64 p) { ret; }
)");
  ASSERT_NE(module, nullptr);
  std::vector<uint64_t> seen;
  (*test.kernels)["k"] = [&](const exec::Launch& launch) -> Report {
    seen.push_back(launch.module->symbol_handle[launch.module->image->symbol_index("picture")]);
    return exec::LaunchReport{};
  };
  const auto stream = test.stream();
  Gate go;
  ASSERT_DONE(stream->host_call([&] { go.wait(); }));
  ASSERT_DONE(module->bind("picture", module::SymbolKind::texture, 11));
  ASSERT_DONE(start(*stream, *module, "k"));
  ASSERT_DONE(module->bind("picture", module::SymbolKind::texture, 22));
  ASSERT_DONE(start(*stream, *module, "k"));
  go.open();
  ASSERT_DONE(stream->synchronize());
  EXPECT_EQ(seen, (std::vector<uint64_t>{11, 22}));
  EXPECT_EQ(*module->bound("picture", module::SymbolKind::texture), 22u);
}

TEST(Modules, LoadedWhileTheirContextGoesKeepNothing) {
  TestSystem test;
  for (int round = 0; round < 50; ++round) {
    std::shared_ptr<Context> context = test.make_context();
    const std::weak_ptr<Context> alive = context;
    std::atomic<int> loaded = 0;
    std::vector<uint64_t> places;
    std::thread loader([&, context] {
      while (true) {
        std::string log;
        const ProgramText program{"test.ptx", variables};
        const auto module = load_module(*context, std::span(&program, 1), log);
        const auto memory = context->allocate(MemoryKind::device, 256);
        if (memory) places.push_back((*memory)->address);
        ++loaded;
        if (!module && !memory) return;
      }
    });
    while (loaded < round % 3) std::this_thread::yield();
    context->destroy();
    loader.join();
    context.reset();
    EXPECT_TRUE(alive.expired()) << round;
    for (const uint64_t place : places) EXPECT_EQ(test.system->memory().find(place), nullptr);
  }
}

}  // namespace
}  // namespace heddle::runtime
