#include "profiler/records.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <type_traits>

#include "profiler/data_file.h"

namespace heddle::profiler {

namespace {

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

void read(Fields& f, LaunchRecord& r) {
  f >> r.number >> r.correlation >> r.call >> r.parent >> r.kernel >> r.device >> r.context >> r.stream >>
      r.thread >> r.grid >> r.block >> r.time.began >> r.time.ended >> r.failure >> r.counted;
}

void read(Fields& f, CopyRecord& r) {
  f >> r.correlation >> r.call >> r.bytes >> r.kind >> r.from >> r.to >> r.from_pinned >> r.to_pinned >>
      r.device >> r.context >> r.stream >> r.default_stream >> r.time.began >> r.time.ended;
}

void read(Fields& f, CallRecord& r) {
  f >> r.number >> r.name >> r.thread >> r.succeeded >> r.time.began >> r.time.ended;
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

// What stands behind a launch. False: the line is of something else.
bool read_more(std::string_view kind, Fields& fields, LaunchRecord& launch, bool brief) {
  if (kind == "within") {
    fields.all(launch.ranges);
  } else if (kind == "facts") {
    fields.sparse(launch.facts);
  } else if (kind == "counts") {
    fields.sparse(launch.counts);
  } else if (kind == "line") {
    if (brief) return true;
    LineCounts& line = launch.lines.emplace_back();
    fields >> line.file >> line.line;
    fields.sparse(line.counts);
  } else {
    return false;
  }
  return true;
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

template <class Record>
constexpr std::string_view kind_of;
template <>
constexpr std::string_view kind_of<LaunchRecord> = "launch";
template <>
constexpr std::string_view kind_of<CopyRecord> = "copy";
template <>
constexpr std::string_view kind_of<CallRecord> = "call";

}  // namespace

Result<std::shared_ptr<DataSource>> DataSource::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return Error{"'" + path + "' cannot be read: " + std::strerror(errno)};
  return std::shared_ptr<DataSource>(new DataSource(descriptor));
}

DataSource::~DataSource() { close(descriptor_); }

std::size_t DataSource::read(char* to, std::size_t bytes, uint64_t from) const {
  for (;;) {
    const ssize_t done = pread(descriptor_, to, bytes, static_cast<off_t>(from));
    if (done >= 0) return static_cast<std::size_t>(done);
    if (errno != EINTR) return 0;
  }
}

LineReader::LineReader(std::shared_ptr<const DataSource> source, uint64_t place, std::size_t step)
    : source_(std::move(source)), step_(step), buffer_place_(place) {}

void LineReader::put_back() { line_end_ = line_begin_; }

bool LineReader::next(std::string_view& line) {
  line_begin_ = line_end_;
  std::size_t looked_at = line_begin_;
  for (;;) {
    const char* begin = buffer_.data() + looked_at;
    if (const void* newline = std::memchr(begin, '\n', filled_ - looked_at)) {
      line_end_ = static_cast<std::size_t>(static_cast<const char*>(newline) - buffer_.data()) + 1;
      line = std::string_view(buffer_).substr(line_begin_, line_end_ - line_begin_ - 1);
      return true;
    }
    // What is left goes to the front, and the buffer grows where a line is longer than it.
    buffer_.erase(0, line_begin_);
    buffer_place_ += line_begin_;
    filled_ -= line_begin_;
    line_begin_ = line_end_ = 0;
    looked_at = filled_;
    if (buffer_.size() < filled_ + step_) buffer_.resize(filled_ + step_);
    const std::size_t got = source_->read(buffer_.data() + filled_, step_, buffer_place_ + filled_);
    if (got == 0) return false;
    filled_ += got;
  }
}

// Goes through the lines, which were found to be good when the profile was read.
template <class Record>
class Records<Record>::Reader {
 public:
  Reader(LineReader lines, std::size_t size, bool brief)
      : lines_(std::move(lines)), left_(size), brief_(brief) {}
  bool next() {
    if (left_ == 0) return false;
    std::string_view line;
    while (lines_.next(line)) {
      Fields fields(line);
      if (fields.word() != kind_of<Record>) continue;
      --left_;
      place_ = lines_.place();
      record_ = {};
      read(fields, record_);
      if constexpr (std::is_same_v<Record, LaunchRecord>) read_rest();
      return true;
    }
    return false;
  }
  const Record& record() const { return record_; }
  uint64_t place() const { return place_; }

