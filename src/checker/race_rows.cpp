// Accesses of lanes that stand one behind the other, or all at one place: most are. What race_launch.cpp does
// cell by cell is done here for all of them, where nobody was there before whom it would have to look at.
#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "checker/race_detector.h"

namespace heddle::checker {

// The lanes in runs: neighbours whose addresses follow each other, or are the same.
void LaunchRaces::access_runs(const Now& now, const observe::Access& access) {
  const uint64_t* addresses = access.addresses;
  constexpr int fewest = 3;  // that pay for a look at all cells between
  if (access.lanes != ~uint32_t{0} && std::popcount(access.lanes) >= fewest && access.bytes >= 4 &&
      access.bytes <= 16 && std::has_single_bit(access.bytes) &&
      rows_.is_row(addresses, access.lanes, access.bytes))
    return access_some(now, access);
  observe::Mask scattered = 0;  // lanes before the next run, in none
  const auto end_scattered = [&] {
    if (scattered != 0) access_scattered(now, access, std::exchange(scattered, 0));
  };
  for (observe::Mask rest = access.lanes; rest != 0;) {
    const auto first = static_cast<unsigned>(std::countr_zero(rest));
    const unsigned most = static_cast<unsigned>(std::countr_one(rest >> first));
    const uint64_t step = most > 1 ? addresses[first + 1] - addresses[first] : 0;
    unsigned count = 1;
    while (count < most && addresses[first + count] == addresses[first] + count * step) ++count;
    if (step != access.bytes && (step != 0 || now.writes)) count = 1;
    rest &= first + count == 32 ? 0 : ~uint32_t{0} << (first + count);
    constexpr unsigned few = 8;  // less is no row
    if (count == 1 || (count < few && step != 0 && access.bytes >= 4)) {
      scattered |= (~uint32_t{0} >> (32 - count)) << first;
      continue;
    }
    end_scattered();
    const uint64_t in_page = (RacePage::bytes - addresses[first] % RacePage::bytes) / access.bytes;
    for (unsigned done = 0; done < count;) {
      const unsigned lane = first + done;
      const unsigned now_count =
          step == 0 ? count
                    : static_cast<unsigned>(std::min<uint64_t>(count - done, done == 0 ? in_page : count));
      if (now_count <= 1 || !(step == 0 ? read_together(now, lane, count, addresses[lane], access.bytes)
                                        : access_row(now, lane, now_count, addresses[lane], access.bytes)))
        access_scattered(now, access, (~uint32_t{0} >> (32 - std::max(now_count, 1U))) << lane);
      done += std::max(now_count, 1U);
    }
  }
  end_scattered();
}

void LaunchRaces::access_some(const Now& now, const observe::Access& access) {
  for (observe::Mask rest = access.lanes; rest != 0;) {
    const auto first = static_cast<unsigned>(std::countr_zero(rest));
    const uint64_t begin = access.addresses[first];
    const uint64_t in_page = (RacePage::bytes - begin % RacePage::bytes) / access.bytes;
    observe::Mask lanes = rest >> first;
    if (in_page < 32) lanes &= (uint32_t{1} << std::max<uint64_t>(in_page, 1)) - 1;
    rest &= ~(lanes << first);
    RacePage* page = this->page(now.block, now.space, begin);
    if (page == nullptr) continue;
    if (page->by_bytes()) {
      access_scattered(now, access, lanes << first);
      continue;
    }
    const auto count = static_cast<unsigned>(std::bit_width(lanes));
    const auto offset = static_cast<uint32_t>(begin % RacePage::bytes);
    page->expand(offset, count * access.bytes);
    const uint32_t cells_of_lane = access.bytes / page->cell_bytes(), cell = page->cell_of(offset);
    rows::Row row = row_of(now, *page, cell, first, count, cells_of_lane);
    row.lanes = lanes;
    if (!(now.writes ? rows_.write(row) : rows_.read(row)) && !access_met(now, *page, row, begin))
      access_scattered(now, access, lanes << first);
    else if (now.writes)
      page->wrote(now.segment);
    else
      page->read(now.segment);
  }
}

// Of cells from there on.
rows::Row LaunchRaces::row_of(const Now& now, RacePage& page, uint32_t cell, unsigned first_lane,
                              unsigned lanes, uint32_t cells_of_lane) {
  return {.writer = &page.writers(0)[cell].bits,
          .writer_before = &page.writers(1)[cell].bits,
          .reader = &page.readers(0)[cell].bits,
          .other_reader = &page.readers(1)[cell].bits,
          .cells = lanes * cells_of_lane,
          .lane_shift = static_cast<uint32_t>(std::countr_zero(cells_of_lane)),
          .mark = Mark::of(now.segment, now.warp_index * 32 + first_lane, now.place).bits,
          .ordered_below = uint64_t{now.ordered_below} << 32,
          .unwritten = page.newest_writer() < now.ordered_below,
          .unread = page.newest_reader() < now.ordered_below,
          .single = page.newest_before() < now.ordered_below};
}

bool LaunchRaces::access_met(const Now& now, RacePage& page, const rows::Row& row, uint64_t begin) {
  if ((now.reads && now.writes) || !judges_alike(now)) return false;
  struct Group {
    unsigned which = 0;
    rows::Met met;
  };
  std::array<Group, 12> groups;
  std::size_t count = 0;
  for (unsigned which = 0; which < (now.writes ? 4U : 2U); ++which)
    for (uint64_t below = ~uint64_t{0};;) {
      const rows::Met met = rows_.meet(row, static_cast<rows::Kind>(which), now.writes, below);
      if (met.cells == 0) break;
      below = met.first;
      const RaceDetector::Segment* segment = detector_.segment(Mark{met.first}.segment());
      if (segment == nullptr) continue;
      if (segment->moment == not_done || segment->section != 0 || count == groups.size()) return false;
      const bool same_block = segment->launch == number_ && segment->block == now.block.number;
      if (same_block && met.others == 0) continue;
      groups[count++] = {which, met};
    }
  cell_bytes_ = page.cell_bytes();
  const std::array<const uint64_t*, 4> marks{row.writer, row.writer_before, row.reader, row.other_reader};
  const auto first_thread = Mark{row.mark}.thread();
  for (const Group& group : std::span(groups.data(), count)) {
    // One is judged, and all others with it.
    const auto look_at_cell = [&](uint32_t cell) {
      look(now, group.which, Mark{marks[group.which][cell]}, begin + uint64_t{cell} * cell_bytes_,
           first_thread + (cell >> row.lane_shift), now.segment);
    };
    look_at_cell(group.met.other_cell);
    Now::Last& last = now.last[group.which];
    if (last.first == group.met.first && last.segment == now.segment) {
      const uint32_t cells = last.same_block ? group.met.others : group.met.cells;
      if (last.found != nullptr)
        last.hazards += uint64_t{cells - 1} * std::min(now.hazard_bytes, cell_bytes_);
      continue;
    }
    for (uint32_t cell = 0; cell < row.cells; ++cell) {
      const uint64_t mark = marks[group.which][cell],
                     own = row.mark + (uint64_t{cell >> row.lane_shift} << rows::thread_shift);
      const bool counts = (row.lanes >> (cell >> row.lane_shift) & 1) != 0 && cell != group.met.other_cell &&
                          (now.writes ? row.writer : row.reader)[cell] != own &&
                          (mark & ~(uint64_t{31} << rows::thread_shift)) == group.met.first;
      if (counts) look_at_cell(cell);
    }
  }
  if (now.writes) {
    page.wrote(now.segment);
    page.wrote_before(Mark{rows_.overwrite(row)}.segment());
    return true;
  }
  rows::Row unwritten = row;
  unwritten.unwritten = true;
  page.read(now.segment);
  return rows_.read(unwritten);
}

// Lanes that stand anywhere, each at a place of its own mostly.
void LaunchRaces::access_scattered(const Now& now, const observe::Access& access, observe::Mask lanes) {
  if (access.bytes < 4 || !std::has_single_bit(access.bytes)) {
    for (; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      access_one(now, lane, access.addresses[lane], access.bytes);
    }
    return;
  }
  uint64_t number = ~uint64_t{0};
  RacePage* page = nullptr;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    const uint64_t address = access.addresses[lane];
    if (address / RacePage::bytes != number) {
      number = address / RacePage::bytes;
      page = this->page(now.block, now.space, address);
    }
    if (page == nullptr) continue;
    const auto offset = static_cast<uint32_t>(address % RacePage::bytes);
    page->expand(offset, access.bytes);
    const uint32_t thread = now.warp_index * 32 + lane, first = page->cell_of(offset),
                   cells = access.bytes / page->cell_bytes();
    const Mark mark = Mark::of(now.segment, thread, now.place);
    for (uint32_t i = 0; i < cells; ++i)
      if (!access_plain_cell(now, *page, first + i, mark)) [[unlikely]]
        access_cell(now, *page, first + i, address + i * page->cell_bytes(), thread, now.segment);
  }
}

