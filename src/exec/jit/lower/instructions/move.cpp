// Values moved between registers (PTX ISA 9.7.9.3, 9.7.9.4).
#include "exec/jit/ir/values.h"
#include "exec/jit/lower/function_lowering.h"
#include "exec/jit/lower/lowering.h"

namespace heddle::exec::jit {

namespace {

using module::Operand;
using module::OperandKind;

// As they are kept: bits that are only moved need not become an integer in between.
bool move_register(Lowering& l, const Operand& to, const Operand& from) {
  if (to.kind != OperandKind::reg || from.kind != OperandKind::reg || from.negated) return false;
  const unsigned bits = bits_of(to.type);
  if (bits_of(to.declared) != bits || bits_of(from.declared) != bits) return false;
  l.body().write(to.reg, to.declared, l.body().read(from.reg, from.declared));
  return true;
}

}  // namespace

// Element 0 is the least significant part.
void lower_mov_pack(Lowering& l) {
  const auto parts = l.children(l.operand(1));
  const unsigned total = bits_of(l.type()), bits = total / static_cast<unsigned>(parts.size());
  llvm::Value* whole = nullptr;
  for (unsigned i = 0; i < parts.size(); ++i) {
    llvm::Value* part = resize(l.ir(), resize(l.ir(), l.get_bits(parts[i]), bits), total);
    if (i != 0) part = l.ir().CreateShl(part, bits * i, "", true);
    whole = whole == nullptr ? part : l.ir().CreateOr(whole, part);
  }
  l.set(0, whole);
}

void lower_mov_unpack(Lowering& l) {
  const auto parts = l.children(l.operand(0));
  const unsigned total = bits_of(l.type()), bits = total / static_cast<unsigned>(parts.size());
  llvm::Value* whole = resize(l.ir(), l.get_bits(1), total);
  for (unsigned i = 0; i < parts.size(); ++i)
    l.set(parts[i], resize(l.ir(), i == 0 ? whole : l.ir().CreateLShr(whole, bits * i), bits));
}

// A name may be that of a vector register: then the move packs or unpacks.
void lower_mov(Lowering& l) {
  if (l.operand(0).kind == OperandKind::vector) return lower_mov_unpack(l);
  if (l.operand(1).kind == OperandKind::vector) return lower_mov_pack(l);
  if (isa::info(l.type()).kind == isa::TypeKind::predicate) return l.set(0, l.get_predicate(1));
  if (!move_register(l, l.operand(0), l.operand(1))) l.set(0, l.get(1));
}

void lower_mov_b128(Lowering& l) { l.set(0, l.get_bits(1)); }

// Both sides are vectors.
void lower_mov_vec(Lowering& l) {
  const auto to = l.children(l.operand(0)), from = l.children(l.operand(1));
  if (from.size() < to.size()) return l.step();
  std::vector<llvm::Value*> values;
  for (std::size_t i = 0; i < to.size(); ++i) values.push_back(l.get_bits(from[i]));
  for (std::size_t i = 0; i < to.size(); ++i) l.set(to[i], values[i]);
}

}  // namespace heddle::exec::jit
