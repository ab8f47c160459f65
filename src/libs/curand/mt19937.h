// The Mersenne Twister MT19937 (M. Matsumoto and T. Nishimura, 1998), many streams of it 2^2048 numbers
// apart.
#pragma once

#include <cstdint>
#include <memory>

#include "libs/curand/sequence.h"

namespace heddle::curand {

// Of the record spec/random/mt19937.toml: coefficient i is bit i % 64 of word i / 64.
extern const uint64_t mt19937_jump_2048[];
extern const uint64_t mt19937_jump_2055[];

constexpr unsigned mt19937_words = 624;
// From a state to the one that as many steps further is as a polynomial says.
class Mt19937Jump {
 public:
  explicit Mt19937Jump(const uint64_t* polynomial);
  ~Mt19937Jump();
  void operator()(const uint32_t* from, uint32_t* to) const;

 private:
  struct Windows;
  const std::unique_ptr<const Windows> windows_;
};
void mt19937_step(uint32_t* state);  // all of its words

std::unique_ptr<Sequence> make_mt19937(uint64_t seed);

}  // namespace heddle::curand
