#include "timing/memory.h"

#include <algorithm>
#include <cmath>

namespace heddle::timing {

namespace {

uint64_t mixed(uint64_t x) {
  x ^= x >> 31;
  x *= 0x9e3779b97f4a7c15ULL;
  return x ^ x >> 29;
}

// 0 where there is none: every time is a miss.
std::size_t sets_for(uint64_t bytes, unsigned ways) { return std::max<uint64_t>(1, bytes / 128 / ways); }

}  // namespace

Cache::Cache(uint64_t bytes) : sets_(sets_for(bytes, ways)) { lines_.resize(sets_ * ways); }

std::size_t Cache::set_of(uint64_t line) const { return mixed(line) % sets_ * ways; }

uint64_t Cache::dirty_bytes() const {
  uint64_t bytes = 0;
  for (const Line& line : lines_) bytes += static_cast<uint64_t>(__builtin_popcount(line.dirty)) * 32;
  return bytes;
}

bool Cache::access(uint64_t sector, bool write, uint32_t& evicted) {
  const uint64_t tag = sector / 4;
  const auto bit = static_cast<uint8_t>(1U << sector % 4);
  Line* set = &lines_[set_of(tag)];
  Line* line = set;
  for (unsigned w = 0; w < ways; ++w) {
    if (set[w].tag == tag) {
      line = &set[w];
      break;
    }
    if (set[w].used < line->used) line = &set[w];
  }
  if (line->tag != tag) {
    evicted += static_cast<uint32_t>(__builtin_popcount(line->dirty));
    *line = {tag, 0, 0, 0};
  }
  line->used = ++now_;
  const bool hit = (line->valid & bit) != 0;
  line->valid |= bit;
  if (write) line->dirty |= bit;
  return hit;
}

Memory::Memory(const Machine& machine, uint64_t l1_bytes)
    : m_(machine),
      l2_(machine.device->dram.l2_bytes),
      ports_(machine.multiprocessors),
      slices_(machine.l2_slices),
      channels_(machine.channels),
      atomics_(machine.l2_slices) {
  if (m_.l1_latency != 0) l1_.resize(machine.multiprocessors, Cache(l1_bytes));
}

Ticks Memory::access(uint32_t multiprocessor, Ticks time, const Event& event, const Part* parts) {
  Ticks done = time;
  for (uint16_t i = 0; i < event.parts; ++i) {
    const Part& part = parts[i];
    switch (event.kind) {
      case Event::Kind::load: done = std::max(done, load(multiprocessor, time, part)); break;
      case Event::Kind::store: done = std::max(done, store(time, part)); break;
      default: done = std::max(done, change(time, part, std::max<uint32_t>(1, event.wavefronts))); break;
    }
  }
  return done;
}

Ticks Memory::load(uint32_t multiprocessor, Ticks time, const Part& part) {
  const auto bytes = static_cast<uint32_t>(part.sectors) * 32;
  if (m_.l2_latency == 0) {
    Ticks& port = ports_[multiprocessor];
    port = std::max(port, time) + static_cast<Ticks>(bytes / m_.port_bytes);
    busy_.ports += static_cast<Ticks>(bytes / m_.port_bytes);
    return std::max(channel(time, part.address * 32, bytes, false), port) + m_.memory_latency;
  }
  Ticks done = time;
  for (uint64_t sector = part.address; sector < part.address + part.sectors; ++sector) {
    uint32_t none = 0;
    if (!l1_.empty() && l1_[multiprocessor].access(sector, false, none)) {
      done = std::max(done, time + m_.l1_latency);
      continue;
    }
    const auto transfer = static_cast<Ticks>(32 / m_.port_bytes);
    Ticks& port = ports_[multiprocessor];
    port = std::max(port, time) + transfer;
    busy_.ports += transfer;
    Ticks at = std::max(slice(time, sector, 1), port);
    uint32_t evicted = 0;
    if (l2_.access(sector, false, evicted)) {
      at += m_.l2_latency;
    } else {
      at = channel(at, sector * 32, 32, false) + m_.memory_latency;
    }
    if (evicted != 0) channel(at, sector * 32, evicted * 32, true);
    done = std::max(done, at);
  }
  return done;
}

Ticks Memory::store(Ticks time, const Part& part) {
  const auto bytes = static_cast<uint32_t>(part.sectors) * 32;
  if (m_.l2_latency == 0) return channel(time, part.address * 32, bytes, true);
  Ticks done = slice(time, part.address, static_cast<uint32_t>(part.sectors));
  for (uint64_t sector = part.address; sector < part.address + part.sectors; ++sector) {
    uint32_t evicted = 0;
    l2_.access(sector, true, evicted);
    if (evicted != 0) done = std::max(done, channel(done, sector * 32, evicted * 32, true));
  }
  return done;
}

Ticks Memory::change(Ticks time, const Part& part, uint32_t times) {
  Ticks& word = words_[part.address];
  word = std::max(word, time) + m_.atomic * times;
  if (m_.l2_latency == 0)
    return std::max(channel(time, part.address * 32, 32, true), word) + m_.memory_latency;
  // A slice does them sector by sector, and of a word one after another.
  const std::size_t number = slice_of(part.address);
  const Ticks busy = std::min(m_.l2_sector, m_.atomic) * times;
  busy_.slices += busy;
  atomics_[number] += busy;
  const Ticks at = std::max(reserve(slices_[number], time, busy), word);
  last_change_ = std::max(last_change_, at);
  uint32_t evicted = 0;
  const bool hit = l2_.access(part.address, true, evicted);
  return hit ? at + m_.l2_latency : channel(at, part.address * 32, 32, false) + m_.memory_latency;
}

// Requests come here in the order in which warps are looked at, not quite in the order of their times: one
// that is early may use what a later one left idle, so far back as a queue reaches.
Ticks Memory::reserve(Ticks& free, Ticks time, Ticks busy) const {
  const Ticks reach = m_.memory_latency;
  free = std::max(free, time > reach ? time - reach : 0) + busy;
  return std::max(free, time + busy);
}

std::size_t Memory::slice_of(uint64_t sector) const { return mixed(sector / 4) % slices_.size(); }

Memory::Busy Memory::busy() const {
  Busy busy = busy_;
  for (const Ticks of_slice : atomics_) busy.atomics = std::max(busy.atomics, of_slice);
  return busy;
}

Ticks Memory::slice(Ticks time, uint64_t sector, uint32_t sectors) {
  busy_.slices += m_.l2_sector * sectors;
  return reserve(slices_[slice_of(sector)], time, m_.l2_sector * sectors);
}

// Rows are opened one by one; a controller puts requests to an open row side by side, which the rows of the
// last requests stand for.
Ticks Memory::channel(Ticks time, uint64_t address, uint32_t bytes, bool write) {
  const auto piece = static_cast<uint64_t>(m_.constants->partition_bytes);
  const uint64_t number = address / piece;
  // Up to capability 1.3 partitions have their turn in order, which programs can see; later ones are mixed.
  const uint64_t mixed_number = m_.l2_latency == 0 ? number : mixed(number);
  Channel& c = channels_[mixed_number % channels_.size()];
  const uint64_t row =
      (number / channels_.size() * piece + address % piece) / static_cast<uint64_t>(m_.constants->row) + 1;
  const auto burst = std::max(bytes, static_cast<uint32_t>(m_.constants->burst));
  auto busy = static_cast<Ticks>(std::llround(burst / m_.channel_bytes));
  if (write && bytes <= m_.constants->burst) busy = std::max(busy, m_.partial_write);
  if (write != c.writing) busy += m_.write_gap;
  c.writing = write;
  Ticks start = time;
  if (std::find(c.rows.begin(), c.rows.end(), row) == c.rows.end()) {
    start = reserve(c.row_free, time, m_.row_time) - m_.row_time;
    c.rows[c.next++ % c.rows.size()] = row;
  }
  busy_.channels += busy;
  busy_.bytes += burst;
  return reserve(c.free, start, busy);
}

}  // namespace heddle::timing
