#include "api/opencl/memory.h"

#include <bit>
#include <cstring>

#include "api/opencl/functions.gen.h"
#include "api/opencl/image.h"
#include "api/opencl/queue.h"

namespace heddle::opencl {

namespace {

constexpr cl_mem_flags access_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
constexpr cl_mem_flags host_access_flags =
    CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
constexpr cl_mem_flags pointer_flags = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
constexpr cl_mem_flags all_flags =
    access_flags | host_access_flags | pointer_flags | CL_MEM_KERNEL_READ_AND_WRITE;

// Vectors of 16 doubles are the largest that a kernel reads at once.
constexpr uint64_t host_alignment = 128;

std::string bits(cl_mem_flags flags) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(flags));
  return text;
}

// The program's own memory as the devices', if it can be: it may be registered already, or not be aligned.
BackingRef over_host(Context& context, void* host_pointer, size_t size) {
  const auto address = reinterpret_cast<uint64_t>(host_pointer);
  if (address % host_alignment != 0) return nullptr;
  auto registered = context.home().register_host(address, size, true, false);
  if (!registered) return nullptr;
  return std::make_shared<Backing>(context.home(), std::move(*registered));
}

}  // namespace

void Backing::written_by_host(uint64_t address, uint64_t bytes) const {
  const runtime::TouchedPlace from;
  const runtime::CopyFacts facts{.context = *owner_,
                                 .to = {.address = address, .memory = allocation_},
                                 .from = &from,
                                 .row_bytes = bytes,
                                 .time = {}};
  owner_->system().watchers().tell([&](runtime::Watcher& watcher) { watcher.copied(facts); });
}

Answer<BackingRef> allocate(Context& context, uint64_t bytes, runtime::MemoryKind kind,
                            runtime::KernelUse use) {
  runtime::MemoryRequest request;
  request.kind = kind;
  request.kernel_use = use;
  request.bytes = bytes;
  request.every_context = context.states().size() > 1;
  request.alignment = 256;
  auto allocation = context.home().allocate(request);
  if (!allocation) return context.failed(allocation.error());
  return BackingRef(std::make_shared<Backing>(context.home(), std::move(*allocation)));
}

Memory::Memory(ContextRef context, Parts parts) : context_(std::move(context)), parts_(std::move(parts)) {}

Memory::~Memory() {
  for (auto callback = callbacks_.rbegin(); callback != callbacks_.rend(); ++callback) (*callback)();
  // Commands that use it may still be to come.
  if (parts_.backing != nullptr) context_->keep_until_idle(parts_.backing);
  if (image_ != nullptr) context_->keep_until_idle(std::shared_ptr<const Image>(std::move(image_)));
}

void Memory::set_image(std::unique_ptr<Image> image) { image_ = std::move(image); }

cl_uint Memory::map_count() const {
  const std::lock_guard lock(mutex_);
  return static_cast<cl_uint>(mappings_.size());
}
void Memory::add_mapping(const Mapping& mapping) {
  const std::lock_guard lock(mutex_);
  mappings_.push_back(mapping);
}
std::optional<Mapping> Memory::take_mapping(const void* pointer) {
  const std::lock_guard lock(mutex_);
  for (auto it = mappings_.rbegin(); it != mappings_.rend(); ++it) {
    if (it->pointer != pointer) continue;
    const Mapping found = *it;
    mappings_.erase(std::next(it).base());
    return found;
  }
  return std::nullopt;
}
void Memory::on_destruction(std::function<void()> callback) {
  const std::lock_guard lock(mutex_);
  callbacks_.push_back(std::move(callback));
}

Status check_memory_flags(cl_mem_flags flags) {
  if ((flags & ~all_flags) != 0) return invalid_value("there are no flags " + bits(flags & ~all_flags));
  if (std::popcount(flags & access_flags) > 1)
    return invalid_value("of CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY and CL_MEM_READ_ONLY one at most is set");
  if (std::popcount(flags & host_access_flags) > 1)
    return invalid_value("of the flags CL_MEM_HOST_* one at most is set");
  if ((flags & CL_MEM_USE_HOST_PTR) != 0 && (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0)
    return invalid_value("CL_MEM_USE_HOST_PTR excludes CL_MEM_ALLOC_HOST_PTR and CL_MEM_COPY_HOST_PTR");
  return Unit{};
}

Status check_inherited_flags(cl_mem_flags flags, cl_mem_flags parent) {
  if ((flags & pointer_flags) != 0) return invalid_value("a part of a buffer has no host pointer of its own");
  const bool write_only = (parent & CL_MEM_WRITE_ONLY) != 0, read_only = (parent & CL_MEM_READ_ONLY) != 0;
  if ((write_only && (flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY)) != 0) ||
      (read_only && (flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)) != 0))
    return invalid_value("kernels may do more with it than with the buffer that it is a part of");
  if (((parent & CL_MEM_HOST_WRITE_ONLY) != 0 && (flags & CL_MEM_HOST_READ_ONLY) != 0) ||
      ((parent & CL_MEM_HOST_READ_ONLY) != 0 && (flags & CL_MEM_HOST_WRITE_ONLY) != 0) ||
      ((parent & CL_MEM_HOST_NO_ACCESS) != 0 &&
       (flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)) != 0))
    return invalid_value("the host may do more with it than with the buffer that it is a part of");
  return Unit{};
}

