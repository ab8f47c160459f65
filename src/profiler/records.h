// What a process wrote down, read from its file again each time that it is asked for: one record is in memory
// then, however many there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "support/result.h"

namespace heddle::profiler {

// An open file. It may lose its name while it is read.
class DataSource {
 public:
  // The error names the file.
  static Result<std::shared_ptr<DataSource>> open(const std::string& path);
  ~DataSource();
  DataSource(const DataSource&) = delete;
  DataSource& operator=(const DataSource&) = delete;
  std::size_t read(char* to, std::size_t bytes, uint64_t from) const;

 private:
  explicit DataSource(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

// Whole lines from a place of a file on.
class LineReader {
 public:
  // Reads so many bytes at once.
  LineReader(std::shared_ptr<const DataSource> source, uint64_t place, std::size_t step = 64 << 10);
  // Without its newline, and good until the next call. False: no whole line is left.
  bool next(std::string_view& line);
  void put_back();                                                // next() gives the last line again
  uint64_t place() const { return buffer_place_ + line_begin_; }  // where the last line begins

 private:
  std::shared_ptr<const DataSource> source_;
  const std::size_t step_;
  std::string buffer_;
  uint64_t buffer_place_;                                   // in the file
  std::size_t line_begin_ = 0, line_end_ = 0, filled_ = 0;  // in the buffer
};

// The records of one kind, in the order in which they were written down. A copy is of the same file.
template <class Record>
class Records {
 public:
  class Reader;
  class Iterator {
   public:
    using value_type = Record;
    using difference_type = std::ptrdiff_t;
    explicit Iterator(std::shared_ptr<Reader> reader) : reader_(std::move(reader)) { ++*this; }
    const Record& operator*() const;  // until the iterator goes on
    const Record* operator->() const { return &**this; }
    Iterator& operator++();
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return reader_ == nullptr; }
    uint64_t place() const;  // for at()

   private:
    std::shared_ptr<Reader> reader_;
  };

  Records() = default;
  Records(std::shared_ptr<const DataSource> source, uint64_t first, std::size_t size)
      : source_(std::move(source)), first_(first), size_(size) {}
  Iterator begin() const;
  std::default_sentinel_t end() const { return {}; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Record front() const { return at(first_); }
  Record at(uint64_t place) const;
  // The same without what launches did at each of their lines, which is most of a file.
  Records brief() const {
    Records records = *this;
    records.brief_ = true;
    return records;
  }

 private:
  std::shared_ptr<const DataSource> source_;
  uint64_t first_ = 0;  // where the first one lies
  std::size_t size_ = 0;
  bool brief_ = false;
};

}  // namespace heddle::profiler
