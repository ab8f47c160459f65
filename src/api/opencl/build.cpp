// Compiling, linking and loading of programs.
#include <algorithm>
#include <sstream>

#include "analysis/registers/estimate.h"
#include "analysis/resources.h"
#include "api/opencl/build_cache.h"
#include "api/opencl/extension.h"
#include "api/opencl/functions.gen.h"
#include "api/opencl/program.h"
#include "runtime/load.h"

namespace heddle::opencl {

namespace {

using frontend::OpenClResult;
using frontend::OpenClStatus;

// The pointer's space says what a parameter of PTX is that no compiler of ours described.
std::vector<frontend::OpenClKernel> kernels_of_image(const module::Image& image) {
  std::vector<frontend::OpenClKernel> kernels;
  for (const module::Function& function : image.functions) {
    if (!function.entry || !function.defined) continue;
    frontend::OpenClKernel kernel;
    kernel.name = function.name;
    for (const module::Parameter& parameter : function.signature.params) {
      frontend::OpenClArgument argument;
      argument.offset = parameter.offset;
      argument.size = static_cast<uint32_t>(parameter.size);
      argument.alignment = std::max(parameter.align, parameter.pointee_align);
      if (parameter.pointer && parameter.pointee == module::Space::shared)
        argument.kind = frontend::OpenClKind::local;
      else if (parameter.pointer)
        argument.kind = frontend::OpenClKind::pointer;
      argument.address = argument.kind == frontend::OpenClKind::local     ? frontend::OpenClAddress::local
                         : argument.kind == frontend::OpenClKind::pointer ? frontend::OpenClAddress::global
                                                                          : frontend::OpenClAddress::private_;
      kernel.arguments.push_back(std::move(argument));
    }
    for (size_t i = 0; i < 3; ++i) kernel.required_group[i] = function.limits.required_threads[i];
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

// Why a description cannot be that of the PTX it was found in, or nothing: arguments are written to where it
// says that they lie, and a text can be damaged.
std::string disagreement(const std::vector<frontend::OpenClKernel>& kernels, const module::Image& image) {
  for (const frontend::OpenClKernel& kernel : kernels) {
    const auto function = std::ranges::find_if(image.functions, [&](const module::Function& f) {
      return f.entry && f.defined && f.name == kernel.name;
    });
    const std::string where = "the PTX is damaged: its description of kernel '" + kernel.name + "' ";
    if (function == image.functions.end()) return where + "has no kernel";
    const auto& parameters = function->signature.params;
    if (kernel.arguments.size() != parameters.size())
      return where + "has " + std::to_string(kernel.arguments.size()) + " arguments, the kernel " +
             std::to_string(parameters.size());
    for (size_t i = 0; i < parameters.size(); ++i) {
      const frontend::OpenClArgument& argument = kernel.arguments[i];
      if (argument.offset != parameters[i].offset || argument.size != parameters[i].size)
        return where + "places argument " + std::to_string(i) + " elsewhere than the kernel";
    }
  }
  return "";
}

bool has_word(std::string_view options, std::string_view word) {
  std::istringstream words{std::string(options)};
  for (std::string one; words >> one;)
    if (one == word) return true;
  return false;
}

// "-cl-std=CL2.0 or later" (OpenCL 3.0, clEnqueueNDRangeKernel).
bool allows_non_uniform_groups(std::string_view options) {
  const bool new_language = has_word(options, "-cl-std=CL2.0") || has_word(options, "-cl-std=CL3.0");
  return new_language && !has_word(options, "-cl-uniform-work-group-size");
}

// The lines of -cl-nv-verbose: what each kernel takes, as the assembler of CUDA says it.
std::string resource_lines(const Device& device, runtime::Module& module) {
  std::string text;
  for (runtime::Kernel* kernel : module.kernels()) {
    const arch::KernelNeeds& needs = kernel->needs();
    text += "ptxas info    : Compiling entry function '" + kernel->function().name + "' for '" +
            std::string(device.arch().id) + "'\n";
    const analysis::ThreadResources thread =
        analysis::reported_thread(module.image(), kernel->index(), device.arch());
    const auto estimate = analysis::estimate_registers(module.image(), kernel->index(), device.arch());
    text += "ptxas info    : Used " + std::to_string(estimate.registers) + " registers";
    const uint64_t local = thread.stack_bytes + estimate.spilled_bytes;
    if (local != 0) text += ", " + std::to_string(local) + " bytes lmem";
    if (const uint64_t shared = arch::shared_bytes(device.facts(), needs, 0); shared != 0)
      text += ", " + std::to_string(shared) + " bytes smem";
    // Where parameters are not in shared memory they are in the first bank of constants.
    if (!device.has(arch::Feature::parameters_in_shared) && needs.parameter_bytes != 0)
      text += ", " + std::to_string(needs.parameter_bytes) + " bytes cmem[0]";
    text += "\n";
  }
  return text;
}

cl_int code_of(OpenClStatus status, cl_int failed, cl_int options) {
  switch (status) {
    case OpenClStatus::ok: return CL_SUCCESS;
    case OpenClStatus::invalid_options: return options;
    case OpenClStatus::failed: return failed;
    case OpenClStatus::no_compiler: return CL_COMPILER_NOT_AVAILABLE;
  }
  return failed;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// A program can be wrong, or its context be lost.
Failure why_not(const Build& build, cl_int code) {
  return build.refused ? *build.refused : Failure{code, first_line(build.log)};
}

// Takes what the compiler gave into the build, and loads what can run.
void take(const Context& context, const Device& device, OpenClResult result, Build& build) {
  build.log = std::move(result.log);
  build.argument_info = result.settings.argument_info;
  if (!result.ok()) {
    build.status = CL_BUILD_ERROR;
    return;
  }
  if (result.ptx.empty()) {
    build.object = std::move(result.object);
    build.binary_type = result.settings.create_library ? CL_PROGRAM_BINARY_TYPE_LIBRARY
                                                       : CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
    build.status = CL_BUILD_SUCCESS;
    return;
  }
  build.ptx = std::move(result.ptx);
  build.kernels = std::make_shared<const std::vector<frontend::OpenClKernel>>(std::move(result.kernels));
  load(context, device, build);
  if (build.module != nullptr && result.settings.verbose) build.log += resource_lines(device, *build.module);
}

Status notified(const ProgramRef& program, Program::Notify notify, void* user_data, Status result) {
  if (notify != nullptr) notify(handle_as<cl_program>(*program), user_data);
  return result;
}

Status check_notify(const void* notify, const void* user_data) {
  if (notify == nullptr && user_data != nullptr)
    return invalid_value("user_data is given without pfn_notify");
  return Unit{};
}

// With the sub-devices that the program is for: they run what is built for the device that they are of, or
// of a part of it.
std::vector<DeviceRef> with_parts(const Program& program, std::vector<DeviceRef> devices) {
  const auto named = [&](const DeviceRef& device) {
    return std::ranges::find(devices, device) != devices.end();
  };
  std::vector<DeviceRef> parts;
  for (const DeviceRef& device : program.devices())
    for (DeviceRef whole = device->parent(); whole != nullptr && !named(device); whole = whole->parent())
      if (named(whole)) {
        parts.push_back(device);
        break;
      }
  devices.insert(devices.end(), parts.begin(), parts.end());
  return devices;
}

// A context keeps its modules until it ends; a program's goes with the last program or kernel that has it.
std::shared_ptr<runtime::Module> until_released(std::shared_ptr<runtime::Module> module) {
  runtime::Module* const address = module.get();
  return {address, [kept = std::move(module)](runtime::Module*) { kept->unload_when_unused(); }};
}

}  // namespace

frontend::OpenClTarget target_of(const Device& device) {
  frontend::OpenClTarget target;
  target.capability = std::string(device.arch().id.substr(3));
  target.extensions = compiler_extensions(device.facts());
  return target;
}

void load(const Context& context, const Device& device, Build& build) {
  const runtime::ProgramText text{"<program>", build.ptx};
  auto module = runtime::load_module(context.on(device), {&text, 1}, build.log);
  if (!module) {
    build.status = CL_BUILD_ERROR;
    if (runtime::ends_context(module.error().code)) build.refused = failure_of(module.error());
    return;
  }
  if (build.kernels == nullptr) {
    auto described = frontend::kernels_of(build.ptx);
    if (described)
      if (std::string why = disagreement(*described, (*module)->image()); !why.empty()) {
        build.log += "error: " + why + "\n";
        build.status = CL_BUILD_ERROR;
        return;
      }
    build.kernels = std::make_shared<const std::vector<frontend::OpenClKernel>>(
        described ? std::move(*described) : kernels_of_image((*module)->image()));
  }
  build.module = until_released(std::move(*module));
  build.binary_type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  build.status = CL_BUILD_SUCCESS;
}

Status clBuildProgram(const ProgramRef& program, cl_uint num_devices, const cl_device_id* device_list,
                      const char* options, Program::Notify pfn_notify, void* user_data) {
  if (Status good = check_notify(reinterpret_cast<const void*>(pfn_notify), user_data); !good) return good;
  const auto devices = (num_devices == 0) == (device_list == nullptr) && num_devices == 0
                           ? Answer<std::vector<DeviceRef>>(program->devices())
                           : devices_of(*program->context(), num_devices, device_list);
  if (!devices) return devices.error();
  if (program->has_kernels()) return failure(CL_INVALID_OPERATION, "the program has kernels");
  if (program->origin() == Program::Origin::link)
    return failure(CL_INVALID_OPERATION, "the program was made by clLinkProgram");
  const std::lock_guard lock(program->building());
  Status outcome = Unit{};
  for (const DeviceRef& device : with_parts(*program, *devices)) {
    Build build;
    build.options = options == nullptr ? "" : options;
    build.non_uniform_groups = allows_non_uniform_groups(build.options);
    const Build before = program->build_of(*device);
    if (program->origin() == Program::Origin::source) {
      OpenClResult result = BuildCache::get().build(target_of(*device), program->source(), build.options);
      const OpenClStatus status = result.status;
      take(*program->context(), *device, std::move(result), build);
      if (build.status != CL_BUILD_SUCCESS && outcome.ok())
        outcome = why_not(build, code_of(status, CL_BUILD_PROGRAM_FAILURE, CL_INVALID_BUILD_OPTIONS));
      if (build.status != CL_BUILD_SUCCESS && status == OpenClStatus::ok)
        outcome = why_not(build, CL_BUILD_PROGRAM_FAILURE);
    } else if (before.binary_type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE) {
      build.ptx = before.ptx;
      build.non_uniform_groups = true;
      build.argument_info = true;
      load(*program->context(), *device, build);
      build.binary_type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
      if (build.status != CL_BUILD_SUCCESS) outcome = why_not(build, CL_BUILD_PROGRAM_FAILURE);
    } else if (!before.object.empty()) {
      OpenClResult result = BuildCache::get().link(target_of(*device), {&before.object, 1}, build.options);
      take(*program->context(), *device, std::move(result), build);
      if (build.status != CL_BUILD_SUCCESS) outcome = why_not(build, CL_BUILD_PROGRAM_FAILURE);
    } else {
      build.status = CL_BUILD_ERROR;
      outcome = failure(CL_INVALID_BINARY, "the program has no binary for a device of the list");
    }
    program->set_build(*device, std::move(build));
  }
  return notified(program, pfn_notify, user_data, std::move(outcome));
}

Status clCompileProgram(const ProgramRef& program, cl_uint num_devices, const cl_device_id* device_list,
                        const char* options, cl_uint num_input_headers, const cl_program* input_headers,
                        const char** header_include_names, Program::Notify pfn_notify, void* user_data) {
  if (Status good = check_notify(reinterpret_cast<const void*>(pfn_notify), user_data); !good) return good;
  if ((num_input_headers == 0) != (input_headers == nullptr) ||
      (num_input_headers == 0) != (header_include_names == nullptr))
    return invalid_value("num_input_headers, input_headers and header_include_names do not fit together");
  const auto devices = devices_of(*program->context(), num_devices, device_list);
  if (!devices) return devices.error();
  if (program->has_kernels()) return failure(CL_INVALID_OPERATION, "the program has kernels");
  if (program->origin() != Program::Origin::source)
    return failure(CL_INVALID_OPERATION, "the program has no source");
  std::vector<frontend::OpenClHeader> headers;
  for (cl_uint i = 0; i < num_input_headers; ++i) {
    const ProgramRef header = find(input_headers[i]);
    if (header == nullptr) return no_such("a header", input_headers[i]);
    if (header->origin() != Program::Origin::source)
      return failure(CL_INVALID_OPERATION, "a header is no program with source");
    if (header_include_names[i] == nullptr) return invalid_value("a header's name is NULL");
    headers.push_back({header_include_names[i], header->source()});
  }
  const std::lock_guard lock(program->building());
  Status outcome = Unit{};
  for (const DeviceRef& device : *devices) {
    Build build;
    build.options = options == nullptr ? "" : options;
    OpenClResult result =
        BuildCache::get().compile(target_of(*device), program->source(), headers, build.options);
    const OpenClStatus status = result.status;
    take(*program->context(), *device, std::move(result), build);
    if (build.status != CL_BUILD_SUCCESS && outcome.ok())
      outcome = failure(code_of(status, CL_COMPILE_PROGRAM_FAILURE, CL_INVALID_COMPILER_OPTIONS),
                        first_line(build.log));
    program->set_build(*device, std::move(build));
  }
  return notified(program, pfn_notify, user_data, std::move(outcome));
}

Answer<cl_program> clLinkProgram(const ContextRef& context, cl_uint num_devices,
                                 const cl_device_id* device_list, const char* options,
                                 cl_uint num_input_programs, const cl_program* input_programs,
                                 Program::Notify pfn_notify, void* user_data) {
  if (Status good = check_notify(reinterpret_cast<const void*>(pfn_notify), user_data); !good)
    return good.error();
  if (num_input_programs == 0 || input_programs == nullptr)
    return invalid_value("there are no programs to link");
  const auto devices = devices_of(*context, num_devices, device_list);
  if (!devices) return devices.error();
  std::vector<ProgramRef> inputs;
  for (cl_uint i = 0; i < num_input_programs; ++i) {
    ProgramRef input = find(input_programs[i]);
    if (input == nullptr) return no_such("a program to link", input_programs[i]);
    if (input->context() != context) return failure(CL_INVALID_PROGRAM, "a program is of another context");
    inputs.push_back(std::move(input));
  }
  const bool library = has_word(options == nullptr ? "" : options, "-create-library");
  auto program = std::make_shared<Program>(context, *devices, Program::Origin::link);
  std::optional<Failure> bad;
  for (const DeviceRef& device : *devices) {
    std::vector<std::string> objects;
    Build build;
    build.options = options == nullptr ? "" : options;
    build.non_uniform_groups = true;
    for (const ProgramRef& input : inputs) {
      Build part = input->build_of(*device);
      if (part.object.empty())
        return failure(CL_INVALID_OPERATION, "a program to link is not compiled for a device of the list");
      build.non_uniform_groups = build.non_uniform_groups && allows_non_uniform_groups(part.options);
      build.argument_info = build.argument_info || part.argument_info;
      objects.push_back(std::move(part.object));
    }
    const bool argument_info = build.argument_info;
    OpenClResult result = BuildCache::get().link(target_of(*device), objects, build.options);
    if (result.status == OpenClStatus::invalid_options)
      return failure(CL_INVALID_LINKER_OPTIONS, first_line(result.log));
    take(*context, *device, std::move(result), build);
    build.argument_info = argument_info;
    if (library && build.status == CL_BUILD_SUCCESS) build.binary_type = CL_PROGRAM_BINARY_TYPE_LIBRARY;
    if (build.status != CL_BUILD_SUCCESS && !bad) bad = why_not(build, CL_LINK_PROGRAM_FAILURE);
    program->set_build(*device, std::move(build));
  }
  auto handle = published<cl_program>(program);
  if (!handle) return handle;
  // The log can be asked for, though the error is told: the program is there in either case.
  if (pfn_notify != nullptr) pfn_notify(*handle, user_data);
  if (bad) {
    (void)release("program", *handle);
    return *bad;
  }
  return handle;
}

}  // namespace heddle::opencl
