#include "profiler/attach.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "profiler/command_log.h"
#include "profiler/data_file.h"
#include "profiler/log_options.h"
#include "profiler/recorder.h"
#include "profiler/start_log.h"
#include "runtime/context.h"
#include "runtime/process_system.h"
#include "runtime/watchers.h"

namespace heddle::profiler {

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

const char* process_environment(const char* name) { return std::getenv(name); }

Profile head_of_process(int64_t now) {
  Profile head;
  head.process = getpid();
  std::error_code ignored;
  head.program = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
  head.began = now;
  head.wall = std::chrono::duration_cast<std::chrono::microseconds>(
                  std::chrono::system_clock::now().time_since_epoch())
                  .count();
  return head;
}

// A file of the folder, named by the process: what a process forks writes a file of its own.
class Folder final : public Output {
 public:
  Folder(std::string folder, DataWriter writer, runtime::System& system)
      : folder_(std::move(folder)), system_(system) {
    writer_.emplace(std::move(writer));
  }
  static std::string path(const std::string& folder) {
    return folder + '/' + std::to_string(getpid()) + ".profile";
  }
  void add(const LaunchRecord& launch) override { put(launch); }
  void add(const CopyRecord& copy) override { put(copy); }
  void add(const CallRecord& call) override { put(call); }
  void began(const RangeRecord& range) override {
    if (DataWriter* writer = of_process()) writer->began(range);
  }
  void ended(const RangeRecord& range) override {
    if (DataWriter* writer = of_process()) writer->ended(range);
  }
  void named(int32_t thread, const std::string& name) override {
    if (DataWriter* writer = of_process()) writer->named(thread, name);
  }

 private:
  template <class Record>
  void put(const Record& record) {
    if (DataWriter* writer = of_process()) writer->add(record);
  }
  DataWriter* of_process() {
    if (getpid() != process_) {
      process_ = getpid();
      writer_.reset();
      if (auto made = DataWriter::create(path(folder_), head_of_process(system_.scheduler().now())))
        writer_.emplace(std::move(*made));
    }
    return writer_ ? &*writer_ : nullptr;
  }
  const std::string folder_;
  runtime::System& system_;
  pid_t process_ = getpid();
  std::optional<DataWriter> writer_;
};

// A program need not wait for its last kernels: what they do is told all the same (see checker/attach.cpp).
struct AtEnd {
  runtime::System* system = nullptr;
  std::vector<std::shared_ptr<Recorder>> recorders;
};
AtEnd& at_end() {
  static AtEnd& one = *new AtEnd;
  return one;
}
void end(int, void*) {
  for (const auto& context : at_end().system->contexts()) (void)context->synchronize();
  for (const auto& recorder : at_end().recorders) recorder->end();
}
void await_end(runtime::System& system, std::shared_ptr<Recorder> recorder) {
  at_end().recorders.push_back(std::move(recorder));
  if (std::exchange(at_end().system, &system) == nullptr) on_exit(end, nullptr);
}

runtime::Outcome<std::shared_ptr<runtime::Watcher>> make(runtime::System& system) {
  const std::string folder = environment("HEDDLE_PROFILE");
  if (folder.empty()) return std::shared_ptr<runtime::Watcher>();
  auto options = parse_options(environment("HEDDLE_PROFILE_OPTIONS"), environment("HEDDLE_PROFILE_KERNEL"));
  if (!options) return runtime::invalid("HEDDLE_PROFILE_OPTIONS: " + options.error().message);
  auto writer = DataWriter::create(Folder::path(folder), head_of_process(system.scheduler().now()));
  if (!writer) return runtime::invalid("HEDDLE_PROFILE: " + writer.error().message);
  options->ranges = environment("HEDDLE_PROFILE_RANGES");
  if (const auto filter = parse_range_filter(options->ranges); !filter)
    return runtime::invalid("HEDDLE_PROFILE_RANGES: " + filter.error().message);
  const bool calls = options->calls;
  const auto recorder = std::make_shared<Recorder>(
      std::move(*options), std::make_unique<Folder>(folder, std::move(*writer), system));
  if (calls) entry::listen(recorder);
  ranges::listen(recorder);
  await_end(system, recorder);
  return std::shared_ptr<runtime::Watcher>(recorder);
}

// ---- the command line profiler

std::shared_ptr<Recorder> recorder_of_log(LogOptions log, runtime::System& system) {
  RecorderOptions options;
  options.counts = !log.counters.empty();
  options.calls = true;
  options.from_start = log.from_start;
  const int64_t now = system.scheduler().now();
  const int64_t wall = std::chrono::duration_cast<std::chrono::nanoseconds>(
                           std::chrono::system_clock::now().time_since_epoch())
                           .count();
  auto recorder =
      std::make_shared<Recorder>(std::move(options), std::make_unique<CommandLog>(std::move(log), now, wall));
  entry::listen(recorder);
  await_end(system, recorder);
  return recorder;
}

runtime::Outcome<std::shared_ptr<runtime::Watcher>> make_log(runtime::System& system) {
  if (!wants_log(process_environment)) return std::shared_ptr<runtime::Watcher>();
  auto log = log_options(process_environment);
  if (!log) return runtime::invalid("COMPUTE_PROFILE_CONFIG: " + log.error().message);
  return std::shared_ptr<runtime::Watcher>(recorder_of_log(std::move(*log), system));
}

}  // namespace

Result<bool> start_log(const char* configuration, const char* path, bool csv) {
  static std::mutex& mutex = *new std::mutex;
  static std::shared_ptr<Recorder>& own = *new std::shared_ptr<Recorder>;  // the last one's
  const auto system = runtime::process_system();
  if (!system || wants_log(process_environment) || !environment("HEDDLE_PROFILE").empty()) return false;
  auto log = log_options([&](const char* name) -> const char* {
    const std::string_view variable(name);
    const auto unless_empty = [](const char* text) { return text != nullptr && *text != 0 ? text : nullptr; };
    if (variable == "COMPUTE_PROFILE_CONFIG") return unless_empty(configuration);
    if (variable == "COMPUTE_PROFILE_LOG") return unless_empty(path);
    return variable == "COMPUTE_PROFILE_CSV" && csv ? "1" : nullptr;
  });
  if (!log) return log.error();
  log->from_start = false;
  const std::lock_guard lock(mutex);
  if (own != nullptr) {
    for (const auto& context : (*system)->contexts())
      (void)context->synchronize();  // launches are its own still
    (*system)->watchers().remove(*own);
    own->end();
  }
  own = recorder_of_log(std::move(*log), **system);
  (*system)->watchers().add(own);
  return true;
}

void attach() {
  runtime::offer_watcher(make);
  runtime::offer_watcher(make_log);
}

}  // namespace heddle::profiler
