// What was measured of a process, as plain values: written down while it runs (recorder.h), read by the
// tools' pages. What is as many as the program's launches stays in a file (records.h).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "arch/values.h"
#include "profiler/records.h"
#include "profiler/tables.h"

namespace heddle::profiler {

using Counts = std::array<uint64_t, counter_count>;
using Facts = std::array<double, fact_count>;

inline uint64_t& at(Counts& counts, Counter counter) { return counts[static_cast<std::size_t>(counter)]; }
inline uint64_t at(const Counts& counts, Counter counter) {
  return counts[static_cast<std::size_t>(counter)];
}
inline double& at(Facts& facts, Fact fact) { return facts[static_cast<std::size_t>(fact)]; }
inline double at(const Facts& facts, Fact fact) { return facts[static_cast<std::size_t>(fact)]; }

struct LineCounts {
  std::string file;  // empty: the code says none
  uint32_t line = 0;
  Counts counts{};
};

// Nanoseconds of the host's clock.
struct HostTime {
  int64_t began = 0, ended = 0;
  int64_t length() const { return ended - began; }
};

struct DeviceRecord {
  uint32_t index = 0;    // in the process
  std::string id, name;  // "h200", "NVIDIA H200"
  arch::Capability capability;
};

struct LaunchRecord {
  uint64_t number = 0;       // of the process's launches, from 1
  uint64_t correlation = 0;  // the API call
  std::string call;          // its function
  uint64_t parent = 0;       // the grid whose kernel launched it; 0: the host
  std::string kernel;        // as the image has it
  DeviceRecord device;
  uint64_t context = 0, stream = 0;
  int32_t thread = 0;
  std::array<uint32_t, 3> grid{}, block{};
  HostTime time;
  std::string failure;           // empty: it ended well
  std::vector<uint64_t> ranges;  // that its thread was in when it asked: RangeRecord::id, the outermost first
  bool counted = false;
  Facts facts{};
  Counts counts{};
  std::vector<LineCounts> lines;
};

// A copy, or a fill.
struct CopyRecord {
  uint64_t correlation = 0, bytes = 0;
  std::string call;
  std::string kind;           // "HtoD", "DtoH", "DtoD", "HtoH", "HtoA", "AtoH", ..., "PtoP", "memset"
  uint64_t from = 0, to = 0;  // addresses; a fill comes from none
  bool from_pinned = false, to_pinned = false;
  DeviceRecord device;
  uint64_t context = 0, stream = 0;
  bool default_stream = false;  // which waits for all other streams, and they for it
  HostTime time;
};

// What the program marked by NVTX.
struct RangeRecord {
  uint64_t id = 0;                        // counts the process's from 1
  char kind = 't';                        // 't': of a thread, 'f': from anywhere to anywhere, 'm': a moment
  std::string domain, message, category;  // an empty domain is the default one
  std::optional<uint32_t> color;          // ARGB
  std::optional<double> payload;
  int32_t thread = 0;
  HostTime time;  // of one that is still open, until then
  bool ended = false;
};

struct CallRecord {
  uint64_t number = 0;
  std::string name;
  int32_t thread = 0;
  bool succeeded = true;
  HostTime time;
};

struct Profile {
  int32_t process = 0;
  std::string program;  // path
  int64_t began = 0;    // of the host's clock, when the profile was begun
  int64_t wall = 0;     // microseconds since 1970, then
  Records<LaunchRecord> launches;
  Records<CopyRecord> copies;
  Records<CallRecord> calls;
  std::vector<RangeRecord> ranges;              // in the order in which they began
  std::map<int32_t, std::string> thread_names;  // that the program gave
  bool whole = false;                           // the process ended by itself
};

// ---- device time: nothing knows it yet but the timing model, which has one function to answer here.
// Nanoseconds that the launch takes on its device; NaN: not known.
double device_time(const LaunchRecord& launch);

}  // namespace heddle::profiler
