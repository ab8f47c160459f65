#include "profiler/data_file.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>

namespace heddle::profiler {

namespace {

constexpr std::string_view first_line = "heddle profile 4";

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

std::string plain(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    ++i;
    out += text[i] == 't' ? '\t' : text[i] == 'n' ? '\n' : text[i];
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

// The fields of a line, one after the other. A field that is missing or no number makes the row bad.
class Fields {
 public:
  explicit Fields(std::string_view line) : rest_(line) {}
  std::string_view word() {
    if (done_) bad_ = true;
    const std::size_t tab = rest_.find('\t');
    const std::string_view one = rest_.substr(0, tab);
    done_ = tab == std::string_view::npos;
    rest_.remove_prefix(done_ ? rest_.size() : tab + 1);
    return one;
  }
  Fields& operator>>(std::string& text) {
    text = plain(word());
    return *this;
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  Fields& operator>>(T& value) {
    number(word(), value);
    return *this;
  }
  Fields& operator>>(bool& value) {
    int number = 0;
    *this >> number;
    value = number != 0;
    return *this;
  }
  template <class Values>
  void sparse(Values& values) {
    while (!done_ && !bad_) {
      const std::string_view pair = word();
      const std::size_t equals = pair.find('=');
      std::size_t place = 0;
      if (equals == std::string_view::npos || !number(pair.substr(0, equals), place) ||
          place >= values.size())
        bad_ = true;
      else
        number(pair.substr(equals + 1), values[place]);
    }
  }
  // What is left of the line.
  void all(std::vector<uint64_t>& values) {
    while (!done_ && !bad_) *this >> values.emplace_back();
  }
  bool bad() const { return bad_; }

 private:
  template <class T>
  bool number(std::string_view text, T& value) {
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec == std::errc() && read.ptr == text.data() + text.size()) return true;
    bad_ = true;
    return false;
  }
  std::string_view rest_;
  bool done_ = false, bad_ = false;
};

template <class T>
Fields& operator>>(Fields& fields, std::array<T, 3>& three) {
  return fields >> three[0] >> three[1] >> three[2];
}

Fields& operator>>(Fields& fields, DeviceRecord& device) {
  return fields >> device.index >> device.id >> device.name >> device.capability.major >>
         device.capability.minor;
}

Row& operator<<(Row& row, const DeviceRecord& device) {
  return row << device.index << device.id << device.name << device.capability.major
             << device.capability.minor;
}

LaunchRecord read_launch(Fields& f) {
  LaunchRecord r;
  f >> r.number >> r.correlation >> r.call >> r.parent >> r.kernel >> r.device >> r.context >> r.stream >>
      r.thread >> r.grid >> r.block >> r.time.began >> r.time.ended >> r.failure >> r.counted;
  return r;
}

CopyRecord read_copy(Fields& f) {
  CopyRecord r;
  f >> r.correlation >> r.call >> r.bytes >> r.kind >> r.from >> r.to >> r.from_pinned >> r.to_pinned >>
      r.device >> r.context >> r.stream >> r.default_stream >> r.time.began >> r.time.ended;
  return r;
}

CallRecord read_call(Fields& f) {
  CallRecord r;
  f >> r.number >> r.name >> r.thread >> r.succeeded >> r.time.began >> r.time.ended;
  return r;
}

RangeRecord read_range(Fields& f) {
  RangeRecord r;
  std::string kind;
  int64_t color = 0;
  bool has_payload = false;
  double payload = 0;
  f >> r.id >> kind >> r.domain >> r.message >> r.category >> color >> has_payload >> payload >> r.thread >>
      r.time.began;
  r.kind = kind.empty() ? 't' : kind.front();
  if (color >= 0) r.color = static_cast<uint32_t>(color);
  if (has_payload) r.payload = payload;
  r.time.ended = r.time.began;
  return r;
}

// Of a range that began before; one that did not was open when the profile began, and is left out.
void end_range(Fields& fields, Profile& profile) {
  uint64_t id = 0;
  int64_t ended = 0;
  fields >> id >> ended;
  const auto range = std::ranges::lower_bound(profile.ranges, id, {}, &RangeRecord::id);
  if (range == profile.ranges.end() || range->id != id) return;
  range->time.ended = ended;
  range->ended = true;
}

// False: no such record here.
bool read_row(std::string_view kind, Fields& fields, Profile& profile) {
  if (kind == "process") {
    fields >> profile.process >> profile.program >> profile.began >> profile.wall;
  } else if (kind == "launch") {
    profile.launches.push_back(read_launch(fields));
  } else if (kind == "copy") {
    profile.copies.push_back(read_copy(fields));
  } else if (kind == "call") {
    profile.calls.push_back(read_call(fields));
  } else if (kind == "range") {
    RangeRecord range = read_range(fields);
    // Threads write them down as they come; nearly always that is the order in which they began.
    const auto place = std::ranges::upper_bound(profile.ranges, range.id, {}, &RangeRecord::id);
    profile.ranges.insert(place, std::move(range));
  } else if (kind == "ended") {
    end_range(fields, profile);
  } else if (kind == "thread") {
    int32_t thread = 0;
    fields >> thread;
    fields >> profile.thread_names[thread];
  } else if (!profile.launches.empty() && kind == "within") {
    fields.all(profile.launches.back().ranges);
  } else if (!profile.launches.empty() && kind == "facts") {
    fields.sparse(profile.launches.back().facts);
  } else if (!profile.launches.empty() && kind == "counts") {
    fields.sparse(profile.launches.back().counts);
  } else if (!profile.launches.empty() && kind == "line") {
    LineCounts line;
    fields >> line.file >> line.line;
    fields.sparse(line.counts);
    profile.launches.back().lines.push_back(std::move(line));
  } else {
    return false;
  }
  return true;
}

}  // namespace

Result<DataWriter> DataWriter::create(const std::string& path, const Profile& head) {
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) return Error{"'" + path + "' cannot be written: " + std::strerror(errno)};
  DataWriter writer(file);
  writer.write(std::string(first_line) + '\n' +
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

Result<Profile> read_data(const std::string& path) {
  std::ifstream in(path);
  if (!in) return Error{"'" + path + "' cannot be read"};
  std::string line;
  if (!std::getline(in, line) || line != first_line)
    return Error{"'" + path + "' is no profile of this version: it begins with no line '" +
                 std::string(first_line) + "'"};
  Profile profile;
  for (uint64_t number = 2; std::getline(in, line); ++number) {
    const bool cut_off = in.eof();  // without its newline
    if (cut_off) break;
    Fields fields(line);
    const std::string_view kind = fields.word();
    if (!read_row(kind, fields, profile) || fields.bad())
      return Error{path + ":" + std::to_string(number) + ": this is no record of a profile"};
  }
  // What was open at the end was so until the last thing that is known.
  int64_t last = profile.began;
  for (const LaunchRecord& launch : profile.launches) last = std::max(last, launch.time.ended);
  for (const CallRecord& call : profile.calls) last = std::max(last, call.time.ended);
  for (const RangeRecord& range : profile.ranges) last = std::max(last, range.time.ended);
  for (RangeRecord& range : profile.ranges)
    if (!range.ended) range.time.ended = last;
  return profile;
}

double device_time(const LaunchRecord&) { return std::numeric_limits<double>::quiet_NaN(); }

}  // namespace heddle::profiler
