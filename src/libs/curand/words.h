// Sequences whose every number is made of one word of 32 bits.
#pragma once

#include "libs/curand/sequence.h"

namespace heddle::curand {

// How a word becomes a number in (0, 1): the generators round differently.
enum class Rounding : uint8_t {
  mersenne,  // in double precision, in the middle of what the word stands for
  graphics   // floats in single precision; doubles at the upper end of what the word stands for
};

class Words : public Sequence {
 public:
  explicit Words(Rounding rounding) : rounding_(rounding) {}
  void uniform(float* to, uint64_t count) override;
  void uniform(double* to, uint64_t count) override;
  void between(double* to, uint64_t count) override;
  void normal(float* to, uint64_t count) override;
  void normal(double* to, uint64_t count) override;

 private:
  // Calls use(words, how many) until `count` words are used.
  template <class Use>
  void in_pieces(uint64_t count, const Use& use);

  const Rounding rounding_;
};

// The inverse of the normal distribution function: of words, each in the middle of what it stands for, by its
// denser half; and of numbers in (0, 1).
void normal_of_words(const uint32_t* words, float* to, uint64_t count);
void inverse_normal(double* values, uint64_t count);

}  // namespace heddle::curand
