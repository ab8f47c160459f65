#include "checker/attach.h"

#include <cstdlib>
#include <utility>

#include "checker/api_tool.h"
#include "checker/float_tool.h"
#include "checker/int_tool.h"
#include "checker/memory_tool.h"
#include "checker/race_tool.h"
#include "checker/schedule_tool.h"
#include "checker/settings.h"
#include "checker/stream_memory.h"
#include "checker/stream_orders.h"
#include "checker/sync_tool.h"
#include "checker/time_limit.h"
#include "runtime/context.h"
#include "runtime/ended_launches.h"
#include "runtime/process_system.h"
#include "runtime/system.h"

namespace heddle::checker {

namespace {

struct AtEnd {
  runtime::System* system = nullptr;
  const MemoryTool* leaks = nullptr;
  Reporter* reporter = nullptr;
  FloatTool* floats = nullptr;
  ScheduleTool* schedules = nullptr;
};
AtEnd& at_end() {
  static AtEnd& all = *new AtEnd;
  return all;
}

// A program need not wait for its last kernels: what they do wrong is told all the same. Before the end of
// the process is awaited elsewhere (support/process_end.h), when kernels may still be compiled; on_exit and
// not atexit, see api/shared/kept_objects.cpp.
void end(int, void*) {
  for (const auto& context : at_end().system->contexts()) (void)context->synchronize();
  if (at_end().leaks != nullptr) at_end().leaks->tell_leaks();
  if (at_end().floats != nullptr) at_end().floats->tell();
  if (at_end().schedules != nullptr) at_end().schedules->tell_rest();
  if (at_end().reporter != nullptr) at_end().reporter->flush();
}

// The calls' names are kept with what they submit while somebody listens.
class Names final : public entry::Listener {
  void ended(const entry::CallFacts&) override {}
};

void await_end(runtime::System& system) {
  if (std::exchange(at_end().system, &system) == nullptr) on_exit(end, nullptr);
}

}  // namespace

void attach() {
  const char* text = std::getenv(settings_variable);
  if (text == nullptr || *text == '\0') return;
  const auto settings = Settings::from(text);
  if (!settings) {
    runtime::offer_watcher([why = settings.error()](runtime::System&) {
      return runtime::Outcome<std::shared_ptr<runtime::Watcher>>(runtime::invalid(why));
    });
    return;
  }
  const auto reporter = std::make_shared<Reporter>(settings->pipe, settings->error_texts);
  at_end().reporter = reporter.get();
  const auto offer = [&](std::shared_ptr<runtime::Watcher> tool) {
    runtime::offer_watcher([tool = std::move(tool), reporter](runtime::System& system) {
      await_end(system);
      reporter->tell(MessageKind::tested, {});
      return runtime::Outcome<std::shared_ptr<runtime::Watcher>>(tool);
    });
  };
  if (settings->memcheck && settings->launches_fail) runtime::stray_launches_just_fail = true;
  // First, so that nobody else is told of a launch before it has run in other orders.
  if (settings->schedules != 0 || settings->seeded) {
    const auto reports = std::make_shared<OrderReports>(reporter);
    const auto memory = std::make_shared<ReachableMemory>();
    const auto tool = std::make_shared<ScheduleTool>(*settings, reports, memory);
    at_end().schedules = tool.get();
    offer(tool);
    runtime::offer_watcher(
        [streams = std::make_shared<StreamOrders>(*settings, reports, memory)](runtime::System& system) {
          system.scheduler().hold_work(streams);
          return runtime::Outcome<std::shared_ptr<runtime::Watcher>>(nullptr);
        });
  }
  if (settings->memcheck || settings->initcheck || settings->leaks) {
    std::shared_ptr<StreamMemory> stream_memory;
    if (settings->memcheck) offer(stream_memory = std::make_shared<StreamMemory>(*settings, reporter));
    const auto tool = std::make_shared<MemoryTool>(*settings, reporter, stream_memory);
    if (settings->leaks) at_end().leaks = tool.get();
    offer(tool);
  }
  if (settings->memcheck && settings->api_errors) entry::listen(std::make_shared<ApiTool>(reporter));
  if (settings->racecheck || settings->initcheck || settings->schedules != 0)
    entry::listen(std::make_shared<Names>());
  if (settings->time_limit != 0) {
    const auto limit = std::make_shared<TimeLimit>(settings->time_limit, reporter);
    offer(limit);
    limit->start();
  }
  if (settings->racecheck) offer(std::make_shared<RaceTool>(*settings, reporter));
  if (settings->fpcheck) {
    const auto tool = std::make_shared<FloatTool>(*settings, reporter);
    at_end().floats = tool.get();
    offer(tool);
  }
  if (settings->intcheck) offer(std::make_shared<IntTool>(*settings, reporter));
  if (settings->synccheck) offer(std::make_shared<SyncTool>(*settings, reporter));
}

}  // namespace heddle::checker
