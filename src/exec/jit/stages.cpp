// THE table of stages that can be printed.
#include "exec/jit/stages.h"

#include <array>
#include <map>

#include "exec/jit/canonical/canonical.h"
#include "exec/jit/prepare.h"
#include "exec/jit/thread/ops.h"
#include "exec/jit/thread/program.h"
#include "exec/jit/warp/plan.h"
#include "exec/jit/warp/weave.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle::exec::jit {

namespace {

ThreadProgram lower(const StageRequest& request) {
  return lower(request.image, request.entry, meaning_of(request.image, request.device));
}

ThreadProgram canonical(const StageRequest& request) {
  ThreadProgram program = lower(request);
  canonicalise(program);
  return program;
}

std::string broken(const ThreadProgram& program) {
  std::string text;
  llvm::raw_string_ostream out(text);
  return llvm::verifyModule(*program.module, &out) ? "; BROKEN: " + text + "\n" : std::string();
}

std::string verdict(const ThreadProgram& program) {
  std::string text = broken(program);
  if (program.needs.reference) text += "; needs the reference executor: " + program.needs.reason + "\n";
  if (program.needs.independent_threads)
    text += "; needs independent threads\n";
  else if (program.needs.watches)
    text += "; looks at what others write\n";
  return text;
}

std::string print(ThreadProgram program) {
  std::string text = verdict(program);
  llvm::raw_string_ostream out(text);
  for (std::size_t i = 0; i < program.variables.size(); ++i) {
    const LocalVariable& v = program.variables[i];
    out << "; variable " << i << ": " << v.bytes << " bytes at " << v.offset << (v.fixed ? ", fixed" : "")
        << '\n';
  }
  llvm::StripDebugInfo(*program.module);
  program.entry->print(out);
  return text;
}

std::string print_thread(const StageRequest& request) { return print(lower(request)); }
std::string print_canonical(const StageRequest& request) { return print(canonical(request)); }

// What is native, what is left to the reference executor.
std::string print_summary(const StageRequest& request) {
  ThreadProgram program = lower(request);
  std::string text = broken(program);
  canonicalise(program);
  text += verdict(program);
  std::map<std::string, unsigned> operations, steps;
  unsigned plain = 0;
  for (const llvm::Instruction& i : llvm::instructions(*program.entry)) {
    const auto op = op_of(&i);
    if (!op) {
      ++plain;
      continue;
    }
    ++operations[name(*op)];
    if (*op != Op::step || !i.getDebugLoc()) continue;
    const Site& site = program.sites[i.getDebugLoc().getLine() - 1];
    const module::Function& function = request.image.functions[site.function];
    ++steps[std::string(isa::info(function.code[site.instruction].form).id)];
  }
  text += "plain " + std::to_string(plain) + '\n';
  for (const auto& [op, count] : operations) text += op + ' ' + std::to_string(count) + '\n';
  for (const auto& [form, count] : steps) text += "step of " + form + ' ' + std::to_string(count) + '\n';
  return text;
}

Shape shape_of(const StageRequest& request) {
  Shape shape{request.block, {}};
  for (const module::Parameter& p : request.image.functions[request.entry].signature.params) {
    const std::size_t words = (p.offset + p.size + 7) / 8;
    if (shape.word_alignment.size() < words) shape.word_alignment.resize(words, 4);
  }
  return shape;
}

VectorLevel level_of(unsigned lanes) {
  return lanes == 16 ? VectorLevel::avx512 : lanes == 8 ? VectorLevel::avx2 : VectorLevel::v2;
}

ThreadProgram specialised(const StageRequest& request) {
  ThreadProgram program = lower(request);
  const Shape shape = shape_of(request);
  prepare_thread(program, shape);
  if (!program.needs.reference) prepare_vectors(program, shape);
  return program;
}

Plan plan_of(const StageRequest& request, const ThreadProgram& program) {
  if (request.plan == StagePlan::given) return {.lanes = request.lanes, .vectors = request.vectors};
  return choose_plan(program, shape_of(request), level_of(request.lanes), false,
                     request.plan == StagePlan::quick ? Tier::quick : Tier::best);
}

std::string print_patterns(const StageRequest& request) {
  ThreadProgram program = specialised(request);
  llvm::StripDebugInfo(*program.module);
  const Plan plan = plan_of(request, program);
  std::string text = verdict(program);
  if (request.plan != StagePlan::given)
    text += "; plan: " + std::to_string(plan.vectors) + " vectors of " + std::to_string(plan.lanes) + '\n';
  return text + describe_regions(program, shape_of(request), plan, level_of(request.lanes));
}

std::string print_warp(const StageRequest& request) {
  ThreadProgram program = specialised(request);
  std::string text = verdict(program);
  const WeaveResult woven =
      weave(program, shape_of(request), plan_of(request, program), level_of(request.lanes));
  if (!woven.refused.empty()) return text + "; refused: " + woven.refused + "\n";
  text += broken(program);
  llvm::StripDebugInfo(*program.module);
  llvm::raw_string_ostream out(text);
  if (woven.warp != nullptr) woven.warp->print(out);
  woven.kernel->print(out);
  for (const llvm::Function* slow : woven.slow) slow->print(out);
  return text;
}

constexpr std::array table{
    Stage{"thread", "one thread's program as it was lowered", print_thread},
    Stage{"canonical", "the same, cleaned", print_canonical},
    Stage{"patterns", "its regions from barrier to barrier, and how values vary over a group's threads",
          print_patterns},
    Stage{"warp", "vector code over blocks", print_warp},
    Stage{"summary", "how many operations there are, and steps of what", print_summary},
};

}  // namespace

std::span<const Stage> stages() { return table; }

}  // namespace heddle::exec::jit
