#include "exec/jit/math/device.h"

#include <algorithm>
#include <optional>

#include "exec/jit/ir/ops.h"
#include "exec/jit/math/chunks.h"
#include "exec/jit/math/lanes.h"
#include "exec/jit/math/truncating_mad.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::exec::jit {

using llvm::Value;

namespace {

unsigned lanes_of(const llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector == nullptr ? 0 : vector->getNumElements();
}

// Of functions of two results whose parts are functions too.
struct PartOfBoth {
  math::Id both, other;
  unsigned result;
};
std::optional<PartOfBoth> part_of_both(math::Id id) {
  using enum math::Id;
  switch (id) {
    case sinf: return PartOfBoth{sincosf, cosf, 0};
    case cosf: return PartOfBoth{sincosf, sinf, 1};
    case sin: return PartOfBoth{sincos, cos, 0};
    case cos: return PartOfBoth{sincos, sin, 1};
    case sinpif: return PartOfBoth{sincospif, cospif, 0};
    case cospif: return PartOfBoth{sincospif, sinpif, 1};
    case sinpi: return PartOfBoth{sincospi, cospi, 0};
    case cospi: return PartOfBoth{sincospi, sinpi, 1};
    default: return std::nullopt;
  }
}

bool is_two(Value* value) {
  using namespace llvm::PatternMatch;
  return match(value, m_SpecificFP(2)) || match(value, m_SpecificInt(2));
}

bool is_asked_for_behind(const llvm::CallInst& call, math::Id id, llvm::ArrayRef<Value*> sources) {
  for (const llvm::Instruction* i = call.getNextNode(); i != nullptr; i = i->getNextNode()) {
    if (!is_op(i, Op::math)) continue;
    const auto& other = llvm::cast<llvm::CallInst>(*i);
    if (immediate(other, 0) == static_cast<uint64_t>(id) &&
        std::equal(sources.begin(), sources.end(), other.arg_begin() + 2))
      return true;
  }
  return false;
}

}  // namespace

Value* DeviceMath::place(llvm::Type* type) {
  for (llvm::AllocaInst* known : places_)
    if (known->getAllocatedType() == type) return known;
  llvm::BasicBlock& entry = function_.getEntryBlock();
  llvm::IRBuilder<> ir(&entry, entry.getFirstInsertionPt());
  places_.push_back(ir.CreateAlloca(type));
  return places_.back();
}

void DeviceMath::emit(llvm::IRBuilderBase& ir, Done& done) {
  const math::Function& of = math::function(done.id);
  const unsigned lanes = lanes_of(done.sources[0]->getType());
  // The widest vectors that are not half empty.
  unsigned width = host_.vector_bits();
  while (width > 128 && lanes * of.bits() < width) width /= 2;
  if (lanes == 0) width = 0;
  const unsigned at_once = width / of.bits();
  const auto type_of = [&](math::Value value) -> llvm::Type* {
    llvm::Type* one = value == math::Value::integer ? ir.getIntNTy(of.bits())
                      : of.single                   ? ir.getFloatTy()
                                                    : ir.getDoubleTy();
    return lanes == 0 ? one : llvm::FixedVectorType::get(one, at_once);
  };
  const bool two = of.result_count() == 2;
  llvm::SmallVector<llvm::Type*, 5> types;
  for (unsigned i = 0; i < of.source_count(); ++i) types.push_back(type_of(of.sources[i]));
  if (two) types.push_back(ir.getPtrTy());
  auto callee = function_.getParent()->getOrInsertFunction(
      math::code_symbol(done.id, width, flushing_),
      llvm::FunctionType::get(type_of(of.results[0]), types, false));
  auto* target = llvm::cast<llvm::Function>(callee.getCallee());
  target->addFnAttr(llvm::Attribute::NoUnwind);
  target->addFnAttr(llvm::Attribute::WillReturn);
  if (two)
    target->setMemoryEffects(llvm::MemoryEffects::argMemOnly());
  else
    target->setDoesNotAccessMemory();

  llvm::SmallVector<Chunks, 4> parts;
  for (Value* source : done.sources)
    parts.push_back(lanes == 0 ? Chunks{source} : cut_up(ir, source, at_once));
  Chunks results[2];
  for (std::size_t i = 0; i < parts[0].size(); ++i) {
    llvm::SmallVector<Value*, 5> arguments;
    for (const Chunks& part : parts) arguments.push_back(part[i]);
    llvm::Type* second = two ? type_of(of.results[1]) : nullptr;
    if (two) arguments.push_back(place(second));
    results[0].push_back(ir.CreateCall(callee, arguments));
    if (two) results[1].push_back(ir.CreateLoad(second, arguments.back()));
  }
  for (unsigned r = 0; r < of.result_count(); ++r)
    done.results[r] = lanes == 0 ? results[r][0] : put_together(ir, results[r], lanes);
}

