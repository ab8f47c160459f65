// Bulk copies of tensors between global and shared memory (PTX ISA 9.7.9.25.5), by tensor maps (5.5). As all
// asynchronous copies they complete where they are issued.
//
// A tile is a row of bytes in shared memory: the elements of the box, the first dimension fastest. Elements
// outside the tensor read as zero (or NaN), and are not written. The swizzle moves pieces of 16 bytes, and
// rows that are shorter than its pattern lie that far apart (an H200 has it so).
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "exec/interp/block.h"
#include "exec/interp/eval/atomic.h"
#include "exec/interp/eval/site.h"
#include "exec/tensor_map.h"

namespace heddle::exec::interp {
namespace {

using isa::Slot;
using isa::Word;
using module::Space;

constexpr uint32_t piece = 16;  // bytes that stay together in shared memory

// ---- the tensor operand: a map and coordinates
struct Access {
  TensorMap map;
  std::array<int32_t, 5> at{};
  std::array<uint16_t, 3> offsets{};
  Word mode = Word::none;
};

bool read_map(Step& s, int lane, uint64_t generic, TensorMap& map) {
  const Space space = s.space_of(generic);
  const uint64_t address = s.from_generic(generic, space);
  std::byte bytes[sizeof(TensorMap)];
  for (uint32_t at = 0; at < sizeof bytes; at += 64) {  // maps are aligned to 64 bytes
    const Step::Place place = s.place(address + at, space, lane, 64, false);
    if (place.host == nullptr) return false;
    std::memcpy(bytes + at, place.host, 64);
  }
  std::memcpy(static_cast<void*>(&map), bytes, sizeof map);
  return true;
}

bool bad_map(Step& s, int lane, const std::string& why) {
  s.fault(FaultKind::illegal_instruction, lane, "a tensor map: " + why);
  return false;
}

// Operand i is the tensor; `offsets`: the operand with those of im2col, or -1.
bool read_access(Step& s, int lane, int i, int offsets, Access& access) {
  const auto parts = s.children(s.operand(i));
  const module::Operand& map = parts[0];
  const uint64_t where =
      map.kind == module::OperandKind::address ? s.address_of(map, lane) : s.get<uint64_t>(map, lane);
  if (!read_map(s, lane, where, access.map)) return false;
  const auto coordinates = s.parts(parts[1]);
  for (std::size_t k = 0; k < coordinates.size(); ++k) access.at[k] = s.get<int32_t>(coordinates[k], lane);
  access.mode = s.word(Slot::load_mode);
  if (offsets >= 0 && s.present(offsets)) {
    const auto some = s.parts(s.operand(offsets));
    for (std::size_t k = 0; k < some.size(); ++k) access.offsets[k] = s.get<uint16_t>(some[k], lane);
  }
  if (const std::string why = why_invalid(access.map); !why.empty()) return bad_map(s, lane, why);
  const int rank = s.word(Slot::dim) == Word::_1d   ? 1
                   : s.word(Slot::dim) == Word::_2d ? 2
                   : s.word(Slot::dim) == Word::_3d ? 3
                   : s.word(Slot::dim) == Word::_4d ? 4
                                                    : 5;
  if (rank != access.map.rank)
    return bad_map(
        s, lane,
        "its rank is " + std::to_string(access.map.rank) + ", the instruction's " + std::to_string(rank));
  const bool tiled = access.mode == Word::none || access.mode == Word::tile ||
                     access.mode == Word::tile_gather4 || access.mode == Word::tile_scatter4;
  const bool wide = access.mode == Word::im2col_w || access.mode == Word::im2col_w_128;
  const TensorMode wanted = tiled ? TensorMode::tiled : wide ? TensorMode::im2col_wide : TensorMode::im2col;
  if (access.map.interleave != TensorInterleave::none)
    return bad_map(s, lane, "interleaved layouts are not executed by any executor yet");
  const TensorElementSize size = size_of(access.map.element);
  if (int64_t{access.at[0]} * size.shared / size.elements % piece != 0)
    return bad_map(s, lane,
                   "the first coordinate is " + std::to_string(access.at[0]) + ", no multiple of 16 bytes");
  if (wanted == TensorMode::im2col && access.map.mode == wanted)
    for (int d = 1; d + 1 < rank; ++d)
      if (const int64_t c = access.at[static_cast<std::size_t>(d)];
          c >
          static_cast<int64_t>(access.map.size(d)) - 1 + access.map.upper[static_cast<std::size_t>(d - 1)])
        return bad_map(s, lane, "coordinate " + std::to_string(c) + " is beyond the box of pixels");
  if (wanted != access.map.mode)
    return bad_map(s, lane, "made for another mode than '" + std::string(isa::spelling(access.mode)) + "'");
  return true;
}

// ---- rows: elements side by side in both memories
struct Row {
  bool inside = true;    // whether the coordinates beside the first are
  uint64_t address = 0;  // of the element at coordinate 0 of the first dimension
  int64_t first = 0;     // coordinate of the first element
  uint32_t elements = 0;
};

uint64_t line_address(const TensorMap& map, const std::array<int64_t, 5>& at) {
  uint64_t address = map.address;
  for (std::size_t d = 1; d < map.rank; ++d) address += static_cast<uint64_t>(at[d]) * map.strides[d - 1];
  return address;
}

Row row_at(const TensorMap& map, const std::array<int64_t, 5>& at, uint32_t elements) {
  Row row{.address = line_address(map, at), .first = at[0], .elements = elements};
  for (int d = 1; d < map.rank; ++d) {
    const int64_t c = at[static_cast<std::size_t>(d)];
    row.inside &= c >= 0 && c < static_cast<int64_t>(map.size(d));
  }
  return row;
}

// f(Row) for each row of a tile (5.5.3); false as soon as f says so.
template <class F>
bool each_tiled_row(const Access& a, F&& f) {
  const TensorMap& map = a.map;
  std::array<uint32_t, 5> count{1, 1, 1, 1, 1};
  for (std::size_t d = 0; d < map.rank; ++d)
    count[d] = d == 0 ? map.box[0] : (map.box[d] + map.steps[d] - 1u) / map.steps[d];
  for (uint32_t i4 = 0; i4 < count[4]; ++i4)
    for (uint32_t i3 = 0; i3 < count[3]; ++i3)
      for (uint32_t i2 = 0; i2 < count[2]; ++i2)
        for (uint32_t i1 = 0; i1 < count[1]; ++i1) {
          const std::array<uint32_t, 5> i{0, i1, i2, i3, i4};
          std::array<int64_t, 5> at{};
          for (std::size_t d = 0; d < map.rank; ++d) at[d] = int64_t{a.at[d]} + int64_t{i[d]} * map.steps[d];
          if (!f(row_at(map, at, count[0]))) return false;
        }
  return true;
}

// Four rows of a matrix, wherever they are (5.5.3.1): a column and four coordinates of rows.
template <class F>
bool each_of_four(const Access& a, F&& f) {
  for (std::size_t i = 0; i < 4; ++i)
    if (!f(row_at(a.map, {a.at[0], a.at[1 + i], 0, 0, 0}, a.map.box[0]))) return false;
  return true;
}

// Pixels in the order of a box between two corners, from one image to the next (5.5.4). Coordinates are those
// of the box; the instruction's offsets move what is read.
template <class F>
bool each_pixel(const Access& a, F&& f) {
  const TensorMap& map = a.map;
  const auto spatial = static_cast<std::size_t>(map.rank - 2);
  std::array<int64_t, 5> at{};
  for (std::size_t d = 0; d < map.rank; ++d) at[d] = a.at[d];
  for (uint32_t pixel = 0; pixel < map.box[1]; ++pixel) {
    std::array<int64_t, 5> moved = at;
    for (std::size_t d = 0; d < spatial; ++d) moved[d + 1] += a.offsets[d];
    if (!f(row_at(map, moved, map.box[0]))) return false;
    std::size_t d = 0;
    for (; d < spatial; ++d) {
      at[d + 1] += map.steps[d + 1];
      if (at[d + 1] <= static_cast<int64_t>(map.size(static_cast<int>(d) + 1)) - 1 + map.upper[d]) break;
      at[d + 1] = map.lower[d];
    }
    if (d == spatial) at[map.rank - 1] += 1;
  }
  return true;
}

// Pixels along W alone (5.5.5); offsets: the halo, then what is added to W.
template <class F>
bool each_pixel_along_w(const Access& a, F&& f) {
  const TensorMap& map = a.map;
  const uint32_t pixels = a.mode == Word::im2col_w_128 ? 128 : map.box[1];
  std::array<int64_t, 5> at{};
  for (std::size_t d = 0; d < map.rank; ++d) at[d] = a.at[d];
  const int64_t last = static_cast<int64_t>(map.size(1)) - 1 + map.upper[0];
  for (uint32_t pixel = 0; pixel < pixels + a.offsets[0]; ++pixel) {
    std::array<int64_t, 5> moved = at;
    moved[1] += a.offsets[1];
    if (!f(row_at(map, moved, map.box[0]))) return false;
    at[1] += map.steps[1];
    if (at[1] <= last) continue;
    at[1] = map.lower[0];
    at[map.rank - 1] += 1;
  }
  return true;
}

template <class F>
bool each_row(const Access& a, F&& f) {
  switch (a.mode) {
    case Word::im2col:
    case Word::im2col_no_offs: return each_pixel(a, f);
    case Word::im2col_w:
    case Word::im2col_w_128: return each_pixel_along_w(a, f);
    case Word::tile_gather4:
    case Word::tile_scatter4: return each_of_four(a, f);
    default: return each_tiled_row(a, f);
  }
}

// ---- global memory
// Bytes of one row from or to global memory, element by element where they do not lie on pieces.
template <class F>
bool each_span(Step& s, int lane, uint64_t address, uint32_t bytes, bool write, F&& f) {
  for (uint32_t done = 0; done < bytes;) {
    uint32_t size = piece;
    while (size > bytes - done || ((address + done) & (size - 1)) != 0) size /= 2;
    const Step::Place place = s.place(address + done, Space::global, lane, size, write);
    if (place.host == nullptr) return false;
    f(place.host, done, size);
    done += size;
  }
  return true;
}

// A NaN of every floating-point type, as an H200 has it: 0x7ff7 again and again.
uint64_t fill_of(const TensorMap& map) { return map.fill == TensorFill::nan ? 0x7ff7'7ff7'7ff7'7ff7 : 0; }

// What an element becomes on its way into shared memory: tf32 are rounded to nearest. (Nothing is flushed,
// whatever the type's name says: so an H200.)
uint32_t rounded(uint32_t bits) {
  if ((bits & 0x7fff'ffff) > 0x7f80'0000) return 0x7fff'e000;
  if ((bits & 0x7f80'0000) == 0x7f80'0000) return bits;
  return (bits + 0x1000) & 0xffff'e000;
}

void round_all(std::byte* elements, std::size_t count) {
  for (; count != 0; --count, elements += 4) {
    uint32_t bits;
    std::memcpy(&bits, elements, 4);
    bits = rounded(bits);
    std::memcpy(elements, &bits, 4);
  }
}

bool load_row(Step& s, int lane, const TensorMap& map, const Row& row, std::vector<std::byte>& tile) {
  const TensorElementSize size = size_of(map.element);
  const uint32_t units = row.elements / size.elements;
  const std::size_t begin = tile.size();
  tile.resize(begin + std::size_t{units} * size.shared);
  const uint64_t fill = fill_of(map);
  const auto length = static_cast<int64_t>(map.size(0));
  std::byte raw[8 + 16];
  for (uint32_t i = 0; i < units;) {
    const int64_t c = row.first + int64_t{i} * size.elements;
    std::byte* to = tile.data() + begin + std::size_t{i} * size.shared;
    if (!row.inside || c < 0 || c >= length) {
      std::memcpy(to, &fill, std::min<std::size_t>(sizeof fill, size.shared));
      ++i;
      continue;
    }
    const uint64_t address = row.address + static_cast<uint64_t>(c / size.elements) * size.global;
    if (size.shared == size.global) {  // all that lies inside at once
      const auto run = std::min<int64_t>(units - i, (length - c + size.elements - 1) / size.elements);
      if (!each_span(
              s, lane, address, static_cast<uint32_t>(run) * size.global, false,
              [&](std::byte* from, uint32_t at, uint32_t bytes) { std::memcpy(to + at, from, bytes); }))
        return false;
      if (map.element == TensorElement::tf32 || map.element == TensorElement::tf32_ftz)
        round_all(to, static_cast<std::size_t>(run));
      i += static_cast<uint32_t>(run);
      continue;
    }
    if (!each_span(s, lane, address, size.global, false,
                   [&](std::byte* from, uint32_t at, uint32_t bytes) { std::memcpy(raw + at, from, bytes); }))
      return false;
    std::memcpy(to, raw, size.global);
    ++i;
  }
  return true;
}

// f(host, bytes of the tile, size) for each element inside. A piece whose first element lies inside is
// written whole: tensors have room for it behind a row, since strides are multiples of 16 bytes.
template <class F>
bool store_row(Step& s, int lane, const TensorMap& map, const Row& row, const std::byte* tile, bool whole,
               F&& f) {
  const TensorElementSize size = size_of(map.element);
  const uint32_t units = row.elements / size.elements;
  const auto length = static_cast<int64_t>(map.size(0));
  if (!row.inside || row.first >= length) return true;
  const auto inside = static_cast<uint32_t>((length - row.first + size.elements - 1) / size.elements);
  const uint32_t in_piece = std::max(1u, piece / size.shared);
  const uint32_t end = std::min(units, (inside + in_piece - 1) / in_piece * in_piece);
  const uint64_t address = row.address + static_cast<uint64_t>(row.first / size.elements) * size.global;
  if (whole && size.shared == size.global)
    return each_span(s, lane, address, end * size.global, true,
                     [&](std::byte* to, uint32_t at, uint32_t some) { f(to, tile + at, some); });
  for (uint32_t unit = 0; unit < end; ++unit) {
    const std::byte* source = tile + std::size_t{unit} * size.shared;
    const uint64_t there = address + uint64_t{unit} * size.global;
    if (whole) {
      if (!each_span(s, lane, there, size.global, true,
                     [&](std::byte* to, uint32_t at, uint32_t some) { f(to, source + at, some); }))
        return false;
      continue;
    }
    const Step::Place place = s.place(there, Space::global, lane, size.global, true);
    if (place.host == nullptr) return false;
    f(place.host, source, size.global);
  }
  return true;
}

// ---- shared memory
// f(host, offset in the tile) for each piece of a tile of that many bytes.
template <class F>
bool each_piece(Step& s, int lane, Site site, const TensorMap& map, std::size_t bytes, bool write, F&& f) {
  const TensorElementSize size = size_of(map.element);
  const uint32_t row = uint32_t{map.box[0]} / size.elements * size.shared;
  const uint32_t pitch = std::max(row, swizzle_bytes(map.swizzle));
  for (std::size_t at = 0; at < bytes; at += piece) {
    const auto dense = static_cast<uint32_t>(at);
    const auto low = static_cast<uint32_t>(site.address) + dense / row * pitch + dense % row;
    const uint64_t address = (site.address & ~uint64_t{0xffff'ffff}) | swizzled(low, map.swizzle, map.atom);
    const Step::Place place = s.place(address, site.space, lane, piece, write);
    if (place.host == nullptr) return false;
    const bool flips = map.swizzle == TensorSwizzle::bytes128 && map.atom == TensorAtom::bytes32_flip8 &&
                       (low >> 7 & 1) != 0;
    f(place.host, at, flips);
  }
  return true;
}

void copy_piece(std::byte* to, const std::byte* from, bool flips) {
  std::memcpy(to, from + (flips ? 8 : 0), 8);
  std::memcpy(to + 8, from + (flips ? 0 : 8), 8);
}

bool put_tile(Step& s, int lane, Site site, const TensorMap& map, std::vector<std::byte>& tile) {
  tile.resize((tile.size() + piece - 1) / piece * piece);
  return each_piece(s, lane, site, map, tile.size(), true, [&](std::byte* to, std::size_t at, bool flips) {
    copy_piece(to, tile.data() + at, flips);
  });
}

bool get_tile(Step& s, int lane, Site site, const TensorMap& map, std::vector<std::byte>& tile) {
  tile.resize((tile.size() + piece - 1) / piece * piece);
  return each_piece(s, lane, site, map, tile.size(), false, [&](std::byte* from, std::size_t at, bool flips) {
    copy_piece(tile.data() + at, from, flips);
  });
}

std::size_t row_bytes(const TensorMap& map, const Row& row) {
  const TensorElementSize size = size_of(map.element);
  return std::size_t{row.elements / size.elements} * size.shared;
}

// What an mbarrier counts: the elements' own bytes, not those that they are padded to in shared memory. So
// does CUTLASS, whose barriers would never open on a device otherwise (TmaTransactionBytes of its products of
// mixed narrow types).
uint32_t counted_bytes(const TensorMap& map, std::size_t tile) {
  const TensorElementSize size = size_of(map.element);
  return static_cast<uint32_t>(tile / size.shared * size.global);
}

// Of a tile that several blocks get: each hears of its own; of pairs either the even or the odd block does of
// both (9.7.9.25.5.2), as the rank in the mbarrier's address is.
unsigned who_hears(const Step& s, const Site& mbar, unsigned gets) {
  if (s.word(isa::Slot::cta_group) != Word::cta_group_2) return gets;
  return (gets & ~1U) | static_cast<unsigned>(mbar.address >> shared_rank_shift & 1);
}

// Operands: [dst], tensor, [mbar], with im2col the offsets, perhaps a mask of blocks, perhaps a cache policy.
void load(Step& s, bool im2col) {
  const int mask = im2col ? 4 : 3;
  s.each([&](int lane) {
    if (s.faulted()) return;
    Access access;
    if (!read_access(s, lane, 1, im2col ? 3 : -1, access)) return;
    std::vector<std::byte> tile;
    if (!each_row(access, [&](const Row& row) { return load_row(s, lane, access.map, row, tile); })) return;
    const uint32_t bytes = counted_bytes(access.map, tile.size());
    const Site to = site_of(s, 0, lane), mbar = site_of(s, 2, lane);
    if (!s.has(Slot::multicast)) {
      if (put_tile(s, lane, to, access.map, tile)) complete(s, lane, mbar, bytes);
      return;
    }
    const uint32_t blocks = s.get<uint16_t>(mask, lane);
    for (unsigned rank = 0; rank < 16; ++rank) {
      if ((blocks >> rank & 1) == 0) continue;
      if (!put_tile(s, lane, in_block(to, rank), access.map, tile)) return;
      complete(s, lane, in_block(mbar, who_hears(s, mbar, rank)), bytes);
    }
  });
}

// What lies behind the tensor is not written; what lies before it, an H200 takes for an illegal instruction.
bool before_tensor(const Access& access) {
  const auto negative = [](auto x) { return x < 0; };
  return std::ranges::any_of(access.at, negative) ||
         (access.map.mode != TensorMode::tiled && std::ranges::any_of(access.map.lower, negative));
}

// Operands: tensor, [src]. f(to, from, bytes) changes global memory; `whole`: any number of bytes at once.
// allowed(map): false after a fault.
template <class Allowed, class F>
void store(Step& s, bool whole, Allowed&& allowed, F&& f) {
  s.each([&](int lane) {
    if (s.faulted()) return;
    Access access;
    if (!read_access(s, lane, 0, -1, access)) return;
    if (before_tensor(access)) {
      bad_map(s, lane, "a store may not begin before the tensor");
      return;
    }
    std::vector<std::byte> tile;
    std::size_t bytes = 0;
    each_row(access, [&](const Row& row) { return bytes += row_bytes(access.map, row), true; });
    tile.resize(bytes);
    if (!allowed(access.map)) return;
    if (!get_tile(s, lane, site_of(s, 1, lane), access.map, tile)) return;
    std::size_t at = 0;
    each_row(access, [&](const Row& row) {
      const std::byte* from = tile.data() + at;
      at += row_bytes(access.map, row);
      return store_row(
          s, lane, access.map, row, from, whole,
          [&](std::byte* to, const std::byte* source, uint32_t some) { f(access.map, to, source, some); });
    });
  });
}

// The type that a reduction works with, or none where the elements have no such one (9.7.9.25.5.3).
isa::Type reduction_type(TensorElement element, Word op) {
  using isa::Type;
  const bool bits = op == Word::and_ || op == Word::or_ || op == Word::xor_;
  if (op == Word::inc || op == Word::dec) return element == TensorElement::u32 ? Type::u32 : Type::none;
  switch (element) {
    case TensorElement::u32: return bits ? Type::b32 : Type::u32;
    case TensorElement::s32: return bits ? Type::b32 : Type::s32;
    case TensorElement::u64: return bits ? Type::b64 : Type::u64;
    case TensorElement::s64: return bits ? Type::none : Type::s64;
    case TensorElement::f16: return bits ? Type::none : Type::f16;
    case TensorElement::bf16: return bits ? Type::none : Type::bf16;
    case TensorElement::f32:
    case TensorElement::f32_ftz: return op == Word::add ? Type::f32 : Type::none;
    case TensorElement::f64: return op == Word::add ? Type::f64 : Type::none;
    default: return Type::none;
  }
}

}  // namespace

void eval_cp_async_bulk_tensor_load(Step& s) { load(s, false); }
void eval_cp_async_bulk_tensor_load_im2col(Step& s) { load(s, true); }

void eval_cp_async_bulk_tensor_store(Step& s) {
  store(
      s, true, [](const TensorMap&) { return true; },
      [](const TensorMap&, std::byte* to, const std::byte* from, uint32_t bytes) {
        std::memcpy(to, from, bytes);
      });
}

void eval_cp_reduce_async_bulk_tensor(Step& s) {
  const Word op = s.word(Slot::op);
  store(
      s, false,
      [&](const TensorMap& map) {
        if (reduction_type(map.element, op) != isa::Type::none) return true;
        s.fault(FaultKind::illegal_instruction, std::countr_zero(s.lanes()),
                "the elements of the tensor have no reduction '" + std::string(isa::spelling(op)) + "'");
        return false;
      },
      [&](const TensorMap& map, std::byte* to, const std::byte* from, uint32_t bytes) {
        uint64_t value = 0;
        std::memcpy(&value, from, bytes);
        const isa::Type type = reduction_type(map.element, op);
        atomic_change(to, bytes, [&](uint64_t old) { return atomic_result(op, type, false, old, value); });
      });
}

// A prefetch may be left out: caches are not modelled here.
void eval_cp_async_bulk_prefetch_tensor(Step&) {}
void eval_cp_async_bulk_prefetch_tensor_im2col(Step&) {}

}  // namespace heddle::exec::interp
