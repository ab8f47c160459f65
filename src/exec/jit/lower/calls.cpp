// Calls, lowered in place: what passes from the caller's registers and variables to the callee's, and
// back (module::Signature).
#include <algorithm>
#include <utility>

#include "exec/fault.h"
#include "exec/jit/ir/values.h"
#include "exec/jit/lower/function_lowering.h"
#include "exec/jit/lower/lowering.h"
#include "llvm/IR/Constants.h"
#include "math/math.h"
#include "module/math_function.h"

namespace heddle::exec::jit {

namespace {

using module::Operand;
using module::OperandKind;

// A device keeps the return address in the frame: so much stack is charged for it, as by the reference
// executor.
constexpr uint32_t return_record_bytes = 16;

uint32_t align_up(uint32_t value, uint32_t align) { return (value + align - 1) / align * align; }

unsigned bytes_of(isa::Type type) { return std::max(1u, bits_of(type) / 8); }

struct CallOperands {
  std::span<const Operand> results, params;
};

CallOperands call_operands(const module::Function& function, const module::Instruction& call) {
  CallOperands out;
  bool past_target = false;
  for (uint32_t i = 0; i < call.operand_count; ++i) {
    const Operand& o = function.operands[call.first_operand + i];
    if (o.kind == OperandKind::list)
      (past_target ? out.params : out.results) = {function.operands.data() + o.first_child, o.child_count};
    else if (o.kind != OperandKind::absent)
      past_target = true;
  }
  return out;
}

// Bytes of a variable in local memory, in the largest pieces that its alignment allows.
class Bytes {
 public:
  Bytes(llvm::IRBuilder<>& ir, uint32_t variable, uint32_t align)
      : ir_(ir),
        align_(align),
        base_(call_op(ir, Op::local_address, ir.getInt64Ty(), {ir.getInt32(variable)})) {}

  llvm::Value* load(uint64_t offset, unsigned bytes) {
    return call_op(ir_, Op::load, ir_.getIntNTy(bytes * 8), {at(offset), space(), flags()});
  }
  void store(uint64_t offset, llvm::Value* value) {
    call_op(ir_, Op::store, ir_.getVoidTy(), {at(offset), space(), flags(), value});
  }
  // The largest piece at `offset` that is not longer than `left`.
  unsigned piece(uint64_t offset, uint64_t left) const {
    unsigned bytes = std::min(8u, align_);
    while (bytes > left || offset % bytes != 0) bytes /= 2;
    return bytes;
  }

 private:
  llvm::Value* at(uint64_t offset) {
    return offset == 0 ? base_ : ir_.CreateAdd(base_, ir_.getInt64(offset));
  }
  llvm::Value* space() { return ir_.getInt32(static_cast<uint32_t>(module::Space::local)); }
  llvm::Value* flags() { return ir_.getInt32(access_weak); }