bool LaunchRaces::access_row(const Now& now, unsigned first, unsigned count, uint64_t begin, uint32_t bytes) {
  if (!std::has_single_bit(bytes)) return false;
  const auto offset = static_cast<uint32_t>(begin % RacePage::bytes);
  RacePage* page = this->page(now.block, now.space, begin);
  if (page == nullptr) return true;
  if (bytes < 4) page->split();
  if (count == 32 && offset % RacePage::group_bytes == 0 && bytes >= 4 && bytes <= 16 && !page->by_bytes())
    return access_full_row(now, *page, offset, begin, bytes);
  page->expand(offset, count * bytes);
  const uint32_t cells_of_lane = bytes / page->cell_bytes(), cell = page->cell_of(offset);
  const rows::Row row = row_of(now, *page, cell, first, count, cells_of_lane);
  if (!now.writes) {
    if (!rows_.read(row)) return access_met(now, *page, row, begin);
    page->read(now.segment);
    return true;
  }
  if (!rows_.write(row)) return access_met(now, *page, row, begin);
  page->wrote(now.segment);
  return true;
}

// All lanes of a warp: of whole groups.
bool LaunchRaces::access_full_row(const Now& now, RacePage& page, uint32_t offset, uint64_t begin,
                                  uint32_t bytes) {
  const uint32_t groups = bytes / 4, shift = static_cast<uint32_t>(std::countr_zero(groups));
  const bool all_ordered =
      page.newest_writer() < now.ordered_below && page.newest_reader() < now.ordered_below;
  if (now.writes)
    page.wrote(now.segment);
  else
    page.read(now.segment);
  for (uint32_t i = 0; i < groups; ++i) {
    const uint32_t number = offset / RacePage::group_bytes + i, first_lane = i * (32 >> shift);
    const Mark mark = RowMark::of(now.segment, now.warp_index, first_lane, shift, now.place);
    const RacePage::Group whole =
        now.writes ? RacePage::Group{.writer = mark} : RacePage::Group{.reader = mark};
    if (page.compact(number) && access_compact(now, page.group(number), mark)) continue;
    if (all_ordered) {
      page.make_compact(number, whole);
      continue;
    }
    page.expand(number * RacePage::group_bytes, 1);
    const uint32_t cell = number * RacePage::group_cells;
    const rows::Row row = row_of(now, page, cell, first_lane, 32U >> shift, 1U << shift);
    // Nothing that is there says anything any more.
    const bool empty =
        row.reader[0] < row.ordered_below && row.writer[0] < row.ordered_below && rows_.idle(row);
    if (empty || (now.writes && rows_.write(row))) {
      page.make_compact(number, whole);
      continue;
    }
    if (!now.writes && rows_.read(row)) continue;
    if (access_met(now, page, row, begin + uint64_t{i} * RacePage::group_bytes)) continue;
    for (uint32_t c = 0; c < RacePage::group_cells; ++c)
      access_cell(now, page, cell + c, begin + i * RacePage::group_bytes + uint64_t{c} * 4,
                  now.warp_index * 32 + first_lane + (c >> shift), now.segment);
  }
  return true;
}

