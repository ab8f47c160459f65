#include "runtime/copy.h"

#include <sys/mman.h>

#include <chrono>
#include <numeric>
#include <thread>

#include "runtime/launch.h"
#include "runtime/testing.h"
#include "runtime/texture.h"

namespace heddle::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr exec::Texel one_byte{exec::ChannelKind::unsigned_, {8, 0, 0, 0}};
constexpr exec::Texel four_floats{exec::ChannelKind::floating, {32, 32, 32, 32}};

struct Copies : testing::Test {
  TestSystem test;
  std::shared_ptr<Stream> stream = test.stream();

  uint64_t device(uint64_t bytes) { return (*test.context->allocate(MemoryKind::device, bytes))->address; }
  // 0, 1, 2, ...
  static std::vector<uint8_t> counting(std::size_t count) {
    std::vector<uint8_t> bytes(count);
    std::iota(bytes.begin(), bytes.end(), uint8_t{0});
    return bytes;
  }
  static std::vector<uint8_t> bytes_at(uint64_t address, std::size_t count) {
    return {pointer<uint8_t>(address), pointer<uint8_t>(address) + count};
  }
  std::shared_ptr<Array> array(ArrayRequest request) {
    auto made = Array::create(*test.context, request);
    EXPECT_TRUE(made.ok()) << said(made);
    return made ? *made : nullptr;
  }
};

TEST_F(Copies, LinesFromHostToDeviceAndBack) {
  const std::vector<uint8_t> source = counting(1000);
  std::vector<uint8_t> back(1000);
  const uint64_t memory = device(1000);
  ASSERT_DONE(copy(*stream, memory, address_of(source.data()), 1000));
  ASSERT_DONE(copy(*stream, address_of(back.data()), memory, 1000));
  ASSERT_DONE(stream->synchronize());
  EXPECT_EQ(back, source);
  EXPECT_DONE(copy(*stream, memory, memory, 0));
}

TEST_F(Copies, RowsAndSlicesWithPitches) {
  // 2 slices of 2 rows of 3 bytes, out of a box of 4 x 3 bytes a slice at (1,1,0).
  const std::vector<uint8_t> box = counting(24);
  const uint64_t memory = device(64);
  CopyRequest request;
  request.from = {.address = address_of(box.data()) + 5, .row_pitch = 4, .slice_pitch = 12, .array = {}};
  request.to = {.address = memory, .row_pitch = 8, .slice_pitch = 32, .array = {}};
  request.extent = {3, 2, 2};
  ASSERT_DONE(copy(*stream, request));
  ASSERT_DONE(stream->synchronize());
  EXPECT_THAT(bytes_at(memory, 11), ElementsAre(5, 6, 7, 0, 0, 0, 0, 0, 9, 10, 11));
  EXPECT_THAT(bytes_at(memory + 32, 11), ElementsAre(17, 18, 19, 0, 0, 0, 0, 0, 21, 22, 23));
}

TEST_F(Copies, BetweenArraysAndLinearMemory) {
  const auto picture =
      array({.shape = ArrayShape::d3, .texel = one_byte, .width = 4, .height = 3, .depth = 2});
  const std::vector<uint8_t> box = counting(24);
  std::vector<uint8_t> back(4);
  CopyRequest request;
  request.from = {.address = address_of(box.data()), .row_pitch = 4, .slice_pitch = 12, .array = {}};
  request.to.array = picture;
  request.extent = {4, 3, 2};
  ASSERT_DONE(copy(*stream, request));
  CopyRequest out;
  out.from.array = picture;
  out.from.x = 1, out.from.y = 1, out.from.z = 1;
  out.to = {.address = address_of(back.data()), .row_pitch = 2, .slice_pitch = 0, .array = {}};
  out.extent = {2, 2, 1};
  ASSERT_DONE(copy(*stream, out));
  ASSERT_DONE(stream->synchronize());
  EXPECT_THAT(back, ElementsAre(17, 18, 21, 22));
}

