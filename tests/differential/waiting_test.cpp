// Threads that wait for one another, as warps on their own (exec/jit/fiber/warps.h): at every level of
// vectors, against the reference executor. What comes out does not depend on who waits how long.
#include <chrono>

#include "native.h"

namespace heddle::exec {
namespace {

using interp::TestProgram;

// Each takes `in` and `out`, 4096 words, and `flags`, 4096 words of zeros. `begin` puts a thread's number in
// the block into %x, its index into %t and the addresses of its words into %i, %o and %f.
constexpr const char* header = R"(
.version 8.0
.target sm_80
.address_size 64
)";
constexpr const char* begin = R"((.param .u64 in, .param .u64 out, .param .u64 flags)
{
  .reg .u64 %in, %out, %flags, %i, %o, %f, %a, %b, %c;
  .reg .u32 %t, %x, %lane, %block, %v<12>;
  .reg .pred %p, %q, %r;
  .shared .align 4 .b8 room[4096];
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  ld.param.u64 %flags, [flags];
  mov.u32 %block, %ctaid.x;
  mov.u32 %v1, %ntid.x;
  mov.u32 %x, %tid.x;
  and.b32 %lane, %x, 31;
  mad.lo.u32 %t, %block, %v1, %x;
  mad.wide.u32 %i, %t, 4, %in;
  mad.wide.u32 %o, %t, 4, %out;
  mad.wide.u32 %f, %t, 4, %flags;
)";

// A scan over blocks that look back: the first warp waits, all its lanes together, for what the block before
// has left.
constexpr const char* look_back = R"(
  .shared .align 4 .u32 before;
  shr.u32 %v0, %x, 5;
  setp.ne.u32 %p, %v0, 0;
  @%p bra meet;
  mov.u32 %v2, 0;
  setp.eq.u32 %p, %block, 0;
  @%p bra write;
  mad.wide.u32 %a, %block, 4, %flags;
look:
  ld.relaxed.gpu.global.u32 %v2, [%a+-4];
  setp.eq.u32 %p, %v2, 0;
  vote.sync.any.pred %q, %p, -1;
  @%q bra look;
write:
  ld.global.u32 %v3, [%i];
  and.b32 %v3, %v3, 255;
  redux.sync.add.u32 %v3, %v3, -1;
  add.u32 %v3, %v3, %v2;
  add.u32 %v3, %v3, 1;
  setp.ne.u32 %p, %lane, 0;
  @%p bra meet;
  mad.wide.u32 %a, %block, 4, %flags;
  st.relaxed.gpu.global.u32 [%a], %v3;
  st.shared.u32 [before], %v2;
meet:
  bar.sync 0;
  ld.shared.u32 %v4, [before];
  ld.global.u32 %v5, [%i];
  add.u32 %v5, %v5, %v4;
  st.global.u32 [%o], %v5;
  ret;
}
)";

// Each warp waits for the next one, the last for nobody.
constexpr const char* warps = R"(
  mov.u32 %v0, %ntid.x;
  shl.b32 %v1, %x, 2;
  mov.u32 %v2, room;
  add.u32 %v1, %v1, %v2;
  add.u32 %v3, %x, 32;
  mov.u32 %v5, 1;
  setp.ge.u32 %p, %v3, %v0;
  @%p bra tell;
look:
  ld.volatile.shared.u32 %v5, [%v1+128];
  setp.eq.u32 %p, %v5, 0;
  vote.sync.any.pred %q, %p, -1;
  @%q bra look;
tell:
  ld.global.u32 %v6, [%i];
  and.b32 %v6, %v6, 63;
  add.u32 %v5, %v5, %v6;
  st.volatile.shared.u32 [%v1], %v5;
  st.global.u32 [%o], %v5;
  bar.sync 0;
  ld.shared.u32 %v7, [room];
  add.u32 %v5, %v5, %v7;
  st.global.u32 [%o], %v5;
  ret;
}
)";

// One lane waits for what another lane of its warp does behind the branch.
constexpr const char* one_lane = R"(
  and.b32 %v0, %lane, 7;
  setp.ne.u32 %p, %v0, 3;
  @%p bra others;
look:
  ld.volatile.global.u32 %v1, [%f+4];
  setp.eq.u32 %p, %v1, 0;
  @%p bra look;
  add.u32 %v1, %v1, 5;
  bra meet;
