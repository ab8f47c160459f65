#include "api/cuda_state/physical_memory.h"

namespace heddle::cuda {
namespace {

// Of every handle's references: they change rarely.
std::mutex& references() {
  static auto* const mutex = new std::mutex;  // for the process's whole life
  return *mutex;
}

}  // namespace

Answer<uint64_t> PhysicalMemory::retain(Process& process,
                                        const std::shared_ptr<runtime::PhysicalMemory>& memory) {
  const std::lock_guard lock(references());
  for (const auto& known : process.handles().physical_memory.all()) {
    if (known->memory_ != memory) continue;
    ++known->references_;
    return known->handle_;
  }
  const auto made = std::make_shared<PhysicalMemory>(memory);
  made->handle_ = process.handles().physical_memory.add(made);
  if (made->handle_ == 0) return failure(Code::out_of_memory, "too many handles of physical memory");
  return made->handle_;
}

Answer<std::shared_ptr<PhysicalMemory>> PhysicalMemory::find(Process& process, uint64_t handle) {
  auto found = process.handles().physical_memory.find(handle);
  if (found == nullptr) return invalid_value("no handle of physical memory: " + runtime::hex(handle));
  return found;
}

Status PhysicalMemory::release(Process& process, uint64_t handle) {
  std::shared_ptr<PhysicalMemory> gone;  // ends when no lock is held
  const std::lock_guard lock(references());
  auto found = find(process, handle);
  if (!found) return found.error();
  if (--(*found)->references_ == 0) gone = process.handles().physical_memory.remove(handle);
  return Unit{};
}

}  // namespace heddle::cuda
