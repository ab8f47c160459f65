#include "timing/memory.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace heddle::timing {

namespace {

constexpr uint64_t nothing = ~uint64_t{0};

// 0 where there is none: every time is a miss.
std::size_t sets_for(uint64_t bytes, unsigned ways) { return std::max<uint64_t>(1, bytes / 128 / ways); }

// One of `count` by the upper half of a hash.
std::size_t scaled(uint64_t hash, std::size_t count) { return (hash >> 32) * count >> 32; }

uint32_t sectors_in(Sectors sectors) { return static_cast<uint32_t>(std::popcount(sectors)); }

unsigned shift_of(double bytes) {
  return static_cast<unsigned>(std::countr_zero(std::bit_floor(static_cast<uint64_t>(bytes))));
}

}  // namespace

uint64_t Cache::hash_of(uint64_t line) {
  line *= 0x9e3779b97f4a7c15ULL;
  line ^= line >> 32;
  line *= 0xd6e8feb86659fd93ULL;
  return line ^ line >> 32;
}

Cache::Cache(uint64_t bytes) : sets_(sets_for(bytes, ways)) {
  for (Set& set : sets_) set.lines.fill(nothing);
}

uint64_t Cache::dirty_bytes() const {
  uint64_t sectors = 0;
  for (const Set& set : sets_)
    for (const uint64_t line : set.lines)
      if (line != nothing) sectors += static_cast<uint64_t>(std::popcount(line >> dirty_at & 0xF));
  return sectors * 32;
}

// The line's entry, in front of its set.
uint64_t& Cache::touch(uint64_t line, uint64_t hash, Found& found) {
  std::array<uint64_t, ways>& lines = sets_[scaled(hash, sets_.size())].lines;
  unsigned at = 0;
  while (at + 1 < ways && lines[at] >> line_at != line) ++at;
  uint64_t entry = lines[at];
  if (entry >> line_at != line) {
    if (entry != nothing) {
      found.evicted = static_cast<Sectors>(entry >> dirty_at & 0xF);
      found.filled = static_cast<Sectors>(entry >> partial_at & 0xF);
      found.evicted_line = entry >> line_at;
    }
    entry = line << line_at;
  }
  for (; at > 0; --at) lines[at] = lines[at - 1];
  lines[0] = entry;
  return lines[0];
}

Cache::Found Cache::load(uint64_t line, uint64_t hash, Sectors asked, Sectors with) {
  Found found;
  uint64_t& entry = touch(line, hash, found);
  found.missing = static_cast<Sectors>(asked & (~entry | entry >> partial_at));
  entry |= asked | with;
  entry &= ~(uint64_t{found.missing} << partial_at);
  return found;
}

Cache::Found Cache::store(uint64_t line, uint64_t hash, Sectors asked, Sectors partial) {
  Found found;
  uint64_t& entry = touch(line, hash, found);
  found.missing = static_cast<Sectors>(asked & ~entry);
  const uint64_t left = partial & ~entry;
  entry =
      (entry & ~(uint64_t{asked} << partial_at)) | left << partial_at | uint64_t{asked} << dirty_at | asked;
  return found;
}

bool Memory::OpenRows::find(uint64_t row) {
  const auto bucket = [](uint64_t of) { return (of ^ of >> 7) % buckets; };
  const std::size_t b = bucket(row);
  if (rows_of_[b] != 0) {
    if (rows_[last_of_[b]] == row) return true;
    if (rows_of_[b] > 1 && std::find(rows_.begin(), rows_.end(), row) != rows_.end()) return true;
  }
  uint64_t& place = rows_[next_];
  if (place != 0) --rows_of_[bucket(place)];
  place = row;
  ++rows_of_[b];
  last_of_[b] = static_cast<uint8_t>(next_);
  next_ = next_ + 1 == rows_.size() ? 0 : next_ + 1;
  return false;
}

Memory::Memory(const Machine& machine, uint64_t l1_bytes)
    : m_(machine),
      l2_(machine.l2_bytes),
      ports_(machine.multiprocessors),
      slices_(machine.l2_slices),
      channels_(machine.channels),
      atomics_(machine.l2_slices),
      port_sector_(static_cast<Ticks>(32 / machine.port_bytes)),
      piece_shift_(shift_of(machine.constants->partition_bytes)),
      row_shift_(shift_of(machine.constants->row)),
      pairs_(machine.constants->burst >= 64) {
  for (std::size_t n = 0; n < transfer_.size(); ++n)
    transfer_[n] = static_cast<Ticks>(std::llround(static_cast<double>(n) * 32 / machine.channel_bytes));
  if (m_.texture_bytes != 0)
    textures_.resize((machine.multiprocessors - 1) / m_.per_texture_cache + 1, Cache(m_.texture_bytes));
  if (m_.l1_latency != 0) l1_.resize(machine.multiprocessors, Cache(l1_bytes));
}

