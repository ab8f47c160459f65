#include "exec/jit/testing/scalar_runner.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "exec/jit/codegen/machine.h"
#include "exec/jit/ir/mbarrier.h"
#include "exec/jit/ir/ops.h"
#include "exec/jit/ir/program.h"
#include "exec/jit/launch/host_state.h"
#include "exec/jit/math/expand.h"
#include "exec/jit/transform/canonical.h"
#include "exec/jit/transform/nan.h"
#include "exec/memory_map.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::exec::jit {

namespace {

using llvm::Value;

constexpr uint32_t warp_size = 32;

// What the code of a thread reads: its argument.
struct Thread {
  uint32_t tid[3], ntid[3], ctaid[3], nctaid[3];
  uint32_t laneid = 0, warpid = 0, dynamic_shared_bytes = 0;
  uint32_t environment[32] = {};
  uint64_t grid_id = 0;
  const std::byte* params = nullptr;
  std::byte* shared = nullptr;
  std::byte* local = nullptr;  // of this thread
  const uint64_t* symbols = nullptr;
  uint64_t* registers = nullptr;  // of step: [slot][lane]
  const WindowMap* windows = nullptr;
  const std::vector<Site>* sites = nullptr;
  ReferenceLanes* lanes = nullptr;
  bool faulted = false;
  FaultKind trap{};
};

std::byte* resolve(Thread* thread, uint64_t address) {
  const WindowMap& w = *thread->windows;
  if (address - w.shared_base < w.shared_bytes) return thread->shared + (address - w.shared_base);
  if (address - w.local_base < w.local_bytes) return thread->local + (address - w.local_base);
  if (address - w.param_base < w.param_bytes)
    return const_cast<std::byte*>(thread->params) + (address - w.param_base);
  return reinterpret_cast<std::byte*>(static_cast<uintptr_t>(address));
}

bool do_step(Thread* thread, uint32_t site) {
  const FloatingPointMode mode;
  const Site& s = (*thread->sites)[site];
  uint32_t carry = 0;
  const uint32_t lane = uint32_t{1} << thread->laneid;
  thread->faulted = !thread->lanes->execute(s.function, s.instruction, thread->warpid, lane, s.frame, carry);
  return !thread->faulted;
}

// Sums of atomic operations, with the NaNs that PTX gives.
float sum_f32(float old, float value, bool flush) {
  const auto flushed = [&](float x) {
    return flush && std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x;
  };
  const float sum = flushed(flushed(old) + flushed(value));
  return std::isnan(sum) ? std::bit_cast<float>(0x7fffffff) : sum;
}
double sum_f64(double old, double value) {
  const double sum = old + value;
  if (!std::isnan(sum)) return sum;
  const double nan = std::isnan(value) ? value : old;
  const uint64_t bits = std::isnan(nan) ? std::bit_cast<uint64_t>(nan) : 0xfff8'0000'0000'0000;
  return std::bit_cast<double>(bits | 0x0008'0000'0000'0000);
}

// ---- from operations to plain code
// -------------------------------------------------------------------------------------------

class Expansion {
 public:
  Expansion(const module::Image& image, ThreadProgram& program)
      : image_(image), program_(program), module_(*program.module), ir_(module_.getContext()) {}

  // Empty, or the operation that one thread alone cannot do.
  std::string run();
  std::size_t steps() const { return steps_; }

 private:
  Value* at(std::size_t offset) { return ir_.CreateConstGEP1_64(ir_.getInt8Ty(), context_, offset); }
  Value* field(std::size_t offset, llvm::Type* type) { return ir_.CreateLoad(type, at(offset)); }
  Value* pointer(std::size_t offset) { return field(offset, ir_.getPtrTy()); }
  Value* offset_from(Value* base, Value* offset) { return ir_.CreateGEP(ir_.getInt8Ty(), base, offset); }
  Value* number(const llvm::CallInst& call, std::size_t offset) {
    return field(offset + sizeof(uint32_t) * immediate(call, 0), call.getType());
  }
  Value* place(Value* address, uint64_t space);
  Value* window_base(uint64_t space);
  Value* load(llvm::CallInst& call);
  void store(llvm::CallInst& call);
  Value* changed(const llvm::CallInst& call, Value* old);
  Value* atomic(llvm::CallInst& call);
  bool is_of_a_warp(const llvm::CallInst& step) const;
  Value* step(llvm::CallInst& call);
  void stop_unless(Value* ok, llvm::CallInst& call);
  bool expand(llvm::CallInst& call, Op op);
  Value* call_runtime(const char* name, llvm::Type* result, llvm::ArrayRef<Value*> arguments);

  const module::Image& image_;
  ThreadProgram& program_;
  llvm::Module& module_;
  llvm::IRBuilder<> ir_;
  Value* context_ = nullptr;
  std::size_t steps_ = 0;
};

Value* Expansion::call_runtime(const char* name, llvm::Type* result, llvm::ArrayRef<Value*> arguments) {
  std::vector<llvm::Type*> types;
  for (Value* a : arguments) types.push_back(a->getType());
  auto callee = module_.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  return ir_.CreateCall(callee, arguments);
}

// The host's place of an address.
Value* Expansion::place(Value* address, uint64_t space) {
  switch (static_cast<module::Space>(space)) {
    case module::Space::shared: return offset_from(pointer(offsetof(Thread, shared)), address);
    case module::Space::local: return offset_from(pointer(offsetof(Thread, local)), address);
    case module::Space::param: return offset_from(pointer(offsetof(Thread, params)), address);
    case module::Space::generic:
      return call_runtime("heddle_scalar_resolve", ir_.getPtrTy(), {context_, address});
    default: return ir_.CreateIntToPtr(address, ir_.getPtrTy());
  }
}

Value* Expansion::window_base(uint64_t space) {
  std::size_t offset = 0;
  switch (static_cast<module::Space>(space)) {
    case module::Space::shared: offset = offsetof(WindowMap, shared_base); break;
    case module::Space::local: offset = offsetof(WindowMap, local_base); break;
    case module::Space::param: offset = offsetof(WindowMap, param_base); break;
    default: return ir_.getInt64(0);
  }
  Value* windows = pointer(offsetof(Thread, windows));
  return ir_.CreateLoad(ir_.getInt64Ty(), ir_.CreateConstGEP1_64(ir_.getInt8Ty(), windows, offset));
}

uint64_t bytes_of(llvm::Type* type) { return type->getPrimitiveSizeInBits() / 8; }

Value* Expansion::load(llvm::CallInst& call) {
  Value* from = place(call.getArgOperand(0), immediate(call, 1));
  auto* parts = llvm::dyn_cast<llvm::StructType>(call.getType());
  if (parts == nullptr) return ir_.CreateAlignedLoad(call.getType(), from, llvm::Align(1));
  Value* out = llvm::PoisonValue::get(parts);
  uint64_t offset = 0;
  for (unsigned i = 0; i < parts->getNumElements(); ++i) {
    llvm::Type* type = parts->getElementType(i);
    Value* part =
        ir_.CreateAlignedLoad(type, ir_.CreateConstGEP1_64(ir_.getInt8Ty(), from, offset), llvm::Align(1));
    out = ir_.CreateInsertValue(out, part, i);
    offset += bytes_of(type);
  }
  return out;
}

void Expansion::store(llvm::CallInst& call) {
  Value* to = place(call.getArgOperand(0), immediate(call, 1));
  uint64_t offset = 0;
  for (unsigned i = 3; i < call.arg_size(); ++i) {
    Value* part = call.getArgOperand(i);
    ir_.CreateAlignedStore(part, ir_.CreateConstGEP1_64(ir_.getInt8Ty(), to, offset), llvm::Align(1));
    offset += bytes_of(part->getType());
  }
}

// What memory holds after an atomic operation.
Value* Expansion::changed(const llvm::CallInst& call, Value* old) {
  Value* a = call.getArgOperand(4);
  const auto choose = [&](llvm::Intrinsic::ID id) { return ir_.CreateBinaryIntrinsic(id, old, a); };
  switch (static_cast<AtomicKind>(immediate(call, 3))) {
    case AtomicKind::exchange: return a;
    case AtomicKind::compare_exchange:
      return ir_.CreateSelect(ir_.CreateICmpEQ(old, call.getArgOperand(5)), a, old);
    case AtomicKind::and_: return ir_.CreateAnd(old, a);
    case AtomicKind::or_: return ir_.CreateOr(old, a);
    case AtomicKind::xor_: return ir_.CreateXor(old, a);
    case AtomicKind::min_signed: return choose(llvm::Intrinsic::smin);
    case AtomicKind::max_signed: return choose(llvm::Intrinsic::smax);
    case AtomicKind::min_unsigned: return choose(llvm::Intrinsic::umin);
    case AtomicKind::max_unsigned: return choose(llvm::Intrinsic::umax);
    case AtomicKind::increment: {
      Value* next = ir_.CreateAdd(old, llvm::ConstantInt::get(old->getType(), 1));
      return ir_.CreateSelect(ir_.CreateICmpUGE(old, a), llvm::Constant::getNullValue(old->getType()), next);
    }
    case AtomicKind::decrement: {
      Value* next = ir_.CreateSub(old, llvm::ConstantInt::get(old->getType(), 1));
      Value* wraps = ir_.CreateOr(ir_.CreateIsNull(old), ir_.CreateICmpUGT(old, a));
      return ir_.CreateSelect(wraps, a, next);
    }
    case AtomicKind::arrive: return after_arrival(ir_, old, a);
    case AtomicKind::add: break;
  }
  if (old->getType()->isIntegerTy()) return ir_.CreateAdd(old, a);
  if (old->getType()->isDoubleTy()) return call_runtime("heddle_scalar_sum_f64", old->getType(), {old, a});
  // Shared memory keeps subnormals (PTX ISA 9.7.13.5).
  Value* is_shared = ir_.getInt1(static_cast<module::Space>(immediate(call, 1)) == module::Space::shared);
  if (static_cast<module::Space>(immediate(call, 1)) == module::Space::generic) {
    Value* offset =
        ir_.CreateSub(call.getArgOperand(0), window_base(static_cast<uint64_t>(module::Space::shared)));
    is_shared = ir_.CreateICmpULT(offset, ir_.getInt64(windows(program_.address_bits).shared_bytes));
  }
  return call_runtime("heddle_scalar_sum_f32", old->getType(), {old, a, ir_.CreateNot(is_shared)});
}

Value* Expansion::atomic(llvm::CallInst& call) {
  Value* at = place(call.getArgOperand(0), immediate(call, 1));
  Value* old = ir_.CreateAlignedLoad(call.getArgOperand(4)->getType(), at, llvm::Align(1));
  ir_.CreateAlignedStore(changed(call, old), at, llvm::Align(1));
  return call.getType()->isVoidTy() ? nullptr : old;
}

void Expansion::stop_unless(Value* ok, llvm::CallInst& call) {
  llvm::Instruction* end =
      llvm::SplitBlockAndInsertIfThen(ir_.CreateNot(ok), call.getIterator(), /*Unreachable=*/true);
  llvm::ReturnInst::Create(module_.getContext(), nullptr, end->getIterator());
  end->eraseFromParent();
  ir_.SetInsertPoint(&call);
}

// Whether the lanes of a warp execute the instruction together.
bool Expansion::is_of_a_warp(const llvm::CallInst& step) const {
  const Site& site = program_.sites[step.getDebugLoc().getLine() - 1];
  const module::Instruction& instruction = image_.functions[site.function].code[site.instruction];
  const isa::SlotValues& words = image_.mnemonics[instruction.mnemonic].values;
  return words.has(isa::Slot::sync) || words.has(isa::Slot::aligned);
}

Value* Expansion::step(llvm::CallInst& call) {
  ++steps_;
  const auto results = static_cast<unsigned>(immediate(call, 0));
  Value* registers = pointer(offsetof(Thread, registers));
  Value* lane = field(offsetof(Thread, laneid), ir_.getInt32Ty());
  auto slot = [&](unsigned argument) {
    Value* index =
        ir_.CreateAdd(ir_.getInt32(static_cast<uint32_t>(immediate(call, argument)) * warp_size), lane);
    return ir_.CreateGEP(ir_.getInt64Ty(), registers, index);
  };
  for (unsigned i = 1 + results; i + 1 < call.arg_size(); i += 2)
    ir_.CreateStore(ir_.CreateZExt(call.getArgOperand(i + 1), ir_.getInt64Ty()), slot(i));
  const uint32_t site = call.getDebugLoc().getLine() - 1;
  stop_unless(call_runtime("heddle_scalar_step", ir_.getInt1Ty(), {context_, ir_.getInt32(site)}), call);
  auto result = [&](unsigned i, llvm::Type* type) {
    return ir_.CreateTrunc(ir_.CreateLoad(ir_.getInt64Ty(), slot(1 + i)), type);
  };
  if (results == 0) return nullptr;
  if (results == 1) return result(0, call.getType());
  Value* out = llvm::PoisonValue::get(call.getType());
  for (unsigned i = 0; i < results; ++i)
    out = ir_.CreateInsertValue(out, result(i, call.getType()->getStructElementType(i)), i);
  return out;
}

bool Expansion::expand(llvm::CallInst& call, Op op) {
  ir_.SetInsertPoint(&call);
  Value* out = nullptr;
  switch (op) {
    case Op::tid: out = number(call, offsetof(Thread, tid)); break;
    case Op::ntid: out = number(call, offsetof(Thread, ntid)); break;
    case Op::ctaid: out = number(call, offsetof(Thread, ctaid)); break;
    case Op::nctaid: out = number(call, offsetof(Thread, nctaid)); break;
    case Op::laneid: out = field(offsetof(Thread, laneid), call.getType()); break;
    case Op::warpid: out = field(offsetof(Thread, warpid), call.getType()); break;
    case Op::grid_id: out = field(offsetof(Thread, grid_id), call.getType()); break;
    case Op::dynamic_shared_bytes: out = field(offsetof(Thread, dynamic_shared_bytes), call.getType()); break;
    case Op::environment: out = number(call, offsetof(Thread, environment)); break;
    case Op::parameter: {
      Value* from =
          ir_.CreateConstGEP1_64(ir_.getInt8Ty(), pointer(offsetof(Thread, params)), immediate(call, 0));
      out = ir_.CreateAlignedLoad(call.getType(), from, llvm::Align(1));
      break;
    }
    case Op::symbol: {
      Value* from =
          ir_.CreateConstGEP1_64(ir_.getInt64Ty(), pointer(offsetof(Thread, symbols)), immediate(call, 0));
      out = ir_.CreateLoad(ir_.getInt64Ty(), from);
      break;
    }
    case Op::generic: out = ir_.CreateAdd(call.getArgOperand(0), window_base(immediate(call, 1))); break;
    case Op::local_address: out = ir_.getInt64(program_.variables[immediate(call, 0)].offset); break;
    case Op::load: out = load(call); break;
    case Op::store: store(call); break;
    case Op::atomic:
    case Op::reduce: out = atomic(call); break;
    case Op::step:
      if (is_of_a_warp(call)) return false;
      out = step(call);
      break;
    case Op::fence:
    case Op::prefetch:
    case Op::sleep: break;
    case Op::trap:
      ir_.CreateStore(ir_.getInt8(static_cast<uint8_t>(immediate(call, 0))), at(offsetof(Thread, trap)));
      ir_.CreateStore(ir_.getInt8(1), at(offsetof(Thread, faulted)));
      stop_unless(ir_.getFalse(), call);
      break;
    default: return false;
  }
  if (out != nullptr) call.replaceAllUsesWith(out);
  call.eraseFromParent();
  return true;
}

std::string Expansion::run() {
  llvm::Function& thread = *program_.entry;
  auto* type = llvm::FunctionType::get(ir_.getVoidTy(), {ir_.getPtrTy()}, false);
  auto* entry = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "scalar_thread", module_);
  entry->copyAttributesFrom(&thread);
  entry->splice(entry->begin(), &thread);
  entry->setSubprogram(thread.getSubprogram());
  thread.setSubprogram(nullptr);
  thread.eraseFromParent();
  program_.entry = entry;
  context_ = entry->getArg(0);
  std::vector<std::pair<llvm::CallInst*, Op>> calls;
  for (llvm::BasicBlock& block : *entry) {
    for (llvm::Instruction& i : block) {
      if (const auto op = op_of(&i)) calls.emplace_back(llvm::cast<llvm::CallInst>(&i), *op);
    }
  }
  for (const auto& [call, op] : calls) {
    llvm::Function* declaration = call->getCalledFunction();
    if (!expand(*call, op)) return jit::name(op);
    if (declaration->use_empty()) declaration->eraseFromParent();
  }
  return {};
}

}  // namespace

