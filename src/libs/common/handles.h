// Objects that programs know by a pointer: a pointer that is none of them is found out.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace heddle::libs {

template <class Object>
class Handles {
 public:
  template <class Handle>
  Handle add(std::shared_ptr<Object> object) {
    Object* const key = object.get();
    const std::lock_guard lock(mutex_);
    objects_[key] = std::move(object);
    return reinterpret_cast<Handle>(key);
  }
  std::shared_ptr<Object> find(const void* handle) const {
    const std::shared_lock lock(mutex_);
    const auto found = objects_.find(static_cast<const Object*>(handle));
    return found == objects_.end() ? nullptr : found->second;
  }
  bool remove(const void* handle) {
    std::shared_ptr<Object> gone;
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(static_cast<const Object*>(handle));
    if (found == objects_.end()) return false;
    gone = std::move(found->second);
    objects_.erase(found);
    return true;
  }
  static Handles& all() {
    static auto* const handles = new Handles;  // for the process's whole life
    return *handles;
  }

 private:
  mutable std::shared_mutex mutex_;
  std::unordered_map<const Object*, std::shared_ptr<Object>> objects_;
};

}  // namespace heddle::libs
