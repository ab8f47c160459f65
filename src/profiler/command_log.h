// The logs of the command line profiler, one for each context of the process: a row a launch or copy, as it
// has ended and the call that asked for it has.
#pragma once

#include <cstdint>
#include <cstdio>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiler/log_options.h"
#include "profiler/recorder.h"

namespace heddle::profiler {

class CommandLog final : public Output {
 public:
  // Times are of the clock that `now` is of, `wall` is the same time in nanoseconds since 1970.
  CommandLog(LogOptions options, int64_t now, int64_t wall);
  ~CommandLog() override;
  void add(const LaunchRecord& launch) override;
  void add(const CopyRecord& copy) override;
  void add(const CallRecord& call) override;
  void submitted(uint64_t call) override;
  void end() override;

 private:
  struct Context;
  struct Row {
    Context* context;
    uint64_t call;
    std::string before, behind;  // of the time that the call took
  };
  Context& context_of(uint64_t id, const DeviceRecord& device, const std::string& function);
  void open(Context& context);
  void put(Row row);
  void write_ready(bool all);
  template <class Cells>
  Row row_of(Context& context, uint64_t call, std::string method, const HostTime& time, RowKind kind,
             const Cells& cells, const std::string& occupancy, const std::vector<double>& counters) const;

  const LogOptions options_;
  const int64_t began_, wall_;
  std::map<uint64_t, Context> contexts_;
  std::map<std::string, uint32_t> opened_;  // logs by the API's name
  std::map<uint64_t, std::optional<double>>
      calls_;  // that submitted work, and how many microseconds they took
  std::deque<Row> rows_;
};

}  // namespace heddle::profiler
