// heddle ptx run: one launch of one kernel, its buffers from and to the command line.
#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/kernel_argument.h"
#include "cli/value_text.h"
#include "runtime/launch.h"
#include "runtime/load.h"
#include "runtime/system.h"
#include "support/read_file.h"
#include "support/setting.h"

namespace heddle::cli {

namespace {

// What the command line asks for.
struct Plan {
  std::vector<runtime::ProgramText> texts;
  std::string kernel;
  exec::Dim3 grid, block;
  std::optional<exec::Dim3> cluster;
  uint32_t shared_bytes = 0;
  bool cooperative = false, hex = false;
  std::vector<KernelArgument> arguments;
};

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<exec::Dim3> read_dimensions(std::string_view option, std::string_view text) {
  std::array<uint32_t, 3> values{1, 1, 1};
  std::size_t count = 0;
  for (std::size_t begin = 0; begin <= text.size(); ++count) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto value = number<uint32_t>(text.substr(begin, end - begin));
    if (!value || count == 3)
      return Error{std::string(option) + " '" + std::string(text) + "': one to three numbers, X[,Y[,Z]]"};
    values[count] = *value;
    begin = end + 1;
  }
  return exec::Dim3{values[0], values[1], values[2]};
}

Result<std::string> read_text(std::string_view path, std::istream& standard_input) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(standard_input), {});
  return read_file(std::string(path));
}

Result<Plan> read_plan(const Arguments& arguments, std::istream& standard_input) {
  Plan plan;
  for (const std::string_view path : arguments.operands()) {
    auto text = read_text(path, standard_input);
    if (!text) return text.error();
    plan.texts.push_back({std::string(path), std::move(*text)});
  }
  plan.kernel = arguments.value("--kernel");
  for (const auto& [option, place] : {std::pair{"--grid", &plan.grid}, std::pair{"--block", &plan.block}}) {
    if (!arguments.has(option)) continue;
    const auto dimensions = read_dimensions(option, arguments.value(option));
    if (!dimensions) return dimensions.error();
    *place = *dimensions;
  }
  if (arguments.has("--cluster")) {
    const auto dimensions = read_dimensions("--cluster", arguments.value("--cluster"));
    if (!dimensions) return dimensions.error();
    plan.cluster = *dimensions;
  }
  if (arguments.has("--shared")) {
    const auto bytes = number<uint32_t>(arguments.value("--shared"));
    if (!bytes)
      return Error{"--shared '" + std::string(arguments.value("--shared")) + "': a number of bytes"};
    plan.shared_bytes = *bytes;
  }
  plan.cooperative = arguments.has("--cooperative");
  plan.hex = arguments.has("--hex");
  for (const std::string_view text : arguments.values("--arg")) {
    auto argument = parse_kernel_argument(text, plan.arguments.size());
    if (!argument) return argument.error();
    plan.arguments.push_back(std::move(*argument));
  }
  return plan;
}

Result<runtime::SystemOptions> system_options(const Arguments& arguments, Console& console) {
  if (const Status<>& settings = settings_state(); !settings) return settings.error();
  auto options = runtime::options_from_environment([&](const char* name) -> const char* {
    return arguments.has("--device") && std::string_view(name).starts_with("HEDDLE_DEVICE") ? nullptr
                                                                                            : setting(name);
  });
  if (!options) return Error{options.error().message};
  if (arguments.has("--device")) {
    const auto device = arch::find_device(arguments.value("--device"));
    if (!device) return Error{device.error().message};
    options->devices = {*device};
  }
  if (arguments.has("--timeout")) {
    const std::string_view text = arguments.value("--timeout");
    const auto seconds = number<double>(text);
    if (!seconds || !(*seconds > 0) || *seconds > 1e9)
      return Error{"--timeout '" + std::string(text) + "': a number of seconds above 0"};
    options->kernel_timeout = std::chrono::nanoseconds(static_cast<int64_t>(*seconds * 1e9));
  }
  options->print = [&console](std::string_view text) { console.out << text << std::flush; };
  options->print_error = [&console](std::string_view text) { console.err << text << std::flush; };
  options->quiet = true;  // the command tells a fault itself
  return std::move(*options);
}

// Ctrl-C ends the kernel instead of the process, the second one the process.
std::atomic<runtime::Context*> interrupted_context{nullptr};
static_assert(std::atomic<runtime::Context*>::is_always_lock_free);

extern "C" void end_kernel(int) {
  if (runtime::Context* context = interrupted_context.exchange(nullptr)) context->cancel();
  std::signal(SIGINT, SIG_DFL);
}