TEST_F(Copies, BetweenArraysAndTheirLevels) {
  const ArrayRequest shape{.shape = ArrayShape::d2_layered,
                           .texel = four_floats,
                           .width = 8,
                           .height = 8,
                           .depth = 3,
                           .levels = 4};
  const auto from = array(shape), to = array(shape);
  EXPECT_EQ(from->level(1).width, 4u);
  EXPECT_EQ(from->level(3).height, 1u);
  EXPECT_EQ(from->level(3).depth, 3u);
  const float value = 2.5f;
  CopyPlace place;
  place.array = from;
  place.level = 2, place.z = 2;
  ASSERT_DONE(fill(*stream, place, {32, 2, 1}, std::as_bytes(std::span(&value, 1))));
  CopyRequest request;
  request.from = place;
  request.to.array = to;
  request.to.level = 1, request.to.x = 32, request.to.y = 2, request.to.z = 1;
  request.extent = {32, 2, 1};
  ASSERT_DONE(copy(*stream, request));
  ASSERT_DONE(stream->synchronize());
  const exec::MipLevel& level = to->level(1);
  const auto at = [&](uint64_t x, uint64_t y, uint64_t z) {
    return *reinterpret_cast<const float*>(level.data + z * level.slice_pitch + y * level.row_pitch + 16 * x +
                                           12);
  };
  EXPECT_EQ(at(2, 2, 1), 2.5f);
  EXPECT_EQ(at(3, 3, 1), 2.5f);
  EXPECT_EQ(at(1, 2, 1), 0.0f);
  EXPECT_EQ(at(2, 2, 0), 0.0f);
}

TEST_F(Copies, FillsMoreThanACacheHolds) {
  constexpr uint64_t count = 7001;
  const uint64_t memory = device(12 * count + 4);
  const std::array<uint32_t, 3> pattern{1, 20, 300};
  CopyPlace place{.address = memory, .row_pitch = 12 * count, .slice_pitch = 0, .array = {}};
  ASSERT_DONE(fill(*stream, place, {12 * count, 1, 1}, std::as_bytes(std::span(pattern))));
  ASSERT_DONE(stream->synchronize());
  const auto bytes = bytes_at(memory, 12 * count + 4);
  for (uint64_t i = 0; i < 12 * count; ++i) {
    const auto expected = static_cast<uint8_t>(pattern[i / 4 % 3] >> 8 * (i % 4));
    ASSERT_EQ(bytes[i], expected) << "byte " << i;
  }
  EXPECT_EQ(bytes[12 * count], 0);
}

TEST_F(Copies, FillsWithPatterns) {
  const uint64_t memory = device(64);
  const uint16_t two = 0x0201;
  const std::array<uint8_t, 3> three{7, 8, 9};
  CopyPlace place{.address = memory, .row_pitch = 16, .slice_pitch = 0, .array = {}};
  ASSERT_DONE(fill(*stream, place, {10, 2, 1}, std::as_bytes(std::span(&two, 1))));
  place.address = memory + 32;
  ASSERT_DONE(fill(*stream, place, {9, 1, 1}, std::as_bytes(std::span(three))));
  ASSERT_DONE(fill(*stream, memory + 60, 0xee, 4));
  ASSERT_DONE(stream->synchronize());
  EXPECT_THAT(bytes_at(memory, 12), ElementsAre(1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 0, 0));
  EXPECT_THAT(bytes_at(memory + 16, 12), ElementsAre(1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 0, 0));
  EXPECT_THAT(bytes_at(memory + 32, 10), ElementsAre(7, 8, 9, 7, 8, 9, 7, 8, 9, 0));
  EXPECT_THAT(bytes_at(memory + 60, 4), ElementsAre(0xee, 0xee, 0xee, 0xee));
  EXPECT_EQ(code(fill(*stream, place, {10, 1, 1}, std::as_bytes(std::span(three)))),
            ErrorCode::invalid_value);
  EXPECT_EQ(code(fill(*stream, place, {10, 1, 1}, {})), ErrorCode::invalid_value);
}

TEST_F(Copies, CanTakePageableMemoryAtOnce) {
  Gate go;
  const uint64_t memory = device(16);
  ASSERT_DONE(stream->host_call([&] { go.wait(); }));
  uint64_t source = 0x1122334455667788;
  CopyRequest request;
  request.to.address = memory;
  request.from.address = address_of(&source);
  request.extent.bytes = 8;
  request.snapshot = true;
  ASSERT_DONE(copy(*stream, request));
  source = 0;
  go.open();
  ASSERT_DONE(stream->synchronize());
  EXPECT_EQ(*pointer<uint64_t>(memory), 0x1122334455667788u);
}

