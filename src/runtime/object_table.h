// Numbered objects that kernels look up by handle while the host adds and removes others. Looking up takes no
// lock; what was removed stays in memory until collect(), when no kernel runs.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

namespace heddle::runtime {

// `Tag` tells the handles of different tables apart: a surface's is no texture's. A handle fits in 32 bits
// and is never 0.
template <class T, uint32_t Tag>
class ObjectTable {
 public:
  ~ObjectTable() {
    for (auto& slot : chunks_) {
      Chunk* chunk = slot.load(std::memory_order_relaxed);
      if (chunk == nullptr) continue;
      for (auto& object : chunk->objects) delete object.load(std::memory_order_relaxed);
      delete chunk;
    }
  }
  // Nothing when there are too many.
  std::optional<uint64_t> add(T object) {
    const std::lock_guard lock(mutex_);
    uint32_t index;
    if (!unused_.empty()) {
      index = unused_.back();
      unused_.pop_back();
    } else if (count_ < chunk_count * chunk_size) {
      index = count_++;
    } else {
      return std::nullopt;
    }
    auto& slot = chunks_[index / chunk_size];
    Chunk* chunk = slot.load(std::memory_order_relaxed);
    if (chunk == nullptr) {
      chunk = new Chunk;
      slot.store(chunk, std::memory_order_release);
    }
    chunk->objects[index % chunk_size].store(new T(std::move(object)), std::memory_order_release);
    return uint64_t{Tag} << tag_shift | index;
  }
  const T* find(uint64_t handle) const {
    const auto* slot = this->slot(handle);
    return slot == nullptr ? nullptr : slot->load(std::memory_order_acquire);
  }
  // The host has given it up: true once. Kernels find it until it is removed.
  bool release(uint64_t handle) {
    const std::lock_guard lock(mutex_);
    return find(handle) != nullptr && released_.insert(handle).second;
  }
  bool remove(uint64_t handle) {
    const std::lock_guard lock(mutex_);
    auto* slot = const_cast<std::atomic<const T*>*>(this->slot(handle));
    if (slot == nullptr) return false;
    const T* object = slot->exchange(nullptr, std::memory_order_acq_rel);
    if (object == nullptr) return false;
    released_.erase(handle);
    retired_.emplace_back(object);
    unused_.push_back(static_cast<uint32_t>(handle & index_mask));
    return true;
  }
  // What was removed goes for good, if nobody holds what find() returned. Who comes just after the answer
  // comes too late to find what had been removed before the question.
  template <class Unused>
  void collect(Unused&& unused) {
    std::vector<std::unique_ptr<const T>> gone;
    {
      const std::lock_guard lock(mutex_);
      gone.swap(retired_);
    }
    if (unused()) return;
    const std::lock_guard lock(mutex_);
    std::ranges::move(gone, std::back_inserter(retired_));
  }

 private:
  static constexpr uint32_t chunk_size = 1024, chunk_count = 1024, tag_shift = 28;
  static constexpr uint64_t index_mask = (uint64_t{1} << tag_shift) - 1;
  struct Chunk {
    std::array<std::atomic<const T*>, chunk_size> objects{};
  };
  const std::atomic<const T*>* slot(uint64_t handle) const {
    const uint64_t index = handle & index_mask;
    if (handle >> tag_shift != Tag || index >= uint64_t{chunk_size} * chunk_count) return nullptr;
    const Chunk* chunk = chunks_[index / chunk_size].load(std::memory_order_acquire);
    return chunk == nullptr ? nullptr : &chunk->objects[index % chunk_size];
  }
  std::mutex mutex_;
  std::array<std::atomic<Chunk*>, chunk_count> chunks_{};
  uint32_t count_ = 0;
  std::vector<uint32_t> unused_;
  std::unordered_set<uint64_t> released_;
  std::vector<std::unique_ptr<const T>> retired_;
};

}  // namespace heddle::runtime
