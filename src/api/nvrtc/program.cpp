#include "api/nvrtc/program.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "api/nvrtc/first_lines.h"
#include "api/nvrtc/options.h"
#include "beginnings/beginnings.h"
#include "fatbin/fatbin.h"
#include "fatbin/words.h"
#include "frontend/cuda.h"

namespace heddle::nvrtc {
namespace {

namespace fs = std::filesystem;

// Headers of the program lie in a folder that is on no disk.
constexpr std::string_view header_folder = "/proc/nvrtc";

// What the lines added for name expressions are called.
constexpr std::string_view name_prefix = "__heddle_name_";

bool has_headers(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "include" / "cuda_runtime.h", ignored);
}

std::string name_variable(std::size_t index) {
  return std::string(name_prefix) + std::to_string(index) + "_";
}

}  // namespace

std::string toolkit_folder() {
  if (const char* home = std::getenv("HEDDLE_HOME"); home != nullptr && has_headers(home)) return home;
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&toolkit_folder), &info) == 0 || info.dli_fname == nullptr)
    return {};
  std::error_code failed;
  // <toolkit>/lib64/libheddle.so.0, or a program's own folder in tests.
  for (fs::path folder = fs::canonical(info.dli_fname, failed).parent_path();
       !failed && folder.has_relative_path(); folder = folder.parent_path()) {
    if (has_headers(folder)) return folder.string();
    if (has_headers(folder / "toolkit")) return (folder / "toolkit").string();
  }
  return {};
}

Status Program::add_name(const std::string& expression) {
  // Clients that compile a program again, for another kind of code, add its names again.
  if (std::ranges::find(expressions_, expression) != expressions_.end()) return Unit{};
  if (tried_)
    return failure(NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION, "the program is compiled already");
  expressions_.push_back(expression);
  return Unit{};
}

Status Program::lowered_name(const std::string& expression, const char** name) const {
  if (!compiled_)
    return failure(NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION, "the program is not compiled");
  const auto found = lowered_.find(expression);
  if (found == lowered_.end())
    return failure(NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID,
                   "'" + expression + "' was not added, or names nothing");
  *name = found->second.c_str();
  return Unit{};
}

// A variable for each expression, with what it names as its first contents: the PTX then says how that is
// called.
std::string Program::source_with_names() const {
  std::string text = source_;
  text += '\n';
  for (std::size_t i = 0; i < expressions_.size(); ++i)
    text += "extern \"C\" { __device__ const void* " + name_variable(i) + " = (const void*)(" +
            expressions_[i] + "); }\n";
  return text;
}

Status Program::take_names(std::string& ptx) {
  for (std::size_t i = 0; i < expressions_.size(); ++i) {
    const std::string variable = name_variable(i);
    const std::size_t at = ptx.find(variable);
    const std::size_t begin = at == ptx.npos ? at : ptx.rfind('\n', at);
    const std::size_t end = at == ptx.npos ? at : ptx.find(';', at);
    if (begin == ptx.npos || end == ptx.npos)
      return failure(NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID, "'" + expressions_[i] + "' names nothing");
    std::string value = ptx.substr(at + variable.size(), end - at - variable.size());
    if (const std::size_t open = value.find('('); open != value.npos) value = value.substr(open + 1);
    value.erase(0, value.find_first_not_of(" ={\t"));
    value.erase(std::min(value.size(), value.find_first_of(" )},\t")));
    lowered_[expressions_[i]] = value;
    ptx.erase(begin, end + 1 - begin);
  }
  return Unit{};
}

Status Program::go_on() const {
  if (flow_ == nullptr || flow_(flow_payload_, nullptr) != 1) return Unit{};
  return failure(NVRTC_ERROR_CANCELLED, "the program's callback says so");
}

