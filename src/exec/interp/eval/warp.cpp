// What the lanes of a warp do together: votes, matches, reductions, shuffles (PTX ISA 9.7.9.5, 9.7.9.6
// and 9.7.13).
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "exec/interp/step.h"
#include "observe/exchange.h"

namespace heddle::exec::interp {
namespace {

using isa::Slot;
using isa::Word;

struct Poll {
  Mask yes = 0;
  Mask asked = 0;
};

Poll ask(Step& s) {  // operand 1 is the predicate
  Poll poll;
  s.each([&](int lane) {
    poll.asked |= Mask{1} << lane;
    if (s.get_predicate(1, lane)) poll.yes |= Mask{1} << lane;
  });
  return poll;
}

bool verdict(Word mode, const Poll& poll) {
  switch (mode) {
    case Word::all: return poll.yes == poll.asked;
    case Word::any: return poll.yes != 0;
    default: return poll.yes == 0 || poll.yes == poll.asked;  // .uni
  }
}

void vote(Step& s) {
  const bool answer = verdict(s.word(Slot::vote), ask(s));
  s.each([&](int lane) { s.set_predicate(0, lane, answer); });
}

void ballot(Step& s) {
  const Mask yes = ask(s).yes;
  s.each([&](int lane) { s.set<uint32_t>(0, lane, yes); });
}

// Where a lane reads, as PTX ISA 9.7.9.6 computes it; out of range: its own value, p false. Operands d, p, a,
// b, c.
void shuffle(Step& s) {
  const Word mode = s.word(Slot::shuffle);
  uint32_t value[warp_size] = {};
  Mask source_active = s.lanes();
  s.each([&](int lane) { value[lane] = s.get<uint32_t>(2, lane); });
  struct Answer {
    uint32_t value;
    bool valid;
  } answer[warp_size];
  s.each([&](int lane) {
    const int b = static_cast<int>(s.get<uint32_t>(3, lane) & 31);
    const uint32_t c = s.get<uint32_t>(4, lane);
    const int clamp = static_cast<int>(c & 31), segment = static_cast<int>(c >> 8 & 31);
    const int min_lane = lane & segment, max_lane = min_lane | (clamp & ~segment);
    int j = 0;
    bool valid = false;
    switch (mode) {
      case Word::up:
        j = lane - b;
        valid = j >= max_lane;
        break;
      case Word::down:
        j = lane + b;
        valid = j <= max_lane;
        break;
      case Word::bfly:
        j = lane ^ b;
        valid = j <= max_lane;
        break;
      default:
        j = min_lane | (b & ~segment);
        valid = j <= max_lane;
        break;  // .idx
    }
    if (!valid) j = lane;
    // A lane that takes no part has no value to give: undefined by the ISA, 0 on an H200 and here.
    answer[lane] = {source_active >> j & 1 ? value[j] : 0, valid};
  });
  s.each([&](int lane) {
    s.set<uint32_t>(0, lane, answer[lane].value);
    if (s.present(1)) s.set_predicate(1, lane, answer[lane].valid);
  });
}

// The members are here; false: some are waited for.
bool gather(Step& s, int membermask) {
  if (!s.collect(membermask)) return false;
  s.tells(observe::warp_exchange, membermask);
  return true;
}

}  // namespace

void eval_vote(Step& s) { vote(s); }
void eval_vote_ballot(Step& s) { ballot(s); }
void eval_vote_sync(Step& s) {
  if (gather(s, 2)) vote(s);
}
void eval_vote_sync_ballot(Step& s) {
  if (gather(s, 2)) ballot(s);
}

void eval_shfl(Step& s) { shuffle(s); }
void eval_shfl_sync(Step& s) {
  if (gather(s, 5)) shuffle(s);
}

// The members that have the same value as the lane.
void eval_match_any(Step& s) {
  if (!gather(s, 2)) return;
  uint64_t value[warp_size] = {};
  s.each([&](int lane) { value[lane] = s.get<uint64_t>(1, lane); });
  s.each([&](int lane) {
    Mask same = 0;
    s.each([&](int other) {
      if (value[other] == value[lane]) same |= Mask{1} << other;
    });
    s.set<uint32_t>(0, lane, same);
  });
}

// All members when they agree, else none. Operands d, p, a, membermask.
void eval_match_all(Step& s) {
  if (!gather(s, 3)) return;
  const uint64_t first = s.get<uint64_t>(2, std::countr_zero(s.lanes()));
  bool agree = true;
  s.each([&](int lane) { agree = agree && s.get<uint64_t>(2, lane) == first; });
  s.each([&](int lane) {
    s.set<uint32_t>(0, lane, agree ? s.lanes() : 0);
    if (s.present(1)) s.set_predicate(1, lane, agree);
  });
}

void eval_redux(Step& s) {
  if (!gather(s, 2)) return;
  const Word op = s.word(Slot::op);
  const bool is_signed = isa::info(s.type()).kind == isa::TypeKind::signed_;
  bool first = true;
  uint32_t sum = 0;
  auto smaller = [&](uint32_t a, uint32_t b) {
    return is_signed ? static_cast<int32_t>(a) < static_cast<int32_t>(b) : a < b;
  };
  s.each([&](int lane) {
    const uint32_t a = s.get<uint32_t>(1, lane);
    if (first) {
      sum = a;
      first = false;
      return;
    }
    switch (op) {
      case Word::add: sum += a; break;
      case Word::min: sum = smaller(a, sum) ? a : sum; break;
      case Word::max: sum = smaller(sum, a) ? a : sum; break;
      case Word::and_: sum &= a; break;
      case Word::or_: sum |= a; break;
      default: sum ^= a; break;
    }
  });
  s.each([&](int lane) { s.set<uint32_t>(0, lane, sum); });
}

// min and max of f32: NaN sources are passed over unless .NaN is given; .abs compares magnitudes.
void eval_redux_f32(Step& s) {
  if (!gather(s, 2)) return;
  const bool is_min = s.word(Slot::op) == Word::min, keep_nan = s.has(Slot::nan),
             magnitude = s.has(Slot::abs);
  constexpr uint32_t canonical_nan = 0x7fffffff;
  uint32_t best = canonical_nan;
  bool any = false, nan = false;
  s.each([&](int lane) {
    uint32_t bits = s.get<uint32_t>(1, lane);
    if (magnitude) bits &= 0x7fffffff;
    const float value = std::bit_cast<float>(bits);
    if (std::isnan(value)) {
      nan = true;
      return;
    }
    const float so_far = std::bit_cast<float>(best);
    // -0 counts as less than +0
    const bool less = value < so_far || (value == so_far && std::signbit(value) && !std::signbit(so_far));
    const bool more = value > so_far || (value == so_far && !std::signbit(value) && std::signbit(so_far));
    if (!any || (is_min ? less : more)) best = bits;
    any = true;
  });
  if (nan && keep_nan) best = canonical_nan;
  s.each([&](int lane) { s.set<uint32_t>(0, lane, best); });
}

// The lowest member is elected. Operands d, p, membermask.
void eval_elect(Step& s) {
  if (!gather(s, 2)) return;
  const int leader = std::countr_zero(s.lanes());
  s.each([&](int lane) {
    s.set<uint32_t>(0, lane, static_cast<uint32_t>(leader));
    s.set_predicate(1, lane, lane == leader);
  });
}

}  // namespace heddle::exec::interp