TEST_F(Copies, OutOfBoundsAreRefusedWithValueAndLimit) {
  const uint64_t memory = device(100);
  std::vector<uint8_t> host(200);
  const uint64_t mine = address_of(host.data());
  EXPECT_THAT(said(copy(*stream, memory, mine, 101)),
              HasSubstr("run past the end of device memory of 100 bytes"));
  EXPECT_THAT(said(copy(*stream, mine, memory + 90, 11)), HasSubstr("run past the end"));
  EXPECT_THAT(said(copy(*stream, 0, mine, 1)), HasSubstr("null"));
  EXPECT_EQ(code(copy(*stream, memory, mine, ~uint64_t{0})), ErrorCode::invalid_value);
  CopyRequest request;
  request.from.address = mine;
  request.to.address = memory;
  request.extent = {10, uint64_t{1} << 62, 1};
  request.from.row_pitch = request.to.row_pitch = 16;
  EXPECT_EQ(code(copy(*stream, request)), ErrorCode::invalid_value);
  request.extent = {10, 2, 1};
  request.to.row_pitch = 9;
  EXPECT_THAT(said(copy(*stream, request)), HasSubstr("rows of 10 bytes with a pitch of 9"));
  ASSERT_DONE(test.context->free(memory, {MemoryKind::device}));
  EXPECT_THAT(said(copy(*stream, memory, mine, 1)), HasSubstr("was freed"));
  const auto picture = array({.texel = four_floats, .width = 4, .height = 4});
  CopyRequest in;
  in.from.address = mine;
  in.to.array = picture;
  in.extent = {16, 1, 1};
  in.to.x = 60;
  EXPECT_THAT(said(copy(*stream, in)), HasSubstr("elements have 16"));
  in.to.x = 64;
  EXPECT_THAT(said(copy(*stream, in)), HasSubstr("of an array of 4 x 4 x 1"));
  in.to.x = 0, in.to.level = 1;
  EXPECT_THAT(said(copy(*stream, in)), HasSubstr("mip level 1 of an array that has 1"));
  EXPECT_DONE(test.context->check());
}

