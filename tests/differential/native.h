// Programs on the fast executor, as a kind of host and a tier make their code.
#pragma once

#include <utility>

#include "exec/interp/lanes.h"
#include "exec/interp/test_program.h"
#include "exec/jit/executor.h"
#include "exec/jit/machine/machine.h"
#include "said.h"

namespace heddle::exec {

// False: this host is none of that kind.
inline bool use_native(interp::TestProgram& program, const char* cpu, jit::Tier tier, const Said& said) {
  if (!jit::find_host(cpu)) return false;
  jit::Options options;
  options.cpu = cpu;
  options.threads = 1;
  options.tier = tier;
  options.trace = said.listener();
  auto executor =
      jit::make_executor(options, interp::make_executor(), interp::make_reference_lanes_factory());
  if (executor)
    program.use(std::move(*executor));
  else
    ADD_FAILURE() << executor.error();
  return true;
}

}  // namespace heddle::exec
