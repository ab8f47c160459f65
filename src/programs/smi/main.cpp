// bin/nvidia-smi: the host's devices, who uses them, and their modes.
#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>

#include "machine/driver_version.h"
#include "machine/visible_devices.h"
#include "programs/smi/monitor.h"
#include "programs/smi/smi.h"

namespace heddle::smi {
namespace {

using machine::Card;
using machine::ComputeMode;

// As NVIDIA's program returns them.
enum Exit : int {
  ok = 0,
  bad_argument = 2,
  not_supported = 3,
  no_permission = 4,
  no_device = 6,
  no_driver = 9
};

constexpr std::string_view help = R"(nvidia-smi [OPTION]...

What the devices of this host are, who uses them, and their modes. The host's devices are those of HEDDLE_DEVICES or
HEDDLE_DEVICE. Nothing here is measured on a device: temperature, power and utilization are N/A.

  -h, --help                  this help
  -L, --list-gpus             a line for each device, with its UUID
  -q, --query                 everything about each device
  -x, --xml-format            with -q, as XML
  -d, --display=SECTIONS      with -q, only MEMORY, UTILIZATION, ECC, TEMPERATURE, POWER, CLOCK, COMPUTE, PIDS or
                              PERFORMANCE, several with commas between
  -i, --id=ID[,ID...]         only these devices: numbers, UUIDs or places on the PCI bus
  -f, --filename=FILE         to this file instead of the output
  -l, --loop=SECONDS          again and again; -lms, --loop-ms=MILLISECONDS
  --query-gpu=FIELDS          values of each device; --help-query-gpu lists the fields
  --query-compute-apps=FIELDS values of each process on a device; --help-query-compute-apps
  --format=csv[,noheader][,nounits]
                              with those two: the form, which must be given
  -c, --compute-mode=MODE     who may have contexts: 0 DEFAULT, 1 EXCLUSIVE_THREAD (taken for 3), 2 PROHIBITED,
                              3 EXCLUSIVE_PROCESS
  -e, --ecc-config=0|1        error correction off or on, of devices that can; processes that begin later see it
  -pm, --persistence-mode=0|1 whether the driver stays loaded: shown, and without effect
  topo -m                     how the devices are connected
  dmon, pmon                  devices, or processes on them, again and again; dmon -h
  --version                   of the driver
)";

struct Options {
  bool list = false, query = false, help = false, help_devices = false, help_processes = false,
       matrix = false, xml = false, version = false;
  std::optional<Monitor> monitor;
  std::optional<std::string> display, ids, file, devices, processes, format, mode, persistence, ecc;
  double loop_seconds = 0;
};

int complain(const std::string& message) {
  std::fprintf(stderr, "nvidia-smi: %s\n", message.c_str());
  return bad_argument;
}

struct Option {
  std::string_view brief, full;
  bool Options::* flag = nullptr;
  std::optional<std::string> Options::* value = nullptr;
};
constexpr Option known[] = {
    {"-h", "--help", &Options::help},
    {"-L", "--list-gpus", &Options::list},
    {"-q", "--query", &Options::query},
    {"-x", "--xml-format", &Options::xml},
    {"", "--version", &Options::version},
    {"", "--help-query-gpu", &Options::help_devices},
    {"", "--help-query-compute-apps", &Options::help_processes},
    {"-d", "--display", nullptr, &Options::display},
    {"-i", "--id", nullptr, &Options::ids},
    {"-f", "--filename", nullptr, &Options::file},
    {"", "--query-gpu", nullptr, &Options::devices},
    {"", "--query-compute-apps", nullptr, &Options::processes},
    {"", "--format", nullptr, &Options::format},
    {"-c", "--compute-mode", nullptr, &Options::mode},
    {"-pm", "--persistence-mode", nullptr, &Options::persistence},
    {"-e", "--ecc-config", nullptr, &Options::ecc},
};

std::optional<double> seconds(std::string_view text, double unit) {
  unsigned value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || value == 0) return std::nullopt;
  return value * unit;
}

