// Matrices between memory and registers: wmma.load and .store (PTX ISA 9.7.14.4.3, 9.7.14.4.4), ldmatrix,
// stmatrix and movmatrix (9.7.14.5.15 to 9.7.14.5.17). All of memory is looked at before anything changes;
// what may not be touched, or is not aligned, is for the reference executor to report.
#include <algorithm>
#include <cstring>

#include "exec/jit/matrix/unit.h"
#include "exec/memory_map.h"

namespace heddle::exec::jit::matrix {

namespace {

constexpr int lanes = static_cast<int>(warp_lanes);

// Guest memory as the warp sees it.
class Memory {
 public:
  Memory(const Form& form, const Launch& launch, const Context& context)
      : space_(form.space), launch_(launch), context_(context) {}

  // What the address is in; false: neither shared nor global memory.
  bool enter(uint64_t& address) {
    if (space_ != module::Space::generic) return true;
    const WindowMap& window = windows(launch_.module->image->address_bits);
    if (address - window.shared_base < window.shared_bytes) {
      space_ = module::Space::shared;
      address -= window.shared_base;
    } else if (address - window.local_base < window.local_bytes ||
               address - window.param_base < window.param_bytes) {
      return false;
    } else {
      space_ = module::Space::global;
    }
    return true;
  }

  std::byte* find(uint64_t address, uint64_t bytes, bool write) const {
    if (space_ == module::Space::shared) {
      const uint64_t end = context_.shared_bytes, offset = address - context_.shared_begin;
      return offset <= end && bytes <= end - offset ? context_.shared + address : nullptr;
    }
    if (launch_.memory != nullptr && !launch_.memory->accessible(address, bytes, write)) return nullptr;
    return reinterpret_cast<std::byte*>(static_cast<uintptr_t>(address));
  }

