#include "runtime/virtual_range.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

#include "runtime/multicast.h"

namespace heddle::runtime {

namespace {

bool allows(Access access, bool write) {
  return access == Access::read_write || (!write && access == Access::read);
}

Access widest(const VirtualRange::Piece& piece) {
  Access all = Access::none;
  for (const auto& [place, access] : piece.access) all = std::max(all, access);
  return all;
}

// Its pages stay closed: rights to it are for multimem instructions.
bool is_multicast(const VirtualRange::Piece& piece) { return Multicast::of(*piece.memory) != nullptr; }

std::string range_text(uint64_t begin, uint64_t bytes) {
  return std::to_string(bytes) + " bytes at " + hex(begin);
}

}  // namespace

VirtualRange::~VirtualRange() {
  for (const auto& [begin, piece] : pieces_) ranges_.remove(begin);
}

Done VirtualRange::map(uint64_t begin, uint64_t bytes, const std::shared_ptr<PhysicalMemory>& memory) {
  const std::unique_lock lock(mutex_);
  if (begin < begin_ || bytes > bytes_ || begin - begin_ > bytes_ - bytes)
    return invalid(range_text(begin, bytes) + " are not all in the reservation of " +
                   range_text(begin_, bytes_));
  const auto next = pieces_.lower_bound(begin);
  if ((next != pieces_.end() && next->first < begin + bytes) ||
      (next != pieces_.begin() && std::prev(next)->second.end() > begin))
    return invalid(range_text(begin, bytes) + " are, in part, mapped already");
  if (Done mapped = memory->map(begin, bytes, 0, false); !mapped) return mapped;
  pieces_[begin] = {begin, bytes, memory};
  if (sampled_) mprotect(reinterpret_cast<void*>(begin), bytes, PROT_READ);
  return Unit{};
}

Outcome<std::vector<VirtualRange::Piece*>> VirtualRange::whole(uint64_t begin, uint64_t bytes) {
  std::vector<Piece*> found;
  uint64_t at = begin;
  for (auto piece = pieces_.find(begin); piece != pieces_.end() && piece->first == at && at < begin + bytes;
       ++piece) {
    at = piece->second.end();
    found.push_back(&piece->second);
  }
  if (bytes == 0 || at != begin + bytes)
    return invalid(range_text(begin, bytes) + " are not whole mappings, one after the other");
  return found;
}

// Fresh inaccessible pages: what was mapped there goes when nothing else has it.
void VirtualRange::close(uint64_t begin, uint64_t bytes) const {
  mmap(reinterpret_cast<void*>(begin), bytes, sampled_ ? PROT_READ : PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

Done VirtualRange::unmap(uint64_t begin, uint64_t bytes) {
  const std::unique_lock lock(mutex_);
  const auto pieces = whole(begin, bytes);
  if (!pieces) return pieces.error();
  for (const Piece* piece : *pieces) ranges_.remove(piece->begin);
  close(begin, bytes);
  pieces_.erase(pieces_.find(begin), pieces_.lower_bound(begin + bytes));
  return Unit{};
}

Done VirtualRange::protect(const Piece& piece) const {
  if (is_multicast(piece)) return Unit{};
  int protection = PROT_NONE;
  switch (widest(piece)) {
    case Access::none: protection = sampled_ ? PROT_READ : PROT_NONE; break;
    case Access::read: protection = PROT_READ; break;
    case Access::read_write: protection = PROT_READ | PROT_WRITE; break;
  }
  if (mprotect(reinterpret_cast<void*>(piece.begin), piece.bytes, protection) == 0) return Unit{};
  return error(ErrorCode::out_of_memory, "rights for " + range_text(piece.begin, piece.bytes) + ": " +
                                             std::string(std::strerror(errno)));
}

Done VirtualRange::set_access(uint64_t begin, uint64_t bytes, std::span<const Right> rights) {
  const std::unique_lock lock(mutex_);
  const auto pieces = whole(begin, bytes);
  if (!pieces) return pieces.error();
  for (Piece* piece : *pieces) {
    const std::map<int, Access> before = piece->access;
    for (const Right& right : rights) piece->access[right.place] = right.access;
    if (Done changed = protect(*piece); !changed) {
      piece->access = before;
      return changed;
    }
    if (is_multicast(*piece)) continue;
    GuestRange range{piece->begin, piece->bytes};
    range.by_device = true;
    for (const auto& [place, access] : piece->access)
      if (place >= 0 && access != Access::none)
        range.devices[static_cast<uint32_t>(place)] = access == Access::read_write;
    ranges_.add(range);
  }
  return Unit{};
}

std::optional<VirtualRange::Piece> VirtualRange::piece_at(uint64_t address) const {
  const std::shared_lock lock(mutex_);
  auto found = pieces_.upper_bound(address);
  if (found == pieces_.begin()) return std::nullopt;
  --found;
  if (address >= found->second.end()) return std::nullopt;
  return found->second;
}

bool VirtualRange::empty() const {
  const std::shared_lock lock(mutex_);
  return pieces_.empty();
}

std::string VirtualRange::why_unusable(uint64_t address, uint64_t bytes, bool write) const {
  const std::shared_lock lock(mutex_);
  return refuses_locked(address, bytes, write);
}

std::string VirtualRange::refuses_locked(uint64_t address, uint64_t bytes, bool write) const {
  auto piece = pieces_.upper_bound(address);
  if (piece != pieces_.begin()) --piece;
  for (uint64_t at = address; at < address + bytes; at = piece->second.end(), ++piece) {
    if (piece == pieces_.end() || piece->first > at || piece->second.end() <= at)
      return hex(at) + " is reserved, and no memory is mapped there";
    if (is_multicast(piece->second))
      return "a multicast object is mapped at " + hex(at) + ", which multimem instructions alone may use";
    if (!allows(widest(piece->second), write))
      return hex(at) + " is mapped, and nobody has the right to " + (write ? "write" : "read") + " there";
    if (piece->second.end() >= address + bytes) break;
  }
  return {};
}

void VirtualRange::sampled() {
  const std::unique_lock lock(mutex_);
  if (std::exchange(sampled_, true)) return;
  uint64_t at = begin_;
  for (const auto& [begin, piece] : pieces_) {
    if (begin > at) close(at, begin - at);
    (void)protect(piece);
    at = piece.end();
  }
  if (at < begin_ + bytes_) close(at, begin_ + bytes_ - at);
}

}  // namespace heddle::runtime
