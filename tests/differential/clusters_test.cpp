// Launches in clusters: blocks that are there at once, reach one another's shared memory and meet at a
// barrier (exec/jit/fiber/clusters.h); at every level of vectors, against the reference executor.
#include "native.h"

namespace heddle::exec {
namespace {

using interp::TestProgram;

// Each takes `in` and `out`, 4096 words, and `flags`, 4096 words of zeros. `begin` puts a thread's number in
// the block into %x, its index in the grid, blocks in the order of x, y, z, into %t, the addresses of its
// words into %i, %o and %f, the block's rank into %rank and the cluster's size into %size.
constexpr const char* header = R"(
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 flags)
{
  .reg .u64 %in, %out, %flags, %i, %o, %f, %a, %b, %c, %d<4>;
  .reg .u32 %t, %x, %lane, %block, %rank, %size, %v<16>;
  .reg .f32 %s<4>;
  .reg .pred %p, %q, %r;
  .shared .align 16 .b8 room[4096];
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  ld.param.u64 %flags, [flags];
  mov.u32 %v0, %ctaid.z;
  mov.u32 %v1, %nctaid.y;
  mov.u32 %v2, %ctaid.y;
  mad.lo.u32 %v0, %v0, %v1, %v2;
  mov.u32 %v1, %nctaid.x;
  mov.u32 %v2, %ctaid.x;
  mad.lo.u32 %block, %v0, %v1, %v2;
  mov.u32 %v1, %ntid.x;
  mov.u32 %x, %tid.x;
  and.b32 %lane, %x, 31;
  mad.lo.u32 %t, %block, %v1, %x;
  mad.wide.u32 %i, %t, 4, %in;
  mad.wide.u32 %o, %t, 4, %out;
  mad.wide.u32 %f, %t, 4, %flags;
  mov.u32 %rank, %cluster_ctarank;
  mov.u32 %size, %cluster_nctarank;
)";

// Each thread takes the next block's word, adds to the first block's, in its own memory by .shared, and what
// the registers of the cluster say.
constexpr const char* ring = R"(
  .shared .align 4 .u32 sum;
  ld.global.u32 %v0, [%i];
  mov.u32 %v1, room;
  mad.lo.u32 %v1, %x, 4, %v1;
  st.shared.u32 [%v1], %v0;
  mov.u32 %v2, sum;
  mapa.shared::cluster.u32 %v3, %v2, 0;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  and.b32 %v4, %v0, 255;
  atom.shared::cluster.add.u32 %v5, [%v3], %v4;
  add.u32 %v6, %rank, 1;
  rem.u32 %v6, %v6, %size;
  mapa.shared::cluster.u32 %v7, %v1, %v6;
  ld.shared::cluster.u32 %v8, [%v7];
  getctarank.shared::cluster.u32 %v9, %v7;
  mad.lo.u32 %v8, %v8, 3, %v9;
  barrier.cluster.arrive.release;
  ld.shared.u32 %v10, [%v1];
  mad.lo.u32 %v8, %v10, 5, %v8;
  barrier.cluster.wait.acquire;
  ld.shared::cluster.u32 %v5, [%v3];
  add.u32 %v8, %v8, %v5;
  mov.u32 %v5, %cluster_ctaid.x;
  mad.lo.u32 %v8, %v8, 7, %v5;
  mov.u32 %v5, %cluster_ctaid.y;
  mad.lo.u32 %v8, %v8, 7, %v5;
  mov.u32 %v5, %cluster_ctaid.z;
  mad.lo.u32 %v8, %v8, 7, %v5;
  mov.u32 %v5, %cluster_nctaid.y;
  mad.lo.u32 %v8, %v8, 7, %v5;
  mov.u32 %v5, %clusterid.x;
  mad.lo.u32 %v8, %v8, 7, %v5;
  mov.u32 %v5, %clusterid.y;
  mad.lo.u32 %v8, %v8, 7, %v5;
  mov.u32 %v5, %nclusterid.x;
  mad.lo.u32 %v8, %v8, 7, %v5;
  mov.u32 %v5, %nclusterid.z;
  mad.lo.u32 %v8, %v8, 7, %v5;
  st.global.u32 [%o], %v8;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  ret;
}
)";

