#include "exec/interp/run.h"

#include "arch/allocation.h"
#include "exec/interp/host_function.h"

namespace heddle::exec::interp {

namespace {

bool has(const arch::Device* device, arch::Feature feature) {
  return device != nullptr && device->has(feature);
}

bool target_flushes(const module::Image& image) {
  if (image.target == nullptr) return false;
  const unsigned sm = image.target->sm;
  const arch::Architecture* target =
      arch::find_architecture({static_cast<uint8_t>(sm / 10), static_cast<uint8_t>(sm % 10)});
  return target != nullptr && target->has(arch::Feature::flush_denormals_f32);
}

analysis::WarpPlaces places_of(const Launch& launch) {
  const arch::Device& device = *launch.device;
  const auto threads = static_cast<uint32_t>(launch.shape.block.count());
  analysis::WarpPlaces places;
  places.multiprocessors = device.board.multiprocessors;
  places.schedulers = device.arch.multiprocessor.schedulers;
  places.warps = arch::warps_per_block(device.arch, threads);
  if (analysis::reads_place(*launch.module->image, launch.function))
    places.resident = analysis::resident_blocks(*launch.module->image, launch.function, device.arch, threads,
                                                launch.shape.dynamic_shared);
  return places;
}

}  // namespace

Run::Run(const Launch& l, observe::Sink* sink, bool for_another_executor)
    : launch(l),
      image(*l.module->image),
      entry(image.functions[l.function]),
      windows(exec::windows(image.address_bits)),
      independent(has(l.device, arch::Feature::independent_thread_scheduling)),
      flushes_f32(has(l.device, arch::Feature::flush_denormals_f32) || target_flushes(image)),
      truncates_mad(has(l.device, arch::Feature::truncating_mad_f32)),
      borrowed(for_another_executor),
      shared_offset(image.symbols.size(), module::none),
      host_function(image.functions.size(), nullptr),
      shared_bytes(entry.static_shared_bytes + l.shape.dynamic_shared),
      watch(l, sink, for_another_executor) {
  if (const observe::Schedule* asked = observe::schedule_of(l.observer); asked != nullptr && !borrowed) {
    schedule = *asked;
    if (asked->kind == observe::Schedule::Kind::interleaved) draw.emplace(asked->seed);
  }
  if (launch.device != nullptr) reserved_bytes = launch.device->arch.shared.reserved_per_block;
  if (launch.device != nullptr && !borrowed) places = places_of(l);
  if (launch.shape.cooperative && launch.memory != nullptr) workspace.emplace(*launch.memory);
  for (const module::Function::SharedPlace& place : entry.shared_layout)
    shared_offset[place.symbol] = place.offset;
  for (std::size_t i = 0; i < image.functions.size(); ++i)
    if (!image.functions[i].defined) host_function[i] = find_host_function(image.functions[i].name);
}

std::optional<FaultKind> Run::interruption() const {
  if (stop != nullptr && stop->load(std::memory_order_relaxed)) return FaultKind::cancelled;
  if (launch.cancel != nullptr && launch.cancel->load(std::memory_order_relaxed)) return FaultKind::cancelled;
  if (launch.deadline && std::chrono::steady_clock::now() >= *launch.deadline) return FaultKind::timeout;
  return std::nullopt;
}

}  // namespace heddle::exec::interp
