#include "exec/jit/lower/lowering.h"

#include <string>

#include "exec/jit/ir/values.h"
#include "exec/jit/lower/function_lowering.h"
#include "exec/jit/lower/special.h"
#include "llvm/IR/Constants.h"

namespace heddle::exec::jit {

using module::Operand;
using module::OperandKind;

Lowering::Lowering(FunctionLowering& function, const module::Instruction& instruction)
    : function_(function),
      instruction_(instruction),
      operands_(function.function().operands.data() + instruction.first_operand) {}

llvm::IRBuilder<>& Lowering::ir() { return function_.ir(); }
llvm::LLVMContext& Lowering::context() { return ir().getContext(); }
const Meaning& Lowering::meaning() const { return function_.program().meaning; }
const module::Function& Lowering::function() const { return function_.function(); }
const module::Image& Lowering::image() const { return function_.program().image; }

// ---- the instruction

std::span<const Operand> Lowering::children(const Operand& o) const { return function_.children(o); }

std::span<const Operand> Lowering::parts(const Operand& o) const {
  if (o.kind == OperandKind::vector) return children(o);
  return {&o, 1};
}

bool Lowering::present(int i) const {
  return i < instruction_.operand_count && operands_[i].kind != OperandKind::absent &&
         operands_[i].kind != OperandKind::sink;
}

const isa::SlotValues& Lowering::words() const { return image().mnemonics[instruction_.mnemonic].values; }

// ---- types

llvm::Type* Lowering::value_type(isa::Type type) { return type_of_value(context(), type); }
llvm::IntegerType* Lowering::integer(unsigned bits) { return llvm::IntegerType::get(context(), bits); }

// ---- values

namespace {

isa::Type type_of_operand(const Operand& o) { return o.type != isa::Type::none ? o.type : o.declared; }

}  // namespace

llvm::Value* Lowering::get_bits(const Operand& o) {
  const isa::Type type = type_of_operand(o);
  const unsigned bits = type == isa::Type::none ? 64 : bits_of(type);
  switch (o.kind) {
    case OperandKind::reg: return resize(ir(), function_.read(o.reg, o.declared), bits);
    case OperandKind::immediate:
    case OperandKind::label:
      return llvm::ConstantInt::get(integer(bits), llvm::APInt(64, o.value).zextOrTrunc(bits));
    case OperandKind::special:
      if (llvm::Value* value = read_special(function_.program(), o.special, o.component))
        return resize(ir(), value, bits);
      break;
    case OperandKind::function:
      return llvm::ConstantInt::get(integer(bits), llvm::APInt(64, code_handle(o.index)).zextOrTrunc(bits));
    case OperandKind::symbol:
    case OperandKind::address: return resize(ir(), address(o), bits);
    default: break;
  }
  return llvm::ConstantInt::get(integer(bits), 0);
}

llvm::Value* Lowering::get(const Operand& o) {
  if (type_of_operand(o) == isa::Type::none) return get_bits(o);
  llvm::Type* type = value_type(type_of_operand(o));
  if (o.kind == OperandKind::reg) {
    llvm::Value* value = function_.read(o.reg, o.declared);
    if (value->getType() == type) return value;
    return as_type(ir(), resize(ir(), value, type->getPrimitiveSizeInBits()), type);
  }
  return as_type(ir(), get_bits(o), type);
}

llvm::Value* Lowering::get_predicate(const Operand& o) {
  llvm::Value* value = resize(ir(), get_bits(o), 1);
  return o.negated ? ir().CreateNot(value) : value;
}

void Lowering::set(const Operand& o, llvm::Value* value) {
  if (o.kind != OperandKind::reg) return;
  const isa::Type type = type_of_operand(o);
  const unsigned bits = bits_of(type), declared = bits_of(o.declared);
  if (value->getType()->getPrimitiveSizeInBits() != bits) value = resize(ir(), value, bits);
  if (bits != declared)
    value = resize(ir(), value, declared, isa::info(type).kind == isa::TypeKind::signed_ && bits < declared);
  function_.write(o.reg, o.declared, value);
}

llvm::Value* Lowering::carry() { return function_.read_carry(); }
void Lowering::set_carry(llvm::Value* value) { function_.write_carry(value); }

// ---- memory

llvm::Value* Lowering::address(const Operand& o) {
  const bool has_register = o.reg != module::none;
  const bool narrow = image().address_bits == 32 || (has_register && !o.is_pointer64);
  llvm::Type* type = narrow ? ir().getInt32Ty() : ir().getInt64Ty();
  const auto constant = [&](uint64_t value) {
    return llvm::ConstantInt::get(type, llvm::APInt(64, value).zextOrTrunc(narrow ? 32 : 64));
  };
  llvm::Value* sum = nullptr;
  const auto add = [&](llvm::Value* value) { sum = sum == nullptr ? value : ir().CreateAdd(sum, value); };
  if (o.index != module::none) {
    llvm::Value* base = function_.symbol_address(o.index);
    // A symbol alone is not wrapped: constants of a 32-bit address lie where they lie.
    add(narrow ? ir().CreateTrunc(base, type) : base);
  }
  if (has_register) add(resize(ir(), function_.read(o.reg, o.declared), narrow ? 32 : 64));
  if (o.value != 0 || sum == nullptr) add(constant(o.value));
  return narrow ? ir().CreateZExt(sum, ir().getInt64Ty()) : sum;
}

// ---- operations

llvm::CallInst* Lowering::op(Op op, llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments) {
  if ((meaning().observed & observe::accesses) != 0) observe_access(op, result, arguments);
  llvm::CallInst* call = call_op(ir(), op, result, arguments);
  if (function_.program().program.in_cluster && is_access(op) && has(isa::Slot::space) &&
      word(isa::Slot::space) == isa::Word::shared_cluster)
    add_access_flags(*call, access_of_cluster);
  return call;
}

// An instruction that is left to the reference executor tells its accesses there.
void Lowering::observe_access(Op op, llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments) {
  const auto bytes_of = [](llvm::Type* type) -> uint64_t {
    uint64_t bits = 0;
    if (const auto* elements = llvm::dyn_cast<llvm::StructType>(type))
      for (llvm::Type* element : elements->elements()) bits += element->getPrimitiveSizeInBits();
    else
      bits = type->getPrimitiveSizeInBits();
    return bits / 8;
  };
  if (is_spared(arguments)) return;
  uint64_t bytes = 0;
  auto kind = observe::AccessKind::change;
  switch (op) {
    case Op::load: kind = observe::AccessKind::load, bytes = bytes_of(result); break;
    case Op::store:
      kind = observe::AccessKind::store;
      for (llvm::Value* element : arguments.drop_front(3)) bytes += bytes_of(element->getType());
      break;
    case Op::atomic:
    case Op::reduce: bytes = bytes_of(arguments[4]->getType()); break;
    default: return;
  }
  call_op(ir(), Op::observe_access, ir().getVoidTy(),
          {imm(function_.site()), imm(bytes), arguments[1], imm(static_cast<uint32_t>(kind)), arguments[0]});
}

// Of a space that need not be told. A generic address may be of any.
bool Lowering::is_spared(llvm::ArrayRef<llvm::Value*> access) const {
  if (access.size() < 2) return false;
  const auto* space = llvm::dyn_cast<llvm::ConstantInt>(access[1]);
  if (space == nullptr) return false;
  switch (static_cast<module::Space>(space->getZExtValue())) {
    case module::Space::shared: return (meaning().observed & observe::spares_shared) != 0;
    case module::Space::local:
    case module::Space::const_: return (meaning().observed & observe::spares_private) != 0;
    default: return false;
  }
}

void Lowering::tells(observe::SyncKind kind, llvm::Value* a, llvm::Value* b) { function_.tells(kind, a, b); }

bool Lowering::tells_compared() const {
  constexpr uint8_t needed = observe::accesses | observe::syncs;
  return (meaning().observed & needed) == needed;
}

llvm::Value* Lowering::imm(uint64_t value, unsigned bits) {
  return llvm::ConstantInt::get(integer(bits), llvm::APInt(64, value).zextOrTrunc(bits));
}

void Lowering::need_reference(std::string_view reason) { function_.program().need_reference(reason); }
void Lowering::need_independent_warps() { function_.program().program.needs.independent_threads = true; }
void Lowering::need_independent_threads() {
  Needs& needs = function_.program().program.needs;
  needs.independent_threads = needs.independent_lanes = true;
}

}  // namespace heddle::exec::jit
