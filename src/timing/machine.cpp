#include "timing/machine.h"

#include <algorithm>
#include <cmath>

#include "timing/tables.h"

namespace heddle::timing {

namespace {

Ticks clocks(double value) { return static_cast<Ticks>(std::llround(value * ticks_per_clock)); }

const Constants* constants_of(arch::Capability capability) {
  for (const MachineRecord& record : machine_records())
    if (record.capability == capability) return &record.constants;
  return nullptr;
}

}  // namespace

const PcieRecord& pcie_of(const arch::Device& device, const Constants& constants) {
  const uint32_t stated = device.pci.generation;
  const auto wanted = stated != 0 ? stated : static_cast<uint32_t>(constants.pcie);
  const auto& all = pcie_records();
  const auto record = std::ranges::find_if(all, [&](const PcieRecord& r) { return r.generation >= wanted; });
  return record == all.end() ? all.back() : *record;
}

double host_bandwidth(const arch::Device& device, const PcieRecord& pcie) {
  return pcie.lane * (device.pci.lanes != 0 ? device.pci.lanes : 16) * 1e6;
}

double memory_bandwidth(const arch::Device& device, const Constants& constants) {
  // Bits of error correction travel with the data where the memory has no others for them (machine/ecc.cpp).
  const bool shares = device.board.ecc && device.capability() < arch::Capability{3, 0};
  return static_cast<double>(arch::theoretical_bandwidth(device)) * constants.efficiency *
         (shares ? 7.0 / 8 : 1);
}

double Machine::nanoseconds(Ticks t) const {
  return static_cast<double>(t) / ticks_per_clock * 1e6 / device->clock.core_khz;
}

Ticks Machine::ticks(double nanoseconds) const { return clocks(nanoseconds * device->clock.core_khz / 1e6); }

std::optional<Machine> make_machine(const arch::Device& device) {
  const Constants* c = constants_of(device.capability());
  if (c == nullptr) return std::nullopt;
  const auto& sm = device.arch.multiprocessor;
  Machine m;
  m.device = &device;
  m.constants = c;
  m.multiprocessors = std::max(1U, device.board.multiprocessors);
  m.schedulers = std::max(1U, sm.schedulers);
  m.issue = std::max<Ticks>(1, clocks(std::max(1U, sm.issue_cycles)) / std::max(1U, sm.issues_per_scheduler));

  const double f64 = c->f64 > 0 ? c->f64 : sm.f64_units > 0 ? sm.f64_units : 1;
  const auto set = [&](Unit unit, double lanes, double latency) {
    const auto at = static_cast<std::size_t>(unit);
    m.busy[at] = clocks(lanes > 0 ? device.arch.launch.warp_size * m.schedulers / lanes : 1);
    m.latency[at] = clocks(latency);
  };
  set(Unit::f32, c->f32, c->alu_latency);
  set(Unit::i32, c->i32, c->alu_latency);
  set(Unit::imul, c->imul, c->alu_latency);
  set(Unit::f64, f64, c->f64_latency);
  set(Unit::half, c->half > 0 ? c->half : c->f32 / 2, c->alu_latency);
  set(Unit::special, c->special, c->special_latency);
  set(Unit::convert, c->convert, c->alu_latency);
  set(Unit::tensor, c->f32 * 4, c->special_latency * 1.5);
  set(Unit::memory, c->memory, c->shared_latency - c->address_latency);
  set(Unit::control, c->i32, c->branch);
  set(Unit::barrier, c->i32, c->barrier);

  m.address_registers = static_cast<uint32_t>(c->address_registers);
  m.address_reach = static_cast<uint32_t>(c->address_reach);
  m.global_offset = static_cast<uint32_t>(c->global_offset);
  m.address_latency = clocks(c->address_latency);
  m.queue_shared = static_cast<Ticks>(c->queue_shared);
  m.queue_memory = static_cast<Ticks>(c->queue_memory);
  m.shared_latency = clocks(c->shared_latency - c->address_latency);
  m.shared_operand = clocks(c->shared_operand);
  m.shared_wavefront = clocks(c->shared_wavefront);
  m.constant_step = clocks(c->constant_step);
  m.constant_latency = clocks(c->constant_latency);
  m.constant_miss = clocks(c->constant_miss);
  m.constant_refill = clocks(c->constant_refill);
  m.decision = clocks(c->decision);
  m.meeting = clocks(c->meeting);
  m.meeting_instructions = static_cast<uint32_t>(c->meeting_instructions);
  m.parting = clocks(c->parting);
  m.branch = clocks(c->branch);
  m.barrier = clocks(c->barrier);
  m.barrier_step = clocks(c->barrier_step);
  m.l1_latency = clocks(c->l1_latency);
  m.l1_read_only = c->l1_read_only != 0;
  m.l1_wavefront = clocks(c->l1_wavefront);
  m.l2_latency = clocks(c->l2_latency);
  m.l2_sector = clocks(c->l2_sector);
  m.memory_latency = clocks(c->memory_latency);
  m.port_bytes = c->l1_port / ticks_per_clock;
  m.channels = std::max<uint32_t>(1, device.dram.bus_bits / static_cast<uint32_t>(c->channel_bits));
  m.l2_bytes = static_cast<uint64_t>(static_cast<double>(device.dram.l2_bytes) / c->l2_copies);
  m.l2_slices = c->l2_slices > 0 ? static_cast<uint32_t>(c->l2_slices)
                                 : std::max(1U, device.dram.bus_bits / static_cast<uint32_t>(c->slice_bits));
  const double bytes_per_tick =
      memory_bandwidth(device, *c) / (device.clock.core_khz * 1000.0) / ticks_per_clock;
  m.channel_bytes = bytes_per_tick / m.channels;
  m.texture_latency = c->texture_latency > 0 ? clocks(c->texture_latency) : m.memory_latency;
  m.texture_busy = clocks(static_cast<double>(device.arch.launch.warp_size) / std::max(1U, sm.texture_units));
  m.texture_bytes = device.arch.memory.texture_cache_bytes[0];
  m.per_texture_cache = std::max(1U, sm.per_texture_cache);
  const PcieRecord& pcie = pcie_of(device, *c);
  m.host_bytes = host_bandwidth(device, pcie) / (device.clock.core_khz * 1000.0) / ticks_per_clock;
  m.host_latency = m.ticks(pcie.read);
  m.row_time = m.ticks(c->row_time);
  m.write_gap = m.ticks(c->write_gap);
  m.partial_write = clocks(c->partial_write);
  m.atomic = clocks(c->atomic);
  m.block_start = clocks(c->block_start);
  m.block_interval = clocks(c->block_interval);
  m.launch = clocks(c->launch);
  return m;
}

}  // namespace heddle::timing
