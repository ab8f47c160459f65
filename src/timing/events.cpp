#include "timing/events.h"

#include <algorithm>
#include <array>

#include "model/banks.h"
#include "model/coalescing.h"

namespace heddle::timing {

namespace {

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
  struct Entry {
    uint64_t address = 0;
    uint32_t lanes = 0;  // 0: free
  };
  constexpr unsigned bits = 6;
  std::array<Entry, 1U << bits> entries{};
  uint32_t most = 1;
  for (observe::Mask rest = a.lanes; rest != 0; rest &= rest - 1) {
    const uint64_t address = a.addresses[__builtin_ctz(rest)];
    std::size_t at = address * 0x9e3779b97f4a7c15ULL >> (64 - bits);
    while (entries[at].lanes != 0 && entries[at].address != address) at = (at + 1) % entries.size();
    entries[at].address = address;
    most = std::max(most, ++entries[at].lanes);
  }
  return most;
}

void add_constant_lines(Event& event, const observe::Access& a, std::vector<Part>& parts) {
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

Event event_at(observe::Place place, observe::Mask lanes, Event::Kind kind) {
  Event event;
  event.function = static_cast<uint16_t>(place.function);
  event.instruction = place.instruction;
  event.lanes = lanes;
  event.kind = kind;
  return event;
}

}  // namespace

Event EventMaker::event(const observe::Access& a, std::vector<Part>& parts) {
  const arch::Architecture& arch = machine_.device->arch;
  Event event = event_at(a.place, a.lanes, kind_of(a.kind));
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
      add_constant_lines(event, a, parts);
      break;
    case observe::Space::local: event.wavefronts = static_cast<uint16_t>(std::max(1U, a.bytes / 4)); break;
    case observe::Space::global: add_parts(event, a, parts); break;
  }
  return event;
}

Event EventMaker::event(const observe::Look& look, std::vector<Part>& parts) {
  Event event = event_at(look.place, look.lanes, Event::Kind::look);
  sectors_.clear();
  for (const observe::Texel& texel : look.texels)
    for (uint64_t sector = texel.address / 32; sector <= (texel.address + texel.bytes - 1) / 32; ++sector)
      sectors_.push_back(sector);
  std::ranges::sort(sectors_);
  sectors_.erase(std::unique(sectors_.begin(), sectors_.end()), sectors_.end());
  event.first_part = static_cast<uint32_t>(parts.size());
  for (const uint64_t sector : sectors_) parts.push_back({sector, 1, 0, is_of_host(sector * 32)});
  event.parts = static_cast<uint16_t>(sectors_.size());
  return event;
}

void EventMaker::add_parts(Event& event, const observe::Access& a, std::vector<Part>& parts) {
  const Machine& m = machine_;
  const arch::Architecture& arch = m.device->arch;
  const auto caching = m.l2_latency == 0                                          ? model::Caching::none
                       : m.l1_latency != 0 && a.kind == observe::AccessKind::load ? model::Caching::l1
                                                                                  : model::Caching::l2;
  const model::Coalesced coalesced = model::coalesce(arch, warp_access(a), caching);
  event.first_part = static_cast<uint32_t>(parts.size());
  for (const model::Transaction& t : coalesced.transactions())
    parts.push_back({t.address / 32, std::max(1U, t.bytes / 32),
                     static_cast<uint32_t>(__builtin_popcount(t.lanes)) * a.bytes < t.bytes ? 1U : 0U,
                     is_of_host(t.address)});
  event.parts = static_cast<uint16_t>(coalesced.count());
  // Where L1 cache and shared memory are one, a load of cached lines goes through the same banks.
  event.wavefronts = static_cast<uint16_t>(arch.memory.l1_and_shared_bytes != 0 && arch.shared.banks == 32 &&
                                                   m.l1_latency != 0
                                               ? model::bank_access(arch, warp_access(a)).wavefronts
                                               : std::max(1U, model::pieces(warp_access(a), 128)));
  if (a.kind == observe::AccessKind::change) event.wavefronts = static_cast<uint16_t>(most_at_one_address(a));
}

bool EventMaker::is_of_host(uint64_t address) {
  if (!find_) return false;
  if (address < piece_.begin || address >= piece_.end) piece_ = find_(address);
  return piece_.of_host;
}

}  // namespace heddle::timing
