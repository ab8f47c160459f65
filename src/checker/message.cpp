#include "checker/message.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace heddle::checker {

void Reporter::tell(MessageKind kind, const std::string& text, const std::string& detail, bool warning,
                    uint32_t number, uint64_t hazards, const std::string& record) {
  MessageHead head{.kind = kind,
                   .warning = warning,
                   .process = static_cast<uint32_t>(getpid()),
                   .number = number,
                   .hazards = hazards,
                   .bytes = static_cast<uint32_t>(text.size() + detail.size() + record.size()),
                   .detail = static_cast<uint32_t>(text.size()),
                   .record = static_cast<uint32_t>(text.size() + detail.size())};
  send(head, text + detail + record);
}

// A process may be ended from outside: what it has counted and not told is a small part of it.
void Reporter::count_error() {
  const uint64_t counted = counted_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (counted > told_.load(std::memory_order_relaxed) / 16) flush();
}

void Reporter::flush() {
  const uint64_t counted = counted_.exchange(0, std::memory_order_relaxed);
  if (counted == 0) return;
  told_.fetch_add(counted, std::memory_order_relaxed);
  send({.kind = MessageKind::error, .process = static_cast<uint32_t>(getpid()), .hazards = counted}, {});
}

void Reporter::send(const MessageHead& head, std::string_view text) {
  std::string bytes(sizeof head, '\0');
  std::memcpy(bytes.data(), &head, sizeof head);
  bytes += text;
  // Several processes may write to the pipe: up to PIPE_BUF bytes come in one piece.
  const std::lock_guard lock(mutex_);
  for (std::string_view rest = bytes; !rest.empty();) {
    const ssize_t written = write(file_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nobody listens any more
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace heddle::checker
