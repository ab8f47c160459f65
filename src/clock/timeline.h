// When work would have run on the device: each piece starts when what it waits for has ended and an engine of
// its kind is free. Copies take their engines in the order of their submission; kernels share the
// multiprocessors where the device runs several at a time (CUDA C Programming Guide 3.2.5, Best Practices
// Guide 3.1.2). The host is taken to be infinitely fast: what it does between two calls takes no time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace heddle::clock {

enum class Engine : uint8_t { none, kernels, to_device, to_host, within_device };

struct Work {
  Engine engine = Engine::none;
  uint32_t device = 0;
  int64_t nanoseconds = 0;
  double share = 1;  // of the device's multiprocessors, for kernels
};

struct Engines {
  uint32_t copies = 0;  // 0: copies and kernels take turns
  bool concurrent_kernels = false;
  uint32_t queues = 0;  // in which kernels of streams wait; streams beyond them share one. 0: one for each
  uint32_t grids = 0;   // that can run at a time; 0: any number
};

// Of nanoseconds. Ready: what it waits for had ended.
struct Interval {
  int64_t ready = 0, started = 0, ended = 0;
};

class Timeline {
 public:
  // By number of the device.
  explicit Timeline(std::vector<Engines> devices) : devices_(devices.size()), engines_(std::move(devices)) {}

  // Numbers count from 1 in the order of submission. A mark takes no time.
  // Nothing begins before `earliest`, and no kernel before those that stand in front of it in its stream's
  // queue.
  void submitted(uint64_t number, std::vector<uint64_t> after, bool mark = false, int64_t earliest = 0,
                 uint64_t stream = 0);
  // Says a submission's work, or more of it: one piece comes behind the other.
  void works(uint64_t number, const Work& work);
  // When it can begin as far as is known: what it waits for has ended, if no engine was taken by others.
  int64_t begins(uint64_t number) const;
  // Of one that is done. What was submitted before it and is not done yet comes behind it.
  Interval of(uint64_t number);

 private:
  struct Open {
    std::vector<uint64_t> after;
    Work work;
    bool known = false;
    int64_t earliest = 0;
    uint64_t stream = 0;
    int64_t ends = 0;  // if no engine was taken by others
  };
  int64_t begins(const Open&) const;
  struct Kernel {
    int64_t ended;
    double share;
  };
  struct DeviceState {
    std::array<int64_t, 2> copies{};  // when each copy engine is free
    std::vector<Kernel> kernels;      // that may run still
    int64_t all = 0;                  // where copies and kernels take turns: when the last one ends
    int64_t last_kernel = 0;
    std::vector<int64_t> queues;  // when the last kernel of each began
  };
  void place(uint64_t number);
  Interval interval(const Open&);
  int64_t start_kernel(DeviceState&, const Engines&, int64_t ready, const Work&);

  std::map<uint64_t, Open> open_;  // that have no place in time yet
  std::vector<Interval> placed_;   // by number
  std::vector<DeviceState> devices_;
  const std::vector<Engines> engines_;
};

}  // namespace heddle::clock
