#include "clock/launch_clock.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace heddle::clock {

using timing::Ticks;

namespace {

uint64_t warps_of(const exec::LaunchShape& shape) { return (shape.block.count() + 31) / 32; }

}  // namespace

LaunchClock::LaunchClock(const timing::Machine& machine, const exec::Launch& launch, uint32_t resident,
                         uint64_t l1_bytes, timing::FindPiece find, int64_t began, uint64_t epoch)
    : machine_(machine),
      shape_(launch.shape),
      program_(timing::make_program(*launch.module->image, machine)),
      company_(timing::company_of(machine, shape_.grid.count(), warps_of(shape_), resident)),
      l1_bytes_(l1_bytes),
      at_once_(uint64_t{std::max(1U, resident)} * machine.multiprocessors),
      find_(std::move(find)),
      began_(began),
      epoch_(epoch),
      maker_(machine, find_),
      caches_(machine) {}

// Blocks come to the multiprocessors in turn, and the next ones to the places of those that have ended.
Ticks LaunchClock::start_of(uint64_t block) const {
  const Ticks first = machine_.launch / 2 + machine_.block_start;
  const uint64_t wave = block / at_once_;
  if (wave == 0) return first + machine_.block_interval * block;
  const auto before = ended_.find(block % at_once_);
  if (before != ended_.end()) return before->second + machine_.block_start;
  // The executor runs it before the one whose place it takes.
  return first + (count_ == 0 ? 0 : sum_ / count_ * wave);
}

LaunchClock::Block& LaunchClock::block_at(const std::array<uint32_t, 3>& index) {
  if (last_ != nullptr && index == last_index_) return *last_;
  const exec::Dim3& grid = shape_.grid;
  const uint64_t number = index[0] + uint64_t{grid.x} * (index[1] + uint64_t{grid.y} * index[2]);
  std::unique_ptr<Block>& block = blocks_[number];
  if (block == nullptr) {
    const auto warps = static_cast<uint32_t>(warps_of(shape_));
    block = std::make_unique<Block>(
        Block{number,
              {machine_, program_, company_, caches_, l1_bytes_, warps, start_of(number)},
              std::vector<observe::Mask>(warps, ~observe::Mask{0}),
              warps});
    if (const uint64_t rest = shape_.block.count() % 32; rest != 0)
      block->alive.back() = (observe::Mask{1} << rest) - 1;
  }
  last_index_ = index;
  return *(last_ = block.get());
}

void LaunchClock::visit(const observe::Visit& v) { block_at(v.block).clock.visit(v.warp, v.place, v.lanes); }

void LaunchClock::access(const observe::Access& access) {
  parts_.clear();
  const timing::Event event = maker_.event(access, parts_);
  block_at(access.block).clock.event(access.warp, event, parts_.data());
}

void LaunchClock::look(const observe::Look& look) {
  parts_.clear();
  const timing::Event event = maker_.event(look, parts_);
  block_at(look.block).clock.event(look.warp, event, parts_.data());
}

void LaunchClock::sync(const observe::Sync& sync) {
  if (sync.kind != observe::SyncKind::exit) return;
  Block& block = block_at(sync.block);
  if (sync.warp >= block.alive.size() || block.alive[sync.warp] == 0) return;
  if ((block.alive[sync.warp] &= ~sync.lanes) != 0) return;
  block.clock.ended(sync.warp);
  if (--block.warps != 0) return;
  const Ticks end = block.clock.end();
  sum_ += end - std::min(end, start_of(block.number));
  ++count_;
  ended_[block.number % at_once_] = end;
  last_ = nullptr;
  blocks_.erase(block.number);
}

observe::Time LaunchClock::time(const observe::TimeAsked& asked) {
  const Ticks ticks = block_at(asked.block).clock.time(asked.warp, asked.place);
  const double khz = machine_.device->clock.core_khz;
  const double began = static_cast<double>(began_);
  return {static_cast<uint64_t>(began * khz / 1e6) + ticks / timing::ticks_per_clock,
          epoch_ + static_cast<uint64_t>(began_ + std::llround(machine_.nanoseconds(ticks)))};
}

}  // namespace heddle::clock
