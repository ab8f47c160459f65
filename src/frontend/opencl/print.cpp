// 6.15.14: printf, as a call of the device's vprintf (CUDA's, which executors have). Its vectors become one
// conversion an element.
#include <algorithm>
#include <cctype>
#include <optional>

#include "frontend/opencl/program.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"

namespace heddle::frontend::opencl {

namespace {

using llvm::Value;

std::optional<std::string> text_of(const Value* pointer) {
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(pointer->stripPointerCasts());
  if (variable == nullptr || !variable->hasInitializer()) return std::nullopt;
  if (variable->getInitializer()->isNullValue()) return std::string();
  const auto* data = llvm::dyn_cast<llvm::ConstantDataSequential>(variable->getInitializer());
  if (data == nullptr || !data->isString()) return std::nullopt;
  return data->getAsString().rtrim('\0').str();
}

// "%" flags width precision "v"n length conversion.
struct Conversion {
  std::string before;  // from % to the precision
  unsigned width = 1;
  std::string length;
  char letter = 0;
};

// Of values that CUDA's vprintf takes (CUDA C++ Programming Guide 10.33).
constexpr std::size_t cuda_limit = 32;

class Printf {
 public:
  explicit Printf(llvm::CallInst& call) : call_(call), ir_(&call) {}

  void lower() {
    const auto format = text_of(call_.getArgOperand(0));
    if (format)
      rewrite(*format);
    else
      for (unsigned i = 1; i < call_.arg_size(); ++i) add(call_.getArgOperand(i), true);
    llvm::Module& module = *call_.getModule();
    llvm::PointerType* pointer = ir_.getPtrTy();
    const llvm::FunctionCallee print =
        module.getOrInsertFunction(values_.size() > cuda_limit ? "__heddle_vprintf" : "vprintf",
                                   llvm::FunctionType::get(ir_.getInt32Ty(), {pointer, pointer}, false));
    Value* text = format ? new_text(module) : ir_.CreateAddrSpaceCast(call_.getArgOperand(0), pointer);
    Value* count = ir_.CreateCall(print, {text, arguments()});
    // "Returns 0 if it was executed successfully and -1 otherwise".
    call_.replaceAllUsesWith(ir_.CreateAShr(count, 31));
    call_.eraseFromParent();
  }

 private:
  void rewrite(const std::string& format) {
    std::size_t i = 0;
    while (i < format.size()) {
      if (format[i] != '%') {
        text_ += format[i++];
        continue;
      }
      if (i + 1 < format.size() && format[i + 1] == '%') {
        text_ += "%%";
        i += 2;
        continue;
      }
      const auto conversion = read(format, i);
      if (!conversion) {
        text_ += format[i++];
        continue;
      }
      emit(*conversion);
    }
    // What no conversion takes is evaluated and otherwise ignored.
  }

  static std::optional<Conversion> read(const std::string& format, std::size_t& at) {
    std::size_t i = at + 1;
    Conversion c;
    const auto skip = [&](auto&& fits) {
      while (i < format.size() && fits(format[i])) ++i;
    };
    const auto digit = [](char ch) { return ch >= '0' && ch <= '9'; };
    skip([](char ch) { return ch == '-' || ch == '+' || ch == ' ' || ch == '#' || ch == '0'; });
    skip(digit);
    if (i < format.size() && format[i] == '.') {
      ++i;
      skip(digit);
    }
    c.before = format.substr(at, i - at);
    if (i < format.size() && format[i] == 'v') {
      const std::size_t first = ++i;
      skip(digit);
      if (i == first || i - first > 2) return std::nullopt;
      c.width = static_cast<unsigned>(std::stoi(format.substr(first, i - first)));
    }
    const std::size_t length = i;
    skip([](char ch) { return ch == 'h' || ch == 'l'; });
    c.length = format.substr(length, i - length);
    if (i >= format.size() || std::isalpha(static_cast<unsigned char>(format[i])) == 0) return std::nullopt;
    c.letter = format[i++];
    at = i;
    return c;
  }

  void emit(const Conversion& c) {
    const bool plain_integer = c.letter == 'd' || c.letter == 'i';
    if (next_ >= call_.arg_size()) {
      text_ += c.before + c.length + c.letter;
      return;
    }
    Value* value = call_.getArgOperand(next_++);
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
    if (vector == nullptr) {
      add(value, plain_integer);
      text_ += c.before + c.length + c.letter;
      return;
    }
    for (unsigned i = 0; i < vector->getNumElements(); ++i) {
      Value* element = ir_.CreateExtractElement(value, i);
      // "h", "hh" and "hl" are of the elements, which are passed as int.
      const std::string length = element->getType()->isIntegerTy(64) ? "l" : "";
      add(element, plain_integer);
      text_ += (i == 0 ? "" : ",") + c.before + length + c.letter;
    }
  }

