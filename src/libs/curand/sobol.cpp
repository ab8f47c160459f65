#include "libs/curand/sobol.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "libs/curand/joe_kuo.h"
#include "libs/curand/scrambling.h"
#include "libs/curand/words.h"

namespace heddle::curand {
namespace {

// The packed record, read from its beginning.
class Reader {
 public:
  uint32_t take(unsigned bits) {
    const uint64_t word = place_ / 64, shift = place_ % 64;
    uint64_t value = joe_kuo_words[word] >> shift;
    if (shift + bits > 64) value |= joe_kuo_words[word + 1] << (64 - shift);
    place_ += bits;
    return static_cast<uint32_t>(value & ((uint64_t{1} << bits) - 1));
  }

 private:
  uint64_t place_ = 0;
};

// Of each dimension. Vector k has its first bit at k places from the top; from the polynomial's degree on
// each follows from those before it (Bratley and Fox, Algorithm 659, 1988).
template <class Word>
std::vector<Word> make_vectors() {
  constexpr unsigned bits = 8 * sizeof(Word);
  std::vector<Word> all(std::size_t{joe_kuo_dimensions} * bits);
  for (unsigned k = 0; k < bits; ++k) all[k] = Word{1} << (bits - 1 - k);
  Reader reader;
  for (unsigned d = 1; d < joe_kuo_dimensions; ++d) {
    Word* const v = all.data() + std::size_t{d} * bits;
    const unsigned degree = reader.take(5);
    const uint32_t inner = reader.take(degree - 1);
    v[0] = Word{1} << (bits - 1);
    for (unsigned i = 1; i < degree; ++i) v[i] = (Word{reader.take(i)} * 2 + 1) << (bits - 1 - i);
    for (unsigned i = degree; i < bits; ++i) {
      v[i] = v[i - degree] ^ (v[i - degree] >> degree);
      for (unsigned k = 1; k < degree; ++k)
        if ((inner >> (degree - 1 - k) & 1) != 0) v[i] ^= v[i - k];
    }
  }
  return all;
}

template <class Word>
class Sobol final : public Sequence {
 public:
  // `constants`: what each dimension's numbers are combined with, or nullptr.
  Sobol(const Word* vectors, const Word* constants, uint64_t offset)
      : vectors_(vectors), constants_(constants), next_(static_cast<Word>(offset)) {}

  void set_dimensions(unsigned dimensions) override { dimensions_ = dimensions; }
  void bits(uint32_t* to, uint64_t count) override {
    walk(count, [&](Word x) { *to++ = static_cast<uint32_t>(x); });
  }
  void long_bits(uint64_t* to, uint64_t count) override {
    walk(count, [&](Word x) { *to++ = x; });
  }
  void uniform(float* to, uint64_t count) override {
    walk(count, [&](Word x) { *to++ = in_float(x); });
  }
  void uniform(double* to, uint64_t count) override {
    walk(count, [&](Word x) {
      *to++ = sizeof(Word) == 4 ? static_cast<double>(x) * 0x1p-32 + 0x1p-32 : in_double(x);
    });
  }
  void normal(float* to, uint64_t count) override {
    uint32_t tops[1024];
    uint64_t n = 0;
    const auto put = [&] {
      normal_of_words(tops, to, n);
      to += n;
      n = 0;
    };
    walk(count, [&](Word x) {
      tops[n++] = top(x);
      if (n == std::size(tops)) put();
    });
    put();
  }
  void normal(double* to, uint64_t count) override {
    double* next = to;
    walk(count, [&](Word x) { *next++ = in_double(x); });
    inverse_normal(to, count);
  }
  void between(double* to, uint64_t count) override {
    walk(count, [&](Word x) { *to++ = in_double(x); });
  }

 private:
  static constexpr unsigned bits_of_word = 8 * sizeof(Word);
  static uint32_t top(Word x) { return static_cast<uint32_t>(x >> (bits_of_word - 32)); }
  static float in_float(Word x) { return static_cast<float>(top(x)) * 0x1p-32f + 0x1p-33f; }
  // In the middle of what the word stands for.
  static double in_double(Word x) {
    if constexpr (sizeof(Word) == 4)
      return static_cast<double>(x) * 0x1p-32 + 0x1p-33;
    else
      return static_cast<double>(x >> 11) * 0x1p-53 + 0x1p-54;
  }
  template <class Take>
  void walk(uint64_t count, const Take& take) {
    const uint64_t each = count / dimensions_;
    for (unsigned d = 0; d < dimensions_; ++d) {
      const Word* const v = vectors_ + std::size_t{d} * bits_of_word;
      const Word gray = next_ ^ (next_ >> 1);
      Word x = constants_ == nullptr ? 0 : constants_[d], i = next_;
      for (unsigned k = 0; k < bits_of_word; ++k)
        if ((gray >> k & 1) != 0) x ^= v[k];
      for (uint64_t n = 0; n < each; ++n) {
        take(x);
        x ^= v[std::min<unsigned>(static_cast<unsigned>(std::countr_one(i)), bits_of_word - 1)];
        ++i;
      }
    }
    next_ += static_cast<Word>(each);
  }

  const Word *const vectors_, *const constants_;
  unsigned dimensions_ = 1;
  Word next_;
};

}  // namespace

const uint32_t (*direction_vectors_32())[32] {
  static const auto* const made = new std::vector<uint32_t>(make_vectors<uint32_t>());
  return reinterpret_cast<const uint32_t(*)[32]>(made->data());
}
const uint64_t (*direction_vectors_64())[64] {
  static const auto* const made = new std::vector<uint64_t>(make_vectors<uint64_t>());
  return reinterpret_cast<const uint64_t(*)[64]>(made->data());
}
unsigned most_dimensions() { return joe_kuo_dimensions; }

std::unique_ptr<Sequence> make_sobol(bool wide, bool scrambled, uint64_t offset) {
  if (wide) {
    const auto* const vectors = scrambled ? scrambling().vectors_64.data() : direction_vectors_64()[0];
    return std::make_unique<Sobol<uint64_t>>(vectors, scrambled ? scrambling().constants_64.data() : nullptr,
                                             offset);
  }
  const auto* const vectors = scrambled ? scrambling().vectors_32.data() : direction_vectors_32()[0];
  return std::make_unique<Sobol<uint32_t>>(vectors, scrambled ? scrambling().constants_32.data() : nullptr,
                                           offset);
}

}  // namespace heddle::curand
