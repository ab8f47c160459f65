#include "checker/ahead_of_choice.h"

#include "analysis/accesses.h"
#include "exec/wrap_use.gen.h"

namespace heddle::checker {

bool AheadOfChoice::loads(observe::Place place) {
  const module::Function& function = image_.functions[place.function];
  std::optional<Choosing>& known = functions_[place.function];
  if (!known) {
    known.emplace(function.register_slots, true);
    for (const module::Instruction& instruction : function.code) {
      // What a selection chooses by is a predicate, which no load writes.
      if (exec::wrap_use(instruction.opcode).selects) continue;
      analysis::each_register(image_, function, instruction, [&](const analysis::RegisterAccess& access) {
        if (access.read) (*known)[access.slot] = false;
      });
    }
  }
  bool all = true;
  analysis::each_register(image_, function, function.code[place.instruction],
                          [&](const analysis::RegisterAccess& access) {
                            if (access.write) all &= (*known)[access.slot];
                          });
  return all;
}

}  // namespace heddle::checker
