// heddle predict: a program's kernels on devices that nobody has (docs/reference/heddle-predict.md).
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <map>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "arch/device.h"
#include "cli/commands.h"
#include "cli/start_program.h"
#include "clock/forecast.h"
#include "timing/mechanism.h"
#include "timing/tables.h"

namespace heddle::cli {

namespace {

// Of one kernel with one shape of launch, on one device.
struct Cell {
  uint64_t launches = 0;
  double nanoseconds = 0, busy = 0, simulated = 1;
  std::map<std::string, double> bounds;  // nanoseconds by what bound them
  std::string obstacle;
};

struct Row {
  std::string kernel;
  uint64_t blocks = 0, threads = 0;
  std::map<std::string, Cell> cells;  // by device
};

struct Forecast {
  std::vector<Row> rows;  // in the order of their first launches
  std::vector<clock::ForecastLine> launches;
};

void add(Forecast& all, const clock::ForecastLine& line, bool each) {
  if (!line.without.empty()) {
    all.launches.push_back(line);
    return;
  }
  if (each) all.launches.push_back(line);
  auto row = std::find_if(all.rows.begin(), all.rows.end(), [&](const Row& r) {
    return r.kernel == line.kernel && r.blocks == line.blocks && r.threads == line.threads;
  });
  if (row == all.rows.end()) row = all.rows.insert(row, Row{line.kernel, line.blocks, line.threads, {}});
  Cell& cell = row->cells[line.device];
  ++cell.launches;
  cell.obstacle = line.obstacle;
  cell.nanoseconds += line.nanoseconds;
  cell.busy = std::max(cell.busy, line.busy);
  cell.simulated = std::min(cell.simulated, line.simulated);
  if (!line.bound.empty()) cell.bounds[line.bound] += line.nanoseconds;
}

std::string time_text(double nanoseconds) {
  std::ostringstream text;
  text << std::fixed;
  if (nanoseconds >= 1e9)
    text << std::setprecision(3) << nanoseconds / 1e9 << " s";
  else if (nanoseconds >= 1e6)
    text << std::setprecision(3) << nanoseconds / 1e6 << " ms";
  else
    text << std::setprecision(2) << nanoseconds / 1e3 << " us";
  return text.str();
}

std::string bound_of(const Cell& cell) {
  const auto most = std::max_element(cell.bounds.begin(), cell.bounds.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == cell.bounds.end() ? std::string() : most->first;
}

// How far off such times have been for each of the devices, where somebody measured any.
void print_judgement(const std::vector<const arch::Device*>& devices, bool instant, std::ostream& out) {
  for (const arch::Device* device : devices) {
    const auto machine = timing::make_machine(*device);
    if (!machine) continue;
    const auto& all = timing::judged_records();
    const auto judged = std::ranges::find(all, machine->constants->name, &timing::JudgedRecord::machine);
    out << "  " << std::left << std::setw(14) << device->id << std::right;
    const double error = judged == all.end() ? 0 : instant ? judged->instant : judged->simulated;
    if (error == 0)
      out << "  never judged\n";
    else
      out << "  off by " << static_cast<int>(100 * error + 0.5) << " % in the mean of " << judged->families
          << " families of kernels, " << judged->numbers << " launches of sm_"
          << int{device->capability().major} << int{device->capability().minor} << '\n';
  }
}

void print_table(const Forecast& all, const std::vector<std::string>& devices, std::ostream& out) {
  for (const Row& row : all.rows) {
    const uint64_t launches = row.cells.empty() ? 0 : row.cells.begin()->second.launches;
    out << row.kernel << "  <<<" << row.blocks << ", " << row.threads << ">>>";
    if (launches > 1) out << "  " << launches << " launches, mean of them";
    out << '\n';
    for (const std::string& device : devices) {
      const auto found = row.cells.find(device);
      if (found == row.cells.end()) continue;
      const Cell& cell = found->second;
      out << "  " << std::left << std::setw(14) << device << std::right;
      if (!cell.obstacle.empty()) {
        out << "  cannot run it: " << cell.obstacle << '\n';
        continue;
      }
      out << std::setw(12) << time_text(cell.nanoseconds / static_cast<double>(cell.launches)) << "  "
          << bound_of(cell);
      if (cell.busy >= 0.005) out << " (busy " << static_cast<int>(cell.busy * 100 + 0.5) << " %)";
      if (cell.simulated == 0)
        out << ", estimated";
      else if (cell.simulated < 0.995)
        out << ", " << std::max(1, static_cast<int>(cell.simulated * 100)) << " % simulated";
      out << '\n';
    }
  }
  if (all.rows.size() < 2) return;
  out << "all kernels\n";
  for (const std::string& device : devices) {
    double total = 0;
    bool whole = true;
    for (const Row& row : all.rows)
      if (const auto cell = row.cells.find(device); cell != row.cells.end()) {
        total += cell->second.nanoseconds;
        whole &= cell->second.obstacle.empty();
      }
    out << "  " << std::left << std::setw(14) << device << std::right << std::setw(12) << time_text(total)
        << (whole ? "" : "  without those that it cannot run") << '\n';
  }
}

std::string in_csv(const std::string& field) {
  if (field.find_first_of(",\"") == field.npos) return field;
  std::string quoted = "\"";
  for (const char c : field) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

void print_csv(const Forecast& all, std::ostream& out) {
  out << "launch,kernel,blocks,threads,device,ns,bound,busy,simulated,obstacle,without,operations,run_"
         "seconds,"
         "model_seconds\n";
  for (const clock::ForecastLine& l : all.launches)
    out << l.launch << ',' << in_csv(l.kernel) << ',' << l.blocks << ',' << l.threads << ',' << l.device
        << ',' << std::fixed << std::setprecision(0) << l.nanoseconds << ',' << in_csv(l.bound) << ','
        << std::setprecision(3) << l.busy << ',' << l.simulated << ',' << in_csv(l.obstacle) << ','
        << l.without << ',' << l.operations << ',' << std::setprecision(6) << l.run_seconds << ','
        << l.model_seconds << '\n';
}

// The program's state as wait() gives it.
std::optional<int> run_program(const std::string& path, const std::vector<std::string>& words,
                               bool own_output, Console& console) {
  const pid_t child = fork();
  if (child < 0) {
    complain(console, std::string("no process for the program: ") + std::strerror(errno));
    return std::nullopt;
  }
  if (child == 0) {
    // The table goes to the output; what the program says must not mix with it.
    if (!own_output) dup2(STDERR_FILENO, STDOUT_FILENO);
    std::vector<std::string> copies = words;
    std::vector<char*> pointers;
    for (std::string& word : copies) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    execv(path.c_str(), pointers.data());
    _exit(errno == ENOENT ? 127 : 126);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// What the program's kernels take; its state as wait() gives it.
std::optional<int> forecast(const std::string& path, const std::vector<std::string>& words,
                            const std::string& devices, bool own_output, bool each, Console& console,
                            Forecast& all) {
  std::string file = (std::getenv("TMPDIR") != nullptr ? std::getenv("TMPDIR") : "/tmp") +
                     std::string("/heddle-predict-XXXXXX");
  const int made = mkstemp(file.data());
  if (made < 0) {
    complain(console, "'" + file + "' cannot be made: " + std::strerror(errno));
    return std::nullopt;
  }
  close(made);
  setenv(clock::forecast_variable, (file + ':' + devices).c_str(), 1);
  console.out.flush();
  const std::optional<int> status = run_program(path, words, own_output, console);
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);)
    if (clock::ForecastLine read; clock::parse(line, read)) add(all, read, each);
  unlink(file.c_str());
  if (status && all.rows.empty()) complain(console, "the program launched no kernel that ended");
  return status;
}

Exit exit_of(int status) {
  return static_cast<Exit>(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

struct Swept {
  std::string value;
  std::map<std::string, double> nanoseconds;  // of all kernels, by device; none where it cannot run one
};

void print_sweep(const std::vector<Swept>& all, const std::vector<std::string>& devices, std::ostream& out) {
  std::size_t width = 5;
  for (const Swept& swept : all) width = std::max(width, swept.value.size());
  const auto column = [&](const std::string& text) {
    out << "  " << std::left << std::setw(static_cast<int>(width)) << text << std::right;
  };
  for (const std::string& device : devices) {
    out << device << '\n';
    double best = 0;
    for (const Swept& swept : all)
      if (const auto time = swept.nanoseconds.find(device); time != swept.nanoseconds.end())
        best = best == 0 ? time->second : std::min(best, time->second);
    for (const Swept& swept : all) {
      column(swept.value);
      const auto time = swept.nanoseconds.find(device);
      if (time == swept.nanoseconds.end())
        out << "  cannot run it\n";
      else
        out << std::setw(12) << time_text(time->second) << (time->second == best ? "  fastest" : "") << '\n';
    }
  }
}

void print_sweep_csv(const std::vector<Swept>& all, const std::vector<std::string>& devices,
                     std::ostream& out) {
  out << "value,device,ns\n";
  for (const Swept& swept : all)
    for (const std::string& device : devices) {
      out << in_csv(swept.value) << ',' << device << ',';
      if (const auto time = swept.nanoseconds.find(device); time != swept.nanoseconds.end())
        out << std::fixed << std::setprecision(0) << time->second;
      out << '\n';
    }
}

// The program once with each value; what it says goes to the error output.
Exit sweep(const std::string& path, const std::vector<std::string>& words, std::string_view values,
           const std::vector<std::string>& devices, const std::string& list, Console& console,
           std::vector<Swept>& all) {
  constexpr std::string_view place = "{}";
  const auto has_place = [&](const std::string& word) { return word.find(place) != word.npos; };
  if (std::none_of(words.begin() + 1, words.end(), has_place)) {
    complain(console, "--sweep: no argument of the program has a {}, where the values would go");
    return Exit::usage;
  }
  for (std::string_view rest = values; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    Swept swept{std::string(rest.substr(0, comma)), {}};
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    std::vector<std::string> with = words;
    for (std::string& word : with)
      for (std::size_t at = word.find(place); &word != &with.front() && at != word.npos;
           at = word.find(place, at + swept.value.size()))
        word.replace(at, place.size(), swept.value);
    Forecast forecasts;
    const auto status = forecast(path, with, list, false, false, console, forecasts);
    if (!status) return Exit::failed;
    if (*status != 0) {
      complain(console, "with " + swept.value + " the program failed");
      return exit_of(*status);
    }
    for (const std::string& device : devices) {
      double total = 0;
      bool can = !forecasts.rows.empty();
      for (const Row& row : forecasts.rows)
        if (const auto cell = row.cells.find(device); cell != row.cells.end()) {
          total += cell->second.nanoseconds;
          can &= cell->second.obstacle.empty();
        }
      if (can) swept.nanoseconds[device] = total;
    }
    all.push_back(std::move(swept));
  }
  return Exit{};
}

// "PROGRAM --devices LIST": the list, taken out of the program's words.
std::optional<std::string> take_devices_behind_program(std::vector<std::string>& words) {
  constexpr std::string_view option = "--devices";
  if (words.size() < 2 || !words[1].starts_with(option)) return std::nullopt;
  const bool joined = words[1].starts_with("--devices=");
  if (!joined && (words[1] != option || words.size() < 3)) return std::nullopt;
  std::string list = joined ? words[1].substr(option.size() + 1) : words[2];
  words.erase(words.begin() + 1, words.begin() + (joined ? 2 : 3));
  return list;
}

// What HEDDLE_PREDICT_HOW has to say; nothing, after a message, where an option is wrong.
std::optional<std::string> how_of(const Arguments& arguments, Console& console) {
  std::string how;
  if (arguments.has("--of-each-kernel")) {
    const auto count = parse_count(arguments.value("--of-each-kernel"));
    if (!count || *count == 0) {
      complain(console, "--of-each-kernel takes a number from 1 on, not '" +
                            std::string(arguments.value("--of-each-kernel")) + "'");
      return std::nullopt;
    }
    how += " first=" + std::to_string(*count);
  }
  if (arguments.has("--instant")) how += " instant";
  for (std::string_view rest = arguments.value("--without"); !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view name = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (timing::find_mechanism(name) == nullptr) {
      std::string names;
      for (const timing::Mechanism& part : timing::mechanisms())
        names += (names.empty() ? "" : ", ") + std::string(part.name);
      complain(console, "--without: the model has no part '" + std::string(name) + "'; it has " + names);
      return std::nullopt;
    }
    how += " without=" + std::string(name);
  }
  if (arguments.has("--each-without")) {
    if (!arguments.has("--csv") || arguments.has("--sweep") || arguments.has("--instant")) {
      complain(console, "--each-without is for --csv, and neither for --sweep nor --instant");
      return std::nullopt;
    }
    how += " parts";
  }
  return how;
}

Exit run_predict(const Arguments& arguments, Console& console) {
  std::vector<std::string> words(arguments.operands().begin(), arguments.operands().end());
  std::optional<std::string> behind;
  if (!arguments.has("--devices")) behind = take_devices_behind_program(words);
  std::vector<std::string> devices;
  std::vector<const arch::Device*> records;
  std::string list;
  for (std::string_view rest = behind ? *behind : arguments.value("--devices", arch::default_device().id);
       !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const auto device = arch::find_device(rest.substr(0, comma));
    if (!device) {
      complain(console, "--devices: " + device.error().message);
      return Exit::usage;
    }
    devices.emplace_back((*device)->id);
    records.push_back(*device);
    list += (list.empty() ? "" : ",") + std::string(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  const auto how = how_of(arguments, console);
  if (!how) return Exit::usage;
  setenv(clock::forecast_how_variable, how->c_str(), 1);
  std::string path;
  if (const auto why = prepare_program(words.front(), arguments.value("--device"), console, path))
    return *why;
  const bool csv = arguments.has("--csv"), sweeps = arguments.has("--sweep");
  Forecast all;
  std::vector<Swept> swept;
  Exit exit{};
  if (sweeps) {
    exit = sweep(path, words, arguments.value("--sweep"), devices, list, console, swept);
    if (exit != Exit{}) return exit;
  } else {
    const auto status = forecast(path, words, list, !csv && !arguments.has("--output"), csv, console, all);
    if (!status) return Exit::failed;
    exit = exit_of(*status);
  }

  std::ofstream output;
  if (arguments.has("--output")) {
    output.open(std::string(arguments.value("--output")));
    if (!output) {
      complain(console, "'" + std::string(arguments.value("--output")) + "' cannot be written");
      return Exit::failed;
    }
  }
  std::ostream& out = output.is_open() ? output : console.out;
  if (sweeps)
    csv ? print_sweep_csv(swept, devices, out) : print_sweep(swept, devices, out);
  else
    csv ? print_csv(all, out) : print_table(all, devices, out);
  if (!csv && !sweeps && !all.rows.empty()) {
    out << (arguments.has("--instant") ? "how far off such estimates were\n"
                                       : "how far off such times were\n");
    print_judgement(records, arguments.has("--instant"), out);
  }
  return exit;
}

constexpr std::array options{
    Option{"--devices", "NAME,NAME...",
           "the devices to predict for: ids of `heddle devices`, or .toml files; may also stand right behind "
           "PROGRAM"},
    Option{"--device", "NAME", "the device that the program sees while it runs; as for heddle run"},
    Option{"--sweep", "VALUE,VALUE...",
           "run the program once with each value in place of {} in its arguments, and tell which is the "
           "fastest on each device"},
    Option{"--of-each-kernel", "N", "only the first N launches of each kernel with each shape"},
    Option{"--instant", "", "estimate from counts alone, without simulating anything"},
    Option{"--without", "PART,PART...",
           "leave parts of the model out (docs/reference/timing-error.md has their names)"},
    Option{"--each-without", "",
           "with --csv: each launch also without each part of the model, one at a time"},
    Option{"--csv", "", "each launch on each device, as comma-separated values"},
    Option{"--output", "FILE", "write the table there"}};

}  // namespace

constexpr Command predict_command{
    "predict",
    "PROGRAM [ARGUMENT...]",
    1,
    kNoLimit,
    "run a program once and tell how long its kernels take on devices that are not here",
    "Runs PROGRAM as `heddle run` does. What its kernels do is simulated on each of the devices: the first "
    "waves of "
    "blocks warp by warp, the rest from exact counts. A line says how long the kernel takes as a profiler "
    "sees it, what "
    "bounds it, and which part was simulated if not all. How far predictions are from what was measured on "
    "real devices: "
    "docs/reference/heddle-predict.md. Returns what PROGRAM returns.",
    options,
    run_predict,
    true};

}  // namespace heddle::cli
