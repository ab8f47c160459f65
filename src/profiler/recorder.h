// Watches a process and hands what it measured to who writes it down.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/entry/listen.h"
#include "api/ranges/marks.h"
#include "profiler/profile.h"
#include "profiler/range_filter.h"
#include "runtime/watcher.h"
#include "runtime/work_watcher.h"
#include "support/demangle.h"
#include "support/result.h"

namespace heddle::profiler {

// What is measured: docs/reference/heddle-profile.md.
struct RecorderOptions {
  bool counts = true;             // of each launch; otherwise launches are told with their facts alone
  bool accesses = true;           // among the counts, those of memory accesses
  bool lines = false;             // the counts of each source line, too
  bool reuse = false;             // what blocks load more than once, too
  bool stalls = false;            // what warps wait for, by the timing model
  bool calls = false;             // API calls
  bool from_start = true;         // otherwise from cudaProfilerStart or cuProfilerStart on
  std::string kernel;             // a regular expression that names match; empty: all
  bool mangled = false;           // match the names as the linker has them
  std::string ranges;             // only launches in these ranges: range_filter.h
  uint64_t skip = 0;              // of the launches that match, the first ones
  std::optional<uint64_t> count;  // and those behind it
  std::optional<uint64_t> each;   // of each kernel, of what is left, those behind the first ones
};
// "lines reuse calls no-counts no-accesses from-start=0 mangled skip=3 count=5 each=1"; the error names the
// word.
Result<RecorderOptions> parse_options(std::string_view words, std::string_view kernel);

// Who writes. Called from any thread, one at a time.
class Output {
 public:
  virtual ~Output() = default;
  virtual void add(const LaunchRecord& launch) = 0;
  virtual void add(const CopyRecord&) {}
  virtual void add(const CallRecord&) {}
  virtual void began(const RangeRecord&) {}
  virtual void ended(const RangeRecord&) {}
  virtual void named(int32_t /*thread*/, const std::string& /*name*/) {}
  virtual void submitted(uint64_t /*call*/) {}  // work that will be told, by this call
  virtual void end() {}                         // of the process: nothing comes any more
};

class Recorder final : public runtime::Watcher,
                       public runtime::WorkWatcher,
                       public entry::Listener,
                       public ranges::Listener {
 public:
  Recorder(RecorderOptions options, std::unique_ptr<Output> output);
  ~Recorder() override;
  std::unique_ptr<runtime::LaunchWatch> launch(const runtime::LaunchFacts& facts) override;
  void copied(const runtime::CopyFacts& facts) override;
  void worked(const runtime::WorkFacts& facts) override;
  void submitted(const runtime::Submission& submission, const runtime::Context&) override;
  void stream_made(const runtime::Stream& stream) override;
  void ended(const entry::CallFacts& facts) override;
  void range_began(const ranges::Mark& mark) override;
  void range_ended(const ranges::Mark& mark) override;
  void thread_named(int32_t thread, std::string_view name) override;
  void end();

 private:
  class Launch;
  friend class Launch;
  bool wants(const runtime::Submission* submission, const std::string& kernel, bool in_ranges);
  // Whether it was to be measured when the host asked for it, which is before it is done.
  bool collected(const runtime::Submission* submission);
  template <class Record>
  void hand_over(const Record& record) {
    const std::lock_guard lock(mutex_);
    output_->add(record);
  }
  const RecorderOptions options_;
  const std::regex kernel_;
  std::atomic<uint64_t> launches_{0};
  std::mutex mutex_;
  uint64_t matched_ = 0;
  std::set<uint64_t> default_streams_;
  std::map<std::string, uint64_t, std::less<>> measured_;  // launches of each kernel, by its linker name
  struct Turn {
    uint64_t number;  // of the first submission since then
    bool on;
  };
  std::vector<Turn> turns_;
  // Of what the host has asked for and is not done yet, where it is in ranges: which, and whether those are
  // wanted.
  struct Within {
    std::vector<uint64_t> ranges;
    bool wanted = true;
  };
  Within take_within(const runtime::Submission* submission);
  std::map<uint64_t, Within> within_;  // by the submission's number
  const RangeFilter filter_;
  const std::unique_ptr<Output> output_;
};

// "reduce" of _Z6reducePfi: without the parameters and template arguments.
std::string base_name(const std::string& name);

}  // namespace heddle::profiler
