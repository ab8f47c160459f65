#include "exec/jit/ir/values.h"

namespace heddle::exec::jit {

unsigned bits_of(isa::Type type) { return isa::info(type).bits; }

llvm::Type* type_of_value(llvm::LLVMContext& context, isa::Type type) {
  if (type == isa::Type::f32) return llvm::Type::getFloatTy(context);
  if (type == isa::Type::f64) return llvm::Type::getDoubleTy(context);
  return llvm::IntegerType::get(context, std::max(1u, bits_of(type)));
}

llvm::Value* as_integer(llvm::IRBuilderBase& ir, llvm::Value* value) {
  llvm::Type* type = value->getType();
  if (type->isIntegerTy()) return value;
  return ir.CreateBitCast(value, ir.getIntNTy(type->getPrimitiveSizeInBits()));
}

llvm::Value* resize(llvm::IRBuilderBase& ir, llvm::Value* value, unsigned bits, bool is_signed) {
  value = as_integer(ir, value);
  llvm::Type* type = ir.getIntNTy(bits);
  return is_signed ? ir.CreateSExtOrTrunc(value, type) : ir.CreateZExtOrTrunc(value, type);
}

llvm::Value* as_type(llvm::IRBuilderBase& ir, llvm::Value* value, llvm::Type* type) {
  return value->getType() == type ? value : ir.CreateBitCast(value, type);
}

llvm::Type* type_in_one_piece(llvm::IRBuilderBase& ir, unsigned bytes) {
  if (bytes <= 8) return ir.getIntNTy(8 * bytes);
  return llvm::FixedVectorType::get(ir.getInt64Ty(), bytes / 8);
}

}  // namespace heddle::exec::jit
