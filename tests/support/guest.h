// What a launch needs besides a kernel, for tests of executors that have no runtime around them.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "exec/launch.h"

namespace heddle {

class NoServices : public exec::Services {
 public:
  void print(std::string_view) override {}
  void print_error(std::string_view) override {}
  uint64_t allocate(uint64_t) override { return 0; }
  bool release(uint64_t) override { return false; }
  const exec::TextureObject* texture(uint64_t) override { return nullptr; }
  const exec::Sampler* sampler(uint64_t) override { return nullptr; }
  const exec::SurfaceObject* surface(uint64_t) override { return nullptr; }
};

class Arena {  // guest memory for the operands and results
 public:
  explicit Arena(std::size_t bytes) : bytes_(bytes) {
    data_ = static_cast<uint64_t*>(
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    guest_.add(reinterpret_cast<uintptr_t>(data_), bytes, true);
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() { munmap(data_, bytes_); }
  uint64_t* data() { return data_; }
  exec::GuestMemory& guest() { return guest_; }

 private:
  std::size_t bytes_;
  uint64_t* data_;
  exec::GuestMemory guest_;
};

}  // namespace heddle
