// Machine code in memory, as the run sees it (no LLVM here); frees it at the end.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::exec::jit {

// The debug location of an instruction at its address: `line` is the index of a Site plus 1, `column` that of
// its AccessLanes in the kernel's table (abi/lanes.h).
struct Place {
  uint32_t line = 0, column = 0;  // 0, 0: unknown
};

inline constexpr const char* kernel_symbol = "kernel";  // the function that a launch calls
// Of its slow parts that are apart (vectorize/slow_part.h).
inline std::string slow_symbol(std::size_t number) { return "slow." + std::to_string(number); }

class Code {
 public:
  virtual ~Code() = default;
  using Place = jit::Place;
  virtual void* find(std::string_view symbol) const = 0;  // a function, or nullptr
  virtual uintptr_t begin() const = 0;                    // of the instructions
  virtual uintptr_t end() const = 0;
  bool has(uintptr_t address) const { return address >= begin() && address < end(); }
  virtual Place place(uintptr_t pc) const = 0;  // slow: for faults
  // All of it, for debuggers: functions by name, and from which address on instructions are of which place.
  struct Function {
    std::string_view name;
    uintptr_t begin = 0;
  };
  virtual std::vector<Function> functions() const { return {}; }
  virtual std::vector<std::pair<uintptr_t, Place>> places() const { return {}; }
};

}  // namespace heddle::exec::jit
