#include "exec/jit/ir/program.h"

#include <algorithm>

#include "exec/jit/abi/repeats.h"
#include "exec/jit/ir/flush_mode.h"
#include "exec/jit/lower/function_lowering.h"
#include "exec/jit/lower/lowering.h"
#include "exec/jit/lower/program_lowering.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DIBuilder.h"
#include "support/process_end.h"

namespace heddle::exec::jit {

namespace {

llvm::DISubprogram* make_scope(llvm::Module& module, llvm::Function& thread, const std::string& name) {
  if (module.getModuleFlag("Debug Info Version") == nullptr)
    module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  llvm::DIBuilder builder(module);
  llvm::DIFile* file = builder.createFile(name, "");
  builder.createCompileUnit(llvm::dwarf::DW_LANG_C, file, "heddle", true, "", 0, "",
                            llvm::DICompileUnit::LineTablesOnly);
  llvm::DISubprogram* scope =
      builder.createFunction(file, name, name, file, 1, builder.createSubroutineType({}), 1,
                             llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition);
  thread.setSubprogram(scope);
  builder.finalize();
  return scope;
}

}  // namespace

ProgramLowering::ProgramLowering(const module::Image& i, uint32_t e, const Meaning& m, ThreadProgram& p)
    : image(i),
      entry(i.functions[e]),
      meaning(m),
      program(p),
      windows(exec::windows(i.address_bits)),
      ir(*p.context),
      numbers(i) {
  // Which integers are natural: LLVM makes others where none is. The code's own layout comes later.
  program.module->setDataLayout("e-i64:64-i128:128-n8:16:32:64-S128");
  program.entry = begin("thread");
}

llvm::Function* ProgramLowering::begin(const std::string& name) {
  auto* type = llvm::FunctionType::get(ir.getVoidTy(), false);
  thread = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, *program.module);
  thread->addFnAttr(llvm::Attribute::NoUnwind);
  scope = make_scope(*program.module, *thread, entry.name);
  ir.SetInsertPoint(llvm::BasicBlock::Create(*program.context, "entry", thread));
  ir.SetCurrentDebugLocation(llvm::DILocation::get(*program.context, 0, 0, scope));
  end = llvm::BasicBlock::Create(*program.context, "end");
  return thread;
}

void ProgramLowering::want_function(uint32_t function) {
  if (std::ranges::find(wanted_, function) == wanted_.end()) wanted_.push_back(function);
}

std::optional<uint32_t> ProgramLowering::begin_function() {
  if (program.needs.reference || program.functions.size() == wanted_.size()) return std::nullopt;
  const uint32_t function = wanted_[program.functions.size()];
  in_function = true;
  program.functions.push_back({function, begin("function." + std::to_string(function))});
  return function;
}

uint32_t ProgramLowering::at_site(const Site& site) {
  const auto index = static_cast<uint32_t>(program.sites.size());
  program.sites.push_back(site);
  ir.SetCurrentDebugLocation(llvm::DILocation::get(*program.context, index + 1, 0, scope));
  return index;
}

llvm::AllocaInst* ProgramLowering::make_alloca(llvm::Type* type) {
  llvm::BasicBlock& first = thread->getEntryBlock();
  return new llvm::AllocaInst(type, 0, "", first.begin());
}

uint64_t ProgramLowering::shared_offset(uint32_t symbol) const {
  const auto& layout = entry.shared_layout;
  const auto found = std::ranges::lower_bound(layout, symbol, {}, &module::Function::SharedPlace::symbol);
  return found != layout.end() && found->symbol == symbol ? found->offset : module::none;
}

