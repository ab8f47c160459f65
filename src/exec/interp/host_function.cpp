#include "exec/interp/host_function.h"

#include <algorithm>
#include <cstring>

#include "exec/interp/call_values.h"

namespace heddle::exec::interp {

void HostCall::argument(std::size_t i, std::span<std::byte> bytes) {
  const CallOperands operands = call_operands(step_.function(), step_.instruction());
  if (i < operands.params.size()) read_argument(step_, operands.params[i], lane_, bytes);
}

uint64_t HostCall::argument(std::size_t i) {
  const std::vector<module::Parameter>& params = callee_.signature.params;
  const std::size_t size = i < params.size() ? std::min<std::size_t>(8, params[i].size) : 8;
  std::byte bytes[8]{};
  argument(i, {bytes, size});
  uint64_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

void HostCall::result(uint64_t bits) {
  const CallOperands operands = call_operands(step_.function(), step_.instruction());
  if (operands.results.empty()) return;
  std::byte bytes[8];
  std::memcpy(bytes, &bits, sizeof bits);
  write_result(step_, operands.results[0], lane_, bytes);
}

bool HostCall::read(uint64_t address, void* to, uint32_t bytes) {
  auto* out = static_cast<std::byte*>(to);
  for (uint32_t i = 0; i < bytes; ++i) {
    const Step::Place place = step_.place(address + i, module::Space::generic, lane_, 1, false);
    if (place.host == nullptr) return false;
    out[i] = *place.host;
  }
  return true;
}

bool HostCall::write(uint64_t address, const void* from, uint32_t bytes) {
  const auto* in = static_cast<const std::byte*>(from);
  for (uint32_t i = 0; i < bytes; ++i) {
    const Step::Place place = step_.place(address + i, module::Space::generic, lane_, 1, true);
    if (place.host == nullptr) return false;
    *place.host = in[i];
  }
  return true;
}

bool HostCall::read_text(uint64_t address, std::string& to) {
  for (char c = 0; read(address, &c, 1); ++address) {
    if (c == 0) return true;
    to += c;
  }
  return false;
}

void call_host(const HostFunction& function, Step& step, const module::Function& callee, int lane) {
  HostCall call(step, callee, lane);
  function.run(call);
}

}  // namespace heddle::exec::interp
