#include "checker/sync_tool.h"

#include <bit>

#include "checker/place_text.h"
#include "runtime/module.h"

namespace heddle::checker {

class SyncTool::Watch final : public runtime::LaunchWatch, public observe::Observer, private observe::Sink {
 public:
  Watch(SyncTool& tool, const runtime::LaunchFacts& facts)
      : tool_(tool),
        image_(facts.launch.module->image),
        block_(facts.launch.shape.block),
        stack_(facts.submission != nullptr ? facts.submission->stack : std::vector<const void*>()) {}

  observe::Observer* observer() override { return this; }
  observe::Needs needs() const override { return observe::syncs; }
  observe::Sink& sink() override { return *this; }

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
                          "\n    " + f.detail);
  }

 private:
  void sync(const observe::Sync& sync) override {
    if (sync.kind == observe::SyncKind::warp_barrier) warp_barrier(sync);
  }

  // Each caller must be a member (PTX ISA 9.7.13.2: undefined otherwise).
  void warp_barrier(const observe::Sync& sync) {
    const observe::Mask strangers = sync.lanes & ~sync.a;
    if (strangers == 0) return;
    // What one call of lanes of which some are no members does is undefined for all of them.
    for (observe::Mask rest = sync.lanes; rest != 0; rest &= rest - 1) {
      const uint32_t thread = sync.warp * 32 + static_cast<uint32_t>(std::countr_zero(rest));
      tool_.reporter_->tell(MessageKind::error,
                            "Barrier error detected. Invalid arguments.\n    at " +
                                place_text(*image_, sync.place).text() + "\n    by thread " +
                                triple(thread_index(block_, thread)) + " in block " + triple(sync.block) +
                                host_frames(stack_, "at kernel launch time"),
                            "\n    the mask " + hex(sync.a) + " does not have the thread that calls");
    }
  }

  SyncTool& tool_;
  const std::shared_ptr<const module::Image> image_;
  const exec::Dim3 block_;
  const std::vector<const void*> stack_;
};

std::unique_ptr<runtime::LaunchWatch> SyncTool::launch(const runtime::LaunchFacts& facts) {
  if (!filter_.wants(facts.kernel.function().name)) return nullptr;
  return std::make_unique<Watch>(*this, facts);
}

}  // namespace heddle::checker