// Through generic addresses, of which some are the own block's; what isspacep says of them.
constexpr const char* generic = R"(
  mov.u64 %a, room;
  cvta.shared.u64 %a, %a;
  mad.wide.u32 %a, %x, 4, %a;
  ld.global.u32 %v0, [%i];
  st.u32 [%a], %v0;
  xor.b32 %v1, %x, %rank;
  rem.u32 %v1, %v1, %size;
  mapa.u64 %b, %a, %v1;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  ld.u32 %v2, [%b];
  isspacep.shared::cta %p, %b;
  isspacep.shared::cluster %q, %b;
  selp.u32 %v3, 1, 2, %p;
  selp.u32 %v4, 10, 20, %q;
  add.u32 %v2, %v2, %v3;
  add.u32 %v2, %v2, %v4;
  getctarank.u64 %v5, %b;
  mad.lo.u32 %v2, %v2, 3, %v5;
  atom.add.u32 %v6, [%b+2048], %v0;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  ld.u32 %v6, [%a+2048];
  add.u32 %v2, %v2, %v6;
  st.global.u32 [%o], %v2;
  ret;
}
)";

// Every third lane, and all of the last warp but one lane, exit before the others meet.
constexpr const char* some_exit = R"(
  .shared .align 4 .u32 sum;
  rem.u32 %v0, %t, 3;
  setp.eq.u32 %p, %v0, 0;
  @%p ret;
  mov.u32 %v1, %ntid.x;
  sub.u32 %v1, %v1, 31;
  setp.gt.u32 %p, %x, %v1;
  @%p ret;
  mov.u32 %v2, sum;
  sub.u32 %v3, %size, 1;
  mapa.shared::cluster.u32 %v3, %v2, %v3;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  red.shared::cluster.add.u32 [%v3], %x;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  ld.shared::cluster.u32 %v4, [%v3];
  st.global.u32 [%o], %v4;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  ret;
}
)";

// Lanes of a warp arrive in two places, and wait in two others; barriers of the block between.
constexpr const char* parted = R"(
  mov.u32 %v1, room;
  mad.lo.u32 %v1, %x, 4, %v1;
  and.b32 %v2, %x, 1;
  setp.eq.u32 %p, %v2, 0;
  ld.global.u32 %v0, [%i];
  mov.u32 %v9, 0;
turn:
  st.shared.u32 [%v1], %v0;
  bar.sync 0;
  @%p bra even;
  add.u32 %v0, %v0, 3;
  barrier.cluster.arrive;
  bra joined;
even:
  barrier.cluster.arrive;
  mul.lo.u32 %v0, %v0, 5;
joined:
  add.u32 %v3, %rank, %v9;
  rem.u32 %v3, %v3, %size;
  mapa.shared::cluster.u32 %v4, %v1, %v3;
  barrier.cluster.wait;
  ld.shared::cluster.u32 %v5, [%v4];
  add.u32 %v0, %v0, %v5;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  add.u32 %v9, %v9, 1;
  setp.lt.u32 %q, %v9, 4;
  @%q bra turn;
  st.global.u32 [%o], %v0;
  ret;
}
)";

// All threads of the cluster arrive at the mbarrier of block 0, which alone waits; it hands the sum on to the
// others by st.async, for which their mbarriers wait.
constexpr const char* remote_arrivals = R"(
  .shared .align 8 .b64 bar[2];
  .shared .align 4 .u32 sum;
  .shared .align 4 .u32 told;
  mov.u32 %v0, %ntid.x;
  mul.lo.u32 %v1, %v0, %size;
  setp.ne.u32 %p, %x, 0;
  @%p bra made;
  mbarrier.init.shared.b64 [bar], %v1;
  mbarrier.init.shared.b64 [bar+8], 1;
  mbarrier.arrive.expect_tx.shared.b64 _, [bar+8], 4;
