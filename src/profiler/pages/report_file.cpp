#include "profiler/pages/report_file.h"

#include <array>
#include <bit>
#include <cmath>
#include <filesystem>
#include <map>
#include <ostream>
#include <string>
#include <string_view>

#include "profiler/pages/choose.h"
#include "profiler/recorder.h"

namespace heddle::profiler {

namespace {

// A Protocol Buffers message: numbers of fields with a value each, in any order.
class Message {
 public:
  Message& number(unsigned field, uint64_t value) {
    tag(field, 0);
    variable(value);
    return *this;
  }
  Message& real(unsigned field, double value) {
    tag(field, 1);
    const auto bits = std::bit_cast<uint64_t>(value);
    for (unsigned shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(bits >> shift & 0xff);
    return *this;
  }
  Message& text(unsigned field, std::string_view value) {
    tag(field, 2);
    variable(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(unsigned field, const Message& value) { return text(field, value.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  void variable(uint64_t value) {
    constexpr unsigned bits = 7;
    for (; value >> bits != 0; value >>= bits) bytes_ += static_cast<char>((value & 0x7f) | 0x80);
    bytes_ += static_cast<char>(value);
  }
  void tag(unsigned field, unsigned wire) { variable(uint64_t{field} << 3 | wire); }
  std::string bytes_;
};

// Its length before it.
std::string counted(const std::string& bytes) {
  std::string out;
  for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>(bytes.size() >> shift & 0xff);
  return out + bytes;
}

// Names stand once in a block; results have their numbers.
class Names {
 public:
  uint64_t of(std::string_view name) {
    const auto [found, is_new] = numbers_.try_emplace(std::string(name), numbers_.size());
    if (is_new) table_.text(1, name);
    return found->second;
  }
  const Message& table() const { return table_; }

 private:
  std::map<std::string, uint64_t, std::less<>> numbers_;
  Message table_;
};

Message metric(Names& names, std::string_view name, const Message& value) {
  return Message().number(1, names.of(name)).message(2, value);
}

Message value_of(double value) {
  constexpr double widest = 9e15;  // whole numbers that a double has all of
  if (value >= 0 && value < widest && std::floor(value) == value)
    return Message().number(5, static_cast<uint64_t>(value));
  return Message().real(3, value);
}

Message triple(const std::array<uint32_t, 3>& t) {
  return Message().number(1, t[0]).number(2, t[1]).number(3, t[2]);
}

Message launch_message(const Profile& profile, const LaunchRecord& launch, uint64_t id, Names& names) {
  constexpr std::array tool{Tool::ncu};
  Message out;
  out.number(1, static_cast<uint64_t>(launch.thread)).number(2, launch.correlation);
  out.number(3, 1).number(4, id);  // program and kernel
  out.text(5, launch.kernel).text(6, base_name(launch.kernel)).text(7, demangled(launch.kernel));
  out.number(8, 3).message(9, triple({0, 0, 0}));  // dimensions, and where they begin
  out.message(10, triple(launch.grid)).message(11, triple(launch.block));
  const auto add = [&](std::string_view name, const Message& value) {
    out.message(13, metric(names, name, value));
  };
  add("device__attribute_display_name", Message().text(1, launch.device.name));
  add("device__attribute_compute_capability_major", Message().number(5, launch.device.capability.major));
  add("device__attribute_compute_capability_minor", Message().number(5, launch.device.capability.minor));
  add("device__attribute_multiprocessor_count", value_of(at(launch.facts, Fact::multiprocessors)));
  for (const Metric* one : metrics_of(tool, launch.device.capability))
    if (const double v = value(*one, launch); !std::isnan(v)) add(one->name, value_of(v));
  constexpr int64_t nanoseconds = 1000;  // of a microsecond
  out.number(14, static_cast<uint64_t>(profile.wall * nanoseconds + launch.time.began - profile.began));
  out.message(15, Message().number(1, 0));  // no machine code
  out.number(16, 0).number(22, launch.context).number(23, launch.stream);
  return out;
}

}  // namespace

void print_report_file(const std::vector<Profile>& processes, std::ostream& out) {
  constexpr uint64_t version = 7;
  out << std::string_view("NVR\0", 4) << counted(Message().number(1, version).bytes());
  uint64_t id = 0;
  for (const Profile& profile : processes) {
    if (profile.launches.empty()) continue;
    Names names;
    std::string payload;
    for (const LaunchRecord& launch : profile.launches)
      payload += counted(launch_message(profile, launch, id++, names).bytes());
    const auto process = static_cast<uint64_t>(profile.process);
    Message session;
    session.number(1, process).number(2, static_cast<uint64_t>(profile.wall));
    session.message(9, Message().text(1, profile.program));
    Message header;
    header.number(1, 0).number(2, profile.launches.size());  // sources, results
    header.message(3, session).message(4, names.table()).number(5, payload.size());
    header.message(6, Message()
                          .number(1, process)
                          .text(2, "127.0.0.1")
                          .text(3, std::filesystem::path(profile.program).filename().string()));
    out << counted(header.bytes()) << payload;
  }
}

}  // namespace heddle::profiler
