// Lanes of a warp that exchange values through memory without a barrier: nothing parts them, so they are in
// step, whichever code runs them. By vectors of every level and by threads on their own, against the
// reference executor, and where the answer is known against that.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "native.h"
#include "random_exchanges.h"

namespace heddle::exec {
namespace {

using interp::TestProgram;

constexpr uint32_t block = 96, blocks = 2;

// Each takes `in` and `out`, a word for each thread. `begin` puts a thread's number in the block into %x, in
// its warp into %lane, the addresses of its words into %i and %o, the word into %v, and into %row the 32
// words of shared memory that are its warp's, into %s its own of them.
constexpr const char* begin = R"(
.version 8.0
.target sm_80
.address_size 64
.entry k(.param .u64 in, .param .u64 out)
{
  .reg .u64 %in, %out, %i, %o, %a;
  .reg .u32 %t, %x, %lane, %row, %s, %v, %w, %n, %b<8>;
  .reg .pred %p, %q;
  .shared .align 4 .b8 room[1536];
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  mov.u32 %t, %ctaid.x;
  mov.u32 %n, %ntid.x;
  mov.u32 %x, %tid.x;
  mad.lo.u32 %t, %t, %n, %x;
  mad.wide.u32 %i, %t, 4, %in;
  mad.wide.u32 %o, %t, 4, %out;
  ld.global.u32 %v, [%i];
  and.b32 %lane, %x, 31;
  sub.u32 %row, %x, %lane;
  shl.b32 %row, %row, 4;
  mov.u32 %s, room;
  add.u32 %row, %row, %s;
  shl.b32 %s, %lane, 2;
  add.u32 %s, %s, %row;
)";
constexpr const char* end = R"(
  st.global.u32 [%o], %v;
  ret;
}
)";

std::vector<uint32_t> run(TestProgram& program) {
  auto in = program.buffer(any_words(block * blocks));
  auto out = program.buffer<uint32_t>(block * blocks);
  const auto ran = program.run("k", {.grid = {blocks}, .block = {block}}, in, out);
  EXPECT_TRUE(ran.ok()) << ran.error().message();
  return out.values();
}

// What comes out where each warp makes `f` of its 32 words.
template <class F>
std::vector<uint32_t> by_warps(const F& f) {
  std::vector<uint32_t> words = any_words(block * blocks);
  for (std::size_t w = 0; w < words.size(); w += 32) f(std::span(words).subspan(w, 32));
  return words;
}

class InStep : public OnEveryHost {
 protected:
  void compare(const std::string& body, const std::vector<uint32_t>& known = {}) const {
    const auto [cpu, tier] = GetParam();
    const std::string text = begin + body + end;
    for (const bool vectors : {true, false}) {
      BothSides sides(text, cpu, tier, vectors);
      sides.compare(run, text);
      if (!known.empty()) EXPECT_EQ(run(sides.expected), known) << text;
      EXPECT_EQ(sides.said.has("threads on their own"), !vectors) << sides.said.text();
      EXPECT_FALSE(sides.said.has("reference executor")) << sides.said.text();
    }
  }
};

// Each adds up the words of all, beginning behind its own.
constexpr const char* ring = R"(
  mov.u32 %b0, 0;
  mov.u32 %b1, 0;
again:
  st.shared.u32 [%s], %v;
  mov.u32 %w, 0;
