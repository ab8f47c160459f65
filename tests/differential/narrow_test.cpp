// Blocks whose rows are shorter than the host's vectors, or end within one: vectors of fewer lanes, or
// vectors across rows. Everything that a thread's place decides, at every level of vectors, against the
// reference executor.
#include "native.h"

namespace heddle::exec {
namespace {

using interp::TestProgram;

constexpr uint32_t width = 120, height = 16, depth = 8;  // of what all blocks together are on

// %i is the thread's element, %l its number in the block. Blocks may reach beyond the width.
constexpr const char* begin = R"(
.version 8.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 width, .param .u32 height)
{
  .reg .u64 %in, %out, %a, %b, %c;
  .reg .u32 %x, %y, %z, %w, %h, %i, %l, %k, %s, %tx, %ty, %tz, %nx, %ny, %nz, %v<16>;
  .reg .u16 %g<3>;
  .reg .f32 %f<12>;
  .reg .f64 %d<3>;
  .reg .pred %p, %q, %r, %inside;
  .shared .align 16 .b8 room[8192];
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  ld.param.u32 %w, [width];
  ld.param.u32 %h, [height];
  mov.u32 %tx, %tid.x;
  mov.u32 %ty, %tid.y;
  mov.u32 %tz, %tid.z;
  mov.u32 %nx, %ntid.x;
  mov.u32 %ny, %ntid.y;
  mov.u32 %nz, %ntid.z;
  mov.u32 %v0, %ctaid.x;
  mad.lo.u32 %x, %v0, %nx, %tx;
  mov.u32 %v0, %ctaid.y;
  mad.lo.u32 %y, %v0, %ny, %ty;
  mov.u32 %v0, %ctaid.z;
  mad.lo.u32 %z, %v0, %nz, %tz;
  mad.lo.u32 %l, %tz, %ny, %ty;
  mad.lo.u32 %l, %l, %nx, %tx;
  setp.lt.u32 %inside, %x, %w;
  mad.lo.u32 %i, %z, %h, %y;
  mad.lo.u32 %i, %i, %w, %x;
)";

// Neighbours to all sides, with guards for each.
constexpr const char* stencil = R"(
  @!%inside bra done;
  mul.wide.u32 %a, %i, 4;
  add.u64 %b, %out, %a;
  add.u64 %a, %in, %a;
  ld.global.u32 %s, [%a];
  setp.eq.u32 %p, %x, 0;
  @%p bra no_left;
  ld.global.u32 %v1, [%a+-4];
  mad.lo.u32 %s, %v1, 3, %s;
no_left:
  add.u32 %v2, %w, -1;
  setp.ge.u32 %p, %x, %v2;
  @%p bra no_right;
  ld.global.u32 %v1, [%a+4];
  mad.lo.u32 %s, %v1, 5, %s;
no_right:
  mul.wide.u32 %c, %w, 4;
  setp.eq.u32 %p, %y, 0;
  @%p bra no_up;
  sub.u64 %c, %a, %c;
  ld.global.u32 %v1, [%c];
  mad.lo.u32 %s, %v1, 7, %s;
no_up:
  add.u32 %v1, %i, %w;
  mul.wide.u32 %c, %v1, 4;
  add.u64 %c, %in, %c;
  ld.global.u32 %v3, [%c+-480];
  ld.global.u32 %v4, [%c+-476];
  xor.b32 %s, %s, %v3;
  add.u32 %s, %s, %v4;
  cvt.u16.u32 %g1, %s;
  st.global.u32 [%b], %s;
  cvt.u64.u32 %c, %i;
  add.u64 %c, %out, %c;
  st.global.u8 [%c+524288], %g1;
done:
  ret;
}
)";

// A row of one thread's and a column of another's, in a loop; floats, approximations and doubles of them.
constexpr const char* product = R"(
  @!%inside bra done;
  mov.f32 %f1, 0f3f800000;
  mov.u32 %k, 0;
  mul.wide.u32 %a, %x, 4;
  add.u64 %a, %in, %a;
  mul.lo.u32 %v1, %y, %w;
  mul.wide.u32 %b, %v1, 4;
  add.u64 %b, %in, %b;
  mul.wide.u32 %c, %w, 4;
turn:
  ld.global.u32 %v2, [%a];
  ld.global.u32 %v3, [%b];
  and.b32 %v2, %v2, 1023;
  and.b32 %v3, %v3, 255;
  add.u32 %v2, %v2, 1;
  cvt.rn.f32.u32 %f2, %v2;
  cvt.rn.f32.u32 %f3, %v3;
  rsqrt.approx.f32 %f4, %f2;
  fma.rn.f32 %f1, %f3, %f4, %f1;
  add.u64 %a, %a, %c;
  add.u64 %b, %b, 4;
  add.u32 %k, %k, 1;
  setp.lt.u32 %p, %k, 13;
  @%p bra turn;
  lg2.approx.f32 %f5, %f1;
  div.rn.f32 %f5, %f5, %f2;
  cvt.f64.f32 %d1, %f5;
  sqrt.rn.f64 %d2, %d1;
  mul.wide.u32 %a, %i, 8;
  add.u64 %a, %out, %a;
  st.global.f64 [%a], %d2;