  // As a variable argument: at least an int, or a double; a string's address as a generic one.
  void add(Value* value, bool is_signed) {
    llvm::Type* type = value->getType();
    if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
      for (unsigned i = 0; i < vector->getNumElements(); ++i)
        add(ir_.CreateExtractElement(value, i), is_signed);
      return;
    }
    if (type->isHalfTy() || type->isFloatTy()) value = ir_.CreateFPExt(value, ir_.getDoubleTy());
    if (type->isIntegerTy() && type->getIntegerBitWidth() < 32)
      value = is_signed ? ir_.CreateSExt(value, ir_.getInt32Ty()) : ir_.CreateZExt(value, ir_.getInt32Ty());
    if (type->isPointerTy()) value = ir_.CreateAddrSpaceCast(value, ir_.getPtrTy());
    values_.push_back(value);
  }

  // Each at a multiple of its size.
  Value* arguments() {
    if (values_.empty()) return llvm::ConstantPointerNull::get(ir_.getPtrTy());
    std::vector<llvm::Type*> types;
    for (Value* value : values_) types.push_back(value->getType());
    auto* record = llvm::StructType::get(ir_.getContext(), types);
    llvm::IRBuilder<> entry(&*call_.getFunction()->getEntryBlock().getFirstInsertionPt());
    llvm::AllocaInst* memory = entry.CreateAlloca(record);
    memory->setAlignment(llvm::Align(8));
    for (unsigned i = 0; i < values_.size(); ++i)
      ir_.CreateStore(values_[i], ir_.CreateStructGEP(record, memory, i));
    return memory;
  }

  Value* new_text(llvm::Module& module) {
    auto* text = llvm::ConstantDataArray::getString(ir_.getContext(), text_);
    auto* variable =
        new llvm::GlobalVariable(module, text->getType(), true, llvm::GlobalValue::PrivateLinkage, text,
                                 "printf_format", nullptr, llvm::GlobalValue::NotThreadLocal, 4);
    variable->setAlignment(llvm::Align(1));
    return ir_.CreateAddrSpaceCast(variable, ir_.getPtrTy());
  }

  llvm::CallInst& call_;
  llvm::IRBuilder<> ir_;
  unsigned next_ = 1;
  std::string text_;
  std::vector<Value*> values_;
};

}  // namespace

void lower_printf(llvm::Module& module) {
  llvm::Function* function = module.getFunction("printf");
  if (function == nullptr || !function->isDeclaration()) return;
  std::vector<llvm::CallInst*> calls;
  for (llvm::User* user : function->users())
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(user);
        call != nullptr && call->getCalledFunction() == function)
      calls.push_back(call);
  for (llvm::CallInst* call : calls) Printf(*call).lower();
  if (function->use_empty()) function->eraseFromParent();
}

std::string lower_samplers(llvm::Module& module) {
  llvm::Function* function = module.getFunction("__translate_sampler_initializer");
  if (function == nullptr || !function->isDeclaration()) return {};
  std::string variables;
  std::vector<uint64_t> seen;
  while (!function->use_empty()) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(function->user_back());
    const auto* bits = call == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(0));
    if (bits == nullptr) return variables;
    const uint64_t value = bits->getZExtValue();
    const std::string name = "__heddle_sampler_" + std::to_string(value);
    if (std::ranges::find(seen, value) == seen.end()) {
      seen.push_back(value);
      // opencl-c-base.h: bit 0 normalised; 2 to the edge, 4 to the border, 6 repeat, 8 mirror; 0x20 linear.
      const unsigned address = value & 0xe;
      const char* mode = address == 4   ? "clamp_to_border"
                         : address == 6 ? "wrap"
                         : address == 8 ? "mirror"
                                        : "clamp_to_edge";
      variables += ".global .samplerref " + name + " = { ";
      for (const char axis : {'0', '1', '2'})
        variables += std::string("addr_mode_") + axis + " = " + mode + ", ";
      variables += std::string("filter_mode = ") + ((value & 0x20) != 0 ? "linear" : "nearest");
      if ((value & 1) == 0) variables += ", force_unnormalized_coords = 1";
      variables += " };\n";
    }
    llvm::IRBuilder<> ir(call);
    auto* type = llvm::FunctionType::get(ir.getInt64Ty(), false);
    llvm::CallInst* address =
        ir.CreateCall(type, llvm::InlineAsm::get(type, "mov.u64 $0, " + name + ";", "=l", false));
    address->setDoesNotAccessMemory();
    call->replaceAllUsesWith(ir.CreateIntToPtr(address, call->getType()));
    call->eraseFromParent();
  }
  function->eraseFromParent();
  return variables;
}

}  // namespace heddle::frontend::opencl
