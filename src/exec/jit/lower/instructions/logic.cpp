// Logic and shifts (PTX ISA 9.7.8), and bytes picked out of registers (9.7.9.7).
#include <array>

#include "exec/jit/lower/instructions/integers.h"

namespace heddle::exec::jit {
namespace {

using isa::Slot;
using isa::Word;
using llvm::Value;

bool on_predicates(Lowering& l) { return isa::info(l.type()).kind == isa::TypeKind::predicate; }
Value* source(Lowering& l, int i) { return on_predicates(l) ? l.get_predicate(i) : l.get_bits(i); }

// A function of three bits as the table of lop3 has it: bit abc is the answer for a, b and c. The sources'
// own tables are 0xf0, 0xcc and 0xaa (9.7.8.6).
//
// It is split at one source x into f0 = f(x = 0) and d = f0 ^ f(x = 1), tables of the two others, and put
// together as f0 ^ (x & d), or less where f0, f1 or d is constant: `b ^ c ^ a`, `c ^ (a & (b ^ c))`.
class TruthTable {
 public:
  TruthTable(llvm::IRBuilder<>& ir, std::array<Value*, 3> sources) : ir_(ir), sources_(sources) {}

  Value* value(uint8_t table) {
    unsigned best = 0;
    for (unsigned split = 1; split < 3; ++split) {
      if (cost(table, split) < cost(table, best)) best = split;
    }
    return value(table, best);
  }

 private:
  static constexpr std::array<uint8_t, 3> source_tables{0xf0, 0xcc, 0xaa};
  static constexpr uint8_t everything = 0xff;

  // What `table` is where source `split` is 1 (or 0), as a table in which it plays no part.
  static uint8_t cofactor(uint8_t table, unsigned split, bool one) {
    const unsigned shift = 4u >> split;
    const auto kept = static_cast<uint8_t>(table & (one ? source_tables[split] : ~source_tables[split]));
    return static_cast<uint8_t>(kept | (one ? kept >> shift : kept << shift));
  }
  static bool constant(uint8_t table) { return table == 0 || table == everything; }

  // Operations that a table of the two sources besides `split` takes.
  static unsigned cost_of_two(uint8_t table) {
    if (constant(table)) return 0;
    for (const uint8_t t : source_tables) {
      if (table == t) return 0;
      if (table == static_cast<uint8_t>(~t)) return 1;
    }
    return 2;
  }
  static unsigned cost(uint8_t table, unsigned split) {
    const uint8_t f0 = cofactor(table, split, false), f1 = cofactor(table, split, true);
    const auto d = static_cast<uint8_t>(f0 ^ f1);
    if (d == 0) return cost_of_two(f0);
    if (d == everything) return 1 + cost_of_two(f0);
    if (f0 == 0 || f1 == everything) return 1 + cost_of_two(f0 == 0 ? f1 : f0);
    if (f1 == 0 || f0 == everything) return 2 + cost_of_two(f1 == 0 ? f0 : f1);
    return 2 + cost_of_two(f0) + cost_of_two(d);
  }

  Value* value(uint8_t table, unsigned split) {
    const uint8_t f0 = cofactor(table, split, false), f1 = cofactor(table, split, true);
    const auto d = static_cast<uint8_t>(f0 ^ f1);
    Value* x = sources_[split];
    if (d == 0) return of_two(f0, split);
    if (d == everything) return ir_.CreateXor(x, of_two(f0, split));
    if (f0 == 0) return ir_.CreateAnd(x, of_two(f1, split));
    if (f1 == everything) return ir_.CreateOr(x, of_two(f0, split));
    if (f1 == 0) return ir_.CreateAnd(ir_.CreateNot(x), of_two(f0, split));
    if (f0 == everything) return ir_.CreateOr(ir_.CreateNot(x), of_two(f1, split));
    return ir_.CreateXor(of_two(f0, split), ir_.CreateAnd(x, of_two(d, split)));
  }

