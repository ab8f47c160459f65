#include "exec/interp/executor.h"

#include <algorithm>
#include <thread>

#include "exec/interp/grid.h"
#include "exec/interp/host_function.h"
#include "exec/interp/run.h"

namespace heddle::exec::interp {

namespace {

class ReferenceExecutor final : public Executor {
 public:
  explicit ReferenceExecutor(unsigned threads)
      : threads_(threads != 0 ? threads : std::max(1u, std::thread::hardware_concurrency())) {}
  std::string_view name() const override { return "interp"; }
  bool provides(std::string_view function) const override { return find_host_function(function) != nullptr; }

  Result<LaunchReport, Fault> run(const Launch& launch) override {
    Run run(launch, launch.observer == nullptr ? nullptr : &launch.observer->sink());
    run_grid(run, threads_);
    run.watch.tell_counts();
    if (run.fault) return std::move(*run.fault);
    return LaunchReport{run.warp_instructions, run.thread_instructions};
  }

 private:
  const unsigned threads_;
};

}  // namespace

std::unique_ptr<Executor> make_executor(unsigned threads) {
  return std::make_unique<ReferenceExecutor>(threads);
}

}  // namespace heddle::exec::interp
