#include "exec/jit/codegen/machine.h"

#include <map>
#include <mutex>
#include <vector>

#include "exec/jit/codegen/fatal.h"
#include "exec/jit/codegen/loader.h"
#include "exec/jit/codegen/pipeline.h"
#include "exec/jit/codegen/symbols.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "support/static_objects.h"

namespace heddle::exec::jit {

namespace {

constexpr const char* triple = "x86_64-unknown-linux-gnu";

// What LLVM takes from its command line only.
// - A long block with many accesses that may be the same takes the scheduler quadratic time: 1500 of its 1900
//   ms for a kernel with 96 strided accesses. It keeps fewer of them apart than it does by default (1000,
//   500).
// - Places of variables are followed although there are none, lines alone: a seventh of the time.
// - Moving scalar integers to mask registers never paid here: a twentieth.
void tune_code_generator() {
  auto& options = llvm::cl::getRegisteredOptions();
  for (const auto& [name, value] : {std::pair("dag-maps-huge-region", "128"),
                                    {"dag-maps-reduction-size", "64"},
                                    {"experimental-debug-variable-locations", "false"},
                                    {"disable-x86-domain-reassignment", "true"}}) {
    if (const auto found = options.find(name); found != options.end())
      found->second->addOccurrence(0, name, value);
  }
}

// Threads may compile when the process ends (LibraryWork). As this library is loaded: passes that run before
// a target is made have static objects of their own.
[[maybe_unused]] const bool static_objects_are_kept =
    keep_static_objects(reinterpret_cast<const void*>(&LLVMInitializeX86Target));

std::unique_ptr<llvm::TargetMachine> make_target(const Host& host, Tier tier) {
  static const llvm::Target* target = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    tune_code_generator();
    std::string error;
    return llvm::TargetRegistry::lookupTarget(triple, error);
  }();
  llvm::TargetOptions options;
  // PTX says itself which multiplications and additions are one.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  // Position independent in the small model: the loader puts code, constants, stubs and a table of far
  // addresses next to each other, and helpers may be anywhere.
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, host.cpu, host.features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      tier == Tier::quick ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default, /*JIT=*/false));
}

// Keeps errors of a module instead of printing them and ending the process.
struct Collector : llvm::DiagnosticHandler {
  Collector(std::string& errors, uint64_t& largest_frame) : errors(errors), largest_frame(largest_frame) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (const auto* frame = llvm::dyn_cast<llvm::DiagnosticInfoStackSize>(&info))
      largest_frame = std::max(largest_frame, frame->getStackSize());
    if (info.getSeverity() != llvm::DS_Error) return true;
    if (!errors.empty()) errors += "; ";
    llvm::raw_string_ostream out(errors);
    llvm::DiagnosticPrinterRawOStream printer(out);
    info.print(printer);
    return true;
  }
  std::string& errors;
  uint64_t& largest_frame;
};

}  // namespace

struct Machine::Inner {
  Host host;
  std::map<std::string, const void*, std::less<>> bound;

  // Target machines are not for several threads at once: one a compilation, kept for the next.
  std::mutex mutex;
  std::vector<std::unique_ptr<llvm::TargetMachine>> idle[2];

  std::unique_ptr<llvm::TargetMachine> take(Tier tier) {
    {
      std::lock_guard lock(mutex);
      auto& list = idle[static_cast<int>(tier)];
      if (!list.empty()) {
        auto target = std::move(list.back());
        list.pop_back();
        return target;
      }
    }
    return make_target(host, tier);
  }
  void give_back(std::unique_ptr<llvm::TargetMachine> target, Tier tier) {
    std::lock_guard lock(mutex);
    idle[static_cast<int>(tier)].push_back(std::move(target));
  }
};

Machine::Machine(Host host) : inner_(std::make_unique<Inner>()) { inner_->host = std::move(host); }

Machine::~Machine() = default;

const Host& Machine::host() const { return inner_->host; }

bool Machine::gathers() const {
  auto target = inner_->take(Tier::quick);  // prepare() takes that one for every compilation
  const llvm::MCSubtargetInfo& processor = *target->getMCSubtargetInfo();
  const bool fast = processor.checkFeatures("+fast-gather") &&
                    !processor.checkFeatures("+prefer-no-gather") &&
                    !processor.checkFeatures("+prefer-no-scatter");
  inner_->give_back(std::move(target), Tier::quick);
  return fast;
}

