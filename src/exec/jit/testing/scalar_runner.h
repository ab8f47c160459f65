// Runs the program of one thread as it is, one thread after another: what lowering means without the
// vectoriser. For tests, and for finding the stage that is wrong. Threads that wait for or look at each other
// are beyond it: such a kernel faults with "illegal instruction".
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "exec/launch.h"
#include "exec/reference_lanes.h"

namespace heddle::exec::jit {

class ScalarRunner final : public Executor {
 public:
  // `lanes`: for instructions that have no lowering of their own.
  explicit ScalarRunner(std::unique_ptr<ReferenceLanesFactory> lanes);
  ~ScalarRunner() override;

  std::string_view name() const override { return "scalar"; }
  bool provides(std::string_view) const override { return false; }
  Result<LaunchReport, Fault> run(const Launch&) override;

  // Of the last launch: how many instructions of the program the reference executor does, and the program's
  // text before it was compiled.
  std::size_t steps() const;
  const std::string& text() const;

 private:
  struct Inner;
  std::unique_ptr<Inner> inner_;
};

}  // namespace heddle::exec::jit
