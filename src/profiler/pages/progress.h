// Tells how far a program is that is being profiled: a line now and then, while what it measured grows.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace heddle::profiler {

class Progress {
 public:
  // `folder`: where the processes write. Whoever asks for 0 between lines hears nothing.
  Progress(std::string folder, std::chrono::milliseconds between, std::function<void(std::string_view)> tell);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void work();
  std::string look();
  struct Read {
    std::streamoff bytes = 0;
    uint64_t launches = 0, copies = 0;
    std::string last;  // kernel
  };
  const std::string folder_;
  const std::chrono::milliseconds between_;
  const std::function<void(std::string_view)> tell_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::map<std::string, Read> files_;
  std::mutex mutex_;
  std::condition_variable end_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace heddle::profiler
