#include "exec/jit/machine/record.h"

#include <cstring>

namespace heddle::exec::jit {

namespace {

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
  std::string text() {
    const uint64_t bytes = number();
    if (bytes > left_.size()) ok = false;
    if (!ok) return {};
    std::string t(left_.substr(0, bytes));
    left_.remove_prefix(bytes);
    return t;
  }
  bool at_end() const { return left_.empty(); }
  bool can_hold(uint64_t count, uint64_t bytes) const { return count <= left_.size() / bytes; }
  bool ok = true;

 private:
  std::string_view left_;
};

constexpr uint64_t site_bytes = 32;

}  // namespace

std::string write_record(const KernelRecord& record) {
  Writer w;
  w.text(record.object);
  w.text(record.reason);
  w.number(record.sites.size());
  for (const Site& s : record.sites) {
    for (uint32_t n : {s.function, s.instruction, s.called_from, s.frame}) w.number(n);
  }
  w.number(record.slot_bytes);
  w.number(record.local_bytes);
  w.number(record.uses_shared ? 1 : 0);
  w.number(record.uses_steps ? 1 : 0);
  w.number(record.by_threads ? 1 : 0);
  w.number(record.flush_mode ? 1 : 0);
  w.number(record.recursive ? 1 : 0);
  return std::move(w.out);
}

std::optional<KernelRecord> read_record(std::string_view bytes) {
  Reader r(bytes);
  KernelRecord record;
  record.object = r.text();
  record.reason = r.text();
  const uint64_t sites = r.number();
  if (!r.ok || !r.can_hold(sites, site_bytes)) return std::nullopt;
  record.sites.resize(sites);
  for (Site& s : record.sites) {
    for (uint32_t* n : {&s.function, &s.instruction, &s.called_from, &s.frame}) *n = r.small();
  }
  record.slot_bytes = r.number();
  record.local_bytes = r.number();
  record.uses_shared = r.flag();
  record.uses_steps = r.flag();
  record.by_threads = r.flag();
  record.flush_mode = r.flag();
  record.recursive = r.flag();
  if (!r.ok || !r.at_end()) return std::nullopt;
  return record;
}

}  // namespace heddle::exec::jit
