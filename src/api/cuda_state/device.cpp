#include "api/cuda_state/device.h"

#include "api/cuda_state/context.h"
#include "api/cuda_state/memory_pool.h"

namespace heddle::cuda {

Device::Device(Process& process, runtime::Device& device)
    : process_(process), device_(device), default_pool_(MemoryPool::create(*this)), pool_(default_pool_) {}
Device::~Device() = default;

Answer<ContextRef> Device::primary_locked() {
  if (primary_ != nullptr) return primary_;
  auto made = Context::create(*this, flags_, true);
  if (made) primary_ = *made;
  return made;
}

Answer<ContextRef> Device::primary() {
  const std::lock_guard lock(mutex_);
  runtime_holds_ = true;
  return primary_locked();
}

ContextRef Device::primary_if_active() const {
  const std::lock_guard lock(mutex_);
  return primary_;
}

Answer<ContextRef> Device::retain_primary() {
  const std::lock_guard lock(mutex_);
  auto made = primary_locked();
  if (made) ++retained_;
  return made;
}

Status Device::release_primary() {
  ContextRef ended;
  {
    const std::lock_guard lock(mutex_);
    if (retained_ == 0) return failure(Code::invalid_context, "the primary context is not retained");
    if (--retained_ == 0 && !runtime_holds_) ended.swap(primary_);
  }
  if (ended != nullptr) ended->destroy();
  return Unit{};
}

Status Device::reset_primary() {
  ContextRef ended;
  {
    const std::lock_guard lock(mutex_);
    retained_ = 0;
    runtime_holds_ = false;
    ended.swap(primary_);
  }
  if (ended != nullptr) ended->destroy();
  return Unit{};
}

unsigned Device::primary_flags() const {
  const std::lock_guard lock(mutex_);
  return primary_ == nullptr ? flags_ : primary_->flags.load();
}

void Device::set_primary_flags(unsigned flags) {
  const std::lock_guard lock(mutex_);
  flags_ = flags;
  if (primary_ != nullptr) primary_->flags = flags;
}

std::shared_ptr<MemoryPool> Device::pool() const {
  const std::lock_guard lock(mutex_);
  return pool_;
}

Status Device::set_pool(std::shared_ptr<MemoryPool> pool) {
  if (&pool->device() != this) return invalid_value("the pool is of another device");
  if (pool->is_imported())
    return invalid_value("the pool is of another process, which alone allocates from it");
  const std::lock_guard lock(mutex_);
  pool_ = std::move(pool);
  return Unit{};
}

}  // namespace heddle::cuda
