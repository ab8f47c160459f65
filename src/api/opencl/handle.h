// OpenCL objects and the handles that programs hold. A handle is an address that loaders follow (its first
// word is the table of functions, cl_khr_icd), so it must stay readable for ever: it is a slot of one large
// reserved range, used again for another object as late as possible. Whether a handle is alive, and of the
// right kind, is asked without trusting it.
//
// An object lives as long as programs or other objects refer to it, and its handle as long as the object: a
// kernel can tell its program's handle after the program was released.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "api/opencl/code.h"

namespace heddle::opencl {

enum class HandleKind : uint8_t {
  none,
  platform,
  device,
  context,
  queue,
  memory,
  program,
  kernel,
  event,
  sampler
};

struct Slot;

class Object : public std::enable_shared_from_this<Object> {
 public:
  Object() = default;
  virtual ~Object();  // the handle ends
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

 private:
  friend struct Slot;
  friend void* publish(const std::shared_ptr<Object>& object, HandleKind kind);
  friend void* handle_of(const Object& object);
  friend uint32_t reference_count(const Object& object);
  Slot* slot_ = nullptr;
};

// Gives the object a handle, with one reference that is the program's; nullptr when there are too many.
void* publish(const std::shared_ptr<Object>& object, HandleKind kind);
void* handle_of(const Object& object);
uint32_t reference_count(const Object& object);  // the program's

std::shared_ptr<Object> find_object(const void* handle, HandleKind kind);
bool retain_object(const void* handle, HandleKind kind);
bool release_object(const void* handle, HandleKind kind);  // false: the program has no reference to it

// "kernel 0x... is no kernel": for messages.
std::string no_such(const char* parameter, const void* handle, HandleKind kind);

class Platform;
class Device;
class Context;
class Queue;
class Memory;
class Program;
class Kernel;
class Event;
class Sampler;
using PlatformRef = std::shared_ptr<Platform>;
using DeviceRef = std::shared_ptr<Device>;
using ContextRef = std::shared_ptr<Context>;
using QueueRef = std::shared_ptr<Queue>;
using MemoryRef = std::shared_ptr<Memory>;
using ProgramRef = std::shared_ptr<Program>;
using KernelRef = std::shared_ptr<Kernel>;
using EventRef = std::shared_ptr<Event>;
using SamplerRef = std::shared_ptr<Sampler>;

// What belongs to a type of C's: our class, and the error for a handle that is none of these.
template <class Handle>
struct HandleType;
#define HEDDLE_HANDLE(c_type, object_type, kind_name, error_code) \
  template <>                                                     \
  struct HandleType<c_type> {                                     \
    using Class = object_type;                                    \
    static constexpr HandleKind kind = HandleKind::kind_name;     \
    static constexpr cl_int error = error_code;                   \
  }
HEDDLE_HANDLE(cl_platform_id, Platform, platform, CL_INVALID_PLATFORM);
HEDDLE_HANDLE(cl_device_id, Device, device, CL_INVALID_DEVICE);
HEDDLE_HANDLE(cl_context, Context, context, CL_INVALID_CONTEXT);
HEDDLE_HANDLE(cl_command_queue, Queue, queue, CL_INVALID_COMMAND_QUEUE);
HEDDLE_HANDLE(cl_mem, Memory, memory, CL_INVALID_MEM_OBJECT);
HEDDLE_HANDLE(cl_program, Program, program, CL_INVALID_PROGRAM);
HEDDLE_HANDLE(cl_kernel, Kernel, kernel, CL_INVALID_KERNEL);
HEDDLE_HANDLE(cl_event, Event, event, CL_INVALID_EVENT);
HEDDLE_HANDLE(cl_sampler, Sampler, sampler, CL_INVALID_SAMPLER);
#undef HEDDLE_HANDLE

template <class Handle>
std::shared_ptr<typename HandleType<Handle>::Class> find(Handle handle) {
  return std::static_pointer_cast<typename HandleType<Handle>::Class>(
      find_object(handle, HandleType<Handle>::kind));
}
template <class Handle>
Failure no_such(const char* parameter, Handle handle) {
  return {HandleType<Handle>::error, no_such(parameter, handle, HandleType<Handle>::kind)};
}
template <class Handle>
Status retain(const char* parameter, Handle handle) {
  if (!retain_object(handle, HandleType<Handle>::kind)) return no_such(parameter, handle);
  return Unit{};
}
template <class Handle>
Status release(const char* parameter, Handle handle) {
  if (!release_object(handle, HandleType<Handle>::kind)) return no_such(parameter, handle);
  return Unit{};
}
// The object's handle; a new object gets one.
template <class Handle>
Handle handle_as(const Object& object) {
  return static_cast<Handle>(handle_of(object));
}
template <class Handle>
Answer<Handle> published(const std::shared_ptr<typename HandleType<Handle>::Class>& object) {
  void* handle = publish(std::static_pointer_cast<Object>(object), HandleType<Handle>::kind);
  if (handle == nullptr) return failure(CL_OUT_OF_HOST_MEMORY, "too many objects");
  return static_cast<Handle>(handle);
}

}  // namespace heddle::opencl
