// Atomic operations (PTX ISA 9.7.13.5 and 9.7.13.6). Halves, 128 bits and vectors are left to the reference
// executor.
#include <optional>

#include "exec/jit/ir/values.h"
#include "exec/jit/lower/lowering.h"

namespace heddle::exec::jit {

namespace {

using isa::Slot;
using isa::Type;
using isa::Word;

std::optional<AtomicKind> kind_of(Word op, Type type) {
  const bool is_signed = isa::info(type).kind == isa::TypeKind::signed_;
  switch (op) {
    case Word::add: return AtomicKind::add;
    case Word::and_: return AtomicKind::and_;
    case Word::or_: return AtomicKind::or_;
    case Word::xor_: return AtomicKind::xor_;
    case Word::exch: return AtomicKind::exchange;
    case Word::cas: return AtomicKind::compare_exchange;
    case Word::inc: return AtomicKind::increment;
    case Word::dec: return AtomicKind::decrement;
    case Word::min: return is_signed ? AtomicKind::min_signed : AtomicKind::min_unsigned;
    case Word::max: return is_signed ? AtomicKind::max_signed : AtomicKind::max_unsigned;
    default: return std::nullopt;
  }
}

bool is_native(Type type) {
  const isa::TypeInfo& info = isa::info(type);
  if (info.bits > 64 || info.elements != 1) return false;
  return info.kind != isa::TypeKind::floating || type == Type::f32 || type == Type::f64;
}

uint32_t flags_of(const Lowering& l) {
  uint32_t flags = access_strong;
  const Word sem = l.word(Slot::sem);
  if (sem == Word::acquire || sem == Word::acq_rel) flags |= access_acquire;
  if (sem == Word::release || sem == Word::acq_rel) flags |= access_release;
  return flags;
}

// `d` is the operand of the old value, or -1; `a` the address, the values follow it.
void emit_change(Lowering& l, int d, int a, bool compares) {
  const auto kind = kind_of(l.word(Slot::op), l.type());
  if (!kind || !is_native(l.type())) return l.step();
  std::vector<llvm::Value*> arguments{l.address(a), l.imm(static_cast<uint32_t>(l.operand(a).space)),
                                      l.imm(flags_of(l)), l.imm(static_cast<uint32_t>(*kind))};
  if (compares) arguments.push_back(l.get(a + 2));
  arguments.push_back(l.get(a + 1));
  const bool told = compares && l.tells_compared(), used = d >= 0 && l.present(d);
  if (!used && !told) {
    l.op(Op::reduce, l.ir().getVoidTy(), arguments);
    return;
  }
  llvm::Value* old = l.op(Op::atomic, l.value_type(l.type()), arguments);
  if (told)
    l.tells(observe::SyncKind::compared,
            l.ir().CreateZExt(l.ir().CreateICmpNE(old, arguments.back()), l.ir().getInt32Ty()));
  if (used) l.set(d, old);
}

}  // namespace

void lower_atom(Lowering& l) { emit_change(l, 0, 1, false); }
void lower_atom_cas(Lowering& l) { emit_change(l, 0, 1, true); }
void lower_red(Lowering& l) { emit_change(l, -1, 0, false); }

}  // namespace heddle::exec::jit
