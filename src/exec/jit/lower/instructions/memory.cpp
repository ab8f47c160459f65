// Loads and stores, hints (PTX ISA 9.7.9.8 to 9.7.9.18). Eviction priorities, prefetch sizes and policies
// change no value.
#include "exec/cache_policy.h"
#include "exec/jit/ir/values.h"
#include "exec/jit/lower/function_lowering.h"
#include "exec/jit/lower/instructions/addresses.h"
#include "exec/jit/lower/lowering.h"
#include "exec/memory_map.h"

namespace heddle::exec::jit {

namespace {

using isa::Slot;
using isa::Word;
using module::Operand;
using module::OperandKind;
using module::Space;

uint32_t flags_of(const Lowering& l) {
  uint32_t flags = access_weak;
  if (l.has(Slot::volatile_) || l.has(Slot::sem) || l.has(Slot::mmio)) flags |= access_strong;
  if (l.word(Slot::sem) == Word::acquire) flags |= access_acquire;
  if (l.word(Slot::sem) == Word::release) flags |= access_release;
  if (l.word(Slot::cop) == Word::cs || l.word(Slot::l1_evict) == Word::L1_evict_first ||
      l.word(Slot::l1_evict) == Word::L1_no_allocate)
    flags |= access_uncached_hint;
  return flags;
}

// A load from a constant place of the launch's parameters. False: it is none, or would fault.
bool load_parameters(Lowering& l, const Operand& from, const llvm::Value* address) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(address);
  if (from.space != Space::param || constant == nullptr) return false;
  const auto parts = l.parts(l.operand(0));
  const unsigned bits = bits_of(l.type());
  const uint64_t offset = constant->getZExtValue() - windows(l.image().address_bits).param_base;
  const uint64_t bytes = uint64_t{bits} / 8 * parts.size();
  if (bits > 64 || offset % bytes != 0 || offset >= parameter_bytes(l.function()) ||
      bytes > parameter_bytes(l.function()) - offset)
    return false;
  for (std::size_t i = 0; i < parts.size(); ++i)
    l.set(parts[i], l.op(Op::parameter, l.integer(bits), {l.imm(offset + bits / 8 * i)}));
  return true;
}

// Of a register nothing but its value says whether it leads to a parameter of the launch, in the window, or
// to one of a function, in local memory.
Space space_of(Lowering& l, const Operand& place, llvm::Value*& address) {
  if (place.space != Space::param) return place.space;
  if (!l.function().entry) address = generic_address(l, address, Space::param);
  return Space::generic;
}

void load(Lowering& l, uint32_t flags) {
  const Operand& from = l.operand(1);
  llvm::Value* address = l.address(from);
  if (load_parameters(l, from, address)) return;
  // What the caller has stored for a function is memory that changes.
  if (from.space == Space::const_ || (from.space == Space::param && l.function().entry))
    flags |= access_non_coherent;
  const Space space = space_of(l, from, address);
  const auto parts = l.parts(l.operand(0));
  llvm::Type* element = l.integer(bits_of(l.type()));
  llvm::Type* result = element;
  if (parts.size() > 1)
    result = llvm::StructType::get(l.context(), std::vector<llvm::Type*>(parts.size(), element));
  llvm::Value* loaded = l.op(Op::load, result, {address, l.imm(static_cast<uint32_t>(space)), l.imm(flags)});
  if (parts.size() == 1) return l.set(parts[0], loaded);
  for (unsigned i = 0; i < parts.size(); ++i) l.set(parts[i], l.ir().CreateExtractValue(loaded, i));
}

}  // namespace

void lower_ld(Lowering& l) { load(l, flags_of(l)); }
void lower_ld_nc(Lowering& l) { load(l, flags_of(l) | access_non_coherent); }
void lower_ldu(Lowering& l) { load(l, flags_of(l) | access_non_coherent); }

void lower_st(Lowering& l) {
  const Operand& to = l.operand(0);
  llvm::Value* address = l.address(to);
  const Space space = space_of(l, to, address);
  std::vector<llvm::Value*> arguments{address, l.imm(static_cast<uint32_t>(space)), l.imm(flags_of(l))};
  for (const Operand& part : l.parts(l.operand(1))) {
    if (part.kind == OperandKind::sink) return l.step();  // an element that stays as it is
    arguments.push_back(l.get_bits(part));
  }
  l.op(Op::store, l.ir().getVoidTy(), arguments);
}

