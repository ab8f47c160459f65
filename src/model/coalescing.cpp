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

// Different values of `key` over the lanes.
template <class Key>
uint32_t different(LaneMask lanes, Key&& key) {
  std::array<uint64_t, warp_lanes> keys;
  uint32_t count = 0, ascents = 0;
  bool ascends = true;
  each_lane(lanes, [&](unsigned lane) {
    const uint64_t k = key(lane);
    if (count == 0 || k != keys[count - 1]) {
      ascends = ascends && (count == 0 || k > keys[count - 1]);
      ++ascents;
    }
    keys[count++] = k;
  });
  if (ascends) return ascents;
  std::sort(keys.begin(), keys.begin() + count);
  return static_cast<uint32_t>(std::unique(keys.begin(), keys.begin() + count) - keys.begin());
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
    const uint32_t lanes =
        std::clamp<uint32_t>(arch.memory.request_bytes / access.bytes, 1, arch.memory.request_lanes);
    by_pieces(out, access, lanes, caching == Caching::l1 ? arch.memory.l1_transaction_bytes : sector_bytes);
  }
  return out;
}

uint32_t pieces(const WarpAccess& access, uint32_t bytes) {
  const auto shift = static_cast<unsigned>(std::countr_zero(bytes));
  if (access.bytes <= bytes)
    return different(access.lanes, [&](unsigned lane) { return access.addresses[lane] >> shift; });
  // A word of several pieces begins at a piece of its own.
  return access.bytes / bytes *
         different(access.lanes, [&](unsigned lane) { return access.addresses[lane]; });
}

CacheAccess cache_access(const WarpAccess& access) {
  constexpr uint32_t line_bytes = 128;
  CacheAccess sum;
  WarpAccess pass = access;
  for (LaneMask left = access.lanes; left != 0; left &= ~pass.lanes) {
    pass.lanes = left;
    if (access.kind == AccessKind::change)
      each_lane(left, [&](unsigned lane) {
        each_lane(pass.lanes & lanes_from(0, lane), [&](unsigned before) {
          if (access.addresses[before] == access.addresses[lane]) pass.lanes &= ~(LaneMask{1} << lane);
        });
      });
    sum.tags += pieces(pass, line_bytes);
    sum.sectors += pieces(pass, sector_bytes);
  }
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
