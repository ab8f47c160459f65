// What has been compiled: by kernel, device and block shape, in variants by the alignment of pointers among
// the parameters and by the %envregs that are 0, each in up to two tiers.
//
// Launches that the reference executor is through with before code would be there run on it, as long as they
// are few. The first other launch of a variant compiles it at once, in the quick tier. What turns out to take
// time, while it runs or over several launches, is compiled again by a thread in the background; blocks that
// begin after that run the better code. A process that is over before leaves word of what its kernels took; a
// later one begins with the better code at once, and waits for it at its end when the time lost without it is
// more than it takes to make.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "exec/jit/compiler/compiler.h"
#include "exec/jit/executor.h"
#include "exec/jit/launch/background.h"
#include "exec/launch.h"

namespace heddle::exec::jit {

struct Variant {
  Shape shape;
  // The best code there is; it and what it replaced live as long as the variant.
  std::atomic<const CompiledKernel*> current{nullptr};
  std::shared_ptr<const CompiledKernel> quick, best;
  std::atomic<float> block_ticks{0};     // of the last launch
  std::atomic<uint64_t> total_ticks{0};  // of all launches
  std::atomic<bool> best_asked{false};
  std::atomic<uint32_t> registers{0};  // of a thread, once somebody asked (Kernels::registers)
  uint64_t best_from = 0;              // ticks that it must have run
  Experience earlier;                  // of other processes; its ticks are part of total_ticks
  uint64_t quick_cost = 0;             // ticks to make its quick code, here or there
  bool best_pays = false;              // the end of the process waits for it
  // Of total_ticks, what is noted, and when the next note is due; 0: never.
  std::atomic<uint64_t> noted_ticks{0}, note_at{0};
};

class Kernels {
 public:
  Kernels(const Options& options, std::unique_ptr<KernelCompiler> compiler);
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;

  struct Found {
    Variant* variant = nullptr;  // nullptr: for the reference executor. Lives as long as the launch's image
    bool has_handles = false;    // of textures, samplers or surfaces: they may change between launches
    uint32_t registers = 0;      // of a thread, of a kernel that asks where it runs; 0: it does not
    bool cancels = false;        // blocks take others away (clusterlaunchcontrol)
    // Without a variant: the reference executor is through with it before code would be there. Ticks that it
    // takes are added.
    std::atomic<uint64_t>* small = nullptr;
  };
  Found find(const Launch& launch);
  // Of a launch that will be: exec::Executor::prepare.
  void prepare(const Launch& launch);
  // Says so, and why: each kernel once.
  void goes_to_reference(const Launch& launch, std::string_view why);
  // The best tier is made in the background, once; a launch that runs takes it for its later blocks.
  void ask_for_best(const Launch& launch, Variant& variant);
  // Of a thread of the launch's kernel on its device; found once.
  static uint32_t registers(const Launch& launch, Variant& variant);
  // After a launch: remembers how long it took, and asks for the best tier when that pays.
  void ran(const Launch& launch, Variant& variant, float block_ticks, uint64_t ticks);

 private:
  struct Key {
    const module::Image* image;
    const arch::Device* device;
    uint32_t function;
    Dim3 block;
    Observed observed;
    bool merges;
    Dim3 cluster;
    bool operator==(const Key&) const = default;
  };
  static Key key_of(const Launch& launch);
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  struct Kernel {
    std::weak_ptr<const module::Image> image;
    bool has_handles = false;
    bool refused = false;
    uint32_t registers = 0;  // Found::registers
    bool cancels = false;
    // Words of the parameter buffer that can be pointers, and which of them the program declares as offsets
    // in shared memory: a bit each, by index.
    std::vector<uint32_t> pointer_words;
    uint32_t shared_pointers = 0;
    uint32_t environment = 0;                  // a bit for each %envreg that it reads
    uint64_t most_of_a_warp = 0;               // instructions, at most; 0: nobody knows
    std::atomic<uint64_t> reference_ticks{0};  // of launches that began there
    bool none_kept = false;                    // of code of it; somebody looked
    std::deque<Variant> variants;              // grows under the lock of the table and that of `compiling`
    std::mutex compiling;
  };
  struct Order {  // for the background
    std::shared_ptr<const module::Image> image;
    std::shared_ptr<Kernel> kernel;
    const arch::Device* device;
    uint32_t function;
    Observed observed;
    Variant* variant;
  };
  void note(const Launch& launch, Variant& variant, uint64_t total);
  CompileRequest request_for(const Launch& launch, Shape shape) const;  // of best code
  std::shared_ptr<Kernel> known_with_lock(const Launch& launch);
  std::shared_ptr<Kernel> make_kernel(const Launch& launch);
  static Variant* match(Kernel& kernel, std::span<const uint8_t> alignment, uint32_t zeros, bool exact);
  Found compile(const Launch& launch, const std::shared_ptr<Kernel>& kernel);
  bool is_small(const Launch& launch, const Kernel& kernel, uint64_t part = 1) const;
  void make_best(const Order& order);
  void tell_with_lock(const Launch& launch, std::string_view why, bool trivial = false);
  void say(const Order& order, Tier tier, double milliseconds) const;

  const Options options_;
  const std::unique_ptr<KernelCompiler> compiler_;
  std::mutex mutex_;
  std::unordered_map<Key, std::shared_ptr<Kernel>, Hash> kernels_;
  std::set<std::string> told_;  // kernels that run on the reference executor
  std::size_t look_at_ = 64;    // so many kernels, and those are looked for whose images are gone
  // The last members: nothing of theirs outlives the others.
  Background slow_codes_, best_codes_;
};

}  // namespace heddle::exec::jit