others:
  ld.global.u32 %v1, [%i];
  or.b32 %v1, %v1, 1;
meet:
  st.volatile.global.u32 [%f], %v1;
  shfl.sync.down.b32 %v2, %v1, 1, 31, -1;
  add.u32 %v2, %v2, %v1;
  st.global.u32 [%o], %v2;
  ret;
}
)";

// A chain through the lanes of a warp, again and again; each tells the next one where all have met.
constexpr const char* chain = R"(
  mov.u32 %v6, 0;
  mov.u32 %v7, 1;
round:
  mov.u32 %v1, %v7;
  setp.eq.u32 %p, %lane, 0;
  @%p bra tell;
look:
  ld.volatile.global.u32 %v1, [%f+-4];
  setp.lt.u32 %p, %v1, %v7;
  @%p bra look;
tell:
  mad.lo.u32 %v6, %v6, 3, %v7;
  st.volatile.global.u32 [%f], %v7;
  add.u32 %v7, %v7, 1;
  setp.le.u32 %p, %v7, 3;
  @%p bra round;
  bar.warp.sync -1;
  shfl.sync.bfly.b32 %v2, %v6, 1, 31, -1;
  xor.b32 %v6, %v6, %v2;
  ld.global.u32 %v3, [%i];
  and.b32 %v3, %v3, 3;
  match.any.sync.b32 %v4, %v3, -1;
  add.u32 %v6, %v6, %v4;
  setp.eq.u32 %p, %v3, 1;
  vote.sync.ballot.b32 %v5, %p, -1;
  xor.b32 %v6, %v6, %v5;
  redux.sync.max.u32 %v5, %v3, -1;
  add.u32 %v6, %v6, %v5;
  match.all.sync.b32 %v5|%q, %v5, -1;
  selp.u32 %v4, 1000, 0, %q;
  add.u32 %v6, %v6, %v4;
  vote.sync.all.pred %q, %p, -1;
  selp.u32 %v4, 2000, 0, %q;
  add.u32 %v6, %v6, %v4;
  bar.red.popc.u32 %v4, 0, %p;
  add.u32 %v6, %v6, %v4;
  st.global.u32 [%o], %v6;
  ret;
}
)";

// The same, but only half of the lanes take part, and others exit before: nobody waits for them.
constexpr const char* some_exit = R"(
  setp.lt.u32 %p, %lane, 5;
  @%p exit;
  mov.u32 %v1, 1;
  setp.eq.u32 %p, %lane, 5;
  @%p bra tell;
look:
  ld.volatile.global.u32 %v1, [%f+-4];
  setp.eq.u32 %p, %v1, 0;
  @%p bra look;
tell:
  add.u32 %v1, %v1, 1;
  st.volatile.global.u32 [%f], %v1;
  setp.gt.u32 %p, %lane, 24;
  @%p bra high;
  vote.sync.ballot.b32 %v2, %p, 0x1ffffff;
  shfl.sync.up.b32 %v3, %v1, 1, 0, 0x1ffffff;
  bra meet;
high:
  shfl.sync.idx.b32 %v3, %v1, 31, 31, 0xfe000000;
  mov.u32 %v2, 7;
meet:
  bar.sync 0;
  mad.lo.u32 %v2, %v2, 5, %v3;
  add.u32 %v2, %v2, %v1;
  st.global.u32 [%o], %v2;
  ret;
}
)";

// The first half of the warps makes what the second takes, by barriers of two warps; each pair has its own.
constexpr const char* pairs = R"(
  mov.u32 %v0, %ntid.x;
  shr.u32 %v0, %v0, 1;
  shr.u32 %v1, %x, 5;
  mov.u32 %v5, 0;
  mov.u32 %v6, 0;
  setp.ge.u32 %p, %x, %v0;
  @%p bra take;
  shl.b32 %v1, %v1, 1;
  shl.b32 %v2, %x, 2;
  mov.u32 %v3, room;
  add.u32 %v2, %v2, %v3;
make:
  ld.global.u32 %v4, [%i];
  add.u32 %v4, %v4, %v5;
  st.shared.u32 [%v2], %v4;
  bar.arrive %v1, 64;
  add.u32 %v7, %v1, 1;
  bar.sync %v7, 64;
  add.u32 %v6, %v6, %v4;
  add.u32 %v5, %v5, 1;
  setp.lt.u32 %p, %v5, 4;
  @%p bra make;
  bra end;
