#include "libs/curand/words.h"

#include <algorithm>

#include "math/math.h"

namespace heddle::curand {
namespace {

constexpr uint64_t piece = 1024;

double middle(uint32_t word) { return word * 0x1p-32 + 0x1p-33; }

}  // namespace

void normal_of_words(const uint32_t* words, float* to, uint64_t count) {
  static const math::Function* const f = math::find("__nv_normcdfinvf");
  for (uint64_t i = 0; i < count; ++i) {
    const uint32_t half = words[i] > 0x80000000U ? ~words[i] : words[i];
    to[i] = static_cast<float>(half) * 0x1p-32F + 0x1p-33F;
  }
  const void* const sources[] = {to};
  void* const results[] = {to};
  math::run(math::id_of(*f), 0, sources, results, count);
  for (uint64_t i = 0; i < count; ++i)
    if (words[i] > 0x80000000U) to[i] = -to[i];
}

void inverse_normal(double* values, uint64_t count) {
  static const math::Function* const f = math::find("__nv_normcdfinv");
  const void* const sources[] = {values};
  void* const results[] = {values};
  math::run(math::id_of(*f), 0, sources, results, count);
}

template <class Use>
void Words::in_pieces(uint64_t count, const Use& use) {
  uint32_t words[piece];
  for (uint64_t done = 0; done < count; done += piece) {
    const uint64_t n = std::min(piece, count - done);
    bits(words, n);
    use(words, n);
  }
}

void Words::uniform(float* to, uint64_t count) {
  in_pieces(count, [&](const uint32_t* words, uint64_t n) {
    for (uint64_t i = 0; i < n; ++i)
      *to++ = rounding_ == Rounding::mersenne ? static_cast<float>(middle(words[i]))
                                              : static_cast<float>(words[i]) * 0x1p-32F + 0x1p-33F;
  });
}
void Words::uniform(double* to, uint64_t count) {
  in_pieces(count, [&](const uint32_t* words, uint64_t n) {
    for (uint64_t i = 0; i < n; ++i)
      *to++ = rounding_ == Rounding::mersenne ? middle(words[i]) : words[i] * 0x1p-32 + 0x1p-32;
  });
}
void Words::between(double* to, uint64_t count) {
  in_pieces(count, [&](const uint32_t* words, uint64_t n) {
    for (uint64_t i = 0; i < n; ++i) *to++ = middle(words[i]);
  });
}
void Words::normal(float* to, uint64_t count) {
  in_pieces(count, [&](const uint32_t* words, uint64_t n) {
    normal_of_words(words, to, n);
    to += n;
  });
}
void Words::normal(double* to, uint64_t count) {
  between(to, count);
  inverse_normal(to, count);
}

}  // namespace heddle::curand
