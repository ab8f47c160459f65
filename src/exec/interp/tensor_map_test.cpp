// tensormap.replace and cp_fenceproxy (PTX ISA 9.7.9.26, 9.7.13.16). What each value means is what an H200
// made of it: the map was then the one that the driver encodes, in every byte that says something (record.py
// in tests/hw/h200/tensor).
#include "exec/tensor_map.h"

#include "exec/interp/test_program.h"

namespace heddle::exec::interp {
namespace {

TensorMap first_map() {
  TensorMap map;
  map.mode = TensorMode::tiled;
  map.rank = 3;
  map.element = TensorElement::u32;
  map.address = 0x7000'0000'0000;
  map.sizes = {63, 31, 15};
  map.strides = {256, 8192};
  map.box = {8, 8, 4};
  map.steps = {1, 1, 1};
  return map;
}

// The map changed in shared memory by the warp's first lane, copied to global memory by the warp.
TensorMap changed(const TensorMap& first, const std::string& changes) {
  TestProgram program(R"(.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 left)
{
.shared .align 128 .b8 room[128];
.reg .pred %p;
.reg .b32 %r<4>;
.reg .b64 %d<8>;
ld.param.u64 %d1, [left];
mov.u32 %r1, %tid.x;
shl.b32 %r2, %r1, 2;
mov.u64 %d2, map;
cvta.param.u64 %d2, %d2;
cvt.u64.u32 %d3, %r2;
add.u64 %d4, %d2, %d3;
ld.u32 %r3, [%d4];
mov.u64 %d5, room;
add.u64 %d6, %d5, %d3;
st.shared.u32 [%d6], %r3;
bar.warp.sync 0xffffffff;
setp.eq.u32 %p, %r1, 0;
)" + changes + R"(
bar.warp.sync 0xffffffff;
tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d1], [%d5], 128;
fence.proxy.tensormap::generic.acquire.gpu [%d1], 128;
ret;
})");
  auto left = program.buffer<TensorMap>(1);
  const auto result = program.run("k", {.block = {32}}, first, left);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message());
  return left[0];
}

std::string replacing(const std::string& field, const std::string& type, const std::string& operands) {
  return "@%p tensormap.replace.tile." + field + ".shared::cta.b1024." + type + " [%d5], " + operands + ";\n";
}

TensorMap replaced(const std::string& field, const std::string& type, const std::string& operands) {
  return changed(first_map(), replacing(field, type, operands));
}

template <class F>
TensorMap with(F&& change) {
  TensorMap map = first_map();
  change(map);
  return map;
}

TEST(TensorMap, FieldsAreReplaced) {
  EXPECT_EQ(replaced("global_address", "b64", "0x700000001000"),
            with([](TensorMap& m) { m.address = 0x7000'0000'1000; }));
  EXPECT_EQ(replaced("rank", "b32", "1"), with([](TensorMap& m) { m.rank = 2; }));
  EXPECT_EQ(replaced("box_dim", "b32", "1, 5"), with([](TensorMap& m) { m.box[1] = 5; }));
  EXPECT_EQ(replaced("global_dim", "b32", "2, 1"), with([](TensorMap& m) { m.sizes[2] = 0; }));
  EXPECT_EQ(replaced("global_stride", "b64", "0, 512"), with([](TensorMap& m) { m.strides[0] = 512; }));
  EXPECT_EQ(replaced("element_stride", "b32", "2, 8"), with([](TensorMap& m) { m.steps[2] = 8; }));
  EXPECT_EQ(replaced("elemtype", "b32", "9"), with([](TensorMap& m) { m.element = TensorElement::f64; }));
  EXPECT_EQ(replaced("interleave_layout", "b32", "2"),
            with([](TensorMap& m) { m.interleave = TensorInterleave::bytes32; }));
  EXPECT_EQ(replaced("swizzle_mode", "b32", "3"),
            with([](TensorMap& m) { m.swizzle = TensorSwizzle::bytes128; }));
  EXPECT_EQ(replaced("fill_mode", "b32", "1"), with([](TensorMap& m) { m.fill = TensorFill::nan; }));
}

