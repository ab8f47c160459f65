// Jumps far ahead: a state after n steps is a sum, without carry, of the 19937 states that follow, those that
// the polynomial x^n modulo the characteristic polynomial names (H. Haramoto and others, 2008). Five
// coefficients are taken at a time, and of the 31 sums of five states that follow each other one is at hand
// at a time (Gray code).
#include <bit>
#include <cstring>
#include <vector>

#include "libs/curand/mt19937.h"

namespace heddle::curand {
namespace {

constexpr unsigned degree = 19937, width = 5, sums = 1U << width;
constexpr unsigned windows = (degree + width - 1) / width;
constexpr unsigned following = windows * width + mt19937_words;

using Vector = uint32_t __attribute__((vector_size(32)));
constexpr unsigned lanes = sizeof(Vector) / sizeof(uint32_t);
static_assert(mt19937_words % lanes == 0);

// to[i] ^= from[i]
__attribute__((always_inline)) inline void add(uint32_t* to, const uint32_t* from, unsigned count) {
  for (unsigned i = 0; i < count; i += lanes) {
    Vector a, b;
    std::memcpy(&a, to + i, sizeof a);
    std::memcpy(&b, from + i, sizeof b);
    a ^= b;
    std::memcpy(to + i, &a, sizeof a);
  }
}
// to[i] ^= from[place + i], of all places; as many results at once as registers hold.
__attribute__((always_inline)) inline void add_all(uint32_t* to, const uint32_t* from,
                                                   const std::vector<unsigned>& places) {
  constexpr unsigned held = 13;
  static_assert(mt19937_words % (held * lanes) == 0);
  for (unsigned first = 0; first < mt19937_words; first += held * lanes) {
    Vector results[held];
    std::memcpy(results, to + first, sizeof results);
    for (const unsigned place : places) {
      const uint32_t* const next = from + place + first;
#pragma clang loop unroll(full)
      for (unsigned i = 0; i < held; ++i) {
        Vector term;
        std::memcpy(&term, next + std::size_t{i} * lanes, sizeof term);
        results[i] ^= term;
      }
    }
    std::memcpy(to + first, results, sizeof results);
  }
}
__attribute__((always_inline)) inline void gather(const uint32_t* words, const std::vector<unsigned>* places,
                                                  uint32_t* sum, uint32_t* to) {
  // The sum of the states that the code's bits name; what stands behind it is never used.
  constexpr unsigned padded = (following + lanes - 1) / lanes * lanes;
  for (unsigned n = 1, code = 0; n < sums; ++n) {
    const auto bit = static_cast<unsigned>(std::countr_zero(n));
    add(sum, words + bit, padded);
    code ^= 1U << bit;
    add_all(to, sum, places[code]);
  }
}
__attribute__((target("avx2"))) void gather_wide(const uint32_t* words, const std::vector<unsigned>* places,
                                                 uint32_t* sum, uint32_t* to) {
  gather(words, places, sum, to);
}
void gather_plain(const uint32_t* words, const std::vector<unsigned>* places, uint32_t* sum, uint32_t* to) {
  gather(words, places, sum, to);
}

}  // namespace

// Where in the polynomial each value of five coefficients stands.
struct Mt19937Jump::Windows {
  std::vector<unsigned> of[sums];
};

Mt19937Jump::Mt19937Jump(const uint64_t* polynomial)
    : windows_([polynomial] {
        auto made = std::make_unique<Windows>();
        for (unsigned place = 0; place < degree; place += width) {
          unsigned value = 0;
          for (unsigned i = 0; i < width && place + i < degree; ++i)
            value |= static_cast<unsigned>(polynomial[(place + i) / 64] >> (place + i) % 64 & 1) << i;
          made->of[value].push_back(place);
        }
        return made;
      }()) {}
Mt19937Jump::~Mt19937Jump() = default;

void Mt19937Jump::operator()(const uint32_t* from, uint32_t* to) const {
  // As many words as the windows and the bits in them reach.
  constexpr unsigned blocks = (following + width + lanes) / mt19937_words + 1;
  std::vector<uint32_t> words(std::size_t{blocks} * mt19937_words), sum(following + lanes);
  std::memcpy(words.data(), from, mt19937_words * sizeof(uint32_t));
  for (unsigned i = 1; i < blocks; ++i) {
    uint32_t* const block = words.data() + std::size_t{i} * mt19937_words;
    std::memcpy(block, block - mt19937_words, mt19937_words * sizeof(uint32_t));
    mt19937_step(block);
  }
  std::memset(to, 0, mt19937_words * sizeof(uint32_t));
  static const bool wide = __builtin_cpu_supports("avx2");
  (wide ? gather_wide : gather_plain)(words.data(), windows_->of, sum.data(), to);
}

}  // namespace heddle::curand
