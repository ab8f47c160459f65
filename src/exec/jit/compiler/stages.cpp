#include "exec/jit/compiler/stages.h"

#include <array>
#include <map>
#include <optional>

#include "exec/jit/codegen/machine.h"
#include "exec/jit/ir/ops.h"
#include "exec/jit/passes/compilation.h"
#include "exec/jit/vectorize/weave.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/raw_ostream.h"
#include "support/spelling.h"

namespace heddle::exec::jit {

namespace {

constexpr std::array stage_table{
    Stage{"thread", "one thread's program as it was lowered", Pass::lower},
    Stage{"canonical", "the same, cleaned", Pass::block_barriers},
    Stage{"patterns", "its regions from barrier to barrier, and how values vary over a group's threads",
          Pass::serial},
    Stage{"warp", "vector code over blocks", Pass::vector_limit},
    Stage{"threads", "code of threads on their own", Pass::emit_threads},
    Stage{"summary", "how many operations there are, and steps of what", Pass::block_barriers},
};

std::string verdict(const Compilation& c) {
  std::string text;
  if (std::string broken = find_broken(c); !broken.empty()) return "; BROKEN: " + broken + "\n";
  const Needs& needs = c.program.needs;
  if (needs.reference) text += "; needs the reference executor: " + needs.reason + "\n";
  if (needs.independent_threads)
    text += "; needs independent threads\n";
  else if (needs.blocks_wait)
    text += "; blocks wait for blocks\n";
  else if (needs.watches)
    text += "; looks at what others write\n";
  return text;
}

// What is native, what is left to the reference executor.
std::string summary(const Compilation& c) {
  std::map<std::string, unsigned> operations, steps;
  unsigned plain = 0;
  for (const llvm::Instruction& i : llvm::instructions(*c.program.entry)) {
    const auto op = op_of(&i);
    if (!op) {
      ++plain;
      continue;
    }
    ++operations[name(*op)];
    if (*op != Op::step || !i.getDebugLoc()) continue;
    const Site& site = c.program.sites[i.getDebugLoc().getLine() - 1];
    const module::Function& function = c.image->functions[site.function];
    ++steps[std::string(isa::info(function.code[site.instruction].form).id)];
  }
  std::string text = "plain " + std::to_string(plain) + '\n';
  for (const auto& [op, count] : operations) text += op + ' ' + std::to_string(count) + '\n';
  for (const auto& [form, count] : steps) text += "step of " + form + ' ' + std::to_string(count) + '\n';
  return text;
}

// The code as it stands.
std::string code(const Compilation& c) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (c.kernel != nullptr) {
    if (c.warp != nullptr) c.warp->print(out);
    c.kernel->print(out);
    for (const llvm::Function* slow : c.slow_functions) slow->print(out);
    return text;
  }
  if ((c.properties & pass_table::program) == 0) {
    for (const llvm::Function& f : *c.program.module)
      if (!f.isDeclaration()) f.print(out);
    return text;
  }
  for (std::size_t i = 0; i < c.program.variables.size(); ++i) {
    const LocalVariable& v = c.program.variables[i];
    out << "; variable " << i << ": " << v.bytes << " bytes at " << v.offset << (v.fixed ? ", fixed" : "")
        << '\n';
  }
  c.program.entry->print(out);
  return text;
}

// Without places, which are for machines: the last thing that is done with the code.
std::string print(Compilation& c, const Printed& printed, bool chosen) {
  std::string text = verdict(c);
  if (printed.name == "summary") return text + summary(c);
  if (printed.name == "patterns") {
    if (chosen)
      text +=
          "; plan: " + std::to_string(c.plan.vectors) + " vectors of " + std::to_string(c.plan.lanes) + '\n';
  }
  llvm::StripDebugInfo(*c.program.module);
  if (printed.name == "patterns") return text + describe_regions(c);
  return text + code(c);
}

Compilation compilation_of(const StageRequest& request) {
  Compilation c;
  c.image = &request.image;
  c.function = request.entry;
  c.meaning = meaning_of(request.image, request.device);
  c.shape.block = request.block;
  c.shape.merges = true;
  for (const module::Parameter& p : request.image.functions[request.entry].signature.params) {
    const std::size_t words = (p.offset + p.size + 7) / 8;
    if (c.shape.word_alignment.size() < words) c.shape.word_alignment.resize(words, 4);
  }
  c.level = request.lanes == 16  ? VectorLevel::avx512
            : request.lanes == 8 ? VectorLevel::avx2
                                 : VectorLevel::v2;
  if (request.plan == StagePlan::given)
    c.given_plan = Plan{.lanes = request.lanes, .vectors = request.vectors};
  else
    c.tier = request.plan == StagePlan::quick ? Tier::quick : Tier::best;
  c.vectors = !request.threads;
  c.disabled = request.disabled;
  return c;
}

}  // namespace

