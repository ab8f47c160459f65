// Functions of vectors that go element by element, and those that look at elements' highest bits.
#include "frontend/opencl/body.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"

namespace heddle::frontend::opencl {

using llvm::Value;

llvm::Type* Body::type_of(Element element) const {
  llvm::LLVMContext& context = module.getContext();
  switch (element) {
    case Element::f16: return llvm::Type::getHalfTy(context);
    case Element::f32: return llvm::Type::getFloatTy(context);
    case Element::f64: return llvm::Type::getDoubleTy(context);
    case Element::none: return llvm::Type::getVoidTy(context);
    case Element::boolean: return llvm::Type::getInt1Ty(context);
    case Element::other: return llvm::PointerType::get(context, 0);
    default: return llvm::Type::getIntNTy(context, bits_of(element));
  }
}
llvm::Type* Body::type_of(Element element, unsigned width) const {
  return width == 1 ? type_of(element) : llvm::FixedVectorType::get(type_of(element), width);
}

llvm::FunctionCallee Body::callee(const std::string& name, llvm::Type* result,
                                  llvm::ArrayRef<llvm::Type*> parameters) {
  llvm::FunctionCallee found =
      module.getOrInsertFunction(name, llvm::FunctionType::get(result, parameters, false));
  if (auto* made = llvm::dyn_cast<llvm::Function>(found.getCallee());
      made != nullptr && made->isDeclaration())
    made->addFnAttrs(llvm::AttrBuilder(module.getContext(), function.getAttributes().getFnAttrs()));
  return found;
}

Value* Body::element(Value* vector, unsigned i) const {
  return vector->getType()->isVectorTy() ? ir.CreateExtractElement(vector, i) : vector;
}

Value* Body::assembly(const std::string& text, const std::string& constraints, llvm::Type* result,
                      llvm::ArrayRef<Value*> operands, bool effect) const {
  std::vector<llvm::Type*> types;
  for (Value* operand : operands) types.push_back(operand->getType());
  auto* type = llvm::FunctionType::get(result, types, false);
  llvm::CallInst* call = ir.CreateCall(type, llvm::InlineAsm::get(type, text, constraints, effect), operands);
  call->setDoesNotThrow();
  if (!effect) call->setDoesNotAccessMemory();
  return call;
}

unsigned width_of(llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector == nullptr ? 1 : vector->getNumElements();
}

namespace {

Value* splat_zero(Value* like) { return llvm::Constant::getNullValue(like->getType()); }

// -1 or 0 in each element.
Value* truth(Body& body, Value* scalar, llvm::Type* element) {
  llvm::IRBuilder<>& ir = body.ir;
  return ir.CreateSExt(ir.CreateICmpNE(scalar, splat_zero(scalar)), element);
}

}  // namespace

bool define_elementwise(Body& body, bool relational) {
  llvm::IRBuilder<>& ir = body.ir;
  const unsigned width = width_of(body.result());
  llvm::Type* const element = body.result()->getScalarType();
  std::vector<Type> scalars;
  std::vector<llvm::Type*> types;
  bool any_pointer = false;
  for (const Type& given : body.mangled.parameters) {
    Type scalar = given;
    if (given.element == Element::other || (given.width != 1 && given.width != width)) return false;
    scalar.width = 1;
    scalar.space = 0;
    any_pointer |= given.pointer;
    scalars.push_back(scalar);
    types.push_back(given.pointer ? ir.getPtrTy() : body.type_of(given.element));
  }
  if (width == 1 && !any_pointer) return false;  // it is in the library
  // Of vectors truth is -1 and as wide as what is compared, of scalars it is an int.
  llvm::Type* const one = relational ? ir.getInt32Ty() : element;
  const std::string name = mangle(body.name(), scalars);
  if (name == body.function.getName()) return false;
  const llvm::FunctionCallee scalar = body.callee(name, one, types);
  std::vector<Value*> places(body.count(), nullptr), gathered(body.count(), nullptr);
  for (std::size_t k = 0; k < body.count(); ++k) {
    if (!scalars[k].pointer) continue;
    places[k] = ir.CreateAlloca(body.type_of(scalars[k].element));
    gathered[k] = llvm::PoisonValue::get(body.type_of(scalars[k].element, width));
  }
  Value* all = llvm::PoisonValue::get(body.result());
  for (unsigned i = 0; i < width; ++i) {
    std::vector<Value*> values;
    for (std::size_t k = 0; k < body.count(); ++k)
      values.push_back(places[k] != nullptr ? places[k] : body.element(body.argument(k), i));
    Value* value = ir.CreateCall(scalar, values);
    if (relational && width > 1) value = truth(body, value, element);
    all = width == 1 ? value : ir.CreateInsertElement(all, value, i);
    for (std::size_t k = 0; k < body.count(); ++k) {
      if (places[k] == nullptr) continue;
      Value* out = ir.CreateLoad(body.type_of(scalars[k].element), places[k]);
      gathered[k] = width == 1 ? out : ir.CreateInsertElement(gathered[k], out, i);
    }
  }
  for (std::size_t k = 0; k < body.count(); ++k)
    if (places[k] != nullptr) ir.CreateStore(gathered[k], body.argument(k));
  ir.CreateRet(all);
  return true;
}

// 6.15.6: "1 if the most significant bit in any component of x is set".
bool define_any_all(Body& body, bool all) {
  if (body.count() != 1 || !is_integer(body.parameter(0).element)) return false;
  llvm::IRBuilder<>& ir = body.ir;
  Value* set = ir.CreateICmpSLT(body.argument(0), splat_zero(body.argument(0)));
  if (set->getType()->isVectorTy()) set = all ? ir.CreateAndReduce(set) : ir.CreateOrReduce(set);
  ir.CreateRet(ir.CreateZExt(set, body.result()));
  return true;
}

// 6.15.6: "for each component of a vector type, result[i] = if MSB of c[i] is set ? b[i] : a[i]; for a scalar
// type, result = c ? b : a".
bool define_select(Body& body) {
  if (body.count() != 3 || !is_integer(body.parameter(2).element)) return false;
  llvm::IRBuilder<>& ir = body.ir;
  Value* c = body.argument(2);
  Value* pick =
      body.parameter(2).width == 1 ? ir.CreateICmpNE(c, splat_zero(c)) : ir.CreateICmpSLT(c, splat_zero(c));
  ir.CreateRet(ir.CreateSelect(pick, body.argument(1), body.argument(0)));
  return true;
}

// 6.15.13: of the mask's elements the low bits count, as many as tell the sources' elements apart.
bool define_shuffle(Body& body) {
  const bool two = body.count() == 3;
  if (body.count() < 2 || !is_integer(body.parameter(body.count() - 1).element)) return false;
  llvm::IRBuilder<>& ir = body.ir;
  Value* mask = body.argument(body.count() - 1);
  Value* from = body.argument(0);
  const unsigned given = width_of(from->getType()), wanted = width_of(body.result());
  if (two) {
    llvm::SmallVector<int, 32> both;
    for (unsigned i = 0; i < 2 * given; ++i) both.push_back(static_cast<int>(i));
    from = ir.CreateShuffleVector(from, body.argument(1), both);
  }
  Value* all = llvm::PoisonValue::get(body.result());
  for (unsigned i = 0; i < wanted; ++i) {
    Value* index = body.element(mask, i);
    index = ir.CreateAnd(index, llvm::ConstantInt::get(index->getType(), (two ? 2 * given : given) - 1));
    index = ir.CreateZExtOrTrunc(index, ir.getInt32Ty());
    all = ir.CreateInsertElement(all, ir.CreateExtractElement(from, index), i);
  }
  ir.CreateRet(all);
  return true;
}

bool define_nothing(Body& body) {
  if (!body.result()->isVoidTy()) return false;
  body.ir.CreateRetVoid();
  return true;
}

}  // namespace heddle::frontend::opencl
