// What was compiled, on disk, so that the next process need not compile it again. Any number of processes use
// one folder at once; nothing is locked: an entry is written beside its place and renamed into it.
//
// The folder: one file an entry, <first hex digit of the key>/<the other 31> and what its kind puts behind,
// in 16 shards that are kept within a 16th of the bound each, the longest unused going first. An entry that
// is damaged, or of another format, is as good as none and is removed.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/key.h"
#include "support/result.h"

namespace heddle::cache {

enum class Kind : uint8_t {
  kernel,      // machine code
  program,     // what a program's source was compiled to
  experience,  // what a kernel's quick code has taken, so that it gets better code
  text,        // the PTX of kernels with experience
  beginning,   // headers that sources begin with, parsed
};
constexpr std::size_t kinds = 5;
constexpr unsigned shards = 16;

// An entry where it lies: nothing of it is copied. Its first byte stands at a multiple of eight.
struct Mapped {
  std::shared_ptr<const void> memory;
  std::string_view payload;  // as long as `memory` is held
};

class DiskCache {
 public:
  // The folder is made at the first store.
  DiskCache(Kind kind, std::string directory, uint64_t max_bytes);
  const std::string& directory() const { return directory_; }

  std::optional<std::string> find(const Digest& key);
  std::optional<Mapped> map(const Digest& key);  // of what is large
  bool has(const Digest& key) const;             // without a look at what it is
  // Whether the entry is there now. A folder or disk that takes nothing costs a few attempts, then none.
  bool store(const Digest& key, std::string_view payload);
  void remove(const Digest& key);
  // Whether entries of this kind can take `bytes` more without taking more than a part of the folder that
  // leaves the other kinds room, and without one of them going that was used today.
  bool has_room(uint64_t bytes);
  std::vector<Digest> keys() const;  // of the entries of this kind, in no order

 private:
  // Its entry's bytes, by what reads an open file of a size; removed if they are damaged.
  template <typename Read>
  auto read(const Digest& key, const Read& read_file) -> decltype(read_file(0, std::size_t{0}));
  std::string shard(const Digest& key) const;
  std::string path(const Digest& key) const;
  uint64_t sweep(const std::string& shard);  // the bytes that may be stored before it is full

  const Kind kind_;
  std::string directory_;
  uint64_t max_bytes_ = 0;
  std::atomic<unsigned> failures_ = 0;
  std::array<std::atomic<int64_t>, shards> left_{};  // what may be stored before a shard is looked at again
};

// The whole folder, entries of every kind.
struct Contents {
  std::array<uint64_t, kinds> entries{};  // by Kind
  uint64_t bytes = 0;
  std::optional<std::chrono::system_clock::time_point> least_recent, most_recent;  // use of an entry
};
Contents contents_of(const std::string& directory);
std::array<uint64_t, kinds> clear(const std::string& directory);  // the number of entries that went

// An entry's file: header and payload. Nothing when it is not whole, or another key's.
std::string write_entry(const Digest& key, std::string_view payload);
std::optional<std::string_view> read_entry(const Digest& key, std::string_view file);

using Environment = std::function<const char*(const char* name)>;
// HEDDLE_CACHE_DIR, or heddle/ in XDG_CACHE_HOME or ~/.cache. "": no cache, because HEDDLE_CACHE_DIR is
// empty or there is no home.
std::string cache_directory(const Environment& environment);
// HEDDLE_CACHE_SIZE: bytes, or a number with K, M or G. Default 1G.
Result<uint64_t> cache_size(const Environment& environment);

}  // namespace heddle::cache