struct ScalarRunner::Inner {
  std::unique_ptr<ReferenceLanesFactory> lanes;
  std::unique_ptr<Machine> machine;
  std::string no_machine, text;
  std::size_t steps = 0;
  // The last kernel, which may be launched again.
  std::shared_ptr<const module::Image> image;
  uint32_t function = module::none;
  ThreadProgram program;
  Result<std::shared_ptr<Code>, std::string> code = std::string();

  void compile(const Launch& launch);
  Result<std::shared_ptr<Code>, std::string> make_code();
};

ScalarRunner::ScalarRunner(std::unique_ptr<ReferenceLanesFactory> lanes) : inner_(std::make_unique<Inner>()) {
  inner_->lanes = std::move(lanes);
  auto host = find_host(nullptr);
  if (!host.ok()) {
    inner_->no_machine = host.error();
    return;
  }
  inner_->machine = std::make_unique<Machine>(std::move(host).value());
  inner_->machine->bind("heddle_scalar_resolve", reinterpret_cast<const void*>(&resolve));
  inner_->machine->bind("heddle_scalar_sum_f32", reinterpret_cast<const void*>(&sum_f32));
  inner_->machine->bind("heddle_scalar_sum_f64", reinterpret_cast<const void*>(&sum_f64));
  inner_->machine->bind("heddle_scalar_step", reinterpret_cast<const void*>(&do_step));
}

