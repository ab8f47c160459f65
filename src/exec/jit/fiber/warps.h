// The scheduler of warps that go their own ways: vector code whose loops wait for what other warps or other
// blocks write. Each warp has a stack of its own and runs until it must wait; then it is the next one's turn,
// in order of their numbers, round after round. Of several blocks that are there at once (turns.h) one goes
// on so until its turn is over. One a worker; its memory is kept from launch to launch. A fault may leave it
// by a long jump at any time: the next run begins anew.
//
// What lanes of a warp wait for may be another lane's of the same warp to do, and that one may wait for them
// where their ways meet. Then the warp parts: each part goes on alone with its lanes, as a process does that
// was copied. The parts share one stack, on which there is what belongs to the part that runs; so everything
// that points there stays right. From then on instructions of the warp have to bring lanes together (gather).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "exec/fault.h"
#include "exec/jit/abi/context.h"
#include "exec/jit/fiber/barriers.h"
#include "exec/jit/fiber/clusters.h"
#include "exec/jit/fiber/fiber.h"
#include "exec/jit/fiber/group_memory.h"
#include "exec/jit/fiber/stacks.h"
#include "exec/jit/fiber/threads.h"
#include "exec/jit/fiber/turns.h"

namespace heddle::exec::jit {

// Vector code of one warp of the block that the context names.
using WarpEntry = void (*)(Context*, uint64_t, uint64_t warp);

// What is known of a kernel when it is compiled; a constant in its machine code.
struct WarpKernel {
  uint32_t block[3] = {1, 1, 1};
};

// Values of the lanes of a warp for an instruction that they do together, as the code lays them down.
struct LaneTable {
  // Rows: so many arguments, the members, two results.
  static constexpr uint32_t arguments = 3, members = 3, results = 4, rows = 6;
  uint64_t values[rows][32];
};

// Where an instruction that the lanes of a warp do together finds a register, and leaves one: so many bytes a
// lane, from `at` on in Context::step_registers, or in the frame of matrices. A constant in machine code.
struct LaneColumn {
  uint32_t at = 0, bytes = 0;
};
struct TogetherStep {
  uint32_t matrix = 0;  // not 0: in the frame
  uint32_t sources = 0, results = 0;
  const LaneColumn* columns() const { return reinterpret_cast<const LaneColumn*>(this + 1); }
};

// Whom a loop waits for (analysis/needs.h).
enum class WaitFor : uint32_t { perhaps, lanes, others };

class Warps final : Turns::Keeper {
 public:
  explicit Warps(const ThreadHooks& hooks) : hooks_(hooks), turns_(hooks.others) {}

  // Blocks [first, first + count) of the grid, one after another unless they wait for one another, or all at
  // once when the context says so.
  void run(Context& context, uint64_t first, uint64_t count, WarpEntry entry, const WarpKernel& kernel);

  // ---- for the warp that runs
  // Others have a turn. True: nobody has done more than look for so long that lanes which wait should part
  // from others of their warp.
  bool give_way(WaitFor whom);
  // These lanes from the others. Comes back twice: to them with true, to the others with false.
  bool part(uint32_t lanes);
  struct Arrival {
    uint32_t kind = 0;  // BarrierKind
    uint32_t id = 0, count = 0;
    bool all = false;  // of the block; `count` does not matter
    uint32_t active = 0, predicates = 0;
  };
  uint64_t barrier(uint32_t site, const Arrival& arrival);
  // An instruction of a warp that parted, for `lanes`.
  void gather(Want want, uint32_t what, uint32_t site, uint32_t lanes, LaneTable& table);
  // The same for an instruction that the reference executor or a unit of matrices does.
  void step_together(uint32_t site, uint32_t lanes, const TogetherStep& step);

