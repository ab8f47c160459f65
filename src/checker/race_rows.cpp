// Accesses of lanes that stand one behind the other, or all at one place: most are. What race_launch.cpp does
// cell by cell is done here for all of them, where nobody was there before whom it would have to look at.
#include <algorithm>
#include <bit>
#include <utility>

#include "checker/race_detector.h"

namespace heddle::checker {

// The lanes in runs: neighbours whose addresses follow each other, or are the same.
void LaunchRaces::access_runs(const Now& now, const observe::Access& access) {
  const uint64_t* addresses = access.addresses;
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
  const rows::Row row{.writer = &page->writers(0)[cell].bits,
                      .writer_before = &page->writers(1)[cell].bits,
                      .reader = &page->readers(0)[cell].bits,
                      .other_reader = &page->readers(1)[cell].bits,
                      .cells = count * cells_of_lane,
                      .lane_shift = static_cast<uint32_t>(std::countr_zero(cells_of_lane)),
                      .mark = Mark::of(now.segment, now.warp_index * 32 + first, now.place).bits,
                      .ordered_below = uint64_t{now.ordered_below} << 32,
                      .unwritten = page->newest_writer() < now.ordered_below};
  if (!now.writes) {
    if (!rows_.read(row)) return false;
    page->read(now.segment);
    return true;
  }
  if (!rows_.write(row)) return false;
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
    const rows::Row row{.writer = &page.writers(0)[cell].bits,
                        .writer_before = &page.writers(1)[cell].bits,
                        .reader = &page.readers(0)[cell].bits,
                        .other_reader = &page.readers(1)[cell].bits,
                        .cells = RacePage::group_cells,
                        .lane_shift = shift,
                        .mark = Mark::of(now.segment, now.warp_index * 32 + first_lane, now.place).bits,
                        .ordered_below = uint64_t{now.ordered_below} << 32,
                        .unwritten = page.newest_writer() < now.ordered_below};
    // Nothing that is there says anything any more.
    const bool empty =
        row.reader[0] < row.ordered_below && row.writer[0] < row.ordered_below && rows_.idle(row);
    if (empty || (now.writes && rows_.write(row))) {
      page.make_compact(number, whole);
      continue;
    }
    if (!now.writes && rows_.read(row)) continue;
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
