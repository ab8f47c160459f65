#include "profiler/pages/nvprof.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "profiler/pages/text.h"
#include "profiler/recorder.h"

namespace heddle::profiler {

namespace {

struct Unit {
  std::string_view name;
  double size;
};
constexpr std::array time_units{Unit{"s", 1e9}, Unit{"ms", 1e6}, Unit{"us", 1e3}, Unit{"ns", 1}};
constexpr std::array byte_units{Unit{"GB", 1 << 30}, Unit{"MB", 1 << 20}, Unit{"KB", 1 << 10}, Unit{"B", 1}};

// The largest unit of which there is one; otherwise the smallest.
const Unit& fitting(std::span<const Unit> units, double value) {
  const auto found = std::ranges::find_if(units, [&](const Unit& unit) { return value >= unit.size; });
  return found == units.end() ? units.back() : *found;
}

std::string fixed(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

// With five digits, those of whole units as they are.
std::string five_digits(double value, const Unit& unit) {
  const double scaled = value / unit.size;
  if (unit.size == 1) return fixed(scaled, 0) + std::string(unit.name);
  const int before = scaled >= 100 ? 3 : scaled >= 10 ? 2 : 1;
  return fixed(scaled, 5 - before) + std::string(unit.name);
}

std::string device_name(const DeviceRecord& device) {
  return device.name + " (" + std::to_string(device.index) + ")";
}

// What the compiler calls for a launch is no call of the program's.
bool is_shown(const CallRecord& call) { return !call.name.starts_with("__"); }

std::string copy_name(const CopyRecord& copy) {
  return copy.kind == "memset" ? "[CUDA memset]" : "[CUDA memcpy " + copy.kind + "]";
}

// What a page writes times in: one unit for all, or for each what fits.
class Times {
 public:
  explicit Times(const std::string& unit) {
    for (const Unit& one : time_units)
      if (one.name == unit) unit_ = one;
  }
  std::string text(double nanoseconds) const {
    if (!unit_) return nvprof_time(nanoseconds);
    return unit_->size == 1 ? fixed(nanoseconds, 0) + "ns"
                            : fixed(nanoseconds / unit_->size, 6) + std::string(unit_->name);
  }
  // Of a column of CSV, whose greatest value is this.
  Unit of_column(double greatest) const { return unit_ ? *unit_ : fitting(time_units, greatest); }

 private:
  std::optional<Unit> unit_;
};

std::string in_unit(double value, const Unit& unit) { return fixed(value / unit.size, 6); }

// ---- summaries

// Of values that come one by one.
struct Spread {
  uint64_t count = 0;
  double sum = 0, least = 0, most = 0;
  void add(double value) {
    least = count == 0 ? value : std::min(least, value);
    most = count == 0 ? value : std::max(most, value);
    sum += value;
    ++count;
  }
  double mean() const { return sum / static_cast<double>(count); }
};

struct Activity {
  std::string name;
  Spread time;
};

using Activities = std::map<std::string, Activity>;

std::vector<Activity> by_time(const Activities& all) {
  std::vector<Activity> sorted;
  for (const auto& [name, activity] : all) sorted.push_back(activity);
  std::ranges::sort(sorted, {}, [](const Activity& a) { return std::pair(-a.time.sum, a.name); });
  return sorted;
}

void add(Activities& all, const std::string& name, const HostTime& time) {
  Activity& activity = all[name];
  activity.name = name;
  activity.time.add(static_cast<double>(time.length()));
}

std::vector<Activity> gpu_activities(const Profile& profile, const NvprofPage& page) {
  Activities all;
  for (const LaunchRecord& launch : profile.launches.brief())
    add(all, nvprof_name(launch.kernel, page.demangle), launch.time);
  for (const CopyRecord& copy : profile.copies) add(all, copy_name(copy), copy.time);
  return by_time(all);
}

std::vector<Activity> api_calls(const Profile& profile) {
  Activities all;
  for (const CallRecord& call : profile.calls)
    if (is_shown(call)) add(all, call.name, call.time);
  return by_time(all);
}

void print_summary(const std::vector<std::pair<std::string, std::vector<Activity>>>& parts,
                   const NvprofPage& page, std::ostream& out) {
  const Times times(page.time_unit);
  double greatest = 0;
  for (const auto& [title, activities] : parts)
    for (const Activity& activity : activities) greatest = std::max(greatest, activity.time.sum);
  const Unit unit = times.of_column(greatest);
  if (page.csv)
    out << R"x("Type","Time(%)","Time","Calls","Avg","Min","Max","Name")x" << "\n,%," << unit.name << ",,"
        << unit.name << ',' << unit.name << ',' << unit.name << ",\n";
  else
    out << "            Type  Time(%)      Time     Calls       Avg       Min       Max  Name\n";
  for (const auto& [title, activities] : parts) {
    double whole = 0;
    for (const Activity& activity : activities) whole += activity.time.sum;
    bool first = true;
    for (const Activity& activity : activities) {
      const auto& [count, sum, least, most] = activity.time;
      const double share = whole == 0 ? 0 : 100 * sum / whole, mean = activity.time.mean();
      if (page.csv) {
        out << csv_field(title) << ',' << fixed(share, 2) << ',' << in_unit(sum, unit) << ',' << count << ','
            << in_unit(mean, unit) << ',' << in_unit(least, unit) << ',' << in_unit(most, unit) << ','
            << csv_field(activity.name) << '\n';
        continue;
      }
      std::array<char, 160> text{};
      std::snprintf(text.data(), text.size(), "%16s  %6.2f%%  %8s  %8llu  %8s  %8s  %8s  ",
                    first ? (title + ':').c_str() : "", share, times.text(sum).c_str(),
                    static_cast<unsigned long long>(count), times.text(mean).c_str(),
                    times.text(least).c_str(), times.text(most).c_str());
      out << text.data() << activity.name << '\n';
      first = false;
    }
  }
}

// Ranges of NVTX: by thread, domain and name, each with the kernels that were launched in it.
void print_ranges(const Profile& profile, const NvprofPage& page, const std::string& mark,
                  std::ostream& out) {
  struct Range {
    Activity activity;
    Activities kernels;
  };
  std::map<int32_t, std::map<std::string, std::map<std::string, Range>>> threads;
  std::map<uint64_t, Range*> by_id;
  for (const RangeRecord& record : profile.ranges) {
    if (record.kind == 'm') continue;
    Range& range = threads[record.thread][record.domain][record.message];
    range.activity.name = record.message;
    range.activity.time.add(static_cast<double>(record.time.length()));
    by_id.emplace(record.id, &range);
  }
  if (threads.empty()) return;
  for (const LaunchRecord& launch : profile.launches.brief()) {
    std::set<Range*> within;  // of a name's ranges that lie in each other, one
    for (const uint64_t id : launch.ranges)
      if (const auto found = by_id.find(id); found != by_id.end()) within.insert(found->second);
    for (Range* range : within) add(range->kernels, nvprof_name(launch.kernel, page.demangle), launch.time);
  }
  out << '\n' << mark << "NVTX result:\n";
  const auto quoted = [](const std::string& name) { return '"' + (name.empty() ? "<unnamed>" : name) + '"'; };
  for (const auto& [thread, domains] : threads) {
    const auto named = profile.thread_names.find(thread);
    out << mark << "  Thread " << quoted(named == profile.thread_names.end() ? "" : named->second)
        << " (id = " << thread << ")\n";
    for (const auto& [domain, ranges] : domains) {
      out << mark << "    Domain " << quoted(domain) << '\n';
      for (const auto& [name, range] : ranges) {
        out << mark << "      Range " << quoted(name) << '\n';
        print_summary({{"Range", {range.activity}}, {"GPU activities", by_time(range.kernels)}}, page, out);
        out << '\n';
      }
    }
  }
}

// ---- traces

// Of rows no more than their places is kept, in the order in which they began.
struct TracePlace {
  int64_t began;
  uint64_t number;  // of a launch; 0: a copy
  uint64_t place;   // in the file
};

struct TraceRow {
  std::optional<LaunchRecord> launch;
  std::optional<CopyRecord> copy;
  HostTime time() const { return launch ? launch->time : copy->time; }
};

class TraceRows {
 public:
  explicit TraceRows(const Profile& profile) : launches_(profile.launches.brief()), copies_(profile.copies) {
    places_.reserve(launches_.size() + copies_.size());
    for (auto launch = launches_.begin(); launch != launches_.end(); ++launch)
      places_.push_back({launch->time.began, launch->number, launch.place()});
    for (auto copy = copies_.begin(); copy != copies_.end(); ++copy)
      places_.push_back({copy->time.began, 0, copy.place()});
    std::ranges::sort(places_, {},
                      [](const TracePlace& row) { return std::tuple(row.began, row.number, row.place); });
  }
  template <class F>
  void each(F&& f) const {
    for (const TracePlace& one : places_) {
      TraceRow row;
      if (one.number != 0)
        row.launch = launches_.at(one.place);
      else
        row.copy = copies_.at(one.place);
      f(row);
    }
  }

 private:
  const Records<LaunchRecord> launches_;
  const Records<CopyRecord> copies_;
  std::vector<TracePlace> places_;
};

std::string_view memory_kind(bool host, bool pinned) {
  return !host ? "Device" : pinned ? "Pinned" : "Pageable";
}

// "H" of HtoD, "D" behind it; of a fill both are the device's.
std::string_view from_of(const CopyRecord& copy) {
  return copy.kind == "memset" ? "Device" : memory_kind(copy.kind[0] == 'H', copy.from_pinned);
}
std::string_view to_of(const CopyRecord& copy) {
  return copy.kind == "memset" ? "" : memory_kind(copy.kind.back() == 'H', copy.to_pinned);
}

double throughput(const CopyRecord& copy) {
  return static_cast<double>(copy.bytes) / std::max<double>(1, static_cast<double>(copy.time.length())) * 1e9;
}

std::string shape(const std::array<uint32_t, 3>& t) {
  return "(" + std::to_string(t[0]) + " " + std::to_string(t[1]) + " " + std::to_string(t[2]) + ")";
}

// nvprof's own remark on the columns.
constexpr std::string_view trace_notes =
    "\nRegs: Number of registers used per CUDA thread, estimated from PTX.\n"
    "SSMem: Static shared memory allocated per CUDA block.\n"
    "DSMem: Dynamic shared memory allocated per CUDA block.\n"
    "SrcMemType: The type of source memory accessed by memory operation/copy\n"
    "DstMemType: The type of destination memory accessed by memory operation/copy\n";

void print_gpu_trace_text(const TraceRows& rows, const Profile& profile, const NvprofPage& page,
                          std::ostream& out) {
  const Times times(page.time_unit);
  TextTable table({{"Start"},
                   {"Duration"},
                   {"Grid Size"},
                   {"Block Size"},
                   {"Regs*"},
                   {"SSMem*"},
                   {"DSMem*"},
                   {"Size"},
                   {"Throughput"},
                   {"SrcMemType"},
                   {"DstMemType"},
                   {"Device"},
                   {"Context"},
                   {"Stream"},
                   {"Name", false}});
  rows.each([&](const TraceRow& row) {
    const HostTime time = row.time();
    std::vector<std::string> cells{times.text(static_cast<double>(time.began - profile.began)),
                                   times.text(static_cast<double>(time.length()))};
    const auto add = [&](auto... more) { (cells.emplace_back(more), ...); };
    if (const auto& launch = row.launch) {
      add(shape(launch->grid), shape(launch->block), fixed(at(launch->facts, Fact::registers), 0),
          nvprof_bytes(at(launch->facts, Fact::static_shared)),
          nvprof_bytes(at(launch->facts, Fact::dynamic_shared)), "-", "-", "-", "-",
          device_name(launch->device), std::to_string(launch->context), std::to_string(launch->stream),
          nvprof_name(launch->kernel, page.demangle) + " [" + std::to_string(launch->correlation) + "]");
    } else {
      const CopyRecord& copy = *row.copy;
      add("-", "-", "-", "-", "-", nvprof_bytes(static_cast<double>(copy.bytes)),
          nvprof_bytes(throughput(copy)) + "/s", std::string(from_of(copy)),
          to_of(copy).empty() ? "-" : std::string(to_of(copy)), device_name(copy.device),
          std::to_string(copy.context), std::to_string(copy.stream), copy_name(copy));
    }
    table.row(std::move(cells));
  });
  table.print(out);
  out << trace_notes;
}

void print_gpu_trace_csv(const TraceRows& rows, const Profile& profile, const NvprofPage& page,
                         std::ostream& out) {
  const Times times(page.time_unit);
  double last = 0, longest = 0, most_shared = 0, most_dynamic = 0, most_bytes = 0, fastest = 0;
  rows.each([&](const TraceRow& row) {
    last = std::max(last, static_cast<double>(row.time().began - profile.began));
    longest = std::max(longest, static_cast<double>(row.time().length()));
    if (row.launch) {
      most_shared = std::max(most_shared, at(row.launch->facts, Fact::static_shared));
      most_dynamic = std::max(most_dynamic, at(row.launch->facts, Fact::dynamic_shared));
    } else {
      most_bytes = std::max(most_bytes, static_cast<double>(row.copy->bytes));
      fastest = std::max(fastest, throughput(*row.copy));
    }
  });
  const Unit start = times.of_column(last), duration = times.of_column(longest);
  const Unit shared = fitting(byte_units, most_shared), dynamic = fitting(byte_units, most_dynamic);
  const Unit bytes = fitting(byte_units, most_bytes), rate = fitting(byte_units, fastest);
  out << R"("Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y","Block Z","Registers Per Thread","Static SMem","Dynamic SMem","Size","Throughput","SrcMemType","DstMemType","Device","Context","Stream","Name")"
      << '\n'
      << start.name << ',' << duration.name << ",,,,,,,," << shared.name << ',' << dynamic.name << ','
      << bytes.name << ',' << rate.name << "/s,,,,,,\n";
  rows.each([&](const TraceRow& row) {
    const HostTime time = row.time();
    out << in_unit(static_cast<double>(time.began - profile.began), start) << ','
        << in_unit(static_cast<double>(time.length()), duration) << ',';
    if (const auto& launch = row.launch)
      out << launch->grid[0] << ',' << launch->grid[1] << ',' << launch->grid[2] << ',' << launch->block[0]
          << ',' << launch->block[1] << ',' << launch->block[2] << ','
          << fixed(at(launch->facts, Fact::registers), 0) << ','
          << in_unit(at(launch->facts, Fact::static_shared), shared) << ','
          << in_unit(at(launch->facts, Fact::dynamic_shared), dynamic) << ",,,,,"
          << csv_field(device_name(launch->device)) << ",\"" << launch->context << "\",\"" << launch->stream
          << "\","
          << csv_field(nvprof_name(launch->kernel, page.demangle) + " [" +
                       std::to_string(launch->correlation) + "]")
          << '\n';
    else
      out << ",,,,,,,,," << in_unit(static_cast<double>(row.copy->bytes), bytes) << ','
          << in_unit(throughput(*row.copy), rate) << ',' << csv_field(from_of(*row.copy)) << ','
          << csv_field(to_of(*row.copy)) << ',' << csv_field(device_name(row.copy->device)) << ",\""
          << row.copy->context << "\",\"" << row.copy->stream << "\"," << csv_field(copy_name(*row.copy))
          << '\n';
  });
}

void print_api_trace(const Profile& profile, const NvprofPage& page, std::ostream& out) {
  std::vector<TracePlace> places;
  double last = 0, longest = 0;
  for (auto call = profile.calls.begin(); call != profile.calls.end(); ++call) {
    if (!is_shown(*call)) continue;
    places.push_back({call->time.began, call->number, call.place()});
    last = std::max(last, static_cast<double>(call->time.began - profile.began));
    longest = std::max(longest, static_cast<double>(call->time.length()));
  }
  std::ranges::sort(places, {}, [](const TracePlace& one) { return std::pair(one.began, one.number); });
  const Times times(page.time_unit);
  const Unit start = times.of_column(last), duration = times.of_column(longest);
  if (page.csv) out << "\"Start\",\"Duration\",\"Name\"\n" << start.name << ',' << duration.name << ",\n";
  TextTable table({{"Start"}, {"Duration"}, {"Name", false}});
  for (const TracePlace& one : places) {
    const CallRecord call = profile.calls.at(one.place);
    const auto began = static_cast<double>(call.time.began - profile.began);
    const auto length = static_cast<double>(call.time.length());
    const std::string name = call.name + " [" + std::to_string(call.number) + "]";
    if (page.csv)
      out << in_unit(began, start) << ',' << in_unit(length, duration) << ',' << csv_field(name) << '\n';
    else
      table.row({times.text(began), times.text(length), name});
  }
  if (!page.csv) table.print(out);
}

// ---- metrics and events

struct KernelValues {
  std::string device, kernel;
  uint64_t first = 0;  // its first launch
  MetricList metrics;
  std::vector<Spread> spreads;  // of each metric
};

std::vector<KernelValues> by_device_and_kernel(const Profile& profile, const NvprofPage& page, Tool tool,
                                               const std::string& names) {
  std::vector<KernelValues> all;
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (const LaunchRecord& launch : profile.launches.brief()) {
    const auto [found, is_new] = places.try_emplace(
        {device_name(launch.device), nvprof_name(launch.kernel, page.demangle)}, all.size());
    if (is_new) {
      KernelValues& made = all.emplace_back();
      made.device = found->first.first;
      made.kernel = found->first.second;
      made.first = launch.number;
      if (auto list = choose_metrics(names, std::array{tool}, launch.device.capability))
        made.metrics = std::move(*list);
      made.spreads.resize(made.metrics.size());
    }
    KernelValues& kernel = all[found->second];
    for (std::size_t i = 0; i < kernel.metrics.size(); ++i) {
      // One that is divided by nothing is 0, as nvprof has it.
      const double v = value(*kernel.metrics[i], launch);
      kernel.spreads[i].add(std::isnan(v) ? 0 : v);
    }
  }
  std::ranges::sort(all, {}, [](const KernelValues& one) { return std::pair(one.device, one.first); });
  return all;
}

void print_values(const Profile& profile, const NvprofPage& page, Tool tool, const std::string& names,
                  std::ostream& out) {
  const bool events = tool == Tool::events;
  if (page.csv)
    out << (events
                ? R"("Device","Kernel","Invocations","Event Name","Min","Max","Avg","Total")"
                : R"("Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg")")
        << '\n';
  else
    out << (events ? "Invocations                                Event Name         Min         Max         "
                     "Avg       "
                     "Total\n"
                   : "Invocations                               Metric Name                        Metric "
                     "Description "
                     "        Min         Max         Avg\n");
  std::string device;
  for (const KernelValues& kernel : by_device_and_kernel(profile, page, tool, names)) {
    if (kernel.metrics.empty()) continue;
    if (!page.csv && device != kernel.device) out << "Device \"" << kernel.device << "\"\n";
    device = kernel.device;
    if (!page.csv) out << "    Kernel: " << kernel.kernel << '\n';
    for (std::size_t i = 0; i < kernel.metrics.size(); ++i) {
      const Metric* metric = kernel.metrics[i];
      const auto& [count, sum, least, most] = kernel.spreads[i];
      const double mean = kernel.spreads[i].mean();
      const auto text = [&](double v) { return nvprof_value(*metric, v); };
      if (page.csv) {
        out << csv_field(kernel.device) << ',' << csv_field(kernel.kernel) << ',' << count << ','
            << csv_field(metric->name) << ',';
        if (!events) out << csv_field(metric->title) << ',';
        out << text(least) << ',' << text(most) << ',' << text(mean);
        if (events) out << ',' << text(sum);
        out << '\n';
        continue;
      }
      std::array<char, 256> row{};
      if (events)
        std::snprintf(row.data(), row.size(), "%11llu%42s %11s %11s %11s %11s\n",
                      static_cast<unsigned long long>(count), std::string(metric->name).c_str(),
                      text(least).c_str(), text(most).c_str(), text(mean).c_str(), text(sum).c_str());
      else
        std::snprintf(row.data(), row.size(), "%11llu%42s%42s %11s %11s %11s\n",
                      static_cast<unsigned long long>(count), std::string(metric->name).c_str(),
                      std::string(metric->title).c_str(), text(least).c_str(), text(most).c_str(),
                      text(mean).c_str());
      out << row.data();
    }
  }
}

// A column for each metric, a row a launch.
void print_value_trace(const Profile& profile, const NvprofPage& page, std::ostream& out) {
  bool first = true;
  TextTable table({{"", false}});
  for (const LaunchRecord& launch : profile.launches.brief()) {
    MetricList list;
    for (const auto& [tool, names] :
         {std::pair{Tool::events, page.events}, std::pair{Tool::nvprof, page.metrics}})
      if (auto some = choose_metrics(names, std::array{tool}, launch.device.capability))
        list.insert(list.end(), some->begin(), some->end());
    std::vector<std::string> cells{device_name(launch.device), std::to_string(launch.context),
                                   std::to_string(launch.stream), nvprof_name(launch.kernel, page.demangle),
                                   std::to_string(launch.correlation)};
    for (const Metric* metric : list) {
      const double v = value(*metric, launch);
      cells.push_back(nvprof_value(*metric, std::isnan(v) ? 0 : v));
    }
    if (first) {
      std::vector<TextTable::Column> columns{
          {"Device", false}, {"Context"}, {"Stream"}, {"Kernel", false}, {"Correlation_ID"}};
      // Scripts look for a metric by its name (the correlator of Accel-Sim, for one).
      for (const Metric* metric : list)
        columns.push_back(
            {std::string(page.csv || metric->tool == Tool::events ? metric->name : metric->title), true});
      if (page.csv)
        for (std::size_t i = 0; i < columns.size(); ++i)
          out << csv_field(columns[i].title) << (i + 1 == columns.size() ? "\n" : ",");
      table = TextTable(std::move(columns));
      first = false;
    }
    if (page.csv)
      for (std::size_t i = 0; i < cells.size(); ++i)
        out << (i < 5 ? csv_field(cells[i]) : cells[i]) << (i + 1 == cells.size() ? "\n" : ",");
    else
      table.row(std::move(cells));
  }
  if (!page.csv) table.print(out);
}

}  // namespace

std::string nvprof_name(const std::string& mangled, bool demangle) {
  if (!demangle) return mangled;
  std::string text = demangled(mangled);
  constexpr std::string_view joined = "const*", apart = "const *";
  for (std::size_t at = 0; (at = text.find(joined, at)) != std::string::npos; at += apart.size())
    text.replace(at, joined.size(), apart);
  return text;
}

std::string nvprof_time(double nanoseconds) {
  return five_digits(nanoseconds, fitting(time_units, nanoseconds));
}
std::string nvprof_bytes(double bytes) { return five_digits(bytes, fitting(byte_units, bytes)); }

std::string nvprof_value(const Metric& metric, double value) {
  if (metric.unit == "%") return fixed(value, 2) + "%";
  return fixed(value,
               value == std::floor(value) && metric.name.find("per_") == std::string_view::npos ? 0 : 6);
}

void print_nvprof(const Profile& profile, const NvprofPage& page, std::ostream& out) {
  const std::string mark = "==" + std::to_string(profile.process) + "== ";
  const bool values = !page.metrics.empty() || !page.events.empty();
  if (profile.launches.empty() &&
      (values || (profile.copies.empty() && !page.api_trace && !page.api_summary))) {
    out << mark << "No kernels were profiled.\n";
    return;
  }
  if (!values || page.api_trace || page.gpu_trace) out << mark << "Profiling result:\n";
  if (page.gpu_trace && values) {
    print_value_trace(profile, page, out);
  } else if (page.gpu_trace) {
    const TraceRows rows(profile);
    if (page.csv)
      print_gpu_trace_csv(rows, profile, page, out);
    else
      print_gpu_trace_text(rows, profile, page, out);
  }
  if (page.api_trace) print_api_trace(profile, page, out);
  if (page.gpu_summary || page.api_summary) {
    std::vector<std::pair<std::string, std::vector<Activity>>> parts;
    if (page.gpu_summary) parts.emplace_back("GPU activities", gpu_activities(profile, page));
    if (page.api_summary) parts.emplace_back("API calls", api_calls(profile));
    print_summary(parts, page, out);
    print_ranges(profile, page, mark, out);
  }
  if (page.gpu_trace) return;
  if (!page.events.empty()) {
    out << mark << "Event result:\n";
    print_values(profile, page, Tool::events, page.events, out);
  }
  if (!page.metrics.empty()) {
    out << mark << "Metric result:\n";
    print_values(profile, page, Tool::nvprof, page.metrics, out);
  }
}

}  // namespace heddle::profiler