take:
  sub.u32 %v3, %x, %v0;
  shr.u32 %v1, %v3, 5;
  shl.b32 %v1, %v1, 1;
  shl.b32 %v2, %v3, 2;
  mov.u32 %v3, room;
  add.u32 %v2, %v2, %v3;
again:
  bar.sync %v1, 64;
  ld.shared.u32 %v4, [%v2];
  mad.lo.u32 %v6, %v6, 3, %v4;
  add.u32 %v7, %v1, 1;
  bar.arrive %v7, 64;
  add.u32 %v5, %v5, 1;
  setp.lt.u32 %p, %v5, 4;
  @%p bra again;
end:
  st.global.u32 [%o], %v6;
  ret;
}
)";

// Lanes wait for lanes of the other warps, each for another one, in private memory what they have seen.
constexpr const char* crosswise = R"(
  .local .align 4 .b8 seen[64];
  .reg .u64 %s;
  mov.u32 %v0, %ntid.x;
  sub.u32 %v8, %v0, 1;
  mov.u32 %v7, 1;
  mov.u32 %v6, 0;
round:
  st.volatile.global.u32 [%f], %v7;
  mad.lo.u32 %v1, %x, 37, %v7;
  and.b32 %v1, %v1, %v8;
  sub.u32 %v1, %v1, %x;
  mad.wide.s32 %a, %v1, 4, %f;
look:
  ld.volatile.global.u32 %v2, [%a];
  setp.lt.u32 %p, %v2, %v7;
  @%p bra look;
  and.b32 %v3, %v1, 15;
  mul.wide.u32 %b, %v3, 4;
  mov.u64 %s, seen;
  add.u64 %s, %s, %b;
  st.local.u32 [%s], %v1;
  add.u32 %v7, %v7, 1;
  setp.le.u32 %p, %v7, 6;
  @%p bra round;
  mov.u32 %v4, 0;
sum:
  mul.wide.u32 %b, %v4, 4;
  mov.u64 %s, seen;
  add.u64 %s, %s, %b;
  ld.local.u32 %v5, [%s];
  sub.u32 %v3, %v4, %v1;
  and.b32 %v3, %v3, 15;
  setp.eq.u32 %p, %v3, 0;
  @%p add.u32 %v6, %v6, %v5;
  add.u32 %v4, %v4, 1;
  setp.lt.u32 %p, %v4, 16;
  @%p bra sum;
  st.global.u32 [%o], %v6;
  ret;
}
)";

// Each warp looks in turn at two places, one of which the next warp fills: no loop that is known to wait, in
// a program that has one.
constexpr const char* two_places = R"(
  mov.u32 %v0, %ntid.x;
  shl.b32 %v1, %x, 2;
  mov.u32 %v2, room;
  add.u32 %v1, %v1, %v2;
  mov.u32 %v3, 1;
  mov.u32 %v4, 0;
  add.u32 %v5, %x, 32;
  setp.ge.u32 %p, %v5, %v0;
  @%p bra tell;
turn:
  add.u32 %v4, %v4, 1;
  and.b32 %v5, %v4, 1;
  shl.b32 %v5, %v5, 11;
  add.u32 %v5, %v5, %v1;
  ld.volatile.shared.u32 %v3, [%v5+128];
  setp.eq.u32 %p, %v3, 0;
  @%p bra turn;
  add.u32 %v3, %v3, 1;
tell:
  st.volatile.shared.u32 [%v1+2048], %v3;
look:
  ld.volatile.shared.u32 %v5, [room+2048];
  setp.eq.u32 %p, %v5, 0;
  @%p bra look;
  mad.lo.u32 %v3, %v3, 100, %v5;
  st.global.u32 [%o], %v3;
  ret;
}
)";

// Looks by atomic operations that change nothing: no lock.
constexpr const char* looks_by_atomics = R"(
  setp.ge.u32 %p, %x, 32;
  @%p bra tell;
first:
  atom.global.add.u32 %v2, [%f+128], 0;
  setp.eq.u32 %p, %v2, 0;
  @%p bra first;