class Interruptible {
 public:
  explicit Interruptible(runtime::Context& context) {
    interrupted_context = &context;
    before_ = std::signal(SIGINT, end_kernel);
  }
  ~Interruptible() {
    interrupted_context = nullptr;
    std::signal(SIGINT, before_ == SIG_ERR ? SIG_DFL : before_);
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  void (*before_)(int) = SIG_DFL;
};

// One run: what went wrong is said where it happened, and the exit status says of what kind it was.
class Run {
 public:
  Run(Plan& plan, Console& console) : plan_(plan), console_(console) {}

  Exit run(runtime::System& system, bool low_addresses, std::shared_ptr<const module::Image> image) {
    runtime::ContextOptions options;
    options.immediate_output = true;
    options.low_addresses = low_addresses;
    auto context = system.create_context(0, options);
    if (!context) return failed(context.error().message);
    context_ = context->get();
    auto module = runtime::Module::load(*context_, std::move(image));
    if (!module) return failed(module.error().message);
    const auto kernel = find_kernel(**module);
    if (!kernel) return failed(kernel.error().message);
    const auto params = make_params((*kernel)->function(), (*module)->image().address_bits / 8);
    if (!params) return failed(params.error().message);
    runtime::LaunchRequest request;
    request.kernel = *kernel;
    request.grid = plan_.grid;
    request.block = plan_.block;
    request.cluster = plan_.cluster;
    request.dynamic_shared = plan_.shared_bytes;
    request.cooperative = plan_.cooperative;
    request.params = *params;
    // As a program does that asks for the memory before it launches.
    if (plan_.shared_bytes != 0) (*kernel)->set_max_dynamic_shared(plan_.shared_bytes);
    (*kernel)->large_cluster_allowed = true;
    const Interruptible interruptible(*context_);
    if (runtime::Done launched = runtime::launch(*context_->default_stream(), request); !launched)
      return failed(launched.error().message);
    if (runtime::Done state = context_->synchronize(); !state) {
      const bool fault = state.error().code == runtime::ErrorCode::fault;
      complain(console_, state.error().message);
      return fault ? Exit::fault : Exit::failed;
    }
    return print();
  }

 private:
  Exit failed(const std::string& message) {
    complain(console_, message);
    return Exit::failed;
  }

  Result<runtime::Kernel*> find_kernel(runtime::Module& module) {
    if (!plan_.kernel.empty()) {
      auto kernel = module.kernel(plan_.kernel);
      if (!kernel) return Error{kernel.error().message};
      return *kernel;
    }
    const std::vector<runtime::Kernel*> all = module.kernels();
    if (all.size() == 1) return all.front();
    if (all.empty()) return Error{"the program has no kernel"};
    std::string names;
    for (const runtime::Kernel* kernel : all)
      names += (names.empty() ? "'" : ", '") + kernel->function().name + "'";
    return Error{"the program has " + std::to_string(all.size()) + " kernels, --kernel chooses: " + names};
  }

  // The buffers come into being, and every argument gets to its place in the parameter buffer.
  Result<std::vector<std::byte>> make_params(const module::Function& entry, unsigned address_bytes) {
    const std::vector<module::Parameter>& wanted = entry.signature.params;
    if (wanted.size() != plan_.arguments.size())
      return Error{"kernel '" + entry.name + "' takes " + std::to_string(wanted.size()) + " arguments, " +
                   std::to_string(plan_.arguments.size()) + " are given"};
    std::vector<std::byte> params(runtime::parameter_bytes(entry));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const KernelArgument& argument = plan_.arguments[i];
      std::vector<std::byte> bytes = argument.bytes;
      if (argument.kind != KernelArgument::Kind::scalar) {
        const auto address = make_buffer(argument);
        if (!address) return address.error();
        bytes.resize(address_bytes);
        std::memcpy(bytes.data(), &*address, address_bytes);
      }
      if (bytes.size() != wanted[i].size)
        return Error{"argument " + std::to_string(i) + " is " + std::to_string(bytes.size()) +
                     " bytes, parameter '" + wanted[i].name + "' of kernel '" + entry.name + "' has " +
                     std::to_string(wanted[i].size)};
      std::memcpy(params.data() + wanted[i].offset, bytes.data(), bytes.size());
    }
    return params;
  }