cl_mem_flags inherited_flags(cl_mem_flags flags, cl_mem_flags parent) {
  if ((flags & access_flags) == 0) flags |= parent & access_flags;
  if ((flags & host_access_flags) == 0) flags |= parent & host_access_flags;
  return flags | (parent & pointer_flags);
}

Status check_host_pointer(cl_mem_flags flags, const void* host_pointer) {
  const bool wanted = (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0;
  if (wanted != (host_pointer != nullptr))
    return failure(CL_INVALID_HOST_PTR,
                   wanted ? "host_ptr is NULL" : "host_ptr is given without a flag for it");
  return Unit{};
}

Answer<std::vector<cl_mem_properties>> read_memory_properties(const cl_mem_properties* properties) {
  if (properties == nullptr) return std::vector<cl_mem_properties>();
  if (*properties != 0)
    return failure(CL_INVALID_PROPERTY, "there is no property " + std::to_string(*properties));
  return std::vector<cl_mem_properties>{0};
}

Status check_same_context(const Context& context, const Memory& memory) {
  if (memory.context().get() != &context)
    return failure(CL_INVALID_CONTEXT, "a memory object belongs to another context than the command queue");
  return Unit{};
}

Answer<cl_mem> clCreateBufferWithProperties(const ContextRef& context, const cl_mem_properties* properties,
                                            cl_mem_flags flags, size_t size, void* host_ptr) {
  auto given = read_memory_properties(properties);
  if (!given) return given.error();
  if (Status good = check_memory_flags(flags); !good) return good.error();
  if ((flags & access_flags) == 0) flags |= CL_MEM_READ_WRITE;
  if (size == 0) return failure(CL_INVALID_BUFFER_SIZE, "a buffer of 0 bytes");
  uint64_t most = 0;
  // More than CL_DEVICE_MAX_MEM_ALLOC_SIZE is tried too, as by NVIDIA's drivers.
  for (const DeviceRef& device : context->devices()) most = std::max(most, device->facts().dram.total_bytes);
  if (size > most)
    return failure(CL_INVALID_BUFFER_SIZE, "a buffer of " + std::to_string(size) +
                                               " bytes, the devices have " + std::to_string(most));
  if (Status good = check_host_pointer(flags, host_ptr); !good) return good.error();
  Memory::Parts parts;
  parts.flags = flags;
  parts.size = size;
  parts.host_pointer = host_ptr;
  parts.properties = std::move(*given);
  if ((flags & CL_MEM_USE_HOST_PTR) != 0) {
    if (const Context::SvmBlock block = context->find_svm(host_ptr, size); block.bytes != 0) {
      parts.uses_svm = true;
      parts.backing = std::static_pointer_cast<const Backing>(block.memory);
      parts.address = reinterpret_cast<uint64_t>(host_ptr);
      return published<cl_mem>(std::make_shared<Memory>(context, std::move(parts)));
    }
    if (const size_t shared = context->svm_bytes_at(host_ptr); shared != 0)
      return failure(CL_INVALID_BUFFER_SIZE, "a buffer of " + std::to_string(size) + " bytes over " +
                                                 std::to_string(shared) + " of shared virtual memory");
    parts.backing = over_host(*context, host_ptr, size);
    parts.shadows_host = parts.backing == nullptr;
  }
  if (parts.backing == nullptr) {
    const auto use = (flags & CL_MEM_READ_ONLY) != 0    ? runtime::KernelUse::reads
                     : (flags & CL_MEM_WRITE_ONLY) != 0 ? runtime::KernelUse::writes
                                                        : runtime::KernelUse::any;
    auto backing = allocate(*context, size, runtime::MemoryKind::device, use);
    if (!backing) return backing.error();
    parts.backing = std::move(*backing);
    if (host_ptr != nullptr) {
      std::memcpy(reinterpret_cast<void*>(parts.backing->address()), host_ptr, size);
      parts.backing->written_by_host(parts.backing->address(), size);
    }
  }
  parts.address = parts.backing->address();
  return published<cl_mem>(std::make_shared<Memory>(context, std::move(parts)));
}

Answer<cl_mem> clCreateBuffer(const ContextRef& context, cl_mem_flags flags, size_t size, void* host_ptr) {
  return opencl::clCreateBufferWithProperties(context, nullptr, flags, size, host_ptr);
}

Answer<cl_mem> clCreateSubBuffer(const MemoryRef& buffer, cl_mem_flags flags,
                                 cl_buffer_create_type buffer_create_type, const void* buffer_create_info) {
  if (!buffer->is_buffer() || buffer->parent() != nullptr)
    return failure(CL_INVALID_MEM_OBJECT, "only a buffer that is no part of another has parts");
  if (Status good = check_memory_flags(flags); !good) return good.error();
  if (Status good = check_inherited_flags(flags, buffer->flags()); !good) return good.error();
  if (buffer_create_type != CL_BUFFER_CREATE_TYPE_REGION)
    return invalid_value("buffer_create_type is not CL_BUFFER_CREATE_TYPE_REGION");
  if (buffer_create_info == nullptr) return invalid_value("buffer_create_info is NULL");
  const auto& region = *static_cast<const cl_buffer_region*>(buffer_create_info);
  if (region.size == 0) return failure(CL_INVALID_BUFFER_SIZE, "a part of 0 bytes");
  if (region.origin > buffer->size() || region.size > buffer->size() - region.origin)
    return invalid_value("the part, " + std::to_string(region.size) + " bytes from " +
                         std::to_string(region.origin) + ", runs past the end of the buffer, " +
                         std::to_string(buffer->size()) + " bytes");
  bool aligned = false;
  for (const DeviceRef& device : buffer->context()->devices())
    aligned = aligned || region.origin % device->base_alignment() == 0;
  if (!aligned)
    return failure(CL_MISALIGNED_SUB_BUFFER_OFFSET, "the part begins at " + std::to_string(region.origin) +
                                                        ", no multiple of CL_DEVICE_MEM_BASE_ADDR_ALIGN");
  Memory::Parts parts;
  parts.flags = inherited_flags(flags, buffer->flags());
  parts.size = region.size;
  parts.host_pointer = buffer->host_pointer() == nullptr
                           ? nullptr
                           : static_cast<std::byte*>(buffer->host_pointer()) + region.origin;
  parts.backing = buffer->backing();
  parts.address = buffer->address() + region.origin;
  parts.parent = buffer;
  parts.offset = region.origin;
  parts.uses_svm = buffer->uses_svm();
  parts.shadows_host = buffer->shadows_host();
  return published<cl_mem>(std::make_shared<Memory>(buffer->context(), std::move(parts)));
}

Status clSetMemObjectDestructorCallback(const MemoryRef& memobj, void(CL_CALLBACK* pfn_notify)(cl_mem, void*),
                                        void* user_data) {
  if (pfn_notify == nullptr) return invalid_value("pfn_notify is NULL");
  memobj->on_destruction(
      [pfn_notify, user_data, handle = handle_as<cl_mem>(*memobj)] { pfn_notify(handle, user_data); });
  return Unit{};
}

// There is one memory; where it lies does not change.
Status clEnqueueMigrateMemObjects(const QueueRef& command_queue, cl_uint num_mem_objects,
                                  const cl_mem* mem_objects, cl_mem_migration_flags flags,
                                  const WaitList& waits, cl_event* event) {
  if (num_mem_objects == 0 || mem_objects == nullptr) return invalid_value("there are no memory objects");
  if ((flags &
       ~cl_mem_migration_flags{CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED}) != 0)
    return invalid_value("there are no such flags");
  for (cl_uint i = 0; i < num_mem_objects; ++i) {
    const MemoryRef memory = find(mem_objects[i]);
    if (memory == nullptr) return no_such("a memory object", mem_objects[i]);
    if (Status good = check_same_context(*command_queue->context(), *memory); !good) return good;
  }
  return command_queue->enqueue(CL_COMMAND_MIGRATE_MEM_OBJECTS, nullptr, waits, event);
}

// CL_DEVICE_PIPE_SUPPORT is CL_FALSE on every device.
Answer<cl_mem> clCreatePipe(const ContextRef&, cl_mem_flags, cl_uint, cl_uint, const cl_pipe_properties*) {
  return failure(CL_INVALID_OPERATION, "no device of the context has pipes");
}
Status clGetPipeInfo(const MemoryRef&, cl_pipe_info, const InfoOut&) {
  return failure(CL_INVALID_MEM_OBJECT, "the memory object is no pipe");
}

}  // namespace heddle::opencl
