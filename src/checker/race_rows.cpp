// Accesses of lanes that stand one behind the other, or all at one place: most are. What race_launch.cpp does
// cell by cell is done here for all of them, where nobody was there before whom it would have to look at.
#include <algorithm>
#include <bit>

#include "checker/race_detector.h"

namespace heddle::checker {

bool LaunchRaces::access_row(const Now& now, const observe::Access& access) {
  const auto first = static_cast<unsigned>(std::countr_zero(access.lanes));
  const auto count = static_cast<uint32_t>(std::popcount(access.lanes));
  if (access.lanes >> first != (count == 32 ? ~0U : (1U << count) - 1) || !std::has_single_bit(access.bytes))
    return false;
  const uint64_t begin = access.addresses[first];
  uint64_t differs = 0;
  for (uint32_t i = 1; i < count; ++i)
    differs |= access.addresses[first + i] ^ (begin + uint64_t{i} * access.bytes);
  const auto offset = static_cast<uint32_t>(begin % RacePage::bytes);
  if (differs != 0 || offset + count * access.bytes > RacePage::bytes) return false;
  RacePage* page = this->page(now.block, now.space, begin);
  if (page == nullptr) return true;
  if (access.bytes < 4) page->split();
  const uint32_t cells_of_lane = access.bytes / page->cell_bytes(), cell = page->cell_of(offset);
  const rows::Row row{.writer = &page->writers(0)[cell].bits,
                      .writer_before = &page->writers(1)[cell].bits,
                      .reader = &page->readers(0)[cell].bits,
                      .other_reader = &page->readers(1)[cell].bits,
                      .cells = count * cells_of_lane,
                      .lane_shift = static_cast<uint32_t>(std::countr_zero(cells_of_lane)),
                      .mark = Mark::of(now.segment, now.warp_index * 32 + first, now.place).bits,
                      .ordered_below = uint64_t{now.ordered_below} << 32,
                      .unwritten = page->newest_writer() < now.ordered_below};
  if (!now.writes) return rows_.read(row);
  if (!rows_.write(row)) return false;
  page->wrote(now.segment);
  return true;
}

// All lanes read one place.
bool LaunchRaces::read_together(const Now& now, const observe::Access& access) {
  if (now.writes) return false;
  const auto first = static_cast<unsigned>(std::countr_zero(access.lanes));
  const auto last = 31 - static_cast<unsigned>(std::countl_zero(access.lanes));
  const uint64_t address = access.addresses[first];
  if (first == last || access.addresses[last] != address) return false;
  for (observe::Mask rest = access.lanes; rest != 0; rest &= rest - 1)
    if (access.addresses[std::countr_zero(rest)] != address) return false;
  RacePage* page = this->page(now.block, now.space, address);
  if (page == nullptr) return true;
  if (access.bytes < 4) page->split();
  const uint32_t cell = page->cell_of(static_cast<uint32_t>(address % RacePage::bytes));
  const uint32_t cells = std::max(access.bytes / page->cell_bytes(), 1U);
  if (page->newest_writer() >= now.ordered_below)
    for (uint32_t i = cell; i < cell + cells; ++i)
      if (page->writers(0)[i].segment() >= now.ordered_below ||
          page->writers(1)[i].segment() >= now.ordered_below)
        return false;
  const Mark from = Mark::of(now.segment, now.warp_index * 32 + first, now.place),
             to = Mark::of(now.segment, now.warp_index * 32 + last, now.place);
  for (uint32_t i = cell; i < cell + cells; ++i) {
    Mark &reader = page->readers(0)[i], &other = page->readers(1)[i];
    const bool of_warp = (reader.bits ^ to.bits) >> rows::warp_shift == 0;
    if (!of_warp && reader.segment() >= now.ordered_below) other = reader;
    // The two lanes that are farthest from one another, unless somebody is farther.
    if (other.segment() < now.ordered_below) other = from;
    reader = to;
  }
  return true;
}

}  // namespace heddle::checker