  // A table of the two sources besides `split`.
  Value* of_two(uint8_t table, unsigned split) {
    Value* zero = like(sources_[0], 0);
    if (table == 0) return zero;
    if (table == everything) return ir_.CreateNot(zero);
    const unsigned x = split == 0 ? 1 : 0, y = split == 2 ? 1 : 2;
    const uint8_t tx = source_tables[x], ty = source_tables[y];
    Value *a = sources_[x], *b = sources_[y];
    auto inverted = [](unsigned t) { return static_cast<uint8_t>(~t); };
    if (table == tx) return a;
    if (table == ty) return b;
    if (table == inverted(tx)) return ir_.CreateNot(a);
    if (table == inverted(ty)) return ir_.CreateNot(b);
    if (table == (tx & ty)) return ir_.CreateAnd(a, b);
    if (table == (tx | ty)) return ir_.CreateOr(a, b);
    if (table == (tx ^ ty)) return ir_.CreateXor(a, b);
    if (table == inverted(tx & ty)) return ir_.CreateNot(ir_.CreateAnd(a, b));
    if (table == inverted(tx | ty)) return ir_.CreateNot(ir_.CreateOr(a, b));
    if (table == inverted(tx ^ ty)) return ir_.CreateNot(ir_.CreateXor(a, b));
    if (table == (tx & inverted(ty))) return ir_.CreateAnd(a, ir_.CreateNot(b));
    if (table == (inverted(tx) & ty)) return ir_.CreateAnd(ir_.CreateNot(a), b);
    if (table == (tx | inverted(ty))) return ir_.CreateOr(a, ir_.CreateNot(b));
    return ir_.CreateOr(ir_.CreateNot(a), b);
  }

