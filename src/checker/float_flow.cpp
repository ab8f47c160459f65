#include "checker/float_flow.h"

#include <algorithm>
#include <set>

#include "module/flow.h"

namespace heddle::checker {

using module::Operand;
using module::OperandKind;

namespace {

constexpr uint64_t variable = uint64_t{1} << 32;

bool is_private(module::Space space) {
  return space == module::Space::param || space == module::Space::local;
}

// What an operand names: registers, also in braces, and variables of the frame; an address by a register is
// no number, but what lies there is not followed either.
template <class F>
void each_name(const module::Image& image, const module::Function& function, const Operand& o, F&& f) {
  switch (o.kind) {
    case OperandKind::reg: return f(uint64_t{o.reg}, false);
    case OperandKind::symbol:
    case OperandKind::address:
      if (o.index != module::none && is_private(image.symbols[o.index].space)) f(variable | o.index, true);
      return;
    case OperandKind::vector:
    case OperandKind::list:
      for (const Operand& child : std::span(function.operands.data() + o.first_child, o.child_count))
        each_name(image, function, child, f);
      return;
    default: return;
  }
}

}  // namespace

const FloatFlow::Function& FloatFlow::function(uint32_t index) {
  const auto [found, fresh] = functions_.try_emplace(index);
  Function& made = found->second;
  if (!fresh) return made;
  const module::Function& function = image_.functions[index];
  made.writes.resize(function.code.size());
  for (uint32_t i = 0; i < function.code.size(); ++i) {
    const module::Instruction& instruction = function.code[i];
    const isa::FormInfo& form =
        isa::forms(instruction.opcode)[image_.mnemonics[instruction.mnemonic].alternative];
    const bool is_call = module::flow_of(isa::info(instruction.form)) == module::Flow::call;
    const bool stores = exec::number_use(instruction.opcode).stores;
    bool past_target = false;
    for (unsigned o = 0; o < instruction.operand_count; ++o) {
      const Operand& operand = function.operands[instruction.first_operand + o];
      bool writes = !is_call && o < form.operands.size() && form.operands[o].access == isa::Access::write;
      if (is_call) {
        // Results stand before the function, arguments behind it.
        if (operand.kind == OperandKind::list)
          writes = !past_target;
        else if (operand.kind != OperandKind::absent)
          past_target = true;
      }
      each_name(image_, function, operand, [&](Name name, bool is_variable) {
        // An address is what a store writes, and a load reads.
        if (writes || (is_variable && stores))
          made.writes[i].push_back(name);
        else
          made.readers[name].push_back(i);
      });
    }
  }
  return made;
}

std::vector<FlowStep> FloatFlow::from(observe::Place place, bool infinite) {
  const Function& function = this->function(place.function);
  const module::Function& code = image_.functions[place.function];
  std::vector<FlowStep> steps;
  std::set<uint32_t> seen{place.instruction};
  std::vector<Name> left = function.writes[place.instruction];
  std::set<Name> known(left.begin(), left.end());
  const auto goes_on = [&](uint32_t i) {
    for (const Name name : function.writes[i])
      if (known.insert(name).second) left.push_back(name);
  };
  while (!left.empty()) {
    const Name name = left.back();
    left.pop_back();
    const auto readers = function.readers.find(name);
    if (readers == function.readers.end()) continue;
    for (const uint32_t i : readers->second) {
      if (!seen.insert(i).second) continue;
      const observe::Place here{place.function, i};
      const exec::NumberUse use = exec::number_use(code.code[i].opcode);
      if (const auto found = events_.find(here); found != events_.end()) {
        const FloatEvents& e = found->second;
        const auto step = [&](FlowStep::Kind kind, uint64_t count) {
          if (count != 0) steps.push_back({kind, here, count});
        };
        const uint64_t carried = e.count(Fate::carried, infinite);
        step(FlowStep::Kind::carried, carried);
        if (infinite) step(FlowStep::Kind::becomes_nan, e.nan_of_infinity);
        step(FlowStep::Kind::lost, e.count(Fate::lost, infinite));
        step(FlowStep::Kind::compared, e.count(Fate::compared, infinite));
        step(FlowStep::Kind::tested, e.count(Fate::tested, infinite));
        step(FlowStep::Kind::converted, e.count(Fate::converted, infinite));
        step(FlowStep::Kind::stored, e.count(Fate::stored, infinite));
        if (carried != 0) goes_on(i);
        continue;
      }
      const isa::FormInfo& form = isa::info(code.code[i].form);
      if (module::flow_of(form) == module::Flow::call) {
        // Device math functions tell; any other may do what it likes.
        const auto* end = code.operands.data() + code.code[i].first_operand + code.code[i].operand_count;
        const auto* target = std::find_if(code.operands.data() + code.code[i].first_operand, end,
                                          [](const Operand& o) { return o.kind == OperandKind::function; });
        if (target == end || image_.functions[target->index].defined) {
          steps.push_back({FlowStep::Kind::passed, here, 0});
          goes_on(i);
        }
        continue;
      }
      // Of those that tell, nothing was told: no exceptional number came here.
      if (!numbers_.of(here.function, here.instruction).empty()) continue;
      if (!function.writes[i].empty())
        goes_on(i);  // it copies, or the variable is read elsewhere
      else if (use.stores)
        steps.push_back({FlowStep::Kind::kept, here, 0});
    }
  }
  std::ranges::sort(steps, {}, [](const FlowStep& s) { return s.place; });
  return steps;
}

bool FloatFlow::is_seen(const std::vector<FlowStep>& steps) {
  using Kind = FlowStep::Kind;
  return std::ranges::any_of(steps, [](const FlowStep& s) {
    return s.kind != Kind::carried && s.kind != Kind::lost && s.kind != Kind::tested;
  });
}

bool FloatFlow::is_used(const std::vector<FlowStep>& steps) {
  return std::ranges::any_of(steps, [](const FlowStep& s) { return s.kind != FlowStep::Kind::carried; });
}

}  // namespace heddle::checker
