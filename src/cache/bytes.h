// Numbers and texts as the bytes of an entry's payload, and back.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace heddle::cache {

class Writer {
 public:
  void number(uint64_t n) { out.append(reinterpret_cast<const char*>(&n), sizeof n); }
  void text(std::string_view t) {
    number(t.size());
    out.append(t);
  }
  std::string out;
};

// Reads what Writer wrote; `ok` turns false at the first thing that is not there.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}
  uint64_t number() {
    uint64_t n = 0;
    if (left_.size() < sizeof n) ok = false;
    if (!ok) return 0;
    std::memcpy(&n, left_.data(), sizeof n);
    left_.remove_prefix(sizeof n);
    return n;
  }
  uint32_t small() {
    const uint64_t n = number();
    if (n > 0xffffffff) ok = false;
    return static_cast<uint32_t>(n);
  }
  bool flag() {
    const uint64_t n = number();
    if (n > 1) ok = false;
    return n == 1;
  }
  std::string text() { return std::string(view()); }
  std::string_view view() {
    const uint64_t bytes = number();
    if (bytes > left_.size()) ok = false;
    if (!ok) return {};
    const std::string_view t = left_.substr(0, bytes);
    left_.remove_prefix(bytes);
    return t;
  }
  bool at_end() const { return left_.empty(); }
  bool can_hold(uint64_t count, uint64_t bytes) const { return count <= left_.size() / bytes; }
  bool ok = true;

 private:
  std::string_view left_;
};

}  // namespace heddle::cache