// Everything that other programs' compilations share is in the job already.
frontend::Product Program::compile_program(const frontend::Job& shared, const Options& options) const {
  beginnings::Shared beginning = beginnings::get(shared, first_lines());
  frontend::Job job = shared;
  const auto begin_with = [&](const std::string& name, const std::string& text) {
    const std::string path = std::string(header_folder) + "/__heddle_" + name;
    job.files.push_back({path, text});
    job.arguments.insert(job.arguments.end(), {"-include", path});
  };
  if (beginning == nullptr) begin_with("macros_of_nvrtc", first_lines());
  begin_with("macros", options.macros);
  // For both sides, since one body serves; of the two only the device's is compiled.
  if (options.device_by_default) begin_with("default_device", "#pragma clang force_cuda_host_device begin\n");
  job.arguments.insert(job.arguments.end(), options.places.begin(), options.places.end());
  job.arguments.push_back("-I" + std::string(header_folder));
  job.arguments.push_back(name_);
  job.files.push_back({name_, source_with_names()});
  for (const Header& header : headers_)
    job.files.push_back({std::string(header_folder) + "/" + header.name, header.content});
  job.beginning = beginning.get();
  frontend::Product product = frontend::compile(job);
  if (!product.stale_beginning) return product;
  beginning = beginnings::renew(shared, first_lines());
  job.beginning = beginning.get();
  if (beginning == nullptr) begin_with("macros_of_nvrtc", first_lines());
  return frontend::compile(job);
}

Status Program::compile(std::span<const char* const> list) {
  log_.clear();
  auto options = read_options(list);
  if (!options) {
    log_ = "nvrtc: error: " + options.error().message + "\n";
    return failure(NVRTC_ERROR_INVALID_OPTION, options.error().message);
  }
  tried_ = true;
  compiled_ = false;
  if (Status on = go_on(); !on) return on;
  const std::string toolkit = toolkit_folder();
  if (toolkit.empty()) {
    log_ = "nvrtc: error: the toolkit's headers are not found; set HEDDLE_HOME to its folder\n";
    return failure(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE, log_);
  }
  const auto target = frontend::find_target(options->architecture);
  frontend::Job job;
  job.is_1x = target->is_1x();
  job.has_doubles = target->has_doubles();
  job.precision = frontend::precision_on(*target, options->precision);
  job.keeps_shared_order = options->warp_synchronous.value_or(target->is_1x());
  job.arguments = frontend::device_arguments(*target, toolkit);
  job.arguments.insert(job.arguments.end(),
                       {"-D__CUDACC_RTC__", "-D__CUDACC_VER_MAJOR__=12", "-D__CUDACC_VER_MINOR__=9",
                        "-D__CUDACC_VER_BUILD__=0", "-D__NVCC_DIAG_PRAGMA_SUPPORT__=1",
                        "-D__CUDA_ARCH_LIST__=" + std::to_string(target->number * 10)});
  for (std::string& word : host_names_hidden()) job.arguments.push_back(std::move(word));
  job.arguments.insert(job.arguments.end(), options->words.begin(), options->words.end());
  for (std::string& word : frontend::header_arguments(toolkit)) job.arguments.push_back(std::move(word));
  frontend::Product product = compile_program(job, *options);
  if (Status on = go_on(); !on) return on;
  for (const std::string& diagnostic : product.diagnostics) log_ += diagnostic;
  if (!product.failure.empty()) log_ += "nvrtc: error: " + product.failure + "\n";
  if (!product.ok) return failure(NVRTC_ERROR_COMPILATION, log_);
  auto ptx = frontend::finish_ptx(*target, std::move(product.output));
  if (!ptx) {
    log_ += "nvrtc: error: " + ptx.error().message + "\n";
    return failure(NVRTC_ERROR_COMPILATION, ptx.error().message);
  }
  ptx_ = std::move(*ptx);
  if (Status names = take_names(ptx_); !names) return names;
  device_code_.clear();
  link_code_.clear();
  if (options->link_time) {
    link_code_.swap(ptx_);
  } else if (options->real) {
    fatbin::NewEntry entry;
    entry.arch = fatbin::parse_arch(target->name).value_or(fatbin::Arch{target->number, {}});
    entry.compression = fatbin::Compression::none;
    entry.content = ptx_;
    if (!options->max_registers.empty()) entry.options = "-maxrregcount " + options->max_registers;
    auto written = fatbin::write(std::span(&entry, 1));
    if (!written) return failure(NVRTC_ERROR_INTERNAL_ERROR, written.error().message);
    device_code_ = std::move(*written);
  }
  compiled_ = true;
  return Unit{};
}

}  // namespace heddle::nvrtc