turn:
  add.u32 %b2, %lane, %w;
  and.b32 %b2, %b2, 31;
  shl.b32 %b2, %b2, 2;
  add.u32 %b2, %b2, %row;
  ld.shared.u32 %b3, [%b2];
  mad.lo.u32 %b0, %b0, 3, %b3;
  add.u32 %w, %w, 1;
  setp.lt.u32 %p, %w, 32;
  @%p bra turn;
  add.u32 %v, %v, %b0;
  add.u32 %b1, %b1, 1;
  setp.lt.u32 %p, %b1, 3;
  @%p bra again;
)";
TEST_P(InStep, EachReadsWhatAllWrote) {
  compare(ring, by_warps([](std::span<uint32_t> v) {
            std::array<uint32_t, 32> sum{};
            for (int again = 0; again < 3; ++again) {
              const std::vector<uint32_t> room(v.begin(), v.end());
              for (unsigned lane = 0; lane < 32; ++lane) {
                for (unsigned k = 0; k < 32; ++k) sum[lane] = sum[lane] * 3 + room[(lane + k) % 32];
                v[lane] += sum[lane];
              }
            }
          }));
}

// A sum of all before: loads of all, then stores of all. `space` is where.
std::string scan(const std::string& space) {
  std::string text = space == "shared" ? "  cvt.u64.u32 %a, %s;\n" : "  mov.u64 %a, %o;\n";
  text += "  st." + space + ".u32 [%a], %v;\n";
  for (unsigned d = 1; d < 32; d *= 2) {
    const std::string by = std::to_string(d), back = std::to_string(4 * d);
    text += "  mov.u32 %w, 0;\n  setp.lt.u32 %p, %lane, " + by + ";\n  @%p bra skip" + by + ";\n  ld." +
            space + ".u32 %w, [%a+-" + back + "];\nskip" + by + ":\n  ld." + space +
            ".u32 %v, [%a];\n  add.u32 %v, %v, %w;\n  st." + space + ".u32 [%a], %v;\n";
  }
  return text;
}
std::vector<uint32_t> sums() {
  return by_warps([](std::span<uint32_t> v) {
    for (unsigned lane = 1; lane < 32; ++lane) v[lane] += v[lane - 1];
  });
}
TEST_P(InStep, ScanInSharedMemory) { compare(scan("shared"), sums()); }
TEST_P(InStep, ScanInGlobalMemory) { compare(scan("global"), sums()); }

// All lanes clear one word; then it is lane 5's.
constexpr const char* cleared = R"(
  mov.u32 %w, 0;
  st.shared.u32 [%row], %w;
  setp.eq.u32 %p, %lane, 5;
  @%p st.shared.u32 [%row], %v;
  ld.shared.u32 %w, [%row];
  add.u32 %v, %v, %w;
)";
TEST_P(InStep, StoresToOnePlaceKeepTheirOrder) {
  compare(cleared, by_warps([](std::span<uint32_t> v) {
            const uint32_t w = v[5];
            for (uint32_t& each : v) each += w;
          }));
}

// Half of the lanes exchange among themselves; where all meet, the others read it.
constexpr const char* parted = R"(
  and.b32 %w, %lane, 1;
  setp.ne.u32 %p, %w, 0;
  mov.u32 %b0, 7;
  @%p bra meet;
  st.shared.u32 [%s], %v;
  xor.b32 %b1, %s, 8;
  ld.shared.u32 %b0, [%b1];
  st.shared.u32 [%s+4], %b0;
meet:
  xor.b32 %b1, %s, 16;
  ld.shared.u32 %b2, [%b1];
  mad.lo.u32 %v, %b0, 5, %b2;
)";
TEST_P(InStep, LanesThatPartedMeetAgain) {
  compare(parted, by_warps([](std::span<uint32_t> v) {
            std::array<uint32_t, 32> room{};
            const std::vector<uint32_t> all(v.begin(), v.end());
            for (unsigned k = 0; k < 32; k += 2) room[k] = all[k], room[k + 1] = all[k ^ 2];
            for (unsigned k = 0; k < 32; ++k) v[k] = (k % 2 ? 7 : all[k ^ 2]) * 5 + room[k ^ 4];
          }));
}

// Lanes leave the loop after one to four turns, and jump over a part of each second one.
constexpr const char* turns = R"(
  and.b32 %n, %lane, 3;
  mov.u32 %w, 0;
