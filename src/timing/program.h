// A kernel's instructions as operations of a machine, as they stand in the program: unit, time, registers.
// What the assembler would fold away costs nothing. In the order in which they are issued: issued.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "module/image.h"
#include "timing/machine.h"

namespace heddle::timing {

// What an access asks.
enum class Asked : uint8_t { shared, constants, global, textures };

struct Operation {
  static constexpr uint16_t all_reads = 0xffff;
  Ticks late_for(uint32_t read) const { return late_read == all_reads || late_read == read ? late : 0; }
  Unit unit = Unit::none;
  bool accesses = false;  // observers are told what it accesses
  Asked asked = Asked::shared;
  bool fixed_order = false;  // the warp waits for it: a branch
  bool meets = false;        // a branch whose two ways come together again
  bool past_l1 = false;      // a load that the L1 cache is not asked for
  bool together = false;     // an addition that the assembler lets one lane do for all of a warp
  bool is_operand = false;   // a load that the instruction which reads it does itself
  uint16_t reads = 0, writes = 0;
  uint16_t late = 0;                       // ticks for which it waits longer for what it reads
  uint16_t late_read = all_reads;          // for that one of its reads
  uint32_t instruction = 0, copy = 0;      // of an issued run: whose it is, and at which of its visits
  uint32_t first_register = 0;             // Body::registers: what it reads, then what it writes
  Ticks holds = 0;                         // the warp, where that is longer than it takes to issue
  Ticks issue = 0, busy = 0, latency = 0;  // of a scheduler, of a unit, until the result is there
};

struct Body {
  std::vector<Operation> operations;  // by instruction
  std::vector<uint32_t> registers;    // slots
  std::vector<uint32_t> run_end;      // by instruction: where the next visit would be told, or the end
  uint32_t slots = 0;
  std::span<const uint32_t> reads(const Operation& o) const {
    return {registers.data() + o.first_register, o.reads};
  }
  std::span<const uint32_t> writes(const Operation& o) const {
    return {registers.data() + o.first_register + o.reads, o.writes};
  }
};

struct Program {
  std::vector<Body> bodies;  // by function of the image
};

Program make_program(const module::Image&, const Machine&);
Body make_body(const module::Image&, const module::Function&, const Machine&);

}  // namespace heddle::timing
