#include "model/texture_path.h"

#include <algorithm>

#include "model/coalescing.h"

namespace heddle::model {

namespace {

constexpr uint32_t sector_bytes = 32, line_bytes = 128;

// Of words of up to 4 bytes every other four lanes of a half-warp: 0 to 3 with 8 to 11, 4 to 7 with 12 to 15.
constexpr LaneMask of_narrow_words = 0x0f0f;

template <class F>
void each_texture_part(const WarpAccess& access, F&& f) {
  const auto part = [&](LaneMask lanes) {
    if ((lanes & access.lanes) == 0) return;
    WarpAccess one = access;
    one.lanes &= lanes;
    f(one);
  };
  if (access.bytes <= 4) {
    for (const LaneMask lanes :
         {of_narrow_words, of_narrow_words << 4, of_narrow_words << 16, of_narrow_words << 20})
      part(lanes);
    return;
  }
  const unsigned lanes = std::max(sector_bytes / access.bytes, 1U);
  for (unsigned first = 0; first < warp_lanes; first += lanes) part(lanes_from(first, lanes));
}

}  // namespace

bool reads_by_texture_unit(const arch::Architecture& arch) {
  return arch.memory.l1_transaction_bytes == sector_bytes && arch.memory.l1_bytes != 0;
}

TextureLoad texture_load(const WarpAccess& access) {
  TextureLoad sum;
  each_texture_part(access, [&](const WarpAccess& part) {
    ++sum.parts;
    sum.lookups += pieces(part, sector_bytes);
  });
  sum.sectors = pieces(access, sector_bytes);
  sum.bytes = access.bytes * pieces(access, access.bytes);
  return sum;
}

uint32_t texture_store(const WarpAccess& access) {
  // Rows of 32 bytes in four lines were sent in halves, rows in two lines whole; between them nothing is
  // known.
  constexpr uint32_t open_lines = 2;
  if (pieces(access, line_bytes) <= open_lines) return pieces(access, sector_bytes);
  uint32_t sectors = 0;
  each_texture_part(access, [&](const WarpAccess& part) { sectors += pieces(part, sector_bytes); });
  return sectors;
}

}  // namespace heddle::model
