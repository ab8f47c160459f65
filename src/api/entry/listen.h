// Who listens to the calls of the APIs: profiler, checker, tracer. Each call of each API is told, with what
// it was given and how it ended; what a call submits carries its number (support/host_call.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "api/entry/trace.h"
#include "support/host_call.h"

namespace heddle::entry {

struct CallFacts {
  const Record& record;
  uint64_t number;               // HostCall::number
  int64_t began = 0, ended = 0;  // nanoseconds of the steady clock
  int64_t status = 0;            // the API's code; 0 where it has none
  bool succeeded = true;
  std::string_view outcome;  // the status in words, with the reason when it failed
  ArgumentList arguments;
};

// Calls come from any thread, several at a time.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void began(const Record&, uint64_t /*number*/) {}
  virtual void ended(const CallFacts&) = 0;
};

void listen(std::shared_ptr<Listener> listener);
void stop_listening(const Listener& listener);

namespace detail {
extern std::atomic<bool> anybody;  // one for all libraries
}
inline bool listened() { return detail::anybody.load(std::memory_order_relaxed); }

// Around one call.
class Heard {
 public:
  explicit Heard(const Record& record) : record_(record) {
    if (listened()) [[unlikely]]
      begin();
  }
  ~Heard() {
    if (number_ != 0) [[unlikely]]
      host_call = before_;
  }
  Heard(const Heard&) = delete;
  Heard& operator=(const Heard&) = delete;
  explicit operator bool() const { return number_ != 0; }  // somebody wants to know how it ended
  void ended(int64_t status, bool succeeded, std::string_view outcome, ArgumentList arguments) const;

 private:
  void begin();
  const Record& record_;
  uint64_t number_ = 0;
  int64_t began_ = 0;
  HostCall before_;
};

}  // namespace heddle::entry
