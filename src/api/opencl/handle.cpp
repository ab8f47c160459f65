#include "api/opencl/handle.h"

#include <sys/mman.h>

#include <atomic>
#include <cstdio>
#include <mutex>
#include <new>
#include <thread>

#include "api/opencl/dispatch.h"

namespace heddle::opencl {

// Never unmapped, never destroyed.
struct Slot {
  const void* dispatch = nullptr;  // what the loader follows
  std::atomic_flag busy;
  HandleKind kind = HandleKind::none;
  uint32_t references = 0;         // the program's
  std::shared_ptr<Object> strong;  // while references > 0
  std::weak_ptr<Object> weak;
  Slot* next = nullptr;  // of the unused ones

  static void end(Object& object);
};

namespace {

constexpr std::size_t slot_bytes = 64, most_slots = std::size_t{1} << 22, least_slots = std::size_t{1} << 16;
static_assert(sizeof(Slot) <= slot_bytes);
// So many others are used first before a slot is used again.
constexpr std::size_t rest = 4096;

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

class Slots {
 public:
  static Slots& all() {
    static Slots* const slots = new Slots;
    return *slots;
  }
  Slot* take() {
    const std::lock_guard lock(mutex_);
    const std::size_t used = used_.load(std::memory_order_relaxed);
    if (unused_count_ > rest || used == slots_) {
      if (first_ == nullptr) return nullptr;
      Slot* slot = std::exchange(first_, first_->next);
      if (first_ == nullptr) last_ = nullptr;
      --unused_count_;
      return slot;
    }
    if (base_ == nullptr) return nullptr;
    Slot* slot = new (base_ + used * slot_bytes) Slot;
    used_.store(used + 1, std::memory_order_release);
    return slot;
  }
  void give(Slot* slot) {
    const std::lock_guard lock(mutex_);
    slot->next = nullptr;
    (last_ == nullptr ? first_ : last_->next) = slot;
    last_ = slot;
    ++unused_count_;
  }
  Slot* at(const void* handle) const {
    const auto offset = reinterpret_cast<uintptr_t>(handle) - reinterpret_cast<uintptr_t>(base_);
    if (offset % slot_bytes != 0 || offset / slot_bytes >= used_.load(std::memory_order_acquire))
      return nullptr;
    return reinterpret_cast<Slot*>(base_ + offset);
  }

 private:
  Slots() {
    // Fewer where the process may not have so many addresses (ulimit -v).
    for (; slots_ >= least_slots; slots_ /= 2)
      if (void* const memory = mmap(nullptr, slots_ * slot_bytes, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
          memory != MAP_FAILED) {
        base_ = static_cast<std::byte*>(memory);
        break;
      }
  }
  std::mutex mutex_;
  std::byte* base_ = nullptr;
  std::size_t slots_ = most_slots;
  std::atomic<std::size_t> used_{0};
  Slot *first_ = nullptr, *last_ = nullptr;
  std::size_t unused_count_ = 0;
};

const char* words(HandleKind kind) {
  switch (kind) {
    case HandleKind::none: break;
    case HandleKind::platform: return "platform";
    case HandleKind::device: return "device";
    case HandleKind::context: return "context";
    case HandleKind::queue: return "command queue";
    case HandleKind::memory: return "memory object";
    case HandleKind::program: return "program";
    case HandleKind::kernel: return "kernel";
    case HandleKind::event: return "event";
    case HandleKind::sampler: return "sampler";
  }
  return "object";
}

}  // namespace

void Slot::end(Object& object) {
  Slot* slot = object.slot_;
  if (slot == nullptr) return;
  std::weak_ptr<Object> gone;
  {
    const Guard guard(*slot);
    slot->kind = HandleKind::none;
    slot->references = 0;
    gone.swap(slot->weak);
  }
  Slots::all().give(slot);
}

Object::~Object() { Slot::end(*this); }

void* publish(const std::shared_ptr<Object>& object, HandleKind kind) {
  Slot* slot = Slots::all().take();
  if (slot == nullptr) return nullptr;
  const Guard guard(*slot);
  slot->dispatch = dispatch_table();
  slot->kind = kind;
  slot->references = 1;
  slot->weak = object;
  slot->strong = object;
  object->slot_ = slot;
  return slot;
}

void* handle_of(const Object& object) { return object.slot_; }

uint32_t reference_count(const Object& object) {
  if (object.slot_ == nullptr) return 0;
  const Guard guard(*object.slot_);
  return object.slot_->references;
}

std::shared_ptr<Object> find_object(const void* handle, HandleKind kind) {
  if (handle == nullptr) return nullptr;
  Slot* slot = Slots::all().at(handle);
  if (slot == nullptr) return nullptr;
  const Guard guard(*slot);
  if (slot->kind != kind) return nullptr;
  return slot->strong != nullptr ? slot->strong : slot->weak.lock();
}

bool retain_object(const void* handle, HandleKind kind) {
  const std::shared_ptr<Object> object = find_object(handle, kind);
  if (object == nullptr) return false;
  Slot& slot = *Slots::all().at(handle);
  const Guard guard(slot);
  if (slot.kind != kind) return false;
  ++slot.references;
  slot.strong = object;
  return true;
}

bool release_object(const void* handle, HandleKind kind) {
  Slot* slot = handle == nullptr ? nullptr : Slots::all().at(handle);
  if (slot == nullptr) return false;
  std::shared_ptr<Object> gone;  // its end comes after the guard's
  const Guard guard(*slot);
  if (slot->kind != kind || slot->references == 0) return false;
  if (--slot->references == 0) gone = std::move(slot->strong);
  return true;
}

std::string no_such(const char* parameter, const void* handle, HandleKind kind) {
  if (handle == nullptr) return std::string(parameter) + " is NULL";
  char text[32];
  std::snprintf(text, sizeof text, "%p", handle);
  return std::string(parameter) + " " + text + " is no " + words(kind);
}

}  // namespace heddle::opencl
