#include "libs/curand/mt19937.h"

#include <algorithm>
#include <array>
#include <vector>

#include "libs/common/parallel.h"
#include "libs/curand/words.h"

namespace heddle::curand {

void mt19937_step(uint32_t* state) {
  constexpr unsigned n = mt19937_words, m = 397;
  const auto twist = [](uint32_t top, uint32_t low, uint32_t far) {
    const uint32_t y = (top & 0x80000000U) | (low & 0x7fffffffU);
    return far ^ (y >> 1) ^ (-(y & 1) & 0x9908b0dfU);
  };
  for (unsigned i = 0; i < n - m; ++i) state[i] = twist(state[i], state[i + 1], state[i + m]);
  for (unsigned i = n - m; i < n - 1; ++i) state[i] = twist(state[i], state[i + 1], state[i + m - n]);
  state[n - 1] = twist(state[n - 1], state[0], state[m - 1]);
}

namespace {

// Eight threads share a stream, and each gives one of its words in turn: 78 turns are a state's 624 words.
constexpr unsigned streams = 8192, sharing = 8, turns = mt19937_words / sharing;
// Streams are made by jumps from their neighbour, in chains that do not wait for each other.
constexpr unsigned chain_length = 128, chains = streams / chain_length;

// Which word a thread gives. The words of a state are made in runs of seven for each thread, and a word by
// itself wherever a run of all eight would need one that is not there yet: 8 * 7 * 11 + 8 words.
constexpr auto word_of = [] {
  constexpr unsigned run = 7;
  constexpr std::array<unsigned, sharing> alone = {0, 113, 170, 283, 340, 397, 510, 567};
  constexpr std::array<unsigned, 11> first = {1, 57, 114, 171, 227, 284, 341, 398, 454, 511, 568};
  std::array<std::array<uint16_t, sharing>, turns> words{};
  for (unsigned thread = 0; thread < sharing; ++thread) {
    words[0][thread] = static_cast<uint16_t>(alone[thread]);
    for (unsigned i = 0; i < first.size() * run; ++i)
      words[i + 1][thread] = static_cast<uint16_t>(first[i / run] + run * thread + i % run);
  }
  return words;
}();

uint32_t tempered(uint32_t y) {
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680U;
  y ^= (y << 15) & 0xefc60000U;
  return y ^ (y >> 18);
}

class Mt19937 final : public Words {
 public:
  explicit Mt19937(uint64_t seed)
      : Words(Rounding::mersenne), states_(std::size_t{streams} * mt19937_words), steps_(streams) {
    uint32_t* const x = states_.data();
    x[0] = static_cast<uint32_t>(seed ^ (seed >> 32));
    for (unsigned i = 1; i < mt19937_words; ++i) x[i] = 1812433253U * (x[i - 1] ^ (x[i - 1] >> 30)) + i;
    begin(x);
  }
  void bits(uint32_t* to, uint64_t count) override {
    constexpr uint64_t row = uint64_t{streams} * sharing;
    make(next_ % row / sharing, count);
    while (count > 0) {
      const uint64_t step = next_ / row / turns + 1, thread = next_ % row;
      const auto& words = word_of[next_ / row % turns];
      const uint64_t n = std::min(count, row - thread);
      for (uint64_t t = thread; t < thread + n; ++t) {
        uint32_t* const state = at(t / sharing);
        for (; steps_[t / sharing] < step; ++steps_[t / sharing]) mt19937_step(state);
        *to++ = tempered(state[words[t % sharing]]);
      }
      next_ += n;
      count -= n;
    }
  }

 private:
  using State = std::array<uint32_t, mt19937_words>;
  struct Chain {
    State last{};  // of the last stream that was made, as it was before any step
    unsigned made = 0;
  };

  uint32_t* at(uint64_t stream) { return states_.data() + stream * mt19937_words; }
  // The next chain, with its first stream.
  void begin(const uint32_t* state) {
    Chain& chain = chains_[begun_];
    std::copy_n(state, mt19937_words, chain.last.begin());
    std::copy_n(state, mt19937_words, at(uint64_t{begun_} * chain_length));
    head_ = chain.last;
    chain.made = 1;
    ++begun_;
  }
  // The streams that `count` numbers come from, beginning with `first`.
  void make(uint64_t first, uint64_t count) {
    static const auto* const to_next = new Mt19937Jump(mt19937_jump_2048);
    static const auto* const over_chain = new Mt19937Jump(mt19937_jump_2055);
    std::array<unsigned, chains> wanted{};
    const uint64_t end = first + std::min<uint64_t>(count / sharing + 2, streams);
    for (uint64_t s = first; s < end; ++s) {
      unsigned& most = wanted[s % streams / chain_length];
      most = std::max(most, static_cast<unsigned>(s % chain_length) + 1);
    }
    const auto last = std::find_if(wanted.rbegin(), wanted.rend(), [](unsigned n) { return n != 0; });
    while (begun_ < static_cast<unsigned>(wanted.rend() - last)) {
      State next;
      (*over_chain)(head_.data(), next.data());
      begin(next.data());
    }
    libs::parallel(chains, [&](int64_t c) {
      Chain& chain = chains_[static_cast<std::size_t>(c)];
      for (; chain.made < wanted[static_cast<std::size_t>(c)]; ++chain.made) {
        State next;
        (*to_next)(chain.last.data(), next.data());
        chain.last = next;
        std::copy(next.begin(), next.end(), at(static_cast<uint64_t>(c) * chain_length + chain.made));
      }
    });
  }

  std::vector<uint32_t> states_;
  std::vector<uint64_t> steps_;  // how often each state was stepped
  std::array<Chain, chains> chains_{};
  State head_{};  // the first of the last chain
  unsigned begun_ = 0;
  uint64_t next_ = 0;
};

}  // namespace

std::unique_ptr<Sequence> make_mt19937(uint64_t seed) { return std::make_unique<Mt19937>(seed); }

}  // namespace heddle::curand
