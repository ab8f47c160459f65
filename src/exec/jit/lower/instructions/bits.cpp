// Bits counted, found and moved (PTX ISA 9.7.1.14 to 9.7.1.22).
#include "exec/jit/lower/instructions/integers.h"

namespace heddle::exec::jit {
namespace {

using isa::Slot;
using isa::Word;
using llvm::Value;

Value* counted(Lowering& l, llvm::Intrinsic::ID what) {
  llvm::IRBuilder<>& ir = l.ir();
  Value* a = l.get(1);
  Value* count = what == llvm::Intrinsic::ctlz ? ir.CreateBinaryIntrinsic(what, a, ir.getFalse())
                                               : ir.CreateUnaryIntrinsic(what, a);
  return ir.CreateTrunc(count, ir.getInt32Ty());
}

// `count` ones from bit 0; the whole width and more are all ones.
Value* ones(llvm::IRBuilder<>& ir, Value* count, llvm::Type* type) {
  Value* all = llvm::ConstantInt::getAllOnesValue(type);
  return ir.CreateNot(shifted_left(ir, all, count));
}

// Position and length of a bit field. Of 32-bit fields devices read a byte; the instructions on 64 bits are
// made of several, which take the whole word.
Value* field_operand(Lowering& l, int i) {
  Value* value = l.get_bits(i);
  return integer_type(l.type()).bits == 32 ? l.ir().CreateAnd(value, 0xff) : value;
}

// The place of the n-th set bit, n from 1 on; any place where there are not so many. By halves: either it is
// in the lower part, or that part's bits are counted off.
Value* place_of_set_bit(llvm::IRBuilder<>& ir, Value* mask, Value* n) {
  Value* place = like(mask, 0);
  for (unsigned width = 16; width > 0; width /= 2) {
    Value* below = ir.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, ir.CreateAnd(mask, (1ull << width) - 1));
    Value* above = ir.CreateICmpUGT(n, below);
    mask = ir.CreateSelect(above, ir.CreateLShr(mask, width), mask);
    n = ir.CreateSelect(above, ir.CreateSub(n, below), n);
    place = ir.CreateSelect(above, ir.CreateOr(place, width), place);
  }
  return place;
}

}  // namespace

void lower_popc(Lowering& l) { l.set(0, counted(l, llvm::Intrinsic::ctpop)); }
void lower_clz(Lowering& l) { l.set(0, counted(l, llvm::Intrinsic::ctlz)); }

void lower_brev(Lowering& l) { l.set(0, l.ir().CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, l.get(1))); }

// The highest one bit; of a negative signed value the highest zero bit. 0xffffffff when there is none.
void lower_bfind(Lowering& l) {
  llvm::IRBuilder<>& ir = l.ir();
  const IntegerType type = integer_type(l.type());
  Value* bits = l.get(1);
  if (type.is_signed) bits = ir.CreateXor(bits, ir.CreateAShr(bits, type.bits - 1));
  Value* above =
      ir.CreateTrunc(ir.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, bits, ir.getFalse()), ir.getInt32Ty());
  if (l.has(Slot::shiftamt))
    l.set(0, ir.CreateSelect(ir.CreateICmpEQ(bits, like(bits, 0)), like(above, 0xffffffff), above));
  else
    l.set(0, ir.CreateSub(like(above, type.bits - 1), above));
}

