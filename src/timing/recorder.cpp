#include "timing/recorder.h"

#include <algorithm>
#include <utility>

#include "observe/choice.h"
#include "observe/texels.h"

namespace heddle::timing {

namespace {

// Several waves, so that the device is in its stride; grids of few waves are recorded whole.
constexpr uint64_t most_waves = 5, least_waves = 3;
constexpr uint64_t most_events = 8'000'000;  // of all warps together
constexpr uint64_t least_events = 32;        // of a warp that has them
// What the model does at most: an operation, an access and each of its transactions take it about as long, 70
// ns. Of a long launch that is a part such that a prediction costs 20 times the launch at most (issue 26).
constexpr uint64_t least_work = 3'200'000, part_of_work = 128;
constexpr uint64_t enough_of_first = 1'000'000;  // to know how much it is

}  // namespace

class Recorder::Blocks final : public observe::Sink, public observe::TexelSink, public observe::ChoosingSink {
 public:
  explicit Blocks(Recorder& recorder) : recorder_(recorder), maker_(recorder.machine_, recorder.find_) {}

  void begin(uint64_t block, uint32_t& warps) override {
    if (first_) recorder_.record(recorder_.extent());
    first_ = block == 0;
    told_ = &warps;
    warps = block < recorder_.most_blocks_.load(std::memory_order_relaxed) ? ~0U : 0;
  }

  void visit(const observe::Visit& v) override {
    WarpTrace* warp = warp_of(v.block, v.warp);
    if (is_first_) add_to_first(operations_at(recorder_.program_, v.place));
    if (warp == nullptr) return;
    Event event;
    event.function = static_cast<uint16_t>(v.place.function);
    event.instruction = v.place.instruction;
    event.lanes = v.lanes;
    warp->events.push_back(event);
  }

  void access(const observe::Access& access) override {
    WarpTrace* warp = warp_of(access.block, access.warp);
    if (warp == nullptr && !is_first_) return;
    const std::size_t parts = block_->parts.size();
    const Event event = maker_.event(access, block_->parts);
    if (is_first_) add_to_first(1 + event.parts);
    if (warp != nullptr)
      warp->events.push_back(event);
    else
      block_->parts.resize(parts);
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
      is_first_ = linear == 0 && recorder_.work_of_first_.load(std::memory_order_relaxed) < enough_of_first;
    }
    if (block_ == nullptr || warp >= block_->warps.size()) return nullptr;
    WarpTrace& trace = block_->warps[warp];
    if (trace.events.size() < recorder_.room_.load(std::memory_order_relaxed)) return &trace;
    trace.cut = true;
    if (told_ != nullptr && !is_first_) *told_ &= ~(1U << warp);
    return nullptr;
  }

  void add_to_first(uint64_t work) {
    recorder_.events_of_first_.fetch_add(1, std::memory_order_relaxed);
    const uint64_t all = work + recorder_.work_of_first_.fetch_add(work, std::memory_order_relaxed);
    if (all >= enough_of_first) is_first_ = false;
  }

  Recorder& recorder_;
  std::array<uint32_t, 3> last_{~0U, ~0U, ~0U};
  BlockTrace* block_ = nullptr;
  bool is_first_ = false;     // of the grid, and not enough is known of it yet
  bool first_ = false;        // this thread began the grid's first block, and no other since
  uint32_t* told_ = nullptr;  // of the block that this thread runs, where it was asked
  EventMaker maker_;
};

Recorder::Recorder(const Machine& machine, const IssuedProgram& program, const exec::LaunchShape& shape,
                   uint32_t resident, FindPiece find)
    : machine_(machine), program_(program), shape_(shape), find_(std::move(find)) {
  const uint64_t wave = uint64_t{std::max(1U, resident)} * machine.multiprocessors;
  blocks_.resize(std::min(shape.grid.count(), wave * most_waves));
  least_blocks_ = std::min(shape.grid.count(), wave * least_waves);
  const uint64_t warps = (shape.block.count() + 31) / 32;
  for (BlockTrace& block : blocks_) block.warps.resize(warps);
  // As much as may count in the end.
  record({blocks_.size(), std::max<std::size_t>(2 * least_events,
                                                most_events / std::max<uint64_t>(1, least_blocks_ * warps))});
}

void Recorder::record(const Extent& extent) {
  most_blocks_.store(extent.blocks, std::memory_order_relaxed);
  room_.store(extent.events_per_warp, std::memory_order_relaxed);
}

// Fewer blocks first, of whose warps all counts; then fewer events of each.
Recorder::Extent Recorder::extent() const {
  if (blocks_.empty()) return {};
  const uint64_t warps = blocks_.front().warps.size();
  uint64_t events = most_events, of_warp = least_events;
  if (const uint64_t work = work_of_first_.load(std::memory_order_relaxed); work != 0) {
    const uint64_t first = events_of_first_.load(std::memory_order_relaxed);
    const double all = static_cast<double>(work) * static_cast<double>(shape_.grid.count());
    const double most = std::max<double>(least_work, all / part_of_work);
    events = std::min(events,
                      static_cast<uint64_t>(most * static_cast<double>(first) / static_cast<double>(work)));
    of_warp = first / warps + 1;
  }
  Extent result;
  result.blocks = std::clamp<std::size_t>(events / (warps * of_warp), least_blocks_, blocks_.size());
  result.events_per_warp = std::max<std::size_t>(least_events, events / (result.blocks * warps));
  return result;
}

Recorder::~Recorder() = default;

observe::Sink& Recorder::sink() {
  const std::lock_guard lock(mutex_);
  return *sinks_.emplace_back(std::make_unique<Blocks>(*this));
}

}  // namespace heddle::timing
