// Loads and stores (PTX ISA 9.7.9). Cache operators, eviction priorities, prefetch sizes and policies change
// no value: they are read and ignored. Strong accesses (volatile, relaxed, acquire, release, mmio) are atomic
// on the host as well, because other launches may use the same memory.
#include <array>
#include <atomic>
#include <cstring>

#include "exec/cache_policy.h"
#include "exec/interp/step.h"

namespace heddle::exec::interp {
namespace {

using isa::Slot;
using isa::Word;
using module::Operand;
using module::OperandKind;

bool is_strong(const Step& s) { return s.has(Slot::volatile_) || s.has(Slot::sem) || s.has(Slot::mmio); }

uint32_t bytes_of(isa::Type type) { return isa::info(type).bits / 8u; }

uint64_t load_bits(const std::byte* at, uint32_t bytes, bool strong) {
  uint64_t bits = 0;
  if (!strong) {
    std::memcpy(&bits, at, bytes);
    return bits;
  }
  switch (bytes) {
    case 1: return __atomic_load_n(reinterpret_cast<const uint8_t*>(at), __ATOMIC_RELAXED);
    case 2: return __atomic_load_n(reinterpret_cast<const uint16_t*>(at), __ATOMIC_RELAXED);
    case 4: return __atomic_load_n(reinterpret_cast<const uint32_t*>(at), __ATOMIC_RELAXED);
    default: return __atomic_load_n(reinterpret_cast<const uint64_t*>(at), __ATOMIC_RELAXED);
  }
}

void store_bits(std::byte* at, uint32_t bytes, uint64_t bits, bool strong) {
  if (!strong) {
    std::memcpy(at, &bits, bytes);
    return;
  }
  switch (bytes) {
    case 1:
      return __atomic_store_n(reinterpret_cast<uint8_t*>(at), static_cast<uint8_t>(bits), __ATOMIC_RELAXED);
    case 2:
      return __atomic_store_n(reinterpret_cast<uint16_t*>(at), static_cast<uint16_t>(bits), __ATOMIC_RELAXED);
    case 4:
      return __atomic_store_n(reinterpret_cast<uint32_t*>(at), static_cast<uint32_t>(bits), __ATOMIC_RELAXED);
    default: return __atomic_store_n(reinterpret_cast<uint64_t*>(at), bits, __ATOMIC_RELAXED);
  }
}

// Most accesses are of one value of at most 8 bytes.
template <class T>
void load_scalar(Step& s, bool strong) {
  s.each([&](int lane) {
    const Step::Place place = s.place(s.operand(1), lane, sizeof(T), false);
    if (place.host == nullptr) return;
    T value;
    if (strong)
      value = __atomic_load_n(reinterpret_cast<const T*>(place.host), __ATOMIC_RELAXED);
    else
      std::memcpy(&value, place.host, sizeof value);
    s.set(0, lane, value);
  });
}

// Where each active lane stores; nullptr: nowhere. The first lane that may not is the one that faults.
std::array<std::byte*, 32> places_to_store(Step& s, uint32_t bytes) {
  std::array<std::byte*, 32> hosts{};
  s.each([&](int lane) {
    if (!s.faulted()) hosts[static_cast<std::size_t>(lane)] = s.place(s.operand(0), lane, bytes, true).host;
  });
  return hosts;
}

// Of lanes that store to one place the first one wins: PTX leaves it open, an H200 does so in every memory,
// for every size and mask.
template <class T>
void store_scalar(Step& s, bool strong) {
  const auto hosts = places_to_store(s, sizeof(T));
  s.each_from_last([&](int lane) {
    std::byte* host = hosts[static_cast<std::size_t>(lane)];
    if (host == nullptr) return;
    const T value = s.get<T>(1, lane);
    if (strong)
      __atomic_store_n(reinterpret_cast<T*>(host), value, __ATOMIC_RELAXED);
    else
      std::memcpy(host, &value, sizeof value);
  });
}

// Vector accesses are aligned to their whole size (9.7.9.8). Operand 0 takes the values, operand 1 is the
// address.
void load_vector(Step& s, uint32_t bytes, bool strong) {
  const auto parts = s.parts(s.operand(0));
  const auto count = static_cast<uint32_t>(parts.size());
  s.each([&](int lane) {
    const Step::Place place = s.place(s.operand(1), lane, bytes * count, false);
    if (place.host == nullptr) return;
    // All elements are read before a register changes: the address register may be among them.
    std::array<Wide, 8> values;
    for (uint32_t i = 0; i < count; ++i) {
      const std::byte* at = place.host + i * bytes;
      values[i].low = load_bits(at, bytes == 16 ? 8 : bytes, strong);
      if (bytes == 16) values[i].high = load_bits(at + 8, 8, strong);
    }
    for (uint32_t i = 0; i < count; ++i) {
      if (bytes == 16)
        s.set<Wide>(parts[i], lane, values[i]);
      else
        s.set<uint64_t>(parts[i], lane, values[i].low);
    }
  });
}

void load(Step& s, bool strong) {
  const uint32_t bytes = bytes_of(s.type());
  if (s.operand(0).kind == OperandKind::vector) return load_vector(s, bytes, strong);
  switch (bytes) {
    case 1: return load_scalar<uint8_t>(s, strong);
    case 2: return load_scalar<uint16_t>(s, strong);
    case 4: return load_scalar<uint32_t>(s, strong);
    case 8: return load_scalar<uint64_t>(s, strong);
    default: return load_vector(s, bytes, strong);
  }
}

void store_vector(Step& s, uint32_t bytes, bool strong) {
  const auto parts = s.parts(s.operand(1));
  const auto count = static_cast<uint32_t>(parts.size());
  const auto hosts = places_to_store(s, bytes * count);
  s.each_from_last([&](int lane) {
    std::byte* host = hosts[static_cast<std::size_t>(lane)];
    if (host == nullptr) return;
    for (uint32_t i = 0; i < count; ++i) {
      std::byte* at = host + i * bytes;
      if (parts[i].kind == OperandKind::sink) continue;
      if (bytes == 16) {
        const Wide value = s.get<Wide>(parts[i], lane);
        store_bits(at, 8, value.low, strong);
        store_bits(at + 8, 8, value.high, strong);
      } else {
        store_bits(at, bytes, s.get<uint64_t>(parts[i], lane), strong);
      }
    }
  });
}

void store(Step& s, bool strong) {
  const uint32_t bytes = bytes_of(s.type());
  if (s.operand(1).kind == OperandKind::vector) return store_vector(s, bytes, strong);
  switch (bytes) {
    case 1: return store_scalar<uint8_t>(s, strong);
    case 2: return store_scalar<uint16_t>(s, strong);
    case 4: return store_scalar<uint32_t>(s, strong);
    case 8: return store_scalar<uint64_t>(s, strong);
    default: return store_vector(s, bytes, strong);
  }
}

}  // namespace

void eval_ld(Step& s) {
  const bool strong = is_strong(s);
  if (strong) s.polls();
  load(s, strong);
  if (s.has(Slot::sem) && s.word(Slot::sem) == Word::acquire)
    std::atomic_thread_fence(std::memory_order_acquire);
}

void eval_ld_nc(Step& s) { load(s, false); }
void eval_ldu(Step& s) { load(s, false); }

void eval_st(Step& s) {
  if (s.has(Slot::sem) && s.word(Slot::sem) == Word::release)
    std::atomic_thread_fence(std::memory_order_release);
  s.leaves_another_value();
  store(s, is_strong(s));
}

// Hints: nothing that a program could observe. A prefetch of an address without memory is not an error
// (9.7.9.15).
void eval_prefetch(Step&) {}
void eval_prefetch_tensormap(Step&) {}
void eval_prefetchu(Step&) {}
void eval_applypriority(Step&) {}
// The data may be destroyed without being written back (9.7.9.17); keeping them is one of the allowed
// outcomes.
void eval_discard(Step&) {}

// Of a policy only instructions that take it as a hint make use (9.7.9.18).
void eval_createpolicy_range(Step& s) {
  const uint64_t priorities = cache_policy::priorities(s.word(Slot::primary), s.word(Slot::secondary));
  s.each([&](int lane) {
    s.set<uint64_t>(0, lane,
                    cache_policy::range(priorities, s.address_of(s.operand(1), lane),
                                        s.get<uint32_t>(2, lane), s.get<uint32_t>(3, lane)));
  });
}
void eval_createpolicy_fractional(Step& s) {
  const uint64_t priorities = cache_policy::priorities(s.word(Slot::primary), s.word(Slot::secondary));
  s.each([&](int lane) {
    s.set<uint64_t>(0, lane, cache_policy::fraction(priorities, s.present(1) ? s.get<float>(1, lane) : 1));
  });
}
void eval_createpolicy_cvt(Step& s) {
  s.each([&](int lane) { s.set<uint64_t>(0, lane, s.get<uint64_t>(1, lane)); });
}

// Zeroes `size` bytes of shared memory.
void eval_st_bulk(Step& s) {
  s.each([&](int lane) {
    if (s.faulted()) return;
    const uint64_t size = s.get<uint64_t>(1, lane);
    if (size == 0) return;
    if (size % 8 != 0 || size > 0xffffffff) {
      s.fault(FaultKind::misaligned_address, lane,
              "st.bulk of " + std::to_string(size) + " bytes: not a multiple of 8");
      return;
    }
    const uint64_t address = s.address_of(s.operand(0), lane);
    module::Space space = s.operand(0).space;
    if (space == module::Space::generic) space = s.space_of(address);
    // Checked word by word: a range that leaves the block's memory faults where it does.
    for (uint64_t at = 0; at < size; at += 8) {
      const Step::Place place = s.place(
          s.operand(0).space == module::Space::generic ? s.from_generic(address, space) + at : address + at,
          space, lane, 8, true);
      if (place.host == nullptr) return;
      std::memset(place.host, 0, 8);
    }
  });
}

}  // namespace heddle::exec::interp
