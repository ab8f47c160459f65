// A warp: 32 lanes, their registers and call stacks, and how they diverge and come together again.
//
// Lanes that share a program counter and an activation form a group; groups are disjoint. A divergent branch
// splits its group and notes a meeting point (Meeting) at the branch's immediate post-dominator; a group that
// gets there waits for the others named in the meeting, and they go on as one. Lanes that exit, or return
// past the meeting point, are struck off.
//
// Before independent thread scheduling (Run::independent) only the youngest group runs and a meeting is
// always kept, which is the hardware's reconvergence stack: a lane that waits for another lane of its warp
// hangs. With it, groups take turns, and a group that has waited too long leaves its meeting and goes on
// alone, so that every lane makes progress. All of it is deterministic.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "exec/interp/local_memory.h"
#include "exec/interp/step.h"
#include "module/image.h"

namespace heddle::exec::interp {

struct Run;

// One call of a function by the lanes that made it together.
struct Activation {
  const module::Function* function = nullptr;
  Activation* caller = nullptr;                  // nullptr: the entry
  uint32_t call_site = 0;                        // instruction of the caller
  Mask lanes = 0;                                // that have not returned
  std::vector<uint64_t> registers;               // [slot][lane]
  std::array<uint64_t, warp_size> frame{};       // where a lane's frame starts in its local memory
  std::array<uint64_t, warp_size> caller_top{};  // its stack top before the call
};

using MeetingId = uint32_t;
inline constexpr MeetingId no_meeting = 0xffffffff;
using GroupId = uint32_t;
inline constexpr GroupId no_group = 0xffffffff;

struct Meeting {
  Activation* activation = nullptr;
  uint32_t pc = 0;
  Mask members = 0;  // lanes that are expected and have not left
  Mask arrived = 0;  // those of them that wait here, all in group `waiter`
  GroupId waiter = no_group;
  MeetingId parent = no_meeting;
};

enum class GroupState : uint8_t {
  none,        // no such group
  ready,       // can run
  meeting,     // waits at a meeting point
  collective,  // waits for lanes that an instruction names in its membermask
  barrier,     // waits at a barrier of the block or the cluster
};
inline constexpr std::size_t group_states = 5;

struct Group {
  GroupState state = GroupState::none;
  Mask lanes = 0;
  uint32_t pc = 0;  // next instruction
  Activation* activation = nullptr;
  MeetingId meeting = no_meeting;      // the innermost one that its lanes are members of
  uint32_t meeting_pc = module::none;  // its place, when in this activation
  uint64_t born = 0;                   // youngest first before independent thread scheduling
  uint64_t waiting_since = 0;          // Warp::age_ when it began to wait at a meeting
  uint32_t blocked_at = module::none;  // instruction that blocks it, for messages
};

// Lanes that arrived at a collective instruction and wait for the rest of its members.
struct Gathering {
  const module::Instruction* instruction = nullptr;  // of the first to arrive
  Mask members = 0;                                  // as the membermask says
  struct Part {
    GroupId group;
    Mask lanes;
    Activation* activation;
    const module::Instruction* instruction;
  };
  std::vector<Part> parts;
  Mask arrived() const {
    Mask all = 0;
    for (const Part& part : parts) all |= part.lanes;
    return all;
  }
};

class Warp {
 public:
  Warp(Run& run, Block& block, uint32_t index, Mask lanes);
  Warp(const Warp&) = delete;
  Warp& operator=(const Warp&) = delete;

  // ---- for the scheduler ---------------------------------------------------------------------------------
  bool finished() const { return alive_ == 0; }
  bool runnable() const;
  void run_slice();        // the chosen group, until it blocks, ends, faults or has had its turn
  void wait_a_round();     // others ran, this warp could not
  bool release_meeting();  // nothing else can run: lets one waiting group go on alone

  // ---- for lanes.h: one instruction for these lanes, which have an activation of the caller's. Whether that
  // was all it did, or the instruction was one that moves lanes (a branch, a barrier).
  void borrow(Activation& activation, Mask lanes, uint32_t pc);
  bool stayed(Mask lanes, uint32_t pc) const;

