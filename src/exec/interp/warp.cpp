// Groups and meeting points: how lanes split, wait for one another and go on. The rules are in warp.h.
#include "exec/interp/warp.h"

#include <algorithm>
#include <bit>

#include "exec/interp/block.h"
#include "exec/interp/call_values.h"
#include "exec/interp/evaluate.h"
#include "exec/interp/run.h"

namespace heddle::exec::interp {

namespace {

// When a group that waits at a meeting point leaves it, measured in Warp::age_. Lanes that only compute will
// come, so it takes long; lanes that look at memory over and over may be waiting for this very group, and
// each time that this was so makes the warp quicker to believe it (a lock handed from lane to lane).
constexpr uint64_t patience = 1 << 20;
constexpr uint64_t patience_with_polls = 8192;
constexpr uint64_t least_patience = 64;
// What a round in which the warp could not run counts for.
constexpr uint64_t age_of_a_round = 4096;
// Instructions after which a group gives way to others; fewer when it looks at memory that others write.
constexpr int64_t slice = 8192;
constexpr int64_t polling_slice = 64;

Mask bit(int lane) { return Mask{1} << lane; }

}  // namespace

Warp::Warp(Run& run, Block& block, uint32_t index, Mask lanes)
    : run_(run), block_(block), index_(index), born_(lanes), alive_(lanes) {
  if (run.borrowed) return;
  const auto entry = static_cast<uint32_t>(&run.entry - run.image.functions.data());
  top_.fill(run.image.static_local_bytes);
  if (Activation* bottom = enter(lanes, entry, nullptr, 0))
    current_ = new_group(lanes, 0, bottom, no_meeting);
}

void Warp::borrow(Activation& activation, Mask lanes, uint32_t pc) {
  if (current_ == no_group) current_ = new_group(lanes, pc, &activation, no_meeting);
  current().lanes = lanes;
  current().pc = pc;
  current().activation = &activation;
}

bool Warp::stayed(Mask lanes, uint32_t pc) const {
  const Group& group = groups_[current_];
  return alive_ == born_ && group.state == GroupState::ready && group.lanes == lanes && group.pc == pc;
}

// ---- groups
// ------------------------------------------------------------------------------------------------

GroupId Warp::new_group(Mask lanes, uint32_t pc, Activation* activation, MeetingId meeting) {
  // Groups are disjoint and never empty, so one of 32 is free.
  GroupId id = 0;
  while (groups_[id].state != GroupState::none) ++id;
  Group& group = groups_[id];
  const GroupState state = group.state;
  group = Group{};
  group.state = state;
  set_state(id, GroupState::ready);
  group.lanes = lanes;
  group.pc = pc;
  group.activation = activation;
  group.born = ++births_;
  set_meeting(group, meeting);
  return id;
}

void Warp::free_group(GroupId id) {
  set_state(id, GroupState::none);
  groups_[id].lanes = 0;
}

void Warp::set_state(GroupId id, GroupState state) {
  --in_state_[static_cast<std::size_t>(groups_[id].state)];
  ++in_state_[static_cast<std::size_t>(state)];
  groups_[id].state = state;
}

void Warp::set_meeting(Group& group, MeetingId meeting) {
  group.meeting = meeting;
  group.meeting_pc = meeting != no_meeting && meetings_[meeting].activation == group.activation
                         ? meetings_[meeting].pc
                         : module::none;
}

MeetingId Warp::open_meeting(Group& group, uint32_t pc) {
  // A loop that lanes leave one after another has one meeting point, however often it diverges.
  if (group.meeting_pc == pc) return group.meeting;
  MeetingId id;
  if (free_meetings_.empty()) {
    id = static_cast<MeetingId>(meetings_.size());
    meetings_.emplace_back();
  } else {
    id = free_meetings_.back();
    free_meetings_.pop_back();
  }
  meetings_[id] = Meeting{.activation = group.activation,
                          .pc = pc,
                          .members = group.lanes,
                          .arrived = 0,
                          .waiter = no_group,
                          .parent = group.meeting};
  set_meeting(group, id);
  return id;
}

void Warp::strike(MeetingId id, Mask lanes) {
  Meeting& meeting = meetings_[id];
  meeting.members &= ~lanes;
  if (meeting.waiter != no_group) {
    if (meeting.arrived != meeting.members) return;
    set_state(meeting.waiter, GroupState::ready);  // everybody else has left: it goes on
    set_meeting(groups_[meeting.waiter], meeting.parent);
    free_meetings_.push_back(id);
  } else if (meeting.members == 0) {
    free_meetings_.push_back(id);
  }
}

bool Warp::arrive() {
  while (current().pc == current().meeting_pc) {
    Group& group = current();
    const MeetingId id = group.meeting;
    Meeting& meeting = meetings_[id];
    if (meeting.waiter == no_group) {
      meeting.waiter = current_;
    } else {
      groups_[meeting.waiter].lanes |= group.lanes;
      free_group(current_);
      current_ = meeting.waiter;
    }
    Group& waiter = current();
    meeting.arrived = waiter.lanes;
    if (meeting.arrived != meeting.members) {
      set_state(current_, GroupState::meeting);
      waiter.waiting_since = age_;
      return false;
    }
    set_state(current_, GroupState::ready);
    set_meeting(waiter, meeting.parent);
    free_meetings_.push_back(id);
  }
  return true;
}

void Warp::let_go(GroupId id) {
  Group& group = groups_[id];
  const MeetingId meeting_id = group.meeting;
  Meeting& meeting = meetings_[meeting_id];
  meeting.waiter = no_group;
  meeting.arrived = 0;
  set_state(id, GroupState::ready);
  set_meeting(group, meeting.parent);
  strike(meeting_id, group.lanes);
}

GroupId Warp::merge(GroupId a, GroupId b) {
  // Meetings of one chain have ever fewer members towards its end, so the first one of a's that has a lane of
  // b is shared.
  Group& kept = groups_[a];
  Group& gone = groups_[b];
  auto leave_until_shared = [&](Group& group, Mask other) {
    while (group.meeting != no_meeting && (meetings_[group.meeting].members & other) == 0) {
      const MeetingId id = group.meeting;
      const MeetingId parent = meetings_[id].parent;
      strike(id, group.lanes);
      set_meeting(group, parent);
    }
  };
  leave_until_shared(kept, gone.lanes);
  leave_until_shared(gone, kept.lanes);
  kept.lanes |= gone.lanes;
  free_group(b);
  if (current_ == b) current_ = a;
  return a;
}

// ---- control flow
// ------------------------------------------------------------------------------------------

void Warp::turn(uint32_t target) {
  // Backward branches and calls are where a loop or a recursion passes.
  if (target < current().pc) end_turn_when_spent();
}

void Warp::end_turn_when_spent() {
  if (fuel_ <= (polled_ ? slice - polling_slice : 0)) turn_is_over_ = true;
}

void Warp::branch(Mask lanes, uint32_t target) {
  Group& group = current();
  const Mask rest = group.lanes & ~lanes;
  const uint32_t here = group.pc - 1;
  if (rest == 0) {
    turn(target);
    group.pc = target;
    return;
  }
  if (lanes == 0 || target == group.pc) return;
  const module::Function& function = *group.activation->function;
  const uint32_t block = function.blocks[function.block_of[here]].meeting;
  // Without a meeting point the lanes meet where their function was called, or never.
  if (block != module::none) open_meeting(group, function.blocks[block].first);
  turn(target);
  new_group(lanes, target, group.activation, group.meeting);
  group.lanes = rest;
}

void Warp::branch(Mask lanes, const std::array<uint32_t, warp_size>& targets) {
  Mask left = lanes;
  const uint32_t here = current().pc - 1;
  const Mask all = current().lanes;
  const auto first_target = targets[static_cast<std::size_t>(std::countr_zero(lanes))];
  Mask first = 0;
  for (Mask rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (targets[static_cast<std::size_t>(lane)] == first_target) first |= bit(lane);
  }
  if (first == all) return branch(all, first_target);
  Group& group = current();
  const module::Function& function = *group.activation->function;
  const uint32_t block = function.blocks[function.block_of[here]].meeting;
  if (block != module::none) open_meeting(group, function.blocks[block].first);
  bool placed = (all & ~lanes) != 0;  // lanes whose guard was false stay in this group
  group.lanes = all & ~lanes;
  while (left != 0) {
    const uint32_t target = targets[static_cast<std::size_t>(std::countr_zero(left))];
    Mask same = 0;
    for (Mask rest = left; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (targets[static_cast<std::size_t>(lane)] == target) same |= bit(lane);
    }
    left &= ~same;
    turn(target);
    if (placed) {
      new_group(same, target, group.activation, group.meeting);
    } else {
      group.lanes = same;
      group.pc = target;
      placed = true;
    }
  }
}

// ---- blocking
// ----------------------------------------------------------------------------------------------

GroupId Warp::block_lanes(Mask lanes, GroupState why) {
  Group& group = current();
  GroupId id = current_;
  const uint32_t at = group.pc - 1;
  if (group.lanes != lanes) {
    open_meeting(group, group.pc);  // together again right behind it
    id = new_group(lanes, group.pc, group.activation, group.meeting);
    group.lanes &= ~lanes;
  }
  set_state(id, why);
  groups_[id].blocked_at = at;
  return id;
}

void Warp::resume(GroupId id) { set_state(id, GroupState::ready); }

// ---- scheduling
// --------------------------------------------------------------------------------------------

bool Warp::runnable() const {
  // Before independent thread scheduling a warp has one program counter: while it stands at a barrier,
  // nothing of it moves.
  if (!run_.independent && in_state_[static_cast<std::size_t>(GroupState::barrier)] != 0) return false;
  return in_state_[static_cast<std::size_t>(GroupState::ready)] != 0;
}

GroupId Warp::choose() {
  if (!runnable()) return no_group;
  if (!run_.independent) {
    if (current_ != no_group && groups_[current_].state == GroupState::ready) return current_;
    GroupId youngest = no_group;
    for (GroupId id = 0; id < warp_size; ++id)
      if (groups_[id].state == GroupState::ready &&
          (youngest == no_group || groups_[id].born > groups_[youngest].born))
        youngest = id;
    return youngest;
  }
  const GroupId from = current_ == no_group ? 0 : current_ + 1;
  for (GroupId i = 0; i < warp_size; ++i) {
    const GroupId id = (from + i) % warp_size;
    if (groups_[id].state == GroupState::ready) return id;
  }
  return no_group;
}

void Warp::release_impatient() {
  if (!run_.independent) return;
  const uint64_t with_polls = std::max(least_patience, patience_with_polls >> std::min(let_go_count_, 20u));
  for (GroupId id = 0; id < warp_size; ++id) {
    const Group& group = groups_[id];
    if (group.state != GroupState::meeting) continue;
    const uint64_t waited = age_ - group.waiting_since;
    if (waited < (last_poll_ > group.waiting_since ? with_polls : patience)) continue;
    let_go(id);
    ++let_go_count_;
  }
}

bool Warp::release_meeting() {
  if (!run_.independent) return false;
  GroupId oldest = no_group;
  for (GroupId id = 0; id < warp_size; ++id)
    if (groups_[id].state == GroupState::meeting &&
        (oldest == no_group || groups_[id].waiting_since < groups_[oldest].waiting_since))
      oldest = id;
  if (oldest == no_group) return false;
  let_go(oldest);
  return true;
}

void Warp::run_slice() {
  fuel_ = slice;
  polled_ = false;
  turn_is_over_ = false;
  release_impatient();
  while (!turn_is_over_ && !run_.fault) {
    current_ = choose();
    if (current_ != no_group)
      run_group();
    else if (in_state_[static_cast<std::size_t>(GroupState::barrier)] != 0 || !release_meeting())
      return;  // others must act first; otherwise lanes of this warp wait for one another
  }
}

void Warp::end_of_body() {
  Activation& activation = *current().activation;
  if (activation.caller == nullptr) return exit(current().lanes);
  return_results(*this, activation, current().lanes);
  if (!run_.fault) leave(current().lanes);
}

void Warp::run_group() {
  for (;;) {
    if (current().pc == current().meeting_pc && !arrive()) return;
    Group& group = current();
    Activation& activation = *group.activation;
    const std::vector<module::Instruction>& code = activation.function->code;
    if (group.pc >= code.size()) {  // a body ends in an implicit ret
      end_of_body();
    } else {
      const module::Instruction& instruction = code[group.pc++];
      Mask lanes = group.lanes;
      if (instruction.guard != module::none) {
        const uint64_t* guard = activation.registers.data() + std::size_t{instruction.guard} * warp_size;
        Mask truth = 0;
        for (int lane = 0; lane < warp_size; ++lane) truth |= static_cast<Mask>(guard[lane] & 1) << lane;
        lanes &= instruction.guard_negated ? ~truth : truth;
      }
      ++run_.warp_instructions;
      run_.thread_instructions += static_cast<uint64_t>(std::popcount(lanes));
      ++age_;
      --fuel_;
      if (lanes == 0) continue;
      Step step(*this, activation, instruction, lanes);
      evaluate(step);
    }
    if (run_.fault || turn_is_over_ || current().state != GroupState::ready) return;
  }
}

void Warp::wait_a_round() {
  age_ += age_of_a_round;
  release_impatient();
}

}  // namespace heddle::exec::interp
