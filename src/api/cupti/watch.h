// Makes records of what the runtime and the APIs tell: the same channel that the profiler and the checker
// watch.
#pragma once

#include <cupti.h>

#include <memory>

#include "api/cupti/calls_table.h"
#include "api/entry/listen.h"
#include "api/ranges/marks.h"
#include "runtime/watcher.h"
#include "runtime/work_watcher.h"

namespace heddle::cupti {

class Session;

class Watch final : public runtime::Watcher,
                    public runtime::WorkWatcher,
                    public entry::Listener,
                    public ranges::Listener {
 public:
  explicit Watch(Session& session) : session_(session) {}

  // A kind that is wanted from now on: what is there already is told.
  void began(CUpti_ActivityKind kind);

  std::unique_ptr<runtime::LaunchWatch> launch(const runtime::LaunchFacts&) override;
  void copied(const runtime::CopyFacts&) override;
  void worked(const runtime::WorkFacts&) override;
  void stream_made(const runtime::Stream&) override;
  void allocated(const runtime::Allocation&) override;
  void released(const runtime::Allocation&) override;

  void began(const entry::Record&, uint64_t number) override;
  void ended(const entry::CallFacts&) override;

  void range_began(const ranges::Mark&) override;
  void range_ended(const ranges::Mark&) override;

 private:
  class Launch;
  // 0: records of kernels are not wanted there.
  CUpti_ActivityKind kernel_kind(const runtime::Context& context) const;
  void filled(const runtime::CopyFacts&);
  void tell_memory(const runtime::Allocation& memory, CUpti_ActivityMemoryOperationType operation);
  void tell_waiting(const entry::CallFacts& facts);
  void tell_waited(const entry::CallFacts& facts);
  void tell_event(const entry::CallFacts& facts);
  void tell_mark(const ranges::Mark& mark, CUpti_ActivityFlag flag, int64_t time);

  Session& session_;
};

// Numbers for objects that a program names by their handles: the same one for the same handle.
uint32_t event_number(uint64_t handle);
uint32_t graph_number(uint64_t handle);  // of graphs and of those that are ready to run
// Of the graph that a call launched; 0: it launched none.
uint32_t launched_graph(uint64_t call);

// The external correlation ids of the calling thread (cuptiActivityPushExternalCorrelationId).
void push_external(CUpti_ExternalCorrelationKind kind, uint64_t id);
bool pop_external(CUpti_ExternalCorrelationKind kind, uint64_t& id);

}  // namespace heddle::cupti
