#include "profiler/data_file.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <limits>

namespace heddle::profiler {

namespace {

// Tabs, newlines and backslashes of names.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '\t': out += "\\t"; break;
      case '\n': out += "\\n"; break;
      case '\\': out += "\\\\"; break;
      default: out += c;
    }
  return out;
}

class Row {
 public:
  explicit Row(std::string_view kind) : text_(kind) {}
  Row& operator<<(std::string_view value) {
    text_ += '\t';
    text_ += escaped(value);
    return *this;
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  Row& operator<<(T value) {
    std::array<char, 32> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    return *this << std::string_view(digits.data(), end);
  }
  Row& operator<<(bool value) { return *this << (value ? 1 : 0); }
  // Those that are not 0, as number=value.
  template <class Values>
  Row& sparse(const Values& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] != 0) {
        *this << i;
        text_ += '=';
        std::array<char, 32> digits;
        text_.append(digits.data(),
                     std::to_chars(digits.data(), digits.data() + digits.size(), values[i]).ptr);
      }
    return *this;
  }
  std::string end() { return std::move(text_) + '\n'; }

 private:
  std::string text_;
};

Row& operator<<(Row& row, const DeviceRecord& device) {
  return row << device.index << device.id << device.name << device.capability.major
             << device.capability.minor;
}

}  // namespace

Result<DataWriter> DataWriter::create(const std::string& path, const Profile& head) {
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) return Error{"'" + path + "' cannot be written: " + std::strerror(errno)};
  DataWriter writer(file);
  writer.write(std::string(data_first_line) + '\n' +
               (Row("process") << head.process << head.program << head.began << head.wall).end());
  return writer;
}

DataWriter::~DataWriter() {
  if (file_ != nullptr) std::fclose(file_);
}

void DataWriter::write(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), file_);
  std::fflush(file_);
}

void DataWriter::add(const LaunchRecord& r) {
  std::string text =
      (Row("launch") << r.number << r.correlation << r.call << r.parent << r.kernel << r.device << r.context
                     << r.stream << r.thread << r.grid[0] << r.grid[1] << r.grid[2] << r.block[0]
                     << r.block[1] << r.block[2] << r.time.began << r.time.ended << r.failure << r.counted)
          .end();
  text += Row("facts").sparse(r.facts).end();
  if (!r.ranges.empty()) {
    Row within("within");
    for (const uint64_t range : r.ranges) within << range;
    text += within.end();
  }
  if (r.counted) text += Row("counts").sparse(r.counts).end();
  for (const LineCounts& line : r.lines)
    text += (Row("line") << line.file << line.line).sparse(line.counts).end();
  write(text);
}

void DataWriter::add(const CopyRecord& r) {
  write((Row("copy") << r.correlation << r.call << r.bytes << r.kind << r.from << r.to << r.from_pinned
                     << r.to_pinned << r.device << r.context << r.stream << r.default_stream << r.time.began
                     << r.time.ended)
            .end());
}

void DataWriter::add(const CallRecord& r) {
  write((Row("call") << r.number << r.name << r.thread << r.succeeded << r.time.began << r.time.ended).end());
}

void DataWriter::began(const RangeRecord& r) {
  write((Row("range") << r.id << std::string_view(&r.kind, 1) << r.domain << r.message << r.category
                      << (r.color ? static_cast<int64_t>(*r.color) : -1) << r.payload.has_value()
                      << r.payload.value_or(0) << r.thread << r.time.began)
            .end());
}

void DataWriter::ended(const RangeRecord& r) { write((Row("ended") << r.id << r.time.ended).end()); }

void DataWriter::named(int32_t thread, const std::string& name) {
  write((Row("thread") << thread << name).end());
}

double device_time(const LaunchRecord&) { return std::numeric_limits<double>::quiet_NaN(); }

}  // namespace heddle::profiler
