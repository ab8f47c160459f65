// Calls: the function or prototype, and the lists of results and arguments against its signature (PTX
// ISA 7.1, 9.7.12.5).
#include <algorithm>

#include "ptx/fit.h"
#include "ptx/verify/verifier.h"

namespace heddle::ptx {
namespace {

uint64_t alignment_of(const Variable& v) {
  return v.align != 0 ? v.align : std::max<unsigned>(isa::info(v.type).bits / 8u, 1) * uint64_t{v.vector};
}

uint64_t bytes_of(const Variable& v) {
  uint64_t bytes = std::max<unsigned>(isa::info(v.type).bits / 8u, 1) * uint64_t{v.vector};
  for (const uint64_t dim : v.dims) bytes *= dim;
  return bytes;
}

}  // namespace

void Verifier::check_call(const Function&, const Statement&, const isa::FormInfo& form,
                          const isa::SlotValues& words, std::span<const Operand> operands) {
  OperandPlaces places;
  if (!fit(form, words, operands, places)) return;  // said by the parser
  const Prototype* signature = nullptr;
  const Operand* callee = nullptr;
  for (std::size_t i = 0; i < form.operands.size(); ++i) {
    if (places.at[i] == OperandPlaces::absent) continue;
    const isa::OperandRule& rule = form.operands[i];
    const Operand& operand = operands[places.at[i]];
    if (operand.kind != OperandKind::name) continue;
    const Meaning& meaning = names_.find(operand.name);
    if (rule.shape == isa::OperandShape::function) {
      callee = &operand;
      if (meaning.kind == Meaning::Kind::function) {
        signature = &meaning.function->signature;
        if (meaning.function->entry)
          complain(operand, quoted(operand.name) + " is a kernel; kernels cannot be called", form.section);
      } else {
        complain(
            operand,
            quoted(operand.name) + " is " +
                (meaning.kind == Meaning::Kind::unknown ? "not declared" : std::string(name(meaning.kind))) +
                "; a call takes a function",
            form.section);
      }
    } else if (rule.shape == isa::OperandShape::prototype || rule.shape == isa::OperandShape::targets) {
      if (meaning.kind == Meaning::Kind::prototype)
        signature = meaning.prototype;
      else if (meaning.kind != Meaning::Kind::call_targets)
        complain(
            operand,
            quoted(operand.name) + " is " +
                (meaning.kind == Meaning::Kind::unknown ? "not declared" : std::string(name(meaning.kind))) +
                "; an indirect call takes a prototype or a list of targets",
            form.section);
    } else {
      callee = &operand;
      if (meaning.kind == Meaning::Kind::register_) {
        const isa::TypeInfo& type = isa::info(meaning.variable->type);
        if (type.bits < 32 || type.bits > 64 || type.kind == isa::TypeKind::floating)
          note_declaration(complain(operand,
                                    "an indirect call takes an address in an integer register, " +
                                        quoted(operand.name) + " is ." + std::string(type.name),
                                    form.section),
                           meaning, text(operand.name));
      }
      if (meaning.kind != Meaning::Kind::register_)
        complain(
            operand,
            quoted(operand.name) + " is " +
                (meaning.kind == Meaning::Kind::unknown ? "not declared" : std::string(name(meaning.kind))) +
                "; an indirect call takes a register",
            form.section);
    }
  }
  if (callee == nullptr) return;
  bool results_seen = false, params_seen = false;
  for (std::size_t i = 0; i < form.operands.size(); ++i) {
    if (form.operands[i].shape != isa::OperandShape::call_list || places.at[i] == OperandPlaces::absent)
      continue;
    const bool results = form.operands[i].access == isa::Access::write;
    (results ? results_seen : params_seen) = true;
    const std::span<const Operand> list =
        operands.subspan(places.at[i] + 1u, operands[places.at[i]].child_count);
    static const std::vector<Variable> unknown;
    if (signature == nullptr) {
      for (const Operand& o : list)
        if (o.kind == OperandKind::name && names_.find(o.name).kind == Meaning::Kind::unknown)
          complain(o, quoted(o.name) + " is not declared", "5.4");
      continue;
    }
    check_list(results ? "result" : "argument", results ? signature->results : signature->params, list,
               *callee, results);
    if (!results && signature->variadic) continue;
  }
  if (signature == nullptr) return;
  if (!params_seen && !signature->params.empty() && !signature->variadic)
    complain(*callee,
             "the call of " + quoted(callee->name) + " has no arguments, " +
                 std::to_string(signature->params.size()) + " are declared",
             form.section);
  if (!results_seen && !signature->results.empty())
    complain(*callee,
             "the call of " + quoted(callee->name) + " takes no result, " +
                 std::to_string(signature->results.size()) + " are declared",
             form.section);
}

void Verifier::check_list(std::string_view what, const std::vector<Variable>& wanted,
                          std::span<const Operand> list, const Operand& callee, bool results) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < list.size(); i += 1u + list[i].child_count, ++count) {
    const Operand& operand = list[i];
    if (operand.kind != OperandKind::name) continue;
    const Meaning& meaning = names_.find(operand.name);
    if (meaning.kind == Meaning::Kind::unknown) {
      complain(operand, quoted(operand.name) + " is not declared", "5.4");
      continue;
    }
    if (results && meaning.kind != Meaning::Kind::register_ && meaning.kind != Meaning::Kind::variable &&
        meaning.kind != Meaning::Kind::parameter) {
      complain(operand,
               quoted(operand.name) + " is " + std::string(name(meaning.kind)) + ", a call cannot write it",
               "9.7.12.5");
      continue;
    }
    if (count >= wanted.size() || meaning.variable == nullptr || operand.component != isa::Word::none)
      continue;
    check_argument(what, operand, meaning, wanted[count], callee);
  }
  const bool variadic = !wanted.empty() && !wanted.back().dims.empty() && wanted.back().dims.front() == 0;
  if (count != wanted.size() && !(variadic && count + 1 >= wanted.size()))
    complain(callee,
             "the call of " + quoted(callee.name) + " has " + std::to_string(count) + " " +
                 std::string(what) + (count == 1 ? "" : "s") + ", " + std::to_string(wanted.size()) +
                 " are declared",
             "9.7.12.5");
}