  Result<uint64_t> make_buffer(const KernelArgument& argument) {
    if (argument.kind == KernelArgument::Kind::null) return uint64_t{0};
    const std::size_t bytes = argument.bytes.size();
    auto memory = context_->allocate(runtime::MemoryKind::device, std::max<std::size_t>(bytes, 1));
    if (!memory) return Error{"buffer '" + argument.name + "': " + memory.error().message};
    std::ranges::copy(argument.bytes, reinterpret_cast<std::byte*>((*memory)->address));
    buffers_.push_back({&argument, (*memory)->address});
    return (*memory)->address;
  }

  Exit print() {
    for (const Buffer& buffer : buffers_) {
      const KernelArgument& argument = *buffer.argument;
      if (!argument.shown) continue;
      const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(buffer.address),
                                             argument.bytes.size());
      if (argument.file.empty()) {
        console_.out << argument.name << ": " << format_values(argument.type, bytes, plan_.hex) << '\n';
        continue;
      }
      std::ofstream file(argument.file, std::ios::binary);
      file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
      file.close();
      if (!file) return failed("cannot write '" + argument.file + "'");
    }
    return Exit::ok;
  }

  struct Buffer {
    const KernelArgument* argument;
    uint64_t address;
  };
  Plan& plan_;
  Console& console_;
  runtime::Context* context_ = nullptr;
  std::vector<Buffer> buffers_;
};

Exit run_ptx_run(const Arguments& arguments, Console& console) {
  auto plan = read_plan(arguments, console.in);
  if (!plan) {
    complain(console, plan.error().message);
    return Exit::failed;
  }
  auto options = system_options(arguments, console);
  if (!options) {
    complain(console, options.error().message);
    return Exit::failed;
  }
  std::string log;
  auto image = runtime::build_image(plan->texts, log);
  console.err << log;
  if (!image) {
    if (log.empty()) complain(console, image.error().message);
    return Exit::failed;
  }
  auto system = runtime::System::create(std::move(*options));
  if (!system) {
    complain(console, system.error().message);
    return Exit::failed;
  }
  const bool low_addresses = (*image)->address_bits == 32;
  return Run(*plan, console).run(**system, low_addresses, std::move(*image));
}

constexpr std::array options{
    Option{"--kernel", "NAME", "the kernel; may be left out when there is one"},
    Option{"--device", "NAME", "the device to be (see heddle devices); default: HEDDLE_DEVICE, or h200"},
    Option{"--grid", "X[,Y[,Z]]", "blocks of the grid; default 1"},
    Option{"--block", "X[,Y[,Z]]", "threads of a block; default 1"},
    Option{"--cluster", "X[,Y[,Z]]", "blocks of a cluster"},
    Option{"--shared", "BYTES", "dynamic shared memory of a block"},
    Option{"--cooperative", "", "a cooperative launch: blocks may wait for each other"},
    Option{"--arg", "A", "the next argument of the kernel"},
    Option{"--hex", "", "print every element as bits, 0x..."},
    Option{"--timeout", "SECONDS",
           "end the kernel after that time; default: HEDDLE_KERNEL_TIMEOUT, or never"},
};

}  // namespace

constexpr Command ptx_run_command{
    "ptx run",
    "FILE...",
    1,
    1024,
    "run a kernel of one or more PTX files",
    "Reads, verifies and links the files (- is standard input) and launches the kernel once. One --arg for "
    "each\n"
    "parameter, in order; NAME: in front names the buffer in the output (default argN, N from 0).\n"
    "\n"
    "  TYPE=VALUE                  a scalar; a list fills a vector or a structure: u32=1,2,3\n"
    "  in:TYPE=LIST                a buffer with these elements\n"
    "  inout:TYPE=LIST             the same, printed after the run\n"
    "  out:TYPE*COUNT              a buffer of zeros, printed after the run\n"
    "  in:TYPE@FILE inout:TYPE@FILE  a buffer with the bytes of FILE, little endian\n"
    "  out:TYPE*COUNT>FILE         after any inout or out: the bytes go to FILE instead\n"
    "  null                        a null pointer\n"
    "\n"
    "TYPE is u8 to u64, s8 to s64, b8 to b64, f16, bf16, f32 or f64. LIST is VALUE, FIRST..LAST or "
    "VALUExCOUNT, with\n"
    "commas between. VALUE is decimal or 0x hex; floats also take inf, -inf and nan, and their 0x means "
    "bits.\n"
    "What the kernel prints goes to standard output. Exit status: 0; 1 for bad PTX or arguments; 2 for a "
    "wrong\n"
    "command line; 3 when the kernel faulted. See docs/reference/heddle-ptx.md.",
    options,
    run_ptx_run};

}  // namespace heddle::cli
