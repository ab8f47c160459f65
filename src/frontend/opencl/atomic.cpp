// 6.15.12: atomic functions of OpenCL C 1.x (relaxed) and of C11, as LLVM's atomic operations with fences
// around.
#include <array>
#include <optional>

#include "frontend/opencl/body.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace heddle::frontend::opencl {

using llvm::AtomicRMWInst;
using llvm::Value;

namespace {

// opencl-c-base.h: memory_order_relaxed 0, acquire 2, release 3, acq_rel 4, seq_cst 5; memory_scope_work_item
// 0, work_group 1, device 2, all_svm_devices 3, sub_group 4.
constexpr uint64_t acquire = 2, release = 3, sequential = 5;
constexpr uint64_t device = 2, all_devices = 3;

struct Order {
  Value* order = nullptr;  // nullptr: relaxed
  Value* scope = nullptr;
};

// A fence where `needed` is true; both are usually constants once this is inlined.
void fence_if(Body& body, Value* needed, Value* scope) {
  llvm::IRBuilder<>& ir = body.ir;
  llvm::LLVMContext& context = body.module.getContext();
  const auto block = [&] { return llvm::BasicBlock::Create(context, "", &body.function); };
  llvm::BasicBlock *fence = block(), *done = block();
  ir.CreateCondBr(needed, fence, done);
  ir.SetInsertPoint(fence);
  llvm::BasicBlock *group = block(), *whole = block(), *system = block();
  llvm::SwitchInst* which = ir.CreateSwitch(scope, group);
  which->addCase(ir.getInt32(device), whole);
  which->addCase(ir.getInt32(all_devices), system);
  const std::array<std::pair<llvm::BasicBlock*, llvm::Intrinsic::ID>, 3> kinds{
      {{group, llvm::Intrinsic::nvvm_membar_cta},
       {whole, llvm::Intrinsic::nvvm_membar_gl},
       {system, llvm::Intrinsic::nvvm_membar_sys}}};
  for (const auto& [at, kind] : kinds) {
    ir.SetInsertPoint(at);
    ir.CreateIntrinsic(kind, {}, {});
    ir.CreateBr(done);
  }
  ir.SetInsertPoint(done);
}
void before(Body& body, const Order& order) {
  if (order.order != nullptr)
    fence_if(body, body.ir.CreateICmpUGE(order.order, body.ir.getInt32(release)), order.scope);
}
void after(Body& body, const Order& order) {
  if (order.order == nullptr) return;
  llvm::IRBuilder<>& ir = body.ir;
  Value* needed = ir.CreateAnd(ir.CreateICmpUGE(order.order, ir.getInt32(acquire)),
                               ir.CreateICmpNE(order.order, ir.getInt32(release)));
  fence_if(body, needed, order.scope);
}

std::optional<AtomicRMWInst::BinOp> operation(std::string_view name, Element e) {
  const bool real = is_float(e), plain = is_signed(e);
  if (name == "add" || name == "inc") return real ? AtomicRMWInst::FAdd : AtomicRMWInst::Add;
  if (name == "sub" || name == "dec") return real ? AtomicRMWInst::FSub : AtomicRMWInst::Sub;
  if (name == "min") return real ? AtomicRMWInst::FMin : plain ? AtomicRMWInst::Min : AtomicRMWInst::UMin;
  if (name == "max") return real ? AtomicRMWInst::FMax : plain ? AtomicRMWInst::Max : AtomicRMWInst::UMax;
  if (name == "xchg" || name == "exchange") return AtomicRMWInst::Xchg;
  if (real) return std::nullopt;
  if (name == "and") return AtomicRMWInst::And;
  if (name == "or") return AtomicRMWInst::Or;
  if (name == "xor") return AtomicRMWInst::Xor;
  return std::nullopt;
}

class Atomic {
 public:
  Atomic(Body& body) : body_(body), ir_(body.ir), element_(body.parameter(0).element) {
    type_ = body.type_of(element_);
    bits_ = is_float(element_) ? static_cast<llvm::Type*>(ir_.getIntNTy(bits_of(element_))) : type_;
    align_ = llvm::Align(bits_of(element_) / 8);
  }

