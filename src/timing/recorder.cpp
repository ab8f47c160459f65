#include "timing/recorder.h"

#include <algorithm>
#include <utility>

#include "model/banks.h"
#include "model/coalescing.h"
#include "observe/texels.h"

namespace heddle::timing {

namespace {

// Several waves, so that the device is in its stride; grids of few waves are recorded whole.
constexpr uint64_t waves = 4;
constexpr std::size_t most_events = 8'000'000;

model::WarpAccess warp_access(const observe::Access& a) {
  const auto kind = a.kind == observe::AccessKind::load    ? model::AccessKind::load
                    : a.kind == observe::AccessKind::store ? model::AccessKind::store
                                                           : model::AccessKind::change;
  return {kind, a.lanes, a.bytes, a.addresses};
}

Event::Kind kind_of(observe::AccessKind kind) {
  return kind == observe::AccessKind::load    ? Event::Kind::load
         : kind == observe::AccessKind::store ? Event::Kind::store
                                              : Event::Kind::change;
}

// The lanes of the word that most of them change: they are served one after another.
uint32_t most_at_one_address(const observe::Access& a) {
  uint32_t most = 1;
  for (observe::Mask rest = a.lanes; rest != 0; rest &= rest - 1) {
    const uint64_t address = a.addresses[__builtin_ctz(rest)];
    uint32_t same = 0;
    for (observe::Mask others = rest; others != 0; others &= others - 1)
      same += a.addresses[__builtin_ctz(others)] == address;
    most = std::max(most, same);
  }
  return most;
}

}  // namespace

class Recorder::Blocks final : public observe::Sink, public observe::TexelSink {
 public:
  explicit Blocks(Recorder& recorder) : recorder_(recorder) {}

  void visit(const observe::Visit& v) override {
    WarpTrace* warp = warp_of(v.block, v.warp);
    if (warp == nullptr) return;
    Event event;
    event.function = static_cast<uint16_t>(v.place.function);
    event.instruction = v.place.instruction;
    event.lanes = v.lanes;
    warp->events.push_back(event);
  }

  void access(const observe::Access& a) override {
    WarpTrace* warp = warp_of(a.block, a.warp);
    if (warp == nullptr) return;
    const arch::Architecture& arch = recorder_.machine_.device->arch;
    Event event;
    event.function = static_cast<uint16_t>(a.place.function);
    event.instruction = a.place.instruction;
    event.lanes = a.lanes;
    event.kind = kind_of(a.kind);
    event.space = a.space;
    switch (a.space) {
      case observe::Space::shared: {
        const uint32_t passes = model::bank_access(arch, warp_access(a)).wavefronts;
        event.wavefronts = static_cast<uint16_t>(
            a.kind == observe::AccessKind::change ? std::max(passes, most_at_one_address(a)) : passes);
        break;
      }
      case observe::Space::constant:
        event.wavefronts = static_cast<uint16_t>(model::constant_requests(arch, warp_access(a)));
        add_constant_lines(event, a);
        break;
      case observe::Space::local: event.wavefronts = static_cast<uint16_t>(std::max(1U, a.bytes / 4)); break;
      case observe::Space::global: add_parts(event, a); break;
    }
    warp->events.push_back(event);
  }

  void look(const observe::Look& look) override {
    WarpTrace* warp = warp_of(look.block, look.warp);
    if (warp == nullptr) return;
    Event event;
    event.function = static_cast<uint16_t>(look.place.function);
    event.instruction = look.place.instruction;
    event.lanes = look.lanes;
    event.kind = Event::Kind::look;
    sectors_.clear();
    for (const observe::Texel& texel : look.texels)
      for (uint64_t sector = texel.address / 32; sector <= (texel.address + texel.bytes - 1) / 32; ++sector)
        sectors_.push_back(sector);
    std::ranges::sort(sectors_);
    sectors_.erase(std::unique(sectors_.begin(), sectors_.end()), sectors_.end());
    event.first_part = static_cast<uint32_t>(block_->parts.size());
    for (const uint64_t sector : sectors_) block_->parts.push_back({sector, 1, 0, is_of_host(sector * 32)});
    event.parts = static_cast<uint16_t>(sectors_.size());
    warp->events.push_back(event);
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

  void add_parts(Event& event, const observe::Access& a) {
    const Machine& m = recorder_.machine_;
    const arch::Architecture& arch = m.device->arch;
    const auto caching = m.l2_latency == 0                                          ? model::Caching::none
                         : m.l1_latency != 0 && a.kind == observe::AccessKind::load ? model::Caching::l1
                                                                                    : model::Caching::l2;
    const model::Coalesced coalesced = model::coalesce(arch, warp_access(a), caching);
    event.first_part = static_cast<uint32_t>(block_->parts.size());
    for (const model::Transaction& t : coalesced.transactions())
      block_->parts.push_back(
          {t.address / 32, std::max(1U, t.bytes / 32),
           static_cast<uint32_t>(__builtin_popcount(t.lanes)) * a.bytes < t.bytes ? 1U : 0U,
           is_of_host(t.address)});
    event.parts = static_cast<uint16_t>(coalesced.count());
    // Where L1 cache and shared memory are one, a load of cached lines goes through the same banks.
    event.wavefronts = static_cast<uint16_t>(arch.memory.l1_and_shared_bytes != 0 &&
                                                     arch.shared.banks == 32 && m.l1_latency != 0
                                                 ? model::bank_access(arch, warp_access(a)).wavefronts
                                                 : std::max(1U, model::pieces(warp_access(a), 128)));
    if (a.kind == observe::AccessKind::change)
      event.wavefronts = static_cast<uint16_t>(most_at_one_address(a));
  }

  bool is_of_host(uint64_t address) {
    if (!recorder_.find_) return false;
    if (address < piece_.begin || address >= piece_.end) piece_ = recorder_.find_(address);
    return piece_.of_host;
  }

  void add_constant_lines(Event& event, const observe::Access& a) {
    std::vector<Part>& parts = block_->parts;
    const std::size_t first = parts.size();
    for (observe::Mask rest = a.lanes; rest != 0; rest &= rest - 1) {
      const uint64_t line = a.addresses[__builtin_ctz(rest)] / 64;
      const auto same = [line](const Part& part) { return part.address == line * 2; };
      if (std::none_of(parts.begin() + static_cast<std::ptrdiff_t>(first), parts.end(), same))
        parts.push_back({line * 2, 2, 0, 0});
    }
    event.first_part = static_cast<uint32_t>(first);
    event.parts = static_cast<uint16_t>(parts.size() - first);
  }

  Recorder& recorder_;
  std::array<uint32_t, 3> last_{~0U, ~0U, ~0U};
  BlockTrace* block_ = nullptr;
  Piece piece_;                    // of the address that was asked for last
  std::vector<uint64_t> sectors_;  // of a look
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
