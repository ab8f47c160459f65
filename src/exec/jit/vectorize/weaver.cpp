#include "exec/jit/vectorize/weaver.h"

#include <cstddef>

#include "exec/jit/abi/context.h"
#include "exec/jit/transform/stream.h"
#include "exec/jit/vectorize/weave.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/MDBuilder.h"

namespace heddle::exec::jit {

const SerialPart* Region::part_behind(const llvm::BasicBlock* branch) const {
  for (const SerialPart& part : serial)
    if (part.branch == branch) return &part;
  return nullptr;
}

bool Region::is_serial(const llvm::BasicBlock* block) const {
  return llvm::any_of(serial, [&](const SerialPart& part) { return llvm::is_contained(part.blocks, block); });
}

Weaver::Weaver(ThreadProgram& program, const Geometry& shape, unsigned merged_blocks,
               VectorLevel vector_level)
    : module(*program.module),
      context(module.getContext()),
      builder(context),
      geometry(shape),
      merged(merged_blocks),
      level(vector_level),
      lanes(builder, shape.lanes),
      flush_mode(program.flush_mode),
      program_(program) {
  llvm::Type *pointer = builder.getPtrTy(), *i64 = builder.getInt64Ty();
  kernel = llvm::Function::Create(llvm::FunctionType::get(builder.getVoidTy(), {pointer, i64, i64}, false),
                                  llvm::GlobalValue::ExternalLinkage, kernel_symbol, module);
  kernel->addFnAttr(llvm::Attribute::NoUnwind);
  kernel->addFnAttr("no-red-zone-needed");
  if (program.flush_mode) kernel->addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
  // Spilled vectors want whole lines: else half of them lie across two, and wait for both to be stored. LLVM
  // learns of spills too late to align the stack by itself.
  kernel->addFnAttr(llvm::Attribute::getWithStackAlignment(context, llvm::Align(64)));
  kernel->getArg(0)->addAttr(llvm::Attribute::NoAlias);
  run = kernel->getArg(0);

  llvm::DIBuilder debug(module);
  auto* file = debug.createFile("thread.ptx", "");
  debug.createCompileUnit(llvm::dwarf::DW_LANG_C99, file, "heddle", true, "", 0, "",
                          llvm::DICompileUnit::LineTablesOnly);
  subprogram_ = debug.createFunction(file, kernel_symbol, kernel_symbol, file, 1,
                                     debug.createSubroutineType(debug.getOrCreateTypeArray({})), 1,
                                     llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition);
  kernel->setSubprogram(subprogram_);
  debug.finalize();

  llvm::MDBuilder metadata(context);
  llvm::MDNode* domain = metadata.createAnonymousAliasScopeDomain("heddle");
  std::array<llvm::MDNode*, memories> scopes{};
  for (auto*& scope : scopes) scope = metadata.createAnonymousAliasScope(domain, "memory");
  for (unsigned m = 0; m < memories; ++m) {
    scope_[m] = llvm::MDNode::get(context, {scopes[m]});
    llvm::SmallVector<llvm::Metadata*, 4> others;
    for (unsigned other = 0; other < memories; ++other)
      if (other != m) others.push_back(scopes[other]);
    others_[m] = llvm::MDNode::get(context, others);
  }
}

llvm::AllocaInst* Weaver::make_alloca(llvm::Type* type, const llvm::Twine& name) {
  llvm::BasicBlock& entry = kernel->getEntryBlock();
  llvm::IRBuilder<> at(&entry, entry.begin());
  return at.CreateAlloca(type, nullptr, name);
}

llvm::Value* Weaver::context_field(llvm::Type* type, std::size_t offset, const llvm::Twine& name) {
  auto* load =
      builder.CreateLoad(type, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), run, offset), name);
  mark(load, frame_memory);
  return load;
}

llvm::Value* Weaver::writes_stream(uint64_t bytes_of_thread) {
  const uint64_t bytes = bytes_of_thread * (geometry.threads() / merged);
  return builder.CreateICmpUGE(blocks, builder.getInt64((stream_bytes + bytes - 1) / bytes));
}

// Volatile: a fault may come between this and the access that it is for, of which LLVM knows nothing.
void Weaver::store_context_field(llvm::Value* value, std::size_t offset) {
  const llvm::Align align(value->getType()->getScalarSizeInBits() / 8);  // a vector has no more
  llvm::Value* place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), run, offset);
  mark(builder.CreateAlignedStore(value, place, align, true), frame_memory);
}

llvm::Value* Weaver::step_registers() {
  return context_field(builder.getPtrTy(), offsetof(Context, step_registers), "registers");
}

std::vector<uint32_t> Weaver::in_program_order(uint32_t site, unsigned elements) const {
  const std::span<const Site> sites = program_.sites;
  return jit::in_program_order(site < sites.size() ? sites.subspan(site) : std::span<const Site>(), elements);
}

llvm::BasicBlock* Weaver::block(const llvm::Twine& name) {
  return llvm::BasicBlock::Create(context, name, kernel);
}

llvm::FunctionCallee Weaver::helper(const char* name, llvm::Type* result,
                                    llvm::ArrayRef<llvm::Type*> arguments, bool returns) {
  llvm::FunctionCallee callee =
      module.getOrInsertFunction(name, llvm::FunctionType::get(result, arguments, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->addFnAttr(llvm::Attribute::NoUnwind);
  if (!returns) {
    function->addFnAttr(llvm::Attribute::NoReturn);
    function->addFnAttr(llvm::Attribute::Cold);
  }
  return callee;
}

void Weaver::mark(llvm::Instruction* access, Memory memory) {
  access->setMetadata(llvm::LLVMContext::MD_alias_scope, scope_[memory]);
  access->setMetadata(llvm::LLVMContext::MD_noalias, others_[memory]);
}

llvm::DILocation* Weaver::place_of(const llvm::Instruction& of, const AccessLanes& lanes, unsigned element) {
  const llvm::DebugLoc& place = of.getDebugLoc();
  if (!place) return nullptr;
  return llvm::DILocation::get(context, place.getLine() + element, program_.lanes.index_of(lanes),
                               subprogram_);
}

void Weaver::come_from(const llvm::Instruction& of, const AccessLanes& lanes) {
  builder.SetCurrentDebugLocation(place_of(of, lanes, 0));
}

void Weaver::locate(llvm::Instruction* access, const llvm::Instruction& of, const AccessLanes& lanes,
                    unsigned element) {
  if (auto* place = place_of(of, lanes, element)) access->setDebugLoc(place);
}

llvm::MDNode* Weaver::no_unroll() { return loop_metadata("llvm.loop.unroll.disable"); }

llvm::MDNode* Weaver::no_unroll_at_run_time() { return loop_metadata("llvm.loop.unroll.runtime.disable"); }

llvm::MDNode* Weaver::loop_metadata(const char* unroll) {
  auto flag = [&](const char* text) {
    return llvm::MDNode::get(context, {llvm::MDString::get(context, text)});
  };
  auto* no_vectors = llvm::MDNode::get(context, {llvm::MDString::get(context, "llvm.loop.vectorize.enable"),
                                                 llvm::ConstantAsMetadata::get(builder.getFalse())});
  auto* loop = llvm::MDNode::getDistinct(context, {nullptr, flag(unroll), no_vectors});
  loop->replaceOperandWith(0, loop);
  return loop;
}

}  // namespace heddle::exec::jit