second:
  atom.global.cas.b32 %v3, [%f+128], 0, 0;
  setp.eq.u32 %p, %v3, 0;
  @%p bra second;
  mad.lo.u32 %v2, %v2, 7, %v3;
  st.global.u32 [%o], %v2;
  ret;
tell:
  ld.global.u32 %v2, [%i];
  or.b32 %v2, %v2, 1;
  st.volatile.global.u32 [%f], %v2;
  ret;
}
)";

// Lanes of all warps take a lock one after another, which is for threads on their own.
constexpr const char* lock = R"(
  .shared .align 4 .u32 taken;
  .shared .align 4 .u32 count;
again:
  atom.shared.cas.b32 %v2, [taken], 0, 1;
  setp.ne.u32 %p, %v2, 0;
  @%p bra again;
  ld.volatile.shared.u32 %v3, [count];
  add.u32 %v3, %v3, 1;
  st.volatile.shared.u32 [count], %v3;
  membar.cta;
  atom.shared.exch.b32 %v2, [taken], 0;
  bar.sync 0;
  ld.shared.u32 %v3, [count];
  st.global.u32 [%o], %v3;
  ret;
}
)";

// What the reference executor does for threads on their own, in shared memory: a sum of halves.
constexpr const char* sums_of_halves = R"(
  .shared .align 4 .u32 free;
  .reg .b32 %sum, %two;
  mov.u32 %v1, room;
  mad.lo.u32 %v1, %x, 4, %v1;
  ld.global.u32 %v2, [%i];
  and.b32 %v2, %v2, 0x3c003c00;
  st.shared.u32 [%v1], %v2;
  mov.b32 %two, %v2;
again:
  atom.shared.cas.b32 %v3, [free], 0, 1;
  setp.ne.u32 %p, %v3, 0;
  @%p bra again;
  atom.shared.add.noftz.f16x2 %sum, [%v1], %two;
  atom.shared.exch.b32 %v3, [free], 0;
  mov.b32 %v4, %sum;
  ld.shared.u32 %v5, [%v1];
  mad.lo.u32 %v4, %v4, 3, %v5;
  st.global.u32 [%o], %v4;
  ret;
}
)";

// One lane of each warp takes the lock: warps wait for one another, lanes do not.
constexpr const char* lock_of_warps = R"(
  .shared .align 4 .u32 taken;
  .shared .align 4 .u32 count;
  setp.ne.u32 %p, %lane, 0;
  @%p bra meet;
again:
  atom.shared.cas.b32 %v2, [taken], 0, 1;
  setp.ne.u32 %p, %v2, 0;
  @%p bra again;
  ld.volatile.shared.u32 %v3, [count];
  add.u32 %v3, %v3, 1;
  st.volatile.shared.u32 [count], %v3;
  membar.cta;
  atom.shared.exch.b32 %v2, [taken], 0;
meet:
  bar.sync 0;
  ld.shared.u32 %v3, [count];
  st.global.u32 [%o], %v3;
  ret;
}
)";

// The same of blocks, in global memory.
constexpr const char* lock_of_blocks = R"(
  .shared .align 4 .u32 count;
  setp.ne.u32 %p, %x, 0;
  @%p bra meet;
again:
  atom.global.cas.b32 %v2, [%flags], 0, 1;
  setp.ne.u32 %p, %v2, 0;
  @%p bra again;
  ld.volatile.global.u32 %v3, [%flags+4];
  add.u32 %v3, %v3, 1;
  st.volatile.global.u32 [%flags+4], %v3;
  membar.gl;
  atom.global.exch.b32 %v2, [%flags], 0;
  st.shared.u32 [count], %v3;
meet:
  bar.sync 0;
  ld.shared.u32 %v3, [count];
  st.global.u32 [%o], %v3;
  ret;
}
)";

// Phases of an mbarrier: each thread takes what its neighbour wrote, by a state and by a parity, at an
// address in .shared and at a generic one.
constexpr const char* phases = R"(
  .shared .align 8 .b64 bar[2];
  .reg .b64 %d<4>;
  mov.u32 %v0, %ntid.x;
  setp.ne.u32 %p, %x, 0;
  @%p bra made;
  mbarrier.init.shared.b64 [bar], %v0;
  mbarrier.init.shared.b64 [bar+8], %v0;