struct HostPages {  // three, the middle one inaccessible
  HostPages() { mprotect(begin + page, page, PROT_NONE); }
  ~HostPages() { munmap(begin, 3 * page); }
  static constexpr uint64_t page = 4096;
  std::byte* const begin = static_cast<std::byte*>(
      mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
};

TEST_F(Copies, MemoryOfTheHostThatIsNotThereIsRefused) {
  const HostPages host;
  const uint64_t memory = device(3 * HostPages::page), first = address_of(host.begin);
  for (const auto& [to, from] : {std::pair{memory, first}, std::pair{first, memory}}) {
    const Done refused = copy(*stream, to, from, HostPages::page + 1);
    EXPECT_EQ(code(refused), ErrorCode::invalid_value);
    EXPECT_THAT(refused.error().message, HasSubstr("is not mapped or may not be"));
    EXPECT_DONE(copy(*stream, to, from, HostPages::page));
  }
  // Rows so far apart that the page between them is nobody's.
  CopyRequest request;
  request.from = {.address = first, .row_pitch = 2 * HostPages::page, .slice_pitch = 0, .array = {}};
  request.to = {.address = memory, .row_pitch = 64, .slice_pitch = 0, .array = {}};
  request.extent = {64, 2, 1};
  EXPECT_DONE(copy(*stream, request));
  request.from.row_pitch = HostPages::page;
  EXPECT_EQ(code(copy(*stream, request)), ErrorCode::invalid_value);
  EXPECT_DONE(stream->synchronize());
}

TEST_F(Copies, MemoryOfTheHostThatIsGoneWhenItsTurnComesEndsTheContext) {
  auto* host = static_cast<std::byte*>(
      mmap(nullptr, HostPages::page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  CopyRequest request;
  request.to.address = device(64);
  request.from.address = address_of(host);
  request.extent.bytes = 64;
  const auto late = make_copy(*test.context, request);
  ASSERT_TRUE(late.ok()) << said(late);
  mprotect(host, HostPages::page,
           PROT_NONE);  // and not munmap: another thread may map the same page before the copy's turn
  ASSERT_TRUE(stream->submit(*late).ok());
  EXPECT_EQ(code(stream->synchronize()), ErrorCode::fault);
  munmap(host, HostPages::page);
}

// Registered, and then taken away without a word.
TEST_F(Copies, RegisteredMemoryThatIsGoneEndsTheContext) {
  void* host = mmap(nullptr, HostPages::page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_TRUE(test.context->register_host(address_of(host), HostPages::page, true, false).ok());
  const uint64_t memory = device(64);
  ASSERT_DONE(copy(*stream, memory, address_of(host), 64));
  ASSERT_DONE(stream->synchronize());
  mprotect(host, HostPages::page, PROT_NONE);
  ASSERT_DONE(copy(*stream, memory, address_of(host), 64));
  EXPECT_EQ(code(stream->synchronize()), ErrorCode::fault);
  munmap(host, HostPages::page);
}

TEST_F(Copies, QueuedWorkKeepsTheMemoryThatItUses) {
  Gate go;
  const AllocationRef memory = *test.context->allocate(MemoryKind::device, 1 << 16);
  std::vector<uint8_t> host(1 << 16, 1);
  ASSERT_DONE(stream->host_call([&] { go.wait(); }));
  ASSERT_DONE(copy(*stream, memory->address, address_of(host.data()), host.size()));
  test.system->memory().release(memory);  // without waiting, as a failing program may
  go.open();
  EXPECT_DONE(stream->synchronize());
}

TEST_F(Copies, ArraysAreHeldToTheDevicesLimits) {
  const auto answer = [&](ArrayRequest request) { return said(Array::create(*test.context, request)); };
  EXPECT_EQ(answer({.shape = ArrayShape::d1, .texel = one_byte, .width = 131073}),
            "width of a 1D array is 131073, device 'h200' (sm_90) allows 131072");
  EXPECT_EQ(answer({.texel = one_byte, .width = 131072, .height = 65537}),
            "height of a 2D array is 65537, device 'h200' (sm_90) allows 65536");
  EXPECT_EQ(answer({.shape = ArrayShape::d1_layered, .texel = one_byte, .width = 4, .depth = 2049}),
            "layers of a layered 1D array is 2049, device 'h200' (sm_90) allows 2048");
  EXPECT_EQ(answer({.shape = ArrayShape::cubemap, .texel = one_byte, .width = 4, .height = 5}),
            "the faces of a cubemap are 4 by 5, not square");
  EXPECT_EQ(answer({.shape = ArrayShape::d1, .texel = one_byte, .width = 4, .height = 5}),
            "a 1D array has no height");
  EXPECT_EQ(answer({.texel = one_byte, .width = 0}), "a 2D array of width 0");
  EXPECT_EQ(answer({.texel = one_byte, .width = 8, .height = 8, .levels = 5}),
            "5 mip levels, a 2D array of this size has 1 to 4");
  EXPECT_THAT(answer({.texel = {exec::ChannelKind::floating, {8, 0, 0, 0}}, .width = 8}),
              HasSubstr("channels"));
  EXPECT_THAT(answer({.texel = {exec::ChannelKind::unsigned_, {8, 8, 8, 0}}, .width = 8}),
              HasSubstr("channels"));
  EXPECT_EQ(
      answer({.shape = ArrayShape::cubemap_layered, .texel = one_byte, .width = 8, .height = 8, .depth = 2}),
      "ok");
  const auto cube =
      array({.shape = ArrayShape::cubemap_layered, .texel = one_byte, .width = 8, .height = 8, .depth = 2});
  EXPECT_EQ(cube->level(0).depth, 12u);
}

TEST_F(Copies, WorkFindsTheTexturesAndSurfacesThatAreDestroyedBehindIt) {
  TextureSource source;
  source.array = array({.texel = four_floats, .width = 4, .height = 4, .surface = true});
  const auto texture = create_texture(*test.context, source, {});
  const auto surface = create_surface(*test.context, source);
  ASSERT_TRUE(texture.ok() && surface.ok());
  Gate go;
  ASSERT_DONE(stream->host_call([&] { go.wait(); }));
  EXPECT_DONE(destroy_texture(*test.context, *texture));
  EXPECT_DONE(destroy_surface(*test.context, *surface));
  EXPECT_EQ(code(destroy_texture(*test.context, *texture)), ErrorCode::invalid_handle);
  EXPECT_EQ(code(destroy_surface(*test.context, *surface)), ErrorCode::invalid_handle);
  EXPECT_NE(test.context->services().texture(*texture), nullptr);
  EXPECT_NE(test.context->services().surface(*surface), nullptr);
  go.open();
  EXPECT_DONE(test.context->synchronize());
  // A mark of nobody's takes them away, behind all that was submitted.
  for (int i = 0; i < 2000 && test.context->services().surface(*surface) != nullptr; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(test.context->services().texture(*texture), nullptr);
  EXPECT_EQ(test.context->services().surface(*surface), nullptr);
}

TEST_F(Copies, TexturesAreMadeOfArraysAndLinearMemory) {
  const auto picture = array({.texel = four_floats, .width = 4, .height = 4, .levels = 3, .surface = true});
  exec::Sampler sampler;
  sampler.normalized_coordinates = true;
  TextureSource source;
  source.array = picture;
  const auto texture = create_texture(*test.context, source, sampler);
  ASSERT_TRUE(texture.ok()) << said(texture);
  const exec::TextureObject* object = test.context->services().texture(*texture);
  ASSERT_NE(object, nullptr);
  EXPECT_EQ(object->image.levels, 3u);
  EXPECT_EQ(object->image.mip[2].width, 1u);
  source.first_level = 1;
  const auto part = create_texture(*test.context, source, sampler);
  EXPECT_EQ(test.context->services().texture(*part)->image.mip[0].data, picture->level(1).data);
  source.first_level = 3;
  EXPECT_EQ(code(create_texture(*test.context, source, sampler)), ErrorCode::invalid_value);
  source.first_level = 0;
  const auto surface = create_surface(*test.context, source);
  ASSERT_TRUE(surface.ok());
  EXPECT_EQ(test.context->services().texture(*surface), nullptr);
  EXPECT_NE(test.context->services().surface(*surface), nullptr);
  EXPECT_DONE(destroy_texture(*test.context, *texture));
  EXPECT_EQ(code(destroy_texture(*test.context, *texture)), ErrorCode::invalid_handle);
  EXPECT_EQ(code(destroy_texture(*test.context, *surface)), ErrorCode::invalid_handle);

  TextureSource linear;
  linear.address = device(1024);
  linear.texel = four_floats;
  linear.width = 64;
  const auto buffer = create_texture(*test.context, linear, {});
  ASSERT_TRUE(buffer.ok()) << said(buffer);
  EXPECT_EQ(test.context->services().texture(*buffer)->image.shape, exec::TextureShape::linear_buffer);
  linear.width = 65;
  EXPECT_TRUE(create_texture(*test.context, linear, {}).ok());  // larger than its memory
  linear.width = 4, linear.height = 4, linear.row_pitch = 96;
  EXPECT_TRUE(create_texture(*test.context, linear, {}).ok());
  linear.row_pitch = 72;
  EXPECT_THAT(said(create_texture(*test.context, linear, {})), HasSubstr("a pitch of 72 bytes"));
  linear.row_pitch = 96, linear.address += 16;
  EXPECT_THAT(said(create_texture(*test.context, linear, {})), HasSubstr("multiple of 512"));
}

TEST_F(Copies, IntegersAreNotFiltered) {
  const auto picture = array({.texel = one_byte, .width = 4, .height = 4});
  TextureSource source;
  source.array = picture;
  exec::Sampler sampler;
  sampler.filter = exec::FilterMode::linear;
  EXPECT_THAT(said(create_texture(*test.context, source, sampler)), HasSubstr("cannot be filtered"));
  source.read = exec::ReadMode::normalized_float;
  EXPECT_TRUE(create_texture(*test.context, source, sampler).ok());
}

TEST_F(Copies, AFreedArrayLeavesItsTexturesSafe) {
  const auto picture = array({.texel = one_byte, .width = 4, .height = 4});
  TextureSource source;
  source.array = picture;
  const auto texture = create_texture(*test.context, source, {});
  ASSERT_DONE(picture->destroy());
  const exec::TextureObject* object = test.context->services().texture(*texture);
  ASSERT_NE(object, nullptr);
  EXPECT_EQ(*object->image.mip[0].data, std::byte{0});  // still memory
  EXPECT_EQ(test.system->memory().find(picture->memory()->address), nullptr);
}

TEST_F(Copies, AKernelReadsAnArrayThroughATexture) {
  const auto picture = array({.texel = one_byte, .width = 4, .height = 4});
  const std::vector<uint8_t> pixels = counting(16);
  CopyRequest request;
  request.from = {.address = address_of(pixels.data()), .row_pitch = 4, .slice_pitch = 16, .array = {}};
  request.to.array = picture;
  request.extent = {4, 4, 1};
  ASSERT_DONE(copy(*stream, request));
  ASSERT_DONE(stream->synchronize());
  TextureSource source;
  source.array = picture;
  source.read = exec::ReadMode::normalized_float;
  exec::Sampler sampler;
  sampler.filter = exec::FilterMode::linear;
  const auto texture = create_texture(*test.context, source, sampler);
  ASSERT_TRUE(texture.ok()) << said(texture);
  const auto module = test.load(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 tex) {
  .reg .f32 %f<5>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [tex];
  tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd2, {0f40000000, 0f40000000}];
  st.global.f32 [%rd1], %f1;
  ret;
})");
  ASSERT_NE(module, nullptr);
  const std::array<uint64_t, 2> arguments{device(4), *texture};
  LaunchRequest run;
  run.kernel = *module->kernel("k");
  run.params = std::as_bytes(std::span(arguments));
  ASSERT_DONE(launch(*stream, run));
  ASSERT_DONE(stream->synchronize());
  // (2, 2) lies between 5, 6, 9 and 10. Filtered bytes become 16 bits, 257 for each step, and the sum is
  // rounded to such.
  EXPECT_EQ(*pointer<float>(arguments[0]), 1928.f / 65535);
}

}  // namespace
}  // namespace heddle::runtime