  llvm::IRBuilder<>& ir_;
  uint32_t align_;
  llvm::Value* base_;
};

void copy(Bytes from, uint64_t from_bytes, Bytes to, uint64_t to_bytes, llvm::IRBuilder<>& ir) {
  const uint64_t bytes = std::min(from_bytes, to_bytes);
  for (uint64_t at = 0; at < bytes;) {
    const unsigned piece = std::min(from.piece(at, bytes - at), to.piece(at, bytes - at));
    to.store(at, from.load(at, piece));
    at += piece;
  }
  // An argument that is shorter than the parameter is followed by zeros.
  for (uint64_t at = bytes; at < to_bytes;) {
    const unsigned piece = to.piece(at, to_bytes - at);
    to.store(at, ir.getIntN(piece * 8, 0));
    at += piece;
  }
}

}  // namespace

bool FunctionLowering::is_variable(const Operand& o) const {
  return o.kind == OperandKind::symbol && o.space == module::Space::local &&
         program_.image.symbols[o.index].owner != module::none;
}

// The values of an argument that is no variable: a register, an immediate, or several in braces.
std::vector<llvm::Value*> FunctionLowering::argument_parts(const Operand& argument) {
  std::vector<llvm::Value*> parts;
  if (argument.kind == OperandKind::vector) {
    for (const Operand& child : children(argument))
      for (llvm::Value* part : argument_parts(child)) parts.push_back(part);
    return parts;
  }
  if (argument.kind == OperandKind::reg) {
    llvm::Value* value = as_integer(ir(), read(argument.reg, argument.declared));
    return {bits_of(argument.declared) == 1 ? ir().CreateZExt(value, ir().getInt8Ty()) : value};
  }
  Lowering lowering(*this, function_.code[program_.program.sites[site_].instruction]);
  return {as_integer(ir(), lowering.get_bits(argument))};
}

void FunctionLowering::bind_arguments(std::span<const Operand> arguments, FunctionLowering& callee) {
  const auto& params = callee.function_.signature.params;
  for (std::size_t i = 0; i < std::min(params.size(), arguments.size()); ++i) {
    const module::Parameter& param = params[i];
    const Operand& argument = arguments[i];
    if (param.in_register && !is_variable(argument)) {
      uint32_t slot = param.reg;
      for (llvm::Value* part : argument_parts(argument)) {
        callee.write(slot, param.type, resize(ir(), part, bits_of(param.type)));
        slot += bits_of(param.type) == 128 ? 2 : 1;
      }
      continue;
    }
    if (param.in_register) {  // a variable's bytes to one register or the elements of a vector
      const module::Symbol& symbol = program_.image.symbols[argument.index];
      Bytes from(ir(), variable(argument.index), symbol.align);
      const unsigned bytes = bytes_of(param.type);
      uint32_t slot = param.reg;
      for (uint64_t at = 0; at + bytes <= std::min<uint64_t>(param.size, symbol.size); at += bytes) {
        callee.write(slot, param.type, resize(ir(), from.load(at, bytes), bits_of(param.type)));
        slot += bytes == 16 ? 2 : 1;
      }
      continue;
    }
    Bytes to(ir(), callee.variable(param.offset, param.size, param.align), param.align);
    if (is_variable(argument)) {
      const module::Symbol& symbol = program_.image.symbols[argument.index];
      copy(Bytes(ir(), variable(argument.index), symbol.align), symbol.size, to, param.size, ir());
      continue;
    }
    uint64_t at = 0;
    for (llvm::Value* part : argument_parts(argument)) {
      const unsigned bytes = part->getType()->getIntegerBitWidth() / 8;
      if (at + bytes > param.size) {
        if (at < param.size) to.store(at, resize(ir(), part, static_cast<unsigned>(param.size - at) * 8));
        break;
      }
      to.store(at, part);
      at += bytes;
    }
    while (at < param.size) {
      const unsigned piece = to.piece(at, param.size - at);
      to.store(at, ir().getIntN(piece * 8, 0));
      at += piece;
    }
  }
}

void FunctionLowering::give_results(std::span<const Operand> results, FunctionLowering& callee) {
  const auto& given = callee.function_.signature.results;
  for (std::size_t i = 0; i < std::min(given.size(), results.size()); ++i) {
    const module::Parameter& from = given[i];
    const Operand& to = results[i];
    if (is_variable(to) && !from.in_register) {
      const module::Symbol& symbol = program_.image.symbols[to.index];
      const uint64_t bytes = std::min<uint64_t>(symbol.size, from.size);
      copy(Bytes(ir(), callee.variable(from.offset, from.size, from.align), from.align), bytes,
           Bytes(ir(), variable(to.index), symbol.align), bytes, ir());
      continue;
    }
    const std::span<const Operand> targets =
        to.kind == OperandKind::vector ? children(to) : std::span(&to, 1);
    uint64_t at = 0;
    uint32_t slot = from.reg;
    for (const Operand& target : targets) {
      const isa::Type type = is_variable(target) ? from.type : target.declared;
      const unsigned bytes = bytes_of(type);
      if (at + bytes > from.size) break;
      llvm::Value* value =
          from.in_register
              ? as_integer(ir(), callee.read(slot, from.type))
              : Bytes(ir(), callee.variable(from.offset, from.size, from.align), from.align).load(at, bytes);
      if (is_variable(target)) {
        const module::Symbol& symbol = program_.image.symbols[target.index];
        Bytes(ir(), variable(target.index), symbol.align).store(0, resize(ir(), value, bytes * 8));
      } else if (target.kind == OperandKind::reg) {
        write(target.reg, target.declared, resize(ir(), value, bits_of(target.declared)));
      }
      at += bytes;
      slot += bytes == 16 ? 2 : 1;
    }
  }
}

void FunctionLowering::call(const module::Instruction& instruction, uint32_t index) {
  const module::Function& target = program_.image.functions[index];
  if (const math::Function* math = module::math_function(target)) return call_math(instruction, *math);
  if (!target.defined) return program_.need_reference("a call of '" + target.name + "' by its address");
  const CallOperands operands = call_operands(function_, instruction);
  const uint32_t top = frame_ + function_.frame_bytes + (caller_ == nullptr ? 0 : return_record_bytes);
  FunctionLowering callee(program_, index, align_up(top, std::max(target.frame_align, 16u)), this, site_);
  if (target.recursive || is_active(index)) {
    call_by_frame(operands.results, operands.params, index, callee);
    return;
  }
  callee.begin();
  bind_arguments(operands.params, callee);
  callee.lower();
  ir().SetCurrentDebugLocation(llvm::DILocation::get(ir().getContext(), site_ + 1, 0, program_.scope));
  give_results(operands.results, callee);
}

// A device math function is an operation for each of its results. Those that go to memory do so in stores of
// their own, behind it.
void FunctionLowering::call_math(const module::Instruction& instruction, const math::Function& function) {
  const CallOperands operands = call_operands(function_, instruction);
  const unsigned values = function.source_count();
  if (operands.params.size() < values + function.pointer_count()) return;
  const auto argument = [&](const Operand& o, unsigned bits) -> llvm::Value* {
    if (is_variable(o))
      return Bytes(ir(), variable(o.index), program_.image.symbols[o.index].align).load(0, bits / 8);
    return resize(ir(), argument_parts(o).at(0), bits);
  };
  llvm::Type* number = function.single ? ir().getFloatTy() : ir().getDoubleTy();
  llvm::Type* integer = ir().getIntNTy(function.bits());
  const auto type_of = [&](math::Value value) { return value == math::Value::integer ? integer : number; };
  llvm::SmallVector<llvm::Value*, 6> arguments{ir().getInt32(static_cast<uint32_t>(math::id_of(function))),
                                               nullptr};
  for (unsigned i = 0; i < values; ++i) {
    const bool is_integer = function.sources[i] == math::Value::integer;
    llvm::Value* value = argument(operands.params[i], is_integer ? 32 : function.bits());
    arguments.push_back(is_integer ? resize(ir(), value, function.bits(), true)
                                   : as_type(ir(), value, number));
  }
  llvm::SmallVector<llvm::Value*, 2> results;  // as integers of the program's widths
  for (unsigned r = 0; r < function.result_count(); ++r) {
    arguments[1] = ir().getInt32(r);
    const bool is_integer = function.results[r] == math::Value::integer;
    llvm::Value* result = call_op(ir(), Op::math, type_of(function.results[r]), arguments);
    results.push_back(is_integer ? resize(ir(), result, 32) : as_integer(ir(), result));
  }
  if (const std::span<const Number> numbers = told_numbers(instruction); !numbers.empty()) {
    Values told;
    for (unsigned r = 0; r < function.result_count(); ++r)
      if (function.results[r] != math::Value::integer) told.push_back(as_type(ir(), results[r], number));
    for (unsigned i = 0; i < values; ++i)
      if (function.sources[i] != math::Value::integer) told.push_back(arguments[2 + i]);
    tell_values(instruction, numbers, told);
  }
  const unsigned returned = function.returns ? 1 : 0;
  Lowering lowering(*this, instruction);
  for (unsigned p = 0; p < function.pointer_count(); ++p) {
    llvm::Value* address =
        resize(ir(), argument(operands.params[values + p], program_.image.address_bits), 64);
    lowering.op(Op::store, ir().getVoidTy(),
                {address, ir().getInt32(static_cast<uint32_t>(module::Space::generic)),
                 ir().getInt32(access_weak), results[returned + p]});
  }
  if (!function.returns || operands.results.empty()) return;
  const Operand& to = operands.results[0];
  if (is_variable(to))
    Bytes(ir(), variable(to.index), program_.image.symbols[to.index].align).store(0, results[0]);
  else if (to.kind == OperandKind::reg)
    write(to.reg, to.declared, resize(ir(), results[0], bits_of(to.declared)));
}

// A function that may be active already has code of its own. `callee` stands for its new frame.
void FunctionLowering::call_by_frame(std::span<const Operand> results, std::span<const Operand> arguments,
                                     uint32_t index, FunctionLowering& callee) {
  const module::Function& target = callee.function_;
  const auto in_register = [](const module::Parameter& p) { return p.in_register; };
  if (std::ranges::any_of(target.signature.params, in_register) ||
      std::ranges::any_of(target.signature.results, in_register))
    return program_.need_reference("'" + target.name + "' calls itself and has parameters in registers");
  program_.program.needs.independent_threads = program_.program.needs.independent_lanes = true;
  program_.want_function(index);
  program_.program.local_bytes =
      std::max(program_.program.local_bytes, callee.frame_ + target.frame_bytes + return_record_bytes);
  bind_arguments(arguments, callee);
  call_op(ir(), Op::call, ir().getVoidTy(), {ir().getInt32(index), ir().getInt32(callee.frame_)});
  give_results(results, callee);
  for (const auto& [place, variable] : callee.variables_) program_.program.variables[variable].fixed = true;
}

void FunctionLowering::call(const module::Instruction& instruction, llvm::Value* handle,
                            std::span<const uint32_t> candidates) {
  llvm::LLVMContext& context = ir().getContext();
  llvm::BasicBlock* none = llvm::BasicBlock::Create(context, "no_function", program_.thread);
  llvm::BasicBlock* next = llvm::BasicBlock::Create(context, "called", program_.thread);
  llvm::SwitchInst* choice = ir().CreateSwitch(resize(ir(), handle, 64), none, candidates.size());
  ir().SetInsertPoint(none);
  trap(static_cast<uint32_t>(FaultKind::invalid_pc));
  // Each way writes the results itself: what is known at its end is not known behind all of them.
  const bool deferred = std::exchange(deferred_, false);
  const auto known = known_;
  for (const uint32_t candidate : candidates) {
    if (program_.program.needs.reference) break;
    known_ = known;
    llvm::BasicBlock* way = llvm::BasicBlock::Create(context, "calls", program_.thread);
    choice->addCase(ir().getInt64(code_handle(candidate)), way);
    ir().SetInsertPoint(way);
    call(instruction, candidate);
    if (ir().GetInsertBlock()->getTerminator() == nullptr) ir().CreateBr(next);
  }
  known_.clear();
  deferred_ = deferred;
  ir().SetInsertPoint(next);
}

}  // namespace heddle::exec::jit
