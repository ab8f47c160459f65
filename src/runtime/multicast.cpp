#include "runtime/multicast.h"

#include <sys/mman.h>

#include <array>
#include <mutex>
#include <utility>

namespace heddle::runtime {

namespace {

constexpr unsigned most_devices = 64;

std::string text(uint64_t offset, uint64_t bytes) {
  return std::to_string(bytes) + " bytes at byte " + std::to_string(offset) + " of a multicast object";
}

// Objects by the identity of what stands for them.
struct Objects {
  std::mutex mutex;
  std::map<uint64_t, std::shared_ptr<Multicast>> all;
};
Objects& objects() {
  static auto* const known = new Objects;  // for the process's whole life
  return *known;
}

}  // namespace

Outcome<std::shared_ptr<PhysicalMemory>> Multicast::create(uint64_t bytes, unsigned devices,
                                                           const PhysicalMemory::Label& label) {
  auto made = PhysicalMemory::create(bytes, label, nullptr);
  if (!made) return made.error();
  const uint64_t identity = (*made)->identity();
  const std::lock_guard lock(objects().mutex);
  objects().all[identity] = std::make_shared<Multicast>(bytes, devices);
  return std::shared_ptr<PhysicalMemory>(made->release(), [](PhysicalMemory* memory) {
    std::shared_ptr<Multicast> gone;  // ends when no lock is held
    {
      const std::lock_guard lock_of_all(objects().mutex);
      const auto found = objects().all.find(memory->identity());
      gone = std::move(found->second);
      objects().all.erase(found);
    }
    delete memory;
  });
}

std::shared_ptr<Multicast> Multicast::of(const PhysicalMemory& memory) {
  const std::lock_guard lock(objects().mutex);
  const auto found = objects().all.find(memory.identity());
  return found == objects().all.end() ? nullptr : found->second;
}

Outcome<BoundMemory> open_for_binding(const std::shared_ptr<PhysicalMemory>& memory, uint64_t offset,
                                      uint64_t bytes) {
  void* const place = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED)
    return error(ErrorCode::out_of_memory, "no addresses for " + std::to_string(bytes) + " bytes to bind");
  const auto begin = reinterpret_cast<uint64_t>(place);
  std::shared_ptr<const void> keeps(
      place, [bytes, memory](const void* at) { munmap(const_cast<void*>(at), bytes); });
  if (Done mapped = memory->map(begin, bytes, offset, true); !mapped) return mapped.error();
  return BoundMemory{begin, std::move(keeps)};
}

Done Multicast::add_device(uint32_t device) {
  const std::unique_lock lock(mutex_);
  if (team_.contains(device))
    return invalid("device " + std::to_string(device) + " is in the team of the multicast object already");
  if (team_.size() == devices_)
    return invalid("the team of the multicast object has its " + std::to_string(devices_) + " devices");
  team_[device];
  grown_.notify_all();
  return Unit{};
}

void Multicast::wait_for_team() const {
  std::shared_lock lock(mutex_);
  grown_.wait(lock, [&] { return team_.size() == devices_; });
}

Outcome<Multicast::Pieces*> Multicast::pieces_of(uint32_t device, uint64_t offset, uint64_t bytes) {
  const auto found = team_.find(device);
  if (found == team_.end())
    return invalid("device " + std::to_string(device) + " is not in the team of the multicast object");
  if (bytes == 0 || offset > bytes_ || bytes > bytes_ - offset)
    return invalid(text(offset, bytes) + ", which has " + std::to_string(bytes_));
  return &found->second;
}

Done Multicast::bind(uint32_t device, uint64_t offset, uint64_t bytes, BoundMemory memory) {
  const std::unique_lock lock(mutex_);
  auto pieces = pieces_of(device, offset, bytes);
  if (!pieces) return pieces.error();
  const auto next = (*pieces)->lower_bound(offset);
  if ((next != (*pieces)->end() && next->first < offset + bytes) ||
      (next != (*pieces)->begin() && std::prev(next)->first + std::prev(next)->second.bytes > offset))
    return invalid("device " + std::to_string(device) + " has memory bound to some of " +
                   text(offset, bytes));
  (*pieces)->emplace(offset, Piece{bytes, std::move(memory)});
  return Unit{};
}

Done Multicast::unbind(uint32_t device, uint64_t offset, uint64_t bytes) {
  const std::unique_lock lock(mutex_);
  auto pieces = pieces_of(device, offset, bytes);
  if (!pieces) return pieces.error();
  const auto found = (*pieces)->find(offset);
  if (found == (*pieces)->end() || found->second.bytes != bytes)
    return invalid("device " + std::to_string(device) + " has no memory bound to just " +
                   text(offset, bytes));
  (*pieces)->erase(found);
  return Unit{};
}

std::string Multicast::reach(uint64_t offset, uint32_t bytes, const exec::MultimemServices::Use& use) const {
  const std::shared_lock lock(mutex_);
  std::array<std::byte*, most_devices> places;
  std::size_t count = 0;
  for (const auto& [device, pieces] : team_) {
    auto piece = pieces.upper_bound(offset);
    if (piece == pieces.begin() || std::prev(piece)->first + std::prev(piece)->second.bytes < offset + bytes)
      return "device " + std::to_string(device) + " has no memory bound to " + text(offset, bytes);
    --piece;
    places[count++] = reinterpret_cast<std::byte*>(piece->second.memory.address + (offset - piece->first));
    if (count == places.size()) break;
  }
  use(std::span(places.data(), count));
  return {};
}

}  // namespace heddle::runtime