std::span<const Stage> stages() { return stage_table; }

Result<Printed, std::string> find_printed(std::string_view wanted) {
  for (const Stage& stage : stage_table)
    if (stage.name == wanted) return Printed{stage.name, stage.after};
  const std::optional<Pass> pass = find_pass(wanted);
  if (pass && !info(*pass).of) return Printed{info(*pass).name, *pass};
  std::string problem = "'" + std::string(wanted) + "': ";
  if (pass)
    return problem + "a part of the pass '" + std::string(info(*info(*pass).of).name) +
           "' has no code of its own";
  problem += "the stages are ";
  for (const Stage& stage : stage_table)
    problem += (&stage == stage_table.data() ? "" : ", ") + std::string(stage.name);
  NearestWord nearest(wanted);
  for (const PassInfo& known : passes())
    if (!known.of) nearest.consider(known.name);
  problem += "; passes are printed too (--list-passes)";
  if (!nearest.best().empty()) problem += ", the nearest is '" + std::string(nearest.best()) + "'";
  return problem;
}

Result<std::vector<std::string>, std::string> print_stages(const StageRequest& request,
                                                           std::span<const Printed> wanted) {
  std::vector<std::string> texts;
  for (const Printed& printed : wanted) {
    Compilation c = compilation_of(request);
    std::optional<Machine> machine;
    if (printed.after >= Pass::share_math) {
      auto host = find_host(std::string(name(c.level)).c_str());
      if (!host) return host.error();
      c.machine = &machine.emplace(*host);
    }
    std::string text;
    const bool chosen = request.plan != StagePlan::given;
    run_passes(c, [&](Pass pass, Compilation& now) {
      if (pass != printed.after || (info(pass).paths & now.path) == 0) return true;
      text = print(now, printed, chosen);
      return false;
    });
    if (text.empty()) {  // it did not come to this pass
      if (c.program.module == nullptr) return c.refused;
      const std::string why = c.why_no_vectors.empty() ? c.refused : c.why_no_vectors;
      if (c.program.needs.reference && printed.after < Pass::choose_path)
        text = print(c, printed, chosen);
      else if (c.program.needs.reference || why.empty())
        text = verdict(c);
      else
        text = verdict(c) + "; refused: " + why + "\n";
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

struct PassTimer::Inner {
  std::optional<Machine> machine;
  PassTimes times;
};

PassTimer::PassTimer() : inner_(std::make_unique<Inner>()) {}
PassTimer::~PassTimer() = default;

std::string PassTimer::add(const StageRequest& request) {
  if (!inner_->machine) {
    auto host = find_host(nullptr);
    if (!host) return host.error();
    inner_->machine.emplace(*host);
  }
  Compilation c = compilation_of(request);
  c.machine = &*inner_->machine;
  c.level = c.machine->host().level;
  c.gathers = c.machine->gathers();
  c.given_plan.reset();
  c.tier = request.plan == StagePlan::best ? Tier::best : Tier::quick;
  c.times_llvm = true;
  run_passes(c);
  inner_->times += c.times;
  return c.refused;
}

std::string PassTimer::text() const { return inner_->times.text(); }

}  // namespace heddle::exec::jit
