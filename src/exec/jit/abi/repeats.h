// Accesses that repeat earlier ones (observe::repeat_bytes) are counted by native code, in entries of the
// thread that runs it: a few for each site, of which an address chooses one. What an entry stands for is told
// when another access takes its place, or at the end.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exec/jit/abi/context.h"
#include "observe/repeats.h"

namespace heddle::exec::jit {

// Of CompileRequest::observed: the code counts repeats. No bit of observe::Needs that code is made for.
inline constexpr uint8_t counts_repeats = observe::in_order;
static_assert((counts_repeats & (observe::needs_of_code | observe::spares)) == 0);

// And of the module of its thread program.
inline constexpr char repeats_flag[] = "heddle.counts_repeats";

// Of an access whose lanes lie in a row: their addresses are base + lane step * lane.
struct alignas(64) Repeat {
  uint64_t key = 0;  // 0: the entry stands for none
  uint64_t times = 0;
  uint64_t base = 0;   // as all that follows: of the access that came first
  uint32_t lanes = 0;  // never none
  uint32_t warp = 0;   // of the block
  uint32_t block[3] = {0, 0, 0};
  uint32_t first_times = 0;  // of warps that came at once
  uint32_t passed = 0;       // accesses since then that the entry was not for, and not given to
};

// Which entry of how many: of a row by bits of the base address, and of the lanes where they are not all; of
// any lanes by how far the second lies from the first.
inline constexpr unsigned repeat_rows = 64, repeats_of_lanes = 8;
inline constexpr unsigned repeat_shift = 2;  // addresses that are not multiples of words are rare
inline constexpr unsigned repeat_places = observe::repeat_bytes >> repeat_shift;

// Of any access, wherever it begins: how often, by place among `repeat_bytes`. `base` is the first lane's
// address, whose bits below `repeat_shift` are part of the key; of lanes that do not access the distance
// means nothing.
struct RepeatOfLanes {
  Repeat repeat;  // its own `times` is not used
  uint64_t distances[observe::warp_lanes] = {};
  uint64_t times[repeat_places] = {};
};
struct RepeatsOfSite {
  Repeat rows[repeat_rows];
  RepeatOfLanes lanes[repeats_of_lanes];
};

// What does not show in lanes and distances, and where in `repeat_bytes` an access begins.
struct RepeatKey {
  uint32_t bytes = 0;     // of one lane
  uint32_t space = 0;     // module::Space
  uint32_t kind = 0;      // observe::AccessKind
  int64_t lane_step = 0;  // of a row

  static constexpr unsigned bits_of_bytes = 10, bits_of_space = 4, bits_of_kind = 2, bits_of_step = 39;
  static constexpr bool has_room(uint64_t bytes, int64_t lane_step) {
    constexpr int64_t most = int64_t{1} << (bits_of_step - 1);
    return bytes >> bits_of_bytes == 0 && lane_step >= -most && lane_step < most;
  }
  // Without the base, which is added: a multiple of `repeat_bytes`, never 0.
  constexpr uint64_t number() const {
    uint64_t all = static_cast<uint64_t>(lane_step) & ((uint64_t{1} << bits_of_step) - 1);
    all = all << bits_of_kind | kind;
    all = all << bits_of_space | space;
    all = all << bits_of_bytes | bytes;
    return (all << 1 | 1) * observe::repeat_bytes;
  }
  static constexpr RepeatKey of(uint64_t key) {
    uint64_t all = key / observe::repeat_bytes >> 1;
    RepeatKey out;
    const auto take = [&all](unsigned bits) {
      const uint64_t low = all & ((uint64_t{1} << bits) - 1);
      all >>= bits;
      return static_cast<uint32_t>(low);
    };
    out.bytes = take(bits_of_bytes);
    out.space = take(bits_of_space);
    out.kind = take(bits_of_kind);
    out.lane_step = static_cast<int64_t>(all << (64 - bits_of_step)) >> (64 - bits_of_step);
    return out;
  }
};
static_assert(observe::repeat_bytes == 256 && 8 + 1 + RepeatKey::bits_of_bytes + RepeatKey::bits_of_space +
                                                      RepeatKey::bits_of_kind + RepeatKey::bits_of_step ==
                                                  64);

// An access of a warp that its entry does not count: of a row, of any lanes. Bound as those of context.h.
extern "C" {
void heddle_jit_observe_row(Context*, uint32_t site, void* entry, uint64_t key, uint64_t base, uint32_t warp,
                            uint32_t lanes);
void heddle_jit_observe_lanes(Context*, uint32_t site, void* entry, uint64_t key, uint32_t warp,
                              uint32_t lanes, uint64_t* addresses);
}

}  // namespace heddle::exec::jit