turn:
  add.u32 %b0, %w, %lane;
  and.b32 %b0, %b0, 1;
  setp.eq.u32 %p, %b0, 0;
  @%p bra skip;
  st.shared.u32 [%s], %v;
  xor.b32 %b1, %s, 32;
  ld.shared.u32 %b2, [%b1];
  mad.lo.u32 %v, %v, 3, %b2;
skip:
  add.u32 %w, %w, 1;
  setp.le.u32 %p, %w, %n;
  @%p bra turn;
  add.u32 %b0, %lane, 3;
  and.b32 %b0, %b0, 31;
  shl.b32 %b0, %b0, 2;
  add.u32 %b0, %b0, %row;
  ld.shared.u32 %w, [%b0];
  add.u32 %v, %v, %w;
)";
TEST_P(InStep, TurnsOfALoopAreNotMixed) {
  compare(turns, by_warps([](std::span<uint32_t> v) {
            std::array<uint32_t, 32> room{};
            for (unsigned turn = 0; turn < 4; ++turn) {
              const auto goes = [turn](unsigned k) { return turn <= k % 4 && (turn + k) % 2 == 1; };
              for (unsigned k = 0; k < 32; ++k)
                if (goes(k)) room[k] = v[k];
              for (unsigned k = 0; k < 32; ++k)
                if (goes(k)) v[k] = v[k] * 3 + room[k ^ 8];
            }
            for (unsigned k = 0; k < 32; ++k) v[k] += room[(k + 3) % 32];
          }));
}

// Who has exited is not waited for.
constexpr const char* exited = R"(
  st.shared.u32 [%s], %v;
  setp.ge.u32 %p, %lane, 20;
  @%p ret;
  st.shared.u32 [%s+80], %lane;
  xor.b32 %b0, %s, 4;
  ld.shared.u32 %w, [%b0+48];
  add.u32 %v, %v, %w;
)";
TEST_P(InStep, WhoHasExitedIsNotWaitedFor) {
  compare(exited, by_warps([](std::span<uint32_t> v) {
            const std::vector<uint32_t> all(v.begin(), v.end());
            for (unsigned k = 0; k < 32; ++k) {
              const unsigned at = (k ^ 1) + 12;
              v[k] = k >= 20 ? 0 : all[k] + (at < 20 ? all[at] : at - 20);
            }
          }));
}

// What an exchange at one place leaves: each lane finds what the one before it had.
void exchange_in_order(std::span<uint32_t> v, const std::vector<unsigned>& lanes) {
  uint32_t found = 0;
  for (const unsigned k : lanes) {
    const uint32_t had = v[k];
    v[k] = had * 3 + found;
    found = had;
  }
}
std::vector<unsigned> lanes_but(unsigned gone) {
  std::vector<unsigned> lanes;
  for (unsigned k = 0; k < 32; ++k)
    if (k != gone) lanes.push_back(k);
  return lanes;
}
constexpr const char* exchange = R"(
  atom.shared.exch.b32 %w, [%row+384], %v;
  mad.lo.u32 %v, %v, 3, %w;
)";

TEST_P(InStep, LanesLeaveABarrierInTheirOrder) {
  compare("  bar.sync 0;\n" + std::string(exchange),
          by_warps([](std::span<uint32_t> v) { exchange_in_order(v, lanes_but(32)); }));
}

// Lane 12 comes last to where the others are, or exits; by then lanes 3 and 20 wait at a place before that,
// and go on without the others, 3 first.
std::string late(const std::string& behind) {
  return R"(
  setp.ne.u32 %p, %lane, 12;
  @%p bra past;
  st.shared.u32 [%s], %v;
  xor.b32 %b0, %s, 8;
  ld.shared.u32 %b1, [%b0];
  add.u32 %v, %v, %b1;
)" + behind +
         R"(past:
  setp.eq.u32 %p, %lane, 3;
  setp.eq.u32 %q, %lane, 20;
  or.pred %p, %p, %q;
  @!%p bra meet;
  atom.shared.exch.b32 %w, [%row+256], %v;
  mad.lo.u32 %v, %v, 3, %w;
