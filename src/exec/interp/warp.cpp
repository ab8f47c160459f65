// Groups: how lanes split, wait for one another and come together. The rules are in warp.h.
#include "exec/interp/warp.h"

#include <algorithm>
#include <bit>

#include "exec/count_places.h"
#include "exec/interp/block.h"
#include "exec/interp/call_values.h"
#include "exec/interp/evaluate.h"
#include "exec/interp/run.h"

namespace heddle::exec::interp {

namespace {

// When a group that waits for others goes ahead of them, measured in Warp::age_. Lanes that only compute will
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
// Behind a barrier a warp goes up to its first store, and not farther than this, before the others' turn.
constexpr int64_t first_slice = 64;
constexpr uint64_t most_interleaved = 24;  // instructions, where warps are to meet in many ways

Mask bit(int lane) { return Mask{1} << lane; }

bool stores(isa::Opcode opcode) {
  return opcode == isa::Opcode::st || opcode == isa::Opcode::red || opcode == isa::Opcode::atom;
}

// The place of a block, or of an instruction in it. Behind a body is the end of everything.
uint32_t place_of(const module::Function& function, uint32_t pc) {
  return pc >= function.code.size() ? module::none : function.blocks[function.block_of[pc]].order;
}

}  // namespace

Warp::Warp(Run& run, Block& block, uint32_t index, Mask lanes)
    : run_(run), block_(block), index_(index), born_(lanes), alive_(lanes) {
  if (run.borrowed) return;
  const auto entry = static_cast<uint32_t>(&run.entry - run.image.functions.data());
  top_.fill(run.image.static_local_bytes);
  if (Activation* bottom = enter(lanes, entry, nullptr, 0)) current_ = new_group(lanes, 0, bottom, 0);
  tells(observe::SyncKind::begin, lanes, run_.entry, 0);
}

void Warp::tells(observe::SyncKind kind, Mask lanes, const module::Function& function, uint32_t at) {
  if (!run_.watch.syncs()) return;
  const Dim3& block = block_.index();
  run_.watch.sync({.place = {static_cast<uint32_t>(&function - run_.image.functions.data()), at},
                   .block = {block.x, block.y, block.z},
                   .warp = index_,
                   .lanes = lanes,
                   .kind = kind});
}

void Warp::borrow(Activation& activation, Mask lanes, uint32_t pc) {
  if (current_ == no_group) current_ = new_group(lanes, pc, &activation, 0);
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

GroupId Warp::new_group(Mask lanes, uint32_t pc, Activation* activation, uint32_t order) {
  // Groups are disjoint and never empty, so one of 32 is free.
  GroupId id = 0;
  while (groups_[id].state != GroupState::none) ++id;
  Group& group = groups_[id];
  group = Group{};
  set_state(id, GroupState::ready);
  group.lanes = lanes;
  group.pc = pc;
  group.activation = activation;
  group.order = order;
  return id;
}

void Warp::free_group(GroupId id) {
  set_state(id, GroupState::none);
  groups_[id].lanes = 0;
  if (ahead_ == id) ahead_ = no_group;
}

void Warp::set_state(GroupId id, GroupState state) {
  --in_state_[static_cast<std::size_t>(groups_[id].state)];
  ++in_state_[static_cast<std::size_t>(state)];
  groups_[id].state = state;
  others_changed_ = true;
}

void Warp::merge(GroupId kept, GroupId gone) {
  groups_[kept].lanes |= groups_[gone].lanes;
  if (current_ == gone) current_ = kept;
  free_group(gone);
}

uint32_t Warp::place_after(const module::Function& function, uint32_t from, uint32_t to) {
  if (to >= function.code.size()) return module::none;
  const module::Block& target = function.blocks[function.block_of[to]];
  const bool goes_back = to == target.first && function.blocks[function.block_of[from]].order >= target.order;
  return goes_back ? target.latch : target.order;
}

std::strong_ordering Warp::compare(const Group& a, const Group& b) const {
  struct Place {
    const Activation* activation;
    uint32_t order, pc;
    bool called = false;  // is inside what is called there
    uint64_t number = 0;
    void go_out() {
      number = activation->number;
      pc = activation->call_site;
      called = true;
      activation = activation->caller;
      order = place_of(*activation->function, pc);
    }
  };
  Place at{a.activation, a.order, a.pc}, other{b.activation, b.order, b.pc};
  while (at.activation->depth > other.activation->depth) at.go_out();
  while (other.activation->depth > at.activation->depth) other.go_out();
  while (at.activation != other.activation) at.go_out(), other.go_out();
  if (at.order != other.order) return at.order <=> other.order;
  if (at.pc != other.pc) return at.pc <=> other.pc;
  if (at.called != other.called) return other.called <=> at.called;
  return at.number <=> other.number;
}

// ---- control flow
// ------------------------------------------------------------------------------------------

void Warp::turn(uint32_t target) {
  if (goes_back(*current().activation->function, current().pc - 1, target)) end_turn_when_spent();
}

// Where a loop passes, by a branch or not, and nowhere else in it: who tries for a lock has given it back
// there, most likely, and would otherwise keep it from all others whenever its turn ends.
bool Warp::goes_back(const module::Function& function, uint32_t from, uint32_t to) {
  return place_of(function, to) <= place_of(function, from);
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
  turn(target);
  new_group(lanes, target, group.activation, place_after(*group.activation->function, here, target));
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
      new_group(same, target, group.activation, place_after(*group.activation->function, here, target));
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
  const uint32_t place = place_after(*group.activation->function, at, group.pc);
  if (group.lanes != lanes) {
    id = new_group(lanes, group.pc, group.activation, place);
    group.lanes &= ~lanes;
  }
  groups_[id].order = place;
  set_state(id, why);
  groups_[id].blocked_at = at;
  return id;
}

void Warp::resume(GroupId id) { set_state(id, GroupState::ready); }

// ---- scheduling
// --------------------------------------------------------------------------------------------

GroupId Warp::lowest() const {
  GroupId found = no_group;
  for (GroupId id = 0; id < warp_size; ++id)
    if (groups_[id].state == GroupState::ready &&
        (found == no_group || compare(groups_[id], groups_[found]) < 0))
      found = id;
  return found;
}

bool Warp::must_wait(GroupId lowest) const {
  if (in_state_[static_cast<std::size_t>(GroupState::barrier)] == 0) return false;
  return std::any_of(groups_.begin(), groups_.end(), [&](const Group& group) {
    return group.state == GroupState::barrier && compare(group, groups_[lowest]) <= 0;
  });
}

bool Warp::runnable() const {
  if (in_state_[static_cast<std::size_t>(GroupState::ready)] == 0) return false;
  if (in_state_[static_cast<std::size_t>(GroupState::barrier)] == 0) return true;
  // Before independent thread scheduling a warp has one program counter: while it stands at a barrier,
  // nothing of it moves.
  if (!run_.independent) return false;
  return ahead_ != no_group || !must_wait(lowest()) || impatient() != no_group;
}

GroupId Warp::choose() {
  next_ = no_group;
  others_changed_ = false;
  if (!runnable()) return no_group;
  GroupId chosen = ahead_ != no_group && groups_[ahead_].state == GroupState::ready ? ahead_ : no_group;
  if (chosen == no_group) {
    ahead_ = no_group;
    chosen = lowest();
    if (run_.independent && must_wait(chosen)) return no_group;
  }
  if (in_state_[static_cast<std::size_t>(GroupState::ready)] > 1)
    for (GroupId id = 0; id < warp_size; ++id) {
      Group& group = groups_[id];
      if (group.state != GroupState::ready || id == chosen) continue;
      if (chosen != ahead_ && compare(group, groups_[chosen]) == 0) {
        merge(chosen, id);
        continue;
      }
      if (group.waiting_since == 0) group.waiting_since = age_;
      if (chosen != ahead_ && (next_ == no_group || compare(group, groups_[next_]) < 0)) next_ = id;
    }
  Group& group = groups_[chosen];
  group.waiting_since = 0;
  group.order = place_of(*group.activation->function, group.pc);  // no longer at the latch
  others_changed_ = false;
  return chosen;
}

GroupId Warp::impatient() const {
  if (!run_.independent) return no_group;
  const uint64_t with_polls = std::max(least_patience, patience_with_polls >> std::min(went_ahead_, 20u));
  GroupId found = no_group;
  for (GroupId id = 0; id < warp_size; ++id) {
    const Group& group = groups_[id];
    if (group.state != GroupState::ready || group.waiting_since == 0) continue;
    if (age_ - group.waiting_since < (last_poll_ > group.waiting_since ? with_polls : patience)) continue;
    if (found == no_group || group.waiting_since < groups_[found].waiting_since) found = id;
  }
  return found;
}

bool Warp::release_waiting() {
  if (!run_.independent || in_state_[static_cast<std::size_t>(GroupState::ready)] == 0) return false;
  ahead_ = lowest();
  return true;
}

void Warp::set_out() {
  if (run_.interleaved()) return;
  sets_out_ = true;
  fuel_ = first_slice;  // of the warp that came last and is within its slice
}

void Warp::run_slice() {
  fuel_ = run_.interleaved() ? static_cast<int64_t>(1 + run_.draw->below(most_interleaved))
          : sets_out_        ? first_slice
                             : slice;
  polled_ = false;
  turn_is_over_ = false;
  if (const GroupId id = impatient(); id != no_group) {
    ahead_ = id;
    ++went_ahead_;
  }
  while (!turn_is_over_ && !run_.fault) {
    current_ = choose();
    if (current_ == no_group) break;  // others must act first
    run_group();
  }
  sets_out_ = false;
  ahead_ = no_group;
}

void Warp::end_of_body() {
  Activation& activation = *current().activation;
  if (activation.caller == nullptr) return exit(current().lanes);
  return_results(*this, activation, current().lanes);
  if (!run_.fault) leave(current().lanes);
}

void Warp::run_group() {
  for (;;) {
    Group& group = current();
    Activation& activation = *group.activation;
    const std::vector<module::Instruction>& code = activation.function->code;
    if (group.pc >= code.size()) {  // a body ends in an implicit ret
      end_of_body();
    } else if (sets_out_ && stores(code[group.pc].opcode)) {
      turn_is_over_ = true;
    } else {
      const uint32_t pc = group.pc++;
      const module::Instruction& instruction = code[pc];
      Mask lanes = group.lanes;
      const bool counts = run_.watch.counts();
      const auto function = static_cast<uint32_t>(activation.function - run_.image.functions.data());
      if (run_.watch.comes() && begins_count(*activation.function, pc))
        run_.watch.come({function, pc}, block().index(), index(), lanes);
      if (instruction.guard != module::none) {
        const uint64_t* guard = activation.registers.data() + std::size_t{instruction.guard} * warp_size;
        Mask truth = 0;
        for (int lane = 0; lane < warp_size; ++lane) truth |= static_cast<Mask>(guard[lane] & 1) << lane;
        lanes &= instruction.guard_negated ? ~truth : truth;
        if (counts) run_.watch.take(function, pc, group.lanes, lanes);
      }
      ++run_.warp_instructions;
      run_.thread_instructions += static_cast<uint64_t>(std::popcount(lanes));
      ++age_;
      --fuel_;
      if (lanes != 0) {
        Step step(*this, activation, instruction, lanes);
        evaluate(step);
      } else if (run_.watch.operand_sink() != nullptr) {
        tell_switched_off(*this, activation, instruction, group.lanes);
      }
      if (group.activation == &activation) group.order = place_after(*activation.function, pc, group.pc);
      const std::vector<uint32_t>& block_of = activation.function->block_of;
      if (pc + 1 < code.size() && block_of[pc + 1] != block_of[pc] && group.pc == pc + 1 &&
          goes_back(*activation.function, pc, pc + 1))
        end_turn_when_spent();
    }
    if (fuel_ <= 0 && (run_.interleaved() || sets_out_)) turn_is_over_ = true;
    if (run_.fault || turn_is_over_ || current().state != GroupState::ready || others_changed_) return;
    if (next_ != no_group && compare(current(), groups_[next_]) >= 0) return;
  }
}

void Warp::wait_a_round() {
  for (Group& group : groups_)
    if (group.state == GroupState::ready && group.waiting_since == 0) group.waiting_since = age_;
  age_ += age_of_a_round;
}

}  // namespace heddle::exec::interp