const RegisterUse& ProgramLowering::register_use(uint32_t index) {
  const auto [found, fresh] = register_use_.try_emplace(index);
  if (!fresh) return found->second;
  const module::Function& function = image.functions[index];
  std::vector<int8_t>& votes = found->second.float_votes;
  votes.assign(function.register_slots, 0);
  for (const module::Operand& o : function.operands) {
    if (o.kind != module::OperandKind::reg || o.type == isa::Type::none) continue;
    int8_t& vote = votes[o.reg];
    switch (isa::info(o.type).kind) {
      case isa::TypeKind::floating:
        if ((o.type == isa::Type::f32 || o.type == isa::Type::f64) && vote < 100) ++vote;
        break;
      case isa::TypeKind::unsigned_:
      case isa::TypeKind::signed_:
        if (vote > -100) --vote;
        break;
      default: break;
    }
  }
  return found->second;
}

uint32_t ProgramLowering::make_variable(uint64_t offset, uint64_t bytes, uint32_t align) {
  const auto index = static_cast<uint32_t>(program.variables.size());
  // In a function of its own, callers and callees find them.
  program.variables.push_back(
      {static_cast<uint32_t>(offset), static_cast<uint32_t>(bytes), align, in_function});
  program.local_bytes = std::max(program.local_bytes, static_cast<uint32_t>(offset + bytes));
  return index;
}

void ProgramLowering::need_reference(std::string_view reason) {
  if (program.needs.reference) return;
  program.needs.reference = true;
  program.needs.reason = reason;
}

void ProgramLowering::finish() {
  end->insertInto(thread);
  ir.SetInsertPoint(end);
  ir.SetCurrentDebugLocation(llvm::DILocation::get(*program.context, 0, 0, scope));
  ir.CreateRetVoid();
  // Most registers are read only where what they hold is known.
  std::vector<llvm::AllocaInst*> places;
  for (llvm::Instruction& i : thread->getEntryBlock())
    if (auto* place = llvm::dyn_cast<llvm::AllocaInst>(&i)) places.push_back(place);
  for (llvm::AllocaInst* place : places) {
    if (llvm::any_of(place->users(), [](llvm::User* u) { return llvm::isa<llvm::LoadInst>(u); })) continue;
    for (llvm::User* store : llvm::make_early_inc_range(place->users()))
      llvm::cast<llvm::Instruction>(store)->eraseFromParent();
    place->eraseFromParent();
  }
}

namespace {

ThreadProgram lower_once(const module::Image& image, uint32_t entry, const Meaning& meaning) {
  ThreadProgram program;
  program.context = std::make_unique<llvm::LLVMContext>();
  program.context->setYieldCallback([](llvm::LLVMContext*, void*) { LibraryWork::rest(); }, nullptr);
  program.module = std::make_unique<llvm::Module>(image.functions[entry].name, *program.context);
  program.shared_bytes = image.functions[entry].static_shared_bytes;
  program.parameter_bytes = parameter_bytes(image.functions[entry]);
  program.local_bytes = image.static_local_bytes;
  program.address_bits = image.address_bits;
  program.observed = meaning.observed;
  program.in_cluster = meaning.cluster.count() > 1;
  if ((meaning.observed & counts_repeats) != 0)
    program.module->addModuleFlag(llvm::Module::Warning, repeats_flag, 1);
  ProgramLowering work(image, entry, meaning, program);
  FunctionLowering body(work, entry, image.static_local_bytes, nullptr, module::none);
  body.lower();
  work.finish();
  while (const auto function = work.begin_function()) {
    FunctionLowering(work, *function, 0, nullptr, module::none).lower();
    work.finish();
  }
  return program;
}

}  // namespace

// Most programs say .ftz everywhere or nowhere, so the mode is tried first; without any .ftz it makes no
// difference.
ThreadProgram lower(const module::Image& image, uint32_t entry, const Meaning& meaning) {
  Meaning by_mode = meaning;
  by_mode.flush_mode = true;
  ThreadProgram program = lower_once(image, entry, by_mode);
  if (program.needs.reference) return program;
  const FlushUse use = flush_use(image, program, meaning);
  if ((use.flushes && use.keeps) || !program.functions.empty()) {  // functions were not looked at
    program.module.reset();                                        // before its context
    return lower_once(image, entry, meaning);
  }
  program.flush_mode = use.flushes;
  if (use.flushes) program.entry->addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
  return program;
}

}  // namespace heddle::exec::jit