made:
  barrier.cluster.arrive;
  barrier.cluster.wait;
  mov.u32 %v2, bar;
  mapa.shared::cluster.u32 %v3, %v2, 0;
  mov.u32 %v4, sum;
  mapa.shared::cluster.u32 %v5, %v4, 0;
  ld.global.u32 %v6, [%i];
  and.b32 %v6, %v6, 1023;
  red.relaxed.cluster.shared::cluster.add.u32 [%v5], %v6;
  mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%v3];
  setp.ne.u32 %p, %rank, 0;
  @%p bra wait;
first:
  mbarrier.test_wait.parity.acquire.cluster.shared.b64 %q, [bar], 0;
  @!%q bra first;
  setp.ge.u32 %p, %x, %size;
  @%p bra wait;
  ld.shared.u32 %v7, [sum];
  add.u32 %v7, %v7, %x;
  mov.u32 %v8, told;
  mapa.shared::cluster.u32 %v8, %v8, %x;
  mapa.shared::cluster.u32 %v9, %v2, %x;
  add.u32 %v9, %v9, 8;
  st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%v8], %v7, [%v9];
wait:
  mbarrier.test_wait.parity.acquire.cluster.shared.b64 %q, [bar+8], 0;
  @!%q bra wait;
  ld.shared.u32 %v10, [told];
  st.global.u32 [%o], %v10;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  ret;
}
)";

// All threads of the cluster want one lock, which is in the last block's memory.
constexpr const char* lock = R"(
  .shared .align 4 .u32 taken;
  .shared .align 4 .u32 count;
  sub.u32 %v0, %size, 1;
  mov.u32 %v1, taken;
  mapa.shared::cluster.u32 %v1, %v1, %v0;
  mov.u32 %v2, count;
  mapa.shared::cluster.u32 %v2, %v2, %v0;
  barrier.cluster.arrive;
  barrier.cluster.wait;
again:
  atom.acquire.cluster.shared::cluster.cas.b32 %v3, [%v1], 0, 1;
  setp.ne.u32 %p, %v3, 0;
  @%p bra again;
  ld.volatile.shared::cluster.u32 %v4, [%v2];
  add.u32 %v4, %v4, 1;
  st.volatile.shared::cluster.u32 [%v2], %v4;
  fence.acq_rel.cluster;
  atom.release.cluster.shared::cluster.exch.b32 %v3, [%v1], 0;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  ld.shared::cluster.u32 %v4, [%v2];
  st.global.u32 [%o], %v4;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  ret;
}
)";

// The first block of each cluster waits for the last one of the next, in memory.
constexpr const char* clusters_wait = R"(
  setp.ne.u32 %p, %rank, 0;
  @%p bra told;
  mov.u32 %v0, %nctaid.x;
  sub.u32 %v0, %v0, %size;
  setp.ge.u32 %p, %block, %v0;
  @%p bra told;
  mov.u32 %v1, %ntid.x;
  mul.lo.u32 %v1, %v1, %size;
  mad.wide.u32 %a, %v1, 4, %f;
look:
  ld.acquire.gpu.global.u32 %v2, [%a];
  setp.eq.u32 %p, %v2, 0;
  @%p bra look;
told:
  barrier.cluster.arrive;
  barrier.cluster.wait;
  ld.global.u32 %v3, [%i];
  or.b32 %v3, %v3, 1;
  st.release.gpu.global.u32 [%f], %v3;
  st.global.u32 [%o], %v3;
  ret;
}
)";

// Rows of matrices in the own memory, of 16 bytes each, by addresses with a rank.
constexpr const char* matrices = R"(
  mov.u32 %v0, room;
  mad.lo.u32 %v1, %x, 16, %v0;
  ld.global.u32 %v2, [%i];
  st.shared.v4.u32 [%v1], {%v2, %v2, %x, %rank};
  bar.sync 0;
  and.b32 %v3, %x, 224;
  and.b32 %v4, %lane, 7;
  add.u32 %v3, %v3, %v4;
  mad.lo.u32 %v1, %v3, 16, %v0;
  ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%v5}, [%v1];
  ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%v6}, [%v1];
  barrier.cluster.arrive;
  barrier.cluster.wait;
  xor.b32 %v5, %v5, %v6;
  st.global.u32 [%o], %v5;
  ret;
}
)";