// The n-th set bit of `mask` from `base`, upwards for a positive offset, downwards for a negative one, which
// is upwards in the mirrored mask. Offset 0 asks for the bit at `base` itself.
void lower_fns(Lowering& l) {
  llvm::IRBuilder<>& ir = l.ir();
  // An immediate base has no type: the mnemonic does not say it.
  const bool known = l.operand(2).kind == module::OperandKind::immediate;
  Value *mask = l.get_bits(1), *base = known ? l.imm(l.operand(2).value) : l.get_bits(2);
  Value* offset = l.get_bits(3);
  Value* down = ir.CreateICmpSLT(offset, like(offset, 0));
  Value* here = ir.CreateICmpEQ(offset, like(offset, 0));
  Value* from = ir.CreateAnd(base, 31);
  mask = ir.CreateSelect(down, ir.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, mask), mask);
  from = ir.CreateSelect(down, ir.CreateXor(from, 31), from);
  Value* first = ir.CreateShl(like(mask, 1), from);
  mask = ir.CreateAnd(mask, ir.CreateSelect(here, first, ir.CreateNeg(first)));
  Value* n = ir.CreateBinaryIntrinsic(llvm::Intrinsic::abs, offset, ir.getFalse());
  n = ir.CreateSelect(here, like(n, 1), n);
  Value* place = place_of_set_bit(ir, mask, n);
  place = ir.CreateSelect(down, ir.CreateXor(place, 31), place);
  Value* found = ir.CreateICmpULE(n, ir.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, mask));
  found = ir.CreateAnd(found, ir.CreateICmpULT(base, like(base, 32)));
  Value* out = ir.CreateSelect(found, place, like(place, 0xffffffff));
  // The least offset has no magnitude, and devices do not notice.
  l.set(0, ir.CreateSelect(ir.CreateICmpEQ(offset, like(offset, 0x80000000)), like(out, 0), out));
}

// Bits past the value are its sign for signed types, zero for unsigned ones (9.7.1.19).
void lower_bfe(Lowering& l) {
  llvm::IRBuilder<>& ir = l.ir();
  const IntegerType type = integer_type(l.type());
  Value *a = l.get(1), *position = field_operand(l, 2), *length = field_operand(l, 3);
  if (!type.is_signed)
    return l.set(0, ir.CreateAnd(shifted_right(ir, a, position), ones(ir, length, a->getType())));
  Value* value = shifted_right_signed(ir, a, position);
  Value* rest = ir.CreateSub(like(length, type.bits), least(ir, false, length, like(length, type.bits)));
  rest = ir.CreateZExtOrTrunc(ir.CreateAnd(rest, type.bits - 1), a->getType());
  Value* out = ir.CreateAShr(ir.CreateShl(value, rest), rest);
  l.set(0, ir.CreateSelect(ir.CreateICmpEQ(length, like(length, 0)), like(a, 0), out));
}

void lower_bfi(Lowering& l) {
  llvm::IRBuilder<>& ir = l.ir();
  Value *a = l.get(1), *b = l.get(2), *position = field_operand(l, 3), *length = field_operand(l, 4);
  Value* mask = shifted_left(ir, ones(ir, length, a->getType()), position);
  Value* in = ir.CreateAnd(shifted_left(ir, a, position), mask);
  l.set(0, ir.CreateOr(ir.CreateAnd(b, ir.CreateNot(mask)), in));
}

// .wrap takes position and length modulo 32, .clamp stops at the word's end (9.7.1.21, 9.7.1.22).
void lower_szext(Lowering& l) {
  llvm::IRBuilder<>& ir = l.ir();
  Value *a = l.get(1), *length = l.get(2);
  if (l.word(Slot::extend) == Word::wrap) length = ir.CreateAnd(length, 31);
  if (!integer_type(l.type()).is_signed) return l.set(0, ir.CreateAnd(a, ones(ir, length, a->getType())));
  Value* rest = ir.CreateAnd(ir.CreateNeg(length), 31);
  Value* out = ir.CreateAShr(ir.CreateShl(a, rest), rest);
  out = ir.CreateSelect(ir.CreateICmpULT(length, like(length, 32)), out, a);
  l.set(0, ir.CreateSelect(ir.CreateICmpEQ(length, like(length, 0)), like(out, 0), out));
}

void lower_bmsk(Lowering& l) {
  llvm::IRBuilder<>& ir = l.ir();
  Value *position = l.get(1), *length = l.get(2);
  if (l.word(Slot::extend) == Word::wrap) {
    position = ir.CreateAnd(position, 31);
    length = ir.CreateAnd(length, 31);
  }
  l.set(0, shifted_left(ir, ones(ir, length, length->getType()), position));
}

}  // namespace heddle::exec::jit
