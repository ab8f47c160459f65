#include "cache/disk.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "support/file_limit.h"
#include "support/host_memory.h"

namespace heddle::cache {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view hex_digits = "0123456789abcdef";
constexpr uint64_t max_entry_bytes = uint64_t{1} << 28;
constexpr unsigned max_failures = 4;
constexpr std::string_view temporary = ".new-";
using namespace std::chrono_literals;
// How old a file's time may get while the entry is in use, when an entry may go for another, and when a file
// that was never renamed belongs to a process that is no more.
constexpr std::chrono::seconds touch_after = 10min, unused_after = 24h, abandoned_after = 1h;

std::string hex(const Digest& key) {
  std::string text;
  for (uint8_t byte : key) {
    text += hex_digits[byte >> 4];
    text += hex_digits[byte & 15];
  }
  return text;
}

// Behind the digits of an entry's name.
constexpr std::array<std::string_view, kinds> suffixes{"", ".program", ".experience", ".text", ".beginning"};

std::optional<Kind> kind_of(std::string_view name) {
  constexpr std::size_t digits = 2 * sizeof(Digest) - 1;
  if (name.size() < digits || name.substr(0, digits).find_first_not_of(hex_digits) != name.npos)
    return std::nullopt;
  for (std::size_t i = 0; i < kinds; ++i)
    if (name.substr(digits) == suffixes[i]) return static_cast<Kind>(i);
  return std::nullopt;
}

// A descriptor that closes itself.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int get() const { return descriptor_; }
  bool write_all(std::string_view bytes) const {
    const FileLimitIsAnError guard;
    while (!bytes.empty()) {
      const ssize_t n = write(descriptor_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(n));
    }
    return true;
  }

 private:
  int descriptor_;
};

bool read_all(int descriptor, std::string& bytes) {
  size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t n = ::read(descriptor, bytes.data() + have, bytes.size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    have += static_cast<size_t>(n);
  }
  return true;
}

std::chrono::system_clock::time_point time_of(const timespec& t) {
  return std::chrono::system_clock::time_point(
      std::chrono::duration_cast<std::chrono::system_clock::duration>(std::chrono::seconds(t.tv_sec) +
                                                                      std::chrono::nanoseconds(t.tv_nsec)));
}

struct Found {
  Kind kind;
  std::string path;
  uint64_t bytes;
  std::chrono::system_clock::time_point used;
};

