#include "timing/tally.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "observe/texels.h"

namespace heddle::timing {

Tallied& Tallied::operator+=(const Tallied& o) {
  for (const auto& [place, count] : o.counts) counts[place] += count;
  shared_passes += o.shared_passes, lines += o.lines, constants += o.constants;
  loaded += o.loaded, hits += o.hits, stored += o.stored, partial += o.partial;
  changes += o.changes, host_bytes += o.host_bytes, looks += o.looks;
  return *this;
}

// Of one thread of the host. Sums hardly depend on which blocks it runs: what one of them finds in L1 it has
// brought there itself.
class Tally::Thread final : public observe::Sink, public observe::TexelSink {
 public:
  explicit Thread(Tally& tally) : tally_(tally), maker_(tally.machine_, tally.find_), l1_(tally.l1_bytes_) {
    has_l1_ = tally.machine_.l1_latency != 0 && tally.l1_bytes_ != 0;
  }

  void count(observe::Place place, const observe::Count& count) override { sums.counts[place] += count; }

  void access(const observe::Access& access) override {
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
    if (access.block != block_) {
      block_ = access.block;
      // What other blocks left there is none of this one's: its lines have a number above their address.
      const uint64_t number = block_[0] + 31 * block_[1] + 97 * block_[2];
      salt_ = (number & 0xFFF) << 40;
    }
    const bool store = event.kind == Event::Kind::store, by_l1 = has_l1_ && !store && !past_l1(access.place);
    for (const Part& part : parts_) add(part, store, by_l1);
  }

  void look(const observe::Look& look) override {
    parts_.clear();
    (void)maker_.event(look, parts_);
    sums.looks += parts_.size();
    for (const Part& part : parts_) touch(part, false);
  }

  Tallied sums;
  std::unordered_map<uint64_t, uint64_t> words;   // atomic operations by sector
  std::unordered_map<uint64_t, uint8_t> touched;  // by line: sectors read, and sectors written above them

 private:
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
      if (seen_ != nullptr) *seen_ |= static_cast<uint8_t>(1U << (address % 4 + (write ? 4 : 0)));
    }
  }

  Tally& tally_;
  EventMaker maker_;
  std::vector<Part> parts_;
  Cache l1_;
  bool has_l1_ = false;
  std::array<uint32_t, 3> block_{~0U, ~0U, ~0U};
  uint64_t salt_ = 0, own_line_ = ~uint64_t{0}, own_hash_ = 0, line_ = ~uint64_t{0};
  uint8_t* seen_ = nullptr;  // of line_; nodes of the map stay where they are
  std::map<observe::Place, bool> past_l1_;
};

Tally::Tally(const Machine& machine, const IssuedProgram& program, uint64_t l1_bytes, FindPiece find)
    : machine_(machine), program_(program), l1_bytes_(l1_bytes), find_(std::move(find)) {}

Tally::~Tally() = default;

observe::Sink& Tally::sink() {
  const std::lock_guard lock(mutex_);
  return *threads_.emplace_back(std::make_unique<Thread>(*this));
}

Tallied Tally::tallied() const {
  Tallied all;
  std::unordered_map<uint64_t, uint64_t> words;
  std::unordered_map<uint64_t, uint8_t> touched;
  for (const std::unique_ptr<Thread>& thread : threads_) {
    all += thread->sums;
    for (const auto& [sector, times] : thread->words)
      all.hottest = std::max(all.hottest, words[sector] += times);
    for (const auto& [line, sectors] : thread->touched) touched[line] |= sectors;
  }
  for (const auto& [line, sectors] : touched) {
    all.read += share * static_cast<uint64_t>(std::popcount(sectors & 0xFU));
    all.written += share * static_cast<uint64_t>(std::popcount(static_cast<unsigned>(sectors) >> 4U));
  }
  return all;
}

}  // namespace heddle::timing
