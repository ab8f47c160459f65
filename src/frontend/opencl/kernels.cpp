// What a program's kernels are: from clang's metadata, and as comments in the PTX.
#include <algorithm>
#include <bit>
#include <charconv>

#include "frontend/opencl/program.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace heddle::frontend::opencl {

namespace {

constexpr std::string_view head = "//.heddle.opencl 1", tail = "//.heddle.end";

std::string text_of(const llvm::Function& function, const char* kind, unsigned i) {
  const llvm::MDNode* node = function.getMetadata(kind);
  if (node == nullptr || i >= node->getNumOperands()) return {};
  const auto* text = llvm::dyn_cast_or_null<llvm::MDString>(node->getOperand(i));
  return text == nullptr ? std::string() : text->getString().str();
}
uint32_t number_of(const llvm::Function& function, const char* kind, unsigned i) {
  const llvm::MDNode* node = function.getMetadata(kind);
  if (node == nullptr || i >= node->getNumOperands()) return 0;
  const auto* value = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(node->getOperand(i));
  return value == nullptr ? 0 : static_cast<uint32_t>(value->getZExtValue());
}

bool has_word(const std::string& text, std::string_view word) {
  return (" " + text + " ").find(" " + std::string(word) + " ") != std::string::npos;
}

OpenClArgument describe_argument(const llvm::Function& kernel, unsigned i, uint32_t& offset) {
  OpenClArgument argument;
  argument.name = text_of(kernel, "kernel_arg_name", i);
  argument.type_name = text_of(kernel, "kernel_arg_type", i);
  const std::string base = text_of(kernel, "kernel_arg_base_type", i);
  const std::string qualifiers = text_of(kernel, "kernel_arg_type_qual", i);
  argument.is_const = has_word(qualifiers, "const");
  argument.is_restrict = has_word(qualifiers, "restrict");
  argument.is_volatile = has_word(qualifiers, "volatile");
  argument.is_pipe = has_word(qualifiers, "pipe");
  const std::string access = text_of(kernel, "kernel_arg_access_qual", i);
  argument.access = access == "read_only"    ? OpenClAccess::read_only
                    : access == "write_only" ? OpenClAccess::write_only
                    : access == "read_write" ? OpenClAccess::read_write
                                             : OpenClAccess::none;
  const llvm::Argument& given = *kernel.getArg(i);
  llvm::Type* type = given.hasByValAttr() ? given.getParamByValType() : given.getType();
  const llvm::DataLayout& layout = kernel.getParent()->getDataLayout();
  argument.size = static_cast<uint32_t>(layout.getTypeAllocSize(type));
  argument.alignment = static_cast<uint32_t>(layout.getABITypeAlign(type).value());
  if (given.hasByValAttr() && given.getParamAlign())
    argument.alignment = static_cast<uint32_t>(given.getParamAlign()->value());
  offset = (offset + argument.alignment - 1) / argument.alignment * argument.alignment;
  argument.offset = offset;
  offset += argument.size;
  // A program's own types may have names that begin as images' do.
  if (argument.access != OpenClAccess::none && !argument.is_pipe) {
    argument.kind = OpenClKind::image;
    argument.image = base;
    argument.address = OpenClAddress::global;
  } else if (base == "sampler_t") {
    argument.kind = OpenClKind::sampler;
  } else if (type->isPointerTy()) {
    const unsigned space = type->getPointerAddressSpace();
    argument.kind = space == 3 ? OpenClKind::local : OpenClKind::pointer;
    argument.address = space == 3   ? OpenClAddress::local
                       : space == 4 ? OpenClAddress::constant
                                    : OpenClAddress::global;
    if (space == 3) argument.alignment = static_cast<uint32_t>(given.getParamAlign().valueOrOne().value());
  }
  return argument;
}

std::string triple_text(const char* name, const std::array<uint32_t, 3>& size) {
  return std::string(name) + "(" + std::to_string(size[0]) + "," + std::to_string(size[1]) + "," +
         std::to_string(size[2]) + ")";
}

// "float4" of a value of its type; of integers the metadata says the sign.
std::string hint_of(const llvm::Function& kernel) {
  const llvm::MDNode* node = kernel.getMetadata("vec_type_hint");
  if (node == nullptr || node->getNumOperands() < 2) return {};
  const auto* value = llvm::dyn_cast_or_null<llvm::ValueAsMetadata>(node->getOperand(0));
  if (value == nullptr) return {};
  llvm::Type* type = value->getType();
  const bool is_signed = number_of(kernel, "vec_type_hint", 1) != 0;
  llvm::Type* element = type->getScalarType();
  std::string name = element->isHalfTy()     ? "half"
                     : element->isFloatTy()  ? "float"
                     : element->isDoubleTy() ? "double"
                                             : "";
  if (element->isIntegerTy()) {
    const unsigned bits = element->getIntegerBitWidth();
    name = std::string(is_signed ? "" : "u") + (bits == 8    ? "char"
                                                : bits == 16 ? "short"
                                                : bits == 32 ? "int"
                                                             : "long");
  }
  if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
    name += std::to_string(vector->getNumElements());
  return name;
}

}  // namespace