made:
  bar.sync 0;
  mov.u64 %d0, bar;
  cvta.shared.u64 %d1, %d0;
  mov.u32 %v1, room;
  mad.lo.u32 %v2, %x, 4, %v1;
  add.u32 %v3, %x, 33;
  rem.u32 %v3, %v3, %v0;
  mad.lo.u32 %v3, %v3, 4, %v1;
  ld.global.u32 %v4, [%i];
  mov.u32 %v5, 0;
round:
  st.shared.u32 [%v2], %v4;
  mbarrier.arrive.shared.b64 %d2, [%d0];
look:
  mbarrier.test_wait.shared.b64 %p, [%d0], %d2;
  @!%p bra look;
  ld.shared.u32 %v6, [%v3];
  mad.lo.u32 %v4, %v4, 3, %v6;
  mbarrier.arrive.b64 %d3, [%d1+8];
  mbarrier.pending_count.b64 %v7, %d3;
  min.u32 %v7, %v7, 1;
  add.u32 %v4, %v4, %v7;
again:
  mbarrier.test_wait.parity.b64 %p, [%d1+8], %v5;
  @!%p bra again;
  add.u32 %v5, %v5, 1;
  setp.lt.u32 %p, %v5, 5;
  @%p bra round;
  st.global.u32 [%o], %v4;
  ret;
}
)";

// Some warps make what others take; of those a lane alone arrives, and the last phase is left by who drops
// out.
constexpr const char* makers_and_takers = R"(
  .shared .align 8 .b64 full;
  .shared .align 8 .b64 empty;
  .reg .b64 %d<2>;
  mov.u32 %v0, %ntid.x;
  shr.u32 %v1, %v0, 1;
  shr.u32 %v2, %v1, 5;
  setp.ne.u32 %p, %x, 0;
  @%p bra made;
  mbarrier.init.shared.b64 [full], %v1;
  mbarrier.init.shared.b64 [empty], %v2;
made:
  bar.sync 0;
  mov.u32 %v5, 0;
  mov.u32 %v6, 0;
  mov.u32 %v9, room;
  setp.ge.u32 %p, %x, %v1;
  @%p bra take;
  mad.lo.u32 %v8, %x, 4, %v9;
  ld.global.u32 %v4, [%i];
make:
  add.u32 %v3, %v5, 1;
free:
  mbarrier.test_wait.parity.shared.b64 %q, [empty], %v3;
  @!%q bra free;
  mad.lo.u32 %v4, %v4, 5, %v5;
  st.shared.u32 [%v8], %v4;
  cp.async.mbarrier.arrive.noinc.shared.b64 [full];
  cp.async.mbarrier.arrive.shared.b64 [full];
  add.u32 %v5, %v5, 1;
  setp.lt.u32 %q, %v5, 4;
  @%q bra make;
  st.global.u32 [%o], %v4;
  ret;
take:
  sub.u32 %v8, %x, %v1;
  mad.lo.u32 %v8, %v8, 4, %v9;
  setp.ne.u32 %r, %lane, 0;
taken:
  mbarrier.test_wait.parity.shared.b64 %q, [full], %v5;
  @!%q bra taken;
  ld.shared.u32 %v7, [%v8];
  mad.lo.u32 %v6, %v6, 3, %v7;
  bar.warp.sync -1;
  @%r bra next;
  mbarrier.arrive.shared.b64 %d0, [empty];
next:
  add.u32 %v5, %v5, 1;
  setp.lt.u32 %q, %v5, 4;
  @%q bra taken;
  st.global.u32 [%o], %v6;
  ret;
}
)";

// Lanes that went apart meet in instructions of the whole warp: products of matrices.
constexpr const char* matrices_apart = R"(
  and.b32 %v0, %lane, 7;
  ld.global.u32 %v4, [%i];
  setp.ne.u32 %p, %v0, 3;
  @%p bra others;
look:
  ld.volatile.global.u32 %v1, [%f+4];
  setp.eq.u32 %p, %v1, 0;
  @%p bra look;
  add.u32 %v1, %v1, 5;
  bra meet;
others:
  or.b32 %v1, %v4, 1;