// The entries of a shard. Files that no process finished are removed on the way when asked to.
std::vector<Found> list(const std::string& shard, bool tidy) {
  std::vector<Found> all;
  std::error_code error;
  for (fs::directory_iterator at(shard, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const std::string path = at->path().string();
    struct stat status{};
    if (lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    const auto used = time_of(status.st_mtim);
    if (const auto kind = kind_of(name)) {
      all.push_back({*kind, path, static_cast<uint64_t>(status.st_size), used});
    } else if (tidy && name.starts_with(temporary) &&
               std::chrono::system_clock::now() - used > abandoned_after) {
      unlink(path.c_str());
    }
  }
  return all;
}

std::string shard_path(const std::string& directory, unsigned shard) {
  return directory + '/' + hex_digits[shard];
}

}  // namespace

DiskCache::DiskCache(Kind kind, std::string directory, uint64_t max_bytes)
    : kind_(kind), directory_(std::move(directory)), max_bytes_(max_bytes) {}

std::string DiskCache::shard(const Digest& key) const { return shard_path(directory_, key[0] >> 4); }

std::string DiskCache::path(const Digest& key) const {
  return shard(key) + '/' + hex(key).substr(1) + std::string(suffixes[static_cast<std::size_t>(kind_)]);
}

bool DiskCache::has(const Digest& key) const { return access(path(key).c_str(), R_OK) == 0; }

template <typename Read>
auto DiskCache::read(const Digest& key, const Read& read_file) -> decltype(read_file(0, std::size_t{0})) {
  const std::string where = path(key);
  // To open a pipe waits for who writes to it, without O_NONBLOCK.
  const File file(open(where.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status{};
  if (file.get() < 0 || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  // What is found here is run: only what this user or the system's administrator wrote.
  if (status.st_uid != geteuid() && status.st_uid != 0) return std::nullopt;
  decltype(read_file(0, std::size_t{0})) found;
  if (static_cast<uint64_t>(status.st_size) <= max_entry_bytes)
    found = read_file(file.get(), static_cast<std::size_t>(status.st_size));
  if (!found) {
    unlink(where.c_str());
    return std::nullopt;
  }
  if (std::chrono::system_clock::now() - time_of(status.st_mtim) > touch_after) {
    // Fails in a folder that is only read; then nothing is removed from it either.
    (void)utimensat(AT_FDCWD, where.c_str(), nullptr, 0);
  }
  return found;
}

std::optional<std::string> DiskCache::find(const Digest& key) {
  return read(key, [&](int file, std::size_t size) -> std::optional<std::string> {
    std::string bytes(size, '\0');
    if (!read_all(file, bytes)) return std::nullopt;
    const std::optional<std::string_view> payload = read_entry(key, bytes);
    if (!payload) return std::nullopt;
    bytes.erase(0, bytes.size() - payload->size());
    return bytes;
  });
}

std::optional<Mapped> DiskCache::map(const Digest& key) {
  return read(key, [&](int file, std::size_t size) -> std::optional<Mapped> {
    if (size == 0) return std::nullopt;
    void* const memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    if (memory == MAP_FAILED) return std::nullopt;
    std::shared_ptr<const void> held(memory, [size](void* bytes) { munmap(bytes, size); });
    const auto payload = read_entry(key, std::string_view(static_cast<const char*>(memory), size));
    if (!payload) return std::nullopt;
    return Mapped{std::move(held), *payload};
  });
}

bool DiskCache::store(const Digest& key, std::string_view payload) {
  if (failures_.load(std::memory_order_relaxed) >= max_failures || payload.size() > max_bytes_ / shards ||
      payload.size() > max_entry_bytes / 2) {
    return false;
  }
  const std::string folder = shard(key);
  // Processes in different containers may have one number: the time tells those apart.
  static std::atomic<uint64_t> count = 0;
  static const auto start = std::chrono::system_clock::now().time_since_epoch().count();
  const std::string own = folder + '/' + std::string(temporary) + std::to_string(getpid()) + '-' +
                          std::to_string(start) + '-' +
                          std::to_string(count.fetch_add(1, std::memory_order_relaxed));
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
  int descriptor = open(own.c_str(), flags, 0600);
  if (descriptor < 0 && errno == ENOENT) {
    std::error_code error;
    fs::create_directories(folder, error);
    descriptor = open(own.c_str(), flags, 0600);
  }
  bool stored = false;
  {
    const File file(descriptor);
    stored = file.get() >= 0 && file.write_all(write_entry(key, payload));
  }
  stored = stored && rename(own.c_str(), path(key).c_str()) == 0;
  if (!stored) {
    if (descriptor >= 0) unlink(own.c_str());
    failures_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  // Some stores, by the key's own digits, look whether their shard has grown too large, but not until this
  // process has stored an eighth of what was free there.
  const auto bytes = static_cast<int64_t>(payload.size());
  std::atomic<int64_t>& left = left_[key[0] >> 4];
  if (left.fetch_sub(bytes, std::memory_order_relaxed) <= bytes && (key[1] & 7) == 0)
    left.store(static_cast<int64_t>(sweep(folder) / 8), std::memory_order_relaxed);
  return true;
}

void DiskCache::remove(const Digest& key) { unlink(path(key).c_str()); }

bool DiskCache::has_room(uint64_t bytes) {
  const uint64_t bound = max_bytes_ / 2;
  if (failures_.load(std::memory_order_relaxed) >= max_failures || bytes > max_bytes_ / shards) return false;
  const auto now = std::chrono::system_clock::now();
  std::vector<Found> own;
  for (unsigned shard = 0; shard < shards; ++shard)
    for (Found& f : list(shard_path(directory_, shard), false)) {
      if (f.kind != kind_) continue;
      bytes += f.bytes;
      own.push_back(std::move(f));
    }
  std::ranges::sort(own, {}, &Found::used);
  for (const Found& f : own) {
    if (bytes <= bound || now - f.used < unused_after) break;
    unlink(f.path.c_str());
    bytes -= f.bytes;
  }
  return bytes <= bound;
}

std::vector<Digest> DiskCache::keys() const {
  std::vector<Digest> all;
  for (unsigned shard = 0; shard < shards; ++shard) {
    for (const Found& f : list(shard_path(directory_, shard), false)) {
      if (f.kind != kind_) continue;
      const std::string digits =
          hex_digits[shard] + fs::path(f.path).filename().string().substr(0, 2 * sizeof(Digest) - 1);
      Digest key;
      for (std::size_t i = 0; i < key.size(); ++i)
        key[i] =
            static_cast<uint8_t>(hex_digits.find(digits[2 * i]) << 4 | hex_digits.find(digits[2 * i + 1]));
      all.push_back(key);
    }
  }
  return all;
}

uint64_t DiskCache::sweep(const std::string& shard) {
  const uint64_t bound = max_bytes_ / shards;
  std::vector<Found> all = list(shard, true);
  uint64_t bytes = 0;
  for (const Found& f : all) bytes += f.bytes;
  if (bytes <= bound) return bound - bytes;
  std::sort(all.begin(), all.end(), [](const Found& a, const Found& b) { return a.used < b.used; });
  // Down to three quarters, so that there is room for the stores until the next look.
  for (const Found& f : all) {
    if (bytes <= bound / 4 * 3) break;
    unlink(f.path.c_str());
    bytes -= f.bytes;
  }
  return bound - bytes;
}

Contents contents_of(const std::string& directory) {
  Contents sum;
  for (unsigned shard = 0; shard < shards; ++shard) {
    for (const Found& f : list(shard_path(directory, shard), false)) {
      ++sum.entries[static_cast<std::size_t>(f.kind)];
      sum.bytes += f.bytes;
      if (!sum.least_recent || f.used < *sum.least_recent) sum.least_recent = f.used;
      if (!sum.most_recent || f.used > *sum.most_recent) sum.most_recent = f.used;
    }
  }
  return sum;
}

std::array<uint64_t, kinds> clear(const std::string& directory) {
  std::array<uint64_t, kinds> count{};
  for (unsigned shard = 0; shard < shards; ++shard) {
    const std::string folder = shard_path(directory, shard);
    for (const Found& f : list(folder, true))
      count[static_cast<std::size_t>(f.kind)] += unlink(f.path.c_str()) == 0 ? 1 : 0;
    rmdir(folder.c_str());  // stays when something else is in it
  }
  return count;
}

std::string cache_directory(const Environment& environment) {
  if (const char* own = environment("HEDDLE_CACHE_DIR")) return own;
  // The XDG base directory specification: relative paths there are invalid.
  if (const char* xdg = environment("XDG_CACHE_HOME"); xdg && xdg[0] == '/')
    return std::string(xdg) + "/heddle";
  if (const char* home = environment("HOME"); home && home[0] == '/')
    return std::string(home) + "/.cache/heddle";
  return "";
}

Result<uint64_t> cache_size(const Environment& environment) {
  constexpr uint64_t normal = uint64_t{1} << 30;
  const char* set = environment("HEDDLE_CACHE_SIZE");
  if (!set || !*set) return normal;
  if (const auto bytes = byte_count(set)) return *bytes;
  return Error{"HEDDLE_CACHE_SIZE is '" + std::string(set) +
               "', not a number of bytes, or one with K, M or G"};
}

}  // namespace heddle::cache
