// heddle occupancy: how many blocks of a kernel, or of any block in numbers, share a multiprocessor.
#include <algorithm>
#include <array>
#include <fstream>
#include <ostream>

#include "analysis/registers/estimate.h"
#include "analysis/registers/low_end.h"
#include "analysis/resources.h"
#include "arch/limits.h"
#include "cli/commands.h"
#include "cli/kernel_file.h"
#include "cli/occupancy_report.h"
#include "runtime/system.h"
#include "support/setting.h"
#include "support/spelling.h"

namespace heddle::cli {

namespace {

constexpr uint32_t usual_block = 256;
constexpr uint64_t most_clocks = 1'000'000;

// What was given on the command line; all but the device counts for every kernel.
struct Request {
  const arch::Device* device = nullptr;
  std::optional<uint64_t> threads, registers, shared, dynamic_shared, barriers, latency, instructions;
  model::SharedPreference preference;
  std::string_view format = "text";
};

Result<Unit> read_number(const Arguments& arguments, std::string_view option, uint64_t most,
                         std::optional<uint64_t>& value) {
  if (!arguments.has(option)) return Unit{};
  const std::string_view text = arguments.value(option);
  value = parse_count(text);
  if (!value || *value > most)
    return Error{std::string(option) + " '" + std::string(text) + "': a number from 0 to " +
                 std::to_string(most)};
  return Unit{};
}

Result<const arch::Device*> chosen_device(const Arguments& arguments) {
  if (arguments.has("--device")) {
    const std::string_view wanted = arguments.value("--device");
    // A capability stands for the first device that has it.
    if (const arch::Architecture* architecture = arch::find_architecture(wanted)) {
      for (const arch::Device& device : arch::all_devices())
        if (device.arch.id == architecture->id) return &device;
      return Error{"no device of the list has " + std::string(wanted) + "; `heddle devices` shows it"};
    }
    return arch::find_device(wanted);
  }
  const auto options = runtime::options_from_environment(setting);
  if (!options) return Error{options.error().message};
  return options->devices.empty() ? &arch::default_device() : options->devices.front();
}

Result<Request> read_request(const Arguments& arguments) {
  Request request;
  const auto device = chosen_device(arguments);
  if (!device) return device.error();
  request.device = *device;
  const arch::Architecture& a = request.device->arch;
  std::optional<uint64_t> carveout;
  for (const auto& [option, most, place] :
       {std::tuple{"--block", uint64_t{a.launch.max_threads_per_block}, &request.threads},
        {"--registers", uint64_t{a.registers.per_thread}, &request.registers},
        {"--shared", uint64_t{a.shared.per_block_opt_in}, &request.shared},
        {"--dynamic-shared", uint64_t{a.shared.per_block_opt_in}, &request.dynamic_shared},
        {"--barriers", uint64_t{a.launch.max_barriers_per_block}, &request.barriers},
        {"--carveout", uint64_t{100}, &carveout}})
    if (auto read = read_number(arguments, option, most, *place); !read)
      return Error{read.error().message + (carveout || std::string_view(option) == "--carveout"
                                               ? ""
                                               : " on " + arch::describe(*request.device))};
  for (const auto& [option, place] :
       {std::pair{"--latency", &request.latency}, std::pair{"--instructions", &request.instructions}}) {
    if (auto read = read_number(arguments, option, most_clocks, *place); !read) return read.error();
    if (*place == 0) return Error{std::string(option) + " '0': at least one"};
  }
  if (request.threads && *request.threads == 0) return Error{"--block '0': a block has at least one thread"};
  if (carveout) {
    if (!a.has(arch::Feature::shared_carveout))
      return Error{
          "--carveout: " + arch::describe(*request.device) +
          " divides no memory in per cent; --prefer says which cache is preferred where that can be chosen"};
    request.preference.carveout = static_cast<int>(*carveout);
  }
  if (arguments.has("--prefer")) {
    constexpr std::array<std::string_view, 4> names{"none", "shared", "l1", "equal"};
    const auto found = std::find(names.begin(), names.end(), arguments.value("--prefer"));
    if (found == names.end())
      return Error{"--prefer '" + std::string(arguments.value("--prefer")) + "': none, shared, l1 or equal"};
    request.preference.cache = static_cast<model::CachePreference>(found - names.begin());
  }
  if (arguments.has("--format")) request.format = arguments.value("--format");
  if (request.format != "text" && request.format != "csv" && request.format != "json")
    return Error{"--format '" + std::string(request.format) + "': text, csv or json"};
  return request;
}

// Fills the rest of the needs and what follows from them.
void finish(OccupancyReport& report, const Request& request) {
  report.device = request.device;
  if (request.registers) {
    report.needs.registers = static_cast<uint32_t>(*request.registers);
    report.estimated = false;
  }
  if (request.shared) report.needs.shared_bytes = *request.shared;
  if (request.dynamic_shared) report.needs.shared_bytes += *request.dynamic_shared;
  if (request.barriers) report.needs.barriers = static_cast<uint32_t>(*request.barriers);
  if (request.threads) report.needs.threads = static_cast<uint32_t>(*request.threads);
  report.latency = static_cast<uint32_t>(request.latency.value_or(0));
  report.instructions = static_cast<uint32_t>(request.instructions.value_or(0));
  report.needs.shared_configuration = model::shared_configuration(request.device->arch, request.preference);
  // As launches and the occupancy functions count it.
  if (report.estimated)
    report.needs.registers =
        analysis::registers_in_block(report.needs.registers, report.needs.threads, request.device->arch);
  complete(report);
}

OccupancyReport report_of(const module::Image& image, uint32_t index, std::string_view file,
                          const Request& request) {
  const arch::Device& device = *request.device;
  const module::Function& function = image.functions[index];
  const analysis::ThreadResources thread = analysis::reported_thread(image, index, device.arch);
  OccupancyReport report;
  report.kernel = function.name;
  report.file = file;
  report.estimated = true;
  const analysis::RegisterEstimate estimate = analysis::estimate_registers(image, index, device.arch);
  report.needs.registers = estimate.registers;
  report.static_shared = function.static_shared_bytes;
  report.local_bytes = thread.stack_bytes + estimate.spilled_bytes;
  arch::KernelNeeds needs;
  needs.static_shared = function.static_shared_bytes;
  needs.parameter_bytes = static_cast<uint32_t>(function.signature.param_bytes);
  report.needs.shared_bytes = arch::shared_bytes(device, needs, 0);
  const auto product = [](const uint32_t(&d)[3]) { return d[0] * d[1] * d[2]; };
  const uint32_t required = product(function.limits.required_threads),
                 most = product(function.limits.max_threads);
  report.most_threads = required != 0 ? required : most;
  const uint32_t limit = device.arch.launch.max_threads_per_block;
  report.needs.threads =
      report.most_threads != 0 ? std::min(report.most_threads, limit) : std::min(usual_block, limit);
  finish(report, request);
  return report;
}

// The kernels that were asked for, or all.
Result<std::vector<OccupancyReport>> reports_of(const Arguments& arguments, const Request& request,
                                                Console& console) {
  std::vector<OccupancyReport> reports;
  const auto wanted = arguments.values("--kernel");
  const auto options = arguments.values("--nvcc");
  NearestWord nearest(wanted.empty() ? std::string_view() : wanted.front());
  for (const std::string_view file : arguments.operands()) {
    const auto images = read_kernel_file(file, *request.device, options, console);
    if (!images) return images.error();
    for (const auto& image : *images) {
      const uint32_t number = request.device->capability().number();
      if (image->target != nullptr && image->target->sm > number)
        return Error{"'" + std::string(file) + "' is for sm_" + std::to_string(image->target->sm) + ", " +
                     arch::describe(*request.device) + " cannot run it"};
      for (uint32_t i = 0; i < image->functions.size(); ++i) {
        const module::Function& function = image->functions[i];
        if (!function.entry || !function.defined) continue;
        nearest.consider(function.name);
        const bool chosen =
            wanted.empty() || std::any_of(wanted.begin(), wanted.end(), [&](std::string_view name) {
              return function.name.find(name) != std::string::npos;
            });
        if (chosen) reports.push_back(report_of(*image, i, file, request));
      }
    }
  }
  if (reports.empty() && !wanted.empty())
    return Error{"no kernel has '" + std::string(wanted.front()) + "' in its name" +
                 (nearest.best().empty() ? "" : "; did you mean '" + std::string(nearest.best()) + "'?")};
  if (reports.empty()) return Error{"'" + std::string(arguments.operands().front()) + "' has no kernels"};
  return reports;
}

Exit run_occupancy(const Arguments& arguments, Console& console) {
  const auto request = read_request(arguments);
  if (!request) {
    complain(console, request.error().message);
    return Exit::usage;
  }
  std::vector<OccupancyReport> reports;
  if (arguments.operands().empty()) {
    if (!request->registers && !request->shared && !request->threads && !request->latency) {
      complain(console,
               "give a file with kernels, or --block, --registers and --shared; `heddle occupancy --help`");
      return Exit::usage;
    }
    OccupancyReport report;
    report.needs.threads = std::min(usual_block, request->device->arch.launch.max_threads_per_block);
    finish(report, *request);
    reports.push_back(std::move(report));
  } else {
    auto made = reports_of(arguments, *request, console);
    if (!made) {
      complain(console, made.error().message);
      return Exit::failed;
    }
    reports = std::move(*made);
  }
  if (request->format == "csv") {
    console.out << occupancy_csv(reports);
  } else if (request->format == "json") {
    console.out << occupancy_json(reports);
  } else {
    for (std::size_t i = 0; i < reports.size(); ++i)
      console.out << (i == 0 ? "" : "\n") << occupancy_text(reports[i]);
  }
  if (arguments.has("--html")) {
    const std::string path(arguments.value("--html"));
    std::ofstream file(path, std::ios::binary);
    file << occupancy_page(reports);
    if (!file.flush()) {
      complain(console, "cannot write '" + path + "'");
      return Exit::failed;
    }
  }
  return Exit::ok;
}

constexpr std::array options{
    Option{"--device", "NAME", "a device, or a compute capability (sm_70); without it that of HEDDLE_DEVICE"},
    Option{"--block", "N", "threads of a block; without it what the kernel is compiled for, or 256"},
    Option{"--registers", "N", "registers of a thread, in place of the estimate"},
    Option{"--shared", "BYTES", "shared memory of a block, in place of the kernel's"},
    Option{"--dynamic-shared", "BYTES", "dynamic shared memory of a block, added to the kernel's"},
    Option{"--barriers", "N", "named barriers that a block uses"},
    Option{"--carveout", "PERCENT",
           "the share of the multiprocessor's memory that is shared memory, from sm_70 on"},
    Option{"--prefer", "CACHE", "none, shared, l1 or equal: the cache configuration of sm_20 to sm_37"},
    Option{"--latency", "CLOCKS", "how many warps hide it; without it those of arithmetic and of memory"},
    Option{"--instructions", "N", "instructions for each that takes so long: 1 of arithmetic, 10 of memory"},
    Option{"--kernel", "NAME", "only kernels with NAME in their names; may be given several times"},
    Option{"--nvcc", "OPTION", "an option for nvcc, for CUDA C++; may be given several times"},
    Option{"--format", "FORMAT", "text, csv or json"},
    Option{"--html", "FILE", "also write a page with the three curves"},
};

}  // namespace

constexpr Command occupancy_command{
    "occupancy",
    "[FILE...]",
    0,
    kNoLimit,
    "how many blocks share a multiprocessor, what limits them, what would gain one",
    "FILE is CUDA C++ (.cu), PTX, or a program, library, object file or fat binary that has PTX inside. "
    "Without\n"
    "FILE, the numbers of --block, --registers and --shared alone. Registers of a kernel are an estimate.",
    options,
    run_occupancy};

}  // namespace heddle::cli
