// Asynchronous copies (PTX ISA 9.7.9.25) and asynchronous stores and reductions (9.7.9.12, 9.7.13.7). All of
// them complete where they are issued: a moment at which a device may complete them too. Groups and waits
// then have nothing left to wait for; an mbarrier that counts a copy's bytes hears of them at once.
#include <algorithm>
#include <cstring>
#include <string>

#include "exec/interp/block.h"
#include "exec/interp/eval/atomic.h"
#include "exec/interp/eval/site.h"

namespace heddle::exec::interp {
namespace {

using isa::Slot;
using isa::Word;

constexpr uint32_t chunk = 16;  // bulk copies move whole chunks, aligned to their size

// ---- cp.async: 4, 8 or 16 bytes, of which the first `given` come from the source and the rest are zero
void copy_small(Step& s, int lane, uint32_t size, uint32_t given) {
  const Step::Place to = s.place(s.operand(0), lane, size, true);
  if (to.host == nullptr) return;
  std::byte data[16] = {};
  if (given != 0) {
    // The whole source is aligned to `size`, only the first bytes are read.
    const Step::Place from = s.place(s.operand(1), lane, size, false);
    if (from.host == nullptr) return;
    std::memcpy(data, from.host, std::min(given, size));
  }
  std::memcpy(to.host, data, size);
}

// ---- bulk copies
bool good_size(Step& s, int lane, uint32_t size) {
  if (size % chunk == 0) return true;
  s.fault(FaultKind::misaligned_address, lane,
          "a bulk copy of " + std::to_string(size) + " bytes: the size is a multiple of " +
              std::to_string(chunk));
  return false;
}

// f(to, from) for each chunk; false after a fault.
template <class F>
bool each_chunk(Step& s, int lane, Site to, Site from, uint32_t size, F&& f) {
  for (uint32_t at = 0; at < size; at += chunk) {
    const Step::Place target = s.place(to.address + at, to.space, lane, chunk, true);
    if (target.host == nullptr) return false;
    const Step::Place source = s.place(from.address + at, from.space, lane, chunk, false);
    if (source.host == nullptr) return false;
    f(target.host, source.host, at);
  }
  return true;
}

bool copy(Step& s, int lane, Site to, Site from, uint32_t size) {
  return each_chunk(s, lane, to, from, size, [](std::byte* target, const std::byte* source, uint32_t) {
    std::memcpy(target, source, chunk);
  });
}

// An mbarrier lies in the block whose memory is written (9.7.9.25.4.1): a remote destination has its barrier
// beside it.
bool reduce(Step& s, int lane, Site to, Site from, uint32_t size) {
  const Word op = s.word(Slot::op);
  const isa::Type type = s.type();
  const uint32_t bytes = isa::info(type).bits / 8u;
  // add.f32 keeps subnormals, unlike atom's in global memory: the ISA does not say otherwise, an H200 does
  // so.
  return each_chunk(s, lane, to, from, size, [&](std::byte* target, const std::byte* source, uint32_t) {
    for (uint32_t at = 0; at < chunk; at += bytes) {
      uint64_t value = 0;
      std::memcpy(&value, source + at, bytes);
      atomic_change(target + at, bytes,
                    [&](uint64_t old) { return atomic_result(op, type, false, old, value); });
    }
  });
}

}  // namespace

// The fourth operand says how many bytes to read, or, a predicate, to read none (PTX ISA 9.7.9.25.3.1).
void eval_cp_async(Step& s) {
  const bool ignore = s.present(3) && s.operand(3).declared == isa::Type::pred;
  s.each([&](int lane) {
    if (s.faulted()) return;
    const uint32_t size = s.get<uint32_t>(2, lane);
    const uint32_t read = !s.present(3)              ? size
                          : !ignore                  ? s.get<uint32_t>(3, lane)
                          : s.get_predicate(3, lane) ? 0
                                                     : size;
    copy_small(s, lane, size, read);
  });
}

void eval_cp_async_commit_group(Step& s) { s.tells(observe::SyncKind::copy_commit); }
void eval_cp_async_wait_group(Step& s) { s.tells(observe::SyncKind::copy_wait, 0); }
void eval_cp_async_wait_all(Step& s) { s.tells(observe::SyncKind::copy_wait, s.lanes(), ~0U, 0); }
void eval_cp_async_bulk_commit_group(Step& s) { s.tells(observe::SyncKind::copy_commit); }
void eval_cp_async_bulk_wait_group(Step& s) { s.tells(observe::SyncKind::copy_wait, 0); }
void eval_cp_async_bulk_prefetch(Step&) {}

// The arrival that the copies of this thread owe. Without .noinc the object first expects one arrival more:
// nothing changes.
void eval_cp_async_mbarrier_arrive(Step& s) {
  const bool counted = s.has(Slot::noinc);
  s.each([&](int lane) {
    if (s.faulted()) return;
    change_mbarrier(s, s.operand(0), lane, [&](Mbarrier& b) {
      if (!counted) ++b.pending;
      b.arrive(1);
    });
  });
}

// Operands: [dst], [src], size, [mbar], perhaps a mask of the blocks that take the data.
void eval_cp_async_bulk_load(Step& s) {
  const bool multicast = s.has(Slot::multicast);
  s.each([&](int lane) {
    const uint32_t size = s.get<uint32_t>(2, lane);
    if (s.faulted() || !good_size(s, lane, size)) return;
    const Site to = site_of(s, 0, lane), from = site_of(s, 1, lane), mbar = site_of(s, 3, lane);
    if (!multicast) {
      if (copy(s, lane, to, from, size)) complete(s, lane, mbar, size);
      return;
    }
    const uint32_t blocks = s.get<uint16_t>(4, lane);
    for (unsigned rank = 0; rank < 16; ++rank) {
      if ((blocks >> rank & 1) == 0) continue;
      if (!copy(s, lane, in_block(to, rank), from, size)) return;
      complete(s, lane, in_block(mbar, rank), size);
    }
  });
}

void eval_cp_async_bulk_shared(Step& s) {
  s.each([&](int lane) {
    const uint32_t size = s.get<uint32_t>(2, lane);
    if (s.faulted() || !good_size(s, lane, size)) return;
    if (copy(s, lane, site_of(s, 0, lane), site_of(s, 1, lane), size))
      complete(s, lane, site_of(s, 3, lane), size);
  });
}

// Bit i of the mask lets byte i of every chunk through.
void eval_cp_async_bulk_store(Step& s) {
  const bool masked = s.has(Slot::cp_mask);
  s.each([&](int lane) {
    const uint32_t size = s.get<uint32_t>(2, lane);
    if (s.faulted() || !good_size(s, lane, size)) return;
    const Site to = site_of(s, 0, lane), from = site_of(s, 1, lane);
    if (!masked) {
      copy(s, lane, to, from, size);
      return;
    }
    const uint32_t mask = s.get<uint16_t>(4, lane);
    each_chunk(s, lane, to, from, size, [&](std::byte* target, const std::byte* source, uint32_t) {
      for (unsigned i = 0; i < chunk; ++i)
        if ((mask >> i & 1) != 0) target[i] = source[i];
    });
  });
}

void eval_cp_reduce_async_bulk_shared(Step& s) {
  s.each([&](int lane) {
    const uint32_t size = s.get<uint32_t>(2, lane);
    if (s.faulted() || !good_size(s, lane, size)) return;
    if (reduce(s, lane, site_of(s, 0, lane), site_of(s, 1, lane), size))
      complete(s, lane, site_of(s, 3, lane), size);
  });
}

void eval_cp_reduce_async_bulk_global(Step& s) {
  s.each([&](int lane) {
    const uint32_t size = s.get<uint32_t>(2, lane);
    if (s.faulted() || !good_size(s, lane, size)) return;
    reduce(s, lane, site_of(s, 0, lane), site_of(s, 1, lane), size);
  });
}

// Operands: [a], b (perhaps a vector), [mbar].
void eval_st_async(Step& s) {
  const uint32_t bytes = isa::info(s.type()).bits / 8u;
  s.each([&](int lane) {
    if (s.faulted()) return;
    const module::Operand& value = s.operand(1);
    const auto parts = s.parts(value);
    const uint32_t size = bytes * static_cast<uint32_t>(parts.size());
    const Step::Place place = s.place(s.operand(0), lane, size, true);
    if (place.host == nullptr) return;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const uint64_t bits = s.get<uint64_t>(parts[i], lane);
      std::memcpy(place.host + i * bytes, &bits, bytes);
    }
    complete(s, lane, site_of(s, 2, lane), size);
  });
}

void eval_st_async_global(Step& s) {
  const uint32_t bytes = isa::info(s.type()).bits / 8u;
  fence_before(s);
  s.each([&](int lane) {
    if (s.faulted()) return;
    const Step::Place place = s.place(s.operand(0), lane, bytes, true);
    if (place.host == nullptr) return;
    const uint64_t bits = s.get<uint64_t>(1, lane);
    std::memcpy(place.host, &bits, bytes);
  });
}

void eval_red_async(Step& s) {
  const Word op = s.word(Slot::op);
  const isa::Type type = s.type();
  const uint32_t bytes = isa::info(type).bits / 8u;
  s.each([&](int lane) {
    if (s.faulted()) return;
    const Step::Place place = s.place(s.operand(0), lane, bytes, true);
    if (place.host == nullptr) return;
    const uint64_t value = s.get<uint64_t>(1, lane);
    atomic_change(place.host, bytes,
                  [&](uint64_t old) { return atomic_result(op, type, false, old, value); });
    complete(s, lane, site_of(s, 2, lane), bytes);
  });
}

}  // namespace heddle::exec::interp