// A barrier of the whole cooperative grid, of the program's own making: before it each block leaves a word in
// its shared memory, behind it each adds its neighbour's in the cluster to a sum of the grid.
constexpr const char* whole_grid = R"(
  .shared .align 4 .u32 mine;
  mov.u32 %v0, %nctaid.x;
  setp.ne.u32 %p, %x, 0;
  @%p bra wait;
  add.u32 %v1, %block, 5;
  st.shared.u32 [mine], %v1;
  fence.acq_rel.gpu;
  atom.release.gpu.global.add.u32 %v2, [%flags], 1;
look:
  ld.acquire.gpu.global.u32 %v2, [%flags];
  setp.lt.u32 %q, %v2, %v0;
  @%q bra look;
wait:
  bar.sync 0;
  add.u32 %v3, %rank, 1;
  rem.u32 %v3, %v3, %size;
  mov.u32 %v4, mine;
  mapa.shared::cluster.u32 %v4, %v4, %v3;
  ld.shared::cluster.u32 %v5, [%v4];
  st.global.u32 [%o], %v5;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  ret;
}
)";

// ---- what goes wrong

// One thread of the second block reads the first one's memory as if it were its own.
constexpr const char* others_memory = R"(
  mov.u32 %v0, room;
  mov.u32 %v1, 0;
  setp.eq.u32 %p, %t, 45;
  @%p mapa.shared::cluster.u32 %v0, %v0, 0;
  mad.lo.u32 %v0, %x, 4, %v0;
  st.shared.u32 [%v0], %v1;
  st.global.u32 [%o], %v1;
  ret;
}
)";

constexpr const char* no_such_rank = R"(
  mov.u32 %v0, room;
  mov.u32 %v1, 7;
  mapa.shared::cluster.u32 %v0, %v0, 2;
  setp.ne.u32 %p, %t, 37;
  @%p bra end;
  st.shared::cluster.u32 [%v0], %v1;
end:
  st.global.u32 [%o], %v1;
  ret;
}
)";

constexpr const char* behind_the_end = R"(
  mov.u32 %v0, room;
  mov.u32 %v1, 7;
  mapa.shared::cluster.u32 %v0, %v0, 1;
  setp.ne.u32 %p, %t, 5;
  @%p bra end;
  ld.shared::cluster.u32 %v1, [%v0+4096];
end:
  st.global.u32 [%o], %v1;
  ret;
}
)";

// The second block does not come.
constexpr const char* nobody_comes = R"(
  setp.eq.u32 %p, %rank, 1;
  @%p bra end;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  st.global.u32 [%o], 1;
  ret;
end:
  bar.sync 1, 64;
  st.global.u32 [%o], 1;
  ret;
}
)";

constexpr const char* twice = R"(
  barrier.cluster.arrive;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  st.global.u32 [%o], 1;
  ret;
}
)";

constexpr const char* without_arrival = R"(
  barrier.cluster.wait;
  st.global.u32 [%o], 1;
  ret;
}
)";

