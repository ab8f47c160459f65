// Timelines as the trace event format of Chrome, which chrome://tracing and Perfetto open: a row for each
// thread of the host with its ranges and calls, a row for each stream of a device with its kernels and
// copies, arrows from calls to what they asked for.
#include <algorithm>
#include <cstdio>
#include <map>
#include <ostream>
#include <set>
#include <string>

#include "profiler/pages/report.h"
#include "profiler/pages/text.h"
#include "profiler/recorder.h"

namespace heddle::profiler {

namespace {

// Numbers of processes are below this: what is above stands for the devices of a process.
constexpr int64_t device_step = int64_t{1} << 22;

class Trace {
 public:
  explicit Trace(std::ostream& out) : out_(out) {
    out_ << "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [";
  }
  ~Trace() { out_ << "\n]}\n"; }
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // Further members of the object follow, each with a comma before it, and then end().
  std::ostream& event(char phase, int64_t process, int64_t row) {
    out_ << (first_ ? "\n" : ",\n") << R"({"ph": ")" << phase << R"(", "pid": )" << process
         << ", \"tid\": " << row;
    first_ = false;
    return out_;
  }
  void name(std::string_view kind, int64_t process, int64_t row, std::string_view name) {
    event('M', process, row) << ", \"name\": \"" << kind << "\", \"args\": {\"name\": " << json_text(name)
                             << "}}";
  }
  void order(std::string_view kind, int64_t process, int64_t row, int64_t place) {
    event('M', process, row) << ", \"name\": \"" << kind << "\", \"args\": {\"sort_index\": " << place
                             << "}}";
  }

 private:
  std::ostream& out_;
  bool first_ = true;
};

// Microseconds since the first process began, exact to the nanosecond.
std::string microseconds(int64_t nanoseconds) {
  const char* sign = nanoseconds < 0 ? "-" : "";
  const int64_t size = nanoseconds < 0 ? -nanoseconds : nanoseconds;
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%s%lld.%03lld", sign, static_cast<long long>(size / 1000),
                static_cast<long long>(size % 1000));
  return text.data();
}

class ProcessTrace {
 public:
  // `shift`: from the process's clock to the timeline's.
  ProcessTrace(Trace& trace, const Profile& profile, int64_t shift)
      : trace_(trace), profile_(profile), shift_(shift) {}
  void print() {
    for (const CallRecord& call : profile_.calls) print_call(call);
    for (const RangeRecord& range : profile_.ranges) print_range(range);
    calls_.reserve(profile_.calls.size());
    for (const CallRecord& call : profile_.calls)
      calls_.push_back({call.number, call.time.began, call.thread, false});
    std::ranges::sort(calls_, {}, &Caller::number);
    for (const LaunchRecord& launch : profile_.launches.brief()) print_launch(launch);
    for (const CopyRecord& copy : profile_.copies) print_copy(copy);
    print_names();
  }

 private:
  std::ostream& begin(char phase, int64_t process, int64_t row, std::string_view category,
                      std::string_view name, int64_t at) {
    return trace_.event(phase, process, row)
           << ", \"cat\": \"" << category << "\", \"name\": " << json_text(name)
           << ", \"ts\": " << microseconds(at + shift_);
  }
  std::ostream& span(int64_t process, int64_t row, std::string_view category, std::string_view name,
                     const HostTime& time) {
    return begin('X', process, row, category, name, time.began)
           << ", \"dur\": " << microseconds(time.length());
  }
  int64_t device_row(const DeviceRecord& device, uint64_t stream) {
    const int64_t process = device_step * (device.index + 1) + profile_.process;
    devices_.emplace(process, device.name);
    streams_.emplace(process, stream);
    return process;
  }
  // From the call that asked for it to the work; only where the call was told, too.
  void arrow(uint64_t correlation, int64_t process, uint64_t stream, int64_t at) {
    const auto call = std::ranges::lower_bound(calls_, correlation, {}, &Caller::number);
    if (correlation == 0 || call == calls_.end() || call->number != correlation) return;
    const std::string id = std::to_string(profile_.process) + '.' + std::to_string(correlation);
    if (!std::exchange(call->started, true))
      begin('s', profile_.process, call->thread, "async", "asked for", call->began)
          << ", \"id\": \"" << id << "\"}";
    begin('f', process, static_cast<int64_t>(stream), "async", "asked for", at)
        << ", \"id\": \"" << id << "\", \"bp\": \"e\"}";
  }

