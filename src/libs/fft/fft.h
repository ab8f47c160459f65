// Fourier transforms of any length, in up to three dimensions (or more), of many arrays at once. Not
// normalised: forward then inverse multiplies by the number of elements.
//
// The error is O(log n) of a rounding (roots are rounded once, lengths with large primes go through
// Bluestein's convolution). Lines lie in the lanes of vectors, or where there are few of them, parts of one
// line do; both are made for three levels of hosts. Large transforms use the cores of the host.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace heddle::fft {

enum class Kind : uint8_t { complex, real_to_complex, complex_to_real };
enum class Number : uint8_t { f16, bf16, f32, f64 };

// An array's elements: of dimension d they lie strides[d] apart, arrays `distance`. In elements, real or
// complex.
struct Layout {
  std::vector<int64_t> strides;
  int64_t distance = 0;
};

struct Request {
  Kind kind = Kind::complex;
  Number number = Number::f32;
  std::vector<int64_t> lengths;  // outermost first; of the real side
  int64_t batch = 1;
  Layout in, out;
};

// Dense arrays: what lies where nothing else is said. in_place: rows of real numbers are as long as their
// complex ones.
Layout dense(const std::vector<int64_t>& lengths, Kind kind, bool is_input, bool in_place);
// The lengths of one side: the last is n / 2 + 1 where real numbers become complex.
std::vector<int64_t> complex_lengths(const std::vector<int64_t>& lengths);

class Plan {
 public:
  virtual ~Plan() = default;
  // inverse: of Kind::complex. `in` may be `out`; else `in` is left as it is.
  virtual void execute(const void* in, void* out, bool inverse) const = 0;
};

// The request must be possible: lengths and batch from 1. May throw std::bad_alloc, as execute may.
std::unique_ptr<Plan> make_plan(const Request& request);

}  // namespace heddle::fft
