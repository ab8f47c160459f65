#include "model/banks.h"

#include <algorithm>
#include <array>
#include <bit>

namespace heddle::model {

namespace {

constexpr unsigned most_banks = 32, word_bytes = 4;

// What is left when a number is divided by how many banks there are: 16 or 32 on every device.
class Remainder {
 public:
  explicit Remainder(unsigned banks) : banks_(banks), mask_(std::has_single_bit(banks) ? banks - 1 : 0) {}
  unsigned operator()(uint64_t word) const {
    return static_cast<unsigned>(mask_ != 0 ? word & mask_ : word % banks_);
  }

 private:
  uint64_t banks_, mask_;
};

// Rows of the banks that one access wants, by bank: what lies in one row of one bank is served together.
class Banks {
 public:
  void want(unsigned bank, uint64_t row) {
    for (uint32_t i = heads_[bank]; i != 0; i = rows_[i - 1].next)
      if (rows_[i - 1].row == row) return;
    rows_[used_] = {row, heads_[bank]};
    heads_[bank] = ++used_;
    longest_ = std::max(longest_, ++length_[bank]);
  }
  uint32_t longest() const { return longest_; }

 private:
  struct Row {
    uint64_t row;
    uint32_t next;  // its number plus 1; 0: none
  };
  uint32_t used_ = 0, longest_ = 0;
  std::array<uint32_t, most_banks> heads_{}, length_{};
  std::array<Row, warp_lanes * 8> rows_;
};

// Different words of each bank, for whole words of 32 bits and for parts of them.
uint32_t different_words(const WarpAccess& access, LaneMask lanes, unsigned banks) {
  const auto first_of = [&](unsigned lane) { return access.addresses[lane] / word_bytes; };
  const auto end_of = [&](unsigned lane) {
    return (access.addresses[lane] + access.bytes + word_bytes - 1) / word_bytes;
  };
  uint64_t lowest = ~uint64_t{0}, highest = 0, before = 0;
  bool ascends = true;
  each_lane(lanes, [&](unsigned lane) {
    const uint64_t first = first_of(lane);
    ascends = ascends && first >= before;
    before = first;
    lowest = std::min(lowest, first);
    highest = std::max(highest, end_of(lane));
  });
  if (highest - lowest <= banks) return 1;  // side by side: each in a bank of its own
  const Remainder bank_of(banks);
  if (ascends) {  // then what is new lies behind what was
    std::array<uint32_t, most_banks> length{};
    uint32_t longest = 0;
    uint64_t next = 0;
    each_lane(lanes, [&](unsigned lane) {
      const uint64_t end = end_of(lane);
      for (uint64_t word = std::max(first_of(lane), next); word < end; ++word)
        longest = std::max(longest, ++length[bank_of(word)]);
      next = end;
    });
    return longest;
  }
  Banks all;
  each_lane(lanes, [&](unsigned lane) {
    for (uint64_t word = first_of(lane), end = end_of(lane); word < end; ++word)
      all.want(bank_of(word), word);
  });
  return all.longest();
}

// Lanes of an atomic operation are served one by one where they name one bank, be it one word.
uint32_t lanes_of_a_bank(const WarpAccess& access, LaneMask lanes, unsigned banks) {
  std::array<uint32_t, most_banks> count{};
  uint32_t longest = 0;
  const Remainder bank_of(banks);
  each_lane(lanes, [&](unsigned lane) {
    for (unsigned word = 0; word < std::max(1U, access.bytes / word_bytes); ++word)
      longest = std::max(longest, ++count[bank_of(access.addresses[lane] / word_bytes + word)]);
  });
  return longest;
}

// ---- capability 1.x: OpenCL Programming Guide C.3.3
// At each step one word is broadcast to all that read it, and of each other bank one lane is served. Which
// word is unspecified; here it is one of a bank with the most lanes left, and of that bank's the one with the
// most.
uint32_t broadcast_steps(const WarpAccess& access, LaneMask lanes, unsigned offset, unsigned banks) {
  const auto word_of = [&](unsigned lane) { return (access.addresses[lane] + offset) / word_bytes; };
  uint32_t steps = 0;
  for (LaneMask left = lanes; left != 0; ++steps) {
    std::array<uint32_t, most_banks> waiting{};
    each_lane(left, [&](unsigned lane) { ++waiting[word_of(lane) % banks]; });
    uint64_t broadcast = 0;
    std::pair<uint32_t, uint32_t> best{0, 0};
    each_lane(left, [&](unsigned lane) {
      uint32_t readers = 0;
      each_lane(left, [&](unsigned other) { readers += word_of(other) == word_of(lane); });
      const std::pair candidate{waiting[word_of(lane) % banks], readers};
      if (candidate > best) best = candidate, broadcast = word_of(lane);
    });
    std::array<bool, most_banks> busy{};
    busy[broadcast % banks] = true;
    each_lane(left, [&](unsigned lane) {
      const uint64_t word = word_of(lane);
      const bool served = word == broadcast || !busy[word % banks];
      if (word != broadcast) busy[word % banks] = true;
      if (served) left &= ~(LaneMask{1} << lane);
    });
  }
  return steps;
}

// Of lanes that write to one place, one does.
uint32_t written_steps(const WarpAccess& access, LaneMask lanes, unsigned offset, unsigned banks) {
  Banks places;
  each_lane(lanes, [&](unsigned lane) {
    const uint64_t address = access.addresses[lane] + offset;
    places.want(address / word_bytes % banks, address);
  });
  return places.longest();
}

BankAccess by_half_warps(const arch::Architecture& arch, const WarpAccess& access) {
  BankAccess out;
  const unsigned half = arch.memory.request_lanes, banks = arch.shared.banks;
  each_part(access.lanes, half, [&](unsigned, LaneMask lanes) {
    ++out.requests;
    // Words of more than 32 bits are as many accesses (C.3.3.4).
    for (unsigned offset = 0; offset < access.bytes; offset += word_bytes) {
      ++out.ideal;
      if (access.kind == AccessKind::load)
        out.wavefronts += broadcast_steps(access, lanes, offset, banks);
      else if (access.kind == AccessKind::store)
        out.wavefronts += written_steps(access, lanes, offset, banks);
    }
    if (access.kind == AccessKind::change) out.wavefronts += lanes_of_a_bank(access, lanes, banks);
  });
  return out;
}

// ---- capability 3.x: CUDA C Programming Guide G.4.3
// A bank serves 64 bits: one word of them, or two words of 32 bits that stand at one place in the halves of a
// segment of 64 words.
BankAccess by_wide_banks(const WarpAccess& access, unsigned banks, uint32_t bank_bytes) {
  BankAccess out{1, 0, 0};
  const unsigned parts = access.bytes > 8 ? access.bytes / 8 : 1;  // a bank gives 8 bytes to a lane
  each_part(access.lanes, warp_lanes / parts, [&](unsigned, LaneMask lanes) {
    Banks all;
    each_lane(lanes, [&](unsigned lane) {
      const uint64_t end = access.addresses[lane] + access.bytes;
      for (uint64_t at = access.addresses[lane] / bank_bytes * bank_bytes; at < end; at += bank_bytes)
        all.want(at / bank_bytes % banks, at / (uint64_t{banks} * 8));
    });
    out.wavefronts += all.longest();
    ++out.ideal;
  });
  return out;
}

// ---- capability 2.x, 5.0 and later
// Whether lanes that stand `distance` apart, where both are active, name the same place.
bool agree(const WarpAccess& access, unsigned distance) {
  bool good = true;
  each_lane(access.lanes, [&](unsigned lane) {
    const unsigned other = lane ^ distance;
    if ((access.lanes >> other & 1) != 0) good = good && access.addresses[lane] == access.addresses[other];
  });
  return good;
}

// Capability 2.x: to the most lanes of a quarter that disagree about a bank, one is to be added (G.3.3).
BankAccess by_quarters(const WarpAccess& access, unsigned banks) {
  BankAccess out{1, 0, 0};
  constexpr unsigned half = 16, quarter = 8;
  each_part(access.lanes, half, [&](unsigned, LaneMask lanes) {
    uint32_t most = 0;
    each_part(lanes, quarter,
              [&](unsigned, LaneMask part) { most = std::max(most, different_words(access, part, banks)); });
    ++out.ideal;
    out.wavefronts += 1 + most;
  });
  return out;
}

// Halves of a warp for words of 64 bits, quarters for 128. Since 5.0 two of them are served together when a
// load's lanes agree in pairs.
BankAccess by_parts(const arch::Architecture& arch, const WarpAccess& access) {
  const unsigned banks = arch.shared.banks;
  BankAccess out{1, 0, 0};
  if (access.kind == AccessKind::change) {
    out.wavefronts = lanes_of_a_bank(access, access.lanes, banks);
    out.ideal = 1;
    return out;
  }
  if (arch.capability.major < 5 && access.bytes == 16) return by_quarters(access, banks);
  unsigned of_part = warp_lanes / std::max(1U, access.bytes / word_bytes);
  if (of_part < warp_lanes && access.kind == AccessKind::load && arch.capability.major >= 5 &&
      (agree(access, 1) || agree(access, 2)))
    of_part *= 2;
  each_part(access.lanes, of_part, [&](unsigned, LaneMask lanes) {
    ++out.ideal;
    out.wavefronts += different_words(access, lanes, banks);
  });
  return out;
}

}  // namespace

BankAccess bank_access(const arch::Architecture& arch, const WarpAccess& access, uint32_t bank_bytes) {
  if (access.lanes == 0) return {};
  if (arch.memory.request_lanes < warp_lanes) return by_half_warps(arch, access);
  if (arch.has(arch::Feature::shared_bank_modes))
    return by_wide_banks(access, arch.shared.banks,
                         bank_bytes == 0 ? arch.shared.bank_bytes.front() : bank_bytes);
  return by_parts(arch, access);
}

}  // namespace heddle::model