 private:
  void read_rest()
    requires std::is_same_v<Record, LaunchRecord>
  {
    std::string_view line;
    while (lines_.next(line)) {
      Fields fields(line);
      if (read_more(fields.word(), fields, record_, brief_)) continue;
      lines_.put_back();
      return;
    }
  }
  LineReader lines_;
  std::size_t left_;
  const bool brief_;
  uint64_t place_ = 0;
  Record record_;
};

template <class Record>
const Record& Records<Record>::Iterator::operator*() const {
  return reader_->record();
}

template <class Record>
typename Records<Record>::Iterator& Records<Record>::Iterator::operator++() {
  if (reader_ != nullptr && !reader_->next()) reader_ = nullptr;
  return *this;
}

template <class Record>
uint64_t Records<Record>::Iterator::place() const {
  return reader_->place();
}

template <class Record>
typename Records<Record>::Iterator Records<Record>::begin() const {
  return Iterator(size_ == 0 ? nullptr
                             : std::make_shared<Reader>(LineReader(source_, first_), size_, brief_));
}

template <class Record>
Record Records<Record>::at(uint64_t place) const {
  constexpr std::size_t of_one = 4 << 10;
  Reader reader(LineReader(source_, place, of_one), 1, brief_);
  return reader.next() ? reader.record() : Record{};
}

template class Records<LaunchRecord>;
template class Records<CopyRecord>;
template class Records<CallRecord>;

namespace {

// Reads a file once, from front to back, and keeps what is not as many as there are launches.
class Survey {
 public:
  explicit Survey(std::shared_ptr<const DataSource> source) : source_(std::move(source)) {}
  // False: no such record here.
  bool line(std::string_view text, uint64_t place) {
    Fields fields(text);
    const std::string_view kind = fields.word();
    const bool is_launch = kind == "launch";
    if (is_launch) {
      of_launch_ = true;
      launch_ = {};
      read(fields, launch_);
      launches_.found(place);
      last_ = std::max(last_, launch_.time.ended);
    } else if (of_launch_ && read_more(kind, fields, launch_, false)) {
      launch_.lines.clear();
      launch_.ranges.clear();
    } else {
      of_launch_ = false;
      if (!other(kind, fields, place)) return false;
    }
    return !fields.bad();
  }
  Profile end() {
    profile_.launches = {source_, launches_.first, launches_.size};
    profile_.copies = {source_, copies_.first, copies_.size};
    profile_.calls = {source_, calls_.first, calls_.size};
    // What was open at the end was so until the last thing that is known.
    int64_t last = std::max(last_, profile_.began);
    for (const RangeRecord& range : profile_.ranges) last = std::max(last, range.time.ended);
    for (RangeRecord& range : profile_.ranges)
      if (!range.ended) range.time.ended = last;
    return std::move(profile_);
  }

 private:
  struct Found {
    uint64_t first = 0;
    std::size_t size = 0;
    void found(uint64_t place) {
      if (size++ == 0) first = place;
    }
  };
  bool other(std::string_view kind, Fields& fields, uint64_t place) {
    if (kind == "process") {
      fields >> profile_.process >> profile_.program >> profile_.began >> profile_.wall;
    } else if (kind == "copy") {
      CopyRecord copy;
      read(fields, copy);
      copies_.found(place);
    } else if (kind == "call") {
      CallRecord call;
      read(fields, call);
      calls_.found(place);
      last_ = std::max(last_, call.time.ended);
    } else if (kind == "range") {
      RangeRecord range = read_range(fields);
      // Threads write them down as they come; nearly always that is the order in which they began.
      const auto where = std::ranges::upper_bound(profile_.ranges, range.id, {}, &RangeRecord::id);
      profile_.ranges.insert(where, std::move(range));
    } else if (kind == "ended") {
      end_range(fields, profile_);
    } else if (kind == "thread") {
      int32_t thread = 0;
      fields >> thread;
      fields >> profile_.thread_names[thread];
    } else {
      return false;
    }
    return true;
  }
  std::shared_ptr<const DataSource> source_;
  Profile profile_;
  Found launches_, copies_, calls_;
  LaunchRecord launch_;
  bool of_launch_ = false;  // the lines that come now may be of a launch
  int64_t last_ = 0;
};

}  // namespace

Result<Profile> read_data(const std::string& path) {
  const auto source = DataSource::open(path);
  if (!source) return source.error();
  LineReader lines(*source, 0);
  std::string_view line;
  if (!lines.next(line) || line != data_first_line)
    return Error{"'" + path + "' is no profile of this version: it begins with no line '" +
                 std::string(data_first_line) + "'"};
  Survey survey(*source);
  for (uint64_t number = 2; lines.next(line); ++number)
    if (!survey.line(line, lines.place()))
      return Error{path + ":" + std::to_string(number) + ": this is no record of a profile"};
  return survey.end();
}

}  // namespace heddle::profiler
