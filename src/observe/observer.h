// What executors tell those who watch a launch: profiler, checker, timing, debugger. Events are of a whole
// warp: a mask of lanes, and an address for each of them. No PTX and no API here: places are numbers of the
// image.
//
// Order. What one lane does at one place of the program is told in the program's order, and so is all that a
// warp does while nothing has parted its lanes. Warps and blocks are told in any order, one among the other,
// but all of a block by one thread. Both executors tell the same (tests/differential/observe_test.cpp). Who
// needs `in_order` gets all events of a launch from one thread, in the order in which they happen.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace heddle::observe {

using Mask = uint32_t;  // of the lanes of a warp
inline constexpr unsigned warp_lanes = 32;

// What an observer needs: code is made for just that. Bits.
enum Needs : uint8_t {
  nothing = 0,
  counts = 1,     // Sink::count
  accesses = 2,   // Sink::access
  visits = 4,     // Sink::visit
  syncs = 8,      // Sink::sync
  in_order = 16,  // one thread runs the launch: what is told first happened first
  // Of accesses, what need not be told, so that it costs less. It may be told all the same.
  spares_windows = 32,   // those in windows that the sink has opened (Window)
  spares_shared = 64,    // those of shared memory
  spares_private = 128,  // those of local and constant memory
};
inline constexpr uint8_t spares = spares_windows | spares_shared | spares_private;
inline constexpr uint8_t needs_of_code = counts | accesses | visits | syncs;  // what code is made for

struct Place {
  uint32_t function = 0, instruction = 0;  // indices in module::Image::functions and in its code
  auto operator<=>(const Place&) const = default;
};

// How often warps came to an instruction. Told of the places that exec/count_places.h names; the instructions
// between two of them were come to as often as the first.
struct Count {
  uint64_t warps = 0;    // each time that a warp came, with however few lanes
  uint64_t threads = 0;  // the lanes that came
  // Of an instruction under a guard, those for which it was true: of a branch, that jumped.
  uint64_t taken_warps = 0, taken_threads = 0;
  uint64_t parted = 0;  // warps in which it was true for some lanes that came and false for others

  void come(Mask lanes) {
    ++warps;
    threads += static_cast<uint64_t>(__builtin_popcount(lanes));
  }
  void take(Mask lanes, Mask taken) {
    taken_warps += taken != 0;
    taken_threads += static_cast<uint64_t>(__builtin_popcount(taken));
    parted += taken != 0 && taken != lanes;
  }
  Count& operator+=(const Count& other) {
    warps += other.warps, threads += other.threads, taken_warps += other.taken_warps;
    taken_threads += other.taken_threads, parted += other.parted;
    return *this;
  }
  bool operator==(const Count&) const = default;
};

enum class Space : uint8_t { global, constant, shared, local };
enum class AccessKind : uint8_t {
  load,
  store,
  change
};  // change: atomic operations, with a result or without

// Of one place of the program, for one thread that runs blocks: where accesses do not interest. One whose
// lanes' addresses all lie in [begin, begin + size), aligned to their bytes (the greatest power of two not
// above them), need not be told. Only the sink changes it: while it is told of an access, or to close it.
// Such accesses lie in global memory, or in shared memory.
struct Window {
  uint64_t begin = 0, size = 0;  // none
};

// One instruction of one warp. One that accesses several places a lane (it copies, or moves a matrix), or
// several spaces by generic addresses, is told as several accesses. Parameters of the launch are not told.
struct Access {
  Place place;
  std::array<uint32_t, 3> block{};
  uint32_t warp = 0;   // of the block
  Mask lanes = 0;      // that access memory: active, and not switched off by a guard
  uint32_t bytes = 0;  // of one lane, all elements of a vector together
  Space space = Space::global;
  AccessKind kind = AccessKind::load;
  // Of each of the 32 lanes, those of lanes not in the mask mean nothing: in global and constant memory
  // generic addresses, in shared memory offsets in the block's (a block of the cluster: exec/memory_map.h),
  // in local memory offsets in the thread's.
  const uint64_t* addresses = nullptr;
  Window* window = nullptr;  // of this place; nullptr: all of its accesses are told
};

// A warp came to a place where counts are kept: what each of its warps went through, in order.
struct Visit {
  Place place;
  std::array<uint32_t, 3> block{};
  uint32_t warp = 0;  // of the block
  Mask lanes = 0;     // that came, never none
};

// What orders threads, and where threads begin and end. Accesses that order (atomic operations, volatile and
// relaxed ones, acquire, release, mbarriers) are told as accesses: which they are, their place says.
enum class SyncKind : uint8_t {
  begin,           // threads begin: the first that is told of a warp. Place: the entry's first instruction
  exit,            // threads end
  barrier,         // bar.sync, bar.red: arrive at barrier a and wait; b: threads that it waits for, 0: all
  barrier_arrive,  // bar.arrive: the same without waiting
  warp_barrier,    // bar.warp.sync, a: membermask
  cluster_arrive,
  cluster_wait,
  fence,        // a: FenceScope
  compared,     // a compare and swap, behind its access; a: 1: another value was there, and nothing changed
  proxy_fence,  // between proxies, which are not told apart
  copy_commit,  // the thread's asynchronous copies up to here are a group
  copy_wait,    // until at most a groups are under way; ~0: all copies, in groups or not
};
enum class FenceScope : uint32_t { block, cluster, device, system };

// Before it happens (but for `compared`): before a barrier is waited for. Lanes whose a or b differ are told
// one after another. Lanes that come together are told together; a warp barrier that lanes reach on different
// ways may be told in parts or, of all that came, as one.
struct Sync {
  Place place;
  std::array<uint32_t, 3> block{};
  uint32_t warp = 0;  // of the block
  Mask lanes = 0;
  SyncKind kind{};
  uint32_t a = 0, b = 0;
};

// Of one thread that runs blocks. Not called by two threads at once.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void access(const Access&) {}
  virtual void visit(const Visit&) {}
  virtual void sync(const Sync&) {}
  // What this thread counted, told at the end; a place may come several times, its counts add up.
  virtual void count(Place, const Count&) {}
  // So many windows, all closed, for a thread that begins to run code that looks at them: by places of its
  // own. They stay until the launch has ended. nullptr: none. Several threads may ask.
  virtual Window* windows(std::size_t) { return nullptr; }
};

// Of one launch. Lives until the launch has ended.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual Needs needs() const = 0;
  // A sink for the calling thread: the observer's, until the launch has ended. Several threads may ask.
  virtual Sink& sink() = 0;
};

}  // namespace heddle::observe