Ticks Memory::access(uint32_t multiprocessor, Ticks time, const Event& event, const Part* parts,
                     bool past_l1) {
  Ticks done = time;
  for (uint16_t i = 0; i < event.parts;) {
    const bool of_host = parts[i].of_host != 0;
    if (!of_host && event.kind == Event::Kind::change) {
      done = std::max(done, change(time, parts[i++], std::max<uint32_t>(1, event.wavefronts)));
      continue;
    }
    if (!of_host && m_.l2_latency == 0) {
      done = std::max(done, uncached(multiprocessor, time, event, parts[i++]));
      continue;
    }
    const uint64_t line = parts[i].address / 4;
    Sectors sectors = 0, partial = 0;
    for (; i < event.parts && parts[i].address / 4 == line && (parts[i].of_host != 0) == of_host; ++i) {
      const auto of_part = static_cast<Sectors>(((1U << parts[i].sectors) - 1) << parts[i].address % 4);
      sectors |= of_part;
      if (parts[i].partial != 0) partial |= of_part;
    }
    done = std::max(done, of_host ? over_bus(multiprocessor, time, event.kind, line, sectors, partial)
                          : event.kind != Event::Kind::load ? store(time, line, sectors, partial)
                          : past_l1 ? load_past_l1(multiprocessor, time, line, Cache::hash_of(line), sectors)
                                    : load(multiprocessor, time, line, sectors));
  }
  return done;
}

// Packets of the bus. As on an H200 (tests/hw/h200/textures): a load moves 64 bytes at least, what is not a
// whole sector is stored word by word, and the L2 cache keeps nothing of it, nor does a device without caches
// (CUDA C Best Practices Guide 3.1.3).
Ticks Memory::over_bus(uint32_t multiprocessor, Ticks time, Event::Kind kind, uint64_t line, Sectors sectors,
                       Sectors partial) {
  constexpr uint32_t header = 24, least = 64, word = 126;
  const auto take = [&](std::size_t direction, uint32_t bytes) {
    const auto busy = static_cast<Ticks>(std::llround(bytes / m_.host_bytes));
    bus_busy_[direction] += busy;
    return reserve(bus_[direction], time, busy);
  };
  if (kind != Event::Kind::load && kind != Event::Kind::look) {
    const uint32_t whole = sectors_in(static_cast<Sectors>(sectors & ~partial));
    const Ticks stored = take(1, (whole != 0 ? whole * 32 + header : 0) + sectors_in(partial) * word);
    last_change_ = std::max(last_change_, stored);
    if (kind == Event::Kind::store) return stored;
  } else if (!l1_.empty()) {
    sectors = l1_[multiprocessor].load(line, Cache::hash_of(line), sectors, 0).missing;
    if (sectors == 0) return time + m_.l1_latency;
  }
  return take(0, std::max(sectors_in(sectors) * 32, least) + header) + m_.host_latency;
}

Ticks Memory::look(uint32_t multiprocessor, Ticks time, const Event& event, const Part* parts) {
  Ticks done = time + m_.texture_latency;
  for (uint16_t i = 0; i < event.parts; ++i) {
    const Part& part = parts[i];
    const uint64_t line = part.address / 4, hash = Cache::hash_of(line);
    const auto sector = static_cast<Sectors>(1U << part.address % 4);
    if (!textures_.empty() &&
        textures_[multiprocessor / m_.per_texture_cache].load(line, hash, sector, 0).missing == 0)
      continue;
    done = std::max(done, part.of_host != 0    ? over_bus(multiprocessor, time, event.kind, line, sector, 0)
                          : m_.l2_latency == 0 ? uncached(multiprocessor, time, event, part)
                                               : load_past_l1(multiprocessor, time, line, hash, sector));
  }
  return done;
}

Ticks Memory::uncached(uint32_t multiprocessor, Ticks time, const Event& event, const Part& part) {
  const auto sectors = static_cast<uint32_t>(part.sectors);
  if (event.kind == Event::Kind::store) return channel(time, part.address * 32, sectors * 32, true);
  Ticks& port = ports_[multiprocessor];
  port = std::max(port, time) + port_sector_ * sectors;
  busy_.ports += port_sector_ * sectors;
  return std::max(channel(time, part.address * 32, sectors * 32, false), port) + m_.memory_latency;
}

Ticks Memory::load(uint32_t multiprocessor, Ticks time, uint64_t line, Sectors asked) {
  const uint64_t hash = Cache::hash_of(line);
  Ticks done = time;
  if (!l1_.empty()) {
    const Sectors missing = l1_[multiprocessor].load(line, hash, asked, 0).missing;
    if (missing != asked) done = time + m_.l1_latency;
    if (missing == 0) return done;
    asked = missing;
  }
  return std::max(done, load_past_l1(multiprocessor, time, line, hash, asked));
}

