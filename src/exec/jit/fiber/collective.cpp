#include "exec/jit/fiber/collective.h"

#include <bit>

#include "exec/jit/ir/ops.h"

namespace heddle::exec::jit {

namespace {

struct Lanes {
  uint32_t first() const { return static_cast<uint32_t>(std::countr_zero(mask)); }
  template <class F>
  void each(F&& f) const {
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      f(lane, *requests[lane]);
    }
  }
  uint32_t yes() const {
    uint32_t yes = 0;
    each([&](uint32_t lane, const Request& r) { yes |= static_cast<uint32_t>(r.arguments[0] & 1) << lane; });
    return yes;
  }
  void give(uint64_t first, uint64_t second = 0) const {
    each([&](uint32_t, Request& r) {
      r.results[0] = first;
      r.results[1] = second;
    });
  }
  const LaneRequests& requests;
  const uint32_t mask;
};

// Where a lane reads, as PTX ISA 9.7.9.6 computes it; out of range: its own value, p false.
void shuffle(const Lanes& lanes) {
  enum Mode : uint32_t { up, down, bfly, idx };
  lanes.each([&](uint32_t lane, Request& r) {
    const auto b = static_cast<uint32_t>(r.arguments[1] & 31), c = static_cast<uint32_t>(r.arguments[2]);
    const uint32_t clamp = c & 31, segment = c >> 8 & 31;
    const uint32_t low = lane & segment, high = low | (clamp & ~segment);
    uint32_t from = 0;
    bool valid = false;
    switch (r.what) {
      case up:
        from = lane - b;
        valid = static_cast<int32_t>(from) >= static_cast<int32_t>(high);
        break;
      case down:
        from = lane + b;
        valid = from <= high;
        break;
      case bfly:
        from = lane ^ b;
        valid = from <= high;
        break;
      default:
        from = low | (b & ~segment);
        valid = from <= high;
        break;
    }
    if (!valid) from = lane;
    // A lane that takes no part has no value to give: undefined by the ISA, 0 on an H200 and here.
    const bool gives = (lanes.mask >> from & 1) != 0;
    r.results[0] = gives ? static_cast<uint32_t>(lanes.requests[from]->arguments[0]) : 0;
    r.results[1] = valid ? 1 : 0;
  });
}

void vote(const Lanes& lanes) {
  const uint32_t yes = lanes.yes();
  switch (lanes.requests[lanes.first()]->what) {
    case 0: return lanes.give(yes == lanes.mask);
    case 1: return lanes.give(yes != 0);
    default: return lanes.give(yes == 0 || yes == lanes.mask);
  }
}

void match_any(const Lanes& lanes) {
  lanes.each([&](uint32_t, Request& r) {
    r.results[0] = 0;
    lanes.each([&](uint32_t other, const Request& o) {
      r.results[0] |= static_cast<uint64_t>(o.arguments[0] == r.arguments[0] ? 1 : 0) << other;
    });
  });
}

void match_all(const Lanes& lanes) {
  const uint64_t value = lanes.requests[lanes.first()]->arguments[0];
  bool agree = true;
  lanes.each([&](uint32_t, const Request& r) { agree &= r.arguments[0] == value; });
  lanes.give(agree ? lanes.mask : 0, agree);
}

void reduce(const Lanes& lanes) {
  const auto how = static_cast<WarpReduction>(lanes.requests[lanes.first()]->what);
  bool any = false;
  uint32_t sum = 0;
  lanes.each([&](uint32_t, const Request& r) {
    const auto a = static_cast<uint32_t>(r.arguments[0]);
    const auto less = [](uint32_t x, uint32_t y) {
      return static_cast<int32_t>(x) < static_cast<int32_t>(y);
    };
    if (!any) {
      sum = a;
      any = true;
      return;
    }
    switch (how) {
      case WarpReduction::add: sum += a; break;
      case WarpReduction::and_: sum &= a; break;
      case WarpReduction::or_: sum |= a; break;
      case WarpReduction::xor_: sum ^= a; break;
      case WarpReduction::min_signed: sum = less(a, sum) ? a : sum; break;
      case WarpReduction::max_signed: sum = less(sum, a) ? a : sum; break;
      case WarpReduction::min_unsigned: sum = a < sum ? a : sum; break;
      case WarpReduction::max_unsigned: sum = sum < a ? a : sum; break;
    }
  });
  lanes.give(sum);
}

}  // namespace

void evaluate_collective(const LaneRequests& requests, uint32_t mask) {
  const Lanes lanes{requests, mask};
  switch (requests[lanes.first()]->want) {
    case Want::shuffle: return shuffle(lanes);
    case Want::vote: return vote(lanes);
    case Want::ballot: return lanes.give(lanes.yes());
    case Want::match_any: return match_any(lanes);
    case Want::match_all: return match_all(lanes);
    case Want::warp_reduce: return reduce(lanes);
    default: return lanes.give(lanes.mask);  // active_mask; warp_barrier and in_step want nothing
  }
}

}  // namespace heddle::exec::jit
