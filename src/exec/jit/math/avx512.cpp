#include "exec/jit/math/avx512.h"

#include "exec/jit/math/avx512_unit.h"
#include "exec/jit/math/chunks.h"
#include "llvm/IR/IntrinsicsX86.h"

namespace heddle::exec::jit::avx512 {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

namespace {

bool has(const Host& host, llvm::StringRef feature) {
  llvm::SmallVector<llvm::StringRef, 64> all;
  llvm::StringRef(host.features).split(all, ',');
  return llvm::is_contained(all, feature);
}

// f(sources) by `width` lanes at a time.
template <class F>
Value* by_chunks(llvm::IRBuilderBase& ir, unsigned width, llvm::ArrayRef<Value*> sources, F&& f) {
  llvm::SmallVector<Chunks, 3> parts;
  for (Value* source : sources) parts.push_back(cut_up(ir, source, width));
  Chunks results;
  for (std::size_t i = 0; i < parts[0].size(); ++i) {
    llvm::SmallVector<Value*, 3> chunk;
    for (const Chunks& part : parts) chunk.push_back(part[i]);
    results.push_back(f(chunk));
  }
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(sources[0]->getType());
  return put_together(ir, results, vector == nullptr ? 0 : vector->getNumElements());
}

uint32_t rounding_of(Direction direction) {
  constexpr uint32_t no_exceptions = 8, down = 1, up = 2, zero = 3;
  return no_exceptions | (direction == Direction::down ? down : direction == Direction::up ? up : zero);
}

Intrinsic::ID intrinsic_of(Arithmetic operation, bool single) {
  switch (operation) {
    case Arithmetic::add: return single ? Intrinsic::x86_avx512_add_ps_512 : Intrinsic::x86_avx512_add_pd_512;
    case Arithmetic::mul: return single ? Intrinsic::x86_avx512_mul_ps_512 : Intrinsic::x86_avx512_mul_pd_512;
    case Arithmetic::div: return single ? Intrinsic::x86_avx512_div_ps_512 : Intrinsic::x86_avx512_div_pd_512;
    case Arithmetic::sqrt:
      return single ? Intrinsic::x86_avx512_sqrt_ps_512 : Intrinsic::x86_avx512_sqrt_pd_512;
    default: return single ? Intrinsic::x86_avx512_vfmadd_ps_512 : Intrinsic::x86_avx512_vfmadd_pd_512;
  }
}

}  // namespace

Features features_of(const Host& host) {
  Features features;
  features.rounding = host.level == VectorLevel::avx512;
  features.tables = features.rounding && has(host, "+avx512vbmi") && has(host, "+avx512vnni");
  return features;
}

Value* rounded(llvm::IRBuilderBase& ir, const Features& features, Arithmetic operation, Direction direction,
               llvm::ArrayRef<Value*> sources) {
  if (!features.rounding) return nullptr;
  const bool single = sources[0]->getType()->getScalarType()->isFloatTy();
  return by_chunks(ir, single ? 16 : 8, sources, [&](llvm::ArrayRef<Value*> chunk) {
    llvm::SmallVector<Value*, 4> arguments(chunk);
    arguments.push_back(ir.getInt32(rounding_of(direction)));
    return ir.CreateIntrinsic(intrinsic_of(operation, single), {}, arguments);
  });
}

// VFIXUPIMM: what becomes of a number of a kind is a token of 4 bits; 0 keeps the result, 2 is the source
// made quiet. The kinds begin with quiet and signalling NaNs.
Value* first_nan(llvm::IRBuilderBase& ir, const Features& features, Value* result, Value* source) {
  if (!features.rounding || !source->getType()->isVectorTy()) return nullptr;
  return by_chunks(ir, 8, {result, source}, [&](llvm::ArrayRef<Value*> chunk) {
    llvm::Constant* table = llvm::ConstantInt::get(llvm::FixedVectorType::get(ir.getInt64Ty(), 8), 0x22);
    return ir.CreateIntrinsic(Intrinsic::x86_avx512_mask_fixupimm_pd_512, {},
                              {chunk[0], chunk[1], table, ir.getInt32(0), ir.getInt8(0xff), ir.getInt32(4)});
  });
}

Value* approximate(llvm::IRBuilderBase& ir, const Features& features, Approximation function, bool ftz,
                   llvm::ArrayRef<Value*> sources) {
  if (!features.tables || !has_unit(function)) return nullptr;
  return by_chunks(ir, 16, sources,
                   [&](llvm::ArrayRef<Value*> chunk) { return unit(ir, function, ftz, chunk); });
}

}  // namespace heddle::exec::jit::avx512
