#include "exec/interp/step.h"

#include <array>
#include <cstdio>

#include "exec/interp/cluster.h"
#include "exec/interp/evaluate.h"
#include "exec/interp/fault_site.h"
#include "exec/interp/run.h"
#include "exec/interp/special_register.h"
#include "exec/interp/warp.h"
#include "exec/memory_map.h"

namespace heddle::exec::interp {

namespace {

std::string hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::array<Fit, isa::type_count> make_fits() {
  std::array<Fit, isa::type_count> fits;
  for (std::size_t i = 1; i < fits.size(); ++i) {
    const isa::TypeInfo& type = isa::info(static_cast<isa::Type>(i));
    if (type.bits == 0 || type.bits >= 64) continue;
    fits[i] = {(uint64_t{1} << type.bits) - 1, type.bits, type.kind == isa::TypeKind::signed_};
  }
  return fits;
}

}  // namespace

const std::array<Fit, isa::type_count> type_fits = make_fits();

Step::Step(Warp& warp, Activation& activation, const module::Instruction& instruction, Mask lanes)
    : warp_(warp),
      activation_(activation),
      function_(*activation.function),
      instruction_(instruction),
      words_(warp.run().image.mnemonics[instruction.mnemonic].values),
      operands_(function_.operands.data() + instruction.first_operand),
      registers_(activation.registers.data()),
      lanes_(lanes) {}

// ---- lanes that look at each other
// -------------------------------------------------------------------------

bool Step::collect(int membermask) {
  if (!warp_.run().independent || collected_) return true;
  std::array<Mask, warp_size> members{};
  each([&](int lane) {
    // A thread outside its own mask has no partners that it could wait for.
    const Mask own = Mask{1} << lane;
    const Mask mask = get<uint32_t>(membermask, lane);
    members[static_cast<std::size_t>(lane)] = (mask & own) != 0 ? mask : own;
  });
  return !(handed_on_ = !warp_.collect(*this, members, false));
}

bool Step::collect_warp() {
  if (!warp_.run().independent || collected_) return true;
  std::array<Mask, warp_size> members;
  members.fill(~Mask{0});
  return !(handed_on_ = !warp_.collect(*this, members, true));
}

void Step::polls() { warp_.polled(); }
void Step::leaves_another_value() { warp_.run().memory_changed = true; }
void Step::changes() { warp_.run().watch.changes(); }
void Step::compared(int lane, bool equal) { warp_.run().watch.compared(lane, equal); }

void Step::tells(observe::SyncKind kind, Mask lanes, uint32_t a, uint32_t b) {
  Watch& watch = warp_.run().watch;
  if (!watch.syncs() || lanes == 0) return;
  const Dim3& block = warp_.block().index();
  watch.sync({.place = {static_cast<uint32_t>(&function_ - image().functions.data()),
                        static_cast<uint32_t>(&instruction_ - function_.code.data())},
              .block = {block.x, block.y, block.z},
              .warp = warp_.index(),
              .lanes = lanes,
              .kind = kind,
              .a = a,
              .b = b});
}

void Step::tells(observe::SyncKind kind, int a, int b) {
  if (!warp_.run().watch.syncs()) return;
  const auto value = [&](int operand, int lane) {
    return operand >= 0 && present(operand) ? get<uint32_t>(operand, lane) : 0;
  };
  for (Mask left = lanes_; left != 0;) {
    const int first = std::countr_zero(left);
    const uint32_t of_a = value(a, first), of_b = value(b, first);
    Mask same = 0;
    for (Mask rest = left; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (value(a, lane) == of_a && value(b, lane) == of_b) same |= Mask{1} << lane;
    }
    left &= ~same;
    tells(kind, same, of_a, of_b);
  }
}

// ---- values
// ------------------------------------------------------------------------------------------------

bool Step::carry(int lane) const { return warp_.carry() >> lane & 1; }

void Step::set_carry(int lane, bool value) {
  const Mask bit = Mask{1} << lane;
  warp_.carry() = value ? warp_.carry() | bit : warp_.carry() & ~bit;
}

uint64_t Step::extend(const module::Operand& o, const Fit& type, uint64_t bits) {
  const Fit& declared = type_fits[static_cast<std::size_t>(o.declared)];
  if (type.is_signed && type.bits < declared.bits) {
    const unsigned unused = 64u - type.bits;
    bits = static_cast<uint64_t>(static_cast<int64_t>(bits << unused) >> unused);
  }
  return bits & declared.mask;
}

uint64_t Step::other_bits(const module::Operand& o, int lane) const {
  switch (o.kind) {
    case module::OperandKind::immediate:
    case module::OperandKind::label: return o.value;
    case module::OperandKind::special: return read_special(warp_, o.special, o.component, lane);
    case module::OperandKind::function: return code_handle(o.index);
    case module::OperandKind::symbol:
    case module::OperandKind::address: return address_of(o, lane);
    default: return 0;
  }
}

Wide Step::get_wide(const module::Operand& o, int lane) const {
  if (o.kind != module::OperandKind::reg) return {other_bits(o, lane), 0};
  const uint64_t* r = registers(lane);
  return {r[slot(o.reg, lane)], r[slot(o.reg + 1, lane)]};
}

void Step::set_wide(const module::Operand& o, int lane, Wide value) {
  if (o.kind != module::OperandKind::reg) return;
  uint64_t* r = registers(lane);
  r[slot(o.reg, lane)] = value.low;
  r[slot(o.reg + 1, lane)] = value.high;
}

// ---- memory
// ------------------------------------------------------------------------------------------------

namespace {

// Of a parameter of an opaque type the launch or the caller gave the handle: it is memory.
bool is_bound(const module::Symbol& symbol) {
  return symbol.kind != module::SymbolKind::memory && symbol.space != module::Space::param &&
         symbol.space != module::Space::local;
}

}  // namespace

uint64_t Step::symbol_address(uint32_t index, int lane) const {
  const Run& run = warp_.run();
  const module::Symbol& symbol = run.image.symbols[index];
  if (is_bound(symbol)) return run.launch.module->symbol_handle[index];
  switch (symbol.space) {
    case module::Space::shared: return shared_address(warp_.block().rank(), run.shared_offset[index]);
    case module::Space::local:
      return symbol.offset +
             (symbol.owner == module::none ? 0 : activation_.frame[static_cast<std::size_t>(lane)]);
    case module::Space::param: return run.windows.param_base + symbol.offset;
    default: return run.launch.module->symbol_address[index];
  }
}

uint64_t Step::other_address(const module::Operand& o, int lane) const {
  uint64_t address = o.value;
  bool narrow = warp_.run().image.address_bits == 32;
  if (o.reg != module::none) {
    address += registers(lane)[slot(o.reg, lane)];
    narrow |= !o.is_pointer64;
  }
  if (o.index != module::none) address += symbol_address(o.index, lane);
  return narrow ? address & 0xffff'ffff : address;
}

module::Space Step::space_of(uint64_t address) const {
  const WindowMap& w = warp_.run().windows;
  if (address - w.shared_base < w.shared_bytes) return module::Space::shared;
  if (address - w.local_base < w.local_bytes) return module::Space::local;
  if (address - w.param_base < w.param_bytes) return module::Space::param;
  return module::Space::global;
}

uint64_t Step::to_generic(uint64_t address, module::Space space) const {
  const WindowMap& w = warp_.run().windows;
  if (space == module::Space::shared) return w.shared_base + address;
  if (space == module::Space::local) return w.local_base + address;
  if (space == module::Space::param && address - w.param_base >= w.param_bytes) return w.local_base + address;
  return address;
}

uint64_t Step::from_generic(uint64_t address, module::Space space) const {
  const WindowMap& w = warp_.run().windows;
  if (space == module::Space::shared) return address - w.shared_base;
  if (space == module::Space::local) return address - w.local_base;
  return address;
}

Step::Place Step::fail(FaultKind kind, int lane, uint64_t address, module::Space space, uint32_t bytes,
                       bool write, std::string detail) {
  const auto index = static_cast<uint32_t>(&instruction_ - function_.code.data());
  Fault& fault = raise(warp_, activation_, index, lane, kind, std::move(detail));
  fault.address = address;
  fault.bytes = bytes;
  fault.write = write;
  fault.space = space;
  return {space, address, nullptr};
}

Step::Place Step::place(const module::Operand& address, int lane, uint32_t bytes, bool write) {
  const uint64_t at = address_of(address, lane);
  if (address.space == module::Space::shared) {
    // Of another block's memory this is an illegal instruction, as on an H200
    // (tests/hw/h200/answers/cluster_spaces.txt).
    Block& own = warp_.block();
    const isa::Word named = word(isa::Slot::space);
    const uint64_t rank = (at & 0xffff'ffff) >> shared_rank_shift;
    if (rank != own.rank() && own.cluster().blocks().size() > 1 &&
        (named == isa::Word::shared || named == isa::Word::shared_cta))
      return fail(FaultKind::illegal_instruction, lane, at, address.space, bytes, write,
                  "an address in block " + std::to_string(rank) +
                      " of the cluster is none of .shared::cta in block " + std::to_string(own.rank()));
  }
  return place(at, address.space, lane, bytes, write);
}

Step::Place Step::place(uint64_t address, module::Space space, int lane, uint32_t bytes, bool write) {
  if (Watch& watch = warp_.run().watch; watch.accesses()) watch.note(lane, space, address, bytes, write);
  if (space == module::Space::generic) {
    space = space_of(address);
    address = from_generic(address, space);
  } else if (space == module::Space::param && space_of(address) != module::Space::param) {
    space = module::Space::local;  // of a device function's parameter, or of an argument
  }
  // Addresses in the shared window have 32 bits and wrap, also in registers of 64.
  if (space == module::Space::shared) address &= 0xffff'ffff;
  if ((address & (bytes - 1)) != 0)
    return fail(FaultKind::misaligned_address, lane, address, space, bytes, write,
                "the address is no multiple of " + std::to_string(bytes));
  Run& run = warp_.run();
  switch (space) {
    case module::Space::shared: {
      Block* owner = &warp_.block();
      uint64_t offset = shared_offset(address);
      if (const uint64_t rank = address >> shared_rank_shift; rank != owner->rank()) {
        const auto blocks = owner->cluster().blocks();
        if (rank >= blocks.size())
          return fail(FaultKind::illegal_address, lane, address, space, bytes, write,
                      blocks.size() == 1 ? "the block has " + std::to_string(owner->shared().size()) +
                                               " bytes of shared memory"
                                         : "the cluster has " + std::to_string(blocks.size()) + " blocks");
        owner = blocks[rank].get();
      }
      std::span<std::byte> memory = owner->shared();
      if (offset - run.reserved_begin() < run.reserved_bytes) {
        memory = owner->reserved();
        offset -= run.reserved_begin();
      }
      if (offset > memory.size() || bytes > memory.size() - offset)
        return fail(FaultKind::illegal_address, lane, address, space, bytes, write,
                    "the block has " + std::to_string(memory.size()) + " bytes of shared memory");
      return {space, address, memory.data() + offset};
    }
    case module::Space::local: {
      std::byte* host = warp_.local(lane).at(address, bytes, run.launch.local_bytes);
      if (host == nullptr)
        return fail(FaultKind::illegal_address, lane, address, space, bytes, write,
                    "a thread has " + std::to_string(run.launch.local_bytes) + " bytes of local memory");
      return {space, address, host};
    }
    case module::Space::param: {
      const std::span<const std::byte> params = run.launch.params;
      const uint64_t offset = address - run.windows.param_base;
      if (write || offset > params.size() || bytes > params.size() - offset)
        return fail(FaultKind::illegal_address, lane, address, space, bytes, write,
                    write ? "kernel parameters are read-only"
                          : "the kernel has " + std::to_string(params.size()) + " bytes of parameters");
      return {space, address, const_cast<std::byte*>(params.data()) + offset};
    }
    default: break;
  }
  if ((write && space == module::Space::const_) || run.launch.memory == nullptr ||
      !run.launch.memory->accessible(address, bytes, write))
    return fail(FaultKind::illegal_address, lane, address, space, bytes, write,
                write && space == module::Space::const_
                    ? "constant memory is read-only"
                    : "no memory that may be " + std::string(write ? "written" : "read") + " lies at " +
                          hex(address));
  return {space, address, reinterpret_cast<std::byte*>(static_cast<uintptr_t>(address))};
}

uint64_t Step::handle(const module::Operand& reference, int lane) {
  if (reference.index == module::none) {
    // A register's own value, and not the low 32 bits of it where addresses are narrow.
    if (reference.reg != module::none) return registers(lane)[slot(reference.reg, lane)] + reference.value;
    return reference.value;
  }
  if (is_bound(image().symbols[reference.index])) return address_of(reference, lane);
  const Place at = place(reference, lane, 8, false);
  uint64_t bits = 0;
  if (at.host != nullptr) std::memcpy(&bits, at.host, sizeof bits);
  return bits;
}

// ---- faults and the world
// ----------------------------------------------------------------------------------

void Step::fault(FaultKind kind, int lane, std::string detail) {
  const auto index = static_cast<uint32_t>(&instruction_ - function_.code.data());
  raise(warp_, activation_, index, lane, kind, std::move(detail));
}

bool Step::faulted() const { return warp_.run().fault.has_value(); }
Block& Step::block() { return warp_.block(); }
const Launch& Step::launch() const { return warp_.run().launch; }
const module::Image& Step::image() const { return warp_.run().image; }

}  // namespace heddle::exec::interp
