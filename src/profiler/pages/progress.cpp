#include "profiler/pages/progress.h"

#include <filesystem>
#include <fstream>
#include <utility>

#include "profiler/pages/text.h"
#include "profiler/recorder.h"

namespace heddle::profiler {

Progress::Progress(std::string folder, std::chrono::milliseconds between,
                   std::function<void(std::string_view)> tell)
    : folder_(std::move(folder)), between_(between), tell_(std::move(tell)) {
  if (between_.count() > 0) thread_ = std::thread([this] { work(); });
}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  end_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Progress::work() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (end_.wait_for(lock, between_, [this] { return ended_; })) return;
    }
    tell_(look());
  }
}

// Reads what has come since it last looked. A line that is not whole yet is left for the next time.
std::string Progress::look() {
  std::error_code ignored;
  Read all;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored)) {
    Read& file = files_[entry.path().string()];
    std::ifstream in(entry.path());
    in.seekg(file.bytes);
    for (std::string line; std::getline(in, line) && !in.eof();) {
      file.bytes = in.tellg();
      if (line.starts_with("copy\t")) ++file.copies;
      if (!line.starts_with("launch\t")) continue;
      ++file.launches;
      // The fifth field is the kernel (data_file.cpp).
      std::string_view rest = line;
      for (int field = 0; field < 5; ++field) rest.remove_prefix(std::min(rest.find('\t') + 1, rest.size()));
      file.last = rest.substr(0, rest.find('\t'));
    }
    all.launches += file.launches;
    all.copies += file.copies;
    if (!file.last.empty()) all.last = file.last;
  }
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - began_).count();
  std::string text = std::to_string(seconds) + " s: " + grouped(static_cast<double>(all.launches), 0) +
                     " launches measured, " + grouped(static_cast<double>(all.copies), 0) + " copies";
  if (!all.last.empty()) text += ", the last kernel is " + base_name(all.last);
  return text;
}

}  // namespace heddle::profiler
