// Addresses that a program reserved and maps physical memory to, piece by piece, with rights for each device.
// The pages' rights are what any device or the host may do: native code is held to those, the reference
// executor to its own device's (exec::GuestMemory).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

#include "runtime/error.h"
#include "runtime/guest_ranges.h"
#include "runtime/physical_memory.h"

namespace heddle::runtime {

enum class Access : uint8_t { none = 0, read = 1, read_write = 3 };

class VirtualRange {
 public:
  static constexpr int host = -1;  // as a place that may touch memory; devices by their index
  struct Piece {
    uint64_t begin = 0, bytes = 0;
    std::shared_ptr<PhysicalMemory> memory;
    std::map<int, Access> access = {};
    uint64_t end() const { return begin + bytes; }
    Access of(int place) const {
      const auto found = access.find(place);
      return found == access.end() ? Access::none : found->second;
    }
  };
  struct Right {
    int place = host;
    Access access = Access::none;
  };

  VirtualRange(uint64_t begin, uint64_t bytes, GuestRanges& ranges)
      : begin_(begin), bytes_(bytes), ranges_(ranges) {}
  ~VirtualRange();

  // Nobody may touch a piece before set_access says so.
  Done map(uint64_t begin, uint64_t bytes, const std::shared_ptr<PhysicalMemory>& memory);
  // Whole pieces, one or more. Kernels that could use them have ended.
  Done unmap(uint64_t begin, uint64_t bytes);
  Done set_access(uint64_t begin, uint64_t bytes, std::span<const Right> rights);
  std::optional<Piece> piece_at(uint64_t address) const;
  bool empty() const;
  // Why nobody can read (or write) all of [address, address + bytes); empty when somebody can.
  std::string why_unusable(uint64_t address, uint64_t bytes, bool write) const;
  // Textures look at it without asking: from now on what is closed reads as zeros to native code.
  void sampled();

  // As long as one lives, mappings and rights stay as they are.
  class Use {
   public:
    Use() = default;
    explicit Use(const VirtualRange& range) : lock_(range.mutex_), range_(&range) {}
    // As why_unusable.
    std::string refuses(uint64_t address, uint64_t bytes, bool write) const {
      return range_ == nullptr ? std::string() : range_->refuses_locked(address, bytes, write);
    }

   private:
    std::shared_lock<std::shared_mutex> lock_;
    const VirtualRange* range_ = nullptr;
  };

 private:
  using Pieces = std::map<uint64_t, Piece>;
  // The pieces that [begin, begin + bytes) is made of, if it is.
  Outcome<std::vector<Piece*>> whole(uint64_t begin, uint64_t bytes);
  std::string refuses_locked(uint64_t address, uint64_t bytes, bool write) const;
  Done protect(const Piece& piece) const;
  void close(uint64_t begin, uint64_t bytes) const;

  const uint64_t begin_, bytes_;
  GuestRanges& ranges_;
  mutable std::shared_mutex mutex_;
  Pieces pieces_;  // by address
  bool sampled_ = false;
};

}  // namespace heddle::runtime
