// Call stacks of a warp: activations come with call, go with ret, and all at once with exit.
#include <bit>
#include <string>

#include "exec/interp/block.h"
#include "exec/interp/fault_site.h"
#include "exec/interp/run.h"
#include "exec/interp/warp.h"

namespace heddle::exec::interp {

namespace {

// A device keeps the return address and saved registers in the frame; so much of the stack is charged for
// them.
constexpr uint64_t return_record_bytes = 16;
// Register files of one warp's activations, at most: what bounds a recursion of large functions.
constexpr uint64_t register_file_limit = uint64_t{256} << 20;

uint64_t align_up(uint64_t value, uint64_t align) { return (value + align - 1) / align * align; }

}  // namespace

Activation* Warp::enter(Mask lanes, uint32_t index, Activation* caller, uint32_t call_site) {
  const module::Function& function = run_.image.functions[index];
  if (spare_.empty()) {
    activations_.push_back(std::make_unique<Activation>());
    spare_.push_back(activations_.back().get());
  }
  Activation* activation = spare_.back();
  spare_.pop_back();
  activation->function = &function;
  activation->caller = caller;
  activation->number = ++calls_;
  activation->depth = caller == nullptr ? 0 : caller->depth + 1;
  activation->call_site = call_site;
  activation->lanes = lanes;
  const std::size_t slots = std::size_t{function.register_slots} * warp_size;
  register_bytes_ += slots * sizeof(uint64_t);
  const uint64_t align = std::max<uint64_t>(function.frame_align, 16);
  for (Mask rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    const uint64_t frame = align_up(top_[lane], align);
    const uint64_t top = frame + function.frame_bytes + (caller == nullptr ? 0 : return_record_bytes);
    if (top > run_.launch.local_bytes || register_bytes_ > register_file_limit) {
      const Activation& at = caller == nullptr ? *activation : *caller;
      raise(*this, at, call_site, static_cast<int>(lane), FaultKind::stack_overflow,
            "the frame of '" + function.name + "' ends at byte " + std::to_string(top) +
                " of the thread's stack, the limit is " + std::to_string(run_.launch.local_bytes));
      return nullptr;
    }
    activation->frame[lane] = frame;
    activation->caller_top[lane] = top_[lane];
    top_[lane] = top;
  }
  activation->registers.assign(slots, 0);
  return activation;
}

void Warp::drop_lanes(Activation* activation, Mask lanes) {
  activation->lanes &= ~lanes;
  if (activation->lanes != 0) return;
  register_bytes_ -= activation->registers.size() * sizeof(uint64_t);
  spare_.push_back(activation);
}

std::span<Activation* const> Warp::call(Mask lanes, const std::array<uint32_t, warp_size>& targets) {
  called_.clear();
  const uint32_t here = current().pc - 1;
  Activation* caller = current().activation;
  const Mask rest_of_group = current().lanes & ~lanes;
  current().lanes = rest_of_group;
  bool placed = rest_of_group != 0;  // lanes whose guard was false stay, and wait behind the call
  for (Mask left = lanes; left != 0;) {
    const uint32_t target = targets[static_cast<std::size_t>(std::countr_zero(left))];
    Mask same = 0;
    for (Mask rest = left; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (targets[static_cast<std::size_t>(lane)] == target) same |= Mask{1} << lane;
    }
    left &= ~same;
    Activation* callee = enter(same, target, caller, here);
    if (callee == nullptr) return {};
    called_.push_back(callee);
    if (placed) {
      new_group(same, 0, callee, 0);
      continue;
    }
    Group& group = current();
    group.lanes = same;
    group.pc = 0;
    group.activation = callee;
    group.order = 0;
    placed = true;
  }
  end_turn_when_spent();
  return called_;
}

void Warp::leave(Mask lanes) {
  Group& group = current();
  Activation* activation = group.activation;
  Activation* caller = activation->caller;
  const uint32_t back = activation->call_site + 1;
  const uint32_t place = place_after(*caller->function, activation->call_site, back);
  for (Mask rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    top_[lane] = activation->caller_top[lane];
  }
  drop_lanes(activation, lanes);
  if (group.lanes != lanes) {
    group.lanes &= ~lanes;
    new_group(lanes, back, caller, place);
    return;
  }
  group.activation = caller;
  group.pc = back;
  group.order = place;
}

void Warp::exit(Mask lanes) {
  Group& group = current();
  tells(observe::SyncKind::exit, lanes, *group.activation->function, group.pc == 0 ? 0 : group.pc - 1);
  for (Activation* activation = group.activation; activation != nullptr;) {
    Activation* caller = activation->caller;
    drop_lanes(activation, lanes);
    activation = caller;
  }
  alive_ &= ~lanes;
  group.lanes &= ~lanes;
  if (group.lanes == 0) free_group(current_);
  recheck_gatherings();
  block_.lanes_exited();
}

}  // namespace heddle::exec::interp
