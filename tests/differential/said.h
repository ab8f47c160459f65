// What an executor says (jit::Options::trace), from whatever thread, for as long as it lives.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace heddle {

class Said {
 public:
  std::function<void(const std::string& line)> listener() const {
    return [lines = lines_](const std::string& line) {
      const std::lock_guard lock(lines->mutex);
      lines->text += line + '\n';
    };
  }
  std::string text() const {
    const std::lock_guard lock(lines_->mutex);
    return lines_->text;
  }
  bool has(const std::string& words) const { return text().find(words) != std::string::npos; }

 private:
  struct Lines {
    std::mutex mutex;
    std::string text;
  };
  std::shared_ptr<Lines> lines_ = std::make_shared<Lines>();
};

}  // namespace heddle
