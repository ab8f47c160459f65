#include "api/entry/error_log.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

namespace heddle::entry {

namespace {

constexpr std::string_view cut = "(older entries are left out)\n";

std::string now() {
  using namespace std::chrono;
  const auto time = system_clock::now();
  const std::time_t seconds = system_clock::to_time_t(time);
  const auto part = duration_cast<milliseconds>(time.time_since_epoch()).count() % 1000;
  std::tm parts{};
  localtime_r(&seconds, &parts);
  char text[32];
  std::snprintf(text, sizeof text, "%02d:%02d:%02d.%03d", parts.tm_hour, parts.tm_min, parts.tm_sec,
                static_cast<int>(part));
  return text;
}

// Open until the process ends; none where the variable is not set.
std::FILE* wished_file() {
  static std::FILE* const file = []() -> std::FILE* {
    const char* name = std::getenv("CUDA_LOG_FILE");
    if (name == nullptr || *name == '\0') return nullptr;
    if (std::string_view(name) == "stdout") return stdout;
    if (std::string_view(name) == "stderr") return stderr;
    return std::fopen(name, "a");
  }();
  return file;
}

}  // namespace

ErrorLog& ErrorLog::get() {
  static auto& log = *new ErrorLog;  // never destroyed: calls may come while the process ends
  return log;
}

void ErrorLog::note(const Record& record, std::string_view words) noexcept try {
  // [time][thread][source][severity][function] message
  std::string line =
      '[' + now() + "][" + std::to_string(gettid()) + "][CUDA][E][" + record.name + "] " + std::string(words);
  std::ranges::replace(line, '\n', ' ');
  if (std::FILE* file = wished_file()) {
    std::fprintf(file, "%s\n", line.c_str());
    std::fflush(file);
  }
  std::vector<Listener> listeners;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, listener] : listeners_) listeners.push_back(listener);
    lines_.push_back(line);
    if (lines_.size() > kept) lines_.pop_front();
    ++end_;
  }
  // A listener may call the API again, and change what it likes of the text.
  for (const Listener& listener : listeners) {
    std::string text = line;
    listener(level_error, text.data(), text.size());
  }
} catch (...) {  // NOLINT: there is nobody to tell
}

uint64_t ErrorLog::add(Listener listener) {
  const std::lock_guard lock(mutex_);
  listeners_[++last_listener_] = std::move(listener);
  return last_listener_;
}

bool ErrorLog::remove(uint64_t listener) {
  const std::lock_guard lock(mutex_);
  return listeners_.erase(listener) != 0;
}

uint32_t ErrorLog::end() const {
  const std::lock_guard lock(mutex_);
  return end_;
}

uint32_t ErrorLog::oldest() const {
  const std::lock_guard lock(mutex_);
  return end_ - static_cast<uint32_t>(lines_.size());
}

std::string ErrorLog::lines(uint32_t from, std::size_t bytes, uint32_t& next) const {
  const std::lock_guard lock(mutex_);
  next = end_;
  // Positions wrap around.
  const auto wanted = static_cast<std::size_t>(std::max(static_cast<int32_t>(end_ - from), 0));
  const std::size_t there = std::min(wanted, lines_.size());
  std::size_t taken = 0, size = 0;
  while (taken < there && size + lines_[lines_.size() - taken - 1].size() + 1 <= bytes) {
    size += lines_[lines_.size() - taken - 1].size() + 1;
    ++taken;
  }
  // Room for saying that some are left out.
  while (taken < wanted && taken > 0 && size + cut.size() > bytes) {
    size -= lines_[lines_.size() - taken].size() + 1;
    --taken;
  }
  std::string text;
  if (taken < wanted && cut.size() <= bytes) text = cut;
  for (std::size_t i = lines_.size() - taken; i < lines_.size(); ++i) text += lines_[i] + '\n';
  return text;
}

}  // namespace heddle::entry
