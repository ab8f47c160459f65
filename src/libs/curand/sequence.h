// The numbers of a generator, in the order of the host's API: several streams of the device API's generators
// take turns (cuRAND Library, "Order").
#pragma once

#include <cstdint>
#include <memory>

namespace heddle::curand {

enum class Kind : uint8_t {
  xorwow,
  mrg32k3a,
  philox,
  mtgp32,
  mt19937,
  sobol32,
  scrambled_sobol32,
  sobol64,
  scrambled_sobol64
};
inline bool quasi(Kind kind) { return kind >= Kind::sobol32; }
inline bool wide(Kind kind) { return kind >= Kind::sobol64; }  // words of 64 bits
// Normal numbers come in pairs, which a call does not divide. Of philox they are of fours, which may be, and
// the others make one of one.
inline bool paired(Kind kind) { return kind <= Kind::mrg32k3a; }
// Where the numbers of an offset can be found.
inline bool skips(Kind kind) { return kind != Kind::mtgp32 && kind != Kind::mt19937; }
enum class Order : uint8_t { best, legacy, seeded, dynamic };
// What dynamic order depends on: with as many streams as a device runs threads at once.
struct Threads {
  unsigned multiprocessors = 1, on_each = 1024;
};

class Sequence {
 public:
  virtual ~Sequence() = default;
  virtual void bits(uint32_t* to, uint64_t count) = 0;
  virtual void uniform(float* to, uint64_t count) = 0;
  virtual void uniform(double* to, uint64_t count) = 0;
  // Of sequences with words of 64 bits.
  virtual void long_bits(uint64_t*, uint64_t) {}
  // Uniform numbers that are neither 0 nor 1, for the inverse of a distribution.
  virtual void between(double* to, uint64_t count) { uniform(to, count); }
  // Of quasi-random sequences, from the next numbers on.
  virtual void set_dimensions(unsigned) {}
  // Whole pairs, of a kind that is paired().
  virtual void normal(float* to, uint64_t count) = 0;
  virtual void normal(double* to, uint64_t count) = 0;
  // One for each turn: a stream keeps the second one of a pair until its turn comes again.
  virtual void single_normal(float* to, uint64_t count) { normal(to, count); }
};
// May throw std::bad_alloc.
std::unique_ptr<Sequence> make_sequence(Kind kind, Order order, uint64_t seed, uint64_t offset,
                                        Threads threads = {});

}  // namespace heddle::curand
