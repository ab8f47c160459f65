// The operation `step`: an instruction left to the reference executor, its registers as arguments and
// results.
#include <algorithm>

#include "exec/jit/ir/values.h"
#include "exec/jit/lower/function_lowering.h"
#include "exec/jit/lower/lowering.h"
#include "exec/jit/matrix/touches.h"
#include "llvm/IR/Constants.h"

namespace heddle::exec::jit {

namespace {

struct SlotRegister {
  uint32_t slot;
  isa::Type declared;
  bool operator==(const SlotRegister&) const = default;
};

struct Registers {
  std::vector<SlotRegister> read, written;
  std::vector<uint32_t> variables;  // in local memory, that it finds in the frame
};

void add(std::vector<SlotRegister>& to, SlotRegister r) {
  if (std::ranges::find(to, r) == to.end()) to.push_back(r);
}

class Collector {
 public:
  explicit Collector(Lowering& l) : l_(l) {}

  Registers run() {
    const module::Mnemonic& mnemonic = l_.image().mnemonics[l_.instruction().mnemonic];
    const isa::FormInfo& form = isa::forms(l_.instruction().opcode)[mnemonic.alternative];
    for (int i = 0; i < l_.instruction().operand_count; ++i)
      operand(l_.operand(i), form.operands[static_cast<std::size_t>(i)]);
    return std::move(out_);
  }

 private:
  void operand(const module::Operand& o, const isa::OperandRule& rule) {
    if (o.kind == module::OperandKind::bracket) {
      const auto parts = l_.children(o);
      for (std::size_t i = 0; i < parts.size() && i < rule.inner.size(); ++i)
        operand(parts[i], rule.inner[i]);
      return;
    }
    value(o, rule.access);
  }

  void value(const module::Operand& o, isa::Access access) {
    for (const module::Operand& child : l_.children(o)) value(child, access);
    const bool names_symbol =
        (o.kind == module::OperandKind::symbol || o.kind == module::OperandKind::address) &&
        o.index != module::none;
    if (names_symbol && l_.image().symbols[o.index].space == module::Space::local)
      out_.variables.push_back(o.index);
    if (o.reg == module::none) return;
    const SlotRegister r{o.reg, o.declared};
    const bool is_address = o.kind == module::OperandKind::address;
    if (is_address || access != isa::Access::write) add(out_.read, r);
    if (!is_address && access != isa::Access::read) add(out_.written, r);
  }

  Lowering& l_;
  Registers out_;
};

}  // namespace

// (n, slot x n, then slot and value for each register read). A 128-bit register has two slots of 64 bits.
void Lowering::step() {
  const Registers registers = Collector(*this).run();
  if (function_.program().in_function && !registers.variables.empty())
    need_reference("a step that looks at the frame of a recursive function");
  for (const uint32_t symbol : registers.variables) function_.fix(symbol);
  std::vector<llvm::Value*> arguments{imm(0)};
  std::vector<llvm::Type*> types;
  const auto is_wide = [](const SlotRegister& r) { return bits_of(r.declared) == 128; };
  for (const SlotRegister& r : registers.written) {
    for (uint32_t part = 0; part < (is_wide(r) ? 2 : 1); ++part) {
      arguments.push_back(imm(r.slot + part));
      types.push_back(integer(std::min(64u, bits_of(r.declared))));
    }
  }
  arguments[0] = imm(types.size());
  for (const SlotRegister& r : registers.read) {
    llvm::Value* value = as_integer(ir(), function_.read(r.slot, r.declared));
    arguments.push_back(imm(r.slot));
    arguments.push_back(is_wide(r) ? ir().CreateTrunc(value, integer(64)) : value);
    if (!is_wide(r)) continue;
    arguments.push_back(imm(r.slot + 1));
    arguments.push_back(ir().CreateTrunc(ir().CreateLShr(value, 64), integer(64)));
  }
  llvm::Type* result = types.empty()       ? ir().getVoidTy()
                       : types.size() == 1 ? types[0]
                                           : llvm::StructType::get(context(), types);
  llvm::Value* call = op(Op::step, result, arguments);
  ProgramLowering& program = function_.program();
  const auto site = static_cast<uint32_t>(program.program.sites.size() - 1);
  // The matrix unit would tell an observer nothing of memory.
  const bool observed = (meaning().observed & observe::accesses) != 0;
  if (auto form = matrix::form_of(image(), program.program.sites[site]);
      form && !(observed && matrix::touches_memory(*form)))
    program.program.matrices.emplace(site, std::move(*form));
  unsigned field = 0;
  const auto next = [&] { return types.size() == 1 ? call : ir().CreateExtractValue(call, field++); };
  for (const SlotRegister& r : registers.written) {
    llvm::Value* value = next();
    if (is_wide(r)) {
      llvm::Value* low = ir().CreateZExt(value, integer(128));
      value = ir().CreateOr(low, ir().CreateShl(ir().CreateZExt(next(), integer(128)), 64));
    }
    function_.write(r.slot, r.declared, value);
  }
}

}  // namespace heddle::exec::jit
