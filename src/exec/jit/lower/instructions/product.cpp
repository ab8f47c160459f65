// Products of integers (PTX ISA 9.7.1.3 to 9.7.1.6, 9.7.1.23, 9.7.1.24) and extended-precision arithmetic
// (9.7.2).
#include "exec/jit/lower/instructions/integers.h"

namespace heddle::exec::jit {
namespace {

using isa::Slot;
using isa::Word;
using llvm::Value;

// The upper half of a product of 64-bit numbers, of products of their halves: a vector has those, but no
// product of 128 bits.
Value* high_product_64(llvm::IRBuilder<>& ir, bool is_signed, Value* a, Value* b) {
  constexpr uint64_t low_word = 0xffffffff;
  Value *a0 = ir.CreateAnd(a, low_word), *a1 = ir.CreateLShr(a, 32);
  Value *b0 = ir.CreateAnd(b, low_word), *b1 = ir.CreateLShr(b, 32);
  Value* middle = ir.CreateAdd(ir.CreateMul(a1, b0), ir.CreateLShr(ir.CreateMul(a0, b0), 32));
  Value* other = ir.CreateAdd(ir.CreateMul(a0, b1), ir.CreateAnd(middle, low_word));
  Value* high = ir.CreateAdd(ir.CreateMul(a1, b1), ir.CreateLShr(middle, 32));
  high = ir.CreateAdd(high, ir.CreateLShr(other, 32));
  if (!is_signed) return high;
  // A negative factor counts 2^64 too much.
  high = ir.CreateSub(high, ir.CreateAnd(ir.CreateAShr(a, 63), b));
  return ir.CreateSub(high, ir.CreateAnd(ir.CreateAShr(b, 63), a));
}

Value* wide_product(llvm::IRBuilder<>& ir, bool is_signed, Value* a, Value* b) {
  const unsigned bits = 2 * a->getType()->getIntegerBitWidth();
  return ir.CreateMul(extended(ir, a, bits, is_signed), extended(ir, b, bits, is_signed));
}

Value* high_product(llvm::IRBuilder<>& ir, bool is_signed, Value* a, Value* b) {
  const unsigned bits = a->getType()->getIntegerBitWidth();
  if (bits == 64) return high_product_64(ir, is_signed, a, b);
  return ir.CreateTrunc(ir.CreateLShr(wide_product(ir, is_signed, a, b), bits), a->getType());
}

// a * b as .hi, .lo or .wide say.
Value* product(Lowering& l) {
  llvm::IRBuilder<>& ir = l.ir();
  const bool is_signed = integer_type(l.type()).is_signed;
  Value *a = l.get(1), *b = l.get(2);
  switch (l.word(Slot::mode)) {
    case Word::hi: return high_product(ir, is_signed, a, b);
    case Word::wide: return wide_product(ir, is_signed, a, b);
    default: return ir.CreateMul(a, b);
  }
}

// mul24.lo gives bits 31..0 of the product of two 24-bit numbers, mul24.hi bits 47..16 (9.7.1.5).
Value* product24(Lowering& l) {
  llvm::IRBuilder<>& ir = l.ir();
  const bool is_signed = integer_type(l.type()).is_signed;
  Value *a = field(ir, l.get(1), 0, 24, is_signed), *b = field(ir, l.get(2), 0, 24, is_signed);
  if (l.word(Slot::mode) != Word::hi) return ir.CreateMul(a, b);
  return ir.CreateTrunc(ir.CreateLShr(wide_product(ir, is_signed, a, b), 16), a->getType());
}

// Signed and unsigned types give the same bits and the same carry, CC.CF.
void sum(Lowering& l, Value* a, Value* b, Value* carry, bool write_carry) {
  llvm::IRBuilder<>& ir = l.ir();
  Value* out = ir.CreateAdd(a, b);
  Value* carried = nullptr;
  if (carry == nullptr) {
    carried = ir.CreateICmpULT(out, a);
  } else {
    out = ir.CreateAdd(out, ir.CreateZExt(carry, a->getType()));
    carried = ir.CreateSelect(carry, ir.CreateICmpULE(out, a), ir.CreateICmpULT(out, a));
  }
  l.set(0, out);
  if (write_carry) l.set_carry(carried);
}

// A device adds the complement: CC.CF is the opposite of a borrow.
void difference(Lowering& l, Value* a, Value* b, Value* carry, bool write_carry) {
  llvm::IRBuilder<>& ir = l.ir();
  Value* out = ir.CreateSub(a, b);
  Value* carried = ir.CreateICmpUGE(a, b);
  if (carry != nullptr) {
    out = ir.CreateSub(out, ir.CreateZExt(ir.CreateNot(carry), a->getType()));
    carried = ir.CreateSelect(carry, carried, ir.CreateICmpUGT(a, b));
  }
  l.set(0, out);
  if (write_carry) l.set_carry(carried);
}

}  // namespace

void lower_mul_int(Lowering& l) { l.set(0, product(l)); }

void lower_mad_int(Lowering& l) {
  Value *p = product(l), *c = l.get(3);
  l.set(0, l.has(Slot::sat) ? l.ir().CreateBinaryIntrinsic(llvm::Intrinsic::sadd_sat, p, c)
                            : l.ir().CreateAdd(p, c));
}

void lower_mul24(Lowering& l) { l.set(0, product24(l)); }

void lower_mad24(Lowering& l) {
  Value *p = product24(l), *c = l.get(3);
  l.set(0, l.has(Slot::sat) ? l.ir().CreateBinaryIntrinsic(llvm::Intrinsic::sadd_sat, p, c)
                            : l.ir().CreateAdd(p, c));
}

void lower_dp4a(Lowering& l) {
  const bool a_signed = integer_type(l.word(Slot::atype)).is_signed,
             b_signed = integer_type(l.word(Slot::btype)).is_signed;
  l.set(0, l.op(Op::dot_bytes, l.integer(32),
                {l.imm(a_signed ? 1 : 0), l.imm(b_signed ? 1 : 0), l.get(1), l.get(2), l.get(3)}));
}

void lower_dp2a(Lowering& l) {
  llvm::IRBuilder<>& ir = l.ir();
  const bool a_signed = integer_type(l.word(Slot::atype)).is_signed,
             b_signed = integer_type(l.word(Slot::btype)).is_signed;
  const unsigned first_byte = l.word(Slot::mode) == Word::hi ? 16 : 0;
  Value *a = l.get(1), *b = l.get(2), *out = l.get(3);
  for (unsigned i = 0; i < 2; ++i) {
    Value* p =
        ir.CreateMul(field(ir, a, 16 * i, 16, a_signed), field(ir, b, first_byte + 8 * i, 8, b_signed));
    out = ir.CreateAdd(out, p);
  }
  l.set(0, out);
}

void lower_add_cc(Lowering& l) { sum(l, l.get(1), l.get(2), nullptr, true); }
void lower_addc(Lowering& l) { sum(l, l.get(1), l.get(2), l.carry(), l.has(Slot::cc)); }
void lower_sub_cc(Lowering& l) { difference(l, l.get(1), l.get(2), nullptr, true); }
void lower_subc(Lowering& l) { difference(l, l.get(1), l.get(2), l.carry(), l.has(Slot::cc)); }
void lower_mad_cc(Lowering& l) { sum(l, product(l), l.get(3), nullptr, true); }
void lower_madc(Lowering& l) { sum(l, product(l), l.get(3), l.carry(), l.has(Slot::cc)); }

}  // namespace heddle::exec::jit
