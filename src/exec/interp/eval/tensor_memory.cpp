// Tensor memory (PTX ISA 9.7.16): allocations, what warps load and store, copies from shared memory. All of
// it is complete where it is issued, so that waits and fences have nothing to wait for and a commit arrives
// at once.
#include "exec/interp/matrix/tensor_memory.h"

#include <bit>
#include <string>

#include "exec/interp/block.h"
#include "exec/interp/eval/site.h"
#include "exec/interp/eval/tensor_access.h"

namespace heddle::exec::interp {
namespace {

using isa::Slot;
using isa::Word;

constexpr int lanes_of_warp = 32;

// 9.7.16.7.1: a power of two from 32 to 512.
bool good_count(Step& s, int lane, uint32_t count) {
  if (count >= TensorMemory::least && count <= TensorMemory::columns && std::has_single_bit(count))
    return true;
  s.fault(FaultKind::illegal_instruction, lane,
          std::to_string(count) + " columns of tensor memory; allowed are powers of two from 32 to 512");
  return false;
}

// A device waits until somebody gives columns back. Here the block has all of them for itself: what it lacks
// it took on its own.
std::optional<uint32_t> allocate(Step& s, int lane, TensorMemory& memory, uint32_t count) {
  const auto first = memory.allocate(count);
  if (!first)
    s.fault(FaultKind::out_of_resources, lane,
            std::to_string(count) + " columns of tensor memory side by side, of which " +
                std::to_string(memory.free()) + " are free");
  return first;
}

// Of a pair each block asks, and gets the same columns: whoever asks first allocates in both.
std::optional<uint32_t> allocate_in_pair(Step& s, int lane, const BlockGroup& group, uint32_t count) {
  TensorMemory& own = s.block().tensor_memory();
  if (const auto pending = own.take_promised()) {
    if (pending->count == count) return pending->first;
    s.fault(FaultKind::illegal_instruction, lane,
            std::to_string(count) + " columns of tensor memory, where the pair's other block asked for " +
                std::to_string(pending->count));
    return std::nullopt;
  }
  TensorMemory& other = group.blocks[s.block().rank() % 2 == 0 ? 1 : 0]->tensor_memory();
  const auto first = allocate(s, lane, own, count);
  if (!first) return std::nullopt;
  const auto there = allocate(s, lane, other, count);
  if (!there) return std::nullopt;
  other.promise({*there, count});
  return first;
}

// Where element `i` of a lane of the warp stands, from the address on (9.7.16.2.3.1).
TensorAddress cell(Word shape, uint32_t lane, uint32_t i) {
  switch (shape) {
    case Word::_16x64b: return {lane / 4 + 8 * (lane % 2), 2 * i + lane / 2 % 2};
    case Word::_16x128b: return {lane / 4 + 8 * (i % 2), 4 * (i / 2) + lane % 4};
    case Word::_16x256b: return {lane / 4 + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * (lane % 4) + i % 2};
    case Word::_16x32bx2: return {lane % 16, i};
    default: return {lane, i};  // 32x32b
  }
}

// use(lane, register, word, second): `second` is the next column's where two halves make a register, else
// nullptr. A warp reaches the quarter of the lanes that its number says (9.7.16.2.3).
template <class Use>
void each_word(Step& s, int address, int split, int fragment, bool halves, Use&& use) {
  if (!s.collect_warp()) return;
  const int first = std::countr_zero(s.lanes());
  const TensorAddress base = TensorAddress::of(s.address_of(s.operand(address, first), first));
  const Word shape = s.word(Slot::shape);
  const uint32_t apart = split >= 0 ? s.get<uint32_t>(split, first) : 0;
  const uint32_t quarter = s.warp().index() % 4 * lanes_of_warp;
  TensorMemory& memory = s.block().tensor_memory();
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    uint32_t i = 0;
    for (const module::Operand& reg : s.parts(s.operand(fragment, lane))) {
      TensorAddress at = cell(shape, static_cast<uint32_t>(lane), i++);
      at.lane += base.lane;
      at.column = base.column + at.column * (halves ? 2 : 1) + (lane >= 16 ? apart : 0);
      if (at.lane < quarter || at.lane >= quarter + lanes_of_warp)
        return s.fault(FaultKind::illegal_address, lane,
                       "lane " + std::to_string(at.lane) + " of tensor memory; warp " +
                           std::to_string(s.warp().index()) + " reaches " + std::to_string(quarter) + " to " +
                           std::to_string(quarter + lanes_of_warp - 1));
      uint32_t* word = tensor_word(s, lane, memory, at.lane, at.column);
      uint32_t* second =
          word == nullptr || !halves ? nullptr : tensor_word(s, lane, memory, at.lane, at.column + 1);
      if (s.faulted()) return;
      use(lane, reg, word, second);
    }
  }
}

void load(Step& s, int split) {
  each_word(s, 1, split, 0, s.has(Slot::pack),
            [&](int lane, const module::Operand& reg, const uint32_t* word, const uint32_t* second) {
              s.set<uint32_t>(reg, lane, second == nullptr ? *word : (*word & 0xffff) | *second << 16);
            });
}

void store(Step& s, int split) {
  each_word(s, 0, split, split < 0 ? 1 : 2, s.has(Slot::unpack),
            [&](int lane, const module::Operand& reg, uint32_t* word, uint32_t* second) {
              const auto value = s.get<uint32_t>(reg, lane);
              *word = second == nullptr ? value : value & 0xffff;
              if (second != nullptr) *second = value >> 16;
            });
}

// ---- copies from shared memory (9.7.16.9.1)
struct Copied {
  int rows, pieces;  // of 16 bytes, of a row
  int row_apart;     // lanes from one row to the next, within 32 of them,
  int group_apart;   // and from those to the next 32
  int times = 1, copies_apart = 0;
};

Copied copied(const Step& s) {
  switch (s.word(Slot::shape)) {
    case Word::_128x256b: return {128, 2, 1, 32};
    case Word::_128x128b: return {128, 1, 1, 32};
    case Word::_4x256b: return {4, 2, 32, 0};
    case Word::_64x128b:
      if (s.word(Slot::warps) == Word::warpx2_02_13) return {64, 1, 1, 32, 2, 64};
      return {64, 1, 1, 64, 2, 32};
    default: return {32, 1, 1, 0, 4, 32};  // 32x128b
  }
}

void copy_rows(Step& s, int lane, Block& block, TensorAddress to, const Copied& c) {
  const auto matrix = shared_matrix(s, lane, block, s.get<uint64_t>(1, lane));
  if (!matrix) return;
  const Word from = s.word(Slot::from_format);
  for (int row = 0; row < c.rows; ++row)
    for (int p = 0; p < c.pieces; ++p) {
      Piece piece;
      if (!read_piece(s, lane, matrix->piece_along_k(static_cast<uint32_t>(row), static_cast<uint32_t>(p)),
                      piece))
        return;
      if (from != Word::none) {  // sixteen elements of 4 or 6 bits get a byte each, those of 4 in its middle
        const int bits = from == Word::b4x16_p64 ? 4 : 6;
        Piece wide;
        for (int i = 0; i < 16; ++i)
          wide[static_cast<std::size_t>(i)] =
              static_cast<std::byte>(bits_of(piece, i * bits, bits) << (bits == 4 ? 2 : 0));
        piece = wide;
      }
      const int first = row % 32 * c.row_apart + row / 32 * c.group_apart;
      for (int time = 0; time < c.times; ++time)
        for (int word = 0; word < 4; ++word) {
          uint32_t* at = tensor_word(s, lane, block.tensor_memory(),
                                     to.lane + static_cast<uint32_t>(first + time * c.copies_apart),
                                     to.column + static_cast<uint32_t>(4 * p + word));
          if (at == nullptr) return;
          *at = bits_of(piece, 32 * word, 32);
        }
    }
}

}  // namespace