Result<Options> read(std::span<char*> words) {
  Options options;
  if (!words.empty() && std::string_view(words[0]) == "topo") {
    if (words.size() != 2 || (std::string_view(words[1]) != "-m" && std::string_view(words[1]) != "--matrix"))
      return Error{"topo: only -m is known"};
    options.matrix = true;
    return options;
  }
  if (!words.empty() && (std::string_view(words[0]) == "dmon" || std::string_view(words[0]) == "pmon")) {
    auto monitor = read_monitor(words[0][0] == 'd' ? Subject::devices : Subject::processes, words.subspan(1));
    if (!monitor) return monitor.error();
    if (!monitor->ids.empty()) options.ids = monitor->ids;
    if (!monitor->file.empty()) options.file = monitor->file;
    options.monitor = std::move(*monitor);
    return options;
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const std::string_view name = word.substr(0, word.find('='));
    const auto value = [&]() -> std::optional<std::string_view> {
      if (name.size() < word.size()) return word.substr(name.size() + 1);
      if (i + 1 == words.size()) return std::nullopt;
      return words[++i];
    };
    const bool milliseconds = name == "-lms" || name == "--loop-ms";
    if (milliseconds || name == "-l" || name == "--loop") {
      const bool given = name.size() < word.size() || (i + 1 < words.size() && words[i + 1][0] != '-');
      const auto every = given ? seconds(*value(), milliseconds ? 1e-3 : 1) : 5.0;
      if (!every) return Error{"Invalid loop interval."};
      options.loop_seconds = *every;
      continue;
    }
    const auto option =
        std::ranges::find_if(known, [&](const Option& one) { return one.full == name || one.brief == name; });
    if (option == std::end(known))
      return Error{"Invalid combination of input arguments: '" + std::string(word) +
                   "' is not known; see --help"};
    if (option->flag != nullptr) {
      options.*option->flag = true;
      continue;
    }
    const auto given = value();
    if (!given) return Error{"'" + std::string(word) + "' needs a value"};
    options.*option->value = std::string(*given);
  }
  if (options.xml && !options.query)
    return Error{
        "Invalid combination of input arguments. Specify -q/--query and -x/--xml-format to run an XML "
        "query."};
  if (options.xml && options.display)
    return Error{
        "Invalid combination of input arguments: --display/-d flags can not be combined with -x/--xml-format "
        "flags."};
  return options;
}

// The words of a list with commas between, without blanks around.
std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> words;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::string_view word = list.substr(0, comma);
    list.remove_prefix(std::min(list.size(), comma + 1));
    while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
    while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
    words.emplace_back(word);
  }
  return words;
}

Result<std::vector<Card>> chosen(const Host& host, const std::optional<std::string>& ids) {
  if (!ids) return host.cards;
  std::vector<Card> cards;
  for (const std::string& id : words_of(*ids)) {
    const auto found = std::ranges::find_if(host.cards, [&](const Card& card) {
      return id == std::to_string(card.number()) || id == machine::uuid_text(card.uuid()) ||
             strcasecmp(id.c_str(), card.bus_id().c_str()) == 0 ||
             strcasecmp(id.c_str(), card.legacy_bus_id().c_str()) == 0;
    });
    if (found == host.cards.end()) return Error{"No devices were found"};
    cards.push_back(*found);
  }
  return cards;
}

Result<Form> form_of(const Options& options) {
  if (!options.format) return Error{"--query-gpu and --query-compute-apps need --format=csv"};
  Form form;
  bool csv = false;
  for (const std::string& word : words_of(*options.format)) {
    if (word == "csv")
      csv = true;
    else if (word == "noheader")
      form.header = false;
    else if (word == "nounits")
      form.units = false;
    else
      return Error{"--format: '" + word + "' is none of csv, noheader and nounits"};
  }
  if (!csv) return Error{"--format: only csv is known"};
  return form;
}

std::optional<ComputeMode> mode_of(std::string_view text) {
  constexpr std::string_view names[] = {"DEFAULT", "EXCLUSIVE_THREAD", "PROHIBITED", "EXCLUSIVE_PROCESS"};
  for (unsigned i = 0; i < 4; ++i) {
    if (text == std::to_string(i) ||
        strcasecmp(std::string(text).c_str(), std::string(names[i]).c_str()) == 0)
      return static_cast<ComputeMode>(i == 1 ? 3 : i);
  }
  return std::nullopt;
}

int set(const std::vector<Card>& cards, const Options& options) {
  for (const Card& card : cards) {
    if (options.mode) {
      const auto mode = mode_of(*options.mode);
      if (!mode)
        return complain("Invalid compute mode '" + *options.mode +
                        "': DEFAULT, PROHIBITED or EXCLUSIVE_PROCESS");
      std::string name(machine::name(*mode));
      std::ranges::transform(name, name.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      });
      const bool already = card.mode() == *mode;
      if (const auto done = card.set_mode(*mode); !done) return complain(done.error().message), no_permission;
      std::printf(already ? "Compute mode is already set to %s for GPU %s.\n"
                          : "Set compute mode to %s for GPU %s.\n",
                  name.c_str(), card.bus_id().c_str());
    }
    if (options.ecc) {
      const bool on = *options.ecc == "1";
      if (!on && *options.ecc != "0")
        return complain("Invalid ECC configuration '" + *options.ecc + "': 0 or 1");
      if (!card.can_switch_ecc()) {
        std::printf("ECC support is not available for GPU %s.\n", card.bus_id().c_str());
        continue;
      }
      const bool already = card.coming_ecc() == on;
      if (const auto done = card.set_ecc(on); !done) return complain(done.error().message), no_permission;
      std::printf(already ? "ECC support is already %s for GPU %s.\n" : "%s ECC support for GPU %s.\n",
                  on ? "Enabled" : "Disabled", card.bus_id().c_str());
    }
    if (options.persistence) {
      const bool on = *options.persistence == "1" || *options.persistence == "ENABLED";
      if (!on && *options.persistence != "0" && *options.persistence != "DISABLED")
        return complain("Invalid persistence mode '" + *options.persistence + "': 0 or 1");
      const bool already = card.persistence() == on;
      if (const auto done = card.set_persistence(on); !done)
        return complain(done.error().message), no_permission;
      std::printf(
          already ? "Persistence mode is already %s for GPU %s.\n" : "%s persistence mode for GPU %s.\n",
          on ? "Enabled" : "Disabled", card.bus_id().c_str());
    }
  }
  std::puts("All done.");
  return ok;
}

