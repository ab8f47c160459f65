#include "timing/tally.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "observe/choice.h"
#include "observe/texels.h"

namespace heddle::timing {

namespace {

// So many blocks at least are counted, and warps.
constexpr uint64_t enough_blocks = 128, enough_warps = 4096;
// Of all warps that are counted; of one of them at least.
constexpr uint64_t most_accesses = 1'000'000, least_accesses = 256;

uint64_t stride_of(const exec::LaunchShape& shape) {
  const uint64_t warps = std::max<uint64_t>(1, (shape.block.count() + 31) / 32);
  return std::max<uint64_t>(1, shape.grid.count() / std::max(enough_blocks, enough_warps / warps));
}

// Of each warp the first ones are counted.
uint64_t room_of_warp(const exec::LaunchShape& shape, uint64_t stride) {
  const uint64_t warps = (shape.block.count() + 31) / 32 * (shape.grid.count() / stride + 1);
  return std::max(least_accesses, most_accesses / std::max<uint64_t>(1, warps));
}

// Different sectors that `by` times as many blocks touch: each half of those that were counted adds as many
// to the other as are not of both.
uint64_t of_all(uint64_t counted, uint64_t half, double by) {
  const auto all = static_cast<double>(counted), added = 2 * (all - static_cast<double>(half));
  return static_cast<uint64_t>(std::llround(std::min(all + added * (by - 1), all * by)));
}

}  // namespace

Tallied& Tallied::operator+=(const Tallied& o) {
  for (const auto& [place, count] : o.counts) counts[place] += count;
  shared_passes += o.shared_passes, lines += o.lines, constants += o.constants;
  loaded += o.loaded, hits += o.hits, stored += o.stored, partial += o.partial;
  changes += o.changes, host_bytes += o.host_bytes, looks += o.looks;
  return *this;
}

void Tallied::scale(double by) {
  for (uint64_t* sum : {&shared_passes, &lines, &constants, &loaded, &hits, &stored, &partial, &changes,
                        &hottest, &host_bytes, &looks})
    *sum = static_cast<uint64_t>(std::llround(static_cast<double>(*sum) * by));
}

// Of one thread of the host. Sums hardly depend on which blocks it runs: what one of them finds in L1 it has
// brought there itself.
class Tally::Thread final : public observe::Sink, public observe::TexelSink, public observe::ChoosingSink {
 public:
  explicit Thread(Tally& tally) : tally_(tally), maker_(tally.machine_, tally.find_), l1_(tally.l1_bytes_) {
    has_l1_ = tally.machine_.l1_latency != 0 && tally.l1_bytes_ != 0;
  }

  void count(observe::Place place, const observe::Count& count) override { sums.counts[place] += count; }

  void begin(uint64_t block, uint32_t& warps) override {
    told_ = &warps;
    warps = block % tally_.stride_ == 0 ? ~0U : 0;
  }

  void visit(const observe::Visit& visit) override {
    if (is_counted(visit.block, visit.warp)) operations += operations_at(tally_.program_, visit.place);
  }

  void access(const observe::Access& access) override {
    if (!is_counted(access.block, access.warp)) return;
    if (--left_[access.warp] == 0 && told_ != nullptr) *told_ &= ~(1U << access.warp);
    parts_.clear();
    const Event event = maker_.event(access, parts_);
    const uint64_t passes = std::max<uint64_t>(1, event.wavefronts);
    switch (event.space) {
      case observe::Space::shared: sums.shared_passes += passes; return;
      case observe::Space::constant: sums.constants += passes; return;
      case observe::Space::local: sums.lines += passes; return;
      case observe::Space::global: break;
    }
    if (event.kind == Event::Kind::change) {
      for (const Part& part : parts_) words[part.address] += passes;
      sums.changes += passes * parts_.size();
      for (const Part& part : parts_) touch(part, true);
      return;
    }
    sums.lines += passes;
    const bool store = event.kind == Event::Kind::store, by_l1 = has_l1_ && !store && !past_l1(access.place);
    for (const Part& part : parts_) add(part, store, by_l1);
  }

  void look(const observe::Look& look) override {
    if (!is_counted(look.block, look.warp)) return;
    parts_.clear();
    (void)maker_.event(look, parts_);
    sums.looks += parts_.size();
    for (const Part& part : parts_) touch(part, false);
  }

  Tallied sums;
  uint64_t operations = 0;                       // of warps of the blocks that are counted
  std::unordered_map<uint64_t, uint64_t> words;  // atomic operations by sector
  // By line: sectors read, and sectors written above them; above both the same of every other block.
  std::unordered_map<uint64_t, uint16_t> touched;

