#include "exec/texel_address.h"

namespace heddle::exec {

namespace {

constexpr uint64_t tile_width = 64, tile_rows = 8, tile_bytes = tile_width * tile_rows;

// Sectors of a tile are in two columns of four, two rows each.
uint64_t in_tile(uint64_t x, uint64_t y) {
  return x / 32 * 256 + y / 2 * 64 + x % 32 / 16 * 32 + y % 2 * 16 + x % 16;
}

bool is_linear(TextureShape shape) {
  return shape == TextureShape::linear_buffer || shape == TextureShape::d2_pitched;
}

}  // namespace

uint64_t texel_address(const TexelArray& image, const MipLevel& level, uint64_t offset) {
  const auto base = reinterpret_cast<uintptr_t>(level.data);
  if (is_linear(image.shape) || level.height <= 1 || level.row_pitch == 0) return base + offset;
  const uint64_t slice_bytes = level.slice_pitch != 0 ? level.slice_pitch : level.row_pitch * level.height;
  const uint64_t slice = offset / slice_bytes, y = offset % slice_bytes / level.row_pitch,
                 x = offset % slice_bytes % level.row_pitch;
  const uint64_t columns = (level.width * image.texel.bytes() + tile_width - 1) / tile_width,
                 rows = (level.height + tile_rows - 1) / tile_rows;
  const uint64_t tile = (slice * rows + y / tile_rows) * columns + x / tile_width;
  return base / tile_bytes * tile_bytes + tile * tile_bytes + in_tile(x % tile_width, y % tile_rows);
}

bool is_open_ended(const TexelArray& image) { return is_linear(image.shape) && !image.pixel.given(); }

}  // namespace heddle::exec