meet:
  st.volatile.global.u32 [%f], %v1;
  shfl.sync.down.b32 %v2, %v1, 1, 31, -1;
  mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%v5, %v6}, {%v1}, {%v4}, {%v2, %v1};
  mov.u32 %v7, room;
  mad.lo.u32 %v8, %x, 4, %v7;
  st.shared.u32 [%v8], %v5;
  bar.warp.sync -1;
  sub.u32 %v9, %x, %lane;
  mad.lo.u32 %v9, %v9, 4, %v7;
  mad.lo.u32 %v9, %v0, 16, %v9;
  ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%v10}, [%v9];
  xor.b32 %v5, %v6, %v10;
  st.global.u32 [%o], %v5;
  ret;
}
)";

// One thread of the second block stores to nowhere, after it has waited.
constexpr const char* to_nowhere = R"(
look:
  setp.lt.u32 %p, %x, 32;
  @%p bra write;
  ld.volatile.global.u32 %v2, [%f+-128];
  setp.eq.u32 %q, %v2, 0;
  @%q bra look;
write:
  mov.u32 %v3, 1;
  st.volatile.global.u32 [%f], %v3;
  setp.ne.u32 %p, %t, 237;
  mov.u64 %a, 64;
  @!%p mov.u64 %o, %a;
  st.global.u32 [%o], %v3;
  ret;
}
)";

// A warp waits at a barrier that nobody else comes to.
constexpr const char* nobody_comes = R"(
  setp.lt.u32 %p, %x, 96;
  @%p bra end;
  bar.sync 3, 64;
end:
  st.global.u32 [%o], 1;
  ret;
}
)";

// One lane goes round a loop for long, while the others of its warp wait for it by name and other warps look
// whether it is done.
constexpr const char* long_turns = R"(
  .shared .align 4 .u32 done;
  setp.ge.u32 %p, %x, 32;
  @%p bra look;
  ld.global.u32 %v1, [%i];
  mov.u32 %v2, 0;
  setp.ne.u32 %p, %lane, 0;
  mov.u32 %v4, room;
  mad.lo.u32 %v5, %x, 4, %v4;
  add.u32 %v6, %x, 1;
  and.b32 %v6, %v6, 31;
  mad.lo.u32 %v6, %v6, 4, %v4;
  @%p bra meet;
turn:
  st.shared.u32 [%v5], %v1;
  ld.shared.u32 %v3, [%v6];
  mad.lo.u32 %v1, %v1, 5, %v3;
  add.u32 %v2, %v2, 1;
  setp.lt.u32 %p, %v2, 200000;
  @%p bra turn;
  or.b32 %v3, %v1, 1;
  st.volatile.shared.u32 [done], %v3;
meet:
  shfl.sync.idx.b32 %v1, %v1, 0, 31, -1;
  st.global.u32 [%o], %v1;
  ret;
look:
  ld.volatile.shared.u32 %v1, [done];
  setp.eq.u32 %p, %v1, 0;
  @%p bra look;
  st.global.u32 [%o], %v1;
  ret;
}
)";

class Waiting : public OnEveryHost {
 protected:
  // Blocks of 128 threads. Where nobody can go on, the reference executor says more of why.
  void compare_faults(const char* kernel) {
    const std::string text = std::string(header) + ".visible .entry k" + begin + kernel;
    BothSides sides = both_sides(text);
    const Said& said = sides.said;
    const auto run = [&](TestProgram& program) {
      auto words = program.buffer(std::vector<uint32_t>(4096)),
           flags = program.buffer(std::vector<uint32_t>(4096));
      const auto ran = program.run("k", {.grid = {4}, .block = {128}}, words, words, flags);
      EXPECT_FALSE(ran.ok());
      if (ran.ok()) return std::string();
      const std::string said_of_it = ran.error().message();
      const auto colon = said_of_it.find(": no thread can go on"), end = said_of_it.find("; kernel");
      return said_of_it.substr(0, std::min(colon, end)) + said_of_it.substr(end);
    };
    sides.compare(run);
    EXPECT_TRUE(said.has("warps on their own")) << said.text();
  }
  void compare(const char* kernel, std::initializer_list<uint32_t> blocks, bool together = false,
               const char* way = "warps on their own") {
    const std::string text = std::string(header) + ".visible .entry k" + begin + kernel;
    BothSides sides = both_sides(text);
    const Said& said = sides.said;
    for (const uint32_t block : blocks) {
      const auto run = [&](TestProgram& program) {
        const auto words = any_words(4096);
        auto in = program.buffer(words), out = program.buffer(words);
        auto flags = program.buffer(std::vector<uint32_t>(4096));
        const auto ran = program.run("k", {.grid = {1024 / block}, .block = {block}, .cooperative = together},
                                     in, out, flags);
        EXPECT_TRUE(ran.ok()) << ran.error().message();
        return out.values();
      };
      sides.compare(run, "blocks of " + std::to_string(block));
    }
    for (const std::string other : {"warps on their own", "threads on their own", "blocks take turns"})
      EXPECT_EQ(said.has(other), other == way) << said.text();
    EXPECT_FALSE(said.has("reference executor")) << said.text();
  }
};

