// What is told of results that an order decides: each line once, with how often it was.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "checker/message.h"

namespace heddle::checker {

class OrderReports {
 public:
  explicit OrderReports(std::shared_ptr<Reporter> reporter) : reporter_(std::move(reporter)) {}
  struct Report {
    std::string text, detail, record;
    std::string one;  // of what it was: "launch"
    bool warning = false;
  };
  void tell(const std::string& key, Report report);
  void notice(const std::string& key, const std::string& text);  // once for each key
  // Counts that were not told yet.
  void tell_rest();

 private:
  struct Told {
    Report report;
    uint32_t number = 0;
    uint64_t times = 0;
  };
  void send(const Told& told);
  const std::shared_ptr<Reporter> reporter_;
  std::mutex mutex_;
  std::map<std::string, Told> told_;
  std::set<std::string> notices_;
};

}  // namespace heddle::checker