void eval_tcgen05_alloc(Step& s) {
  if (!s.collect_warp()) return;
  const int lane = std::countr_zero(s.lanes());
  const uint32_t count = s.get<uint32_t>(1, lane);
  TensorMemory& memory = s.block().tensor_memory();
  const BlockGroup group = block_group(s, lane);
  if (group.count == 0 || !good_count(s, lane, count)) return;
  if (!memory.may_allocate())
    return s.fault(FaultKind::illegal_instruction, lane,
                   "the block has relinquished the right to allocate tensor memory");
  const auto first =
      group.count == 1 ? allocate(s, lane, memory, count) : allocate_in_pair(s, lane, group, count);
  if (!first) return;
  const Step::Place place = s.place(s.operand(0, lane), lane, 4, true);
  if (place.host != nullptr)
    __atomic_store_n(reinterpret_cast<uint32_t*>(place.host), *first, __ATOMIC_RELAXED);
}

void eval_tcgen05_dealloc(Step& s) {
  if (!s.collect_warp()) return;
  const int lane = std::countr_zero(s.lanes());
  const TensorAddress at = TensorAddress::of(s.get<uint32_t>(0, lane));
  const uint32_t count = s.get<uint32_t>(1, lane);
  if (block_group(s, lane).count == 0 || !good_count(s, lane, count)) return;
  if (at.lane != 0 || !s.block().tensor_memory().release(at.column, count))
    s.fault(FaultKind::illegal_instruction, lane,
            "no " + std::to_string(count) + " columns of tensor memory were allocated at column " +
                std::to_string(at.column));
}

