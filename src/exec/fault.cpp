#include "exec/fault.h"

#include <cstdio>

#include "exec/readable_name.h"
#include "support/demangle.h"

namespace heddle::exec {

const char* name(FaultKind kind) {
  switch (kind) {
    case FaultKind::illegal_address: return "illegal address";
    case FaultKind::misaligned_address: return "misaligned address";
    case FaultKind::illegal_instruction: return "illegal instruction";
    case FaultKind::invalid_address_space: return "invalid address space";
    case FaultKind::invalid_pc: return "invalid program counter";
    case FaultKind::trap: return "trap";
    case FaultKind::assertion: return "assertion";
    case FaultKind::stack_overflow: return "stack overflow";
    case FaultKind::illegal_barrier: return "illegal barrier";
    case FaultKind::timeout: return "timeout";
    case FaultKind::cancelled: return "cancelled";
    case FaultKind::out_of_resources: return "out of resources";
  }
  return "fault";
}

namespace {

const char* name(module::Space space) {
  switch (space) {
    case module::Space::generic: return "generic";
    case module::Space::global: return "global";
    case module::Space::const_: return "constant";
    case module::Space::shared: return "shared";
    case module::Space::local: return "local";
    case module::Space::param: return "parameter";
  }
  return "";
}

std::string triple(const Dim3& d) {
  return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
}

}  // namespace

std::string readable_name(const std::string& name) { return name.starts_with("_Z") ? demangled(name) : name; }

std::string Fault::message() const {
  std::string text;
  if (!file.empty()) {
    text += file + ":" + std::to_string(line) + ":";
    if (column != 0) text += std::to_string(column) + ":";
    text += " ";
  }
  text += exec::name(kind);
  if (bytes != 0) {
    char access[96];
    std::snprintf(access, sizeof access, ": %s of %u bytes at 0x%llx in %s memory", write ? "write" : "read",
                  bytes, static_cast<unsigned long long>(address), name(space));
    text += access;
  }
  if (!detail.empty()) text += ": " + detail;
  text += "; kernel '" + readable_name(kernel) + "'";
  if (!function.empty() && function != kernel) text += ", function '" + readable_name(function) + "'";
  // A launch that the host ended has no place.
  if (instruction == module::none && kind != FaultKind::stack_overflow) return text;
  text += ", block " + triple(block) + ", thread " + triple(thread) + " (warp " + std::to_string(warp) +
          ", lane " + std::to_string(lane) + ")";
  if (!instruction_text.empty()) text += ", at '" + instruction_text + "'";
  return text;
}

}  // namespace heddle::exec