ScalarRunner::~ScalarRunner() = default;
std::size_t ScalarRunner::steps() const { return inner_->steps; }
const std::string& ScalarRunner::text() const { return inner_->text; }

void ScalarRunner::Inner::compile(const Launch& launch) {
  if (image == launch.module->image && function == launch.function) return;
  image = launch.module->image;
  function = launch.function;
  steps = 0;
  text.clear();
  program = lower(*image, function, meaning_of(*image, *launch.device));
  code = make_code();
  program.module.reset();
  program.context.reset();
}

Result<std::shared_ptr<Code>, std::string> ScalarRunner::Inner::make_code() {
  if (program.needs.reference) return program.needs.reason;
  canonicalise(program);
  if (program.needs.reference) return program.needs.reason;
  llvm::raw_string_ostream out(text);
  program.entry->print(out);
  expand_math(*program.entry, machine->host(), program.flush_mode);
  Expansion expansion(*image, program);
  const std::string problem = expansion.run();
  if (!problem.empty()) return "operation " + problem;
  steps = expansion.steps();
  auto object = machine->compile(*program.module, Tier::quick);
  if (!object.ok()) return object.error();
  return machine->load(*object);
}

Result<LaunchReport, Fault> ScalarRunner::run(const Launch& launch) {
  const module::Image& image = *launch.module->image;
  Fault fault;
  fault.kernel = fault.function = image.functions[launch.function].name;
  fault.kind = FaultKind::illegal_instruction;
  fault.detail = inner_->no_machine;
  if (inner_->machine == nullptr) return fault;
  inner_->compile(launch);
  const ThreadProgram& program = inner_->program;
  const auto& code = inner_->code;
  if (!code.ok()) {
    fault.detail = "no thread program for one thread alone: " + code.error();
    return fault;
  }
  auto* entry = reinterpret_cast<void (*)(Thread*)>((*code)->find("scalar_thread"));

  const uint32_t dynamic = launch.shape.dynamic_shared;
  const Dim3 grid = launch.shape.grid, block = launch.shape.block;
  const uint64_t local_stride = (program.local_bytes + 15u) & ~15u;
  std::vector<std::byte> shared(program.shared_bytes + dynamic), local(local_stride * block.count());
  std::vector<uint64_t> symbols = launch.module->symbol_address;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    if (launch.module->symbol_handle[i] != 0) symbols[i] = launch.module->symbol_handle[i];
  }
  const auto lanes = inner_->lanes == nullptr ? nullptr : inner_->lanes->make(launch, nullptr, nullptr);
  Thread thread{};
  thread.params = launch.params.data();
  thread.shared = shared.data();
  thread.symbols = symbols.data();
  thread.sites = &program.sites;
  thread.windows = &windows(image.address_bits);
  thread.dynamic_shared_bytes = dynamic;
  thread.grid_id = launch.grid_id;
  std::ranges::copy(launch.environment.first(std::min<std::size_t>(32, launch.environment.size())),
                    thread.environment);
  thread.lanes = lanes.get();
  thread.registers = lanes == nullptr ? nullptr : lanes->registers();
  const auto assign = [](uint32_t(&to)[3], Dim3 from) { to[0] = from.x, to[1] = from.y, to[2] = from.z; };
  const auto place = [](Dim3 size, uint64_t i) {
    return Dim3{static_cast<uint32_t>(i % size.x), static_cast<uint32_t>(i / size.x % size.y),
                static_cast<uint32_t>(i / size.x / size.y)};
  };
  assign(thread.ntid, block);
  assign(thread.nctaid, grid);
  for (uint64_t b = 0; b < grid.count(); ++b) {
    assign(thread.ctaid, place(grid, b));
    if (lanes != nullptr)
      lanes->enter({.block = place(grid, b),
                    .shared = shared.data(),
                    .shared_bytes = static_cast<uint32_t>(shared.size()),
                    .local = local.data(),
                    .local_stride = local_stride});
    for (uint64_t t = 0; t < block.count(); ++t) {
      assign(thread.tid, place(block, t));
      thread.laneid = static_cast<uint32_t>(t % warp_size);
      thread.warpid = static_cast<uint32_t>(t / warp_size);
      thread.local = local.data() + t * local_stride;
      if (program.flush_mode) set_flush_mode(true);
      entry(&thread);
      if (program.flush_mode) set_flush_mode(false);
      if (!thread.faulted) continue;
      if (lanes != nullptr && thread.trap == FaultKind{}) return lanes->take_fault();
      fault.kind = thread.trap;
      fault.block = place(grid, b);
      fault.thread = place(block, t);
      fault.detail = {};
      return fault;
    }
  }
  return LaunchReport{};
}

}  // namespace heddle::exec::jit
