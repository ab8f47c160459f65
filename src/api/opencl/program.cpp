#include "api/opencl/program.h"

#include <algorithm>
#include <cstring>

#include "api/opencl/functions.gen.h"
#include "runtime/load.h"

namespace heddle::opencl {

namespace {

bool is_bitcode(std::string_view binary) { return binary.starts_with("BC\xC0\xDE"); }

// The PTX of a binary, if it is readable.
bool is_readable(const std::string& ptx) {
  std::string log;
  const runtime::ProgramText text{"<binary>", ptx};
  return runtime::build_image({&text, 1}, log).ok();
}

}  // namespace

Program::Program(ContextRef context, std::vector<DeviceRef> devices, Origin origin, std::string source)
    : context_(std::move(context)),
      devices_(std::move(devices)),
      origin_(origin),
      source_(std::move(source)),
      builds_(devices_.size()) {}

Program::~Program() = default;

std::optional<size_t> Program::index_of(const Device& device) const {
  const auto found = std::ranges::find(devices_, &device, &DeviceRef::get);
  if (found == devices_.end()) return std::nullopt;
  return static_cast<size_t>(found - devices_.begin());
}

Build Program::build_of(const Device& device) const {
  const std::lock_guard lock(mutex_);
  const auto index = index_of(device);
  return index ? builds_[*index] : Build();
}
void Program::set_build(const Device& device, Build build) {
  const std::lock_guard lock(mutex_);
  if (const auto index = index_of(device)) builds_[*index] = std::move(build);
}

std::vector<size_t> Program::binary_sizes() const {
  const std::lock_guard lock(mutex_);
  std::vector<size_t> sizes;
  for (const Build& build : builds_) sizes.push_back(build.binary().size());
  return sizes;
}

// "An array of pointers, allocated by the caller": NULL for a device whose binary is not wanted.
Status Program::binaries(const InfoOut& out) const {
  const std::lock_guard lock(mutex_);
  const size_t bytes = builds_.size() * sizeof(unsigned char*);
  if (out.size() != nullptr) *out.size() = bytes;
  if (out.value() == nullptr) return Unit{};
  if (out.room() < bytes)
    return invalid_value("param_value_size is " + std::to_string(out.room()) + ", the pointers take " +
                         std::to_string(bytes));
  auto* pointers = static_cast<unsigned char**>(out.value());
  for (size_t i = 0; i < builds_.size(); ++i) {
    const std::string& binary = builds_[i].binary();
    if (pointers[i] != nullptr && !binary.empty()) std::memcpy(pointers[i], binary.data(), binary.size());
  }
  return Unit{};
}

Answer<std::vector<std::string>> Program::names() const {
  const std::lock_guard lock(mutex_);
  for (const Build& build : builds_) {
    if (build.module == nullptr) continue;
    std::vector<std::string> list;
    for (const frontend::OpenClKernel& kernel : *build.kernels) list.push_back(kernel.name);
    return list;
  }
  return failure(CL_INVALID_PROGRAM_EXECUTABLE, "the program has not been built for any device");
}
Answer<size_t> Program::kernel_count() const {
  auto list = names();
  if (!list) return list.error();
  return list->size();
}
Answer<std::string> Program::kernel_names() const {
  auto list = names();
  if (!list) return list.error();
  std::string text;
  for (const std::string& name : *list) text += (text.empty() ? "" : ";") + name;
  return text;
}

size_t Program::global_variable_bytes(const Device& device) const {
  const Build build = build_of(device);
  if (build.module == nullptr) return 0;
  size_t bytes = 0;
  for (const module::Symbol& symbol : build.module->image().symbols)
    if (symbol.kind == module::SymbolKind::memory && symbol.space == module::Space::global)
      bytes +=
          (symbol.size + symbol.align - 1) / symbol.align * symbol.align;  // a vector of three takes four
  return bytes;
}

Answer<cl_program> clCreateProgramWithSource(const ContextRef& context, cl_uint count, const char** strings,
                                             const size_t* lengths) {
  if (count == 0 || strings == nullptr) return invalid_value("there are no strings");
  std::string source;
  for (cl_uint i = 0; i < count; ++i) {
    if (strings[i] == nullptr) return invalid_value("string " + std::to_string(i) + " is NULL");
    source.append(strings[i], lengths != nullptr && lengths[i] != 0 ? lengths[i] : std::strlen(strings[i]));
  }
  // Programs give lengths that count the zero.
  while (!source.empty() && source.back() == '\0') source.pop_back();
  return published<cl_program>(
      std::make_shared<Program>(context, context->devices(), Program::Origin::source, std::move(source)));
}

Answer<cl_program> clCreateProgramWithBinary(const ContextRef& context, cl_uint num_devices,
                                             const cl_device_id* device_list, const size_t* lengths,
                                             const unsigned char** binaries, cl_int* binary_status) {
  if (num_devices == 0 || device_list == nullptr) return invalid_value("there are no devices");
  if (lengths == nullptr || binaries == nullptr) return invalid_value("lengths or binaries is NULL");
  std::vector<DeviceRef> devices;
  for (cl_uint i = 0; i < num_devices; ++i) {
    DeviceRef device = find(device_list[i]);
    if (device == nullptr) return no_such("a device", device_list[i]);
    if (!context->has(*device)) return failure(CL_INVALID_DEVICE, "a device is none of the context's");
    devices.push_back(std::move(device));
  }
  auto program = std::make_shared<Program>(context, devices, Program::Origin::binary);
  std::optional<Failure> bad;
  for (cl_uint i = 0; i < num_devices; ++i) {
    const auto set = [&](cl_int status) {
      if (binary_status != nullptr) binary_status[i] = status;
    };
    const auto refuse = [&](const char* what) {
      set(CL_INVALID_BINARY);
      if (!bad) bad = failure(CL_INVALID_BINARY, "binary " + std::to_string(i) + " is " + what);
    };
    if (lengths[i] == 0 || binaries[i] == nullptr) {
      set(CL_INVALID_VALUE);
      if (!bad) bad = invalid_value("binary " + std::to_string(i) + " is empty");
      continue;
    }
    Build build;
    std::string binary(reinterpret_cast<const char*>(binaries[i]), lengths[i]);
    if (is_bitcode(binary)) {
      const frontend::OpenClObject kind = frontend::kind_of_object(binary);
      if (kind == frontend::OpenClObject::damaged) {
        refuse("a damaged object");
        continue;
      }
      build.binary_type = kind == frontend::OpenClObject::library ? CL_PROGRAM_BINARY_TYPE_LIBRARY
                                                                  : CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
      build.object = std::move(binary);
    } else {
      while (!binary.empty() && binary.back() == '\0') binary.pop_back();
      if (!is_readable(binary)) {
        refuse("no PTX that can be read");
        continue;
      }
      if (frontend::describes_kernels(binary) && !frontend::kernels_of(binary)) {
        refuse("PTX whose description of the kernels is damaged");
        continue;
      }
      build.binary_type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
      build.ptx = std::move(binary);
    }
    set(CL_SUCCESS);
    program->set_build(*devices[i], std::move(build));
  }
  if (bad) return *bad;
  return published<cl_program>(std::move(program));
}

Answer<cl_program> clCreateProgramWithBuiltInKernels(const ContextRef& context, cl_uint num_devices,
                                                     const cl_device_id* device_list,
                                                     const char* kernel_names) {
  if (num_devices == 0 || device_list == nullptr) return invalid_value("there are no devices");
  if (kernel_names == nullptr) return invalid_value("kernel_names is NULL");
  if (auto devices = devices_of(*context, num_devices, device_list); !devices) return devices.error();
  return invalid_value("no device has a built-in kernel '" + std::string(kernel_names) + "'");
}

// No SPIR-V: CL_DEVICE_IL_VERSION is empty.
Answer<cl_program> clCreateProgramWithIL(const ContextRef&, const void*, size_t) {
  return failure(CL_INVALID_OPERATION, "no device of the context takes an intermediate language");
}
Status clSetProgramSpecializationConstant(const ProgramRef& program, cl_uint, size_t, const void*) {
  (void)program;
  return failure(CL_INVALID_OPERATION, "the program is of no intermediate language");
}

// Only for programs in intermediate languages with destructors; those there are none.
Status clSetProgramReleaseCallback(const ProgramRef&, Program::Notify pfn_notify, void*) {
  if (pfn_notify == nullptr) return invalid_value("pfn_notify is NULL");
  return failure(CL_INVALID_OPERATION, "programs have no destructors");
}

}  // namespace heddle::opencl
