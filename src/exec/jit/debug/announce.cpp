#include "exec/jit/debug/announce.h"

#include <algorithm>
#include <cstdio>

#include "exec/jit/debug/gdb.h"
#include "exec/jit/debug/perf.h"
#include "exec/jit/debug/symbol_file.h"

namespace heddle::exec::jit::debug {

namespace {

bool is_traced() {
  std::FILE* file = std::fopen("/proc/self/status", "re");
  if (file == nullptr) return false;
  char line[256];
  int tracer = 0;
  while (std::fgets(line, sizeof line, file) != nullptr)
    if (std::sscanf(line, "TracerPid: %d", &tracer) == 1) break;
  std::fclose(file);
  return tracer != 0;
}

}  // namespace

Result<Listeners, std::string> read_listeners(std::string_view text) {
  Listeners listeners;
  if (text.empty()) {
    listeners.gdb = is_traced();
    return listeners;
  }
  if (text == "none") return listeners;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view one = text.substr(at, end - at);
    if (one == "gdb")
      listeners.gdb = true;
    else if (one == "perf")
      listeners.perf = true;
    else
      return "'" + std::string(one) + "' is none of gdb, perf and none";
    at = end + 1;
  }
  return listeners;
}

std::shared_ptr<void> announce(const Listeners& listeners, const Code& code, const CodeNames& names) {
  if (!listeners.any()) return nullptr;
  const CodeLines lines = lines_of(code, names);
  if (listeners.perf) dump_for_perf(lines);
  return listeners.gdb ? register_with_gdb(symbol_file(lines)) : nullptr;
}

}  // namespace heddle::exec::jit::debug