meet:
)" + exchange;
}
TEST_P(InStep, WhoGoesOnWithoutTheOthersKeepsTheirOrder) {
  compare(late(""), by_warps([](std::span<uint32_t> v) {
            exchange_in_order(v, {3, 20});
            exchange_in_order(v, lanes_but(32));
          }));
}
TEST_P(InStep, WhoIsLetGoByAnExitKeepsTheirOrder) {
  compare(late("  ret;\n"), by_warps([](std::span<uint32_t> v) {
            exchange_in_order(v, {3, 20});
            exchange_in_order(v, lanes_but(12));
            v[12] = 0;
          }));
}

// Even lanes wait for one another, in global memory or by name, and come to the exchange with the others.
TEST_P(InStep, WhoWaitedMeanwhileKeepsTheOrder) {
  const std::string odd = "  and.b32 %b0, %lane, 1;\n  setp.ne.u32 %p, %b0, 0;\n  @%p bra meet;\n",
                    meet = "meet:\n";
  const auto all_in_order = [](std::span<uint32_t> v) { exchange_in_order(v, lanes_but(32)); };
  compare(odd + "  bar.warp.sync 0x55555555;\n" + meet + exchange, by_warps(all_in_order));
  compare(odd +
              "  st.global.u32 [%o], %v;\n  sub.u32 %b0, %t, %lane;\n"
              "  xor.b32 %b1, %lane, 2;\n  add.u32 %b0, %b0, %b1;\n  mad.wide.u32 %a, %b0, 4, %out;\n"
              "  ld.global.u32 %v, [%a];\n" +
              meet + exchange,
          by_warps([&](std::span<uint32_t> v) {
            const std::vector<uint32_t> had(v.begin(), v.end());
            for (unsigned k = 0; k < 32; k += 2) v[k] = had[k ^ 2];
            all_in_order(v);
          }));
}

// A lane's words of global memory are behind the results: its warp's rows.
constexpr uint32_t warps = block / 32 * blocks;
std::vector<uint32_t> run_random(TestProgram& program) {
  auto in = program.buffer(any_words(block * blocks));
  auto out = program.buffer<uint32_t>(block * blocks + warps * RandomExchanges::words);
  const auto ran = program.run("k", {.grid = {blocks}, .block = {block}}, in, out);
  EXPECT_TRUE(ran.ok()) << ran.error().message();
  return out.values();
}
std::string random_program(uint64_t seed) {
  std::string text = begin;
  text.insert(text.find(".entry"), RandomExchanges::declaration());
  return text + RandomExchanges::begin() + RandomExchanges(seed).text() + "  add.u32 %v, %v, %w;\n" + end +
         RandomExchanges::function();
}

// Three groups of a warp's lanes wait at three places, and those of the middle one are let go by a lane
// between them.
TEST_P(InStep, RandomExchangesOfThreadsThatLeaveLoopsEarly) {
  const auto [cpu, tier] = GetParam();
  const std::string text = random_program(1048);
  BothSides sides(text, cpu, tier, false);
  sides.compare(run_random, text);
}

// HEDDLE_SEEDS=first,count has others made.
TEST_P(InStep, RandomExchanges) {
  const auto [cpu, tier] = GetParam();
  uint64_t first = 0, count = 3;
  if (const char* seeds = std::getenv("HEDDLE_SEEDS"))
    std::sscanf(seeds, "%" SCNu64 ",%" SCNu64, &first, &count);
  for (uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) {
    const std::string text = random_program(seed);
    for (const bool vectors : {true, false}) {
      BothSides sides(text, cpu, tier, vectors);
      sides.compare(run_random,
                    "seed " + std::to_string(seed) + (vectors ? "\n" : ", threads on their own\n") + text);
    }
  }
}

on_every_host(InStep);

}  // namespace
}  // namespace heddle::exec
