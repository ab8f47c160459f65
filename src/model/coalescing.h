// How the accesses of a warp's lanes to device memory are put together. Every generation's protocol: OpenCL
// Programming Guide C.3.2 and C.4.2, CUDA C Programming Guide G.3.2, G.4.2 and G.5.2; from 7.0 on as an H200
// does it (tests/hw/h200/access).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "arch/device.h"
#include "model/warp_access.h"

namespace heddle::model {

struct Transaction {
  uint64_t address = 0;  // a multiple of `bytes`
  uint32_t bytes = 0;
  LaneMask lanes = 0;  // whose words it carries
};

class Coalesced {
 public:
  uint32_t requests = 0;   // that the instruction is divided into, those without active lanes left out
  uint32_t scattered = 0;  // requests of capability 1.0 and 1.1 that did not coalesce

  std::span<const Transaction> transactions() const { return {list_.data(), count_}; }
  uint32_t count() const { return count_; }
  uint64_t bytes() const;  // of all transactions together
  void add(const Transaction& transaction) { list_[count_++] = transaction; }
  // With the one from number `first` on that goes to the same address, if there is one.
  void join(uint32_t first, const Transaction& transaction);

 private:
  std::array<Transaction, 64> list_;
  uint32_t count_ = 0;
};

// How far from the multiprocessor accesses are cached, which decides the size of their transactions.
enum class Caching : uint8_t {
  none,  // capability 1.x
  l2,    // sectors of 32 bytes
  l1,    // lines where the capability has such (arch.memory.l1_transaction_bytes)
};

Coalesced coalesce(const arch::Architecture&, const WarpAccess&, Caching);

// The same without the list.
struct Transactions {
  uint32_t count = 0, of_32 = 0, of_64 = 0, of_128 = 0;
  uint32_t coalesced = 0;  // those of half-warps that did; of other capabilities all
  uint64_t bytes = 0;
  void add(uint32_t size, uint32_t times);
  bool operator==(const Transactions&) const = default;
};
// `sectors`: pieces(access, 32), if that is known.
Transactions count_transactions(const arch::Architecture&, const WarpAccess&, Caching,
                                std::optional<uint32_t> sectors = std::nullopt);

// In how many different pieces of `bytes` bytes, a power of two, the words of the lanes lie: lines, sectors.
uint32_t pieces(const WarpAccess&, uint32_t bytes);

// What the L1 cache of an H200 counts for one access to global memory.
struct CacheAccess {
  uint32_t tags = 0;     // lines of 128 bytes that are looked up
  uint32_t sectors = 0;  // of 32 bytes
};
// Lanes of an atomic operation that name the same address are served one after another: each pass looks up
// its lines anew.
CacheAccess cache_access(const WarpAccess&);

// As many sectors as the lanes' bytes would fill side by side, but no more than they do: `sectors`, if that
// is known.
uint32_t ideal_sectors(const WarpAccess&, std::optional<uint32_t> sectors = std::nullopt);

// Different words that lanes read of constant memory: each is a request, served for all lanes that name it
// (OpenCL Programming Guide 3.3.2.4). On capability 1.x by half-warps.
uint32_t constant_requests(const arch::Architecture&, const WarpAccess&);

}  // namespace heddle::model
