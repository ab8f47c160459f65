#include "profiler/command_log.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cinttypes>
#include <cmath>
#include <cstring>

namespace heddle::profiler {

namespace {

// Who submits without a row of its own (a call for the host) is forgotten.
constexpr std::size_t most_calls = 65536;

std::string printed(const char* format, auto... values) {
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}
std::string microseconds(double value) { return printed("%.3f", value); }
std::string whole(double value) { return printed("%.0f", std::isnan(value) ? 0 : value); }

double microseconds_of(const HostTime& time) { return static_cast<double>(time.length()) / 1000; }

// Of a function of OpenCL or of CUDA.
bool is_opencl(const std::string& function) { return function.starts_with("cl"); }

bool is_async(const std::string& function) {
  return is_opencl(function) || function.find("Async") != std::string::npos;
}

// With %d and %p replaced.
std::string path_of(std::string pattern, uint32_t context) {
  const auto replace = [&](std::string_view mark, const std::string& with) {
    for (std::size_t at = 0; (at = pattern.find(mark, at)) != std::string::npos; at += with.size())
      pattern.replace(at, mark.size(), with);
  };
  replace("%d", std::to_string(context));
  replace("%p", std::to_string(getpid()));
  return pattern;
}

}  // namespace

struct CommandLog::Context {
  DeviceRecord device;
  bool opencl = false;
  uint32_t number = 0;  // of the API's logs
  std::FILE* file = nullptr;
  std::vector<const Metric*> counters;
};

CommandLog::CommandLog(LogOptions options, int64_t now, int64_t wall)
    : options_(std::move(options)), began_(now), wall_(wall) {}

CommandLog::~CommandLog() {
  end();
  for (auto& [id, context] : contexts_)
    if (context.file != nullptr) std::fclose(context.file);
}

void CommandLog::open(Context& context) {
  const std::string name = context.opencl ? "OPENCL" : "CUDA";
  context.number = opened_[name]++;
  const std::string pattern = !options_.path.empty() ? options_.path
                              : context.opencl       ? "opencl_profile_%d.log"
                                                     : "cuda_profile_%d.log";
  // A second context without a %d of its own goes on in the file of the first.
  const bool apart = context.number == 0 || pattern.find("%d") != std::string::npos;
  const std::string path = path_of(pattern, context.number);
  context.file = std::fopen(path.c_str(), apart ? "we" : "ae");
  if (context.file == nullptr) {
    std::fprintf(stderr, "heddle: warning: the profiler's log '%s' cannot be written: %s\n", path.c_str(),
                 std::strerror(errno));
    return;
  }
  std::string text = "# " + name + "_PROFILE_LOG_VERSION 2.0\n# " + name + "_DEVICE " +
                     std::to_string(context.device.index) + ' ' + context.device.name + "\n# " + name +
                     "_CONTEXT " + std::to_string(context.number + 1) + '\n';
  if (options_.csv) text += "# " + name + "_PROFILE_CSV 1\n";
  text += "# TIMESTAMPFACTOR " + printed("%" PRIx64, static_cast<uint64_t>(wall_ - began_)) + '\n';
  for (const std::string& warning : options_.warnings) text += "NV_Warning: " + warning + '\n';
  for (const std::string& counter : options_.counters)
    if (const Metric* metric = log_counter(counter, context.device.capability))
      context.counters.push_back(metric);
    else
      text += "NV_Warning: Ignoring the invalid profiler config option: " + counter +
              " (device of capability " + to_string(context.device.capability) + ")\n";
  std::string columns;
  const auto add = [&](std::string_view column) {
    if (!columns.empty()) columns += ',';
    columns += column;
  };
  const auto add_all = [&](ColumnPlace place) {
    for (const ComputeOption* option : options_.options)
      if (option->place == place)
        for (const LogColumn column : option->columns) add(column_name(column));
  };
  add_all(ColumnPlace::front);
  for (const char* column : {"method", "gputime", "cputime"}) add(column);
  add_all(ColumnPlace::shape);
  add("occupancy");
  add_all(ColumnPlace::behind);
  for (const Metric* metric : context.counters) add(metric->name);
  add_all(ColumnPlace::copy);
  std::fputs((text + columns + '\n').c_str(), context.file);
  std::fflush(context.file);
}

CommandLog::Context& CommandLog::context_of(uint64_t id, const DeviceRecord& device,
                                            const std::string& function) {
  const auto [found, is_new] = contexts_.try_emplace(id);
  if (is_new) {
    found->second.device = device;
    found->second.opencl = is_opencl(function);
    open(found->second);
  }
  return found->second;
}

template <class Cells>
CommandLog::Row CommandLog::row_of(Context& context, uint64_t call, std::string method, const HostTime& time,
                                   RowKind kind, const Cells& cells, const std::string& occupancy,
                                   const std::vector<double>& counters) const {
  Row row{&context, call, "", ""};
  // Columns that a row has not are empty in CSV, and left out otherwise.
  const auto add = [&](std::string& text, std::string_view column, const std::string& value, bool has) {
    if (options_.csv)
      text += (text.empty() && &text == &row.before ? "" : ",") + (has ? value : "");
    else if (has)
      text += std::string(column) + "=[ " + value + " ] ";
  };
  const auto add_all = [&](std::string& text, ColumnPlace place) {
    for (const ComputeOption* option : options_.options)
      if (option->place == place)
        for (const LogColumn column : option->columns)
          add(text, column_name(column), cells(column), option->rows == RowKind::all || option->rows == kind);
  };
  add_all(row.before, ColumnPlace::front);
  add(row.before, "method", method, true);
  add(row.before, "gputime", microseconds(microseconds_of(time)), true);
  add_all(row.behind, ColumnPlace::shape);
  add(row.behind, "occupancy", occupancy, kind == RowKind::kernels);
  add_all(row.behind, ColumnPlace::behind);
  for (std::size_t i = 0; i < context.counters.size(); ++i)
    add(row.behind, context.counters[i]->name, counters.empty() ? "" : whole(counters[i]), !counters.empty());
  // A kernel's row ends before the columns of copies.
  if (kind == RowKind::copies || !options_.csv) add_all(row.behind, ColumnPlace::copy);
  return row;
}

namespace {

std::string time_cell(LogColumn column, const HostTime& time, int64_t began, uint64_t stream) {
  switch (column) {
    case LogColumn::timestamp: return microseconds(static_cast<double>(time.began - began) / 1000);
    case LogColumn::gpustarttimestamp: return printed("%" PRIx64, static_cast<uint64_t>(time.began));
    case LogColumn::gpuendtimestamp: return printed("%" PRIx64, static_cast<uint64_t>(time.ended));
    case LogColumn::streamid: return std::to_string(stream);
    default: return "";
  }
}

}  // namespace

void CommandLog::add(const LaunchRecord& launch) {
  Context& context = context_of(launch.context, launch.device, launch.call);
  std::vector<double> counters;
  for (const Metric* metric : context.counters)
    counters.push_back(metric->value({launch.counts, launch.facts}));
  const auto cells = [&](LogColumn column) {
    switch (column) {
      case LogColumn::gridsizeX: return std::to_string(launch.grid[0]);
      case LogColumn::gridsizeY: return std::to_string(launch.grid[1]);
      case LogColumn::gridsizeZ: return std::to_string(launch.grid[2]);
      case LogColumn::threadblocksizeX: return std::to_string(launch.block[0]);
      case LogColumn::threadblocksizeY: return std::to_string(launch.block[1]);
      case LogColumn::threadblocksizeZ: return std::to_string(launch.block[2]);
      case LogColumn::dynsmemperblock: return whole(at(launch.facts, Fact::dynamic_shared));
      case LogColumn::stasmemperblock: return whole(at(launch.facts, Fact::static_shared));
      case LogColumn::regperthread: return whole(at(launch.facts, Fact::registers));
      case LogColumn::cacheconfigrequested: return whole(at(launch.facts, Fact::cache_requested));
      case LogColumn::cacheconfigexecuted: return whole(at(launch.facts, Fact::cache_executed));
      default: return time_cell(column, launch.time, began_, launch.stream);
    }
  };
  const double occupancy = at(launch.facts, Fact::resident_warps) / at(launch.facts, Fact::max_warps);
  put(row_of(context, launch.correlation, launch.kernel, launch.time, RowKind::kernels, cells,
             microseconds(occupancy), counters));
}

void CommandLog::add(const CopyRecord& copy) {
  Context& context = context_of(copy.context, copy.device, copy.call);
  const bool fill = copy.kind == "memset";
  const auto cells = [&](LogColumn column) -> std::string {
    switch (column) {
      case LogColumn::memtransfersize: return std::to_string(copy.bytes);
      case LogColumn::memtransferdir: return copy.kind.starts_with("H") ? "0" : "1";
      case LogColumn::memtransferhostmemtype: return copy.from_pinned || copy.to_pinned ? "1" : "0";
      default: return time_cell(column, copy.time, began_, copy.stream);
    }
  };
  const std::string method = fill ? copy.kind : "memcpy" + copy.kind + (is_async(copy.call) ? "async" : "");
  put(row_of(context, copy.correlation, method, copy.time, RowKind::copies, cells, "", {}));
}

void CommandLog::submitted(uint64_t call) {
  if (call == 0) return;
  calls_.try_emplace(call);
  if (calls_.size() > most_calls) calls_.erase(calls_.begin());
}

void CommandLog::add(const CallRecord& call) {
  const auto found = calls_.find(call.number);
  if (found == calls_.end()) return;
  found->second = microseconds_of(call.time);
  write_ready(false);
}

void CommandLog::put(Row row) {
  rows_.push_back(std::move(row));
  write_ready(false);
}

void CommandLog::write_ready(bool all) {
  while (!rows_.empty()) {
    const Row& row = rows_.front();
    const auto call = calls_.find(row.call);
    const bool waits = call != calls_.end() && !call->second;
    if (waits && !all) return;
    const std::string time = microseconds(call != calls_.end() && call->second ? *call->second : 0);
    if (row.context->file != nullptr) {
      const std::string text =
          row.before + (options_.csv ? "," + time : "cputime=[ " + time + " ] ") + row.behind + '\n';
      std::fputs(text.c_str(), row.context->file);
      std::fflush(row.context->file);
    }
    rows_.pop_front();
  }
}

void CommandLog::end() { write_ready(true); }

}  // namespace heddle::profiler
