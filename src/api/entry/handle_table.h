// The objects of an API by the handles that a program has of them. A call keeps the object that it works on,
// so that nobody takes it away in the middle.
#pragma once

#include <map>
#include <memory>
#include <mutex>

namespace heddle::entry {

template <class Object, class Handle>
class HandleTable {
 public:
  Handle add(std::shared_ptr<Object> object) {
    const auto handle = reinterpret_cast<Handle>(object.get());
    const std::lock_guard lock(mutex_);
    all_.emplace(object.get(), std::move(object));
    return handle;
  }
  // nullptr: there is none.
  std::shared_ptr<Object> find(Handle handle) const {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(handle);
    return found == all_.end() ? nullptr : found->second;
  }
  bool erase(Handle handle) {
    const std::lock_guard lock(mutex_);
    return all_.erase(handle) != 0;
  }

  // The process's. Never destroyed: a program may call until its very end.
  static HandleTable& get() {
    static auto& table = *new HandleTable;
    return table;
  }

 private:
  mutable std::mutex mutex_;
  std::map<const void*, std::shared_ptr<Object>> all_;
};

}  // namespace heddle::entry
