#include <ostream>

#include "profiler/pages/report.h"
#include "profiler/pages/text.h"
#include "profiler/recorder.h"

namespace heddle::profiler {

namespace {

std::string triple(const std::array<uint32_t, 3>& t) {
  return "(" + std::to_string(t[0]) + ", " + std::to_string(t[1]) + ", " + std::to_string(t[2]) + ")";
}

// Files in which scripts look for numbers have many digits.
constexpr int digits = 6;

std::string json_number(double value) { return value == value ? number_text(value, digits) : "null"; }

void json_metrics(const MetricList& metrics, const std::function<double(const Metric&)>& value_of,
                  std::ostream& out) {
  out << '{';
  const char* separator = "";
  for (const Metric* metric : metrics) {
    const double v = value_of(*metric);
    out << separator << json_text(metric->name) << ": {\"value\": " << json_number(v)
        << ", \"unit\": " << json_text(metric->unit) << ", \"kind\": " << json_text(name(metric->kind))
        << '}';
    separator = ", ";
  }
  out << '}';
}

MetricList of_lines(const MetricList& all) {
  MetricList list;
  for (const Metric* metric : all)
    if (metric->of_lines) list.push_back(metric);
  return list;
}

void json_launch(const LaunchRecord& launch, const ReportOptions& options, const MetricList& metrics,
                 std::ostream& out) {
  out << "{\"launch\": " << launch.number << ", \"kernel\": " << json_text(demangled(launch.kernel))
      << ", \"name\": " << json_text(base_name(launch.kernel)) << ", \"grid\": [" << launch.grid[0] << ", "
      << launch.grid[1] << ", " << launch.grid[2] << "], \"block\": [" << launch.block[0] << ", "
      << launch.block[1] << ", " << launch.block[2] << "], \"context\": " << launch.context
      << ", \"stream\": " << launch.stream << ", \"device\": " << json_text(launch.device.name)
      << ", \"capability\": " << json_text(to_string(launch.device.capability))
      << ", \"host_ns\": " << launch.time.length() << ", \"device_ns\": " << json_number(device_time(launch));
  if (!launch.failure.empty()) out << ", \"failure\": " << json_text(launch.failure);
  out << ",\n  \"metrics\": ";
  json_metrics(metrics, [&](const Metric& metric) { return value(metric, launch); }, out);
  if (options.lines) {
    out << ",\n  \"lines\": [";
    const char* separator = "\n";
    for (const LineCounts& line : launch.lines) {
      out << separator << "    {\"file\": " << json_text(line.file) << ", \"line\": " << line.line
          << ", \"metrics\": ";
      json_metrics(of_lines(metrics), [&](const Metric& metric) { return metric.value(values(line)); }, out);
      out << '}';
      separator = ",\n";
    }
    out << ']';
  }
  out << '}';
}

void json_advice(const GivenAdvice& one, std::ostream& out) {
  out << "{\"advice\": " << json_text(one.advice->name) << ", \"title\": " << json_text(one.advice->title)
      << ", \"priority\": " << json_text(name(one.advice->priority))
      << ", \"guide\": " << json_text(one.advice->guide)
      << ", \"kernel\": " << (one.kernel == nullptr ? "null" : json_text(one.kernel->kernel))
      << ", \"value\": " << json_number(one.value) << ", \"means\": " << json_text(one.advice->means)
      << ", \"saves\": " << json_number(one.saves) << ", \"unit\": " << json_text(one.advice->unit)
      << ", \"kind\": " << json_text(one.advice->estimated ? "estimated" : "exact");
  if (!one.file.empty())
    out << ", \"file\": " << json_text(one.file) << ", \"line\": " << one.line
        << ", \"saves_there\": " << json_number(one.of_line);
  out << '}';
}

}  // namespace

void print_csv(const std::vector<Profile>& processes, const ReportOptions& options, const MetricsOf& metrics,
               std::ostream& out) {
  out << R"("Process","Launch","Kernel","Grid","Block","Device",)";
  if (options.lines) out << R"("File","Line",)";
  out << R"("Metric","Unit","Kind","Value")" << '\n';
  for (const Profile& profile : processes)
    for (const LaunchRecord& launch : options.lines ? profile.launches : profile.launches.brief()) {
      const std::string head = '"' + std::to_string(profile.process) + "\",\"" +
                               std::to_string(launch.number) + "\"," + csv_field(demangled(launch.kernel)) +
                               ",\"" + triple(launch.grid) + "\",\"" + triple(launch.block) + "\"," +
                               csv_field(launch.device.name) + ',';
      const auto row = [&](const std::string& place, std::string_view metric, std::string_view unit,
                           std::string_view kind, double v) {
        out << head << place << csv_field(metric) << ',' << csv_field(unit) << ',' << csv_field(kind) << ",\""
            << number_text(v, digits) << "\"\n";
      };
      const std::string whole = options.lines ? R"("","",)" : "";
      row(whole, "host time", "ns", "measured on this host", static_cast<double>(launch.time.length()));
      for (const Metric* metric : metrics(launch.device))
        row(whole, metric->name, metric->unit, name(metric->kind), value(*metric, launch));
      if (!options.lines) continue;
      for (const LineCounts& line : launch.lines)
        for (const Metric* metric : of_lines(metrics(launch.device)))
          row(csv_field(line.file) + ",\"" + std::to_string(line.line) + "\",", metric->name, metric->unit,
              name(metric->kind), metric->value(values(line)));
    }
}

void print_json(const std::vector<Profile>& processes, const ReportOptions& options, const MetricsOf& metrics,
                std::ostream& out) {
  out << "{\"processes\": [";
  const char* between = "\n";
  for (const Profile& profile : processes) {
    out << between << "{\"process\": " << profile.process << ", \"program\": " << json_text(profile.program)
        << ", \"launches\": [";
    between = ",\n";
    const char* separator = "\n ";
    for (const LaunchRecord& launch : options.lines ? profile.launches : profile.launches.brief()) {
      out << separator;
      json_launch(launch, options, metrics(launch.device), out);
      separator = ",\n ";
    }
    out << "], \"advice\": [";
    separator = "\n ";
    const std::vector<KernelSum> kernels = by_kernel(profile);
    for (const GivenAdvice& one : advice_for(profile, kernels)) {
      out << separator;
      json_advice(one, out);
      separator = ",\n ";
    }
    out << "], \"ranges\": [";
    separator = "\n ";
    for (const RangeSum& sum : by_range(profile)) {
      out << separator << "{\"range\": " << json_text(sum.path)
          << ", \"of\": " << (sum.of_thread ? "\"thread\"" : "\"process\"") << ", \"times\": " << sum.count
          << ", \"host_ns\": " << sum.host_time << ", \"launches\": " << sum.launches
          << ", \"launches_host_ns\": " << sum.kernel_time << '}';
      separator = ",\n ";
    }
    out << "]}";
  }
  out << "\n]}\n";
}

}  // namespace heddle::profiler
