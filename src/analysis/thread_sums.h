// What registers of a kernel are, for one launch: sums of a number and, for each component of %tid and
// %ctaid, that component times a number. What the launch passes and its shape are numbers here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "module/image.h"

namespace heddle::analysis {

struct LaunchValues {
  std::array<uint32_t, 3> grid{}, block{};
  std::span<const std::byte> parameters;
  std::span<const uint32_t> environment;     // %envreg0 and on
  std::span<const uint64_t> symbol_address;  // by Image::symbols
};

__extension__ using Wide = __int128;  // holds every sum of 64 bits

// %tid.x, y, z, %ctaid.x, y, z.
using Factors = std::array<int64_t, 6>;

struct ThreadSum {
  int64_t base = 0;
  Factors factors{};
  unsigned bits = 64;  // the register has this sum modulo 2 to the power of `bits`: 32 or 64
  bool is_number() const { return factors == Factors{}; }
};

// lowest <= the components, each times its factor, <= highest.
struct ThreadBound {
  Factors factors{};
  Wide lowest = 0, highest = 0;
};

class ThreadSums {
 public:
  ThreadSums(const module::Image& image, uint32_t entry, const LaunchValues& values);
  uint32_t count(std::size_t variable) const { return counts_[variable]; }
  // Nothing: it depends on memory, on how often a loop has run, or is no such sum.
  std::optional<ThreadSum> of_register(uint32_t slot);
  std::optional<ThreadSum> of_address(const module::Operand& address);
  // What must be true for this instruction to be executed, as far as it is known.
  std::vector<ThreadBound> bounds(uint32_t instruction);

 private:
  static constexpr uint32_t nowhere = module::none, several = module::none - 1;
  struct Extent {
    Wide lowest, highest;
  };
  Extent extent(const ThreadSum& sum) const;
  std::optional<ThreadSum> compute(const module::Instruction& instruction, uint32_t slot);
  std::optional<ThreadSum> of_operand(const module::Operand& operand, unsigned bits);
  std::optional<ThreadSum> of_special(const module::Operand& operand, unsigned bits) const;
  std::optional<ThreadSum> load(const module::Instruction& instruction, uint32_t slot) const;
  std::optional<ThreadSum> widened(const ThreadSum& sum, bool is_signed) const;
  std::optional<ThreadSum> product(const std::optional<ThreadSum>& a, const std::optional<ThreadSum>& b,
                                   unsigned bits) const;
  std::optional<ThreadSum> logical(isa::Opcode opcode, const ThreadSum& a, const ThreadSum& b) const;
  void add_condition(uint32_t slot, bool is, std::vector<ThreadBound>& to, unsigned depth = 0);
  void add_comparison(const module::Instruction& instruction, bool is, std::vector<ThreadBound>& to);
  void find_dominators();

  const module::Image& image_;
  const uint32_t number_;
  const module::Function& entry_;
  const LaunchValues& values_;
  std::array<uint32_t, 6> counts_{};
  std::vector<uint32_t> written_at_;  // by slot: the only instruction that writes it
  struct Known {
    bool done = false;
    std::optional<ThreadSum> sum;
  };
  std::vector<Known> known_;               // by slot
  std::vector<std::vector<bool>> before_;  // by block: those without which it is not reached
};

}  // namespace heddle::analysis
