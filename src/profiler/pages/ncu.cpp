#include "profiler/pages/ncu.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <ostream>
#include <utility>

#include "profiler/pages/report.h"
#include "profiler/pages/text.h"
#include "profiler/recorder.h"

namespace heddle::profiler {

namespace {

constexpr std::array tool{Tool::ncu};
constexpr std::string_view duration = "gpu__time_duration.sum";
constexpr std::string_view device_attribute = "device__attribute_";

// What is the device's: by the names of NVIDIA's pages, which have them in each row of the raw one.
std::vector<NcuValue> device_values(const LaunchRecord& launch) {
  std::vector<NcuValue> values{{"device__attribute_display_name", "", "", 0, launch.device.name}};
  const auto add = [&](const char* name, double value) { values.push_back({name, "", "", value}); };
  add("device__attribute_compute_capability_major", launch.device.capability.major);
  add("device__attribute_compute_capability_minor", launch.device.capability.minor);
  add("device__attribute_multiprocessor_count", at(launch.facts, Fact::multiprocessors));
  return values;
}

std::string shown(const NcuValue& value) { return value.text.empty() ? grouped(value.value) : value.text; }

// Who reads rows of the details page makes a number of each field.
std::string field(const NcuValue& value) {
  return value.text.empty() && std::isnan(value.value) ? "nan" : shown(value);
}

std::string kernel_name(const NcuPage& page, const LaunchRecord& launch) {
  switch (page.name) {
    case NcuPage::Name::function: return base_name(launch.kernel);
    case NcuPage::Name::mangled: return launch.kernel;
    case NcuPage::Name::demangled: break;
  }
  return demangled(launch.kernel);
}

std::string triple(const std::array<uint32_t, 3>& t) {
  return "(" + std::to_string(t[0]) + ", " + std::to_string(t[1]) + ", " + std::to_string(t[2]) + ")";
}

std::string program_name(const Profile& profile) {
  return std::filesystem::path(profile.program).filename().string();
}

struct NamedSection {
  std::string title;
  std::vector<NcuValue> rows;
};

std::vector<NamedSection> sections_of(const NcuPage& page, const LaunchRecord& launch) {
  std::vector<NamedSection> sections;
  for (const Section& section : all_sections()) {
    if (std::ranges::find(page.sections, section.id) == page.sections.end()) continue;
    NamedSection& made = sections.emplace_back();
    made.title = section.title;
    for (const SectionRow& row : section.rows) {
      NcuValue value = ncu_values(std::string(row.metric), launch).front();
      value.label = row.label;
      if (value.unit.empty()) value.unit = row.unit;
      made.rows.push_back(std::move(value));
    }
  }
  if (page.metrics.empty()) return sections;
  NamedSection& asked = sections.emplace_back();
  asked.title = "Command line profiler metrics";
  for (const std::string& name : page.metrics)
    for (NcuValue& value : ncu_values(name, launch)) {
      value.label = value.name;
      asked.rows.push_back(std::move(value));
    }
  return sections;
}

std::string csv_head(uint64_t id, const NcuPage& page, const Profile& profile, const LaunchRecord& launch) {
  return '"' + std::to_string(id) + "\",\"" + std::to_string(profile.process) + "\"," +
         csv_field(program_name(profile)) + R"(,"127.0.0.1",)" + csv_field(kernel_name(page, launch)) +
         ",\"" + std::to_string(launch.context) + "\",\"" + std::to_string(launch.stream) + "\",\"" +
         triple(launch.block) + "\",\"" + triple(launch.grid) + "\",\"" +
         std::to_string(launch.device.index) + "\",\"" + to_string(launch.device.capability) + '"';
}
constexpr std::string_view csv_columns =
    R"("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC")";

void print_raw(const std::vector<Profile>& processes, const NcuPage& page, std::ostream& out) {
  bool first = true;
  uint64_t id = 0;
  for (const Profile& profile : processes)
    for (const LaunchRecord& launch : profile.launches.brief()) {
      std::vector<NcuValue> row = device_values(launch);
      for (NamedSection& section : sections_of(page, launch))
        for (NcuValue& value : section.rows)
          if (std::ranges::find(row, value.name, &NcuValue::name) == row.end()) row.push_back(value);
      if (page.csv && first) {
        out << csv_columns;
        for (const NcuValue& value : row) out << ',' << csv_field(value.name);
        out << "\n" << R"("","","","","","","","","","","")";
        for (const NcuValue& value : row) out << ',' << csv_field(value.unit);
        out << '\n';
      }
      if (page.csv) {
        out << csv_head(id, page, profile, launch);
        for (const NcuValue& value : row) out << ',' << csv_field(shown(value));
        out << '\n';
      } else {
        if (first) out << '[' << profile.process << "] " << program_name(profile) << "@127.0.0.1\n";
        out << "  " << kernel_name(page, launch) << ' ' << triple(launch.grid) << 'x' << triple(launch.block)
            << ", Context " << launch.context << ", Stream " << launch.stream << ", Device "
            << launch.device.index << ", CC " << to_string(launch.device.capability) << '\n';
        TextTable table({{"", false}, {""}, {""}});
        for (const NcuValue& value : row) table.row({value.name, value.unit, shown(value)});
        table.print(out, "    ");
      }
      first = false;
      ++id;
    }
}

void print_section(const NamedSection& section, std::ostream& out) {
  std::array<std::size_t, 3> widths{11, 11, 12};
  for (const NcuValue& row : section.rows) {
    widths[0] = std::max(widths[0], row.label.size());
    widths[1] = std::max(widths[1], row.unit.size());
    widths[2] = std::max(widths[2], shown(row).size());
  }
  const std::string rule = "    " + std::string(widths[0], '-') + ' ' + std::string(widths[1], '-') + ' ' +
                           std::string(widths[2], '-') + '\n';
  const auto padded = [](const std::string& text, std::size_t width, bool right) {
    const std::string blanks(width - text.size(), ' ');
    return right ? blanks + text : text + blanks;
  };
  const auto line = [&](const std::string& label, const std::string& unit, const std::string& value) {
    out << "    " << padded(label, widths[0], false) << ' ' << padded(unit, widths[1], true) << ' '
        << padded(value, widths[2], true) << '\n';
  };
  out << "    Section: " << section.title << '\n' << rule;
  line("Metric Name", "Metric Unit", "Metric Value");
  out << rule;
  for (const NcuValue& row : section.rows) line(row.label, row.unit, shown(row));
  out << rule << '\n';
}

void print_details(const std::vector<Profile>& processes, const NcuPage& page, std::ostream& out) {
  if (page.csv) out << csv_columns << R"(,"Section Name","Metric Name","Metric Unit","Metric Value")" << '\n';
  uint64_t id = 0;
  for (const Profile& profile : processes) {
    if (!page.csv && !profile.launches.empty())
      out << '[' << profile.process << "] " << program_name(profile) << "@127.0.0.1\n";
    for (const LaunchRecord& launch : profile.launches.brief()) {
      if (!page.csv)
        out << "  " << kernel_name(page, launch) << ' ' << triple(launch.grid) << 'x' << triple(launch.block)
            << ", Context " << launch.context << ", Stream " << launch.stream << ", Device "
            << launch.device.index << ", CC " << to_string(launch.device.capability) << '\n';
      for (const NamedSection& section : sections_of(page, launch)) {
        if (!page.csv) {
          print_section(section, out);
          continue;
        }
        for (const NcuValue& row : section.rows)
          out << csv_head(id, page, profile, launch) << ',' << csv_field(section.title) << ','
              << csv_field(row.label) << ',' << csv_field(row.unit) << ',' << csv_field(field(row)) << '\n';
      }
      ++id;
    }
  }
}

// Of the source page, by the titles that it has.
struct SourceColumn {
  std::string_view title, metric;
};
constexpr std::array source_columns{
    SourceColumn{"Instructions Executed", "smsp__inst_executed.sum"},
    SourceColumn{"Thread Instructions Executed", "smsp__thread_inst_executed.sum"},
    SourceColumn{"Predicated-On Thread Instructions Executed", "smsp__thread_inst_executed_pred_on.sum"},
    SourceColumn{"Avg. Threads Executed", "smsp__thread_inst_executed_per_inst_executed.ratio"},
    SourceColumn{"Divergent Branches", "smsp__sass_branch_targets_threads_divergent.sum"},
    SourceColumn{"L1 Tag Requests Global", "memory_l1_tag_requests_global"},
    SourceColumn{"L2 Theoretical Sectors Global", "memory_l2_theoretical_sectors_global"},
    SourceColumn{"L2 Theoretical Sectors Global Ideal", "memory_l2_theoretical_sectors_global_ideal"},
    SourceColumn{"L2 Theoretical Sectors Global Excessive",
                 "derived__memory_l2_theoretical_sectors_global_excessive"},
    SourceColumn{"L2 Theoretical Sectors Local", "memory_l2_theoretical_sectors_local"},
    SourceColumn{"L1 Wavefronts Shared", "memory_l1_wavefronts_shared"},
    SourceColumn{"L1 Wavefronts Shared Ideal", "memory_l1_wavefronts_shared_ideal"},
    SourceColumn{"L1 Wavefronts Shared Excessive", "derived__memory_l1_wavefronts_shared_excessive"},
};

// Each launch, file and line that threads came to, with what they did there.
void print_source(const std::vector<Profile>& processes, const NcuPage& page, std::ostream& out) {
  SourceText sources;
  for (const Profile& profile : processes)
    for (const LaunchRecord& launch : profile.launches) {
      MetricList metrics;
      std::vector<TextTable::Column> columns{{"#"}, {"Source", false}};
      for (const auto& [title, metric] : source_columns)
        if (const auto list = choose_metrics(metric, tool, launch.device.capability); list.ok()) {
          metrics.push_back((*list).front());
          columns.push_back({std::string(title)});
        }
      std::map<std::string, std::vector<const LineCounts*>> files;
      for (const LineCounts& line : launch.lines)
        if (!line.file.empty()) files[line.file].push_back(&line);
      out << "Kernel Name: " << kernel_name(page, launch) << '\n';
      if (files.empty()) out << "no source lines are known: compile with nvcc -lineinfo\n";
      for (const auto& [file, lines] : files) {
        out << "File Path: " << file << '\n';
        TextTable table(columns);
        if (page.csv) {
          const char* separator = "";
          for (const TextTable::Column& column : columns) {
            out << separator << csv_field(column.title);
            separator = ",";
          }
          out << '\n';
        }
        for (const LineCounts* line : lines) {
          std::vector<std::string> cells{std::to_string(line->line), sources.line(file, line->line)};
          for (const Metric* metric : metrics) {
            const double v = metric->value(values(*line));
            cells.push_back(page.csv && std::isnan(v) ? "nan" : grouped(v));
          }
          if (!page.csv) {
            table.row(std::move(cells));
            continue;
          }
          const char* separator = "";
          for (const std::string& cell : cells) {
            out << separator << csv_field(cell);
            separator = ",";
          }
          out << '\n';
        }
        if (!page.csv) table.print(out, "    ");
      }
    }
}

}  // namespace

std::vector<NcuValue> ncu_values(const std::string& name, const LaunchRecord& launch) {
  if (name.starts_with(device_attribute))
    for (NcuValue& value : device_values(launch))
      if (value.name == name) return {value};
  if (name == duration) return {{name, "ns", name, device_time(launch)}};
  std::vector<NcuValue> values;
  if (const auto list = choose_metrics(name, tool, launch.device.capability))
    for (const Metric* metric : *list)
      values.push_back({std::string(metric->name), std::string(metric->unit), "", value(*metric, launch)});
  if (values.empty()) values.push_back({name, "", "", std::nan("")});
  return values;
}

std::string ncu_objection(const std::string& name, arch::Capability capability) {
  if (name == duration) return "how long a launch takes on the device is not known";
  for (const NcuValue& value : device_values({}))
    if (value.name == name) return "";
  const auto list = choose_metrics(name, tool, capability);
  return list ? "" : list.error().message;
}

void print_ncu(const std::vector<Profile>& processes, const NcuPage& page, std::ostream& out) {
  if (page.page == NcuPage::Page::source)
    print_source(processes, page, out);
  else if (page.page == NcuPage::Page::raw)
    print_raw(processes, page, out);
  else
    print_details(processes, page, out);
}

}  // namespace heddle::profiler