Ticks Memory::load_past_l1(uint32_t multiprocessor, Ticks time, uint64_t line, uint64_t hash, Sectors asked) {
  Ticks done = time;
  const uint32_t count = sectors_in(asked);
  Ticks& port = ports_[multiprocessor];
  port = std::max(port, time) + port_sector_ * count;
  busy_.ports += port_sector_ * count;
  const Ticks at = std::max(slice(time, hash, count), port);
  const Cache::Found found = l2_.load(line, hash, asked, bursts(asked));
  if (found.missing != asked) done = std::max(done, at + m_.l2_latency);
  if (found.missing != 0)
    done = std::max(
        done, channel(at, line * 128, sectors_in(bursts(found.missing)) * 32, false) + m_.memory_latency);
  write_back(at, found);
  return done;
}

Ticks Memory::store(Ticks time, uint64_t line, Sectors sectors, Sectors partial) {
  const uint64_t hash = Cache::hash_of(line);
  const Ticks done = slice(time, hash, sectors_in(sectors));
  return write_back(done, l2_.store(line, hash, sectors, partial));
}

Ticks Memory::write_back(Ticks time, const Cache::Found& found) {
  const uint64_t address = found.evicted_line * 128;
  if (found.filled != 0) time = std::max(time, channel(time, address, sectors_in(found.filled) * 32, false));
  if (found.evicted != 0) time = std::max(time, channel(time, address, sectors_in(found.evicted) * 32, true));
  return time;
}

Ticks Memory::change(Ticks time, const Part& part, uint32_t times) {
  Ticks& word = words_[part.address];
  word = std::max(word, time) + m_.atomic * times;
  if (m_.l2_latency == 0)
    return std::max(channel(time, part.address * 32, 32, true), word) + m_.memory_latency;
  // A slice does them sector by sector, and of a word one after another.
  const uint64_t line = part.address / 4, hash = Cache::hash_of(line);
  const std::size_t number = slice_of(hash);
  const Ticks busy = std::min(m_.l2_sector, m_.atomic) * times;
  busy_.slices += busy;
  atomics_[number] += busy;
  const Ticks at = std::max(reserve(slices_[number], time, busy), word);
  last_change_ = std::max(last_change_, at);
  const auto sector = static_cast<Sectors>(1U << part.address % 4);
  const bool hit = l2_.store(line, hash, sector, 0).missing == 0;
  return hit ? at + m_.l2_latency
             : channel(at, line * 128, sectors_in(bursts(sector)) * 32, false) + m_.memory_latency;
}

// Requests come here in the order in which warps are looked at, not quite in the order of their times: one
// that is early may use what a later one left idle, so far back as a queue reaches.
Ticks Memory::reserve(Ticks& free, Ticks time, Ticks busy) const {
  const Ticks reach = m_.memory_latency;
  free = std::max(free, time > reach ? time - reach : 0) + busy;
  return std::max(free, time + busy);
}

std::size_t Memory::slice_of(uint64_t hash) const { return scaled(hash, slices_.size()); }

Sectors Memory::bursts(Sectors sectors) const {
  if (!pairs_) return sectors;
  const unsigned first = (sectors | sectors >> 1) & 0b0101U;
  return static_cast<Sectors>(first | first << 1);
}

Memory::Busy Memory::busy() const {
  Busy busy = busy_;
  for (const Ticks of_slice : atomics_) busy.atomics = std::max(busy.atomics, of_slice);
  busy.bus = std::max(bus_busy_[0], bus_busy_[1]);
  return busy;
}

Ticks Memory::slice(Ticks time, uint64_t hash, uint32_t sectors) {
  busy_.slices += m_.l2_sector * sectors;
  return reserve(slices_[slice_of(hash)], time, m_.l2_sector * sectors);
}

// Rows are opened one by one; a controller puts requests to an open row side by side, which the rows of the
// last requests stand for.
Ticks Memory::channel(Ticks time, uint64_t address, uint32_t bytes, bool write) {
  const uint64_t number = address >> piece_shift_;
  // Up to capability 1.3 partitions have their turn in order, which programs can see; later ones are mixed.
  Channel& c = channels_[m_.l2_latency == 0 && !m_.left_out.partitions
                             ? number % channels_.size()
                             : scaled(Cache::hash_of(number), channels_.size())];
  const uint64_t in_piece = address - (number << piece_shift_);
  const uint64_t row = ((((number / channels_.size()) << piece_shift_) + in_piece) >> row_shift_) + 1;
  Ticks busy = transfer_[bytes / 32];
  if (write && bytes <= m_.constants->burst) busy = std::max(busy, m_.partial_write);
  if (write != c.writing) busy += m_.write_gap;
  c.writing = write;
  Ticks start = time;
  if (!c.rows.find(row)) start = reserve(c.row_free, time, m_.row_time) - m_.row_time;
  busy_.channels += busy;
  busy_.bytes += bytes;
  return reserve(c.free, start, busy);
}

}  // namespace heddle::timing
