// nvidia-smi -q: everything, as indented lines.
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

[[gnu::format(printf, 1, 2)]] std::string text(const char* form, ...) {
  std::array<char, 128> out{};
  va_list arguments;
  va_start(arguments, form);
  std::vsnprintf(out.data(), out.size(), form, arguments);
  va_end(arguments);
  return out.data();
}

constexpr std::string_view sections[] = {"MEMORY", "UTILIZATION", "ECC",  "TEMPERATURE", "POWER",
                                         "CLOCK",  "COMPUTE",     "PIDS", "PERFORMANCE"};
constexpr std::string_view unknown = "N/A";

std::string mhz(uint32_t value) { return std::to_string(value) + " MHz"; }
std::string_view on_off(bool on) { return on ? "Enabled" : "Disabled"; }

class Log {
 public:
  explicit Log(const std::vector<std::string_view>& wanted) : wanted_(wanted) {}

  void line(int depth, std::string_view label, std::string_view value) {
    std::string begin = std::string(static_cast<std::size_t>(depth) * 4, ' ') + std::string(label);
    begin.resize(std::max<std::size_t>(begin.size(), 42), ' ');
    out_ += begin + ": " + std::string(value) + '\n';
  }
  void heading(int depth, std::string_view label) {
    out_ += std::string(static_cast<std::size_t>(depth) * 4, ' ') + std::string(label) + '\n';
  }
  void blank() { out_ += '\n'; }
  bool all() const { return wanted_.empty(); }
  bool wants(std::string_view section) const {
    return all() || std::ranges::find(wanted_, section) != wanted_.end();
  }

  void device(const Card& card) {
    out_ += "GPU " + card.bus_id() + '\n';
    if (all()) identity(card);
    if (wants("PERFORMANCE")) {
      line(1, "Performance State", "P0");
      heading(1, "Clocks Event Reasons");
      line(2, "SW Power Cap", "Not Active");
      line(2, "HW Slowdown", "Not Active");
    }
    if (wants("MEMORY")) {
      const uint64_t total = card.total_bytes() >> 20, used = std::stoull(mebibytes(card.used_bytes()));
      heading(1, "FB Memory Usage");
      line(2, "Total", std::to_string(total) + " MiB");
      line(2, "Reserved", "0 MiB");
      line(2, "Used", std::to_string(used) + " MiB");
      line(2, "Free", std::to_string(total - used) + " MiB");
    }
    if (wants("COMPUTE")) line(1, "Compute Mode", machine::name(card.mode()));
    if (wants("UTILIZATION")) {
      heading(1, "Utilization");
      for (const std::string_view what : {"Gpu", "Memory", "Encoder", "Decoder"}) line(2, what, unknown);
    }
    if (wants("ECC")) {
      const auto mode = [&](bool on) { return card.has_ecc() ? on_off(on) : unknown; };
      heading(1, "ECC Mode");
      line(2, "Current", mode(card.facts().board.ecc));
      line(2, "Pending", mode(card.coming_ecc()));
    }
    if (wants("TEMPERATURE")) {
      heading(1, "Temperature");
      line(2, "GPU Current Temp", unknown);
      line(2, "Memory Current Temp", unknown);
    }
    if (wants("POWER")) {
      const uint32_t limit = card.power_limit_mw();
      const std::string watts = limit == 0 ? std::string(unknown) : text("%.2f W", limit / 1000.0);
      heading(1, "GPU Power Readings");
      line(2, "Power Draw", unknown);
      for (const std::string_view what :
           {"Current Power Limit", "Requested Power Limit", "Default Power Limit"})
        line(2, what, watts);
      line(2, "Min Power Limit", unknown);
      line(2, "Max Power Limit", watts);
    }
    if (wants("CLOCK")) {
      for (const std::string_view what :
           {"Clocks", "Applications Clocks", "Default Applications Clocks", "Max Clocks"}) {
        heading(1, what);
        line(2, "Graphics", mhz(card.graphics_mhz()));
        if (what.find("Applications") == what.npos) line(2, "SM", mhz(card.sm_mhz()));
        line(2, "Memory", mhz(card.memory_mhz()));
      }
    }
    if (wants("PIDS")) processes(card);
    blank();
  }

