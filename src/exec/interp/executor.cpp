#include "exec/interp/executor.h"

#include "exec/interp/grid.h"
#include "exec/interp/host_function.h"
#include "exec/interp/run.h"

namespace heddle::exec::interp {

namespace {

class ReferenceExecutor final : public Executor {
 public:
  std::string_view name() const override { return "interp"; }
  bool provides(std::string_view function) const override { return find_host_function(function) != nullptr; }

  Result<LaunchReport, Fault> run(const Launch& launch) override {
    Run run(launch, launch.observer == nullptr ? nullptr : &launch.observer->sink());
    run_grid(run);
    run.watch.tell_counts();
    if (run.fault) return std::move(*run.fault);
    return LaunchReport{run.warp_instructions, run.thread_instructions};
  }
};

}  // namespace

std::unique_ptr<Executor> make_executor() { return std::make_unique<ReferenceExecutor>(); }

}  // namespace heddle::exec::interp
