// Instructions whose lanes wait for one another: those with a membermask, and those that a whole warp
// executes. PTX ISA 9.7.9.6 (shfl.sync): a thread waits until all non-exited threads of membermask have
// executed the instruction with the same qualifiers and the same membermask.
#include <bit>

#include "exec/interp/evaluate.h"
#include "exec/interp/run.h"
#include "exec/interp/warp.h"

namespace heddle::exec::interp {

bool Warp::collect(Step& step, const std::array<Mask, warp_size>& members, bool same_instruction) {
  if (!run_.independent || step.collected_) return true;
  struct Set {
    Mask members, lanes;
  };
  std::array<Set, warp_size> sets;
  std::size_t count = 0;
  bool complete = true;
  const Mask expected = run_.borrowed ? 0 : alive_;  // who comes at all
  for (Mask left = step.lanes(); left != 0;) {
    const Mask mask = members[static_cast<std::size_t>(std::countr_zero(left))];
    Mask same = 0;
    for (Mask rest = left; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (members[static_cast<std::size_t>(lane)] == mask) same |= Mask{1} << lane;
    }
    left &= ~same;
    sets[count++] = {mask, same};
    complete &= (mask & expected & ~same) == 0;
  }
  if (count == 1 && complete) return true;

  const module::Instruction& instruction = step.instruction();
  Activation& activation = step.activation();
  for (std::size_t i = 0; i < count; ++i) {
    const auto [mask, lanes] = sets[i];
    if ((mask & expected & ~lanes) == 0) {
      Step part(*this, activation, instruction, lanes);
      part.collected_ = true;
      evaluate(part);
      if (run_.fault) return false;
      continue;
    }
    std::size_t index = 0;
    for (; index < gatherings_.size(); ++index) {
      const Gathering& g = gatherings_[index];
      if (g.members == mask && g.instruction->mnemonic == instruction.mnemonic &&
          (!same_instruction || g.instruction == &instruction))
        break;
    }
    if (index == gatherings_.size())
      gatherings_.push_back({.instruction = &instruction, .members = mask, .parts = {}});
    const GroupId group = block_lanes(lanes, GroupState::collective);
    gatherings_[index].parts.push_back({group, lanes, &activation, &instruction});
    if ((mask & alive_ & ~gatherings_[index].arrived()) == 0) finish_gathering(index);
    if (run_.fault) return false;
  }
  return false;
}

void Warp::finish_gathering(std::size_t index) {
  const Gathering done = std::move(gatherings_[index]);
  gatherings_.erase(gatherings_.begin() + static_cast<std::ptrdiff_t>(index));
  std::array<Step::Source, warp_size> sources{};
  const Gathering::Part& first = done.parts.front();
  bool mixed = false;
  for (const Gathering::Part& part : done.parts) {
    mixed |= part.activation != first.activation || part.instruction != first.instruction;
    const Step step(*this, *part.activation, *part.instruction, part.lanes);
    for (Mask rest = part.lanes; rest != 0; rest &= rest - 1)
      sources[static_cast<std::size_t>(std::countr_zero(rest))] = {step.operands_, step.registers_};
  }
  Step step(*this, *first.activation, *first.instruction, done.arrived());
  step.collected_ = true;
  if (mixed) step.mixed_ = sources.data();
  evaluate(step);

  // They came together; whoever stands at the same place goes on together.
  std::vector<GroupId> gone_on;
  for (const Gathering::Part& part : done.parts) {
    resume(part.group);
    GroupId partner = no_group;
    for (GroupId other : gone_on)
      if (groups_[other].activation == groups_[part.group].activation &&
          groups_[other].pc == groups_[part.group].pc)
        partner = other;
    if (partner == no_group)
      gone_on.push_back(part.group);
    else
      merge(partner, part.group);
  }
}

void Warp::recheck_gatherings() {
  for (std::size_t i = 0; i < gatherings_.size();) {
    if ((gatherings_[i].members & alive_ & ~gatherings_[i].arrived()) == 0)
      finish_gathering(i);
    else
      ++i;
  }
}

}  // namespace heddle::exec::interp