  void exchange(AtomicRMWInst::BinOp op, Value* value, const Order& order) {
    before(body_, order);
    // A float is exchanged as bits.
    const bool as_bits = op == AtomicRMWInst::Xchg && bits_ != type_;
    if (as_bits) value = ir_.CreateBitCast(value, bits_);
    Value* old = ir_.CreateAtomicRMW(op, body_.argument(0), value, align_, llvm::AtomicOrdering::Monotonic);
    after(body_, order);
    ir_.CreateRet(as_bits ? ir_.CreateBitCast(old, type_) : old);
  }
  Value* compare(Value* expected, Value* desired) {
    Value* pair = ir_.CreateAtomicCmpXchg(body_.argument(0), ir_.CreateBitCast(expected, bits_),
                                          ir_.CreateBitCast(desired, bits_), align_,
                                          llvm::AtomicOrdering::Monotonic, llvm::AtomicOrdering::Monotonic);
    return ir_.CreateExtractValue(pair, 0);
  }
  void store(Value* value, const Order& order) {
    before(body_, order);
    ir_.CreateAlignedStore(value, body_.argument(0), align_, true);
    if (order.order != nullptr)
      fence_if(body_, ir_.CreateICmpEQ(order.order, ir_.getInt32(sequential)), order.scope);
    ir_.CreateRetVoid();
  }
  void load(const Order& order) {
    if (order.order != nullptr)
      fence_if(body_, ir_.CreateICmpEQ(order.order, ir_.getInt32(sequential)), order.scope);
    Value* value = ir_.CreateAlignedLoad(type_, body_.argument(0), align_, true);
    after(body_, order);
    ir_.CreateRet(value);
  }
  llvm::Type* type() const { return type_; }
  llvm::Type* bits() const { return bits_; }
  llvm::Align align() const { return align_; }

 private:
  Body& body_;
  llvm::IRBuilder<>& ir_;
  Element element_;
  llvm::Type *type_, *bits_;
  llvm::Align align_;
};

}  // namespace

bool define_atomic(Body& body) {
  if (body.count() == 0 || !body.parameter(0).pointer) return false;
  llvm::IRBuilder<>& ir = body.ir;
  std::string_view name = body.name();
  name.remove_prefix(name.find('_') + 1);
  const bool is_explicit = name.ends_with("_explicit");
  if (is_explicit) name.remove_suffix(std::string_view("_explicit").size());
  const bool flag = name.starts_with("flag_"), fetch = name.starts_with("fetch_");
  const bool c11 = flag || fetch || name == "init" || name == "store" || name == "load" ||
                   name == "exchange" || name.starts_with("compare_exchange");
  // The functions without order are sequentially consistent across the device.
  Order order;
  if (c11 && name != "init") order = {ir.getInt32(sequential), ir.getInt32(device)};
  std::size_t count = body.count();
  if (is_explicit) {
    // ..., order[, second order][, scope]: enumerators, which the mangling names.
    std::size_t first = 1;
    while (first < count && body.parameter(first).other != "memory_order") ++first;
    if (first == count) return false;
    order.order = body.argument(first);
    const bool scoped = body.parameter(count - 1).other == "memory_scope";
    order.scope = scoped ? body.argument(count - 1) : ir.getInt32(device);
    count = first;
  }
  if (!is_integer(body.parameter(0).element) && !is_float(body.parameter(0).element)) return false;
  Atomic atomic(body);
  if (flag) {
    if (name == "flag_clear") {
      atomic.store(llvm::ConstantInt::get(atomic.type(), 0), order);
      return true;
    }
    before(body, order);
    Value* old =
        ir.CreateAtomicRMW(AtomicRMWInst::Xchg, body.argument(0), llvm::ConstantInt::get(atomic.type(), 1),
                           atomic.align(), llvm::AtomicOrdering::Monotonic);
    after(body, order);
    ir.CreateRet(ir.CreateZExtOrTrunc(ir.CreateIsNotNull(old), body.result()));
    return true;
  }
  if (name == "load" && count == 1) {
    atomic.load(order);
    return true;
  }
  if ((name == "store" || name == "init") && count == 2) {
    atomic.store(body.argument(1), order);
    return true;
  }
  if (name.starts_with("compare_exchange") && count == 3) {
    before(body, order);
    Value* place = body.argument(1);
    Value* expected = ir.CreateAlignedLoad(atomic.bits(), place, atomic.align());
    Value* old = atomic.compare(expected, body.argument(2));
    Value* same = ir.CreateICmpEQ(old, expected);
    after(body, order);
    ir.CreateAlignedStore(old, place, atomic.align());
    ir.CreateRet(ir.CreateZExtOrTrunc(same, body.result()));
    return true;
  }
  if (name == "cmpxchg" && count == 3) {
    ir.CreateRet(ir.CreateBitCast(atomic.compare(body.argument(1), body.argument(2)), atomic.type()));
    return true;
  }
  if (fetch) name.remove_prefix(std::string_view("fetch_").size());
  const auto op = operation(name, body.parameter(0).element);
  const bool by_one = name == "inc" || name == "dec";
  if (!op || count != (by_one ? 1U : 2U)) return false;
  atomic.exchange(*op, by_one ? llvm::ConstantInt::get(atomic.type(), 1) : body.argument(1), order);
  return true;
}

}  // namespace heddle::frontend::opencl
