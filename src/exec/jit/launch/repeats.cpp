#include "exec/jit/launch/repeats.h"

#include <bit>
#include <iterator>
#include <numeric>
#include <utility>

#include "exec/told_access.h"

namespace heddle::exec::jit {

namespace {

// Where no access repeats another, most are told at once: to keep one costs more than to tell it.
constexpr uint32_t most_passed = 15;

// Puts in how often.
class Times final : public observe::Sink {
 public:
  Times(observe::RepeatSink& sink, uint64_t times) : sink_(sink), times_(times) {}
  void access(const observe::Access& one) override { sink_.accesses(one, times_); }

 private:
  observe::RepeatSink& sink_;
  const uint64_t times_;
};

void tell_one(const Repeats::Ear& ear, uint32_t site, uint64_t key, const uint32_t* block, uint32_t warp,
              uint32_t lanes, uint64_t* addresses, uint64_t times) {
  const RepeatKey what = RepeatKey::of(key);
  const Site& at = ear.kernel.sites[site];
  Times sink(ear.sink, times);
  exec::tell(sink,
             {.place = {at.function, at.instruction},
              .block = {block[0], block[1], block[2]},
              .warp = warp,
              .lanes = lanes,
              .bytes = what.bytes,
              .kind = static_cast<observe::AccessKind>(what.kind)},
             static_cast<module::Space>(what.space), ear.windows, addresses);
}

// What `entry` begins.
RepeatOfLanes& of_lanes(Repeat& entry) { return reinterpret_cast<RepeatOfLanes&>(entry); }

void make_row(uint64_t* addresses, uint64_t base, uint64_t key) {
  const auto step = static_cast<uint64_t>(RepeatKey::of(key).lane_step);
  for (unsigned lane = 0; lane < observe::warp_lanes; ++lane) addresses[lane] = base + step * lane;
}

}  // namespace

void Repeats::tell(Repeat& entry, uint32_t site, bool is_row, const Ear& ear) {
  alignas(64) uint64_t addresses[observe::warp_lanes];
  const auto tell = [&](uint64_t times) {
    tell_one(ear, site, entry.key, entry.block, entry.warp, entry.lanes, addresses, times);
  };
  if (is_row) {
    make_row(addresses, entry.base, entry.key);
    return tell(entry.times);
  }
  RepeatOfLanes& any = of_lanes(entry);
  constexpr uint64_t low = observe::repeat_bytes - (1U << repeat_shift);
  for (uint64_t place = 0; place < repeat_places; ++place) {
    const uint64_t times = std::exchange(any.times[place], 0);
    if (times == 0) continue;
    const uint64_t base = (entry.base & ~low) + (place << repeat_shift);
    for (unsigned lane = 0; lane < observe::warp_lanes; ++lane) addresses[lane] = base + any.distances[lane];
    tell(times);
  }
}

namespace {

bool has_repeated(Repeat& entry, bool is_row) {
  uint64_t times = entry.times;
  if (!is_row)
    times = std::accumulate(std::begin(of_lanes(entry).times), std::end(of_lanes(entry).times), uint64_t{0});
  return times != entry.first_times;
}

}  // namespace

void Repeats::come(Repeat& entry, const Made& made, const Ear& ear) {
  const bool is_row = made.addresses == nullptr;
  const auto tell_at_once = [&] {
    alignas(64) uint64_t row[observe::warp_lanes];
    if (is_row) make_row(row, made.base, made.key);
    tell_one(ear, made.site, made.key, made.block, made.warp, made.lanes, is_row ? row : made.addresses, 1);
  };
  if (closed_.contains(reinterpret_cast<uintptr_t>(&entry))) return tell_at_once();
  if (is_row && entry.key == made.key && entry.lanes == made.lanes) {  // another warp of the same group
    ++entry.times, ++entry.first_times;
    return;
  }
  if (entry.key == 0) {
    used_.push_back({&entry, made.site, is_row});
  } else if (entry.passed < most_passed && !has_repeated(entry, is_row)) {
    ++entry.passed;
    return tell_at_once();
  } else {
    tell(entry, made.site, is_row, ear);
  }
  entry.key = made.key;
  entry.times = entry.first_times = 1;
  entry.base = made.base;
  entry.lanes = made.lanes;
  entry.warp = made.warp;
  for (unsigned i = 0; i < 3; ++i) entry.block[i] = made.block[i];
  entry.passed = 0;
  if (is_row) return;
  RepeatOfLanes& any = of_lanes(entry);
  any.times[made.base % observe::repeat_bytes >> repeat_shift] = 1;
  for (unsigned lane = 0; lane < observe::warp_lanes; ++lane)
    any.distances[lane] = made.addresses[lane] - made.base;
}

void Repeats::tell(const Ear& ear) {
  for (const Used& used : std::exchange(used_, {})) {
    tell(*used.entry, used.site, used.is_row, ear);
    used.entry->key = 0;
  }
}

}  // namespace heddle::exec::jit
