// What a checked process tells the one that checks it: findings, as they come, over a pipe. Whoever checks
// counts, limits and prints them (session.h), and has them whatever becomes of the process.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace heddle::checker {

enum class MessageKind : uint8_t {
  error,       // printed as it comes; without a text: so many (hazards) more, which nobody would print
  race,        // number, hazards: the newest of a number counts, printed at the end
  hazard,      // of a race, so many bytes; without a text: more of them
  leak,        // hazards: bytes, printed at the end
  notice,      // of the checker itself
  tested,      // a CUDA or OpenCL call was made
  time_limit,  // an error, behind which the process is ended
  order,       // as race, of a result that depends on the order of blocks and warps: so many launches
  exception,   // as race, of a floating-point number: so many times
};

struct MessageHead {
  static constexpr uint32_t sign = 0x4b434448;
  uint32_t magic = sign;
  MessageKind kind{};
  bool warning = false;
  uint16_t unused = 0;
  uint32_t process = 0;
  uint32_t number = 0;
  uint64_t hazards = 0;
  uint32_t bytes = 0;   // of the text
  uint32_t detail = 0;  // of the text, where what the real tool does not say begins
  uint32_t record = 0;  // and where its record (record.h) begins
};

class Reporter {
 public:
  // `most_texts`: of so many errors somebody may print the text; 0: of all.
  explicit Reporter(int file, uint64_t most_texts = 0) : file_(file), most_texts_(most_texts) {}
  // `text`: lines, with blanks before all but the first; `detail`: more of them, for those who like to know;
  // `record`: the same for programs (record.h).
  void tell(MessageKind kind, const std::string& text, const std::string& detail = {}, bool warning = false,
            uint32_t number = 0, uint64_t hazards = 0, const std::string& record = {});
  // Kernels do the same wrong thing by the thousand. When nobody will print the next error it need not be
  // written: false, and it is counted.
  bool wants_error() {
    if (most_texts_ == 0 || errors_.fetch_add(1, std::memory_order_relaxed) < most_texts_) return true;
    count_error();
    return false;
  }
  // Tells the counts.
  void flush();

 private:
  void count_error();
  void send(const MessageHead& head, std::string_view text);
  const int file_;
  const uint64_t most_texts_;
  std::atomic<uint64_t> errors_{0}, counted_{0}, told_{0};
  std::mutex mutex_;
};

}  // namespace heddle::checker
