#include "checker/sync_tool.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "checker/place_text.h"
#include "checker/record.h"
#include "runtime/module.h"

namespace heddle::checker {

namespace {

// All lanes of the warp must come to it together (PTX ISA 9.7.13.1: bar always, barrier if it is .aligned).
bool is_aligned(const module::Image& image, observe::Place place) {
  const module::Instruction& instruction = image.functions[place.function].code[place.instruction];
  return instruction.opcode == isa::Opcode::bar ||
         image.mnemonics[instruction.mnemonic].values.has(isa::Slot::aligned);
}

}  // namespace

class SyncTool::Watch final : public runtime::LaunchWatch, public observe::Observer {
 public:
  Watch(SyncTool& tool, const runtime::LaunchFacts& facts)
      : tool_(tool),
        image_(facts.launch.module->image),
        block_(facts.launch.shape.block),
        stack_(facts.submission != nullptr ? facts.submission->stack : std::vector<const void*>()) {}

  observe::Observer* observer() override { return this; }
  observe::Needs needs() const override { return observe::syncs; }
  observe::Sink& sink() override {
    const std::lock_guard lock(mutex_);
    return parts_.emplace_back(*this);
  }

  void ended(const runtime::LaunchEnd& end) override {
    if (end.failure == nullptr || end.failure->fault == nullptr) return;
    const exec::Fault& f = *end.failure->fault;
    if (f.kind != exec::FaultKind::illegal_barrier) return;
    std::string at = function_text(f.function) + "+" + hex(uint64_t{f.instruction} * 16);
    if (!f.file.empty()) at += " in " + f.file.substr(f.file.rfind('/') + 1) + ":" + std::to_string(f.line);
    tool_.reporter_->tell(MessageKind::error,
                          "Barrier error detected. Divergent thread(s) in block.\n    at " + at +
                              "\n    by thread " + triple({f.thread.x, f.thread.y, f.thread.z}) +
                              " in block " + triple({f.block.x, f.block.y, f.block.z}) +
                              host_frames(stack_, "at kernel launch time"),
                          "\n    " + f.detail, false, 0, 0,
                          record("Divergent thread(s) in block", {f.thread.x, f.thread.y, f.thread.z},
                                 {f.block.x, f.block.y, f.block.z}, {}));
  }

 private:
  // Of one thread that runs blocks; each block is told by one.
  class Part final : public observe::Sink {
   public:
    explicit Part(Watch& watch) : watch_(watch) {}
    void sync(const observe::Sync& sync) override {
      using observe::SyncKind;
      switch (sync.kind) {
        case SyncKind::begin: alive(sync) |= sync.lanes; return;
        case SyncKind::exit:
          alive(sync) &= ~sync.lanes;
          if (std::ranges::all_of(alive_[sync.block], [](observe::Mask lanes) { return lanes == 0; }))
            alive_.erase(sync.block);
          return;
        case SyncKind::barrier:
        case SyncKind::barrier_arrive:
          if (const observe::Mask missing = alive(sync) & ~sync.lanes; missing != 0)
            watch_.parted_barrier(sync, missing);
          return;
        case SyncKind::warp_barrier: return watch_.warp_barrier(sync);
        default: return;
      }
    }

   private:
    observe::Mask& alive(const observe::Sync& sync) {
      std::vector<observe::Mask>& warps = alive_[sync.block];
      if (warps.size() <= sync.warp) warps.resize(sync.warp + 1);
      return warps[sync.warp];
    }
    Watch& watch_;
    std::map<std::array<uint32_t, 3>, std::vector<observe::Mask>> alive_;  // of each warp of a block
  };

  std::string record(const char* type, const std::array<uint32_t, 3>& thread,
                     const std::array<uint32_t, 3>& block, const std::string& where) const {
    return value("kind", "Synccheck") + who_record(thread, block) +
           element("what", value("text", "Barrier error") + value("type", type)) + where +
           host_stack_record(stack_, "kernel launch time");
  }

  // Some lanes of a warp are elsewhere, and have not ended. Told once of a warp and a barrier.
  void parted_barrier(const observe::Sync& sync, observe::Mask missing) {
    if (!is_aligned(*image_, sync.place)) return;
    {
      const std::lock_guard lock(mutex_);
      if (!parted_.insert({sync.place, {sync.block[0], sync.block[1], sync.block[2], sync.warp}}).second)
        return;
    }
    const auto first_missing = sync.warp * 32 + static_cast<uint32_t>(std::countr_zero(missing));
    for (observe::Mask rest = sync.lanes; rest != 0; rest &= rest - 1) {
      const uint32_t thread = sync.warp * 32 + static_cast<uint32_t>(std::countr_zero(rest));
      tool_.reporter_->tell(MessageKind::error,
                            "Barrier error detected. Divergent thread(s) in warp.\n    at " +
                                place_text(*image_, sync.place).text() + "\n    by thread " +
                                triple(thread_index(block_, thread)) + " in block " + triple(sync.block) +
                                host_frames(stack_, "at kernel launch time"),
                            "\n    " + std::to_string(std::popcount(missing)) +
                                " threads of the warp are elsewhere, the first one is " +
                                triple(thread_index(block_, first_missing)),
                            false, 0, 0,
                            record("Divergent thread(s) in warp", thread_index(block_, thread), sync.block,
                                   where_record(*image_, sync.place)));
    }
  }

  // Each caller must be a member (PTX ISA 9.7.13.2: undefined otherwise).
  void warp_barrier(const observe::Sync& sync) {
    const observe::Mask strangers = sync.lanes & ~sync.a;
    if (strangers == 0) return;
    // What one call of lanes of which some are no members does is undefined for all of them.
    for (observe::Mask rest = sync.lanes; rest != 0; rest &= rest - 1) {
      const uint32_t thread = sync.warp * 32 + static_cast<uint32_t>(std::countr_zero(rest));
      tool_.reporter_->tell(
          MessageKind::error,
          "Barrier error detected. Invalid arguments.\n    at " + place_text(*image_, sync.place).text() +
              "\n    by thread " + triple(thread_index(block_, thread)) + " in block " + triple(sync.block) +
              host_frames(stack_, "at kernel launch time"),
          "\n    the mask " + hex(sync.a) + " does not have the thread that calls", false, 0, 0,
          record("Invalid arguments", thread_index(block_, thread), sync.block,
                 where_record(*image_, sync.place)));
    }
  }

  SyncTool& tool_;
  const std::shared_ptr<const module::Image> image_;
  const exec::Dim3 block_;
  const std::vector<const void*> stack_;
  std::mutex mutex_;
  std::deque<Part> parts_;
  std::set<std::pair<observe::Place, std::array<uint32_t, 4>>> parted_;  // block and warp
};

std::unique_ptr<runtime::LaunchWatch> SyncTool::launch(const runtime::LaunchFacts& facts) {
  if (!filter_.wants(facts.kernel.function().name)) return nullptr;
  return std::make_unique<Watch>(*this, facts);
}

}  // namespace heddle::checker
