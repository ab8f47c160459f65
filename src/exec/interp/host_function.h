// Functions that a program calls but the host provides: declared in PTX without a body, found by name. One
// record each in host_functions.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "exec/interp/step.h"

namespace heddle::exec::interp {

// One call by one lane.
class HostCall {
 public:
  HostCall(Step& step, const module::Function& callee, int lane)
      : step_(step), callee_(callee), lane_(lane) {}
  Step& step() { return step_; }
  int lane() const { return lane_; }
  unsigned address_bits() const { return step_.image().address_bits; }
  const module::Function& callee() const { return callee_; }
  uint64_t argument(std::size_t i);  // its bytes, zero-extended
  void argument(std::size_t i, std::span<std::byte> bytes);
  void result(uint64_t bits);
  // Bytes at a generic address; false after a fault.
  bool read(uint64_t address, void* to, uint32_t bytes);
  bool write(uint64_t address, const void* from, uint32_t bytes);
  bool read_text(uint64_t address, std::string& to);  // up to the terminating zero

 private:
  Step& step_;
  const module::Function& callee_;
  int lane_;
};

struct HostFunction {
  std::string_view name;
  void (*run)(HostCall&);
};

const HostFunction* find_host_function(std::string_view name);  // nullptr when the host has none
void call_host(const HostFunction& function, Step& step, const module::Function& callee, int lane);

}  // namespace heddle::exec::interp