void eval_tcgen05_relinquish_alloc_permit(Step& s) {
  if (s.collect_warp()) s.block().tensor_memory().relinquish();
}

void eval_tcgen05_ld(Step& s) { load(s, -1); }
void eval_tcgen05_ld_split(Step& s) { load(s, 2); }
void eval_tcgen05_st(Step& s) { store(s, -1); }
void eval_tcgen05_st_split(Step& s) { store(s, 1); }
void eval_tcgen05_wait(Step&) {}
void eval_tcgen05_fence(Step&) {}

void eval_tcgen05_cp(Step& s) {
  s.each([&](int lane) {
    if (s.faulted()) return;
    const BlockGroup group = block_group(s, lane);
    const TensorAddress to = TensorAddress::of(s.address_of(s.operand(0, lane), lane));
    for (int i = 0; i < group.count && !s.faulted(); ++i)
      copy_rows(s, lane, *group.blocks[static_cast<std::size_t>(i)], to, copied(s));
  });
}

// An arrival at the mbarrier, or at those at its place in the blocks of the mask.
void eval_tcgen05_commit(Step& s) {
  fence_before(s);
  s.each([&](int lane) {
    if (s.faulted() || block_group(s, lane).count == 0) return;
    s.changes();
    const auto arrive = [&](Site mbar) {
      const Step::Place place = s.place(mbar.address, mbar.space, lane, 8, true);
      if (place.host == nullptr) return;
      bool good = true;
      change_at(place.host, [&](Mbarrier& b) {
        good = b.takes(1, false);
        if (good) b.arrive(1);
      });
      if (!good)
        s.fault(FaultKind::illegal_instruction, lane, "an arrival at an mbarrier that waits for nobody");
    };
    const Site own = site_of(s, 0, lane);
    if (!s.has(Slot::multicast)) return arrive(own);
    const uint32_t blocks = s.get<uint16_t>(1, lane);
    for (unsigned rank = 0; rank < 16 && !s.faulted(); ++rank)
      if ((blocks >> rank & 1) != 0) arrive(in_block(own, rank));
  });
}

}  // namespace heddle::exec::interp
