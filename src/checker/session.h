// One run of a checked program, as the one who started it sees it: what its processes tell comes in over a
// pipe, and is printed, limited and added up as NVIDIA's tool does.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/message.h"
#include "checker/record.h"
#include "checker/settings.h"

namespace heddle::checker {

struct SessionOptions {
  Settings settings;
  std::string prefix = "========= ";
  std::string title = "COMPUTE-SANITIZER";
  uint64_t print_limit = 100;  // 0: all
  bool print_warnings = true;
  bool host_frames = true;
  bool details = false;    // what NVIDIA's tool does not say
  bool quiet = false;      // nothing but findings
  int error_exitcode = 0;  // when something was found in a program that succeeded
  bool check_exit_code = true;
  bool require_init = true;
  std::string save_file;  // findings: records (record.h), or what came over the pipe
  bool saves_records = false;
  std::optional<Suppressions> suppressions;
  std::string opening;  // a line behind the title; empty: none
};

class Session {
 public:
  Session(SessionOptions options, std::ostream& out) : options_(std::move(options)), out_(out) {}
  // Starts `program` with these words; what it returns, or the code asked for. `prepare` runs in the new
  // process.
  int run(const std::string& program, const std::vector<std::string>& words);
  // What an earlier session saved; false: the file is none of those.
  bool read_saved(const std::string& bytes);

 private:
  struct Kept {
    bool warning = false;
    uint64_t hazards = 0;
    std::string text, detail, record;
  };
  void take(const MessageHead& head, const std::string& text);
  void read(int pipe, int child, int& status);
  std::size_t take_all(std::string_view bytes);
  void error(const Kept& kept);
  void finding(const Kept& kept);
  void save() const;
  void print(const std::string& text, const std::string& detail);
  void print_exceptions();
  void print_orders();
  void summary();
  int exit_code(int status);

  const SessionOptions options_;
  std::ostream& out_;
  std::map<std::pair<uint32_t, uint32_t>, Kept> races_, exceptions_, orders_;  // by process and number
  std::vector<Kept> leaks_;
  uint64_t errors_ = 0, printed_ = 0, not_printed_ = 0;
  std::string saved_;    // the file's bytes
  std::string records_;  // of what was told
  uint64_t hazard_errors_ = 0, hazard_warnings_ = 0, hazards_printed_ = 0;
  uint64_t exception_errors_ = 0, exception_warnings_ = 0, exceptions_printed_ = 0;
  uint64_t order_errors_ = 0, order_warnings_ = 0, orders_printed_ = 0;
  bool tested_ = false;
  bool over_ = false, killed_ = false;  // the time limit
};

}  // namespace heddle::checker
