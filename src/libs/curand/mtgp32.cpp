#include "libs/curand/mtgp32.h"

#include <algorithm>
#include <vector>

#include "libs/curand/words.h"

namespace heddle::curand {
namespace {

constexpr unsigned exponent = 11213, length = exponent / 32 + 1, ring = 1024;
// Numbers that a stream gives before the next one's turn: the threads of a block.
constexpr unsigned turn = 256;
constexpr unsigned legacy_streams = 64, best_streams = 192;

class Stream {
 public:
  Stream(const Mtgp32Set& set, uint32_t seed) : set_(&set) {
    const uint32_t hidden = set.recurrence[4] ^ (set.recurrence[8] << 16);
    uint32_t byte = hidden + (hidden >> 16);
    byte = (byte + (byte >> 8)) & 0xff;
    std::fill_n(state_, length, byte * 0x01010101U);
    state_[0] = seed;
    state_[1] = hidden;
    for (unsigned i = 1; i < length; ++i)
      state_[i] ^= 1812433253U * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
  }
  uint32_t next() {
    uint32_t x = (at(0) & mtgp32_mask) ^ at(1);
    x ^= x << set_->left;
    const uint32_t y = x ^ (at(set_->position) >> set_->right);
    const uint32_t made = y ^ set_->recurrence[y & 15];
    state_[(place_ + length) % ring] = made;
    uint32_t t = at(set_->position - 1);
    t ^= t >> 16;
    t ^= t >> 8;
    ++place_;
    return made ^ set_->tempering[t & 15];
  }

 private:
  uint32_t at(unsigned ahead) const { return state_[(place_ + ahead) % ring]; }

  const Mtgp32Set* set_;
  uint32_t state_[ring] = {};
  unsigned place_ = 0;
};

class Mtgp32 final : public Words {
 public:
  Mtgp32(uint64_t seed, unsigned streams) : Words(Rounding::graphics) {
    const auto folded = static_cast<uint32_t>(seed ^ (seed >> 32));
    streams_.reserve(streams);
    for (unsigned i = 0; i < streams; ++i) streams_.emplace_back(mtgp32_set[i], folded + i + 1);
  }
  void bits(uint32_t* to, uint64_t count) override {
    for (uint64_t i = 0; i < count;) {
      Stream& stream = streams_[next_ / turn];
      const uint64_t n = std::min<uint64_t>(turn - next_ % turn, count - i);
      for (const uint64_t end = i + n; i < end; ++i) to[i] = stream.next();
      next_ = (next_ + n) % (streams_.size() * turn);
    }
  }

 private:
  std::vector<Stream> streams_;
  uint64_t next_ = 0;
};

}  // namespace

std::unique_ptr<Sequence> make_mtgp32(Order order, uint64_t seed) {
  return std::make_unique<Mtgp32>(seed, order == Order::legacy ? legacy_streams : best_streams);
}

}  // namespace heddle::curand
