#include "exec/jit/fiber/turns.h"

#include <algorithm>
#include <thread>

#include "exec/jit/passes/costs.h"

namespace heddle::exec::jit {

namespace {

constexpr auto turn_time = std::chrono::microseconds(cost::microseconds_of_a_turn);
constexpr auto time_without_end = std::chrono::microseconds(cost::microseconds_without_end);
constexpr auto time_of_all_waiting = std::chrono::microseconds(cost::microseconds_of_all_waiting);
constexpr std::chrono::steady_clock::time_point unknown{};

}  // namespace

bool Turns::run(Context& context, uint64_t first, uint64_t count, bool looks, Keeper& keeper) {
  next_ = first;
  end_ = first + count;
  there_.clear();
  taken_.clear();
  in_cluster_ = context.cluster_blocks;
  clusters_ = 0;
  lowest_free_ = 0;
  at_ = waiting_ = 0;
  told_ = false;
  last_change_ = unknown;
  patience_ = time_without_end;
  together_ = context.together != 0;
  while (together_ && next_ != end_)
    if (!begin_own(context, keeper)) return false;
  for (;;) {
    if (there_.empty()) {
      if (next_ == end_) return true;
      if (!begin_own(context, keeper)) return false;
    }
    turn_began_ = unknown;
    const Turn turn = keeper.go_on(context, there_[at_]);
    if (turn == Turn::ended) {
      block_ended(context);
      continue;
    }
    if (turn == Turn::looked) {
      if (++waiting_ >= there_.size()) all_wait(context, keeper);
    } else {
      not_waiting(context);
      if (turn == Turn::spent && looks) nobody_ends(context, keeper);
    }
    if (++at_ >= there_.size()) at_ = 0;
  }
}

bool Turns::passed() {
  const Clock::time_point now = Clock::now();
  if (turn_began_ == unknown) turn_began_ = now;
  return now - turn_began_ >= turn_time;
}

bool Turns::is_taken(std::size_t first) const {
  for (std::size_t i = 0; i < in_cluster_; ++i)
    if (taken_[first + i]) return true;
  return false;
}

// The first of a cluster's.
std::size_t Turns::free_place() {
  while (lowest_free_ < taken_.size() && is_taken(lowest_free_)) lowest_free_ += in_cluster_;
  if (lowest_free_ == taken_.size()) taken_.resize(taken_.size() + in_cluster_, false);
  return lowest_free_;
}

bool Turns::make_room(Context& context, std::size_t first, bool alone, Keeper& keeper) {
  for (std::size_t i = 0; i < in_cluster_; ++i)
    if (!keeper.make_room(context, first + i, alone && in_cluster_ == 1)) return false;
  return true;
}

void Turns::begin(Context& context, std::size_t first, uint64_t block, Keeper& keeper) {
  for (std::size_t i = 0; i < in_cluster_; ++i) {
    keeper.begin(context, first + i, block + i);
    taken_[first + i] = true;
    there_.push_back(first + i);
  }
  ++clusters_;
}

bool Turns::begin_own(Context& context, Keeper& keeper) {
  const std::size_t place = free_place();
  const uint64_t block = next_;
  next_ += in_cluster_;
  if (!make_room(context, place, there_.empty() && (!together_ || next_ == end_), keeper)) return false;
  begin(context, place, block, keeper);
  return true;
}

bool Turns::begin_another(Context& context, Keeper& keeper) {
  if (together_) return false;
  const std::size_t place = free_place();
  if (!make_room(context, place, false, keeper)) return false;
  const bool own = next_ != end_;
  const uint64_t block = others_.begin(&context, own ? next_ : no_block);
  if (block == no_block) return false;
  if (own) next_ += in_cluster_;
  begin(context, place, block, keeper);
  return true;
}

bool Turns::begin_as_many(Context& context, Keeper& keeper) {
  std::size_t begun = 0;
  for (const std::size_t many = clusters_; begun < many && begin_another(context, keeper);) ++begun;
  return begun != 0;
}

void Turns::all_wait(Context& context, Keeper& keeper) {
  waiting_ = 0;
  const Company company = others_.wait(&context, true);
  if (!told_) waits_since_ = Clock::now();
  told_ = true;
  // Of several workers one may have done already what another one has not seen yet.
  if (company == Company::works ||
      (company == Company::waits && Clock::now() - waits_since_ < time_of_all_waiting))
    return rest();
  if (!begin_as_many(context, keeper)) return rest();
  not_waiting(context);
}

void Turns::nobody_ends(Context& context, Keeper& keeper) {
  const Clock::time_point now = Clock::now();
  if (last_change_ == unknown) last_change_ = now;
  if (now - last_change_ < patience_) return;
  last_change_ = now;
  patience_ *= 2;
  (void)begin_as_many(context, keeper);
}

void Turns::not_waiting(Context& context) {
  waiting_ = 0;
  if (!told_) return;
  told_ = false;
  (void)others_.wait(&context, false);
}

void Turns::block_ended(Context& context) {
  not_waiting(context);
  last_change_ = unknown;
  patience_ = time_without_end;
  const std::size_t first = there_[at_] / in_cluster_ * in_cluster_;
  taken_[there_[at_]] = false;
  if (!is_taken(first)) {
    if (clusters_ > 1 && !together_) others_.ended(&context);
    --clusters_;
    lowest_free_ = std::min(lowest_free_, first);
  }
  there_.erase(there_.begin() + static_cast<std::ptrdiff_t>(at_));
  if (at_ >= there_.size()) at_ = 0;
}

// What the blocks wait for is another thread's to do.
void Turns::rest() {
  if (++rests_ % cost::rests_to_yield == 0) std::this_thread::yield();
}

}  // namespace heddle::exec::jit