// Zeros, as Triton's descriptors begin: an H200 took such a map for tiled, with 1 for each size, box and step
// that nobody replaced (record of zeros in tests/hw/h200/tensor/README.md).
TEST(TensorMap, ZerosBecomeATiledMap) {
  TensorMap zeros;
  zeros.mode = TensorMode::none;
  zeros.rank = 0;
  EXPECT_EQ(changed(zeros, ""), zeros);
  TensorMap expected;
  expected.mode = TensorMode::tiled;
  expected.rank = 2;
  expected.element = TensorElement::u32;
  expected.address = 0x7000'0000'0000;
  expected.strides = {64};
  expected.sizes = {15};
  expected.box = {8, 1, 1, 1, 1};
  expected.steps = {1, 1, 1, 1, 1};
  EXPECT_EQ(
      changed(zeros, replacing("global_address", "b64", "0x700000000000") + replacing("rank", "b32", "1") +
                         replacing("box_dim", "b32", "0, 8") + replacing("global_dim", "b32", "0, 16") +
                         replacing("global_stride", "b64", "0, 64") + replacing("elemtype", "b32", "2")),
      expected);
  EXPECT_EQ(why_invalid(expected), "");
}

// Elements of 6 and 4 bits lie in shared memory by sixteen, with room behind them; their mbarrier counts what
// came from global memory.
TEST(TensorMap, PaddingIsNotCounted) {
  const auto open_after = [](TensorElement element, uint32_t bytes) {
    TestProgram program(R"(.version 8.6
.target sm_100a
.address_size 64
.visible .entry k(.param .align 64 .b8 map[128], .param .u32 bytes, .param .u64 left)
{
.shared .align 128 .b8 room[2048];
.shared .align 8 .b64 bar;
.reg .pred %p;
.reg .b32 %r<4>;
.reg .b64 %d<8>;
mov.u64 %d2, map;
cvta.param.u64 %d2, %d2;
mbarrier.init.shared.b64 [bar], 1;
ld.param.u32 %r1, [bytes];
mbarrier.arrive.expect_tx.shared.b64 _, [bar], %r1;
mov.b32 %r2, 0;
cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [room], [%d2, {%r2, %r2}], [bar];
mbarrier.test_wait.parity.shared.b64 %p, [bar], 0;
selp.b32 %r3, 1, 0, %p;
ld.param.u64 %d1, [left];
st.global.u32 [%d1], %r3;
ld.shared.u32 %r3, [room+16];
st.global.u32 [%d1+4], %r3;
ret;
})",
                        "b200");
    auto tensor = program.buffer<uint32_t>(512);
    for (uint32_t i = 0; i < 512; ++i) tensor[i] = i;
    auto left = program.buffer<uint32_t>(2);
    TensorMap map;
    map.mode = TensorMode::tiled;
    map.rank = 2;
    map.element = element;
    map.address = reinterpret_cast<uint64_t>(tensor.data);
    map.sizes = {127, 7};
    map.strides = {128};
    map.box = {128, 8};
    map.steps = {1, 1};
    EXPECT_EQ(why_invalid(map), "");
    const auto result = program.run("k", {.block = {1}}, map, bytes, left);
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message());
    EXPECT_EQ(left[1], size_of(element).global / 4);  // the second sixteen
    return left[0] == 1;
  };
  EXPECT_TRUE(open_after(TensorElement::b6x16_p32, 8 * 8 * 12));
  EXPECT_FALSE(open_after(TensorElement::b6x16_p32, 8 * 8 * 16));
  EXPECT_TRUE(open_after(TensorElement::b4x16_p64, 8 * 8 * 8));
}