 private:
  module::Space space_;
  const Launch& launch_;
  const Context& context_;
};

bool all_equal(const std::byte* values) {
  const auto first = read_at<uint64_t>(values);
  uint64_t differ = 0;
  for (int lane = 1; lane < lanes; ++lane) differ |= read_at<uint64_t>(values + 8 * lane) ^ first;
  return differ == 0;
}

// ---- wmma
// Lines of memory: rows or columns of the matrix.
struct Lines {
  std::byte* base = nullptr;
  int64_t pitch = 0;  // bytes
  std::byte* at(int line, int byte) const { return base + line * pitch + byte; }
};

// A matrix as wmma's registers have it: `across` are the rows of A and the columns of B, `along` is k; of
// sums `across` and `along` are rows and columns, turned where the hardware multiplies the transposed
// matrices.
struct Tile {
  int across = 0, along = 0;
  bool lines_along = true;  // a line of memory goes along, not across
  int bits = 0;
  int line_count() const { return lines_along ? across : along; }
  uint64_t line_bytes() const {
    return static_cast<uint64_t>(lines_along ? along : across) * static_cast<uint64_t>(bits) / 8;
  }
};

bool is_turned(const Form& form) { return form.size.n > form.size.m; }

Tile tile_of(const Form& form) {
  const Size& size = form.size;
  const int bits = bits_of(form.a);
  switch (form.role) {
    case Role::a: return {size.m, size.k, form.by_row, bits};
    case Role::b: return {size.n, size.k, !form.by_row, bits};
    case Role::c: break;
  }
  const bool turned = is_turned(form);
  return {turned ? size.n : size.m, turned ? size.m : size.n, form.by_row != turned, bits};
}

bool find_lines(const Form& form, const Tile& tile, Memory& memory, const std::byte* frame, bool write,
                Lines& lines) {
  const std::byte* addresses = frame + form.in[0].at;
  if (!all_equal(addresses)) return false;
  uint64_t address = read_at<uint64_t>(addresses) + form.offset;
  // Without a stride lines follow one another.
  uint64_t stride = static_cast<uint64_t>(tile.lines_along ? tile.along : tile.across);
  if (form.has_stride) {
    if (form.stride_at == module::none) {
      stride = form.selector;
    } else {
      if (!all_equal(frame + form.stride_at)) return false;
      stride = read_at<uint64_t>(frame + form.stride_at) & 0xffff'ffff;
    }
  }
  const auto bits = static_cast<uint64_t>(tile.bits);
  if (stride * bits % 8 != 0 || !memory.enter(address)) return false;
  if (address % std::max<uint64_t>(1, bits / 8) != 0) return false;
  lines.pitch = static_cast<int64_t>(stride * bits / 8);
  for (int line = 0; line < tile.line_count(); ++line) {
    std::byte* place = memory.find(address + static_cast<uint64_t>(line) * static_cast<uint64_t>(lines.pitch),
                                   tile.line_bytes(), write);
    if (place == nullptr) return false;
    if (line == 0) lines.base = place;
  }
  return true;
}

// A register of A or B is 8 lines across by 16 bytes (of f64 32) along.
void load_factor(const Form& form, const Codes& codes, const Tile& tile, const Lines& lines,
                 std::byte* frame) {
  const int held = std::max(1, 32 / tile.bits), bytes = tile.bits == 64 ? 32 : 16;
  const int steps = tile.along / (4 * held), needed = tile.across / 8 * steps;
  const bool left = (form.role == Role::a) != is_turned(form),
             by_sixteen = left && std::max(form.size.m, form.size.n) >= 16;
  std::byte* to = frame + form.d_at;
  for (int r = 0; r < needed; ++r, to += 8 * bytes) {
    const int step = by_sixteen ? r / 2 % steps : r % steps;
    const int across = by_sixteen ? 8 * (r % 2) + 16 * (r / 2 / steps) : 8 * (r / steps);
    if (tile.lines_along) {
      for (int i = 0; i < 8; ++i) {
        if (bytes == 16)
          std::memcpy(to + 16 * i, lines.at(across + i, 16 * step), 16);
        else
          std::memcpy(to + 32 * i, lines.at(across + i, 32 * step), 32);
      }
    } else if (tile.bits == 16) {
      alignas(64) std::byte piece[128];
      for (int i = 0; i < 8; ++i) std::memcpy(piece + 16 * i, lines.at(8 * step + i, 2 * across), 16);
      codes.turn(piece, to);
    } else {
      const int size = tile.bits / 8, count = 4 * held;
      for (int k = 0; k < count; ++k) {
        const std::byte* from = lines.at(count * step + k, size * across);
        for (int i = 0; i < 8; ++i)
          std::memcpy(to + bytes * i + size * k, from + size * i, static_cast<std::size_t>(size));
      }
    }
  }
  // Fragments with more room than elements repeat them.
  const std::byte *begin = frame + form.d_at,
                  *end = frame + form.out.back().at + form.out.back().frame_size();
  const auto block = static_cast<std::size_t>(needed * 8 * bytes);
  for (; to < end; to += block) std::memcpy(to, begin, block);
}

// f(registers of a block of 8 by 8, its row and its column).
template <class F>
void each_block(const Form& form, const Tile& tile, std::byte* fragment, F&& f) {
  const int blocks = tile.across / 8, bytes = tile.bits == 16 ? 128 : 8 * tile.bits;
  for (int p = 0; p < blocks * (tile.along / 8); ++p, fragment += bytes)
    f(fragment, 8 * (p % blocks), 8 * (p / blocks));
  static_cast<void>(form);
}

// Elements of T, of which even and odd columns have registers of their own.
template <class T>
T* place_in(std::byte* block, int row, int column) {
  return reinterpret_cast<T*>(block + (column & 1) * lanes * static_cast<int>(sizeof(T))) + 4 * row +
         column / 2;
}

template <class T>
void load_sums(const Tile& tile, const Lines& lines, std::byte* block, int row, int column) {
  constexpr int size = sizeof(T);
  if (tile.lines_along) {
    for (int i = 0; i < 8; ++i) {
      T values[8];
      std::memcpy(values, lines.at(row + i, size * column), sizeof values);
      for (int j = 0; j < 8; ++j) *place_in<T>(block, i, j) = values[j];
    }
  } else {
    for (int j = 0; j < 8; ++j) {
      T values[8];
      std::memcpy(values, lines.at(column + j, size * row), sizeof values);
      for (int i = 0; i < 8; ++i) *place_in<T>(block, i, j) = values[i];
    }
  }
}

template <class T>
void store_sums(const Tile& tile, const Lines& lines, std::byte* block, int row, int column) {
  constexpr int size = sizeof(T);
  if (tile.lines_along) {
    for (int i = 0; i < 8; ++i) {
      T values[8];
      for (int j = 0; j < 8; ++j) values[j] = *place_in<T>(block, i, j);
      std::memcpy(lines.at(row + i, size * column), values, sizeof values);
    }
  } else {
    for (int j = 0; j < 8; ++j) {
      T values[8];
      for (int i = 0; i < 8; ++i) values[i] = *place_in<T>(block, i, j);
      std::memcpy(lines.at(column + j, size * row), values, sizeof values);
    }
  }
}

void load_half_sums(const Codes& codes, const Tile& tile, const Lines& lines, std::byte* block, int row,
                    int column) {
  alignas(64) std::byte piece[128];
  std::byte* to = tile.lines_along ? block : piece;
  for (int i = 0; i < 8; ++i)
    std::memcpy(to + 16 * i, tile.lines_along ? lines.at(row + i, 2 * column) : lines.at(column + i, 2 * row),
                16);
  if (!tile.lines_along) codes.turn(piece, block);
}

void store_half_sums(const Codes& codes, const Tile& tile, const Lines& lines, const std::byte* block,
                     int row, int column) {
  alignas(64) std::byte piece[128];
  if (!tile.lines_along) codes.turn(block, piece);
  const std::byte* from = tile.lines_along ? block : piece;
  for (int i = 0; i < 8; ++i)
    std::memcpy(tile.lines_along ? lines.at(row + i, 2 * column) : lines.at(column + i, 2 * row),
                from + 16 * i, 16);
}

bool run_wmma(const Form& form, const Codes& codes, Memory& memory, std::byte* frame) {
  const Tile tile = tile_of(form);
  Lines lines;
  if (!find_lines(form, tile, memory, frame, form.kind == Kind::store, lines)) return false;
  std::byte* fragment = frame + form.d_at;
  if (form.role != Role::c) {
    load_factor(form, codes, tile, lines, frame);
  } else if (form.kind == Kind::load) {
    each_block(form, tile, fragment, [&](std::byte* block, int row, int column) {
      if (tile.bits == 16) return load_half_sums(codes, tile, lines, block, row, column);
      if (tile.bits == 32) return load_sums<uint32_t>(tile, lines, block, row, column);
      load_sums<uint64_t>(tile, lines, block, row, column);
    });
  } else {
    // Where lines overlap, the last lane's element stays: an order of its own.
    if (static_cast<uint64_t>(lines.pitch) < tile.line_bytes()) return false;
    each_block(form, tile, fragment, [&](std::byte* block, int row, int column) {
      if (tile.bits == 16) return store_half_sums(codes, tile, lines, block, row, column);
      if (tile.bits == 32) return store_sums<uint32_t>(tile, lines, block, row, column);
      store_sums<uint64_t>(tile, lines, block, row, column);
    });
  }
  return true;
}

// ---- rows of 16 bytes, 8 of them a matrix, each where a lane says
bool run_rows(const Form& form, const Codes& codes, const Launch& launch, const Context& context,
              std::byte* frame) {
  const std::byte* addresses = frame + form.in[0].at;
  const int count = 8 * form.matrices;
  const bool in = form.kind == Kind::rows_in;
  std::byte* places[lanes];
  const uint64_t base =
      form.space == module::Space::shared ? 0 : windows(launch.module->image->address_bits).shared_base;
  if (form.space == module::Space::global) return false;
  uint64_t wrong = 0;
  for (int lane = 0; lane < count; ++lane) {
    const uint64_t address = read_at<uint64_t>(addresses + 8 * lane) + form.offset - base;
    const uint64_t offset = address - context.shared_begin;
    // At most 16 MiB of shared memory: the sum does not wrap where it matters.
    wrong |= (offset & 15) | (offset >= context.shared_bytes || context.shared_bytes - offset < 16 ? 1U : 0U);
    places[lane] = context.shared + address;
  }
  if (wrong != 0) return false;
  std::byte* fragment = frame + form.d_at;
  alignas(64) std::byte pieces[lanes * 16];
  if (in) {
    std::byte* to = form.transposed ? pieces : fragment;
    for (int lane = 0; lane < count; ++lane) std::memcpy(to + 16 * lane, places[lane], 16);
    if (form.transposed)
      for (int m = 0; m < form.matrices; ++m) codes.turn(pieces + 128 * m, fragment + 128 * m);
    return true;
  }
  if (form.transposed)
    for (int m = 0; m < form.matrices; ++m) codes.turn(fragment + 128 * m, pieces + 128 * m);
  const std::byte* from = form.transposed ? pieces : fragment;
  for (int lane = 0; lane < count; ++lane) std::memcpy(places[lane], from + 16 * lane, 16);
  return true;
}

}  // namespace

bool run_memory(const Form& form, const Codes& codes, const Launch& launch, const Context& context,
                std::byte* frame) {
  switch (form.kind) {
    case Kind::turn: codes.turn(frame + form.a_at, frame + form.d_at); return true;
    case Kind::rows_in:
    case Kind::rows_out: return run_rows(form, codes, launch, context, frame);
    default: {
      Memory memory(form, launch, context);
      return run_wmma(form, codes, memory, frame);
    }
  }
}

}  // namespace heddle::exec::jit::matrix
