// A warp: 32 lanes, their registers and call stacks, and how they diverge and come together again.
//
// Lanes that share a program counter and an activation form a group; groups are disjoint. A divergent branch
// splits its group. The group that stands lowest in the order of the program runs (module::Block::order:
// loops in one piece, topological otherwise; a call is where its call site is), and groups that come to the
// same place go on as one. So lanes come to a block in the company of all that come to it in this turn of its
// loops, which is how an H200 reconverges optimised code (tests/hw/h200/answers/reconverge.txt) and how
// vector code runs.
//
// Before independent thread scheduling (Run::independent) that is all: a lane that waits for another lane of
// its warp hangs. With it, a group that has waited too long runs a turn ahead of its time, so that every lane
// makes progress. All of it is deterministic.
#pragma once

#include <array>
#include <compare>
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
  uint64_t number = 0;                           // in the order of the calls
  uint32_t depth = 0;                            // how many callers it has
  uint32_t call_site = 0;                        // instruction of the caller
  Mask lanes = 0;                                // that have not returned
  std::vector<uint64_t> registers;               // [slot][lane]
  std::array<uint64_t, warp_size> frame{};       // where a lane's frame starts in its local memory
  std::array<uint64_t, warp_size> caller_top{};  // its stack top before the call
};

using GroupId = uint32_t;
inline constexpr GroupId no_group = 0xffffffff;

enum class GroupState : uint8_t {
  none,        // no such group
  ready,       // can run
  collective,  // waits for lanes that an instruction names in its membermask
  barrier,     // waits at a barrier of the block or the cluster
};
inline constexpr std::size_t group_states = 4;

struct Group {
  GroupState state = GroupState::none;
  Mask lanes = 0;
  uint32_t pc = 0;  // next instruction
  Activation* activation = nullptr;
  uint32_t order = 0;          // place of its block (module::Block); the latch's when it goes round a loop
  uint64_t waiting_since = 0;  // Warp::age_ when others went first; 0: it does not wait
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
  bool has_polled() const { return polled_; }  // in its last slice
  void run_slice();     // the chosen group, until it blocks, ends, faults or has had its turn
  void wait_a_round();  // others ran, this warp could not
  // A barrier of the block has opened for this warp. It and the others go on together: on a device all have
  // read what is behind the barrier long before one of them comes around and stores there again.
  void set_out();
  bool release_waiting();  // nothing else can run: lets a group that waits for others go ahead

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
  GroupId new_group(Mask lanes, uint32_t pc, Activation* activation, uint32_t order);
  void free_group(GroupId id);
  std::strong_ordering compare(const Group& a, const Group& b) const;  // places in the order of the program
  GroupId lowest() const;                                              // ready group
  bool must_wait(GroupId lowest) const;    // for lanes that stand at a barrier, and will come
  void merge(GroupId kept, GroupId gone);  // they are at the same place
  // Of lanes that go there from an instruction: the latch's when they go round a loop.
  static bool goes_back(const module::Function& function, uint32_t from, uint32_t to);
  static uint32_t place_after(const module::Function& function, uint32_t from, uint32_t to);
  void finish_gathering(std::size_t index);
  Activation* enter(Mask lanes, uint32_t function, Activation* caller, uint32_t call_site);
  void drop_lanes(Activation* activation, Mask lanes);
  void turn(uint32_t target);  // a branch: backwards, the group may be made to give way
  void end_turn_when_spent();
  GroupId choose();
  void tells(observe::SyncKind kind, Mask lanes, const module::Function& function, uint32_t at);
  void set_state(GroupId group, GroupState state);
  GroupId impatient() const;  // a group that has waited long enough

  Run& run_;
  Block& block_;
  const uint32_t index_;
  const Mask born_;
  Mask alive_;
  Mask carry_ = 0;
  std::array<Group, warp_size> groups_{};
  std::array<uint32_t, group_states> in_state_{};  // how many groups are in each state
  GroupId current_ = no_group;
  GroupId next_ = no_group;      // the lowest of the others that are ready: where it stands, current_ stops
  GroupId ahead_ = no_group;     // runs in this turn whatever its place
  bool others_changed_ = false;  // since next_ was found
  std::vector<Gathering> gatherings_;
  std::vector<std::unique_ptr<Activation>> activations_;  // all, in use or not
  std::vector<Activation*> spare_;
  std::vector<Activation*> called_;
  uint64_t calls_ = 0;
  uint64_t register_bytes_ = 0;  // of the activations in use
  std::array<LocalMemory, warp_size> local_;
  std::array<uint64_t, warp_size> top_{};
  int64_t fuel_ = 0;  // instructions left in this slice
  bool turn_is_over_ = false;
  bool sets_out_ = false;  // this slice is the first behind a barrier
  bool polled_ = false;    // in this slice
  uint64_t age_ = 1;       // instructions of this warp, and rounds that it could not run
  uint64_t last_poll_ = 0;
  uint32_t went_ahead_ = 0;  // how often a group did
};

}  // namespace heddle::exec::interp
