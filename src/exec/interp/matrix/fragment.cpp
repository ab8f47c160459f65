#include "exec/interp/matrix/fragment.h"

namespace heddle::exec::interp {

namespace {
int group(int lane) { return lane >> 2; }
int in_group(int lane) { return lane & 3; }
int register_bits(const module::Operand& o) { return isa::info(o.type).bits; }
}  // namespace

// Registers alternate between the upper and the lower eight rows when there are sixteen, and then go on along
// k; the four lanes of a group share a row.
Cell cell_of_a(const Shape& shape, int lane, int element, int per_register) {
  const int reg = element / per_register, part = element % per_register;
  const bool tall = shape.m == 16;
  const int block = tall ? reg >> 1 : reg;
  return {group(lane) + (tall ? 8 * (reg & 1) : 0), (4 * block + in_group(lane)) * per_register + part};
}

Cell cell_of_b(int lane, int element, int per_register) {
  const int reg = element / per_register, part = element % per_register;
  return {(4 * reg + in_group(lane)) * per_register + part, group(lane)};
}

Cell cell_of_c(int lane, int element) {
  return {group(lane) + 8 * (element >> 1), 2 * in_group(lane) + (element & 1)};
}

int elements_of(std::span<const module::Operand> registers, int bits) {
  return static_cast<int>(registers.size()) * register_bits(registers[0]) / bits;
}

uint64_t read_element(const Step& s, std::span<const module::Operand> registers, int lane, int index,
                      int bits) {
  const int width = register_bits(registers[0]), first = index * bits;
  const uint64_t value =
      s.get<uint64_t>(registers[static_cast<std::size_t>(first / width)], lane) >> first % width;
  return bits == 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

void write_element(Step& s, std::span<const module::Operand> registers, int lane, int index, int bits,
                   uint64_t value) {
  const int width = register_bits(registers[0]), first = index * bits;
  const module::Operand& reg = registers[static_cast<std::size_t>(first / width)];
  if (bits == width) return s.set<uint64_t>(reg, lane, value);
  const uint64_t mask = ((uint64_t{1} << bits) - 1) << first % width;
  s.set<uint64_t>(reg, lane, (s.get<uint64_t>(reg, lane) & ~mask) | (value << first % width & mask));
}

}  // namespace heddle::exec::interp
