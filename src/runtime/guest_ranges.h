// Which ranges of memory the kernels of which context may touch: keeps the GuestMemory of every context in
// step with what is allocated, page-locked and opened to peers.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>

#include "exec/guest_memory.h"

namespace heddle::runtime {

class Context;

struct GuestRange {
  uint64_t begin = 0, bytes = 0;
  const Context* owner = nullptr;
  bool every_context = false;
  bool writable = true;
  // Instead of an owner's and its peers' contexts: those of some devices, and whether they may write.
  bool by_device = false;
  std::map<uint32_t, bool> devices = {};
};

class GuestRanges {
 public:
  // One that begins where another did replaces it.
  void add(const GuestRange& range);
  void remove(uint64_t begin);

  void attach(const Context& context, exec::GuestMemory& memory);
  void detach(const Context& context);  // what it owns must be gone
  // The kernels of `context` may touch what `peer` owns. False when they may (disable: may not) already.
  bool enable_peer(const Context& context, const Context& peer);
  bool disable_peer(const Context& context, const Context& peer);
  // The contexts whose kernels can touch what `owner` owns, or what some device may.
  std::set<const Context*> who_sees(const Context* owner, bool every_context) const;
  std::set<const Context*> who_sees(uint64_t begin, uint64_t bytes) const;

 private:
  struct Viewer {
    exec::GuestMemory* memory = nullptr;
    std::set<const Context*> peers;
  };
  enum class Rights : uint8_t { none, read, write };
  static bool sees(const Context* context, const Viewer& viewer, const Context* owner, bool every_context) {
    return every_context || owner == context || viewer.peers.contains(owner);
  }
  static Rights rights(const Context& context, const Viewer& viewer, const GuestRange& range);
  mutable std::mutex mutex_;
  std::map<uint64_t, GuestRange> ranges_;
  std::map<const Context*, Viewer> viewers_;
};

}  // namespace heddle::runtime
