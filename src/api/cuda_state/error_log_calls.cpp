#include "api/cuda_state/error_log_calls.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "api/entry/error_log.h"

namespace heddle::cuda {

namespace {

using entry::ErrorLog;

Status no_flags(unsigned flags) {
  if (flags == 0) return Unit{};
  return invalid_value("the flags must be 0, are " + std::to_string(flags));
}

// The iterator goes on to the end; without one everything is wanted that is there.
std::string dumped(uint32_t* iterator, std::size_t bytes) {
  const ErrorLog& log = ErrorLog::get();
  uint32_t next = 0;
  std::string text = log.lines(iterator != nullptr ? *iterator : log.oldest(), bytes, next);
  if (iterator != nullptr) *iterator = next;
  return text;
}

}  // namespace

Status log_to_file(uint32_t* iterator, const char* path, unsigned flags) {
  if (Status good = no_flags(flags); !good) return good;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path, "w"), std::fclose);
  const auto failed = [&] { return invalid_value("'" + std::string(path) + "': " + std::strerror(errno)); };
  if (file == nullptr) return failed();
  const std::string text = dumped(iterator, SIZE_MAX);
  const bool written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  return written && std::fflush(file.get()) == 0 ? Status(Unit{}) : failed();
}

Status log_to_memory(uint32_t* iterator, char* buffer, std::size_t* size, unsigned flags) {
  if (Status good = no_flags(flags); !good) return good;
  if (*size == 0 || *size > ErrorLog::most_bytes)
    return invalid_value("a buffer of " + std::to_string(*size) + " bytes; from 1 to " +
                         std::to_string(ErrorLog::most_bytes) + " are possible");
  const std::string text = dumped(iterator, *size - 1);
  std::memcpy(buffer, text.c_str(), text.size() + 1);
  *size = text.size();
  return Unit{};
}

Status log_position(uint32_t* iterator, unsigned flags) {
  if (Status good = no_flags(flags); !good) return good;
  *iterator = ErrorLog::get().end();
  return Unit{};
}

Answer<uint64_t> add_log_listener(ErrorLog::Listener listener) {
  if (!listener) return invalid_value("the callback is NULL");
  return ErrorLog::get().add(std::move(listener));
}

Status remove_log_listener(uint64_t listener) {
  if (ErrorLog::get().remove(listener)) return Unit{};
  return invalid_value("no callback of the error log");
}

}  // namespace heddle::cuda