// Registers of one size, parameters of one layout.
void Verifier::check_argument(std::string_view what, const Operand& operand, const Meaning& meaning,
                              const Variable& wanted, const Operand& callee) {
  const Variable& given = *meaning.variable;
  std::string message;
  if (given.space != StateSpace::param && given.space != StateSpace::reg) {
    message = " is neither a register nor in .param";
  } else if (given.space == StateSpace::reg && wanted.dims.empty()) {
    const unsigned has = isa::info(given.type).bits, asks = isa::info(wanted.type).bits;
    if (has != asks && !(asks < 16 && has == 16) && given.vector == 1 && wanted.vector == 1)
      message = " has " + std::to_string(has) + " bits, " + quoted(callee.name) + " declares " +
                std::to_string(asks);
  } else if (given.space == StateSpace::param && bytes_of(wanted) != 0) {
    if (bytes_of(given) != bytes_of(wanted))
      message = " has " + std::to_string(bytes_of(given)) + " bytes, " + quoted(callee.name) + " declares " +
                std::to_string(bytes_of(wanted));
    else if (given.dims.empty() != wanted.dims.empty())
      message = std::string(given.dims.empty() ? " is no array, " : " is an array, ") + quoted(callee.name) +
                " declares " + (wanted.dims.empty() ? "none" : "one");
    else if (alignment_of(given) != alignment_of(wanted))
      message = " has alignment " + std::to_string(alignment_of(given)) + ", " + quoted(callee.name) +
                " declares " + std::to_string(alignment_of(wanted));
  }
  if (message.empty()) return;
  Diagnostic& d = complain(operand, std::string(what) + " " + quoted(operand.name) + message, "9.7.12.5");
  note_declaration(d, meaning, text(operand.name));
}

}  // namespace heddle::ptx
