// Registers by their numbers. An assembler gives pairs and vectors aligned ones, and the data of stores odd
// ones, so that they come from another bank than the address, as long as that costs no resident warps.
#include <algorithm>

#include "analysis/registers/code.h"

namespace heddle::analysis::registers {

namespace {

using module::none;

constexpr uint32_t stack_pointer = 1;            // its register
constexpr std::size_t most_conflicts = 4000000;  // what is kept at once
constexpr uint32_t most_registers = 1024;
// Seen in kernels that store and load in turn.
constexpr uint32_t waits_between = 2;
constexpr uint32_t longest_read = 10;     // operations until what an access reads is read without any wait
constexpr uint32_t shortest_access = 24;  // clocks

class Allocation {
 public:
  Allocation(const Code& code, const std::vector<std::vector<uint32_t>>& live)
      : code_(code),
        live_(live),
        conflicts_(code.width.size()),
        place_(code.width.size(), none),
        vector_of_(code.width.size(), none),
        readers_(code.width.size()),
        is_live_(code.width.size()) {}

  std::optional<uint32_t> run() {
    if (!find_conflicts()) return std::nullopt;
    for (uint32_t v = 0; v < code_.vectors.size(); ++v) {
      const auto& list = code_.vectors[v];
      if (std::any_of(list.begin(), list.end(), [&](uint32_t x) { return vector_of_[x] != none; })) continue;
      for (const uint32_t x : list) vector_of_[x] = v;
    }
    for (uint32_t i = 0; i < code_.operations.size(); ++i) {
      const auto uses = code_.uses(code_.operations[i]);
      for (std::size_t k = 0; uses.size() > 1 && k < uses.size(); ++k) readers_[uses[k]].push_back(i);
    }
    // Pairs and vectors first, which are harder to place.
    std::vector<uint32_t> singles;
    std::erase_if(order_, [&](uint32_t value) {
      const bool single = code_.width[value] == 1 && vector_of_[value] == none;
      if (single) singles.push_back(value);
      return single;
    });
    order_.insert(order_.end(), singles.begin(), singles.end());
    for (const uint32_t value : order_)
      if (place_[value] == none) place(value);
    for (const auto& [occupied, besides] : with_temporaries_) {
      uint32_t used = besides + 1;
      for (const uint32_t value : occupied) used += code_.width[value];
      end_ = std::max(end_, used);
    }
    return end_;
  }

 private:
  // Each value conflicts with those that are live where it is defined.
  bool find_conflicts() {
    std::vector<bool> known(code_.width.size());
    std::size_t count = 0;
    std::vector<uint32_t> set;
    for (uint32_t block = 0; block < code_.blocks.size(); ++block) {
      const auto add = [&](uint32_t value) {
        if (is_live_[value] || code_.width[value] == 0) return;
        is_live_[value] = true;
        set.push_back(value);
      };
      const auto remove = [&](uint32_t value) {
        if (!is_live_[value]) return;
        is_live_[value] = false;
        set.erase(std::find(set.begin(), set.end(), value));
      };
      for (const uint32_t to : code_.successors[block])
        for (const uint32_t value : live_[to]) add(value);
      for (uint32_t i = code_.blocks[block].end; i-- > code_.blocks[block].first;) {
        const Operation& o = code_.operations[i];
        for (const uint32_t value : code_.definitions(o)) add(value);
        for (const uint32_t value : code_.definitions(o)) {
          if (code_.width[value] == 0) continue;
          for (const uint32_t other : set)
            if (other != value) conflict(value, other);
          count += set.size();
          if (count > most_conflicts) return false;
        }
        if (o.temporaries != 0) with_temporaries_.emplace_back(set, o.temporaries);
        if (!o.guarded)
          for (const uint32_t value : code_.definitions(o)) remove(value);
        for (const uint32_t value : code_.uses(o)) add(value);
        if (o.temporaries != 0) with_temporaries_.emplace_back(set, o.temporaries);
      }
      for (const uint32_t value : set) is_live_[value] = false;
      set.clear();
    }
    extend();
    const auto next = [&](uint32_t value) {
      if (known[value] || code_.width[value] == 0) return;
      known[value] = true;
      order_.push_back(value);
    };
    if (!live_.empty())
      for (const uint32_t value : live_[0]) next(value);
    for (const Range& range : code_.blocks)
      for (uint32_t i = range.first; i < range.end; ++i)
        for (const uint32_t value : code_.definitions(code_.operations[i])) next(value);
    return true;
  }

