// Objects behind the opaque handles that programs hold: streams, events, arrays, graphs, ... A handle that
// was destroyed, or never was one, is found to be so; it is never followed as a pointer.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace heddle::cuda {

enum class HandleKind : uint8_t {
  context = 1,
  stream,
  event,
  module_,
  function,
  library,
  kernel,
  array,
  mipmapped_array,
  pool,
  graph,
  graph_node,
  graph_exec,
  user_object,
  link,
  physical_memory,
  reference,
};

template <class T, HandleKind kind>
class HandleTable {
 public:
  using Ref = std::shared_ptr<T>;

  HandleTable() = default;
  ~HandleTable() {
    for (std::atomic<Chunk*>& chunk : chunks_) delete chunk.load(std::memory_order_relaxed);
  }
  HandleTable(const HandleTable&) = delete;
  HandleTable& operator=(const HandleTable&) = delete;

  // 0 when there are too many.
  uint64_t add(Ref object) {
    const std::lock_guard lock(mutex_);
    uint32_t index = count_;
    if (!unused_.empty()) {
      index = unused_.back();
      unused_.pop_back();
    } else if (count_ == chunk_count * chunk_slots) {
      return 0;
    } else {
      ++count_;
    }
    std::atomic<Chunk*>& chunk = chunks_[index / chunk_slots];
    if (chunk.load(std::memory_order_relaxed) == nullptr) chunk.store(new Chunk, std::memory_order_release);
    Slot& slot = (*chunk.load(std::memory_order_relaxed))[index % chunk_slots];
    const Guard guard(slot);
    slot.object = std::move(object);
    return uint64_t{static_cast<uint8_t>(kind)} << kind_shift |
           uint64_t{slot.generation} << generation_shift | uint64_t{index} << index_shift;
  }

  Ref find(uint64_t handle) const {
    Slot* slot = slot_of(handle);
    if (slot == nullptr) return nullptr;
    const Guard guard(*slot);
    return slot->generation == generation_of(handle) ? slot->object : nullptr;
  }
  Ref find(const void* handle) const { return find(reinterpret_cast<uint64_t>(handle)); }

  // What the handle meant; from now on it means nothing.
  Ref remove(uint64_t handle) {
    const std::lock_guard lock(mutex_);
    Slot* slot = slot_of(handle);
    if (slot == nullptr) return nullptr;
    Ref gone;
    {
      const Guard guard(*slot);
      if (slot->generation != generation_of(handle) || slot->object == nullptr) return nullptr;
      gone = std::exchange(slot->object, nullptr);
      ++slot->generation;
    }
    unused_.push_back(static_cast<uint32_t>(handle >> index_shift) & index_mask);
    return gone;
  }
  Ref remove(const void* handle) { return remove(reinterpret_cast<uint64_t>(handle)); }

  // As remove() of everything.
  void clear() {
    std::vector<Ref> gone;  // ends when no lock is held
    const std::lock_guard lock(mutex_);
    for (uint32_t i = 0; i < count_; ++i) {
      Slot& slot = (*chunks_[i / chunk_slots].load(std::memory_order_relaxed))[i % chunk_slots];
      const Guard guard(slot);
      if (slot.object == nullptr) continue;
      gone.push_back(std::exchange(slot.object, nullptr));
      ++slot.generation;
      unused_.push_back(i);
    }
  }

  // Everything that is there now.
  std::vector<Ref> all() const {
    std::vector<Ref> objects;
    const std::lock_guard lock(mutex_);
    for (uint32_t i = 0; i < count_; ++i) {
      Slot& slot = (*chunks_[i / chunk_slots].load(std::memory_order_relaxed))[i % chunk_slots];
      const Guard guard(slot);
      if (slot.object != nullptr) objects.push_back(slot.object);
    }
    return objects;
  }

 private:
  // A handle looks like an address: 47 bits, a multiple of 16.
  static constexpr unsigned index_shift = 4, generation_shift = 26, kind_shift = 42;
  static constexpr uint32_t index_mask = (1U << (generation_shift - index_shift)) - 1;
  static constexpr uint32_t chunk_slots = 1024, chunk_count = (index_mask + 1) / chunk_slots;
  struct Slot {
    std::atomic_flag busy;
    uint16_t generation = 0;
    Ref object;
  };
  using Chunk = std::array<Slot, chunk_slots>;
  // Held for the copy of a reference only.
  class Guard {
   public:
    explicit Guard(Slot& slot) : slot_(slot) {
      while (slot_.busy.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
    }
    ~Guard() { slot_.busy.clear(std::memory_order_release); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    Slot& slot_;
  };

  static uint16_t generation_of(uint64_t handle) { return static_cast<uint16_t>(handle >> generation_shift); }
  Slot* slot_of(uint64_t handle) const {
    const uint32_t index = static_cast<uint32_t>(handle >> index_shift) & index_mask;
    if (handle >> kind_shift != static_cast<uint8_t>(kind) || (handle & ((1U << index_shift) - 1)) != 0)
      return nullptr;
    Chunk* chunk = chunks_[index / chunk_slots].load(std::memory_order_acquire);
    return chunk == nullptr ? nullptr : &(*chunk)[index % chunk_slots];
  }

  mutable std::mutex mutex_;
  mutable std::array<std::atomic<Chunk*>, chunk_count> chunks_{};
  uint32_t count_ = 0;
  std::vector<uint32_t> unused_;
};

}  // namespace heddle::cuda
