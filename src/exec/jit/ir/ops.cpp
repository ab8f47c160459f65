#include "exec/jit/ir/ops.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

namespace heddle::exec::jit {

namespace {

constexpr std::string_view prefix = "heddle.";

struct Record {
  std::string_view name;
  Effect effect;
  std::string_view text;
};

constexpr std::array records{
#define HEDDLE_OP(id, effect, text) Record{#id, Effect::effect, text},
#include "exec/jit/ir/ops.def"
#undef HEDDLE_OP
};

// Which arguments the table's text marks with `imm`: those in the first pair of parentheses.
constexpr uint32_t immediates_of(std::string_view text) {
  uint32_t mask = 0, argument = 0;
  int depth = 0;
  bool at_start = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '{') {
      ++depth;
      at_start = true;
      continue;
    }
    if ((c == ')' || c == '}') && --depth == 0) break;
    if (c == ',' && depth == 1) {
      ++argument;
      at_start = true;
      continue;
    }
    if (c == ' ' || c == '[') continue;
    if (at_start && text.substr(i).starts_with("imm ")) mask |= 1u << argument;
    at_start = false;
  }
  return mask;
}

constexpr auto immediate_masks = [] {
  std::array<uint32_t, records.size()> masks{};
  for (std::size_t i = 0; i < records.size(); ++i) masks[i] = immediates_of(records[i].text);
  return masks;
}();
static_assert(immediate_masks[static_cast<std::size_t>(Op::load)] == 0b110);

// Ops by name, for op_of.
constexpr auto by_name = [] {
  std::array<uint8_t, records.size()> order{};
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<uint8_t>(i);
  std::ranges::sort(order, {}, [](uint8_t i) { return records[i].name; });
  return order;
}();

const Record& record(Op op) { return records[static_cast<std::size_t>(op)]; }

void append(std::string& name, llvm::Type* type) {
  if (type->isVoidTy()) return;
  if (auto* fields = llvm::dyn_cast<llvm::StructType>(type)) {
    for (llvm::Type* field : fields->elements()) append(name, field);
    return;
  }
  name += '.';
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    name += 'v';
    name += std::to_string(vector->getNumElements());
    type = vector->getElementType();
  }
  if (type->isIntegerTy()) {
    name += 'i';
    name += std::to_string(type->getIntegerBitWidth());
  } else if (type->isPointerTy()) {
    name += 'p';
    name += std::to_string(type->getPointerAddressSpace());
  } else {  // half and bfloat too: the clean-up makes values of them that then cross barriers
    name += type->isBFloatTy() ? 'b' : 'f';
    name += std::to_string(type->getPrimitiveSizeInBits().getFixedValue());
  }
}

// Types that follow from the operation need not be in its name, but one rule serves all: result and arguments
// that are no immediates.
std::string declared_name(Op op, llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments,
                          uint32_t immediates) {
  std::string name(prefix);
  name += record(op).name;
  append(name, result);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (i >= 32 || (immediates >> i & 1) == 0) append(name, arguments[i]->getType());
  return name;
}

void set_attributes(llvm::Function& function, Op op) {
  function.addFnAttr(llvm::Attribute::NoUnwind);
  if (op != Op::trap && op != Op::end_thread && op != Op::call)
    function.addFnAttr(llvm::Attribute::WillReturn);
  switch (effect(op)) {
    case Effect::none:
      function.setDoesNotAccessMemory();
      function.addFnAttr(llvm::Attribute::Speculatable);
      break;
    case Effect::convergent:
      function.addFnAttr(llvm::Attribute::Convergent);
      function.addFnAttr(llvm::Attribute::NoDuplicate);
      [[fallthrough]];
    case Effect::memory:
      // Not the program's allocas: what these operations see lies outside of LLVM's sight.
      function.setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
      function.addFnAttr(llvm::Attribute::NoMerge);
      break;
  }
}

}  // namespace

const char* name(Op op) { return record(op).name.data(); }
Effect effect(Op op) { return record(op).effect; }
uint32_t immediate_arguments(Op op) { return immediate_masks[static_cast<std::size_t>(op)]; }

llvm::CallInst* call_op(llvm::IRBuilderBase& builder, Op op, llvm::Type* result,
                        llvm::ArrayRef<llvm::Value*> arguments, const llvm::Twine& value_name) {
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  const uint32_t immediates = immediate_arguments(op);
  std::string declared = declared_name(op, result, arguments, immediates);
  if (op == Op::step) declared += "." + std::to_string(arguments.size());
  llvm::Function* function = module.getFunction(declared);
  if (function == nullptr) {
    llvm::SmallVector<llvm::Type*, 8> types;
    for (llvm::Value* argument : arguments) types.push_back(argument->getType());
    function = llvm::Function::Create(llvm::FunctionType::get(result, types, false),
                                      llvm::GlobalValue::ExternalLinkage, declared, module);
    set_attributes(*function, op);
  }
  return builder.CreateCall(function, arguments, result->isVoidTy() ? llvm::Twine() : value_name);
}

std::optional<Op> op_of(const llvm::Value* value) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(value);
  if (call == nullptr) return std::nullopt;
  const llvm::Function* function = call->getCalledFunction();
  if (function == nullptr || !function->isDeclaration() || function->isIntrinsic()) return std::nullopt;
  llvm::StringRef full = function->getName();
  if (!full.consume_front({prefix.data(), prefix.size()})) return std::nullopt;
  const llvm::StringRef stem = full.take_until([](char c) { return c == '.'; });
  const std::string_view wanted(stem.data(), stem.size());
  const auto found = std::ranges::lower_bound(by_name, wanted, {}, [](uint8_t i) { return records[i].name; });
  if (found == by_name.end() || records[*found].name != wanted) return std::nullopt;
  return static_cast<Op>(*found);
}

void add_access_flags(llvm::CallInst& access, uint32_t flags) {
  llvm::Type* type = access.getArgOperand(2)->getType();
  access.setArgOperand(2, llvm::ConstantInt::get(type, immediate(access, 2) | flags));
}

uint64_t immediate(const llvm::CallInst& call, unsigned argument) {
  return llvm::cast<llvm::ConstantInt>(call.getArgOperand(argument))->getZExtValue();
}

}  // namespace heddle::exec::jit
