// Random sequences of OpenCL calls from several threads, with objects that live, that were released, of
// another kind, of another context: nothing crashes, races or waits for ever, and all that was made goes when
// its last user goes. HEDDLE_SEQUENCE_SECONDS says how long (a short time when it is not set),
// HEDDLE_SEQUENCE_SEED where to begin.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "api/opencl/headers.h"
#include "api/opencl/testing.h"

#if __has_feature(thread_sanitizer)
// What programs write over each other is theirs: of the contents of memory nothing is told, only of what
// belongs to this driver.
extern "C" const char* __tsan_default_suppressions() {  // NOLINT: the sanitizer's name
  return "race:runtime::(anonymous namespace)::Copy::run\n"
         "race:runtime::(anonymous namespace)::Fill::run\n"
         "race:change_atomically\n"
         "race:_Function_handler<void (), heddle::opencl::clEnqueueMap\n";
}
#endif

namespace heddle::opencl::testing {
namespace {

using Random = std::mt19937_64;

constexpr unsigned threads_of_a_sequence = 3, calls_of_a_thread = 150;
constexpr size_t host_bytes = 1 << 16;
constexpr size_t sizes[] = {0, 1, 3, 4, 16, 64, 255, 256, 1024, 4096, 4097, 1 << 20};

uint64_t from_environment(const char* name, uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Images apart from buffers, or hardly a copy would find two of a kind.
constexpr HandleKind image_kind = HandleKind::none;

// Every handle that a call gave, alive or not, by kind. All threads of a sequence share it.
class Handles {
 public:
  void add(HandleKind kind, void* handle) {
    const std::lock_guard lock(mutex_);
    by_kind_[kind].push_back(handle);
  }
  void* any(HandleKind kind, Random& random) const {
    const std::lock_guard lock(mutex_);
    const auto found = by_kind_.find(kind);
    if (found == by_kind_.end()) return nullptr;
    // Mostly one of the newest: most others are released by now.
    const std::vector<void*>& all = found->second;
    const size_t among = random() % 8 == 0 ? all.size() : std::min<size_t>(all.size(), 8);
    return all[all.size() - 1 - random() % among];
  }
  void* of_any_kind(Random& random) const {
    return any(static_cast<HandleKind>(random() % (static_cast<unsigned>(HandleKind::sampler) + 1)), random);
  }
  std::vector<void*> all() const {
    std::vector<void*> handles;
    for (const auto& [kind, those] : by_kind_) handles.insert(handles.end(), those.begin(), those.end());
    return handles;
  }

 private:
  mutable std::mutex mutex_;
  std::map<HandleKind, std::vector<void*>> by_kind_;
};

// What was made and what has told that it goes.
struct Counts {
  std::atomic<uint64_t> memory_made{0}, memory_gone{0}, contexts_made{0}, contexts_gone{0};
  bool all_gone() const { return memory_made == memory_gone && contexts_made == contexts_gone; }
};

// User events end soon after they were made, well or badly: nobody waits for ever.
class Ender {
 public:
  explicit Ender(uint64_t seed) : random_(seed) {}
  ~Ender() { stop(); }
  void add(cl_event event) {
    const std::lock_guard lock(mutex_);
    events_.push_back(event);
  }
  void stop() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
  }

 private:
  void run() {
    for (bool last = false; !last;) {
      last = stopping_;
      std::vector<cl_event> those;
      {
        const std::lock_guard lock(mutex_);
        those.swap(events_);
      }
      for (cl_event event : those) {
        (void)::clSetUserEventStatus(event,
                                     random_() % 4 == 0 ? -1 - static_cast<cl_int>(random_() % 20) : 0);
        (void)::clReleaseEvent(event);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  Random random_;
  std::mutex mutex_;
  std::vector<cl_event> events_;
  std::atomic<bool> stopping_{false};
  std::thread thread_{[this] { run(); }};
};

struct Shared {
  Handles handles;
  Counts counts;
  std::vector<cl_device_id> devices;
  std::string binary;
  bool faults = false;  // whether kernels may write where nothing is
};

class Caller {
 public:
  Caller(Shared& shared, Ender& ender, uint64_t seed, std::byte* host)
      : shared_(shared), ender_(ender), random_(seed), host_(host) {}

  void run(unsigned calls) {
    static constexpr Action actions[] = {&Caller::create_buffer,
                                         &Caller::create_buffer,
                                         &Caller::create_sub_buffer,
                                         &Caller::create_image,
                                         &Caller::create_kernel,
                                         &Caller::set_argument,
                                         &Caller::set_argument,
                                         &Caller::launch,
                                         &Caller::launch,
                                         &Caller::launch,
                                         &Caller::transfer,
                                         &Caller::transfer,
                                         &Caller::copy,
                                         &Caller::copy_rectangle,
                                         &Caller::fill,
                                         &Caller::move_images,
                                         &Caller::map,
                                         &Caller::unmap,
                                         &Caller::mark,
                                         &Caller::wait,
                                         &Caller::watch,
                                         &Caller::create_event,
                                         &Caller::create_sampler,
                                         &Caller::create_queue,
                                         &Caller::ask,
                                         &Caller::ask,
                                         &Caller::retain_any,
                                         &Caller::release_any,
                                         &Caller::create_kernel,
                                         &Caller::share_addresses,
                                         &Caller::create_program,
                                         &Caller::create_context};
    for (int i = 0; i < 3; ++i) create_kernel();
    for (unsigned i = 0; i < calls; ++i) (this->*actions[below(std::size(actions))])();
  }
  void begin() {
    create_context();
    for (int i = 0; i < 2; ++i) create_queue();
    create_program();
    for (int i = 0; i < 3; ++i) create_buffer();
    create_image();
  }
  // Until nothing of it is left to this program.
  static void release(void* handle) {
    while (::clReleaseEvent(static_cast<cl_event>(handle)) == CL_SUCCESS) {
    }
    while (::clReleaseKernel(static_cast<cl_kernel>(handle)) == CL_SUCCESS) {
    }
    while (::clReleaseProgram(static_cast<cl_program>(handle)) == CL_SUCCESS) {
    }
    while (::clReleaseSampler(static_cast<cl_sampler>(handle)) == CL_SUCCESS) {
    }
    while (::clReleaseMemObject(static_cast<cl_mem>(handle)) == CL_SUCCESS) {
    }
    while (::clReleaseCommandQueue(static_cast<cl_command_queue>(handle)) == CL_SUCCESS) {
    }
    while (::clReleaseContext(static_cast<cl_context>(handle)) == CL_SUCCESS) {
    }
  }

 private:
  using Action = void (Caller::*)();

  uint64_t below(uint64_t limit) { return random_() % limit; }
  bool one_in(uint64_t count) { return below(count) == 0; }
  size_t size() { return sizes[below(std::size(sizes) - (one_in(8) ? 0 : 4))]; }
  size_t small() { return below(one_in(8) ? 20 : 8); }
  std::byte* host() { return host_ + 4 * below(64); }
  size_t host_size() { return std::min(size(), host_bytes / 2 - 256); }
  std::byte* host_of_buffers() { return host_ + host_bytes / 2; }  // no command is given it

  template <class Handle>
  Handle any() {
    static int nothing[64];
    switch (below(60)) {
      case 0: return nullptr;
      case 1: return static_cast<Handle>(shared_.handles.of_any_kind(random_));
      case 2: return reinterpret_cast<Handle>(nothing);
      default: return static_cast<Handle>(shared_.handles.any(HandleType<Handle>::kind, random_));
    }
  }
  template <class Handle>
  Handle keep(Handle made) {
    if (made != nullptr) shared_.handles.add(HandleType<Handle>::kind, made);
    return made;
  }
  // Threads may do anything at once, but for setting arguments of one kernel (OpenCL API 3.0,
  // clSetKernelArg).
  cl_kernel own_kernel() { return static_cast<cl_kernel>(own_.any(HandleKind::kernel, random_)); }
  void keep_own(cl_kernel made) {
    if (keep(made) != nullptr) own_.add(HandleKind::kernel, made);
  }
  cl_mem any_image() {
    return one_in(10) ? any<cl_mem>() : static_cast<cl_mem>(shared_.handles.any(image_kind, random_));
  }
  cl_device_id any_device() {
    return one_in(20) ? any<cl_device_id>() : shared_.devices[below(shared_.devices.size())];
  }

  // The events that a command waits for, and where its own goes.
  struct Events {
    std::array<cl_event, 3> waited{};
    cl_uint count = 0;
    cl_event made = nullptr;
    bool wanted = false;
    const cl_event* list() const { return count == 0 ? nullptr : waited.data(); }
    cl_event* out() { return wanted ? &made : nullptr; }
  };
  Events events() {
    Events found;
    if (one_in(3)) found.count = static_cast<cl_uint>(1 + below(3));
    for (cl_uint i = 0; i < found.count; ++i) found.waited[i] = any<cl_event>();
    found.wanted = one_in(2);
    return found;
  }
  void keep(const Events& events) {
    if (events.made != nullptr) keep(events.made);
  }

  void create_context() {
    if (!one_in(8) && shared_.counts.contexts_made != 0) return;
    cl_int error = 0;
    const auto count = static_cast<cl_uint>(shared_.devices.size() - (one_in(4) ? 1 : 0));
    cl_context made = ::clCreateContext(nullptr, count, shared_.devices.data(), nullptr, nullptr, &error);
    if (made == nullptr) return;
    ++shared_.counts.contexts_made;
    EXPECT_EQ(::clSetContextDestructorCallback(
                  made, [](cl_context, void* counts) { ++static_cast<Counts*>(counts)->contexts_gone; },
                  &shared_.counts),
              CL_SUCCESS);
    keep(made);
  }
  void create_queue() { keep(::clCreateCommandQueue(any<cl_context>(), any_device(), below(4), nullptr)); }
  void create_program() {
    const auto* text = reinterpret_cast<const unsigned char*>(shared_.binary.data());
    const size_t length = shared_.binary.size() - (one_in(10) ? below(shared_.binary.size()) : 0);
    cl_device_id device = any_device();
    cl_program made =
        keep(::clCreateProgramWithBinary(any<cl_context>(), 1, &device, &length, &text, nullptr, nullptr));
    (void)::clBuildProgram(one_in(8) ? any<cl_program>() : made, 0, nullptr, "", nullptr, nullptr);
  }
  void create_kernel() {
    static const char* const names[] = {"add", "add", "move", "wild", "nothing"};
    cl_int error = 0;
    if (one_in(6))
      keep_own(::clCloneKernel(own_kernel(), &error));
    else
      keep_own(::clCreateKernel(any<cl_program>(), names[below(std::size(names))], &error));
  }
  void keep_memory(cl_mem made, HandleKind kind = HandleKind::memory) {
    if (made == nullptr) return;
    ++shared_.counts.memory_made;
    EXPECT_EQ(
        ::clSetMemObjectDestructorCallback(
            made, [](cl_mem, void* counts) { ++static_cast<Counts*>(counts)->memory_gone; }, &shared_.counts),
        CL_SUCCESS);
    shared_.handles.add(kind, made);
  }
  void create_buffer() {
    static constexpr cl_mem_flags flags[] = {0,
                                             CL_MEM_READ_ONLY,
                                             CL_MEM_WRITE_ONLY,
                                             CL_MEM_ALLOC_HOST_PTR,
                                             CL_MEM_COPY_HOST_PTR,
                                             CL_MEM_USE_HOST_PTR,
                                             ~cl_mem_flags{0}};
    const cl_mem_flags chosen = flags[below(std::size(flags))];
    const bool of_host = (chosen & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR)) != 0;
    static std::byte copied[host_bytes];  // nobody writes there
    keep_memory(::clCreateBuffer(any<cl_context>(), chosen,
                                 of_host     ? host_size()
                                 : one_in(4) ? size()
                                             : 4096,
                                 !of_host                        ? nullptr
                                 : chosen == CL_MEM_USE_HOST_PTR ? host_of_buffers()
                                                                 : copied,
                                 nullptr));
  }
  void create_sub_buffer() {
    const cl_buffer_region region = {256 * below(4), size()};
    keep_memory(::clCreateSubBuffer(any<cl_mem>(), 0, CL_BUFFER_CREATE_TYPE_REGION, &region, nullptr));
  }
  void create_image() {
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    cl_image_desc shape{};
    shape.image_type = one_in(3) ? CL_MEM_OBJECT_IMAGE3D : CL_MEM_OBJECT_IMAGE2D;
    shape.image_width = 20 - small();
    shape.image_height = 20 - small();
    shape.image_depth = 4 - below(4);
    keep_memory(::clCreateImage(any<cl_context>(), 0, &format, &shape, nullptr, nullptr), image_kind);
  }
  void create_sampler() {
    keep(::clCreateSampler(any<cl_context>(), CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, nullptr));
  }
  void create_event() {
    cl_event made = ::clCreateUserEvent(any<cl_context>(), nullptr);
    if (made == nullptr) return;
    EXPECT_EQ(::clRetainEvent(made), CL_SUCCESS);
    keep(made);
    ender_.add(made);
  }

  void set_argument() {
    cl_kernel kernel = own_kernel();
    cl_mem memory = any<cl_mem>();
    const auto index = static_cast<cl_uint>(below(4));
    const auto number = static_cast<cl_int>(below(16));
    switch (below(4)) {
      case 0: (void)::clSetKernelArg(kernel, index, sizeof number, &number); break;
      case 1: (void)::clSetKernelArg(kernel, 2, 64 * below(10), nullptr); break;
      default: (void)::clSetKernelArg(kernel, one_in(4) ? index : 0, sizeof memory, &memory);
    }
  }
  void launch() {
    cl_kernel kernel = own_kernel();
    char name[16] = {};
    (void)::clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name - 1, name, nullptr);
    if (std::string_view(name) == "wild" && !shared_.faults) return;
    const auto number = static_cast<cl_int>(below(16));
    cl_mem memory = any<cl_mem>();
    (void)::clSetKernelArg(kernel, 0, sizeof memory, &memory);
    (void)::clSetKernelArg(kernel, 1, sizeof number, &number);
    (void)::clSetKernelArg(kernel, 2, 64, nullptr);
    const size_t range[3] = {4 * small(), 1 + small(), 1}, group[3] = {one_in(8) ? 3U : 4U, 1, 1};
    Events of = events();
    (void)::clEnqueueNDRangeKernel(any<cl_command_queue>(), kernel,
                                   static_cast<cl_uint>(one_in(8) ? below(5) : 2), nullptr, range,
                                   one_in(2) ? nullptr : group, of.count, of.list(), of.out());
    keep(of);
  }
  void transfer() {
    Events of = events();
    const cl_bool blocking = one_in(3);
    if (one_in(2))
      (void)::clEnqueueReadBuffer(any<cl_command_queue>(), any<cl_mem>(), blocking, small(), host_size(),
                                  host(), of.count, of.list(), of.out());
    else
      (void)::clEnqueueWriteBuffer(any<cl_command_queue>(), any<cl_mem>(), blocking, small(), host_size(),
                                   host(), of.count, of.list(), of.out());
    keep(of);
  }
  void copy() {
    Events of = events();
    (void)::clEnqueueCopyBuffer(any<cl_command_queue>(), any<cl_mem>(), any<cl_mem>(), small(), small(),
                                size(), of.count, of.list(), of.out());
    keep(of);
  }
  void copy_rectangle() {
    Events of = events();
    const size_t from[3] = {small(), small(), 0}, to[3] = {small(), small(), 0};
    const size_t region[3] = {small(), small(), 1};
    if (one_in(2))
      (void)::clEnqueueCopyBufferRect(any<cl_command_queue>(), any<cl_mem>(), any<cl_mem>(), from, to, region,
                                      64, 0, 64, 0, of.count, of.list(), of.out());
    else
      (void)::clEnqueueReadBufferRect(any<cl_command_queue>(), any<cl_mem>(), one_in(3), from, to, region, 64,
                                      0, 64, 0, host(), of.count, of.list(), of.out());
    keep(of);
  }
  void fill() {
    Events of = events();
    const cl_uint8 pattern = {{1, 2, 3, 4, 5, 6, 7, 8}};  // the largest size that is asked for
    const size_t origin[3] = {}, region[3] = {small(), small(), 1};
    if (one_in(2))
      (void)::clEnqueueFillBuffer(any<cl_command_queue>(), any<cl_mem>(), &pattern, size_t{1} << below(6),
                                  16 * small(), size(), of.count, of.list(), of.out());
    else
      (void)::clEnqueueFillImage(any<cl_command_queue>(), any_image(), &pattern, origin, region, of.count,
                                 of.list(), of.out());
    keep(of);
  }
  void move_images() {
    Events of = events();
    cl_command_queue queue = any<cl_command_queue>();
    const size_t origin[3] = {below(4), below(4), 0}, region[3] = {small(), small(), 1};
    switch (below(4)) {
      case 0:
        (void)::clEnqueueReadImage(queue, any_image(), one_in(3), origin, region, 0, 0, host(), of.count,
                                   of.list(), of.out());
        break;
      case 1:
        (void)::clEnqueueWriteImage(queue, any_image(), one_in(3), origin, region, 0, 0, host(), of.count,
                                    of.list(), of.out());
        break;
      case 2:
        (void)::clEnqueueCopyImage(queue, any_image(), any_image(), origin, origin, region, of.count,
                                   of.list(), of.out());
        break;
      default:
        (void)::clEnqueueCopyImageToBuffer(queue, any_image(), any<cl_mem>(), origin, region, small(),
                                           of.count, of.list(), of.out());
    }
    keep(of);
  }
  void map() {
    Events of = events();
    cl_mem memory = any<cl_mem>();
    void* place = ::clEnqueueMapBuffer(any<cl_command_queue>(), memory, one_in(3), CL_MAP_READ << below(3),
                                       small(), 4 * small(), of.count, of.list(), of.out(), nullptr);
    if (place != nullptr) mapped_.emplace_back(memory, place);
    keep(of);
  }
  void unmap() {
    if (mapped_.empty()) return;
    const auto [memory, place] = mapped_[below(mapped_.size())];
    Events of = events();
    (void)::clEnqueueUnmapMemObject(any<cl_command_queue>(), one_in(6) ? any<cl_mem>() : memory, place,
                                    of.count, of.list(), of.out());
    keep(of);
  }
  void mark() {
    Events of = events();
    cl_mem memory = any<cl_mem>();
    cl_command_queue queue = any<cl_command_queue>();
    switch (below(3)) {
      case 0: (void)::clEnqueueMarkerWithWaitList(queue, of.count, of.list(), of.out()); break;
      case 1: (void)::clEnqueueBarrierWithWaitList(queue, of.count, of.list(), of.out()); break;
      default: (void)::clEnqueueMigrateMemObjects(queue, 1, &memory, below(4), of.count, of.list(), of.out());
    }
    keep(of);
  }
  void wait() {
    const Events of = events();
    switch (below(3)) {
      case 0: (void)::clFlush(any<cl_command_queue>()); break;
      case 1: (void)::clFinish(any<cl_command_queue>()); break;
      default: (void)::clWaitForEvents(of.count, of.list());
    }
  }
  void watch() {
    (void)::clSetEventCallback(
        any<cl_event>(), static_cast<cl_int>(below(4)), [](cl_event, cl_int, void*) {}, nullptr);
  }
  void ask() {
    std::array<std::byte, 256> answer;  // NOLINT: written by who answers
    const size_t room = one_in(4) ? below(16) : sizeof answer;
    const auto what = [&](cl_uint first) { return static_cast<cl_uint>(first + below(12)); };
    switch (below(8)) {
      case 0: (void)::clGetMemObjectInfo(any<cl_mem>(), what(0x1100), room, answer.data(), nullptr); break;
      case 1: (void)::clGetEventInfo(any<cl_event>(), what(0x11D0), room, answer.data(), nullptr); break;
      case 2:
        (void)::clGetEventProfilingInfo(any<cl_event>(), what(0x1280), room, answer.data(), nullptr);
        break;
      case 3:
        (void)::clGetCommandQueueInfo(any<cl_command_queue>(), what(0x1090), room, answer.data(), nullptr);
        break;
      case 4: (void)::clGetKernelInfo(any<cl_kernel>(), what(0x1190), room, answer.data(), nullptr); break;
      case 5: (void)::clGetContextInfo(any<cl_context>(), what(0x1080), room, answer.data(), nullptr); break;
      case 6:
        (void)::clGetKernelWorkGroupInfo(any<cl_kernel>(), any_device(), what(0x11B0), room, answer.data(),
                                         nullptr);
        break;
      default: (void)::clGetImageInfo(any_image(), what(0x1110), room, answer.data(), nullptr);
    }
  }
  void retain_any() {
    void* handle = shared_.handles.of_any_kind(random_);
    (void)::clRetainMemObject(static_cast<cl_mem>(handle));
    (void)::clRetainEvent(static_cast<cl_event>(handle));
    (void)::clRetainKernel(static_cast<cl_kernel>(handle));
    (void)::clRetainCommandQueue(static_cast<cl_command_queue>(handle));
  }
  void release_any() {
    (void)::clReleaseEvent(any<cl_event>());
    if (one_in(2)) (void)::clReleaseMemObject(one_in(3) ? any_image() : any<cl_mem>());
    if (one_in(3)) (void)::clReleaseKernel(any<cl_kernel>());
    if (one_in(8)) (void)::clReleaseProgram(any<cl_program>());
    if (one_in(8)) (void)::clReleaseCommandQueue(any<cl_command_queue>());
    if (one_in(20)) (void)::clReleaseContext(any<cl_context>());
  }
  // Shared virtual memory is this thread's alone: nobody else knows when it is freed.
  void share_addresses() {
    cl_context context = any<cl_context>();
    void* place = ::clSVMAlloc(context, CL_MEM_READ_WRITE, 4096, 0);
    if (place == nullptr) return;
    cl_command_queue queue = any<cl_command_queue>();
    const cl_uint pattern = 7;
    cl_event done = nullptr;
    if (::clEnqueueSVMMemFill(queue, place, &pattern, sizeof pattern, 1024, 0, nullptr, &done) ==
        CL_SUCCESS) {
      keep(done);
      (void)::clSetKernelArgSVMPointer(own_kernel(), 1, place);
      (void)::clEnqueueSVMMap(queue, one_in(2), CL_MAP_READ, place, 64, 0, nullptr, nullptr);
      (void)::clEnqueueSVMUnmap(queue, place, 0, nullptr, nullptr);
      (void)::clEnqueueSVMMemcpy(queue, one_in(2), host(), place, 256, 0, nullptr, nullptr);
      void* those[] = {place};
      if (one_in(2) &&
          ::clEnqueueSVMFree(queue, 1, those, nullptr, nullptr, 0, nullptr, nullptr) == CL_SUCCESS)
        return;
      (void)::clFinish(queue);
    }
    ::clSVMFree(context, place);
  }

  Shared& shared_;
  Ender& ender_;
  Random random_;
  std::byte* host_;
  Handles own_;
  std::vector<std::pair<cl_mem, void*>> mapped_;
};

class Sequences : public OpenClTest {
 protected:
  std::string binary() {
    const char* const text =
        "kernel void add(global int* a, int n, local int* l) {\n"
        "  l[get_local_id(0)] = n; barrier(CLK_LOCAL_MEM_FENCE); atomic_add(a, l[0]);\n"
        "}\n"
        "kernel void move(global int* a, int n) { printf(\"%d\", n); }\n"
        "kernel void wild(global int* a, int n) { a[0x100000000L * (n + 1)] = n; }\n";
    cl_program made =
        ::clCreateProgramWithSource(context, 1, const_cast<const char**>(&text), nullptr, nullptr);
    EXPECT_EQ(::clBuildProgram(made, 1, &device, "", nullptr, nullptr), CL_SUCCESS);
    size_t lengths[2] = {};
    EXPECT_EQ(::clGetProgramInfo(made, CL_PROGRAM_BINARY_SIZES, sizeof lengths, lengths, nullptr),
              CL_SUCCESS);
    std::string found(lengths[0], 0);
    char* places[2] = {found.data(), nullptr};
    EXPECT_EQ(::clGetProgramInfo(made, CL_PROGRAM_BINARIES, sizeof places, places, nullptr), CL_SUCCESS);
    EXPECT_EQ(::clReleaseProgram(made), CL_SUCCESS);
    return found;
  }
  void run_sequence(uint64_t seed, const std::string& binary) {
    // Stays: nobody says when the last call is done with it.
    static const auto host = std::make_unique<std::byte[]>(threads_of_a_sequence * host_bytes);
    Random random(seed);
    Shared shared;
    shared.devices = devices;
    shared.binary = binary;
    shared.faults = random() % 4 == 0;
    {
      Ender ender(random());
      Caller(shared, ender, random(), host.get()).begin();
      std::vector<std::thread> all;
      for (unsigned i = 0; i < threads_of_a_sequence; ++i)
        all.emplace_back([&, seed = random(), place = host.get() + i * host_bytes] {
          Caller(shared, ender, seed, place).run(calls_of_a_thread);
        });
      for (std::thread& thread : all) thread.join();
    }
    for (void* handle : shared.handles.all()) (void)::clFinish(static_cast<cl_command_queue>(handle));
    for (void* handle : shared.handles.all()) Caller::release(handle);
    // What a released queue had still to do is done a little later.
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!shared.counts.all_gone() && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(shared.counts.memory_gone, shared.counts.memory_made);
    EXPECT_EQ(shared.counts.contexts_gone, shared.counts.contexts_made);
  }
};

TEST_F(Sequences, OfCallsFromSeveralThreadsAreSurvived) {
  start({"gtx480", "h200"});
  const std::string made = binary();
  ASSERT_FALSE(made.empty());
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(from_environment("HEDDLE_SEQUENCE_SECONDS", 2));
  const uint64_t first = from_environment("HEDDLE_SEQUENCE_SEED", 1);
  uint64_t seed = first;
  do {
    SCOPED_TRACE("seed " + std::to_string(seed));
    run_sequence(seed, made);
    ++seed;
  } while (std::chrono::steady_clock::now() < end && !HasFailure());
  RecordProperty("sequences", std::to_string(seed - first));
}

}  // namespace
}  // namespace heddle::opencl::testing