// A tile for all four blocks of two pairs, whose even or odd blocks hear of both tiles of their pair, as the
// mbarrier's address says (CUTLASS's products of two multiprocessors).
TEST(TensorMap, OnePairsBlockHearsOfBothTiles) {
  const auto open_in_blocks = [](uint32_t hears) {
    TestProgram program(R"(.version 8.6
.target sm_100a
.address_size 64
.visible .entry k(.param .align 64 .b8 map[128], .param .u32 hears, .param .u64 left)
{
.shared .align 128 .b8 room[256];
.shared .align 8 .b64 bar;
.reg .pred %p;
.reg .b16 %h;
.reg .b32 %r<8>;
.reg .b64 %d<8>;
mov.u64 %d2, map;
cvta.param.u64 %d2, %d2;
ld.param.u32 %r1, [hears];
mov.u32 %r0, %cluster_ctarank;
and.b32 %r2, %r0, 1;
setp.eq.u32 %p, %r2, %r1;
selp.b32 %r2, 512, 256, %p;
mbarrier.init.shared.b64 [bar], 1;
mbarrier.arrive.expect_tx.shared.b64 _, [bar], %r2;
barrier.cluster.arrive;
barrier.cluster.wait;
setp.ne.u32 %p, %r0, 3;
@%p bra SENT;
mov.b32 %r2, 0;
mov.u32 %r3, bar;
and.b32 %r3, %r3, 0xfeffffff;
shl.b32 %r4, %r1, 24;
or.b32 %r3, %r3, %r4;
mov.b16 %h, 15;
cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::2 [room], [%d2, {%r2}], [%r3], %h;
SENT:
barrier.cluster.arrive;
barrier.cluster.wait;
mbarrier.test_wait.parity.shared.b64 %p, [bar], 0;
selp.b32 %r3, 1000, 0, %p;
ld.shared.u32 %r4, [room+252];
add.u32 %r3, %r3, %r4;
ld.param.u64 %d1, [left];
mad.wide.u32 %d1, %r0, 4, %d1;
st.global.u32 [%d1], %r3;
barrier.cluster.arrive;
barrier.cluster.wait;
ret;
})");
    std::vector<uint32_t> words(64);
    for (uint32_t i = 0; i < words.size(); ++i) words[i] = i;
    auto from = program.buffer(words), left = program.buffer<uint32_t>(4);
    TensorMap map;
    map.mode = TensorMode::tiled;
    map.rank = 1;
    map.element = TensorElement::u32;
    map.address = reinterpret_cast<uintptr_t>(from.data);
    map.sizes = {63};
    map.box = {64};
    map.steps = {1};
    const auto result = program.run("k", {.grid = {4}, .cluster = {4}}, map, hears, left);
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message());
    return left.values();
  };
  EXPECT_THAT(open_in_blocks(0), testing::ElementsAre(1063, 63, 1063, 63));
  EXPECT_THAT(open_in_blocks(1), testing::ElementsAre(63, 1063, 63, 1063));
}

// Pieces of 32 bytes change places by the row of 128 bytes that their address is in, four rows a pattern:
// where a product finds them whose matrix is swizzled so, and a kernel's own stores (CUTLASS's f32
// epilogues).
TEST(TensorMap, AtomsOf32BytesMoveByTheirRow) {
  TestProgram program(R"(.version 8.6
.target sm_100a
.address_size 64
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 left)
{
.shared .align 1024 .b8 room[2048];
.shared .align 8 .b64 bar;
.reg .pred %p;
.reg .b32 %r<4>;
.reg .b64 %d<8>;
mov.u64 %d2, map;
cvta.param.u64 %d2, %d2;
mov.u32 %r1, %tid.x;
setp.ne.u32 %p, %r1, 0;
@%p bra WAIT;
mbarrier.init.shared.b64 [bar], 1;
mbarrier.arrive.expect_tx.shared.b64 _, [bar], 1024;
mov.b32 %r2, 0;
cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [room+512], [%d2, {%r2, %r2}], [bar];
WAIT:
bar.sync 0;
TRY: mbarrier.try_wait.parity.shared.b64 %p, [bar], 0;
@!%p bra TRY;
mov.u32 %r2, room;
mad.lo.u32 %r2, %r1, 4, %r2;
ld.shared.u32 %r3, [%r2+512];
ld.param.u64 %d1, [left];
mad.wide.u32 %d1, %r1, 4, %d1;
st.global.u32 [%d1], %r3;
ret;
})");
  std::vector<uint32_t> words(256);
  for (uint32_t i = 0; i < words.size(); ++i) words[i] = i;
  auto from = program.buffer(words), left = program.buffer<uint32_t>(256);
  TensorMap map;
  map.mode = TensorMode::tiled;
  map.rank = 2;
  map.element = TensorElement::u32;
  map.swizzle = TensorSwizzle::bytes128;
  map.atom = TensorAtom::bytes32;
  map.address = reinterpret_cast<uintptr_t>(from.data);
  map.sizes = {31, 7};
  map.strides = {128};
  map.box = {32, 8};
  map.steps = {1, 1};
  const auto result = program.run("k", {.block = {256}}, map, left);
  ASSERT_TRUE(result.ok()) << result.error().message();
  for (uint32_t row = 0; row < 8; ++row)
    for (uint32_t i = 0; i < 32; ++i)
      EXPECT_EQ(left[row * 32 + (i / 8 ^ row % 4) * 8 + i % 8], row * 32 + i) << row << " " << i;
}

}  // namespace
}  // namespace heddle::exec::interp