 private:
  bool is_counted(const std::array<uint32_t, 3>& block, uint32_t warp) {
    if (block != block_) {
      block_ = block;
      const uint64_t number =
          block[0] + uint64_t{tally_.grid_.x} * (block[1] + uint64_t{tally_.grid_.y} * block[2]);
      counted_ = number % tally_.stride_ == 0;
      of_half_ = number / tally_.stride_ % 2 == 0;
      // What other blocks left there is none of this one's: its lines have a number above their address.
      salt_ = (number & 0xFFF) << 40;
      left_.fill(tally_.accesses_of_warp_);
    }
    return counted_ && left_[warp] != 0;
  }

  bool past_l1(observe::Place place) {
    const auto [found, isnew] = past_l1_.try_emplace(place, false);
    if (isnew)
      for (const Operation& o : tally_.program_.bodies[place.function].operations)
        if (o.accesses && o.instruction == place.instruction) found->second = o.past_l1;
    return found->second;
  }

  void add(const Part& part, bool store, bool by_l1) {
    const auto sectors = static_cast<uint64_t>(part.sectors);
    if (part.of_host != 0) {
      sums.host_bytes += 32 * sectors;
      return;
    }
    touch(part, store);
    (store ? sums.stored : sums.loaded) += sectors;
    if (store) sums.partial += part.partial != 0 ? sectors : 0;
    if (!by_l1) return;
    for (uint64_t done = 0; done < sectors; ++done) {
      const uint64_t address = part.address + done, line = address / 4 | salt_;
      if (line != own_line_) own_line_ = line, own_hash_ = Cache::hash_of(line);
      const auto sector = static_cast<Sectors>(1U << address % 4);
      sums.hits += l1_.load(line, own_hash_, sector, 0).missing == 0;
    }
  }

  void touch(const Part& part, bool write) {
    for (uint64_t done = 0; done < part.sectors; ++done) {
      const uint64_t address = part.address + done, line = address / 4;
      if (line != line_) {  // sectors of a line come one behind another
        line_ = line;
        seen_ = Cache::hash_of(line) % share == 0 ? &touched[line] : nullptr;
      }
      if (seen_ == nullptr) continue;
      const unsigned sector = 1U << (address % 4 + (write ? 4 : 0));
      *seen_ |= static_cast<uint16_t>(of_half_ ? sector << 8 | sector : sector);
    }
  }

  Tally& tally_;
  EventMaker maker_;
  std::vector<Part> parts_;
  Cache l1_;
  bool has_l1_ = false;
  std::array<uint32_t, 3> block_{~0U, ~0U, ~0U};
  bool counted_ = false, of_half_ = false;
  std::array<uint64_t, 32> left_{};  // accesses that are counted, of the block's warps
  uint32_t* told_ = nullptr;
  uint64_t salt_ = 0, own_line_ = ~uint64_t{0}, own_hash_ = 0, line_ = ~uint64_t{0};
  uint16_t* seen_ = nullptr;  // of line_; nodes of the map stay where they are
  std::map<observe::Place, bool> past_l1_;
};

Tally::Tally(const Machine& machine, const IssuedProgram& program, const exec::LaunchShape& shape,
             uint64_t l1_bytes, FindPiece find)
    : machine_(machine),
      program_(program),
      l1_bytes_(l1_bytes),
      find_(std::move(find)),
      grid_(shape.grid),
      stride_(stride_of(shape)),
      accesses_of_warp_(room_of_warp(shape, stride_)) {}

Tally::~Tally() = default;

observe::Sink& Tally::sink() {
  const std::lock_guard lock(mutex_);
  return *threads_.emplace_back(std::make_unique<Thread>(*this));
}

Tallied Tally::tallied() const {
  Tallied all;
  std::unordered_map<uint64_t, uint64_t> words;
  std::unordered_map<uint64_t, uint16_t> touched;
  uint64_t operations = 0;
  for (const std::unique_ptr<Thread>& thread : threads_) {
    all += thread->sums;
    operations += thread->operations;
    for (const auto& [sector, times] : thread->words)
      all.hottest = std::max(all.hottest, words[sector] += times);
    for (const auto& [line, sectors] : thread->touched) touched[line] |= sectors;
  }
  uint64_t half_read = 0, half_written = 0;
  const auto sectors_at = [](uint16_t sectors, unsigned from) {
    return share * static_cast<uint64_t>(std::popcount(sectors >> from & 0xFU));
  };
  for (const auto& [line, sectors] : touched) {
    all.read += sectors_at(sectors, 0), all.written += sectors_at(sectors, 4);
    half_read += sectors_at(sectors, 8), half_written += sectors_at(sectors, 12);
  }
  const uint64_t of_launch = operations_of(program_, all.counts);
  if (operations == 0 || operations == of_launch) return all;
  const double by = static_cast<double>(of_launch) / static_cast<double>(operations);
  all.scale(by);
  all.read = of_all(all.read, half_read, by);
  all.written = of_all(all.written, half_written, by);
  return all;
}

}  // namespace heddle::timing
