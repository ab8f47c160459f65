// Activity records on their way to the program: kept when something happened, handed over in the program's
// own buffers. Those who run kernels only keep them. A thread of its own hands them over when there are many,
// and a flush does so in the thread that asks: the program's functions may take locks that the threads of
// kernels must not wait for.
#pragma once

#include <cupti.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "api/cupti/clock.h"

namespace heddle::cupti {

class Records {
 public:
  struct Callbacks {
    CUpti_BuffersCallbackRequestFunc request = nullptr;
    CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  };
  // When a task ran, instead of when it seemed to: of HEDDLE_CLOCK=device.
  struct Span {
    int64_t began = 0, ended = 0;
  };
  using TimesOf = std::function<Span(uint64_t submission)>;

  explicit Records(Timestamps& clock) : clock_(clock) {}

  void set_callbacks(Callbacks callbacks);
  bool has_callbacks();
  void set_times_of(TimesOf times);
  // Called when records were dropped since the program gave no buffer. Before the first record.
  void set_no_buffer(std::function<void()> told) { no_buffer_ = std::move(told); }
  // Times in it are of the steady clock. `submission`: whose times count (set_times_of); 0: those in it.
  template <class Record>
  void add(const Record& record, uint64_t submission = 0) {
    keep(&record, sizeof record, submission);
  }
  // Sees that there is a buffer of the program's before records are handed over, since some programs ask for
  // records only if they were asked for a buffer. In threads of the program.
  void prepare() {
    if (!prepared_.load(std::memory_order_relaxed)) [[unlikely]]
      ask();
  }
  void flush();
  std::size_t take_dropped();  // and forgets them
  void set_period(uint32_t milliseconds);

 private:
  // Before each record that waits.
  struct Head {
    uint64_t submission, bytes;
  };
  struct Buffer {
    uint8_t* data = nullptr;
    std::size_t size = 0, most = 0, used = 0, records = 0;  // most: records; 0: as fit
  };
  void keep(const void* record, std::size_t bytes, uint64_t submission);
  void ask();
  void hand_over(bool all);
  std::size_t hand_out(bool all);  // how many were dropped
  bool room_for(std::size_t bytes, const Callbacks& callbacks);
  void complete(const Callbacks& callbacks);
  void tell_times(std::byte* record, uint64_t submission);
  void begin_thread();
  void work();

  Timestamps& clock_;
  std::mutex mutex_;  // of what follows; nothing else is waited for with it
  std::vector<std::byte> waiting_;
  Callbacks callbacks_;
  TimesOf times_of_;
  std::function<void()> no_buffer_;
  std::size_t dropped_ = 0;
  uint32_t period_ = 0;
  bool thread_ = false;
  std::condition_variable many_;
  std::mutex handing_;  // while the program's functions are called
  std::atomic<bool> prepared_{false};
  Buffer buffer_;
};

// The same text for the same text, for as long as the process lives: records point to it.
const char* kept_text(std::string_view text);

}  // namespace heddle::cupti
