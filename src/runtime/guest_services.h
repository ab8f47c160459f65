// What the kernels of one context ask of their host: output, a heap, textures, samplers and surfaces.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "exec/launch.h"
#include "runtime/heap.h"
#include "runtime/object_table.h"
#include "runtime/printf_ring.h"

namespace heddle::runtime {

class Watchers;

// Objects with what keeps their memory.
struct BoundTexture : exec::TextureObject {
  AllocationRef memory;
};
struct BoundSurface : exec::SurfaceObject {
  AllocationRef memory;
};

// An image of OpenCL: kernels read and write it by one handle.
struct BoundImage {
  exec::TextureObject texture;
  exec::SurfaceObject surface;
  AllocationRef memory;
};

class GuestServices final : public exec::Services {
 public:
  GuestServices(Sink print, Sink print_error, uint64_t printf_bytes, bool immediate, uint64_t heap_bytes,
                DeviceHeap::Reserve reserve)
      : output(std::move(print), printf_bytes, immediate),
        heap(heap_bytes, reserve),
        launch_buffers(launch_buffer_bytes, std::move(reserve)),
        error_output_(std::move(print_error), 0, true) {}

  void print(std::string_view text) override { output.print(text); }
  void print_error(std::string_view text) override { error_output_.print(text); }
  uint64_t allocate(uint64_t bytes) override;
  bool release(uint64_t address) override;
  const exec::TextureObject* texture(uint64_t handle) override {
    if (const BoundTexture* found = textures.find(handle)) return found;
    const BoundImage* image = images.find(handle);
    return image == nullptr ? nullptr : &image->texture;
  }
  const exec::Sampler* sampler(uint64_t handle) override { return samplers.find(handle); }
  const exec::SurfaceObject* surface(uint64_t handle) override {
    if (const BoundSurface* found = surfaces.find(handle)) return found;
    const BoundImage* image = images.find(handle);
    return image == nullptr ? nullptr : &image->surface;
  }

  PrintfRing output;
  // A text in memory that kernels can read, each once; 0: no room.
  uint64_t device_text(const std::string& text);

  DeviceHeap heap;
  const Watchers* watchers = nullptr;  // who is told of it (heap_watcher.h)
  DeviceHeap launch_buffers;           // of launches in device code; texts
  ObjectTable<BoundTexture, 1> textures;
  ObjectTable<exec::Sampler, 2> samplers;
  ObjectTable<BoundSurface, 3> surfaces;
  ObjectTable<BoundImage, 4> images;

 private:
  static constexpr uint64_t launch_buffer_bytes = uint64_t{64} << 20;
  PrintfRing error_output_;
  std::mutex texts_mutex_;
  std::map<std::string, uint64_t> texts_;
};

}  // namespace heddle::runtime