std::vector<OpenClKernel> describe_kernels(const llvm::Module& module, bool argument_info) {
  std::vector<OpenClKernel> kernels;
  for (const llvm::Function& function : module) {
    if (function.isDeclaration() || function.getCallingConv() != llvm::CallingConv::SPIR_KERNEL) continue;
    OpenClKernel kernel;
    kernel.name = function.getName().str();
    uint32_t offset = 0;
    for (unsigned i = 0; i < function.arg_size(); ++i) {
      kernel.arguments.push_back(describe_argument(function, i, offset));
      if (!argument_info) kernel.arguments.back().name.clear(), kernel.arguments.back().type_name.clear();
    }
    for (unsigned i = 0; i < 3; ++i) {
      kernel.required_group[i] = number_of(function, "reqd_work_group_size", i);
      kernel.group_hint[i] = number_of(function, "work_group_size_hint", i);
    }
    kernel.required_sub_group = number_of(function, "intel_reqd_sub_group_size", 0);
    kernel.vector_hint = hint_of(function);
    const auto add = [&](const std::string& text) {
      kernel.attributes += (kernel.attributes.empty() ? "" : " ") + text;
    };
    if (!kernel.vector_hint.empty()) add("vec_type_hint(" + kernel.vector_hint + ")");
    if (kernel.group_hint[0] != 0) add(triple_text("work_group_size_hint", kernel.group_hint));
    if (kernel.required_group[0] != 0) add(triple_text("reqd_work_group_size", kernel.required_group));
    if (kernel.required_sub_group != 0)
      add("intel_reqd_sub_group_size(" + std::to_string(kernel.required_sub_group) + ")");
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

void split_called_kernels(llvm::Module& module) {
  std::vector<llvm::Function*> called;
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || function.getCallingConv() != llvm::CallingConv::SPIR_KERNEL) continue;
    for (const llvm::User* user : function.users())
      if (llvm::isa<llvm::CallInst>(user)) {
        called.push_back(&function);
        break;
      }
  }
  for (llvm::Function* kernel : called) {
    llvm::ValueToValueMapTy values;
    llvm::Function* body = llvm::CloneFunction(kernel, values);
    body->setName(kernel->getName() + ".called");
    body->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    body->setLinkage(llvm::GlobalValue::InternalLinkage);
    std::vector<llvm::CallInst*> calls;
    for (llvm::User* user : kernel->users())
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(user);
          call != nullptr && call->getCalledFunction() == kernel)
        calls.push_back(call);
    for (llvm::CallInst* call : calls) {
      call->setCalledFunction(body);
      call->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    }
  }
}

namespace {

// The same kernel with parameters of other types, each as large as what it stands for.
void retype(llvm::Function& kernel, llvm::ArrayRef<llvm::Type*> types) {
  llvm::Module& module = *kernel.getParent();
  auto* type = llvm::FunctionType::get(kernel.getReturnType(), types, false);
  llvm::Function* other = llvm::Function::Create(type, kernel.getLinkage(), "", &module);
  other->copyAttributesFrom(&kernel);
  other->copyMetadata(&kernel, 0);
  other->takeName(&kernel);
  other->splice(other->begin(), &kernel);
  llvm::IRBuilder<> ir(&*other->getEntryBlock().getFirstInsertionPt());
  for (llvm::Argument& before : kernel.args()) {
    llvm::Argument* argument = other->getArg(before.getArgNo());
    argument->takeName(&before);
    const bool same = argument->getType() == before.getType();
    before.replaceAllUsesWith(same ? static_cast<llvm::Value*>(argument)
                                   : ir.CreateBitCast(argument, before.getType()));
  }
  kernel.replaceAllUsesWith(other);
  kernel.eraseFromParent();
}

}  // namespace

void pass_byte_pairs_as_words(llvm::Module& module) {
  auto* pair = llvm::FixedVectorType::get(llvm::Type::getInt8Ty(module.getContext()), 2);
  for (llvm::Function& kernel : llvm::make_early_inc_range(module)) {
    if (kernel.isDeclaration() || kernel.getCallingConv() != llvm::CallingConv::SPIR_KERNEL) continue;
    llvm::SmallVector<llvm::Type*> types(kernel.getFunctionType()->params());
    if (!llvm::is_contained(types, pair)) continue;
    std::replace(types.begin(), types.end(), static_cast<llvm::Type*>(pair),
                 static_cast<llvm::Type*>(llvm::Type::getInt16Ty(module.getContext())));
    retype(kernel, types);
  }
}

