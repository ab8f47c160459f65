#include "exec/interp/host_function.h"

#include <algorithm>
#include <cstring>

#include "exec/interp/call_values.h"

namespace heddle::exec::interp {

uint64_t HostCall::argument(std::size_t i) {
  const CallOperands operands = call_operands(step_.function(), step_.instruction());
  if (i >= operands.params.size()) return 0;
  const std::vector<module::Parameter>& params = callee_.signature.params;
  const std::size_t size = i < params.size() ? std::min<std::size_t>(8, params[i].size) : 8;
  std::byte bytes[8]{};
  read_argument(step_, operands.params[i], lane_, {bytes, size});
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