class Clusters : public OnEveryHost {
 protected:
  void compare(const char* kernel, std::initializer_list<LaunchShape> shapes,
               const char* way = "warps on their own") {
    BothSides sides = both_sides(std::string(header) + kernel);
    const Said& said = sides.said;
    for (const LaunchShape& shape : shapes) {
      const auto run = [&](TestProgram& program) {
        const auto words = any_words(4096);
        auto in = program.buffer(words), out = program.buffer(words);
        auto flags = program.buffer(std::vector<uint32_t>(4096));
        const auto ran = program.run("k", shape, in, out, flags);
        EXPECT_TRUE(ran.ok()) << ran.error().message();
        return out.values();
      };
      sides.compare(run, "blocks of " + std::to_string(shape.block.x) + ", clusters of " +
                             std::to_string(shape.cluster.count()));
    }
    EXPECT_TRUE(said.has(way)) << said.text();
    EXPECT_FALSE(said.has("reference executor")) << said.text();
  }
  // Where nobody can go on, the reference executor says more of why.
  void compare_faults(const char* kernel, const LaunchShape& shape) {
    BothSides sides = both_sides(std::string(header) + kernel);
    const auto run = [&](TestProgram& program) {
      auto words = program.buffer(std::vector<uint32_t>(4096)),
           flags = program.buffer(std::vector<uint32_t>(4096));
      const auto ran = program.run("k", shape, words, words, flags);
      EXPECT_FALSE(ran.ok());
      if (ran.ok()) return std::string();
      std::string text = ran.error().message();
      if (ran.error().kind == FaultKind::illegal_barrier) text.resize(text.find_first_of(":;"));
      return text;
    };
    sides.compare(run);
    EXPECT_FALSE(sides.said.has("reference executor")) << sides.said.text();
  }
};

constexpr LaunchShape pairs{.grid = {8}, .block = {64}, .cluster = {2}};
constexpr LaunchShape fours{.grid = {8}, .block = {96}, .cluster = {4}};
constexpr LaunchShape eights{.grid = {8}, .block = {256}, .cluster = {8}};
constexpr LaunchShape planes{.grid = {4, 6, 2}, .block = {40}, .cluster = {2, 3, 1}};
constexpr LaunchShape bodies{.grid = {2, 2, 4}, .block = {32}, .cluster = {1, 2, 2}};
constexpr LaunchShape alone{.grid = {3}, .block = {96}};

TEST_P(Clusters, RingOfBlocks) { compare(ring, {pairs, fours, eights, planes, bodies, alone}); }
TEST_P(Clusters, ThroughGenericAddresses) { compare(generic, {pairs, fours, planes, alone}); }
TEST_P(Clusters, NotForThreadsThatHaveExited) { compare(some_exit, {pairs, fours, planes, alone}); }
TEST_P(Clusters, LanesComeInTwoPlaces) {
  compare(parted, {pairs, fours, eights, bodies, alone}, "threads on their own");
}
TEST_P(Clusters, ArriveAtAnothersMbarrier) {
  compare(remote_arrivals, {pairs, fours, eights, planes, alone});
}
TEST_P(Clusters, WantOneLock) { compare(lock, {pairs, fours, bodies, alone}, "threads on their own"); }
TEST_P(Clusters, WaitForTheNextCluster) { compare(clusters_wait, {pairs, fours, eights}); }
TEST_P(Clusters, MatricesOfTheOwnMemory) { compare(matrices, {pairs, fours, alone}); }

TEST_P(Clusters, OfACooperativeGrid) {
  compare(whole_grid, {{.grid = {8}, .block = {64}, .cluster = {2}, .cooperative = true},
                       {.grid = {12}, .block = {32}, .cluster = {4}, .cooperative = true}});
}

TEST_P(Clusters, AnothersMemoryIsNotTheOwn) {
  compare_faults(others_memory, {.grid = {4}, .block = {32}, .cluster = {2}});
}
TEST_P(Clusters, NoBlockOfThatRank) {
  compare_faults(no_such_rank, {.grid = {4}, .block = {32}, .cluster = {2}});
}
TEST_P(Clusters, BehindTheEndOfAnothers) {
  compare_faults(behind_the_end, {.grid = {4}, .block = {32}, .cluster = {2}});
}
TEST_P(Clusters, EndWhereNobodyCanGoOn) {
  compare_faults(nobody_comes, {.grid = {2}, .block = {32}, .cluster = {2}});
}
TEST_P(Clusters, ArriveOnce) { compare_faults(twice, {.grid = {2}, .block = {32}, .cluster = {2}}); }
TEST_P(Clusters, ArriveBeforeTheyWait) {
  compare_faults(without_arrival, {.grid = {2}, .block = {32}, .cluster = {2}});
}

on_every_host(Clusters);

}  // namespace
}  // namespace heddle::exec
