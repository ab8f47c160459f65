#include "timing/issued.h"

#include "analysis/registers/issue_order.h"
#include "exec/count_places.h"
#include "module/calls.h"

namespace heddle::timing {

namespace {

class Issuer {
 public:
  Issuer(const module::Image& image, const Machine& machine, const module::Function& function)
      : image_(image),
        machine_(machine),
        function_(function),
        written_(make_body(image, function, machine)) {}

  IssuedBody make() {
    // Of the first assemblers' order nothing is known: products by tiles of their time are 5 to 13 % off with
    // the program's own, 25 to 33 % too fast with today's assembler's (docs/reference/timing-error.md).
    if (machine_.device->capability() < arch::Capability{2, 0} || machine_.left_out.order)
      return as_written();
    const analysis::IssueOrder all = analysis::issue_order(image_, function_, machine_.device->arch, true);
    body_.run_at.resize(function_.code.size(), IssuedBody::none);
    body_.slots = static_cast<uint32_t>(all.code.width.size());
    add_runs(all, 0, false);
    if (all.repeats()) {
      // For what is left over: the loops as they stand. Its values beyond the registers are others.
      const analysis::IssueOrder once =
          analysis::issue_order(image_, function_, machine_.device->arch, false);
      copies_ = all.copies;
      const uint32_t beyond = body_.slots - function_.register_slots;
      body_.slots += static_cast<uint32_t>(once.code.width.size()) - function_.register_slots;
      add_runs(once, beyond, true);
    }
    return std::move(body_);
  }

 private:
  IssuedBody as_written() {
    body_.operations = written_.operations;
    body_.registers = written_.registers;
    body_.slots = written_.slots;
    body_.run_at.resize(function_.code.size(), IssuedBody::none);
    for (uint32_t i = 0; i < function_.code.size(); ++i) {
      body_.operations[i].instruction = i;
      if (!exec::begins_count(function_, i)) continue;
      Run run{i, written_.run_end[i]};
      for (uint32_t k = run.first; k < run.end; ++k)
        run.operations += written_.operations[k].unit != Unit::none;
      body_.run_at[i] = static_cast<uint32_t>(body_.runs.size());
      body_.runs.push_back(run);
    }
    return std::move(body_);
  }

  // A run begins with a block, and behind a call of a function that is none of mathematics.
  bool begins_run(uint32_t instruction) const {
    if (function_.blocks[function_.block_of[instruction]].first == instruction) return true;
    const module::Instruction& before = function_.code[instruction - 1];
    return exec::begins_count(function_, instruction) &&
           !analysis::registers::calls_math(image_, function_, before);
  }

  void add_runs(const analysis::IssueOrder& order, uint32_t beyond, bool left_over) {
    for (uint32_t b = 0; b < function_.blocks.size(); ++b) {
      if (left_over && copies_[b] == 1) continue;
      const module::Block& block = function_.blocks[b];
      for (uint32_t first = block.first; first < block.end;) {
        uint32_t end = first + 1;
        while (end < block.end && !begins_run(end)) ++end;
        const Run run = add_run(order, b, first, end, beyond);
        const auto number = static_cast<uint32_t>(body_.runs.size());
        body_.runs.push_back(run);
        if (left_over) body_.runs[number].repeated = body_.run_at[first];
        body_.run_at[first] = number;
        first = end;
      }
    }
  }

  Run add_run(const analysis::IssueOrder& order, uint32_t block, uint32_t first, uint32_t end,
              uint32_t beyond) {
    Run run;
    run.first = static_cast<uint32_t>(body_.operations.size());
    run.copies = order.copies[block];
    const analysis::registers::Range& range = order.code.blocks[block];
    for (uint32_t i = range.first; i < range.end; ++i) {
      const analysis::registers::Operation& o = order.code.operations[i];
      const analysis::IssueOrder::Origin& origin = order.origins[o.instruction];
      if (origin.instruction < first || origin.instruction >= end) continue;
      add(order, o, origin, beyond);
      run.operations += body_.operations.back().unit != Unit::none;
    }
    // Sleeps are none of the order's; where in its run a warp sleeps makes no difference.
    for (uint32_t i = first; i < end; ++i)
      if (written_.operations[i].holds != 0 && isa::name(function_.code[i].opcode) == "nanosleep")
        sleep(run, i);
    run.end = static_cast<uint32_t>(body_.operations.size());
    return run;
  }

  void sleep(Run& run, uint32_t instruction) {
    Operation result = written_.operations[instruction];
    result.instruction = instruction;
    result.first_register = static_cast<uint32_t>(body_.registers.size());
    result.reads = result.writes = 0;
    for (uint32_t copy = 0; copy < run.copies; ++copy, ++run.operations) {
      result.copy = copy;
      body_.operations.push_back(result);
    }
  }

  void add(const analysis::IssueOrder& order, const analysis::registers::Operation& o,
           const analysis::IssueOrder::Origin& origin, uint32_t beyond) {
    const bool brings = o.uses == 0 && o.definitions == 1 &&
                        order.code.definitions(o)[0] >= function_.register_slots && !o.stays;
    Operation result = brings ? move() : written_.operations[origin.instruction];
    // The warp goes on while a function's instructions wait for one another.
    if (analysis::registers::calls_math(image_, function_, function_.code[origin.instruction]))
      result.holds = 0;
    result.instruction = origin.instruction;
    result.copy = origin.copy;
    result.first_register = static_cast<uint32_t>(body_.registers.size());
    result.reads = o.uses;
    result.writes = o.definitions;
    const auto take = [&](std::span<const uint32_t> values) {
      for (const uint32_t value : values)
        body_.registers.push_back(value < function_.register_slots ? value : value + beyond);
    };
    take(order.code.uses(o));
    take(order.code.definitions(o));
    body_.operations.push_back(result);
  }

  // What never changes is brought into a register.
  Operation move() const {
    Operation o;
    o.unit = Unit::i32;
    o.issue = machine_.issue;
    o.busy = machine_.busy[static_cast<std::size_t>(Unit::i32)];
    o.latency = machine_.latency[static_cast<std::size_t>(Unit::i32)];
    return o;
  }

  const module::Image& image_;
  const Machine& machine_;
  const module::Function& function_;
  const Body written_;
  std::vector<uint32_t> copies_;  // by block
  IssuedBody body_;
};

}  // namespace

uint64_t operations_at(const IssuedProgram& program, observe::Place place) {
  const Run* run = program.bodies[place.function].run_from(place.instruction);
  return run == nullptr ? 0 : run->operations;
}

uint64_t operations_of(const IssuedProgram& program, const std::map<observe::Place, observe::Count>& counts) {
  uint64_t all = 0;
  for (const auto& [place, count] : counts) all += operations_at(program, place) * count.warps;
  return all;
}

IssuedProgram issue_program(const module::Image& image, uint32_t entry, const Machine& machine) {
  IssuedProgram program;
  program.bodies.resize(image.functions.size());
  for (const uint32_t f : module::reachable_functions(image, entry))
    if (image.functions[f].defined) program.bodies[f] = Issuer(image, machine, image.functions[f]).make();
  return program;
}

}  // namespace heddle::timing
