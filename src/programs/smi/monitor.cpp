#include "programs/smi/monitor.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <ctime>

namespace heddle::smi {

namespace {

using machine::Card;

constexpr std::string_view unknown = "-";

// What a column says of a device, or of a process on it.
struct Column {
  char group;
  std::string_view name, unit;
  std::string (*value)(const Card&, const machine::User*);
};

std::string nobody_knows(const Card&, const machine::User*) { return std::string(unknown); }
std::string of_board(const Card& card, const machine::User*) { return mebibytes(card.used_bytes()); }
std::string of_process(const Card&, const machine::User* user) {
  return user == nullptr ? std::string(unknown) : mebibytes(user->bytes);
}
std::string memory_clock(const Card& card, const machine::User*) { return std::to_string(card.memory_mhz()); }
std::string chip_clock(const Card& card, const machine::User*) { return std::to_string(card.sm_mhz()); }
std::string errors(const Card& card, const machine::User*) {
  return std::string(card.facts().board.ecc ? "0" : unknown);
}

// In the order in which they stand in a line, whatever the order of -s.
constexpr Column of_devices[] = {
    {'p', "pwr", "W", nobody_knows},      {'p', "gtemp", "C", nobody_knows},
    {'p', "mtemp", "C", nobody_knows},    {'u', "sm", "%", nobody_knows},
    {'u', "mem", "%", nobody_knows},      {'u', "enc", "%", nobody_knows},
    {'u', "dec", "%", nobody_knows},      {'u', "jpg", "%", nobody_knows},
    {'u', "ofa", "%", nobody_knows},      {'c', "mclk", "MHz", memory_clock},
    {'c', "pclk", "MHz", chip_clock},     {'v', "pviol", "%", nobody_knows},
    {'v', "tviol", "bool", nobody_knows}, {'m', "fb", "MB", of_board},
    {'m', "bar1", "MB", nobody_knows},    {'m', "ccpm", "MB", nobody_knows},
    {'e', "sbecc", "errs", errors},       {'e', "dbecc", "errs", errors},
    {'e', "pci", "errs", nobody_knows},   {'t', "rxpci", "MB/s", nobody_knows},
    {'t', "txpci", "MB/s", nobody_knows},
};
constexpr Column of_processes[] = {
    {'u', "sm", "%", nobody_knows},  {'u', "mem", "%", nobody_knows},   {'u', "enc", "%", nobody_knows},
    {'u', "dec", "%", nobody_knows}, {'u', "jpg", "%", nobody_knows},   {'u', "ofa", "%", nobody_knows},
    {'m', "fb", "MB", of_process},   {'m', "ccpm", "MB", nobody_knows},
};

std::span<const Column> columns(Subject subject) {
  if (subject == Subject::devices) return of_devices;
  return of_processes;
}

std::string right(std::string_view value, std::size_t width) {
  return std::string(width > value.size() ? width - value.size() : 0, ' ') + std::string(value);
}
std::string left(std::string_view value, std::size_t width) {
  std::string out(value.substr(0, width));
  out.resize(width, ' ');
  return out;
}

std::string clock_text(const char* form) {
  std::array<char, 32> out{};
  const std::time_t seconds = std::time(nullptr);
  tm parts{};
  localtime_r(&seconds, &parts);
  return {out.data(), std::strftime(out.data(), out.size(), form, &parts)};
}

constexpr std::size_t command_width = 14;

// One line: `mark` before it, then when, which device, which process, and a word for each column.
struct Line {
  std::string mark, date, time, device, process, type, command;
  std::vector<std::string> words;
};

std::string text(const Monitor& monitor, const Line& line, bool heading) {
  std::vector<std::string> words;
  const bool when = monitor.date || monitor.time, processes = monitor.subject == Subject::processes;
  std::string out = line.mark;
  if (monitor.csv) {
    if (monitor.date) words.push_back(line.date);
    if (monitor.time) words.push_back(line.time);
    words.push_back(line.device);
    if (processes) words.insert(words.end(), {line.process, line.type});
    words.insert(words.end(), line.words.begin(), line.words.end());
    if (processes) words.push_back(line.command);
    for (std::size_t i = 0; i < words.size(); ++i) out += (i == 0 ? "" : ", ") + words[i];
    return out + '\n';
  }
  if (!when) out += ' ';
  if (monitor.date) out += left(line.date, 12);
  if (monitor.time) out += left(line.time, monitor.date ? 13 : 12);
  out += right(line.device, 3) + ' ';
  if (processes) out += right(line.process, 11) + ' ' + right(line.type, 6) + ' ';
  for (const std::string& word : line.words) out += right(word, 6) + ' ';
  if (processes) out += "   " + (heading ? line.command : left(line.command, command_width)) + ' ';
  return out + '\n';
}

std::string heading(const Monitor& monitor, bool units) {
  Line line;
  line.mark = "#";
  line.date = units ? "YYYYMMDD" : "Date";
  line.time = units ? "HH:MM:SS" : "Time";
  line.device = units ? "Idx" : "gpu";
  line.process = units ? "#" : "pid";
  line.type = units ? "C/G" : "type";
  line.command = units ? "name" : "command";
  for (const Column& column : columns(monitor.subject))
    if (monitor.metrics.find(column.group) != std::string::npos)
      line.words.emplace_back(units ? column.unit : column.name);
  return text(monitor, line, true);
}

std::string row(const Monitor& monitor, const Card& card, const machine::User* user) {
  Line line;
  line.mark = " ";
  line.date = clock_text("%Y%m%d");
  line.time = clock_text("%H:%M:%S");
  line.device = std::to_string(card.number());
  line.process = user == nullptr ? unknown : std::to_string(user->process);
  line.type = user == nullptr ? unknown : "C";
  line.command =
      user == nullptr ? unknown : std::string_view(user->program).substr(user->program.rfind('/') + 1);
  for (const Column& column : columns(monitor.subject))
    if (monitor.metrics.find(column.group) != std::string::npos)
      line.words.push_back(column.value(card, user));
  return text(monitor, line, false);
}

template <class Number>
bool read_number(std::string_view text, Number& to) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), to);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