void lower_prefetch(Lowering& l) {
  const Operand& at = l.operand(0);
  l.op(Op::prefetch, l.ir().getVoidTy(),
       {l.address(at), l.imm(static_cast<uint32_t>(at.space)), l.imm(0), l.imm(0)});
}

void lower_prefetch_tensormap(Lowering&) {}
void lower_prefetchu(Lowering&) {}
void lower_applypriority(Lowering&) {}
void lower_discard(Lowering&) {}

// As exec/cache_policy.h has it.
void lower_createpolicy_range(Lowering& l) {
  using namespace cache_policy;
  llvm::IRBuilderBase& b = l.ir();
  const uint64_t fixed = of_range | priorities(l.word(Slot::primary), l.word(Slot::secondary));
  llvm::Value *address = l.address(l.operand(1)), *primary = l.get_bits(2), *total = l.get_bits(3);
  llvm::Value* width = b.CreateSub(
      b.getInt32(32),
      b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, b.CreateSub(total, b.getInt32(1)), b.getFalse()));
  llvm::Value* more = b.CreateSelect(b.CreateICmpUGT(width, b.getInt32(19)),
                                     b.CreateSub(width, b.getInt32(19)), b.getInt32(0));
  llvm::Value* bits = b.CreateAdd(more, b.getInt32(least_block));
  llvm::Value* rounded = b.CreateAdd(primary, b.CreateSub(b.CreateShl(b.getInt32(1), bits), b.getInt32(1)));
  const auto wide = [&](llvm::Value* value) { return b.CreateZExt(value, b.getInt64Ty()); };
  llvm::Value* first = b.CreateLShr(address, wide(bits));
  llvm::Value* count = b.CreateSub(b.CreateLShr(b.CreateAdd(address, wide(rounded)), wide(bits)), first);
  llvm::Value* most = b.getInt64(most_blocks);
  count = b.CreateSelect(b.CreateICmpUGT(count, most), most, count);
  llvm::Value* policy = b.CreateOr(b.getInt64(fixed), b.CreateShl(wide(more), detail_at));
  policy = b.CreateOr(policy, b.CreateShl(b.CreateAnd(first, most_blocks), first_at));
  policy = b.CreateOr(policy, b.CreateShl(count, count_at));
  l.set(0, b.CreateSelect(b.CreateICmpEQ(total, b.getInt32(0)), b.getInt64(of_range), policy));
}
void lower_createpolicy_fractional(Lowering& l) {
  using namespace cache_policy;
  llvm::IRBuilderBase& b = l.ir();
  const uint64_t fixed = priorities(l.word(Slot::primary), l.word(Slot::secondary));
  if (!l.present(1)) return l.set(0, b.getInt64(fraction(fixed, 1)));
  llvm::Type* number = b.getFloatTy();
  llvm::Value* scaled = b.CreateFMul(l.get(1), llvm::ConstantFP::get(number, steps));
  llvm::Value* zero = llvm::ConstantFP::get(number, 0);
  llvm::Value* most = llvm::ConstantFP::get(number, 0x1p32);
  const auto chosen = [&](llvm::Value* good) { return b.CreateSelect(good, scaled, zero); };
  llvm::Value* whole = b.CreateFPToUI(
      chosen(b.CreateAnd(b.CreateFCmpOGT(scaled, zero), b.CreateFCmpOLT(scaled, most))), b.getInt32Ty());
  whole = b.CreateSelect(b.CreateFCmpOGE(scaled, most), b.getInt32(15), b.CreateAnd(whole, b.getInt32(15)));
  l.set(0, b.CreateOr(b.getInt64(of_fraction | fixed),
                      b.CreateShl(b.CreateZExt(whole, b.getInt64Ty()), detail_at)));
}
void lower_createpolicy_cvt(Lowering& l) { l.set(0, l.get_bits(1)); }

}  // namespace heddle::exec::jit