// False: its cells differ from now on, or somebody must be looked at.
bool LaunchRaces::access_compact(const Now& now, RacePage::Group& group, Mark mark) {
  const auto late = [&](Mark other) { return other.segment() >= now.ordered_below; };
  const auto own = [&](Mark other) { return (other.bits ^ mark.bits) >> rows::thread_shift == 0; };
  const auto strange = [&](Mark other) { return late(other) && !own(other); };
  if (strange(group.writer) || late(group.before)) return false;
  if (now.writes) {
    if (strange(group.reader) || strange(group.other)) return false;
    group = {.writer = mark};
    return true;
  }
  if ((group.reader.bits ^ mark.bits) >> rows::warp_shift == 0) {
    if (!own(group.reader)) return false;
  } else if (late(group.reader)) {
    group.other = group.reader;
  }
  group.reader = mark;
  return true;
}

// All of those lanes read one place.
bool LaunchRaces::read_together(const Now& now, unsigned first, unsigned count, uint64_t address,
                                uint32_t bytes) {
  RacePage* page = this->page(now.block, now.space, address);
  if (page == nullptr) return true;
  if (bytes < 4) page->split();
  page->expand(static_cast<uint32_t>(address % RacePage::bytes), bytes);
  const uint32_t cell = page->cell_of(static_cast<uint32_t>(address % RacePage::bytes));
  const uint32_t cells = std::max(bytes / page->cell_bytes(), 1U);
  page->read(now.segment);
  if (page->newest_writer() >= now.ordered_below)
    for (uint32_t i = cell; i < cell + cells; ++i)
      if (page->writers(0)[i].segment() >= now.ordered_below ||
          page->writers(1)[i].segment() >= now.ordered_below)
        return false;
  const uint32_t thread = now.warp_index * 32 + first;
  const Mark from = Mark::of(now.segment, thread, now.place),
             to = Mark::of(now.segment, thread + count - 1, now.place);
  for (uint32_t i = cell; i < cell + cells; ++i) {
    Mark &reader = page->readers(0)[i], &other = page->readers(1)[i];
    const bool of_warp = (reader.bits ^ to.bits) >> rows::warp_shift == 0;
    if (!of_warp && reader.segment() >= now.ordered_below) other = reader;
    // The two lanes that are farthest from one another, unless somebody is farther.
    if (other.segment() < now.ordered_below)
      other = of_warp && (reader.bits ^ from.bits) >> rows::thread_shift != 0 ? reader : from;
    reader = to;
  }
  return true;
}

}  // namespace heddle::checker