  // What an access reads may still be on its way when the next instruction is issued: an assembler gives its
  // registers to others only when it has waited for what was loaded later.
  void extend() {
    struct Kept {
      uint32_t value, waits, at;
    };
    std::vector<Kept> kept;
    std::vector<uint32_t> last(code_.width.size(), none);     // operation that reads it
    std::vector<uint32_t> awaited(code_.width.size(), none);  // block that loads it
    for (uint32_t block = 0; block < code_.blocks.size(); ++block) {
      kept.clear();
      uint32_t waits = 0;
      const Range range = code_.blocks[block];
      for (uint32_t i = range.first; i < range.end; ++i)
        for (const uint32_t value : code_.uses(code_.operations[i])) last[value] = i;
      for (const uint32_t to : code_.successors[block])
        for (const uint32_t value : live_[to]) last[value] = none;
      for (uint32_t i = range.first; i < range.end; ++i) {
        const Operation& o = code_.operations[i];
        bool loaded = false;
        for (const uint32_t value : code_.uses(o))
          if (awaited[value] == block) awaited[value] = none, loaded = true;
        waits += loaded;
        std::erase_if(kept, [&](const Kept& k) {
          return waits - k.waits >= waits_between || i - k.at >= longest_read;
        });
        for (const uint32_t value : code_.definitions(o))
          for (const Kept& k : kept)
            if (k.value != value && code_.width[value] != 0) conflict(value, k.value);
        if (o.latency < shortest_access && o.memory == Memory::none) continue;
        for (const uint32_t value : code_.uses(o))
          if (last[value] == i && code_.width[value] != 0) kept.push_back({value, waits, i});
        for (const uint32_t value : code_.definitions(o)) awaited[value] = block;
      }
    }
  }
  void conflict(uint32_t a, uint32_t b) {
    conflicts_[a].push_back(b);
    conflicts_[b].push_back(a);
  }

  // Takes the lowest registers that are free all the time.
  void place(uint32_t value) {
    const uint32_t vector = vector_of_[value];
    members_.assign(1, value);
    if (vector != none) members_ = code_.vectors[vector];
    uint32_t size = 0;
    for (const uint32_t x : members_) size += code_.width[x];
    uint32_t alignment = 1;
    while (alignment < size) alignment *= 2;
    taken_.assign(most_registers + 8, false);
    taken_[stack_pointer] = true;
    uint32_t at = 0;
    // Per member: what it conflicts with, moved to the vector's first register.
    for (const uint32_t x : members_) {
      for (const uint32_t other : conflicts_[x])
        for (uint32_t k = 0; place_[other] != none && k < code_.width[other]; ++k) {
          const uint32_t r = place_[other] + k;
          for (uint32_t m = 0; m < code_.width[x]; ++m)
            if (r >= at + m && r - at - m < most_registers) taken_[r - at - m] = true;
        }
      for (uint32_t m = 0; m < code_.width[x]; ++m)
        if (stack_pointer >= at + m) taken_[stack_pointer - at - m] = true;
      at += code_.width[x];
    }
    const std::optional<uint32_t> parity = size == 1 ? wished_parity(value) : std::nullopt;
    uint32_t r = parity.value_or(0);
    const uint32_t step = parity ? 2 : alignment;
    while (r < most_registers && taken_[r]) r += step;
    for (const uint32_t x : members_) {
      place_[x] = r;
      r += code_.width[x];
    }
    end_ = std::max(end_, r);
  }

  // The parity that has the sources of most of the operations that read the value in both banks.
  std::optional<uint32_t> wished_parity(uint32_t value) const {
    int odd = 0;
    for (const uint32_t i : readers_[value]) {
      uint32_t others = 0, odd_ones = 0, open = 0;
      for (const uint32_t other : code_.uses(code_.operations[i])) {
        if (other == value || code_.width[other] == 0) continue;
        if (place_[other] == none && code_.width[other] == 1) {
          ++open;
          continue;
        }
        ++others;
        if (place_[other] != none) odd_ones += place_[other] % 2;
      }
      if (open != 0 || others == 0) continue;
      if (odd_ones == 0) ++odd;
      if (odd_ones == others) --odd;
    }
    if (odd == 0) return std::nullopt;
    return odd > 0 ? 1 : 0;
  }

  const Code& code_;
  const std::vector<std::vector<uint32_t>>& live_;
  std::vector<std::vector<uint32_t>> conflicts_;
  std::vector<uint32_t> place_, vector_of_, order_, members_;
  std::vector<std::vector<uint32_t>> readers_;  // operations that read a value and others
  std::vector<bool> is_live_, taken_;
  std::vector<std::pair<std::vector<uint32_t>, uint32_t>> with_temporaries_;
  uint32_t end_ = stack_pointer + 1;
};

}  // namespace

std::optional<uint32_t> allocate(const Code& code, const std::vector<std::vector<uint32_t>>& live) {
  return Allocation(code, live).run();
}

}  // namespace heddle::analysis::registers
