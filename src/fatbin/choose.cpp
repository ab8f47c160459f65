#include "fatbin/fatbin.h"

namespace heddle::fatbin {
namespace {

std::string arch_name(Arch arch, const char* prefix) {
  std::string text = prefix + std::to_string(arch.number);
  if (arch.reach == Arch::Reach::exact) text += 'a';
  if (arch.reach == Arch::Reach::family) text += 'f';
  return text;
}

// "PTX for compute_90 and machine code for sm_80, sm_90": everything that is there.
std::string inventory(std::span<const Entry> entries) {
  std::string text;
  for (const Kind kind : {Kind::ptx, Kind::elf, Kind::lto}) {
    std::string archs;
    for (const Entry& entry : entries) {
      if (entry.kind != kind) continue;
      archs += archs.empty() ? "" : ", ";
      archs += kind == Kind::elf ? real_name(entry.arch) : virtual_name(entry.arch);
    }
    if (archs.empty()) continue;
    text += text.empty() ? "" : " and ";
    text += name(kind) + " for " + archs;
  }
  return text.empty() ? "nothing" : text;
}

std::string remedy(uint32_t capability) {
  const std::string arch = virtual_name({capability, Arch::Reach::portable});
  return "rebuild with -gencode arch=" + arch + ",code=" + arch;
}

}  // namespace

std::string name(Host host) {
  switch (host) {
    case Host::linux: return "linux";
    case Host::windows: return "windows";
    case Host::mac: return "mac";
  }
  return {};
}

std::string name(Kind kind) {
  switch (kind) {
    case Kind::ptx: return "PTX";
    case Kind::elf: return "machine code";
    case Kind::lto: return "link-time code";
  }
  return "kind " + std::to_string(static_cast<unsigned>(kind));
}

std::string virtual_name(Arch arch) { return arch_name(arch, "compute_"); }
std::string real_name(Arch arch) { return arch_name(arch, "sm_"); }

// CUDA C++ Programming Guide 5.1 ("Compute Capability"), "architecture-specific" and "family-specific"
// features: the former for one capability only, the latter for later ones of the same major number.
bool runs_on(Arch code, uint32_t capability) {
  switch (code.reach) {
    case Arch::Reach::exact: return code.number == capability;
    case Arch::Reach::family: return code.number / 10 == capability / 10 && code.number <= capability;
    case Arch::Reach::portable: break;
  }
  return code.number <= capability;
}

Result<const Entry*> choose_ptx(std::span<const Entry> entries, uint32_t capability) {
  const Entry* best = nullptr;
  bool any = false, code = false;
  for (const Entry& entry : entries) {
    any = any || entry.kind == Kind::ptx;
    code = code || entry.kind == Kind::elf;
    if (entry.kind != Kind::ptx || !runs_on(entry.arch, capability)) continue;
    const auto rank = [](const Entry& e) { return e.arch.number * 4 + static_cast<uint32_t>(e.arch.reach); };
    if (best == nullptr || rank(entry) > rank(*best)) best = &entry;
  }
  if (best != nullptr) return best;
  if (any)
    return Error{"no PTX for compute capability " + std::to_string(capability / 10) + '.' +
                 std::to_string(capability % 10) + ", but " + inventory(entries) + ": " + remedy(capability)};
  if (code) return Error{"machine code only (" + inventory(entries) + "), no PTX: " + remedy(capability)};
  return Error{"no PTX, but " + inventory(entries) + ": " + remedy(capability)};
}

}  // namespace heddle::fatbin