Status<> take_metrics(Monitor& monitor, std::string_view letters) {
  for (const char letter : letters) {
    if (!std::ranges::any_of(columns(monitor.subject),
                             [&](const Column& one) { return one.group == letter; }))
      return Error{"-s: '" + std::string(1, letter) + "' is no metric. Failed to find any metric to display"};
  }
  if (letters.empty()) return Error{"-s: Failed to find any metric to display"};
  monitor.metrics = letters;
  return Unit{};
}

Status<> take_form(Monitor& monitor, std::string_view words) {
  while (!words.empty()) {
    const std::size_t comma = std::min(words.find(','), words.size());
    const std::string_view word = words.substr(0, comma);
    words.remove_prefix(std::min(words.size(), comma + 1));
    if (word == "csv")
      monitor.csv = true;
    else if (word == "nounit")
      monitor.units = false;
    else if (word == "noheader")
      monitor.header = false;
    else
      return Error{"--format: '" + std::string(word) + "' is none of csv, nounit and noheader"};
  }
  return Unit{};
}

Status<> take_when(Monitor& monitor, std::string_view letters) {
  for (const char letter : letters) {
    if (letter != 'D' && letter != 'T')
      return Error{"-o: '" + std::string(1, letter) + "' is neither D nor T"};
    (letter == 'D' ? monitor.date : monitor.time) = true;
  }
  return Unit{};
}

Status<> take(Monitor& monitor, std::string_view name, std::string_view value) {
  if (name == "-i" || name == "--id") {
    monitor.ids = value;
  } else if (name == "-f" || name == "--filename") {
    monitor.file = value;
  } else if (name == "-s" || name == "--select") {
    return take_metrics(monitor, value);
  } else if (name == "-o" || name == "--options") {
    return take_when(monitor, value);
  } else if (name == "--format" && monitor.subject == Subject::devices) {
    return take_form(monitor, value);
  } else if (name == "-c" || name == "--count") {
    if (!read_number(value, monitor.count) || monitor.count == 0)
      return Error{"-c: '" + std::string(value) + "' is no number of samples"};
  } else if (name == "-d" || name == "--delay") {
    unsigned seconds = 0;
    if (!read_number(value, seconds) || seconds == 0)
      return Error{"-d: '" + std::string(value) + "' is no number of seconds"};
    monitor.delay_seconds = seconds;
  } else {
    return Error{"Option \"" + std::string(name) + "\" is not recognized."};
  }
  return Unit{};
}

}  // namespace

Result<Monitor> read_monitor(Subject subject, std::span<char* const> words) {
  Monitor monitor;
  monitor.subject = subject;
  monitor.metrics = subject == Subject::devices ? "puc" : "u";
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "-h" || word == "--help") {
      monitor.help = true;
      continue;
    }
    const std::size_t equals = word.starts_with("--") ? word.find('=') : word.npos;
    const std::string_view name = word.substr(0, equals);
    std::string_view value;
    if (equals != word.npos)
      value = word.substr(equals + 1);
    else if (i + 1 < words.size())
      value = words[++i];
    else
      return Error{"Option \"" + std::string(name) + "\" is not recognized, or needs a value."};
    if (Status<> good = take(monitor, name, value); !good) return good.error();
  }
  return monitor;
}

std::string monitor_help(Subject subject) {
  const bool devices = subject == Subject::devices;
  std::string out = std::string("nvidia-smi ") + (devices ? "dmon" : "pmon") + " [OPTION]...\n\n" +
                    (devices ? "A line for each device" : "A line for each process on a device") +
                    ", again and again. What could only be measured on a device is '-'.\n\n"
                    "  -i, --id=ID[,ID...]   only these devices: numbers, UUIDs or places on the PCI bus\n"
                    "  -d, --delay=SECONDS   between two samples (1)\n"
                    "  -c, --count=NUMBER    so many samples\n"
                    "  -s, --select=LETTERS  what is shown: ";
  out += devices ? "p power and temperature, u utilization, c clocks, v violations,\n"
                   "                        m memory, e errors, t PCI Express (puc)\n"
                 : "u utilization, m memory (u)\n";
  out +=
      "  -o, --options=LETTERS D with the date, T with the time\n"
      "  -f, --filename=FILE   to this file instead of the output\n";
  if (devices)
    out +=
        "  --format=csv[,nounit][,noheader]\n"
        "                        values with commas between\n";
  return out;
}

std::string monitor_header(const Monitor& monitor) {
  std::string out;
  if (monitor.header) out += heading(monitor, false);
  if (monitor.units) out += heading(monitor, true);
  return out;
}

std::string monitor_sample(const Monitor& monitor, std::span<const Card> cards) {
  std::string out;
  for (const Card& card : cards) {
    if (monitor.subject == Subject::devices) {
      out += row(monitor, card, nullptr);
      continue;
    }
    const auto users = card.users();
    if (users.empty()) out += row(monitor, card, nullptr);
    for (const machine::User& user : users) out += row(monitor, card, &user);
  }
  return out;
}

}  // namespace heddle::smi
