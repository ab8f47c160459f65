// THE table of functions that the host provides to a program: the system calls of the CUDA C++ Programming
// Guide 10.32 to 10.34 (printf, assert, malloc), under the names that compilers give them.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "exec/device_call.h"
#include "exec/interp/block.h"
#include "exec/interp/host_function.h"
#include "exec/launch.h"
#include "exec/printf_format.h"

namespace heddle::exec::interp {

namespace {

void print_formatted(HostCall& call, int most_arguments) {
  std::string format;
  const uint64_t format_address = call.argument(0);
  if (format_address == 0) return call.result(static_cast<uint64_t>(-1));  // the guide: -1 for a null format
  if (!call.read_text(format_address, format)) return;
  uint64_t next = call.argument(1);
  PrintfSource source;
  source.pointer_bytes = source.long_bytes = call.address_bits() / 8;
  source.most_arguments = most_arguments;
  source.argument = [&](unsigned bytes) -> std::optional<uint64_t> {
    uint64_t value = 0;
    next = (next + bytes - 1) / bytes * bytes;
    if (!call.read(next, &value, bytes)) return std::nullopt;
    next += bytes;
    return value;
  };
  source.text = [&](uint64_t address) -> std::optional<std::string> {
    std::string text;
    if (!call.read_text(address, text)) return std::nullopt;
    return text;
  };
  const std::optional<PrintfResult> printed = format_printf(format, source);
  if (!printed) return;
  call.step().launch().services->print(printed->text);
  call.result(static_cast<uint64_t>(printed->arguments));
}

// int vprintf(const char* format, const void* arguments)
void host_vprintf(HostCall& call) { print_formatted(call, printf_argument_limit); }

// The same, of any number of arguments: OpenCL's printf knows no limit, and its vectors have many elements.
void host_vprintf_of_any(HostCall& call) { print_formatted(call, std::numeric_limits<int>::max()); }

// void __assertfail(const char* message, const char* file, unsigned line, const char* function, size_t size)
void host_assertfail(HostCall& call) {
  std::string message, file, function;
  if (!call.read_text(call.argument(0), message) || !call.read_text(call.argument(1), file) ||
      !call.read_text(call.argument(3), function))
    return;
  Step& step = call.step();
  const Dim3 block = step.block().index();
  const Dim3 thread = step.block().thread(step.warp().thread_of(call.lane()));
  auto triple = [](const Dim3& d) {
    return "[" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + "]";
  };
  const std::string text = file + ":" + std::to_string(static_cast<uint32_t>(call.argument(2))) + ": " +
                           function + ": block: " + triple(block) + ", thread: " + triple(thread) +
                           " Assertion `" + message + "` failed.\n";
  step.launch().services->print_error(text);
  step.fault(FaultKind::assertion, call.lane(), "assertion `" + message + "` failed");
}

// void __cxa_pure_virtual(), which tables of abstract classes point to (Itanium C++ ABI, 3.2.6)
void host_pure_virtual(HostCall& call) {
  call.step().fault(FaultKind::trap, call.lane(), "a pure virtual function was called");
}

// void* malloc(size_t bytes), of the device's heap
void host_malloc(HostCall& call) { call.result(call.step().launch().services->allocate(call.argument(0))); }

void host_free(HostCall& call) {
  const uint64_t address = call.argument(0);
  if (address == 0 || call.step().launch().services->release(address)) return;
  call.step().fault(FaultKind::illegal_address, call.lane(), "free of an address that malloc did not give");
}

// The device runtime's, as the host behind it sees a call.
class CallOfLane final : public DeviceCall {
 public:
  CallOfLane(HostCall& call, DeviceFunction function) : call_(call), function_(function) {}
  DeviceFunction function() const override { return function_; }
  Dim3 block() const override { return call_.step().block().index(); }
  uint32_t thread() const override {
    return static_cast<uint32_t>(call_.step().warp().thread_of(call_.lane()));
  }
  uint64_t argument(std::size_t index) override { return call_.argument(index); }
  void argument(std::size_t index, std::span<std::byte> bytes) override { call_.argument(index, bytes); }
  bool read(uint64_t address, std::span<std::byte> bytes) override {
    return call_.read(address, bytes.data(), static_cast<uint32_t>(bytes.size()));
  }
  bool write(uint64_t address, std::span<const std::byte> bytes) override {
    return call_.write(address, bytes.data(), static_cast<uint32_t>(bytes.size()));
  }
  void fault(FaultKind kind, std::string detail) override {
    call_.step().fault(kind, call_.lane(), std::move(detail));
  }

 private:
  HostCall& call_;
  const DeviceFunction function_;
};

void host_device_runtime(HostCall& call) {
  const std::string& name = call.callee().name;
  CallOfLane asked(call, *find_device_function(name));
  if (const auto answer = call.step().launch().services->device_call(asked)) return call.result(*answer);
  call.step().fault(FaultKind::illegal_instruction, call.lane(),
                    "there is no device runtime for '" + name + "'");
}
constexpr HostFunction device_runtime{"the device runtime", host_device_runtime};

constexpr HostFunction table[] = {
    // by name
    {"__assertfail", host_assertfail},
    {"__cxa_pure_virtual", host_pure_virtual},
    {"__heddle_vprintf", host_vprintf_of_any},
    {"free", host_free},
    {"malloc", host_malloc},
    {"vprintf", host_vprintf},
};
static_assert(std::ranges::is_sorted(table, {}, &HostFunction::name));

}  // namespace

const HostFunction* find_host_function(std::string_view name) {
  const auto* found = std::ranges::lower_bound(table, name, {}, &HostFunction::name);
  if (found != std::end(table) && found->name == name) return found;
  return find_device_function(name) ? &device_runtime : nullptr;
}

}  // namespace heddle::exec::interp