// What takes fewer instructions than a call; nullptr: nothing does. With the bits of src/math.
Value* DeviceMath::in_place(llvm::IRBuilderBase& ir, const Done& done) const {
  Value* x = done.sources[0];
  const Lanes l(ir, x->getType());
  const auto constant = [&](double value) { return llvm::ConstantFP::get(x->getType(), value); };
  const auto unary = [&](llvm::Intrinsic::ID id, Value* of) { return ir.CreateUnaryIntrinsic(id, of); };
  Value* result = nullptr;
  switch (done.id) {
    case math::Id::roundf:
    case math::Id::round: {
      Value* whole = unary(llvm::Intrinsic::trunc, x);
      Value* away = ir.CreateFCmpOGE(l.magnitude(ir.CreateFSub(x, whole)), constant(0.5));
      whole = ir.CreateFAdd(
          whole, ir.CreateSelect(away, ir.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, constant(1), x),
                                 constant(0)));
      result = ir.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, whole, x);
      break;
    }
    case math::Id::rsqrtf:
      if (flushing_) return nullptr;  // its subnormals count
      result = ir.CreateFDiv(constant(1), unary(llvm::Intrinsic::sqrt, x));
      break;
    case math::Id::powf:
    case math::Id::pow:
    case math::Id::powif:
    case math::Id::powi:
      if (flushing_ || !is_two(done.sources[1])) return nullptr;
      result = ir.CreateFMul(x, x);
      break;
    default: return nullptr;
  }
  Value* nan = x->getType()->getScalarType()->isFloatTy() ? l.as_f32(l.word(0x7fff'ffff))
                                                          : l.as_f64(l.wide(0xfff8'0000'0000'0000));
  return ir.CreateSelect(ir.CreateFCmpUNO(result, result), nan, result);
}

Value* DeviceMath::expand(llvm::IRBuilderBase& ir, llvm::CallInst& call) {
  Done now{call.getParent(), static_cast<math::Id>(immediate(call, 0)), {}, {}};
  unsigned result = immediate(call, 1);
  for (unsigned i = 2; i < call.arg_size(); ++i) now.sources.push_back(call.getArgOperand(i));
  const auto at_hand = [&](math::Id id) {
    return llvm::find_if(done_, [&](const Done& done) {
      return done.block == now.block && done.id == id && done.sources == now.sources;
    });
  };
  if (const auto part = part_of_both(now.id);
      part && (at_hand(part->both) != done_.end() || is_asked_for_behind(call, part->other, now.sources))) {
    now.id = part->both;
    result = part->result;
  }
  if (const auto* done = at_hand(now.id); done != done_.end()) return done->results[result];
  if (now.id == math::Id::truncating_mad)
    if (Value* made = truncating_mad(call, host_, flushing_, now.sources, [&](llvm::IRBuilder<>& rare) {
          emit(rare, now);
          return now.results[0];
        }))
      return made;
  if (Value* made = in_place(ir, now)) return made;
  emit(ir, now);
  done_.push_back(now);
  return now.results[result];
}

}  // namespace heddle::exec::jit
