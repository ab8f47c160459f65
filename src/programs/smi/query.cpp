// --query-gpu and --query-compute-apps: values with commas between, for scripts.
#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <ctime>

#include "machine/driver_version.h"
#include "machine/visible_devices.h"
#include "programs/smi/smi.h"

namespace heddle::smi {

namespace {

using machine::Card;
using Q = const Question&;

[[gnu::format(printf, 1, 2)]] std::string text(const char* form, ...) {
  std::array<char, 128> out{};
  va_list arguments;
  va_start(arguments, form);
  std::vsnprintf(out.data(), out.size(), form, arguments);
  va_end(arguments);
  return out.data();
}

std::string nobody_knows(Q) { return {}; }
std::string watts(uint32_t milliwatts) { return milliwatts == 0 ? "" : text("%.2f", milliwatts / 1000.0); }
std::string number_or_none(uint32_t number) { return number == 0 ? "" : std::to_string(number); }
std::string ecc(const Card& card, bool on) { return !card.has_ecc() ? "" : on ? "Enabled" : "Disabled"; }
std::string graphics(Q q) { return std::to_string(q.card.graphics_mhz()); }
std::string sm(Q q) { return std::to_string(q.card.sm_mhz()); }
std::string memory_clock(Q q) { return std::to_string(q.card.memory_mhz()); }
std::string limit(Q q) { return watts(q.card.power_limit_mw()); }
std::string link_generation(Q q) { return number_or_none(q.card.facts().pci.generation); }
std::string link_width(Q q) { return number_or_none(q.card.facts().pci.lanes); }
std::string no(Q) { return "Disabled"; }
std::string not_active(Q) { return "Not Active"; }

constexpr Field fields[] = {
    {"timestamp", "", "",
     [](Q) {
       std::array<char, 64> out{};
       timespec time{};
       clock_gettime(CLOCK_REALTIME, &time);
       tm parts{};
       localtime_r(&time.tv_sec, &parts);
       const std::size_t length = std::strftime(out.data(), out.size(), "%Y/%m/%d %H:%M:%S", &parts);
       return std::string(out.data(), length) + text(".%03ld", time.tv_nsec / 1000000);
     },
     "when it was asked"},
    {"driver_version", "", "", [](Q q) { return std::string(machine::driver_release(q.host.driver)); },
     "version of the driver"},
    {"count", "", "", [](Q q) { return std::to_string(q.host.cards.size()); }, "devices of the host"},
    {"name", "gpu_name", "", [](Q q) { return std::string(q.card.facts().name); }, "name of the device"},
    {"serial", "gpu_serial", "", nobody_knows, "serial number"},
    {"uuid", "gpu_uuid", "", [](Q q) { return machine::uuid_text(q.card.uuid()); },
     "what no other device has"},
    {"pci.bus_id", "gpu_bus_id", "", [](Q q) { return q.card.bus_id(); }, "place on the PCI bus"},
    {"pci.domain", "", "", [](Q q) { return text("0x%04X", q.card.place().domain); }, "PCI domain"},
    {"pci.bus", "", "", [](Q q) { return text("0x%02X", q.card.place().bus); }, "PCI bus"},
    {"pci.device", "", "", [](Q q) { return text("0x%02X", q.card.place().device); }, "PCI device"},
    {"pci.device_id", "", "", [](Q q) { return text("0x%08X", q.card.device_id()); },
     "PCI device and vendor"},
    {"pci.sub_device_id", "", "", [](Q q) { return text("0x%08X", q.card.facts().pci.sub_system_id); },
     "PCI subsystem"},
    {"pcie.link.gen.current", "", "", link_generation, "generation of PCI Express"},
    {"pcie.link.gen.gpucurrent", "", "", link_generation, "the same"},
    {"pcie.link.gen.max", "", "", link_generation, "generation of PCI Express at most"},
    {"pcie.link.gen.gpumax", "", "", link_generation, "the same"},
    {"pcie.link.width.current", "", "", link_width, "lanes of PCI Express"},
    {"pcie.link.width.max", "", "", link_width, "lanes of PCI Express at most"},
    {"index", "", "", [](Q q) { return std::to_string(q.card.number()); }, "number of the device, from 0"},
    {"display_mode", "", "", no, "whether a display is connected"},
    {"display_active", "", "", no, "whether a display is used"},
    {"persistence_mode", "", "",
     [](Q q) { return std::string(q.card.persistence() ? "Enabled" : "Disabled"); },
     "whether the driver stays loaded"},
    {"accounting.mode", "", "", no, "whether processes are accounted for"},
    {"accounting.buffer_size", "", "", nobody_knows, "processes that are accounted for"},
    {"vbios_version", "", "", nobody_knows, "version of the board's BIOS"},
    {"inforom.img", "inforom.image", "", nobody_knows, "version of the board's storage"},
    {"gom.current", "gpu_operation_mode.current", "", nobody_knows, "operation mode"},
    {"fan.speed", "", "%", nobody_knows, "speed of the fan"},
    {"pstate", "", "", [](Q) { return std::string("P0"); }, "performance state"},
    {"clocks_throttle_reasons.active", "clocks_event_reasons.active", "",
     [](Q) { return std::string("0x0000000000000000"); }, "what holds the clocks back"},
    {"clocks_throttle_reasons.hw_slowdown", "clocks_event_reasons.hw_slowdown", "", not_active,
     "whether heat or power does"},
    {"clocks_throttle_reasons.sw_power_cap", "clocks_event_reasons.sw_power_cap", "", not_active,
     "whether the power limit does"},
    {"memory.total", "", "MiB", [](Q q) { return std::to_string(q.card.total_bytes() >> 20); },
     "memory of the device"},
    {"memory.reserved", "", "MiB", [](Q) { return std::string("0"); }, "of it, what the driver keeps"},
    {"memory.used", "", "MiB", [](Q q) { return mebibytes(q.card.used_bytes()); },
     "of it, what is allocated"},
    {"memory.free", "", "MiB",
     [](Q q) {
       return std::to_string((q.card.total_bytes() >> 20) - std::stoull(mebibytes(q.card.used_bytes())));
     },
     "of it, what is left"},
    {"compute_mode", "", "", [](Q q) { return std::string(machine::name(q.card.mode())); },
     "who may have contexts on the device"},
    {"compute_cap", "", "", [](Q q) { return arch::to_string(q.card.facts().capability()); },
     "compute capability"},
    {"utilization.gpu", "", "%", nobody_knows, "how much of the time kernels ran"},
    {"utilization.memory", "", "%", nobody_knows, "how much of the time memory was used"},
    {"encoder.stats.sessionCount", "", "", [](Q) { return std::string("0"); }, "sessions of the encoder"},
    {"ecc.mode.current", "", "", [](Q q) { return ecc(q.card, q.card.facts().board.ecc); },
     "whether errors of memory are corrected"},
    {"ecc.mode.pending", "", "", [](Q q) { return ecc(q.card, q.card.coming_ecc()); },
     "the same, after the next start"},
    {"ecc.errors.corrected.volatile.total", "", "",
     [](Q q) { return std::string(q.card.facts().board.ecc ? "0" : ""); },
     "errors corrected since the start"},
    {"ecc.errors.uncorrected.volatile.total", "", "",
     [](Q q) { return std::string(q.card.facts().board.ecc ? "0" : ""); },
     "errors not corrected since the start"},
    {"temperature.gpu", "", "", nobody_knows, "temperature of the device"},
    {"temperature.memory", "", "", nobody_knows, "temperature of its memory"},
    {"power.management", "", "",
     [](Q q) { return std::string(q.card.power_limit_mw() != 0 ? "Enabled" : ""); },
     "whether power is limited"},
    {"power.draw", "", "W", nobody_knows, "power that is used"},
    {"power.limit", "", "W", limit, "power at most"},
    {"enforced.power.limit", "", "W", limit, "the same"},
    {"power.default_limit", "", "W", limit, "the same, after the next start"},
    {"power.min_limit", "", "W", nobody_knows, "the least that the limit may be"},
    {"power.max_limit", "", "W", limit, "the most that the limit may be"},
    {"clocks.current.graphics", "clocks.gr", "MHz", graphics, "clock of the chip"},
    {"clocks.current.sm", "clocks.sm", "MHz", sm, "clock of the multiprocessors"},
    {"clocks.current.memory", "clocks.mem", "MHz", memory_clock, "clock of the memory"},
    {"clocks.current.video", "clocks.video", "MHz", nobody_knows, "clock of the encoder"},
    {"clocks.applications.graphics", "clocks.applications.gr", "MHz", graphics, "clock that programs get"},
    {"clocks.applications.memory", "clocks.applications.mem", "MHz", memory_clock,
     "clock of the memory that they get"},
    {"clocks.max.graphics", "clocks.max.gr", "MHz", graphics, "clock of the chip at most"},
    {"clocks.max.sm", "", "MHz", sm, "clock of the multiprocessors at most"},
    {"clocks.max.memory", "clocks.max.mem", "MHz", memory_clock, "clock of the memory at most"},
    {"mig.mode.current", "", "", nobody_knows, "whether the device is divided"},
    {"mig.mode.pending", "", "", nobody_knows, "the same, after the next start"},
};

constexpr Field of_processes[] = {
    {"timestamp", "", "", fields[0].value, "when it was asked"},
    {"gpu_name", "", "", [](Q q) { return std::string(q.card.facts().name); }, "name of the device"},
    {"gpu_bus_id", "", "", [](Q q) { return q.card.bus_id(); }, "place of the device on the PCI bus"},
    {"gpu_serial", "", "", nobody_knows, "serial number of the device"},
    {"gpu_uuid", "", "", [](Q q) { return machine::uuid_text(q.card.uuid()); }, "what no other device has"},
    {"pid", "", "", [](Q q) { return std::to_string(q.user->process); }, "number of the process"},
    {"process_name", "name", "", [](Q q) { return q.user->program; }, "its program"},
    {"used_gpu_memory", "used_memory", "MiB", [](Q q) { return mebibytes(q.user->bytes); },
     "memory of the device that it has"},
};

std::string_view trim(std::string_view word) {
  while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
  while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
  return word;
}

struct Asked {
  const Field* field;
  std::string name;  // as it was asked for
};

Result<std::vector<Asked>> find_fields(std::span<const Field> all, std::string_view list) {
  std::vector<Asked> found;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view name = trim(list.substr(0, comma));
    list.remove_prefix(std::min(list.size(), comma + 1));
    const auto field = std::ranges::find_if(
        all, [&](const Field& one) { return one.name == name || (!one.other.empty() && one.other == name); });
    if (field == all.end())
      return Error{"Field \"" + std::string(name) + "\" is not a valid field to query."};
    found.push_back({&*field, std::string(name)});
  }
  return found;
}

std::string header(const std::vector<Asked>& asked) {
  std::string line;
  for (const Asked& one : asked) {
    line += (line.empty() ? "" : ", ") + one.name;
    if (!one.field->unit.empty()) line += " [" + std::string(one.field->unit) + ']';
  }
  return line + '\n';
}

std::string row(const std::vector<Asked>& asked, Q question, const Form& form) {
  std::string line;
  for (const Asked& one : asked) {
    std::string value = one.field->value(question);
    if (value.empty())
      value = "[N/A]";
    else if (form.units && !one.field->unit.empty())
      value += ' ' + std::string(one.field->unit);
    line += (&one == asked.data() ? "" : ", ") + value;
  }
  return line + '\n';
}

}  // namespace