  llvm::IRBuilder<>& ir_;
  std::array<Value*, 3> sources_;
};

// The three inputs stand from operand `first` on, the table after them.
Value* lookup(Lowering& l, int first) {
  TruthTable truth(l.ir(), {l.get_bits(first), l.get_bits(first + 1), l.get_bits(first + 2)});
  return truth.value(static_cast<uint8_t>(l.operand(first + 3).value));
}

// The byte numbers that each mode of prmt takes for d.b0 to d.b3, as nibbles from the lowest on; four rows of
// 16 bits, by bits 1..0 of c.
uint64_t selections(Word mode) {
  switch (mode) {
    case Word::f4e: return 0x6543'5432'4321'3210;
    case Word::b4e: return 0x0123'7012'6701'5670;
    case Word::rc8: return 0x3333'2222'1111'0000;
    case Word::ecl: return 0x3333'3222'3211'3210;
    case Word::ecr: return 0x3210'2210'1110'0000;
    default: return 0x3232'1010'3232'1010;  // rc16
  }
}

// With a selection that is known: the bytes that move by the same distance move together.
Value* picked(llvm::IRBuilder<>& ir, Value* a, Value* b, uint32_t selection) {
  Value* out = like(a, 0);
  std::array<Value*, 2> words{a, b};
  for (unsigned word = 0; word < 2; ++word) {
    for (int distance = -3; distance <= 3; ++distance) {
      uint32_t mask = 0;  // in d
      for (unsigned to = 0; to < 4; ++to) {
        const uint32_t nibble = selection >> 4 * to & 15;
        if (nibble < 8 && nibble / 4 == word &&
            static_cast<int>(to) - static_cast<int>(nibble % 4) == distance)
          mask |= 0xffu << 8 * to;
      }
      if (mask == 0) continue;
      Value* moved = words[word];
      if (distance > 0) moved = ir.CreateShl(moved, static_cast<uint64_t>(8 * distance));
      if (distance < 0) moved = ir.CreateLShr(moved, static_cast<uint64_t>(-8 * distance));
      out = ir.CreateOr(out, ir.CreateAnd(moved, mask));
    }
  }
  for (unsigned from = 0; from < 8; ++from) {  // signs of bytes
    uint32_t mask = 0;
    for (unsigned to = 0; to < 4; ++to) {
      if ((selection >> 4 * to & 15) == from + 8) mask |= 0xffu << 8 * to;
    }
    if (mask == 0) continue;
    Value* sign = ir.CreateAShr(ir.CreateShl(words[from / 4], uint64_t{24 - 8 * (from % 4)}), 31);
    out = ir.CreateOr(out, ir.CreateAnd(sign, mask));
  }
  return out;
}

// With any selection: bytes of {b, a}; bit 3 of a selector replicates the byte's sign instead.
Value* picked(llvm::IRBuilder<>& ir, Value* a, Value* b, Value* selection) {
  Value* out = like(a, 0);
  auto bit = [&](unsigned i) {
    return ir.CreateICmpNE(ir.CreateAnd(selection, uint64_t{1} << i), like(selection, 0));
  };
  for (unsigned to = 0; to < 4; ++to) {
    Value* word = ir.CreateSelect(bit(4 * to + 2), b, a);
    // Eight times the byte's number in the word, from bits 1..0 of the selector.
    Value* place = to == 0 ? ir.CreateShl(selection, 3) : ir.CreateLShr(selection, uint64_t{4 * to - 3});
    Value* byte = ir.CreateLShr(word, ir.CreateAnd(place, 24));
    Value* sign = ir.CreateAShr(ir.CreateShl(byte, 24), 31);
    byte = ir.CreateAnd(ir.CreateSelect(bit(4 * to + 3), sign, byte), 0xff);
    out = ir.CreateOr(out, ir.CreateShl(byte, uint64_t{8 * to}));
  }
  return out;
}

}  // namespace

void lower_bit_and(Lowering& l) { l.set(0, l.ir().CreateAnd(source(l, 1), source(l, 2))); }
void lower_bit_or(Lowering& l) { l.set(0, l.ir().CreateOr(source(l, 1), source(l, 2))); }
void lower_bit_xor(Lowering& l) { l.set(0, l.ir().CreateXor(source(l, 1), source(l, 2))); }
void lower_bit_not(Lowering& l) { l.set(0, l.ir().CreateNot(source(l, 1))); }

void lower_cnot(Lowering& l) {
  Value* a = l.get_bits(1);
  l.set(0, l.ir().CreateZExt(l.ir().CreateICmpEQ(a, like(a, 0)), a->getType()));
}

void lower_lop3(Lowering& l) { l.set(0, lookup(l, 1)); }

// d = lookup; p = (d != 0) BoolOp q.
void lower_lop3_predicate(Lowering& l) {
  Value *d = lookup(l, 2), *q = l.get_predicate(6);
  Value* any = l.ir().CreateICmpNE(d, like(d, 0));
  const bool is_and = l.word(Slot::bool_) == Word::and_;
  l.set(0, d);
  l.set(1, is_and ? l.ir().CreateAnd(any, q) : l.ir().CreateOr(any, q));
}

// The 64 bits [b:a] shifted: the high word after a left shift, the low one after a right shift (9.7.8.7).
void lower_shf(Lowering& l) {
  llvm::IRBuilder<>& ir = l.ir();
  Value *a = l.get_bits(1), *b = l.get_bits(2), *amount = l.get_bits(3);
  const bool left = l.word(Slot::direction) == Word::l;
  Value* out = ir.CreateIntrinsic(left ? llvm::Intrinsic::fshl : llvm::Intrinsic::fshr, {a->getType()},
                                  {b, a, amount});
  if (l.word(Slot::extend) == Word::clamp)
    out = ir.CreateSelect(ir.CreateICmpULT(amount, like(amount, 32)), out, left ? a : b);
  l.set(0, out);
}

// Amounts are unsigned and clamp at the width (9.7.8.8, 9.7.8.9).
void lower_shl(Lowering& l) { l.set(0, shifted_left(l.ir(), l.get_bits(1), l.get_bits(2))); }

void lower_shr(Lowering& l) {
  auto* shifted = integer_type(l.type()).is_signed ? shifted_right_signed : shifted_right;
  l.set(0, shifted(l.ir(), l.get_bits(1), l.get_bits(2)));
}

void lower_prmt(Lowering& l) {
  llvm::IRBuilder<>& ir = l.ir();
  const Word mode = l.word(Slot::prmt);
  Value *a = l.get_bits(1), *b = l.get_bits(2), *c = l.get_bits(3);
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(c);
  if (mode == Word::none) {
    l.set(0, known != nullptr ? picked(ir, a, b, static_cast<uint32_t>(known->getZExtValue()))
                              : picked(ir, a, b, c));
    return;
  }
  const uint64_t rows = selections(mode);
  if (known != nullptr)
    return l.set(0, picked(ir, a, b, static_cast<uint32_t>(rows >> 16 * (known->getZExtValue() & 3))));
  Value* row = ir.CreateZExt(ir.CreateShl(ir.CreateAnd(c, 3), 4), ir.getInt64Ty());
  l.set(0, picked(ir, a, b, ir.CreateTrunc(ir.CreateLShr(ir.getInt64(rows), row), c->getType())));
}

}  // namespace heddle::exec::jit
