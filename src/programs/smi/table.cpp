// nvidia-smi without options: a box for people; -L and topo -m.
#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>

#include "machine/driver_version.h"
#include "programs/smi/smi.h"

namespace heddle::smi {

namespace {

using machine::Card;

[[gnu::format(printf, 1, 2)]] std::string text(const char* form, ...) {
  std::array<char, 256> out{};
  va_list arguments;
  va_start(arguments, form);
  std::vsnprintf(out.data(), out.size(), form, arguments);
  va_end(arguments);
  return out.data();
}

std::string_view short_mode(machine::ComputeMode mode) {
  switch (mode) {
    case machine::ComputeMode::standard: return "Default";
    case machine::ComputeMode::exclusive_thread: return "E. Thread";
    case machine::ComputeMode::prohibited: return "Prohibited";
    case machine::ComputeMode::exclusive_process: return "E. Process";
  }
  return "";
}

// The end of what is too long, as paths have their names there.
std::string fitted(const std::string& path, std::size_t width) {
  return path.size() <= width ? path : "..." + path.substr(path.size() - (width - 3));
}

std::string device_rows(const Card& card) {
  const std::string name(card.facts().name.substr(0, 24));
  const uint32_t limit = card.power_limit_mw();
  const std::string power = limit == 0 ? "N/A /  N/A" : text("N/A / %4uW", limit / 1000);
  const std::string memory =
      mebibytes(card.used_bytes()) + "MiB / " + std::to_string(card.total_bytes() >> 20) + "MiB";
  return text("| %3u  %-24s   %7s |   %16s Off | %20s |\n", card.number(), name.c_str(),
              card.persistence() ? "On" : "Off", card.bus_id().c_str(),
              card.facts().board.ecc           ? "0"
              : card.facts().board.ecc_capable ? "Off"
                                               : "N/A") +
         text("| N/A   N/A    P0    %20s | %22s | %8s %11s |\n", power.c_str(), memory.c_str(), "N/A",
              std::string(short_mode(card.mode())).c_str()) +
         text("| %39s | %22s | %20s |\n", "", "", "N/A") +
         "+-----------------------------------------+------------------------+----------------------+\n";
}

constexpr std::string_view line =
    "+-----------------------------------------------------------------------------------------+\n";

}  // namespace

std::string table(const Host& host, std::span<const Card> cards) {
  const std::string release(machine::driver_release(host.driver));
  std::string out = now() + '\n' + std::string(line) +
                    text("| NVIDIA-SMI %-21s Driver Version: %-16s CUDA Version: %-7s |\n", release.c_str(),
                         release.c_str(), machine::version_text(host.driver).c_str());
  out +=
      "|-----------------------------------------+------------------------+----------------------+\n"
      "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n"
      "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |\n"
      "|                                         |                        |               MIG M. |\n"
      "|=========================================+========================+======================|\n";
  for (const Card& card : cards) out += device_rows(card);
  out += std::string(90, ' ').substr(0, 89) + '\n' + std::string(line) +
         "| Processes:                                                                              |\n"
         "|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |\n"
         "|        ID   ID                                                               Usage      |\n"
         "|=========================================================================================|\n";
  bool any = false;
  for (const Card& card : cards) {
    for (const machine::User& user : card.users()) {
      any = true;
      out += text("| %4u   N/A  N/A %16d      C   %-32s %12s |\n", card.number(), user.process,
                  fitted(user.program, 32).c_str(), (mebibytes(user.bytes) + "MiB").c_str());
    }
  }
  if (!any)
    out += "|  No running processes found                                                             |\n";
  return out + std::string(line);
}

std::string topology(std::span<const Card> cards) {
  std::string out = "\t";
  for (const Card& card : cards) out += "GPU" + std::to_string(card.number()) + '\t';
  out += "\n";
  for (const Card& from : cards) {
    out += "GPU" + std::to_string(from.number()) + '\t';
    for (const Card& to : cards) {
      if (from.number() == to.number())
        out += " X \t";
      else if (from.has_nvlinks() && to.has_nvlinks())
        out += "NV" + std::to_string(std::min(from.facts().board.nvlinks, to.facts().board.nvlinks)) + '\t';
      else
        out += "PHB\t";
    }
    out += '\n';
  }
  return out +
         "\nLegend:\n\n"
         "  X    = the device itself\n"
         "  PHB  = through PCI Express and a host bridge\n"
         "  NV#  = through # NVLinks together\n";
}

}  // namespace heddle::smi
