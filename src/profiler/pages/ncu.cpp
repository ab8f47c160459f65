#include "profiler/pages/ncu.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <ostream>

#include "profiler/pages/text.h"
#include "profiler/recorder.h"

namespace heddle::profiler {

namespace {

constexpr std::array tool{Tool::ncu};
constexpr std::string_view duration = "gpu__time_duration.sum";

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

std::string csv_head(uint64_t id, const Profile& profile, const LaunchRecord& launch) {
  return '"' + std::to_string(id) + "\",\"" + std::to_string(profile.process) + "\"," +
         csv_field(program_name(profile)) + R"(,"127.0.0.1",)" + csv_field(demangled(launch.kernel)) + ",\"" +
         std::to_string(launch.context) + "\",\"" + std::to_string(launch.stream) + "\",\"" +
         triple(launch.block) + "\",\"" + triple(launch.grid) + "\",\"" +
         std::to_string(launch.device.index) + "\",\"" + to_string(launch.device.capability) + '"';
}
constexpr std::string_view csv_columns =
    R"("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC")";

void print_raw(const std::vector<Profile>& processes, const NcuPage& page, std::ostream& out) {
  bool first = true;
  uint64_t id = 0;
  for (const Profile& profile : processes)
    for (const LaunchRecord& launch : profile.launches) {
      std::vector<NcuValue> row;
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
        out << csv_head(id, profile, launch);
        for (const NcuValue& value : row) out << ',' << csv_field(grouped(value.value));
        out << '\n';
      } else {
        if (first) out << '[' << profile.process << "] " << program_name(profile) << "@127.0.0.1\n";
        out << "  " << demangled(launch.kernel) << ' ' << triple(launch.grid) << 'x' << triple(launch.block)
            << ", Context " << launch.context << ", Stream " << launch.stream << ", Device "
            << launch.device.index << ", CC " << to_string(launch.device.capability) << '\n';
        TextTable table({{"", false}, {""}, {""}});
        for (const NcuValue& value : row) table.row({value.name, value.unit, grouped(value.value)});
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
    widths[2] = std::max(widths[2], grouped(row.value).size());
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
  for (const NcuValue& row : section.rows) line(row.label, row.unit, grouped(row.value));
  out << rule << '\n';
}

void print_details(const std::vector<Profile>& processes, const NcuPage& page, std::ostream& out) {
  if (page.csv) out << csv_columns << R"(,"Section Name","Metric Name","Metric Unit","Metric Value")" << '\n';
  uint64_t id = 0;
  for (const Profile& profile : processes) {
    if (!page.csv && !profile.launches.empty())
      out << '[' << profile.process << "] " << program_name(profile) << "@127.0.0.1\n";
    for (const LaunchRecord& launch : profile.launches) {
      if (!page.csv)
        out << "  " << demangled(launch.kernel) << ' ' << triple(launch.grid) << 'x' << triple(launch.block)
            << ", Context " << launch.context << ", Stream " << launch.stream << ", Device "
            << launch.device.index << ", CC " << to_string(launch.device.capability) << '\n';
      for (const NamedSection& section : sections_of(page, launch)) {
        if (!page.csv) {
          print_section(section, out);
          continue;
        }
        for (const NcuValue& row : section.rows)
          out << csv_head(id, profile, launch) << ',' << csv_field(section.title) << ','
              << csv_field(row.label) << ',' << csv_field(row.unit) << ',' << csv_field(grouped(row.value))
              << '\n';
      }
      ++id;
    }
  }
}

}  // namespace

std::vector<NcuValue> ncu_values(const std::string& name, const LaunchRecord& launch) {
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
  const auto list = choose_metrics(name, tool, capability);
  return list ? "" : list.error().message;
}

void print_ncu(const std::vector<Profile>& processes, const NcuPage& page, std::ostream& out) {
  if (page.page == NcuPage::Page::raw)
    print_raw(processes, page, out);
  else
    print_details(processes, page, out);
}

}  // namespace heddle::profiler
