// An mbarrier object (PTX ISA 9.7.13.15): a 64-bit word in shared memory, opaque to programs. Its phase ends
// when no arrival and no byte of a transaction is outstanding; then the next one begins with the expected
// count.
#pragma once

#include <cstdint>

#include "exec/mbarrier_word.h"

namespace heddle::exec::interp {

struct Mbarrier {
  uint32_t pending = 0;   // arrivals that the current phase still waits for: 20 bits
  uint32_t expected = 0;  // arrivals of the next phase: 20 bits
  int32_t tx = 0;         // bytes of transactions outstanding: -(2^20 - 1) to 2^20 - 1
  bool odd = false;       // parity of the current phase

  static constexpr uint32_t most = mbarrier_word::most;

  static Mbarrier of(uint64_t word) {
    using namespace mbarrier_word;
    Mbarrier b;
    b.pending = static_cast<uint32_t>(word & most);
    b.expected = static_cast<uint32_t>(word >> expected_at & most);
    b.tx = static_cast<int32_t>(word >> bytes_at & bytes_mask) - static_cast<int32_t>(no_bytes);
    b.odd = (word >> parity_at) != 0;
    return b;
  }
  uint64_t word() const {
    using namespace mbarrier_word;
    const uint64_t bytes = static_cast<uint64_t>(tx + static_cast<int32_t>(no_bytes));
    return uint64_t{pending & most} | uint64_t{expected & most} << expected_at |
           (bytes & bytes_mask) << bytes_at | uint64_t{odd ? 1u : 0u} << parity_at;
  }

  // More arrivals than the phase waits for, or more leaving than there are: the program miscounted.
  bool takes(uint32_t count, bool dropped) const {
    return count <= pending && (!dropped || count <= expected);
  }

  void arrive(uint32_t count) {
    pending -= count;
    end_phase_if_complete();
  }
  void drop(uint32_t count) {  // arrive, and no longer take part in later phases
    expected -= count;
    arrive(count);
  }
  void expect(uint32_t bytes) { tx += static_cast<int32_t>(bytes); }
  void complete(uint32_t bytes) {
    tx -= static_cast<int32_t>(bytes);
    end_phase_if_complete();
  }

 private:
  void end_phase_if_complete() {
    if (pending != 0 || tx != 0) return;
    odd = !odd;
    pending = expected;
  }
};

}  // namespace heddle::exec::interp
