#include "profiler/reuse.h"

#include <bit>
#include <unordered_map>
#include <unordered_set>

namespace heddle::profiler {

// What one thread was told.
class Reuse::Part final : public observe::Sink {
 public:
  Part(const module::Image& image, const BlockSample& sample) : image_(image), sample_(sample) {}
  void access(const observe::Access& access) override {
    if (access.space != observe::Space::global || access.kind != observe::AccessKind::load) return;
    if (image_.functions[access.place.function].code[access.place.instruction].opcode != isa::Opcode::cp)
      load(access);
  }
  ReuseCounts counts() const {
    ReuseCounts sum;
    for (const auto& [number, block] : blocks_)
      if (!block.left_out) sum += {block.loaded, block.sectors.size()};
    return sum;
  }

 private:
  // A block that loads more is left out: memory is bounded, and where it stops depends on no order.
  static constexpr std::size_t most_sectors = 1 << 16;
  struct OfBlock {
    std::unordered_set<uint64_t> sectors;
    uint64_t loaded = 0;
    bool left_out = false;
  };
  // nullptr: not looked at.
  OfBlock* block_of(const std::array<uint32_t, 3>& block) {
    if (block == last_) return of_last_;
    const uint64_t number = sample_.number(block);
    last_ = block;
    of_last_ = sample_.has(number) ? &blocks_[number] : nullptr;
    return of_last_;
  }
  void load(const observe::Access& access);
  const module::Image& image_;
  const BlockSample sample_;
  // The block of the last access: most are of the same.
  std::array<uint32_t, 3> last_{~0U, ~0U, ~0U};
  OfBlock* of_last_ = nullptr;
  std::unordered_map<uint64_t, OfBlock> blocks_;
};

void Reuse::Part::load(const observe::Access& access) {
  constexpr uint64_t sector = 32;
  OfBlock* const found = block_of(access.block);
  if (found == nullptr || found->left_out || access.bytes == 0) return;
  OfBlock& block = *found;
  // Lanes that follow one another mostly load the same sector, or the next.
  std::array<uint64_t, 2 * observe::warp_lanes> seen;
  std::size_t count = 0;
  for (observe::Mask left = access.lanes; left != 0; left &= left - 1) {
    const uint64_t address = access.addresses[std::countr_zero(left)];
    const uint64_t end = (address + access.bytes - 1) / sector;
    for (uint64_t one = address / sector; one <= end; ++one) {
      bool is_new = true;
      for (std::size_t i = count; i-- > 0 && is_new;) is_new = seen[i] != one;
      if (!is_new) continue;
      if (count < seen.size()) seen[count++] = one;
      ++block.loaded;
      block.sectors.insert(one);
    }
  }
  if (block.sectors.size() <= most_sectors) return;
  block.left_out = true;
  block.sectors = {};
}

Reuse::Reuse(const module::Image& image, const BlockSample& sample) : image_(image), sample_(sample) {}
Reuse::~Reuse() = default;

observe::Sink& Reuse::sink() {
  const std::lock_guard lock(mutex_);
  return *parts_.emplace_back(std::make_unique<Part>(image_, sample_));
}

ReuseCounts Reuse::counts() const {
  ReuseCounts sum;
  for (const auto& part : parts_) sum += part->counts();
  return sum;
}

}  // namespace heddle::profiler