TEST_P(Waiting, WhereItIsNotKnownToBeWaiting) { compare(two_places, {32, 512}); }
TEST_P(Waiting, ByAtomicOperationsThatChangeNothing) { compare(looks_by_atomics, {64}); }
TEST_P(Waiting, ForALockAsThreads) { compare(lock, {64, 256}, false, "threads on their own"); }
TEST_P(Waiting, ForALockOfOneLaneAWarp) { compare(lock_of_warps, {64, 256}); }
TEST_P(Waiting, ForALockOfOneThreadABlock) { compare(lock_of_blocks, {32, 256}, false, "blocks take turns"); }
TEST_P(Waiting, ForALockOfOneThreadABlockTogether) {
  compare(lock_of_blocks, {64, 256}, true, "blocks take turns");
}
TEST_P(Waiting, ForPhasesOfAnMbarrier) { compare(phases, {32, 128, 256}); }
TEST_P(Waiting, ForPhasesOfAnMbarrierTogether) { compare(phases, {128}, true); }
TEST_P(Waiting, ForWhoMakesAndForWhoTakes) { compare(makers_and_takers, {64, 256}); }
TEST_P(Waiting, LanesThatPartedMultiplyMatricesTogether) { compare(matrices_apart, {32, 128}); }
// The second launch has a block of the number that the first one ended with.
TEST_P(Waiting, StepsAreInTheMemoryOfBlocksThatAreThereTogether) {
  compare(sums_of_halves, {1024, 64}, true, "threads on their own");
}
TEST_P(Waiting, FaultsAreOfTheirThreads) { compare_faults(to_nowhere); }
TEST_P(Waiting, EndsWhereNobodyCanGoOn) { compare_faults(nobody_comes); }
TEST_P(Waiting, BlocksLookBack) { compare(look_back, {32, 256}); }
TEST_P(Waiting, BlocksLookBackTogether) { compare(look_back, {32, 256}, true); }
TEST_P(Waiting, WarpsForTheNextOne) { compare(warps, {32, 64, 512}); }
TEST_P(Waiting, LanesForAnotherOfTheirWarp) { compare(one_lane, {32, 128}); }
TEST_P(Waiting, AChainThroughTheLanes) { compare(chain, {32, 128}); }
TEST_P(Waiting, NotForLanesThatHaveExited) { compare(some_exit, {32, 64}); }
TEST_P(Waiting, AtBarriersOfPairs) { compare(pairs, {128, 256}); }
TEST_P(Waiting, LanesForLanesOfOtherWarps) { compare(crosswise, {32, 256}); }
TEST_P(Waiting, LanesForLanesOfOtherWarpsTogether) { compare(crosswise, {64, 256}, true); }

on_every_host(Waiting);

// Each turn of the lane took a round of all other warps' patience: 20 s and more of them.
TEST(WaitingThreads, ALaneDoesNotWaitForThoseWhoWaitForIt) {
  BothSides sides(std::string(header) + ".visible .entry k" + begin + long_turns, "", jit::Tier::best, false);
  double seconds = 0;
  sides.compare([&](TestProgram& program) {
    const auto words = any_words(4096);
    auto in = program.buffer(words), out = program.buffer(words);
    auto flags = program.buffer(std::vector<uint32_t>(4096));
    const auto start = std::chrono::steady_clock::now();
    const auto ran = program.run("k", {.block = {256}}, in, out, flags);
    if (&program == &sides.native)
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    EXPECT_TRUE(ran.ok()) << ran.error().message();
    return out.values();
  });
  EXPECT_TRUE(sides.said.has("threads on their own")) << sides.said.text();
  EXPECT_LT(seconds, 10);
}

}  // namespace
}  // namespace heddle::exec
