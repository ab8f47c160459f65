// The dump's format: tools/perf/Documentation/jitdump-specification.txt of Linux, version 1.
#include "exec/jit/debug/perf.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>

namespace heddle::exec::jit::debug {

namespace {

enum Record : uint32_t { code_load = 0, debug_info = 2 };
constexpr uint32_t dump_magic = 0x4a695444, dump_version = 1, header_bytes = 40;

template <class T>
void add(std::string& out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

void add_record(std::string& out, Record kind, uint64_t time, const std::string& body) {
  add<uint32_t>(out, kind);
  add<uint32_t>(out, static_cast<uint32_t>(16 + body.size()));
  add<uint64_t>(out, time);
  out += body;
}

uint64_t now() {  // of the clock that `perf record -k mono` stamps its samples by
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

class Files {
 public:
  void write(const CodeLines& lines) {
    const std::lock_guard lock(mutex_);
    if (process_ != getpid() && !open_files()) return;
    const auto thread = static_cast<uint32_t>(syscall(SYS_gettid));
    put(map_, map_name_, perf_map(lines));
    put(dump_, dump_name_, jitdump_records(lines, {static_cast<uint32_t>(process_), thread, now(), index_}));
    index_ += lines.functions.size();
  }

 private:
  bool open_files() {
    process_ = getpid();
    index_ = 0;
    const char* directory = std::getenv("JITDUMPDIR");
    map_name_ = "/tmp/perf-" + std::to_string(process_) + ".map";
    dump_name_ = std::string(directory != nullptr && *directory != '\0' ? directory : "/tmp") + "/jit-" +
                 std::to_string(process_) + ".dump";
    map_ = open(map_name_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (map_ < 0) complain(map_name_);
    dump_ = open(dump_name_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (dump_ < 0) complain(dump_name_);
    put(dump_, dump_name_, jitdump_header(static_cast<uint32_t>(process_), now()));
    // perf notes mappings of code: so it learns where the dump is.
    if (dump_ >= 0)
      static_cast<void>(mmap(nullptr, static_cast<std::size_t>(sysconf(_SC_PAGESIZE)), PROT_READ | PROT_EXEC,
                             MAP_PRIVATE, dump_, 0));
    return map_ >= 0 || dump_ >= 0;
  }

  static void complain(const std::string& name) {
    std::fprintf(stderr, "heddle: HEDDLE_JIT_DEBUG: %s: %s\n", name.c_str(), std::strerror(errno));
  }

  static void put(int& file, const std::string& name, const std::string& bytes) {
    for (std::size_t at = 0; file >= 0 && at < bytes.size();) {
      const ssize_t done = ::write(file, bytes.data() + at, bytes.size() - at);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) {
        complain(name);
        close(file);
        file = -1;
        return;
      }
      at += static_cast<std::size_t>(done);
    }
  }

  std::mutex mutex_;
  pid_t process_ = 0;  // a child has files of its own
  uint64_t index_ = 0;
  int map_ = -1, dump_ = -1;
  std::string map_name_, dump_name_;
};

}  // namespace

std::string perf_map(const CodeLines& lines) {
  std::string out;
  char numbers[64];
  for (const CodeLines::Function& f : lines.functions) {
    std::snprintf(numbers, sizeof numbers, "%lx %lx ", static_cast<unsigned long>(f.begin),
                  static_cast<unsigned long>(f.bytes));
    out += numbers + f.name + "\n";
  }
  return out;
}

std::string jitdump_header(uint32_t process, uint64_t time) {
  std::string out;
  for (const uint32_t word : {dump_magic, dump_version, header_bytes, uint32_t{EM_X86_64}, 0U, process})
    add(out, word);
  add(out, time);
  add(out, uint64_t{0});  // flags
  return out;
}

std::string jitdump_records(const CodeLines& lines, DumpStamp stamp) {
  std::string out;
  for (const CodeLines::Function& f : lines.functions) {
    const auto is_within = [&](const CodeLines::Row& row) {
      return row.line != 0 && row.begin - f.begin < f.bytes;
    };
    std::string body;
    add<uint64_t>(body, f.begin);
    add<uint64_t>(body, static_cast<uint64_t>(std::ranges::count_if(lines.rows, is_within)));
    for (const CodeLines::Row& row : lines.rows) {
      if (!is_within(row)) continue;
      add<uint64_t>(body, row.begin);
      add<uint32_t>(body, row.line);
      add<uint32_t>(body, 0);  // discriminator
      body += lines.files[row.file] + '\0';
    }
    add_record(out, debug_info, stamp.time, body);  // comes before the code that it is of
    body.clear();
    add(body, stamp.process);
    add(body, stamp.thread);
    add<uint64_t>(body, f.begin);
    add<uint64_t>(body, f.begin);
    add<uint64_t>(body, f.bytes);
    add<uint64_t>(body, stamp.index++);
    body += f.name + '\0';
    body.append(reinterpret_cast<const char*>(f.begin), f.bytes);
    add_record(out, code_load, stamp.time, body);
  }
  return out;
}

void dump_for_perf(const CodeLines& lines) {
  static auto* files = new Files;  // kernels may still be made while the process ends
  files->write(lines);
}

}  // namespace heddle::exec::jit::debug
