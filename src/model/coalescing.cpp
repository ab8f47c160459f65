#include "model/coalescing.h"

#include <algorithm>

namespace heddle::model {

namespace {

constexpr uint32_t sector_bytes = 32;

// The part of the lanes' accesses that one request carries.
template <class F>
void each_request(Coalesced& out, const WarpAccess& access, unsigned request_lanes, F&& f) {
  each_part(access.lanes, request_lanes, [&](unsigned first, LaneMask lanes) {
    ++out.requests;
    f(first, lanes);
  });
}

// OpenCL Programming Guide C.3.2.1. Words of 16 bytes fill two segments. Where the first lane's word lies or
// would lie; nothing when the words are not in sequence.
std::optional<uint64_t> sequence_begin(const WarpAccess& access, unsigned first, LaneMask lanes) {
  if (access.bytes != 4 && access.bytes != 8 && access.bytes != 16) return std::nullopt;
  const unsigned of_segment = access.bytes == 4 ? 64 : 128;
  const auto lowest = static_cast<unsigned>(std::countr_zero(lanes));
  const uint64_t base = access.addresses[lowest] - uint64_t{lowest - first} * access.bytes;
  bool good = base % of_segment == 0;
  each_lane(lanes, [&](unsigned lane) {
    good = good && access.addresses[lane] == base + uint64_t{lane - first} * access.bytes;
  });
  return good ? std::optional(base) : std::nullopt;
}

void strict(Coalesced& out, const WarpAccess& access, unsigned half) {
  each_request(out, access, half, [&](unsigned first, LaneMask lanes) {
    if (const auto base = sequence_begin(access, first, lanes)) {
      const unsigned bytes = access.bytes == 4 ? 64 : 128, words = bytes / access.bytes;
      for (unsigned i = 0; i < half / words; ++i)
        out.add({*base + uint64_t{i} * bytes, bytes, lanes & lanes_from(first + i * words, words)});
      return;
    }
    ++out.scattered;
    each_lane(lanes, [&](unsigned lane) {
      out.add({access.addresses[lane] & ~uint64_t{sector_bytes - 1}, sector_bytes, LaneMask{1} << lane});
    });
  });
}

// OpenCL Programming Guide C.3.2.2.
void by_segments(Coalesced& out, const WarpAccess& access, unsigned half) {
  const uint32_t segment = access.bytes == 1 ? 32 : access.bytes == 2 ? 64 : 128;
  each_request(out, access, half, [&](unsigned, LaneMask left) {
    while (left != 0) {
      const uint64_t begin = access.addresses[std::countr_zero(left)] & ~uint64_t{segment - 1};
      LaneMask served = 0;
      uint64_t lowest = ~uint64_t{0}, end = 0;
      each_lane(left, [&](unsigned lane) {
        const uint64_t address = access.addresses[lane];
        if (address - begin >= segment) return;
        served |= LaneMask{1} << lane;
        lowest = std::min(lowest, address);
        end = std::max(end, address + access.bytes);
      });
      Transaction transaction{begin, segment, served};
      while (transaction.bytes > sector_bytes) {
        const uint32_t half_bytes = transaction.bytes / 2;
        const uint64_t middle = transaction.address + half_bytes;
        if (lowest < middle && end > middle) break;
        if (lowest >= middle) transaction.address = middle;
        transaction.bytes = half_bytes;
      }
      out.add(transaction);
      left &= ~served;
    }
  });
}

// C.4.2: each request is broken down into lines, those without L1 into sectors.
void by_pieces(Coalesced& out, const WarpAccess& access, unsigned request_lanes, uint32_t bytes) {
  each_request(out, access, request_lanes, [&](unsigned, LaneMask lanes) {
    const uint32_t first = out.count();
    uint64_t behind = 0;  // what was before ends here
    each_lane(lanes, [&](unsigned lane) {
      const uint64_t address = access.addresses[lane];
      for (uint64_t piece = address & ~uint64_t{bytes - 1}; piece < address + access.bytes; piece += bytes) {
        const Transaction transaction{piece, bytes, LaneMask{1} << lane};
        if (piece < behind) {
          out.join(first, transaction);
        } else {
          out.add(transaction);
          behind = piece + bytes;
        }
      }
    });
  });
}

// Numbers, each once: at most one a lane.
class Set {
 public:
  // The place of `key` among those that came before it, and whether it is new.
  std::pair<uint32_t, bool> add(uint64_t key) {
    constexpr uint64_t golden = 0x9e3779b97f4a7c15;
    for (uint64_t slot = key * golden >> 58;; slot = (slot + 1) % slots) {
      const uint8_t number = numbers_[slot];
      if (number == 0) {
        keys_[count_++] = key;
        numbers_[slot] = static_cast<uint8_t>(count_);
        return {count_ - 1, true};
      }
      if (keys_[number - 1] == key) return {number - 1U, false};
    }
  }
  uint32_t count() const { return count_; }