  std::string out() { return std::move(out_); }

 private:
  void identity(const Card& card) {
    const arch::Device& facts = card.facts();
    line(1, "Product Name", facts.name);
    line(1, "Product Brand", card.brand());
    line(1, "Product Architecture", facts.arch.generation);
    line(1, "Display Mode", "Disabled");
    line(1, "Display Active", "Disabled");
    line(1, "Persistence Mode", on_off(card.persistence()));
    line(1, "Serial Number", unknown);
    line(1, "GPU UUID", machine::uuid_text(card.uuid()));
    line(1, "Minor Number", std::to_string(card.number()));
    line(1, "VBIOS Version", unknown);
    line(1, "MultiGPU Board", facts.board.gpus > 1 ? "Yes" : "No");
    heading(1, "PCI");
    const machine::PciPlace place = card.place();
    line(2, "Bus", text("0x%02X", place.bus));
    line(2, "Device", text("0x%02X", place.device));
    line(2, "Domain", text("0x%04X", place.domain));
    line(2, "Device Id", text("0x%08X", card.device_id()));
    line(2, "Bus Id", card.bus_id());
    line(2, "Sub System Id", text("0x%08X", facts.pci.sub_system_id));
    heading(2, "GPU Link Info");
    const auto pair = [&](std::string_view what, const std::string& value) {
      heading(3, what);
      line(4, "Max", value);
      line(4, "Current", value);
    };
    const bool known = facts.pci.generation != 0;
    pair("PCIe Generation", known ? std::to_string(facts.pci.generation) : std::string(unknown));
    pair("Link Width", known ? std::to_string(facts.pci.lanes) + "x" : std::string(unknown));
    line(1, "Fan Speed", unknown);
  }

  void processes(const Card& card) {
    const auto users = card.users();
    if (users.empty()) return line(1, "Processes", "None");
    heading(1, "Processes");
    for (const machine::User& user : users) {
      line(2, "GPU instance ID", unknown);
      line(2, "Compute instance ID", unknown);
      line(2, "Process ID", std::to_string(user.process));
      line(3, "Type", "C");
      line(3, "Name", user.program);
      line(3, "Used GPU Memory", mebibytes(user.bytes) + " MiB");
    }
  }

  const std::vector<std::string_view>& wanted_;
  std::string out_;
};

}  // namespace

std::string now() {
  std::array<char, 64> out{};
  const std::time_t time = std::time(nullptr);
  tm parts{};
  localtime_r(&time, &parts);
  return {out.data(), std::strftime(out.data(), out.size(), "%a %b %e %H:%M:%S %Y", &parts)};
}

Result<std::string> log(const Host& host, std::span<const Card> cards, std::string_view names) {
  std::vector<std::string_view> wanted;
  while (!names.empty()) {
    const std::size_t comma = std::min(names.find(','), names.size());
    wanted.push_back(names.substr(0, comma));
    names.remove_prefix(std::min(names.size(), comma + 1));
    if (std::ranges::find(sections, wanted.back()) == std::end(sections)) {
      std::string message = "Display type \"" + std::string(wanted.back()) + "\" is not known; there are";
      for (const std::string_view one : sections)
        message += (one == sections[0] ? " " : ", ") + std::string(one);
      return Error{std::move(message)};
    }
  }
  Log log(wanted);
  log.blank();
  log.heading(0, "==============NVSMI LOG==============");
  log.blank();
  log.line(0, "Timestamp", now());
  log.line(0, "Driver Version", machine::driver_release(host.driver));
  log.line(0, "CUDA Version", machine::version_text(host.driver));
  log.blank();
  log.line(0, "Attached GPUs", std::to_string(host.cards.size()));
  for (const Card& card : cards) log.device(card);
  return log.out();
}

}  // namespace heddle::smi