  // ---- who and where
  // ---------------------------------------------------------------------------------------
  Run& run() { return run_; }
  Block& block() { return block_; }
  uint32_t index() const { return index_; }
  Mask born_lanes() const { return born_; }  // lanes that have a thread at all
  Mask alive() const { return alive_; }      // lanes that have not exited
  Mask absent() const { return ~alive_; }    // exited, or never there
  const std::array<Group, warp_size>& groups() const { return groups_; }
  const std::vector<Gathering>& gatherings() const { return gatherings_; }
  Group& current() { return groups_[current_]; }
  GroupId current_id() const { return current_; }
  uint64_t thread_of(int lane) const { return uint64_t{index_} * warp_size + static_cast<uint64_t>(lane); }

  // ---- per lane
  // ----------------------------------------------------------------------------------------------
  Mask& carry() { return carry_; }
  Mask carry() const { return carry_; }
  LocalMemory& local(int lane) { return local_[static_cast<std::size_t>(lane)]; }
  uint64_t& stack_top(int lane) { return top_[static_cast<std::size_t>(lane)]; }

  // ---- control flow of the current group; its pc already stands behind the instruction --------------------
  void branch(Mask lanes, uint32_t target);
  void branch(Mask lanes, const std::array<uint32_t, warp_size>& targets);
  // A call: `targets[lane]` is a function of the image that has a body. Gives the new activations, one for
  // each target, whose parameters the caller then fills in; empty after a fault.
  std::span<Activation* const> call(Mask lanes, const std::array<uint32_t, warp_size>& targets);
  void leave(Mask lanes);  // the activation: ret in a function, after results were copied
  void exit(Mask lanes);   // the thread
  void polled() {
    polled_ = true;
    last_poll_ = age_;
  }
  void yield() { polled(), fuel_ = 0; }

  void give_way() {  // nanosleep
    polled();
    turn_is_over_ = true;
  }

  // ---- blocking
  // -------------------------------------------------------------------------------------------- Splits
  // `lanes` off the current group into one that is blocked; returns it. Before independent thread scheduling
  // the whole warp stands still with it.
  GroupId block_lanes(Mask lanes, GroupState why);
  void resume(GroupId group);

  // The members of a collective instruction that the current group executes with `lanes`: see Step::collect.
  bool collect(Step& step, const std::array<Mask, warp_size>& members, bool same_instruction);
  void recheck_gatherings();  // after lanes exited

 private:
  void run_group();
  void end_of_body();
  GroupId new_group(Mask lanes, uint32_t pc, Activation* activation, MeetingId meeting);
  void free_group(GroupId id);
  MeetingId open_meeting(Group& group, uint32_t pc);
  void set_meeting(Group& group, MeetingId meeting);
  void strike(MeetingId meeting, Mask lanes);  // lanes no longer come; those who wait may go on
  bool arrive();                               // current group stands at its meeting point
  GroupId merge(GroupId a, GroupId b);         // same place; leaves the meetings that they do not share
  void finish_gathering(std::size_t index);
  Activation* enter(Mask lanes, uint32_t function, Activation* caller, uint32_t call_site);
  void drop_lanes(Activation* activation, Mask lanes);
  void turn(uint32_t target);  // a branch: backwards, the group may be made to give way
  void end_turn_when_spent();
  GroupId choose();
  void set_state(GroupId group, GroupState state);
  void release_impatient();
  void let_go(GroupId group);

  Run& run_;
  Block& block_;
  const uint32_t index_;
  const Mask born_;
  Mask alive_;
  Mask carry_ = 0;
  std::array<Group, warp_size> groups_{};
  std::array<uint32_t, group_states> in_state_{};  // how many groups are in each state
  GroupId current_ = no_group;
  uint64_t births_ = 0;
  std::vector<Meeting> meetings_;
  std::vector<MeetingId> free_meetings_;
  std::vector<Gathering> gatherings_;
  std::vector<std::unique_ptr<Activation>> activations_;  // all, in use or not
  std::vector<Activation*> spare_;
  std::vector<Activation*> called_;
  uint64_t register_bytes_ = 0;  // of the activations in use
  std::array<LocalMemory, warp_size> local_;
  std::array<uint64_t, warp_size> top_{};
  int64_t fuel_ = 0;  // instructions left in this slice
  bool turn_is_over_ = false;
  bool polled_ = false;  // in this slice
  uint64_t age_ = 0;     // instructions of this warp, and rounds that it could not run
  uint64_t last_poll_ = 0;
  uint32_t let_go_count_ = 0;
};

}  // namespace heddle::exec::interp