 private:
  static constexpr unsigned slots = 64;   // twice as many as there can be numbers
  std::array<uint8_t, slots> numbers_{};  // plus 1; 0: free
  std::array<uint64_t, warp_lanes> keys_;
  uint32_t count_ = 0;
};

// Different values of `key` over the lanes.
template <class Key>
uint32_t different(LaneMask lanes, Key&& key) {
  uint64_t before = 0;
  uint32_t ascents = 0;
  LaneMask left = lanes;
  for (; left != 0; left &= left - 1) {
    const uint64_t k = key(static_cast<unsigned>(std::countr_zero(left)));
    if (k < before) break;
    ascents += ascents == 0 || k != before;
    before = k;
  }
  if (left == 0) return ascents;
  Set all;
  each_lane(lanes, [&](unsigned lane) { all.add(key(lane)); });
  return all.count();
}

// Of capability 2.0 and on: lanes of one request.
uint32_t lanes_of_request(const arch::Architecture& arch, uint32_t bytes) {
  return std::clamp<uint32_t>(arch.memory.request_bytes / bytes, 1, arch.memory.request_lanes);
}
uint32_t piece_of(const arch::Architecture& arch, Caching caching) {
  return caching == Caching::l1 ? arch.memory.l1_transaction_bytes : sector_bytes;
}

}  // namespace

void Coalesced::join(uint32_t first, const Transaction& transaction) {
  for (uint32_t i = count_; i-- > first;)
    if (list_[i].address == transaction.address) {
      list_[i].lanes |= transaction.lanes;
      return;
    }
  add(transaction);
}

uint64_t Coalesced::bytes() const {
  uint64_t sum = 0;
  for (const Transaction& transaction : transactions()) sum += transaction.bytes;
  return sum;
}

Coalesced coalesce(const arch::Architecture& arch, const WarpAccess& access, Caching caching) {
  Coalesced out;
  if (arch.has(arch::Feature::strict_coalescing)) {
    strict(out, access, arch.memory.request_lanes);
  } else if (arch.has(arch::Feature::segment_coalescing)) {
    by_segments(out, access, arch.memory.request_lanes);
  } else {
    by_pieces(out, access, lanes_of_request(arch, access.bytes), piece_of(arch, caching));
  }
  return out;
}

Transactions count_transactions(const arch::Architecture& arch, const WarpAccess& access, Caching caching,
                                std::optional<uint32_t> sectors) {
  Transactions out;
  if (!arch.has(arch::Feature::strict_coalescing) && !arch.has(arch::Feature::segment_coalescing)) {
    const uint32_t of_request = lanes_of_request(arch, access.bytes), piece = piece_of(arch, caching);
    if (sectors && piece == sector_bytes && of_request == warp_lanes) {
      out.count = *sectors;
    } else {
      each_part(access.lanes, of_request, [&](unsigned, LaneMask lanes) {
        out.count += pieces({access.kind, lanes, access.bytes, access.addresses}, piece);
      });
    }
    out.coalesced = out.count;
    out.bytes = uint64_t{out.count} * piece;
    out.add(piece, out.count);
    return out;
  }
  const Coalesced all = coalesce(arch, access, caching);
  for (const Transaction& transaction : all.transactions()) out.add(transaction.bytes, 1);
  out.count = all.count();
  out.bytes = all.bytes();
  // A half-warp that does not coalesce is a transaction a lane.
  out.coalesced = all.scattered != 0 ? out.count - out.of_32 : out.count;
  return out;
}

void Transactions::add(uint32_t size, uint32_t times) {
  switch (size) {
    case 32: of_32 += times; break;
    case 64: of_64 += times; break;
    case 128: of_128 += times; break;
    default: break;
  }
}

uint32_t pieces(const WarpAccess& access, uint32_t bytes) {
  const auto shift = static_cast<unsigned>(std::countr_zero(bytes));
  if (access.bytes <= bytes)
    return different(access.lanes, [&](unsigned lane) { return access.addresses[lane] >> shift; });
  // A word of several pieces begins at a piece of its own.
  return access.bytes / bytes *
         different(access.lanes, [&](unsigned lane) { return access.addresses[lane]; });
}

namespace {

// A lane's word is no longer than a sector. Lines have four of them.
CacheAccess one_pass(const WarpAccess& access, LaneMask lanes) {
  const auto sector_of = [&](unsigned lane) { return access.addresses[lane] / sector_bytes; };
  CacheAccess sum;
  uint64_t before = 0;
  LaneMask left = lanes;
  for (; left != 0; left &= left - 1) {
    const uint64_t sector = sector_of(static_cast<unsigned>(std::countr_zero(left)));
    if (sector < before) break;
    const bool is_first = sum.sectors == 0;
    sum.sectors += is_first || sector != before;
    sum.tags += is_first || sector / 4 != before / 4;
    before = sector;
  }
  if (left == 0) return sum;
  Set lines;
  std::array<uint8_t, warp_lanes> sectors{};  // of each line, a bit each
  each_lane(lanes, [&](unsigned lane) {
    const uint64_t sector = sector_of(lane);
    sectors[lines.add(sector / 4).first] |= static_cast<uint8_t>(1 << sector % 4);
  });
  sum = {.tags = lines.count(), .sectors = 0};
  for (uint32_t i = 0; i < lines.count(); ++i)
    sum.sectors += static_cast<uint32_t>(std::popcount(sectors[i]));
  return sum;
}

}  // namespace

CacheAccess cache_access(const WarpAccess& access) {
  CacheAccess sum;
  const auto look_up = [&](LaneMask lanes) {
    const CacheAccess pass = one_pass(access, lanes);
    sum.tags += pass.tags;
    sum.sectors += pass.sectors;
  };
  if (access.kind != AccessKind::change) {
    if (access.lanes != 0) look_up(access.lanes);
    return sum;
  }
  // In the pass so many behind the first come the lanes whose address as many lanes before them have.
  std::array<LaneMask, warp_lanes> passes{};
  std::array<uint8_t, warp_lanes> before{};
  uint32_t count = 0;
  Set addresses;
  each_lane(access.lanes, [&](unsigned lane) {
    const uint32_t pass = before[addresses.add(access.addresses[lane]).first]++;
    passes[pass] |= LaneMask{1} << lane;
    count = std::max(count, pass + 1);
  });
  for (uint32_t pass = 0; pass < count; ++pass) look_up(passes[pass]);
  return sum;
}

uint32_t ideal_sectors(const WarpAccess& access, std::optional<uint32_t> sectors) {
  const uint32_t bytes = static_cast<uint32_t>(std::popcount(access.lanes)) * access.bytes;
  return std::min(sectors ? *sectors : pieces(access, sector_bytes),
                  (bytes + sector_bytes - 1) / sector_bytes);
}

uint32_t constant_requests(const arch::Architecture& arch, const WarpAccess& access) {
  uint32_t sum = 0;
  each_part(access.lanes, arch.memory.request_lanes, [&](unsigned, LaneMask lanes) {
    sum += different(lanes, [&](unsigned lane) { return access.addresses[lane]; });
  });
  return sum;
}

}  // namespace heddle::model
