#include "profiler/access_counts.h"

#include <bit>

#include "model/banks.h"
#include "model/coalescing.h"
#include "model/texture_path.h"

namespace heddle::profiler {

namespace {

constexpr uint32_t widest = 32;  // bytes of one lane that the models take

model::AccessKind kind(observe::AccessKind k) { return static_cast<model::AccessKind>(k); }

template <class Field>
uint64_t& at(FieldCounts& counts, Field field) {
  return counts[static_cast<std::size_t>(field)];
}

// Loads go through L1 where code is compiled so by default (CUDA C Programming Guide G.3.2): a capability
// with a read-only cache of its own keeps them out unless asked (G.4.2). Stores go through L2.
model::Caching caching_of(const arch::Architecture& arch, observe::AccessKind k) {
  if (arch.memory.l2_line_bytes == 0) return model::Caching::none;
  const bool lines = arch.has(arch::Feature::global_l1_cache) && arch.memory.read_only_cache_bytes == 0;
  return lines && k == observe::AccessKind::load ? model::Caching::l1 : model::Caching::l2;
}

void texture_part(FieldCounts& counts, const model::WarpAccess& access, uint32_t sectors) {
  uint32_t transactions = sectors, moved = sectors,
           requested = static_cast<uint32_t>(std::popcount(access.lanes)) * access.bytes;
  if (access.kind == model::AccessKind::load) {
    const model::TextureLoad load = model::texture_load(access);
    transactions = load.lookups;
    requested = load.bytes;
  } else if (access.kind == model::AccessKind::store) {
    transactions = moved = model::texture_store(access);
  }
  at(counts, DeviceField::requested_bytes) += requested;
  at(counts, DeviceField::transactions) += transactions;
  at(counts, DeviceField::transaction_bytes) += uint64_t{moved} * 32;
  at(counts, DeviceField::transactions_32) += moved;
  at(counts, DeviceField::coalesced) += transactions;
}

void device_part(FieldCounts& counts, const arch::Architecture& arch, const model::WarpAccess& access,
                 observe::AccessKind k, bool texture) {
  const model::CacheAccess cache = model::cache_access(access);
  at(counts, DeviceField::tags) += cache.tags;
  at(counts, DeviceField::sectors) += cache.sectors;
  // Atomic operations look up a sector once a pass.
  const bool once = access.kind != model::AccessKind::change;
  at(counts, DeviceField::ideal_sectors) +=
      once ? model::ideal_sectors(access, cache.sectors) : model::ideal_sectors(access);
  if (texture) {
    texture_part(counts, access, cache.sectors);
    return;
  }
  at(counts, DeviceField::requested_bytes) +=
      static_cast<uint64_t>(std::popcount(access.lanes)) * access.bytes;
  const model::Transactions transactions = model::count_transactions(
      arch, access, caching_of(arch, k), once ? std::optional(cache.sectors) : std::nullopt);
  at(counts, DeviceField::transactions) += transactions.count;
  at(counts, DeviceField::transaction_bytes) += transactions.bytes;
  at(counts, DeviceField::transactions_32) += transactions.of_32;
  at(counts, DeviceField::transactions_64) += transactions.of_64;
  at(counts, DeviceField::transactions_128) += transactions.of_128;
  at(counts, DeviceField::coalesced) += transactions.coalesced;
  at(counts, DeviceField::uncoalesced) += transactions.count - transactions.coalesced;
}

bool is_one_word(uint32_t bytes) { return bytes <= widest && std::has_single_bit(bytes); }

// A copy of many bytes a lane: each lane's lie in a row.
void long_part(FieldCounts& counts, const observe::Access& access) {
  constexpr uint64_t sector = 32, line = 128;
  for (observe::Mask left = access.lanes; left != 0; left &= left - 1) {
    const uint64_t begin = access.addresses[std::countr_zero(left)], end = begin + access.bytes;
    const uint64_t sectors = (end + sector - 1) / sector - begin / sector;
    at(counts, DeviceField::tags) += (end + line - 1) / line - begin / line;
    at(counts, DeviceField::sectors) += sectors;
    at(counts, DeviceField::ideal_sectors) += (access.bytes + sector - 1) / sector;
    at(counts, DeviceField::requested_bytes) += access.bytes;
    at(counts, DeviceField::transactions) += sectors;
    at(counts, DeviceField::transactions_32) += sectors;
    at(counts, DeviceField::transaction_bytes) += sectors * sector;
    at(counts, DeviceField::coalesced) += sectors;
  }
}

FieldCounts device_counts(const arch::Architecture& arch, const observe::Access& access) {
  FieldCounts counts{};
  at(counts, DeviceField::requests) = 1;
  at(counts, DeviceField::lanes) = static_cast<uint64_t>(std::popcount(access.lanes));
  at(counts, DeviceField::bytes) = at(counts, DeviceField::lanes) * access.bytes;
  if (!is_one_word(access.bytes)) {
    long_part(counts, access);
    return counts;
  }
  if (access.space != observe::Space::local) {
    device_part(counts, arch, {kind(access.kind), access.lanes, access.bytes, access.addresses}, access.kind,
                model::reads_by_texture_unit(arch));
    return counts;
  }
  // Consecutive words of 32 bits of local memory belong to consecutive threads (CUDA C Programming Guide
  // 5.3.2.2).
  constexpr uint64_t word = 4;
  std::array<uint64_t, observe::warp_lanes> addresses{};
  const uint32_t bytes = std::min<uint32_t>(access.bytes, word);
  for (uint32_t done = 0; done < access.bytes; done += bytes) {
    for (unsigned lane = 0; lane < observe::warp_lanes; ++lane) {
      const uint64_t offset = access.addresses[lane] + done;
      addresses[lane] = offset / word * word * observe::warp_lanes + lane * word + offset % word;
    }
    device_part(counts, arch, {kind(access.kind), access.lanes, bytes, addresses.data()}, access.kind, false);
  }
  return counts;
}

FieldCounts banked_counts(const arch::Architecture& arch, const observe::Access& access) {
  FieldCounts counts{};
  at(counts, BankedField::requests) = 1;
  at(counts, BankedField::lanes) = static_cast<uint64_t>(std::popcount(access.lanes));
  at(counts, BankedField::bytes) = at(counts, BankedField::lanes) * access.bytes;
  if (is_one_word(access.bytes) && access.bytes <= 16) {
    const model::BankAccess banks =
        model::bank_access(arch, {kind(access.kind), access.lanes, access.bytes, access.addresses});
    at(counts, BankedField::wavefronts) = banks.wavefronts;
    at(counts, BankedField::ideal_wavefronts) = banks.ideal;
  } else {
    const uint64_t row = uint64_t{arch.shared.banks} * arch.shared.bank_bytes[0];
    const uint64_t rows = (at(counts, BankedField::bytes) + row - 1) / row;
    at(counts, BankedField::wavefronts) = at(counts, BankedField::ideal_wavefronts) = rows;
  }
  return counts;
}

FieldCounts broadcast_counts(const arch::Architecture& arch, const observe::Access& access) {
  FieldCounts counts{};
  at(counts, BroadcastField::requests) = 1;
  at(counts, BroadcastField::words) =
      model::constant_requests(arch, {kind(access.kind), access.lanes, access.bytes, access.addresses});
  return counts;
}

}  // namespace

GroupKind kind_of(observe::Space space) {
  switch (space) {
    case observe::Space::shared: return GroupKind::banked;
    case observe::Space::constant: return GroupKind::broadcast;
    default: return GroupKind::device;
  }
}

FieldCounts count_access(const arch::Architecture& arch, const observe::Access& access) {
  switch (kind_of(access.space)) {
    case GroupKind::banked: return banked_counts(arch, access);
    case GroupKind::broadcast: return broadcast_counts(arch, access);
    case GroupKind::device: break;
  }
  return device_counts(arch, access);
}

}  // namespace heddle::profiler
