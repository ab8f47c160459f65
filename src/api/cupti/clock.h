// The clock of what programs are told: nanoseconds since 1970, or what a function of the program says.
#pragma once

#include <cupti.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace heddle::cupti {

class Timestamps {
 public:
  Timestamps();
  void use(CUpti_TimestampCallbackFunc clock);
  uint64_t now() const;
  // A time of the steady clock by that clock. The program's own one need not count nanoseconds: it is looked
  // at now and then, and is taken to run evenly between.
  uint64_t at(int64_t steady);

 private:
  struct Mark {
    int64_t steady;
    uint64_t told;
  };
  Mark look() const;

  const int64_t since_1970_;  // of the steady clock's beginning
  std::atomic<CUpti_TimestampCallbackFunc> clock_{nullptr};
  std::mutex mutex_;
  std::vector<Mark> marks_;  // in their order
};

}  // namespace heddle::cupti
