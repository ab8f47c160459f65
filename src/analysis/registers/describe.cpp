#include "analysis/registers/describe.h"

#include <algorithm>

namespace heddle::analysis::registers {

using isa::Opcode;
using isa::Slot;
using isa::Word;
using module::OperandKind;

namespace {

// Divisions and roots are sequences, some with a slow path beside.
void describe_division(const module::Instruction& x, const isa::SlotValues& w, Operation& o) {
  const unsigned bits = isa::info(w.type()).bits;
  const bool floats = is_float(w.type());
  const bool approximate = w.is(Slot::approx, Word::approx) || w.is(Slot::full, Word::full);
  const bool is_signed = isa::info(w.type()).kind == isa::TypeKind::signed_;
  o.latency = 40;
  const auto take = [&o](const Sequence& s) { o.temporaries = s.registers, o.splits = s.branches; };
  switch (x.opcode) {
    case Opcode::rsqrt: take(sequences::reciprocal_root_f64); return;
    case Opcode::sqrt:
      if (bits == 64) return take(sequences::root_f64);
      return take(approximate ? sequences::divide_f32_approx : sequences::root_f32);
    case Opcode::rcp:
      if (bits == 64) return take(sequences::reciprocal_f64);
      return take(approximate ? sequences::divide_f32_approx : sequences::reciprocal_f32);
    case Opcode::div:
      if (floats && bits == 64) return take(sequences::divide_f64);
      if (floats) return take(approximate ? sequences::divide_f32_approx : sequences::divide_f32);
      if (bits == 64) return take(is_signed ? sequences::divide_s64 : sequences::divide_u64);
      return take(is_signed ? sequences::divide_s32 : sequences::divide_u32);
    default:
      if (bits == 64) return take(is_signed ? sequences::remainder_s64 : sequences::remainder_u64);
      return take(is_signed ? sequences::remainder_s32 : sequences::remainder_u32);
  }
}

}  // namespace

bool is_float(isa::Type type) { return isa::info(type).kind == isa::TypeKind::floating; }

bool reaches(const module::Instruction& x) {
  return x.opcode == Opcode::ld || x.opcode == Opcode::st || x.opcode == Opcode::red ||
         x.opcode == Opcode::atom || x.opcode == Opcode::prefetch || x.opcode == Opcode::ldu;
}

bool has_effect(const module::Image& image, const module::Instruction& x) {
  switch (x.opcode) {
    case Opcode::ld: return image.mnemonics[x.mnemonic].values.is(Slot::volatile_, Word::volatile_);
    case Opcode::st:
    case Opcode::red:
    case Opcode::atom:
    case Opcode::bar:
    case Opcode::barrier:
    case Opcode::bra:
    case Opcode::brx:
    case Opcode::call:
    case Opcode::ret:
    case Opcode::exit:
    case Opcode::trap:
    case Opcode::membar:
    case Opcode::fence:
    case Opcode::cp:
    case Opcode::mbarrier:
    case Opcode::vote:
    case Opcode::shfl:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::sust:
    case Opcode::sured:
    case Opcode::stmatrix:
    case Opcode::wmma:
    case Opcode::mma:
    case Opcode::wgmma:
    case Opcode::tcgen05:
    case Opcode::prefetch:
    case Opcode::prefetchu:
    case Opcode::nanosleep:
    case Opcode::setmaxnreg:
    case Opcode::brkpt:
    case Opcode::pmevent:
    case Opcode::griddepcontrol:
    case Opcode::elect:
    case Opcode::activemask:
    case Opcode::stackrestore:
    case Opcode::multimem:
    case Opcode::discard:
    case Opcode::applypriority:
    case Opcode::clusterlaunchcontrol:
    case Opcode::createpolicy:
    case Opcode::tensormap:
    case Opcode::alloca: return true;
    default: return false;
  }
}

bool calls_math(const module::Image& image, const module::Function& function, const module::Instruction& x) {
  if (x.opcode != Opcode::call) return false;
  for (uint32_t i = 0; i < x.operand_count; ++i) {
    const module::Operand& o = function.operands[x.first_operand + i];
    if (o.kind == OperandKind::function)
      return !image.functions[o.index].defined && image.functions[o.index].name.starts_with("__nv_");
  }
  return false;
}

void describe(const module::Image& image, const module::Function& function, const module::Instruction& x,
              bool parted, Operation& o) {
  const isa::SlotValues& w = image.mnemonics[x.mnemonic].values;
  const unsigned bits = isa::info(w.type()).bits;
  const bool floats = is_float(w.type());
  o.latency = 4;  // of 7.0 and later; of 3, 4 and 5 the one that fits most kernels of registers.md
  o.stays = has_effect(image, x);
  const auto space = [&]() -> uint8_t {
    for (uint32_t i = 0; i < x.operand_count; ++i)
      if (function.operands[x.first_operand + i].kind == OperandKind::address)
        return static_cast<uint8_t>(function.operands[x.first_operand + i].space);
    return 0;
  };
  switch (x.opcode) {
    case Opcode::ld:
    case Opcode::ldu: {
      o.memory = w.is(Slot::nc, Word::nc) ? Memory::none : Memory::load;
      o.space = space();
      const auto s = static_cast<module::Space>(o.space);
      o.latency =
          s == module::Space::shared || s == module::Space::const_ || s == module::Space::param ? 28 : 300;
      o.issue = 2;
      if (o.stays) o.memory = Memory::store;
      break;
    }
    case Opcode::tex:
    case Opcode::tld4:
    case Opcode::suld:
      o.latency = 400;
      o.issue = 4;
      break;
    case Opcode::st:
      o.memory = Memory::store;
      o.space = space();
      o.issue = 2;
      break;
    case Opcode::atom:
    case Opcode::red:
      o.memory = Memory::store;
      o.space = space();
      o.latency = 300;
      break;
    case Opcode::bar:
    case Opcode::barrier:
    case Opcode::membar:
    case Opcode::fence:
    case Opcode::call:
    case Opcode::cp:
    case Opcode::mbarrier:
    case Opcode::nanosleep:
    case Opcode::wgmma:
    case Opcode::tcgen05: o.memory = Memory::barrier; break;
    case Opcode::shfl:
      if (parted)
        o.temporaries = sequences::diverged_shuffle.registers,
        o.splits = sequences::diverged_shuffle.branches;
      [[fallthrough]];
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
      o.latency = 24;
      o.memory = Memory::none;
      break;
    case Opcode::mov:
      if (x.operand_count > 1 && function.operands[x.first_operand + 1].kind == OperandKind::special)
        o.latency = 20;
      break;
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::ex2:
    case Opcode::lg2:
    case Opcode::tanh: o.latency = 20; break;
    case Opcode::rsqrt:
      o.latency = 20;
      if (bits == 64) describe_division(x, w, o);
      break;
    case Opcode::rcp:
    case Opcode::sqrt:
    case Opcode::div:
    case Opcode::rem: describe_division(x, w, o); break;
    case Opcode::mul:
    case Opcode::mad:
      if (bits == 64 && !floats && !w.is(Slot::mode, Word::wide))
        o.latency = 15, o.temporaries = sequences::multiply_64.registers;
      if (bits == 64 && !floats && w.is(Slot::mode, Word::hi))
        o.temporaries = sequences::multiply_high_64.registers;
      break;
    default: break;
  }
  if (floats && bits == 64) o.latency = std::max<uint16_t>(o.latency, 16);
}

}  // namespace heddle::analysis::registers