Result<std::string> answer(const Host& host, const std::vector<Card>& cards, const Options& options) {
  if (options.list) {
    std::string out;
    for (const Card& card : cards)
      out += "GPU " + std::to_string(card.number()) + ": " + std::string(card.facts().name) +
             " (UUID: " + machine::uuid_text(card.uuid()) + ")\n";
    return out;
  }
  if (options.devices || options.processes) {
    const auto form = form_of(options);
    if (!form) return form.error();
    return options.devices ? query_devices(host, cards, *options.devices, *form)
                           : query_processes(host, cards, *options.processes, *form);
  }
  if (options.query && options.xml) return xml(host, cards);
  if (options.query) return log(host, cards, options.display.value_or(""));
  if (options.matrix) return topology(cards);
  return table(host, cards);
}

std::string driver_text(const Host& host) { return std::string(machine::driver_release(host.driver)); }

bool write(const std::string& text, std::ofstream* file) {
  if (file != nullptr) return static_cast<bool>(*file << text << std::flush);
  return std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
}

int watch(const Monitor& monitor, std::span<const Card> cards, std::ofstream* file) {
  const std::size_t most = monitor.subject == Subject::devices ? 16 : 4;  // as NVIDIA's program
  if (!write(monitor_header(monitor), file)) return 1;
  for (uint64_t done = 0; monitor.count == 0 || done < monitor.count; ++done) {
    if (done != 0) usleep(static_cast<useconds_t>(monitor.delay_seconds * 1e6));
    if (!write(monitor_sample(monitor, cards.first(std::min(cards.size(), most))), file)) return 1;
  }
  return ok;
}

int run(std::span<char*> words) {
  const auto options = read(words);
  if (!options) return complain(options.error().message);
  if (options->help) return std::fwrite(help.data(), 1, help.size(), stdout) == help.size() ? ok : 1;
  if (options->monitor && options->monitor->help) {
    std::fputs(monitor_help(options->monitor->subject).c_str(), stdout);
    return ok;
  }
  if (options->help_devices || options->help_processes) {
    std::fputs(help_fields(options->help_devices ? device_fields() : process_fields()).c_str(), stdout);
    return ok;
  }
  auto cards = machine::cards_of_host();
  const auto driver = machine::driver_version();
  if (!cards || !driver) {
    complain((cards ? driver.error() : cards.error()).message);
    return no_driver;
  }
  const Host host{std::move(*cards), *driver};
  const auto wanted = chosen(host, options->ids);
  if (!wanted) {
    std::puts(wanted.error().message.c_str());
    return no_device;
  }
  if (options->version) {
    std::printf(
        "NVIDIA-SMI version  : %s\nNVML version        : %s\nDRIVER version      : %s\nCUDA Version        : "
        "%s\n",
        driver_text(host).c_str(), driver_text(host).substr(0, driver_text(host).rfind('.')).c_str(),
        driver_text(host).c_str(), machine::version_text(host.driver).c_str());
    return ok;
  }
  if (options->mode || options->persistence || options->ecc) return set(*wanted, *options);
  std::ofstream file;
  if (options->file) file.open(*options->file);
  if (options->file && !file) return complain("'" + *options->file + "' cannot be written");
  if (options->monitor) return watch(*options->monitor, *wanted, options->file ? &file : nullptr);
  while (true) {
    const auto text = answer(host, *wanted, *options);
    if (!text) return std::puts(text.error().message.c_str()), bad_argument;
    if (!write(*text, options->file ? &file : nullptr)) return 1;
    if (options->loop_seconds <= 0) return ok;
    usleep(static_cast<useconds_t>(options->loop_seconds * 1e6));
  }
}

}  // namespace
}  // namespace heddle::smi

extern "C" int heddle_main_smi(int argc, char** argv) {
  return heddle::smi::run(std::span(argv, static_cast<std::size_t>(argc)).subspan(argc > 0 ? 1 : 0));
}