done:
  ret;
}
)";

// A tile, written by rows and read by columns, twice; lanes of the warp ask one another.
constexpr const char* tile = R"(
  mov.u32 %v9, room;
  mad.lo.u32 %v1, %l, 4, %v9;
  mov.u32 %v2, 17;
  mul.wide.u32 %a, %i, 4;
  add.u64 %a, %in, %a;
  @%inside ld.global.u32 %v2, [%a];
  st.shared.u32 [%v1], %v2;
  bar.sync 0;
  mad.lo.u32 %v3, %tx, %ny, %ty;
  mul.lo.u32 %v4, %nx, %ny;
  mad.lo.u32 %v3, %tz, %v4, %v3;
  mad.lo.u32 %v3, %v3, 4, %v9;
  ld.shared.u32 %v5, [%v3];
  mov.u32 %k, 0;
  mul.lo.u32 %v6, %tz, %ny;
  add.u32 %v6, %v6, %ty;
  mul.lo.u32 %v6, %v6, %nx;
  mad.lo.u32 %v6, %v6, 4, %v9;
along:
  ld.shared.u32 %v7, [%v6];
  mad.lo.u32 %v5, %v5, 9, %v7;
  add.u32 %v6, %v6, 4;
  add.u32 %k, %k, 1;
  setp.lt.u32 %p, %k, %nx;
  @%p bra along;
  bar.sync 0;
  st.shared.u32 [%v3], %v5;
  bar.sync 0;
  ld.shared.u32 %v8, [%v1];
  setp.lt.u32 %q, %tx, %ty;
  @%q xor.b32 %v8, %v8, 77;
  and.b32 %v10, %v8, 7;
  setp.eq.u32 %r, %v10, 3;
  vote.sync.ballot.b32 %v11, %r, 0xffffffff;
  shfl.sync.bfly.b32 %v12, %v8, 5, 31, 0xffffffff;
  shfl.sync.idx.b32 %v13, %v12, %v10, 31, 0xffffffff;
  xor.b32 %v8, %v8, %v11;
  add.u32 %v8, %v8, %v13;
  mul.wide.u32 %b, %i, 4;
  add.u64 %b, %out, %b;
  @%inside st.global.u32 [%b], %v8;
  and.b32 %v14, %tx, 3;
  mul.wide.u32 %c, %v14, 4;
  add.u64 %c, %out, %c;
  @%q red.global.add.u32 [%c+524288], %v10;
  ret;
}
)";

struct Block {
  uint32_t x, y, z;
};

class Narrow : public OnEveryHost {
 protected:
  void compare(const char* kernel, std::initializer_list<Block> blocks) {
    BothSides sides = both_sides(std::string(begin) + kernel);
    for (const Block block : blocks) {
      const auto run = [&](TestProgram& program) {
        const auto words = any_words(200'000);
        auto in = program.buffer(words), out = program.buffer(words);
        const auto ran =
            program.run("k",
                        {.grid = {(width + block.x - 1) / block.x, height / block.y, depth / block.z},
                         .block = {block.x, block.y, block.z}},
                        in, out, width, height);
        EXPECT_TRUE(ran.ok()) << ran.error().message();
        return out.values();
      };
      sides.compare(run, "blocks of " + std::to_string(block.x) + " x " + std::to_string(block.y) + " x " +
                             std::to_string(block.z));
    }
    EXPECT_FALSE(sides.said.has("reference executor")) << sides.said.text();
  }
};

// Whole warps, all of them; some with rows that end within the width.
constexpr std::initializer_list<Block> whole = {{8, 8, 1}, {8, 8, 8},  {24, 8, 1},  {40, 4, 1}, {4, 8, 1},
                                                {4, 4, 4}, {20, 8, 1}, {12, 16, 1}, {1, 16, 4}, {10, 16, 1}};
// Warps of fewer lanes at the block's end.
constexpr std::initializer_list<Block> ends = {{8, 1, 2}, {4, 1, 1}, {20, 2, 2}, {10, 2, 4}};

TEST_P(Narrow, Stencil) { compare(stencil, whole); }
TEST_P(Narrow, StencilOfWarpsThatEnd) { compare(stencil, ends); }
TEST_P(Narrow, Product) { compare(product, whole); }
TEST_P(Narrow, ProductOfWarpsThatEnd) { compare(product, ends); }
TEST_P(Narrow, Tile) { compare(tile, whole); }

on_every_host(Narrow);

}  // namespace
}  // namespace heddle::exec
