// Memory objects: buffers, parts of buffers, images. Device memory can be reached by the host at the same
// address, so mapping is free, and a buffer over the program's own memory (CL_MEM_USE_HOST_PTR) is that
// memory wherever it can be. Where it cannot, what is mapped is copied from and to it.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/opencl/context.h"
#include "runtime/copy.h"

namespace heddle::opencl {

// Gives the memory back when the last one who uses it is gone.
class Backing {
 public:
  Backing(runtime::Context& owner, runtime::AllocationRef allocation)
      : owner_(owner.shared_from_this()), allocation_(std::move(allocation)) {}
  ~Backing() { owner_->bury(allocation_); }
  Backing(const Backing&) = delete;
  Backing& operator=(const Backing&) = delete;
  uint64_t address() const { return allocation_->address; }
  uint64_t bytes() const { return allocation_->bytes; }
  // Tells those who watch that the program's own code wrote there: no command of a queue did.
  void written_by_host(uint64_t address, uint64_t bytes) const;

 private:
  const std::shared_ptr<runtime::Context> owner_;
  const runtime::AllocationRef allocation_;
};
using BackingRef = std::shared_ptr<const Backing>;

// For the context's devices.
Answer<BackingRef> allocate(Context& context, uint64_t bytes, runtime::MemoryKind kind,
                            runtime::KernelUse use = runtime::KernelUse::any);

struct Image;

// What clEnqueueMap* gave out.
struct Mapping {
  void* pointer = nullptr;
  cl_map_flags flags = 0;
  std::array<size_t, 3> origin{}, region{};  // of buffers: bytes, in x
};

class Memory : public Object {
 public:
  struct Parts {
    cl_mem_object_type type = CL_MEM_OBJECT_BUFFER;
    cl_mem_flags flags = 0;
    size_t size = 0;
    void* host_pointer = nullptr;
    std::vector<cl_mem_properties> properties = {};
    BackingRef backing = nullptr;
    uint64_t address = 0;
    MemoryRef parent = nullptr;  // of a part of a buffer, and of an image that is a buffer's
    size_t offset = 0;           // in the parent
    bool uses_svm = false;
    // Is not the memory at host_pointer, though CL_MEM_USE_HOST_PTR asked for that: mapping copies.
    bool shadows_host = false;
  };
  Memory(ContextRef context, Parts parts);
  ~Memory() override;

  const ContextRef& context() const { return context_; }
  cl_mem_object_type type() const { return parts_.type; }
  cl_mem_flags flags() const { return parts_.flags; }
  size_t size() const { return parts_.size; }
  void* host_pointer() const { return (flags() & CL_MEM_USE_HOST_PTR) != 0 ? parts_.host_pointer : nullptr; }
  const std::vector<cl_mem_properties>& properties() const { return parts_.properties; }
  const MemoryRef& parent() const { return parts_.parent; }
  size_t offset() const { return parts_.offset; }
  bool uses_svm() const { return parts_.uses_svm; }
  bool shadows_host() const { return parts_.shadows_host; }
  uint64_t address() const { return parts_.address; }
  std::byte* data() const { return reinterpret_cast<std::byte*>(parts_.address); }
  void written_by_host(uint64_t offset, uint64_t bytes) const {
    if (parts_.backing != nullptr) parts_.backing->written_by_host(parts_.address + offset, bytes);
  }
  const BackingRef& backing() const { return parts_.backing; }
  bool is_buffer() const { return parts_.type == CL_MEM_OBJECT_BUFFER; }
  bool is_image() const { return image_ != nullptr; }
  const Image& image() const { return *image_; }
  void set_image(std::unique_ptr<Image> image);

  cl_uint map_count() const;
  void add_mapping(const Mapping& mapping);
  // The mapping that gave out the pointer, which is gone now.
  std::optional<Mapping> take_mapping(const void* pointer);

  // Called when the object is gone; the latest one first.
  void on_destruction(std::function<void()> callback);

 private:
  const ContextRef context_;
  const Parts parts_;
  std::unique_ptr<Image> image_;
  mutable std::mutex mutex_;
  std::vector<Mapping> mappings_;
  std::vector<std::function<void()>> callbacks_;
};

// Flags of buffers and images: which of them exclude each other.
Status check_memory_flags(cl_mem_flags flags);
// CL_MEM_HOST_* of a part, or image, of a parent that has such flags.
Status check_inherited_flags(cl_mem_flags flags, cl_mem_flags parent);
cl_mem_flags inherited_flags(cl_mem_flags flags, cl_mem_flags parent);
Status check_host_pointer(cl_mem_flags flags, const void* host_pointer);
// No property of memory objects is known.
Answer<std::vector<cl_mem_properties>> read_memory_properties(const cl_mem_properties* properties);

// A command's objects belong to its queue's context.
Status check_same_context(const Context& context, const Memory& memory);

}  // namespace heddle::opencl