std::string write_kernels(const std::vector<OpenClKernel>& kernels) {
  std::string text = std::string(head) + "\n";
  const auto three = [](const std::array<uint32_t, 3>& a) {
    return std::to_string(a[0]) + "\t" + std::to_string(a[1]) + "\t" + std::to_string(a[2]);
  };
  for (const OpenClKernel& kernel : kernels) {
    text += "//.kernel\t" + kernel.name + "\t" + three(kernel.required_group) + "\t" +
            three(kernel.group_hint) + "\t" + std::to_string(kernel.required_sub_group) + "\t" +
            kernel.vector_hint + "\t" + kernel.attributes + "\n";
    for (const OpenClArgument& a : kernel.arguments) {
      const unsigned flags = (a.is_const ? 1U : 0U) | (a.is_restrict ? 2U : 0U) | (a.is_volatile ? 4U : 0U) |
                             (a.is_pipe ? 8U : 0U);
      text += "//.argument";
      for (const unsigned number : {static_cast<unsigned>(a.kind), static_cast<unsigned>(a.address),
                                    static_cast<unsigned>(a.access), flags, a.offset, a.size, a.alignment})
        text += "\t" + std::to_string(number);
      text += "\t" + a.image + "\t" + a.type_name + "\t" + a.name + "\n";
    }
  }
  return text + std::string(tail) + "\n";
}

}  // namespace heddle::frontend::opencl

namespace heddle::frontend {

namespace {

using Fields = std::vector<std::string_view>;

Fields fields_of(std::string_view line) {
  Fields fields;
  while (true) {
    const std::size_t end = line.find('\t');
    fields.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return fields;
    line.remove_prefix(end + 1);
  }
}

bool read_number(std::string_view text, uint32_t& value) {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failed == std::errc() && end == text.data() + text.size();
}

bool read_kernel(const Fields& f, OpenClKernel& kernel) {
  if (f.size() != 11) return false;
  kernel.name = f[1];
  for (std::size_t i = 0; i < 3; ++i)
    if (!read_number(f[2 + i], kernel.required_group[i]) || !read_number(f[5 + i], kernel.group_hint[i]))
      return false;
  kernel.vector_hint = f[9];
  kernel.attributes = f[10];
  return read_number(f[8], kernel.required_sub_group);
}

bool read_argument(const Fields& f, OpenClArgument& argument) {
  if (f.size() != 11) return false;
  std::array<uint32_t, 7> n{};
  for (std::size_t i = 0; i < n.size(); ++i)
    if (!read_number(f[1 + i], n[i])) return false;
  if (n[0] > 4 || n[1] > 3 || n[2] > 3 || !std::has_single_bit(n[6])) return false;
  argument.kind = static_cast<OpenClKind>(n[0]);
  argument.address = static_cast<OpenClAddress>(n[1]);
  argument.access = static_cast<OpenClAccess>(n[2]);
  argument.is_const = (n[3] & 1) != 0, argument.is_restrict = (n[3] & 2) != 0;
  argument.is_volatile = (n[3] & 4) != 0, argument.is_pipe = (n[3] & 8) != 0;
  argument.offset = n[4], argument.size = n[5], argument.alignment = n[6];
  argument.image = f[8], argument.type_name = f[9], argument.name = f[10];
  return true;
}

}  // namespace

bool describes_kernels(std::string_view ptx) { return ptx.rfind(opencl::head) != std::string_view::npos; }

Result<std::vector<OpenClKernel>> kernels_of(std::string_view ptx) {
  const std::size_t begin = ptx.rfind(opencl::head);
  if (begin == std::string_view::npos) return Error{"the PTX says nothing of OpenCL kernels"};
  std::vector<OpenClKernel> kernels;
  std::string_view rest = ptx.substr(begin + opencl::head.size());
  const Error damaged{"the description of the kernels in the PTX is damaged"};
  while (true) {
    const std::size_t line_begin = rest.find('\n');
    if (line_begin == std::string_view::npos) return damaged;
    rest.remove_prefix(line_begin + 1);
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (line == opencl::tail) return kernels;
    const Fields fields = fields_of(line);
    if (fields[0] == "//.kernel") {
      if (!read_kernel(fields, kernels.emplace_back())) return damaged;
    } else if (fields[0] == "//.argument" && !kernels.empty()) {
      if (!read_argument(fields, kernels.back().arguments.emplace_back())) return damaged;
    } else {
      return damaged;
    }
  }
}

}  // namespace heddle::frontend
