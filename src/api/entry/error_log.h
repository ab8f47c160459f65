// What went wrong in the APIs, in words (CUDA Driver API, "Error Log Management"): the last failures of the
// process, and whoever wants to hear of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "api/entry/trace.h"

namespace heddle::entry {

class ErrorLog {
 public:
  // The text is the listener's for the time of the call.
  using Listener = std::function<void(int level, char* text, std::size_t length)>;
  // How many are kept, and how many bytes a program gets at most.
  static constexpr std::size_t kept = 100, most_bytes = 25600;
  static constexpr int level_error = 0;

  static ErrorLog& get();

  // CUDA_LOG_FILE (stdout, stderr or a path) hears of it, too. Never throws: what cannot be kept is lost.
  void note(const Record& record, std::string_view words) noexcept;

  uint64_t add(Listener listener);
  bool remove(uint64_t listener);  // false: there is no such listener

  // Where the next one goes: a position stays good when others are added.
  uint32_t end() const;
  // Those from a position on, a line each, the oldest left out where they are more than `bytes`: a first line
  // says so. `next`: behind the last.
  std::string lines(uint32_t from, std::size_t bytes, uint32_t& next) const;
  uint32_t oldest() const;

 private:
  ErrorLog() = default;
  mutable std::mutex mutex_;
  std::deque<std::string> lines_;
  uint32_t end_ = 0;
  std::map<uint64_t, Listener> listeners_;
  uint64_t last_listener_ = 0;
};

}  // namespace heddle::entry
