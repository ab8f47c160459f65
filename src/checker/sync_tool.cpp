#include "checker/sync_tool.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "analysis/barrier_joins.h"
#include "arch/device.h"
#include "checker/place_text.h"
#include "checker/record.h"
#include "checker/warp_partners.h"
#include "observe/exchange.h"
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
        entry_(facts.launch.function),
        block_(facts.launch.shape.block),
        waits_(facts.launch.device == nullptr ||
               facts.launch.device->arch.has(arch::Feature::independent_thread_scheduling)),
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
    if (f.kind == exec::FaultKind::illegal_barrier || f.kind == exec::FaultKind::timeout) tell_waiting();
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
      if (sync.kind == SyncKind::compared) return;
      Warp& warp = this->warp(sync);
      const bool whole = sync.kind == SyncKind::barrier && sync.b == 0;
      if (!warp.absent.empty()) [[unlikely]]
        come_late(sync, warp);
      if (sync.kind != SyncKind::barrier && (warp.waiting & sync.lanes) != 0) goes_on(sync.block);
      switch (sync.kind) {
        case SyncKind::begin: return warp.partners.begin(sync.lanes);
        case SyncKind::exit:
          if (const auto apart = warp.partners.exit(sync.lanes)) watch_.apart(sync, *apart);
          if (warp.partners.alive() != 0) warp.ended.emplace_back(sync.place, sync.lanes);
          if (std::ranges::all_of(blocks_[sync.block],
                                  [](const Warp& one) { return one.partners.alive() == 0; }))
            blocks_.erase(sync.block), last_ = nullptr;
          return;
        case SyncKind::barrier:
        case SyncKind::barrier_arrive:
          look_for_absent(sync, warp);
          if (whole) {
            waits(sync, warp);
            comes(sync, warp, warp.partners.alive());
          }
          return;
        case SyncKind::warp_barrier: watch_.warp_barrier(sync); return comes(sync, warp, sync.a);
        default:
          if (sync.kind != observe::warp_exchange) return;
          watch_.warp_barrier(sync);
          return comes(sync, warp, sync.a);
      }
    }

    // Who waits at barriers of whole blocks: of each place, how many.
    void each_waiting(auto&& f) const {
      for (const auto& [block, warps] : blocks_) {
        std::map<observe::Place, uint32_t> waiting;
        uint32_t elsewhere = 0, first = 0;
        for (uint32_t w = 0; w < warps.size(); ++w) {
          if (warps[w].waiting != 0)
            waiting[warps[w].place] += static_cast<uint32_t>(std::popcount(warps[w].waiting));
          const observe::Mask rest = warps[w].partners.alive() & ~warps[w].waiting;
          if (rest != 0 && elsewhere == 0) first = w * 32 + static_cast<uint32_t>(std::countr_zero(rest));
          elsewhere += static_cast<uint32_t>(std::popcount(rest));
        }
        if (!waiting.empty()) f(block, waiting, elsewhere, first);
      }
    }

   private:
    struct Warp {
      WarpPartners partners;
      observe::Mask waiting = 0;  // at the block's barrier, at `place`
      observe::Place place{};
      std::vector<std::pair<observe::Place, observe::Mask>> ended;  // while others had not
      std::map<observe::Place, observe::Mask> came;                 // to barriers where others may end
      // At barriers, of lanes that may be on their way to the end of the kernel.
      std::vector<std::pair<observe::Sync, observe::Mask>> absent;
    };
    // Lanes of the warp that do not come to its barrier. In which order branches run says nothing.
    void look_for_absent(const observe::Sync& sync, Warp& warp) {
      if (!is_aligned(*watch_.image_, sync.place)) return;
      const analysis::BarrierJoins& joins = watch_.joins();
      const analysis::Absent absent = joins.absent(sync.place.function, sync.place.instruction);
      observe::Mask missing = warp.partners.alive() & ~sync.lanes, ended = 0;
      if (absent == analysis::Absent::waits) {
        for (const auto& [end, lanes] : warp.ended)
          if (end.function == sync.place.function &&
              joins.passed_join(end.function, end.instruction, sync.place.instruction))
            ended |= lanes;
      } else if (absent == analysis::Absent::may_end) {
        observe::Mask& came = warp.came[sync.place];
        for (const auto& [end, lanes] : warp.ended) ended |= lanes & came;
        came |= sync.lanes;
        if (missing != 0) warp.absent.emplace_back(sync, std::exchange(missing, 0));
      }
      if ((missing | ended) != 0) watch_.parted_barrier(sync, missing | ended);
    }
    // What such lanes do next.
    void come_late(const observe::Sync& sync, Warp& warp) {
      for (auto& [barrier, missing] : warp.absent) {
        // Who was there before and ends now has left a loop in which others still come.
        const observe::Mask told =
            missing & sync.lanes &
            (sync.kind == observe::SyncKind::exit ? warp.came[barrier.place] : ~observe::Mask{0});
        if (told != 0) watch_.parted_barrier(barrier, std::exchange(missing, 0));
        missing &= ~sync.lanes;
      }
      std::erase_if(warp.absent, [](const auto& one) { return one.second == 0; });
    }
    Warp& warp(const observe::Sync& sync) {
      if (last_ == nullptr || last_block_ != sync.block) {
        last_ = &blocks_[sync.block];
        last_block_ = sync.block;
      }
      if (last_->size() <= sync.warp) last_->resize(sync.warp + 1);
      return (*last_)[sync.warp];
    }
    // The barrier has opened.
    void goes_on(const std::array<uint32_t, 3>& block) {
      for (Warp& one : blocks_[block]) one.waiting = 0;
    }
    void waits(const observe::Sync& sync, Warp& warp) {
      if ((warp.waiting & sync.lanes) != 0) goes_on(sync.block);
      warp.waiting |= sync.lanes;
      warp.place = sync.place;
    }
    void comes(const observe::Sync& sync, Warp& warp, observe::Mask members) {
      if (!watch_.waits_ || (sync.lanes & ~members) != 0) return;
      const module::Instruction& instruction =
          watch_.image_->functions[sync.place.function].code[sync.place.instruction];
      // All barriers of a block meet, of the others those of the same words.
      const uint32_t kind = sync.kind == observe::SyncKind::barrier ? module::none : instruction.mnemonic;
      if (const auto apart = warp.partners.come(sync.lanes, {sync.place, kind, members}))
        watch_.apart(sync, *apart);
    }
    Watch& watch_;
    std::map<std::array<uint32_t, 3>, std::deque<Warp>> blocks_;
    std::deque<Warp>* last_ = nullptr;
    std::array<uint32_t, 3> last_block_{};
  };

  const analysis::BarrierJoins& joins() {
    std::call_once(joins_made_,
                   [this] { joins_ = std::make_unique<analysis::BarrierJoins>(*image_, entry_); });
    return *joins_;
  }

  // Lanes that wait for each other at different operations.
  void apart(const observe::Sync& sync, const WarpPartners::Apart& apart) {
    if (!tool_.reporter_->wants_error()) return;
    const uint32_t thread = sync.warp * 32 + apart.lane, other = sync.warp * 32 + apart.other_lane;
    const CallText calls = call_text(*image_, apart.here.place);
    const auto mask = [](const WarpPartners::Operation& operation) {
      return operation.kind == module::none ? " (a barrier of the block)"
                                            : " (mask " + hex(operation.members) + ")";
    };
    tool_.reporter_->tell(
        MessageKind::error,
        "Barrier error detected. Missing thread(s) of a mask.\n    at " + calls.at + "\n    by thread " +
            triple(thread_index(block_, thread)) + " in block " + triple(sync.block) + calls.frames +
            host_frames(stack_, "at kernel launch time"),
        "\n    it waits" + mask(apart.here) + " for thread " + triple(thread_index(block_, other)) +
            ", which waits for it at " + place_text(*image_, apart.there.place).text() + mask(apart.there),
        false, 0, 0,
        record("Missing thread(s) of a mask", thread_index(block_, thread), sync.block,
               where_record(*image_, apart.here.place)));
  }

  // Of a kernel that did not end: who waited for whom.
  void tell_waiting() {
    const std::lock_guard lock(mutex_);
    uint32_t told = 0;
    constexpr uint32_t most = 8;
    for (const Part& part : parts_)
      part.each_waiting([&](const std::array<uint32_t, 3>& block,
                            const std::map<observe::Place, uint32_t>& waiting, uint32_t elsewhere,
                            uint32_t first) {
        if (told++ >= most) return;
        std::string text = "Block " + triple(block) + " did not end:";
        for (const auto& [place, count] : waiting)
          text += "\n    " + std::to_string(count) + (count == 1 ? " thread waits" : " threads wait") +
                  " for the block at " + place_text(*image_, place).text();
        if (elsewhere != 0)
          text += "\n    " + std::to_string(elsewhere) + " have not come there, the first one is thread " +
                  triple(thread_index(block_, first));
        tool_.reporter_->tell(MessageKind::notice, text);
      });
  }

  std::string record(const char* type, const std::array<uint32_t, 3>& thread,
                     const std::array<uint32_t, 3>& block, const std::string& where) const {
    return value("kind", "Synccheck") + who_record(thread, block) +
           element("what", value("text", "Barrier error") + value("type", type)) + where +
           host_stack_record(stack_, "kernel launch time");
  }

  // Some lanes of a warp are elsewhere, and have not ended. Told once of a warp and a barrier.
  void parted_barrier(const observe::Sync& sync, observe::Mask missing) {
    {
      const std::lock_guard lock(mutex_);
      if (!parted_.insert({sync.place, {sync.block[0], sync.block[1], sync.block[2], sync.warp}}).second)
        return;
    }
    std::optional<CallText> calls;
    const auto first_missing = sync.warp * 32 + static_cast<uint32_t>(std::countr_zero(missing));
    for (observe::Mask rest = sync.lanes; rest != 0; rest &= rest - 1) {
      if (!tool_.reporter_->wants_error()) continue;
      if (!calls) calls = call_text(*image_, sync.place);
      const uint32_t thread = sync.warp * 32 + static_cast<uint32_t>(std::countr_zero(rest));
      tool_.reporter_->tell(MessageKind::error,
                            "Barrier error detected. Divergent thread(s) in warp.\n    at " + calls->at +
                                "\n    by thread " + triple(thread_index(block_, thread)) + " in block " +
                                triple(sync.block) + calls->frames +
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
    std::optional<CallText> calls;
    // What one call of lanes of which some are no members does is undefined for all of them.
    for (observe::Mask rest = sync.lanes; rest != 0; rest &= rest - 1) {
      if (!tool_.reporter_->wants_error()) continue;
      if (!calls) calls = call_text(*image_, sync.place);
      const uint32_t thread = sync.warp * 32 + static_cast<uint32_t>(std::countr_zero(rest));
      tool_.reporter_->tell(
          MessageKind::error,
          "Barrier error detected. Invalid arguments.\n    at " + calls->at + "\n    by thread " +
              triple(thread_index(block_, thread)) + " in block " + triple(sync.block) + calls->frames +
              host_frames(stack_, "at kernel launch time"),
          "\n    the mask " + hex(sync.a) + " does not have the thread that calls", false, 0, 0,
          record("Invalid arguments", thread_index(block_, thread), sync.block,
                 where_record(*image_, sync.place)));
    }
  }

  SyncTool& tool_;
  const std::shared_ptr<const module::Image> image_;
  const uint32_t entry_;
  std::once_flag joins_made_;
  std::unique_ptr<const analysis::BarrierJoins> joins_;
  const exec::Dim3 block_;
  const bool waits_;  // lanes for those of their mask
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
