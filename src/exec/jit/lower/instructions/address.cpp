// Addresses and the spaces they lie in (PTX ISA 9.7.9.19, 9.7.9.20, 9.7.9.23, 9.7.9.24).
#include <algorithm>

#include "exec/jit/ir/values.h"
#include "exec/jit/lower/function_lowering.h"
#include "exec/jit/lower/instructions/addresses.h"
#include "exec/jit/lower/lowering.h"
#include "exec/jit/lower/special.h"

namespace heddle::exec::jit {

namespace {

using isa::Slot;
using isa::Word;
using module::Space;

Space space_of_word(Word word) {
  switch (word) {
    case Word::shared:
    case Word::shared_cta:
    case Word::shared_cluster: return Space::shared;
    case Word::local: return Space::local;
    case Word::param:
    case Word::param_entry: return Space::param;
    case Word::const_: return Space::const_;
    default: return Space::global;
  }
}

// base <= address < base + bytes
llvm::Value* lies_in(Lowering& l, llvm::Value* address, uint64_t base, uint64_t bytes) {
  return l.ir().CreateICmpULT(l.ir().CreateSub(address, l.imm(base, 64)), l.imm(bytes, 64));
}

llvm::Value* in_space(Lowering& l, llvm::Value* address, Space space) {
  const WindowMap& w = l.body().program().windows;
  if (space == Space::shared) return l.ir().CreateSub(address, l.imm(w.shared_base, 64));
  if (space == Space::local) return l.ir().CreateSub(address, l.imm(w.local_base, 64));
  return address;
}

// Operand 1 as an address in the shared window; with .shared::cluster it is one, else it is generic.
llvm::Value* in_window(Lowering& l) {
  llvm::Value* a = resize(l.ir(), l.get_bits(1), 64);
  return l.has(Slot::space) ? a : in_space(l, a, Space::shared);
}

bool has_constants(const module::Image& image) {
  return std::ranges::any_of(image.symbols, [](const module::Symbol& s) { return s.space == Space::const_; });
}

}  // namespace

llvm::Value* generic_address(Lowering& l, llvm::Value* address, Space space) {
  const WindowMap& w = l.body().program().windows;
  if (space == Space::param) {
    // A parameter of the launch lies in its window, one of a function in local memory.
    llvm::Value* of_launch = lies_in(l, address, w.param_base, w.param_bytes);
    return l.ir().CreateSelect(of_launch, address, generic_address(l, address, Space::local));
  }
  if (space != Space::shared && space != Space::local) return address;
  return l.op(Op::generic, l.integer(64), {address, l.imm(static_cast<uint32_t>(space))});
}

void lower_cvta(Lowering& l) {
  const Space space = space_of_word(l.word(Slot::space));
  llvm::Value* a = resize(l.ir(), l.get_bits(1), 64);
  l.set(0, l.has(Slot::to) ? in_space(l, a, space) : generic_address(l, a, space));
}

void lower_isspacep(Lowering& l) {
  const WindowMap& w = l.body().program().windows;
  const Word word = l.word(Slot::space);
  llvm::Value* a = resize(l.ir(), l.get_bits(1), 64);
  switch (word) {
    case Word::shared:
    case Word::shared_cta: {
      llvm::Value* own =
          l.ir().CreateAdd(shared_memory_of_block(l.body().program(), 0, 64), l.imm(w.shared_base, 64));
      llvm::Value* offset = l.ir().CreateSub(a, own);
      return l.set(0, l.ir().CreateICmpULT(offset, l.imm(uint64_t{1} << shared_rank_shift, 64)));
    }
    case Word::shared_cluster: return l.set(0, lies_in(l, a, w.shared_base, w.shared_bytes));
    case Word::local: return l.set(0, lies_in(l, a, w.local_base, w.local_bytes));
    case Word::param:
    case Word::param_entry: return l.set(0, lies_in(l, a, w.param_base, w.param_bytes));
    default: break;
  }
  // Constants lie among the global addresses: only the module's symbols tell them apart.
  if (has_constants(l.image())) return l.step();
  if (word == Word::const_) return l.set(0, l.ir().getFalse());
  llvm::Value* window = l.ir().CreateOr(lies_in(l, a, w.shared_base, w.shared_bytes),
                                        lies_in(l, a, w.local_base, w.local_bytes));
  // The window of a kernel's parameters is part of the global one (9.7.9.19).
  l.set(0, l.ir().CreateNot(window));
}

// Who goes to a rank that the cluster does not have finds nothing there.
void lower_mapa(Lowering& l) {
  llvm::IRBuilder<>& ir = l.ir();
  llvm::Value* offset = ir.CreateAnd(in_window(l), l.imm((uint64_t{1} << shared_rank_shift) - 1, 64));
  llvm::Value* rank = ir.CreateShl(resize(ir, l.get_bits(2), 64), shared_rank_shift);
  llvm::Value* mapped = ir.CreateOr(rank, offset);
  l.set(0, l.has(Slot::space) ? mapped : generic_address(l, mapped, Space::shared));
}

void lower_getctarank(Lowering& l) { l.set(0, l.ir().CreateLShr(in_window(l), shared_rank_shift)); }

}  // namespace heddle::exec::jit