std::span<const Field> device_fields() { return fields; }
std::span<const Field> process_fields() { return of_processes; }

std::string mebibytes(uint64_t bytes) { return std::to_string((bytes + (1u << 20) - 1) >> 20); }

Result<std::string> query_devices(const Host& host, std::span<const Card> cards, std::string_view list,
                                  const Form& form) {
  const auto asked = find_fields(fields, list);
  if (!asked) return asked.error();
  std::string out = form.header ? header(*asked) : "";
  for (const Card& card : cards) out += row(*asked, {card, host}, form);
  return out;
}

Result<std::string> query_processes(const Host& host, std::span<const Card> cards, std::string_view list,
                                    const Form& form) {
  const auto asked = find_fields(of_processes, list);
  if (!asked) return asked.error();
  std::string out = form.header ? header(*asked) : "";
  for (const Card& card : cards) {
    for (const machine::User& user : card.users()) out += row(*asked, {card, host, &user}, form);
  }
  return out;
}

std::string help_fields(std::span<const Field> all) {
  std::string out;
  for (const Field& field : all) {
    out += '"' + std::string(field.name) + '"';
    if (!field.other.empty()) out += " or \"" + std::string(field.other) + '"';
    out += "\n    " + std::string(field.help);
    if (field.value == nobody_knows) out += "; not known here";
    out += ".\n\n";
  }
  return out;
}

}  // namespace heddle::smi
