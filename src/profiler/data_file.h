// The profile of a process as a file, which grows while the process runs: a line a record, fields with tabs
// between. What a process that died had written is read as far as it goes.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "profiler/profile.h"
#include "support/result.h"

namespace heddle::profiler {

inline constexpr std::string_view data_first_line = "heddle profile 4";

class DataWriter {
 public:
  // The error names the file.
  static Result<DataWriter> create(const std::string& path, const Profile& head);
  DataWriter(DataWriter&& other) noexcept : file_(std::exchange(other.file_, nullptr)) {}
  DataWriter& operator=(DataWriter&&) = delete;
  ~DataWriter();
  void add(const LaunchRecord& launch);
  void add(const CopyRecord& copy);
  void add(const CallRecord& call);
  void began(const RangeRecord& range);
  void ended(const RangeRecord& range);
  void named(int32_t thread, const std::string& name);

 private:
  explicit DataWriter(std::FILE* file) : file_(file) {}
  void write(const std::string& text);
  std::FILE* file_;
};

// An error names file and line. A last line that was cut off is left out. Launches, copies and calls stay in
// the file, whose name may go.
Result<Profile> read_data(const std::string& path);

}  // namespace heddle::profiler
