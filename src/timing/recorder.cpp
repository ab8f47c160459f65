#include "timing/recorder.h"

#include <algorithm>
#include <utility>

#include "observe/texels.h"

namespace heddle::timing {

namespace {

// Several waves, so that the device is in its stride; grids of few waves are recorded whole.
constexpr uint64_t waves = 4;
constexpr std::size_t most_events = 8'000'000;

}  // namespace

class Recorder::Blocks final : public observe::Sink, public observe::TexelSink {
 public:
  explicit Blocks(Recorder& recorder) : recorder_(recorder), maker_(recorder.machine_, recorder.find_) {}

  void visit(const observe::Visit& v) override {
    WarpTrace* warp = warp_of(v.block, v.warp);
    if (warp == nullptr) return;
    Event event;
    event.function = static_cast<uint16_t>(v.place.function);
    event.instruction = v.place.instruction;
    event.lanes = v.lanes;
    warp->events.push_back(event);
  }

  void access(const observe::Access& access) override {
    if (WarpTrace* warp = warp_of(access.block, access.warp))
      warp->events.push_back(maker_.event(access, block_->parts));
  }

  void look(const observe::Look& look) override {
    if (WarpTrace* warp = warp_of(look.block, look.warp))
      warp->events.push_back(maker_.event(look, block_->parts));
  }

  void count(observe::Place place, const observe::Count& count) override {
    const std::lock_guard lock(recorder_.mutex_);
    recorder_.counts_[place] += count;
  }

 private:
  WarpTrace* warp_of(const std::array<uint32_t, 3>& block, uint32_t warp) {
    if (block != last_) {
      last_ = block;
      const exec::Dim3& grid = recorder_.shape_.grid;
      const uint64_t linear = block[0] + uint64_t{grid.x} * (block[1] + uint64_t{grid.y} * block[2]);
      block_ = linear < recorder_.blocks_.size() ? &recorder_.blocks_[linear] : nullptr;
    }
    if (block_ == nullptr || warp >= block_->warps.size()) return nullptr;
    WarpTrace& trace = block_->warps[warp];
    if (trace.events.size() < recorder_.events_per_warp_) return &trace;
    trace.cut = true;
    return nullptr;
  }

  Recorder& recorder_;
  std::array<uint32_t, 3> last_{~0U, ~0U, ~0U};
  BlockTrace* block_ = nullptr;
  EventMaker maker_;
};

Recorder::Recorder(const Machine& machine, const exec::LaunchShape& shape, uint32_t resident, FindPiece find)
    : machine_(machine), shape_(shape), find_(std::move(find)) {
  const uint64_t in_grid = shape.grid.count();
  const uint64_t wave = uint64_t{std::max(1U, resident)} * machine.multiprocessors;
  blocks_.resize(std::min(in_grid, wave * (waves + 1)));
  const uint64_t warps = (shape.block.count() + 31) / 32;
  for (BlockTrace& block : blocks_) block.warps.resize(warps);
  events_per_warp_ = std::max<std::size_t>(64, most_events / std::max<uint64_t>(1, blocks_.size() * warps));
}

Recorder::~Recorder() = default;

observe::Sink& Recorder::sink() {
  const std::lock_guard lock(mutex_);
  return *sinks_.emplace_back(std::make_unique<Blocks>(*this));
}

}  // namespace heddle::timing
