#include "exec/interp/fault_site.h"

#include "exec/interp/block.h"
#include "exec/interp/run.h"
#include "exec/interp/warp.h"
#include "exec/source_line.h"

namespace heddle::exec::interp {

namespace {

const module::LineEntry* line_of(const module::Function& function, uint32_t instruction) {
  if (instruction >= function.code.size()) return nullptr;
  const uint32_t line = function.code[instruction].line;
  return line != 0 && line < function.lines.size() ? &function.lines[line] : nullptr;
}

std::string file_name(const module::Image& image, uint32_t file) {
  return file < image.files.size() ? image.files[file] : std::string();
}

}  // namespace

std::string place_text(const module::Image& image, const module::Function& function, uint32_t instruction) {
  if (const module::LineEntry* line = line_of(function, instruction))
    return file_name(image, line->file) + ":" + std::to_string(line->line);
  return function.name + "+" + std::to_string(instruction);
}

Fault& raise(Warp& warp, const Activation& activation, uint32_t instruction, int lane, FaultKind kind,
             std::string detail) {
  Run& run = warp.run();
  if (run.fault) {
    run.later_fault = Fault{};
    return run.later_fault;
  }
  const module::Function& function = *activation.function;
  Fault& fault = run.fault.emplace();
  fault.kind = kind;
  fault.kernel = run.entry.name;
  fault.function = function.name;
  fault.block = warp.block().index();
  fault.thread = warp.block().thread(warp.thread_of(lane));
  fault.lane = static_cast<uint32_t>(lane);
  fault.warp = warp.index();
  fault.detail = std::move(detail);
  if (instruction >= function.code.size()) return fault;
  fault.instruction = instruction;
  const module::Instruction& code = function.code[instruction];
  fault.instruction_text = module::instruction_text(run.image, function, code);
  if (fault.instruction_text.empty() && code.mnemonic < run.image.mnemonics.size())
    fault.instruction_text = run.image.mnemonics[code.mnemonic].text;
  // A function of a library often has no lines, or only the toolkit's: then the call's is the nearest.
  SourceLine line = source_line(run.image, function, instruction);
  for (const Activation* at = &activation; !line.own && at->caller != nullptr; at = at->caller) {
    SourceLine call = source_line(run.image, *at->caller->function, at->call_site);
    if (call.own || line.file.empty()) line = std::move(call);
  }
  fault.file = std::move(line.file);
  fault.line = line.line;
  fault.column = line.column;
  return fault;
}

}  // namespace heddle::exec::interp
