// The device math functions: what compilers leave in PTX as calls of __nv_sinf and the like, for one lane and
// for the vectors of each kind of host, all with the same bits. The records are spec/math/functions.toml.
//
// Functions take what they are given: they set no errno, raise no trap, and look at no memory. They expect
// the host's default floating-point environment: to nearest, subnormals kept.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "math/functions.gen.h"

namespace heddle::math {

enum class Value : uint8_t { none, element, integer };

// Values come first, then the places of results in memory: T f(values..., pointers...).
struct Function {
  std::string_view name;  // as PTX has it
  bool single = false;    // f32, else f64
  std::array<Value, 4> sources{};
  // One comes back if `returns`; the others, in order, go where the pointers point.
  std::array<Value, 2> results{};
  bool returns = false;
  // Ulps between its result and the correctly rounded one, at most; none where it has no such bound.
  double limit = 0;
  std::string_view where;  // the limit holds; empty: everywhere
  double beyond = 0;       // elsewhere this absolute error is allowed; 0: any

  unsigned source_count() const;
  unsigned result_count() const { return results[1] == Value::none ? 1 : 2; }
  unsigned pointer_count() const { return result_count() - (returns ? 1 : 0); }
  unsigned bits() const {
    return single ? 32 : 64;
  }  // of every source and result; integers of f64 functions
     // are .s32 in PTX, and sign-extended here
};

std::span<const Function> functions();  // by Id
inline const Function& function(Id id) { return functions()[static_cast<std::size_t>(id)]; }
const Function* find(std::string_view name);
inline Id id_of(const Function& f) { return static_cast<Id>(&f - functions().data()); }

// ---- code. `width`: bits of a vector, 128, 256 or 512; or 0: one lane, as a plain float, double, int32_t or
// int64_t. Signature: first result f(sources..., pointer to second result), vectors in registers as C has it.
// `flushing`: to be called in the host's mode without subnormals, which it keeps.
const void* code(Id id, unsigned width, bool flushing = false);  // nullptr: this host has no such vectors
// Native code calls them by name.
std::string code_symbol(Id id, unsigned width, bool flushing);
const void* find_code(std::string_view symbol);

// Arrays of `count` lanes, a multiple of the width's: what the code above gives. False: no such vectors here.
bool run(Id id, unsigned width, const void* const* sources, void* const* results, std::size_t count);

// One lane, as bits.
void evaluate(Id id, std::span<const uint64_t> sources, std::span<uint64_t> results);

}  // namespace heddle::math