  void print_call(const CallRecord& call) {
    threads_.insert(call.thread);
    const bool driver = call.name.starts_with("cu") && !call.name.starts_with("cuda");
    span(profile_.process, call.thread, driver ? "cuda_driver" : "cuda_runtime", call.name, call.time)
        << ", \"args\": {\"correlation\": " << call.number
        << ", \"succeeded\": " << (call.succeeded ? "true" : "false") << "}}";
  }
  void print_range(const RangeRecord& range) {
    threads_.insert(range.thread);
    const auto arguments = [&](std::ostream& out) {
      out << ", \"args\": {\"domain\": " << json_text(range.domain);
      if (!range.category.empty()) out << ", \"category\": " << json_text(range.category);
      if (range.payload) out << ", \"payload\": " << number_text(*range.payload, 9);
      if (!range.ended) out << ", \"still open\": true";
      out << "}}";
    };
    if (range.kind == 'm') {
      arguments(begin('i', profile_.process, range.thread, "nvtx", range.message, range.time.began)
                << R"(, "s": "t")");
    } else if (range.kind == 't') {
      arguments(span(profile_.process, range.thread, "nvtx", range.message, range.time));
    } else {
      const std::string id = ", \"id\": " + std::to_string(range.id);
      arguments(begin('b', profile_.process, range.thread, "nvtx", range.message, range.time.began) << id);
      begin('e', profile_.process, range.thread, "nvtx", range.message, range.time.ended) << id << '}';
    }
  }
  void print_launch(const LaunchRecord& launch) {
    const int64_t process = device_row(launch.device, launch.stream);
    span(process, static_cast<int64_t>(launch.stream), "kernel", demangled(launch.kernel), launch.time)
        << ", \"args\": {\"launch\": " << launch.number << ", \"grid\": " << three(launch.grid)
        << ", \"block\": " << three(launch.block)
        << ", \"registers per thread\": " << number_text(at(launch.facts, Fact::registers), 0)
        << ", \"static shared memory\": " << number_text(at(launch.facts, Fact::static_shared), 0)
        << ", \"dynamic shared memory\": " << number_text(at(launch.facts, Fact::dynamic_shared), 0)
        << ", \"device\": " << launch.device.index << ", \"context\": " << launch.context
        << ", \"stream\": " << launch.stream << ", \"correlation\": " << launch.correlation
        << (launch.failure.empty() ? "" : ", \"failure\": " + json_text(launch.failure)) << "}}";
    arrow(launch.correlation, process, launch.stream, launch.time.began);
  }
  void print_copy(const CopyRecord& copy) {
    const int64_t process = device_row(copy.device, copy.stream);
    const bool fill = copy.kind == "memset";
    const double seconds = static_cast<double>(copy.time.length()) / 1e9;
    span(process, static_cast<int64_t>(copy.stream), fill ? "gpu_memset" : "gpu_memcpy",
         fill ? "Memset" : "Memcpy " + copy.kind, copy.time)
        << ", \"args\": {\"bytes\": " << copy.bytes << ", \"GB/s\": "
        << number_text(seconds == 0 ? 0 : static_cast<double>(copy.bytes) / seconds / 1e9, 3)
        << ", \"device\": " << copy.device.index << ", \"context\": " << copy.context
        << ", \"stream\": " << copy.stream << ", \"correlation\": " << copy.correlation << "}}";
    arrow(copy.correlation, process, copy.stream, copy.time.began);
  }
  void print_names() {
    const int64_t process = profile_.process;
    trace_.name("process_name", process, 0, profile_.program + " (host)");
    trace_.order("process_sort_index", process, 0, 2 * process);
    for (const int32_t thread : threads_) {
      const auto named = profile_.thread_names.find(thread);
      trace_.name("thread_name", process, thread,
                  named == profile_.thread_names.end() ? "thread " + std::to_string(thread) : named->second);
    }
    for (const auto& [device, name] : devices_) {
      trace_.name("process_name", device, 0,
                  name + ", device " + std::to_string(device / device_step - 1) + " of process " +
                      std::to_string(process));
      trace_.order("process_sort_index", device, 0, 2 * process + 1);
    }
    for (const auto& [device, stream] : streams_) {
      trace_.name("thread_name", device, static_cast<int64_t>(stream), "stream " + std::to_string(stream));
      trace_.order("thread_sort_index", device, static_cast<int64_t>(stream), static_cast<int64_t>(stream));
    }
  }
  static std::string three(const std::array<uint32_t, 3>& t) {
    return "[" + std::to_string(t[0]) + ", " + std::to_string(t[1]) + ", " + std::to_string(t[2]) + "]";
  }

  Trace& trace_;
  const Profile& profile_;
  const int64_t shift_;
  // Whoever asks for work: all that is kept of a call.
  struct Caller {
    uint64_t number;
    int64_t began;
    int32_t thread;
    bool started;  // its arrow
  };
  std::vector<Caller> calls_;  // by number
  std::set<int32_t> threads_;
  std::map<int64_t, std::string> devices_;
  std::set<std::pair<int64_t, uint64_t>> streams_;
};

// To nanoseconds since the first process's profile began.
int64_t shift_of(const Profile& profile, int64_t first_wall) {
  return (profile.wall - first_wall) * 1000 - profile.began;
}

}  // namespace

void print_trace(const std::vector<Profile>& processes, std::ostream& out) {
  // Ranges and calls may begin before the profile does, which is with the first use of a device.
  int64_t earliest = 0;
  for (const Profile& profile : processes) {
    const int64_t shift = shift_of(profile, processes.front().wall);
    for (const RangeRecord& range : profile.ranges) earliest = std::min(earliest, range.time.began + shift);
    for (const CallRecord& call : profile.calls) earliest = std::min(earliest, call.time.began + shift);
  }
  Trace trace(out);
  for (const Profile& profile : processes)
    ProcessTrace(trace, profile, shift_of(profile, processes.front().wall) - earliest).print();
}

}  // namespace heddle::profiler
