// What an observer of values is told of an instruction: its sources, read before it, and its results.
#include <algorithm>

#include "exec/jit/abi/asks_time.h"
#include "exec/jit/ir/values.h"
#include "exec/jit/lower/function_lowering.h"
#include "exec/jit/lower/lowering.h"
#include "observe/carried.h"

namespace heddle::exec::jit {

std::span<const Number> FunctionLowering::told_numbers(const module::Instruction& instruction) {
  const uint8_t kinds = value_kinds(without_time(program_.meaning.observed));
  if (kinds == observe::no_values) return {};
  const auto index = static_cast<uint32_t>(&instruction - function_.code.data());
  const std::span<const Number> numbers = program_.numbers.of(index_, index);
  // Of an instruction of which nothing is looked at, nothing need be told.
  for (const Number& n : numbers)
    if (n.result || ((kinds & observe::not_finite) != 0 && n.looked_at)) return numbers;
  return {};
}

namespace {

// What an observer wants of an instruction. Of its lanes alone it can be seen whether a number only goes on
// where each result comes of its own lane's sources, and nothing but exceptions is looked for.
uint8_t kinds_of(uint8_t kinds, std::span<const Number> numbers, NumberUse use) {
  const bool alone = use.computes && !use.selects && !use.fragments && numbers[0].result &&
                     (numbers.size() == 1 || !numbers[1].result) &&
                     std::ranges::all_of(numbers, [](const Number& n) { return n.elements() == 1; });
  constexpr unsigned others = observe::subnormals | observe::cancellations;
  return alone && (kinds & others) == 0 ? kinds
                                        : static_cast<uint8_t>(kinds & ~unsigned{observe::counts_carried});
}

}  // namespace

// The values of the sources, or of the results.
void FunctionLowering::read_numbers(Lowering& lowering, std::span<const Number> numbers, bool results,
                                    Values& values) {
  values.resize(numbers.size());
  sees_writes_ = results;
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    if (numbers[n].result != results) continue;
    const module::Operand& o = *numbers[n].operand;
    const bool is_float = o.type == isa::Type::f32 || o.type == isa::Type::f64;
    values[n] = is_float ? lowering.get(o) : lowering.get_bits(o);
  }
  sees_writes_ = false;
}

void FunctionLowering::tell_values(const module::Instruction& instruction, std::span<const Number> numbers,
                                   const Values& values) {
  const auto index = static_cast<uint32_t>(&instruction - function_.code.data());
  const NumberUse use = program_.numbers.use(index_, index);
  const Number* addend = addend_of(numbers, use);
  const uint8_t kinds = kinds_of(value_kinds(without_time(program_.meaning.observed)), numbers, use);
  llvm::SmallVector<llvm::Value*, 12> arguments{ir().getInt32(site_), ir().getInt32(kinds)};
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    const ValueCode code{numbers[n].type, numbers[n].looked_at, numbers[n].result, &numbers[n] == addend};
    arguments.push_back(ir().getInt32(code.number()));
    arguments.push_back(values[n]);
  }
  call_op(ir(), Op::observe_value, ir().getVoidTy(), arguments);
}

}  // namespace heddle::exec::jit