 private:
  // Lanes of a warp that go together.
  struct Part : Fiber {
    Warps* owner = nullptr;
    WarpEntry entry = nullptr;
    uint32_t lanes = 0;  // those that have exited too
    bool ready = false, ended = false;
    // Of the context, while it does not run.
    uint32_t first_thread = 0, active = 0, gone = 0;
    Arrival arrival;
    uint32_t gathering = 0;       // lanes that wait for others of the warp
    std::vector<std::byte> kept;  // its stack, while another part of the warp is there
    // Of an instruction that waits for other lanes: the columns of its registers, one after another.
    const TogetherStep* step = nullptr;
    std::vector<std::byte> columns;
  };
  struct Warp {
    uint32_t parts = 1;
    const Part* on_stack = nullptr;
    std::unique_ptr<std::array<Request, 32>> requests;  // of its lanes, when it parted
  };
  // A block that is there.
  struct Group {
    uint32_t index[3] = {};
    GroupMemory own;          // of one that is not alone
    GroupMemory::Place kept;  // its shared memory while others use the place that the code knows
    Cluster* cluster = nullptr;
    uint32_t number = 0, rank = 0;  // of the cluster, and in it
    Barriers barriers;
    Stacks stacks;
    std::vector<Part*> by_thread;              // that a thread is of
    std::vector<std::unique_ptr<Part>> parts;  // the first `used` of them
    std::vector<Warp> warps;
    std::size_t used = 0, living = 0;
    // Rounds in which nobody did more than look; or, in loops that wait, look again.
    uint32_t idle = 0, quiet = 0;
  };

  bool make_room(Context& context, std::size_t place, bool alone) override;
  void begin(Context& context, std::size_t place, uint64_t block) override;
  Turn go_on(Context& context, std::size_t place) override;
  bool keep_apart(const Context& context, Group& group);
  Part& new_part();
  static void run_part(Fiber* fiber);
  void go_on(Context& context, Part& part);
  void enter(Context& context, Part& part);
  void enter_group(Context& context, Group& group);
  void copy_shared(const Context& context, Group& group, bool out) const;
  void split(Part& part);
  void arrive(Part& part);
  void arrive_at_cluster(Part& part);
  void open_cluster();
  void open_barriers();
  void nobody_goes_on();
  void finish_gathering(Part& part);
  void look_at_gathering(const Part& of_warp);
  void do_together(const Part& of_warp, const Request& wanted, uint32_t there);
  void ended(Part& part);
  bool end_of_round(Turn& turn);
  Warp& warp_of(const Part& part) { return group_->warps[part.warp]; }
  void fault(const Part& part, FaultKind kind);

  const ThreadHooks hooks_;
  Turns turns_;
  std::vector<std::unique_ptr<Group>> groups_;
  Group* group_ = nullptr;     // whose turn it is
  Group* in_place_ = nullptr;  // whose memory is in the place that the code knows
  WarpEntry entry_ = nullptr;
  const WarpKernel* kernel_ = nullptr;
  std::byte* workers_local_ = nullptr;
  uint32_t blocks_of_cluster_ = 1;
  bool several_ = false;  // blocks are there, or were since this run began
  Part* running_ = nullptr;
  // In this round:
  bool progress_ = false;   // somebody did more than look
  bool perhaps_ = false;    // somebody looks where it may end by itself
  bool for_lanes_ = false;  // somebody waits for what lanes of its warp may do
  bool moved_in_turn_ = false;
  uint32_t patience_ = 0;  // so many idle rounds are waited for before a warp parts
};

// Of this worker, with the run's own hooks.
Warps& worker_warps();

extern "C" {
void heddle_jit_run_warps(Context*, uint64_t first, uint64_t count, WarpEntry entry,
                          const WarpKernel* kernel);
// Not 0: the lanes that wait should part from others of their warp, if there are any.
uint32_t heddle_jit_wait(Context*, uint32_t whom);
uint32_t heddle_jit_part(Context*, uint32_t lanes);
// `count`: ~0 for all threads of the block. Gives the barrier's result, if it has one.
uint32_t heddle_jit_arrive(Context*, uint32_t site, uint32_t kind, uint32_t id, uint32_t count,
                           uint32_t active, uint32_t predicates);
void heddle_jit_gather(Context*, uint32_t want, uint32_t what, uint32_t site, uint32_t lanes, void* table);
// heddle_jit_step or heddle_jit_matrix of a warp that may have parted.
void heddle_jit_together(Context*, uint32_t site, uint32_t warp, uint32_t lanes, const TogetherStep* step);
}

}  // namespace heddle::exec::jit
