#include "api/cuda_state/program.h"

#include <chrono>
#include <cstring>
#include <span>

#include "analysis/registers/estimate.h"
#include "analysis/resources.h"
#include "api/cuda_state/device.h"
#include "fatbin/embedded.h"
#include "fatbin/text_cubin.h"
#include "support/read_file.h"

namespace heddle::cuda {

namespace {

// Those that do something here, by their numbers in both APIs.
enum class Option : int {
  wall_time = 2,
  info_log_buffer = 3,
  info_log_buffer_size = 4,
  error_log_buffer = 5,
  error_log_buffer_size = 6,
  log_verbose = 12,
  count = 35,
};

// As NVIDIA's assembler says it, with what is known without its machine code.
std::string told(const module::Image& image, const arch::Device& device) {
  uint64_t global = 0;
  for (const module::Symbol& symbol : image.symbols)
    if (symbol.space == module::Space::global && symbol.kind == module::SymbolKind::memory)
      global += symbol.size;
  std::string log = "ptxas info    : " + std::to_string(global) + " bytes gmem\n";
  for (std::size_t i = 0; i < image.functions.size(); ++i) {
    const module::Function& function = image.functions[i];
    if (!function.entry || !function.defined) continue;
    const analysis::ThreadResources needs =
        analysis::reported_thread(image, static_cast<uint32_t>(i), device.arch);
    const auto estimate = analysis::estimate_registers(image, static_cast<uint32_t>(i), device.arch);
    const std::string spilled = std::to_string(estimate.spilled_bytes);
    log += "ptxas info    : Compiling entry function '" + function.name + "' for 'sm_" +
           std::to_string(device.capability().number()) + "'\nptxas info    : Function properties for " +
           function.name + "\n    " + std::to_string(needs.stack_bytes + estimate.spilled_bytes) +
           " bytes stack frame, " + spilled + " bytes spill stores, " + spilled +
           " bytes spill loads\nptxas info    : Used " + std::to_string(estimate.registers) + " registers";
    if (function.static_shared_bytes != 0)
      log += ", " + std::to_string(function.static_shared_bytes) + " bytes smem";
    log += '\n';
  }
  return log;
}

unsigned int unsigned_value(void* value) {
  return static_cast<unsigned int>(reinterpret_cast<uintptr_t>(value));
}

}  // namespace

Status JitOptions::take(int option, void*& value) {
  switch (static_cast<Option>(option)) {
    case Option::info_log_buffer: info_.text = static_cast<char*>(value); break;
    case Option::info_log_buffer_size:
      info_.size = unsigned_value(value);
      info_.size_value = &value;
      break;
    case Option::error_log_buffer: errors_.text = static_cast<char*>(value); break;
    case Option::error_log_buffer_size:
      errors_.size = unsigned_value(value);
      errors_.size_value = &value;
      break;
    case Option::wall_time: wall_time_ = &value; break;
    case Option::log_verbose: verbose_ = unsigned_value(value) != 0; break;
    default:
      if (option < 0 || option >= static_cast<int>(Option::count))
        return invalid_value("no option of the compiler has the number " + std::to_string(option));
  }
  return Unit{};
}

void JitOptions::write(Buffer& buffer, const std::string& log) {
  std::size_t written = 0;
  if (buffer.text != nullptr && buffer.size != 0) {
    written = std::min<std::size_t>(log.size(), buffer.size - 1);
    std::memcpy(buffer.text, log.data(), written);
    buffer.text[written] = '\0';
  }
  if (buffer.size_value != nullptr) *buffer.size_value = reinterpret_cast<void*>(written);
}

void JitOptions::write_logs(const std::string& info, const std::string& errors) {
  write(info_, info);
  write(errors_, errors);
}

void JitOptions::write_wall_time(float milliseconds) {
  if (wall_time_ != nullptr) std::memcpy(wall_time_, &milliseconds, sizeof milliseconds);
}

void ProgramImage::add_to(ProgramCode& code, const std::string& name) const {
  if (binary.empty())
    code.add_ptx(name, text);
  else
    code.add_fat_binary_copy(binary);
}

Answer<ProgramImage> read_image(const void* image) {
  using fatbin::Form;
  ProgramImage result;
  switch (fatbin::form_of(image)) {
    case Form::ptx: result.text = static_cast<const char*>(image); return result;
    case Form::wrapper: {
      auto images = fatbin::images_of(*static_cast<const fatbin::Wrapper*>(image));
      if (!images) return failure(Code::invalid_image, images.error().message);
      if (images->size() != 1) return failure(Code::invalid_image, "a program of several units");
      result.binary.assign(images->front().begin(), images->front().end());
      return result;
    }
    case Form::fat_binary: {
      const auto bytes = fatbin::extent_of(image);
      result.binary.assign(bytes.begin(), bytes.end());
      return result;
    }
    case Form::text_cubin: {
      const auto inner = fatbin::read_text_cubin(static_cast<const char*>(image));
      if (!inner) return failure(Code::no_binary_for_device, inner.error().message);
      const auto bytes = std::as_bytes(std::span(*inner));
      result.binary.assign(bytes.begin(), bytes.end());
      return result;
    }
    case Form::elf:
      return failure(Code::no_binary_for_device,
                     "the image is machine code of a device; PTX is needed (nvcc -ptx, or -gencode with "
                     "code=compute_XX)");
    case Form::unknown: break;
  }
  return failure(Code::invalid_image, "the image is neither PTX nor a fat binary");
}

Answer<ProgramImage> read_image(const void* image, size_t bytes) {
  if (bytes < 4) return failure(Code::invalid_image, "an image of " + std::to_string(bytes) + " bytes");
  // A copy that ends in zeros: a text may lack them.
  const auto* begin = static_cast<const std::byte*>(image);
  std::vector<std::byte> copy(begin, begin + bytes);
  copy.resize(bytes + 64);
  if (fatbin::form_of(copy.data()) == fatbin::Form::fat_binary &&
      fatbin::extent_of(copy.data()).size() > bytes)
    return failure(Code::invalid_image, "the fat binary is longer than " + std::to_string(bytes) + " bytes");
  return read_image(copy.data());
}

Answer<ProgramImage> read_image_file(const char* path) {
  const auto bytes = read_file(path);
  if (!bytes) return failure(Code::file_not_found, bytes.error().message);
  return read_image(bytes->data(), bytes->size());
}

Answer<std::shared_ptr<const module::Image>> link(const ContextRef& context, ProgramCode& code,
                                                  JitOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  auto image = code.image_for(context->device().facts());
  const std::chrono::duration<float, std::milli> time = std::chrono::steady_clock::now() - begin;
  options.write_wall_time(time.count());
  if (image)
    options.write_logs(options.verbose() ? code.log() + told(**image, context->device().facts()) : code.log(),
                       "");
  else
    options.write_logs("", code.log().empty() ? image.error().message : code.log());
  return image;
}

}  // namespace heddle::cuda