void Machine::bind(std::string name, const void* address) { inner_->bound[std::move(name)] = address; }

void Machine::prepare(llvm::Module& module) {
  auto target = inner_->take(Tier::quick);
  module.setTargetTriple(triple);
  module.setDataLayout(target->createDataLayout());
  inner_->give_back(std::move(target), Tier::quick);
  const std::string bits = std::to_string(inner_->host.vector_bits());
  for (llvm::Function& f : module) {
    if (f.isDeclaration() || f.hasFnAttribute("target-cpu")) continue;
    f.addFnAttr("target-cpu", inner_->host.cpu);
    if (!inner_->host.features.empty()) f.addFnAttr("target-features", inner_->host.features);
    f.addFnAttr("prefer-vector-width", bits);
    f.addFnAttr("min-legal-vector-width", bits);
    // A guest's address may be the number 0: that is a fault to report, not code that never runs.
    f.addFnAttr(llvm::Attribute::NullPointerIsValid);
    // Nothing is thrown through it and nobody unwinds it: a fault leaves by longjmp.
    f.addFnAttr(llvm::Attribute::NoUnwind);
  }
}

namespace {

// What LLVM says is wrong, or nothing.
std::optional<std::string> survive_with_errors(llvm::LLVMContext& context, llvm::function_ref<void()> work,
                                               uint64_t* largest_frame = nullptr) {
  std::string errors;
  uint64_t unused = 0;
  auto before = context.getDiagnosticHandler();
  context.setDiagnosticHandler(
      std::make_unique<Collector>(errors, largest_frame != nullptr ? *largest_frame : unused));
  std::optional<std::string> fatal = survive(work);
  context.setDiagnosticHandler(std::move(before));
  if (!fatal && !errors.empty()) fatal = std::move(errors);
  if (!fatal) return std::nullopt;
  return "LLVM: " + *fatal;
}

}  // namespace

std::optional<std::string> Machine::optimise(llvm::Module& module, Tier tier, PassSet off, LlvmTimes* times) {
  prepare(module);
#ifndef NDEBUG
  {
    std::string broken;
    llvm::raw_string_ostream out(broken);
    if (llvm::verifyModule(module, &out)) return "broken code before optimisation: " + broken;
  }
#endif
  auto target = inner_->take(tier);
  auto problem =
      survive_with_errors(module.getContext(), [&] { jit::optimise(module, *target, tier, off, times); });
  if (problem)
    (void)target.release();  // in whatever state it was left
  else
    inner_->give_back(std::move(target), tier);
  return problem;
}

Result<Machine::Object, std::string> Machine::emit(llvm::Module& module, Tier tier, unsigned most_on_stack) {
  auto target = inner_->take(tier);
  llvm::SmallVector<char, 0> bytes;
  uint64_t largest_frame = 0;
  for (llvm::Function& f : module)  // LLVM says of each frame of more bytes how large it is
    if (!f.isDeclaration()) f.addFnAttr("warn-stack-size", "0");
  const auto work = [&] {
    if (tier == Tier::quick)
      target->setOptLevel(module.getInstructionCount() > most_on_stack ? llvm::CodeGenOptLevel::Less
                                                                       : llvm::CodeGenOptLevel::None);
    llvm::raw_svector_ostream out(bytes);
    llvm::legacy::PassManager passes;
    // Only a target without object files refuses.
    target->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile,
                                /*DisableVerify=*/true);
    passes.run(module);
  };
  auto problem = survive_with_errors(module.getContext(), work, &largest_frame);
  if (problem) {
    (void)target.release();
    return std::move(*problem);
  }
  inner_->give_back(std::move(target), tier);
  return Object{std::string(bytes.begin(), bytes.end()), largest_frame};
}

Result<Machine::Object, std::string> Machine::compile(llvm::Module& module, Tier tier,
                                                      unsigned most_on_stack) {
  if (auto problem = optimise(module, tier)) return std::move(*problem);
  return emit(module, tier, most_on_stack);
}

Result<std::shared_ptr<Code>, std::string> Machine::load(const Object& object) const {
  return load_object(object.bytes, [this](std::string_view name) -> const void* {
    auto found = inner_->bound.find(name);
    return found != inner_->bound.end() ? found->second : find_runtime_function(name);
  });
}

}  // namespace heddle::exec::jit
