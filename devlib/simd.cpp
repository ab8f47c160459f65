// The SIMD functions (CUDA Math API, "SIMD Intrinsics"): two halves or four bytes of a word, each by itself.
// clang's headers spell them as PTX's video instructions; programs that call libdevice themselves come here.
#include "devlib.h"

namespace {

template <int count>
struct Parts;  // count signed, and unsigned, numbers that fill a word
template <>
struct Parts<2> {
  using Signed = short;
  using Unsigned = unsigned short;
};
template <>
struct Parts<4> {
  using Signed = signed char;
  using Unsigned = unsigned char;
};

template <int count, class Function>
inline __attribute__((always_inline)) u32 each(u32 a, u32 b, Function function) {
  constexpr int bits = 32 / count;
  constexpr u32 mask = (1u << bits) - 1;
  u32 result = 0;
#pragma clang loop unroll(full)
  for (int i = 0; i < count; ++i)
    result |= ((u32)function(a >> (i * bits), b >> (i * bits)) & mask) << (i * bits);
  return result;
}
template <int count, class Function>
inline __attribute__((always_inline)) u32 total(u32 a, u32 b, Function function) {
  u32 result = 0;
#pragma clang loop unroll(full)
  for (int i = 0; i < count; ++i) result += (u32)function(a >> (i * (32 / count)), b >> (i * (32 / count)));
  return result;
}
inline int clamped(int value, int low, int high) { return value < low ? low : value > high ? high : value; }

}  // namespace

extern "C" {

#define BINARY(name, part, expression)                     \
  API u32 __nv_##name##2(u32 a, u32 b) {                   \
    using P = Parts<2>;                                    \
    constexpr int low = -32768, high = 32767, top = 65535; \
    (void)low, (void)high, (void)top;                      \
    return each<2>(a, b, [](u32 p, u32 q) {                \
      int x = (P::part)p, y = (P::part)q;                  \
      return expression;                                   \
    });                                                    \
  }                                                        \
  API u32 __nv_##name##4(u32 a, u32 b) {                   \
    using P = Parts<4>;                                    \
    constexpr int low = -128, high = 127, top = 255;       \
    (void)low, (void)high, (void)top;                      \
    return each<4>(a, b, [](u32 p, u32 q) {                \
      int x = (P::part)p, y = (P::part)q;                  \
      return expression;                                   \
    });                                                    \
  }
#define UNARY(name, expression)               \
  API u32 __nv_##name##2(u32 a) {             \
    constexpr int low = -32768, high = 32767; \
    (void)low, (void)high;                    \
    return each<2>(a, a, [](u32 p, u32) {     \
      int x = (short)p;                       \
      return expression;                      \
    });                                       \
  }                                           \
  API u32 __nv_##name##4(u32 a) {             \
    constexpr int low = -128, high = 127;     \
    (void)low, (void)high;                    \
    return each<4>(a, a, [](u32 p, u32) {     \
      int x = (signed char)p;                 \
      return expression;                      \
    });                                       \
  }
#define SUM(name, part)                                 \
  API u32 __nv_##name##2(u32 a, u32 b) {                \
    return total<2>(a, b, [](u32 p, u32 q) {            \
      int x = (Parts<2>::part)p, y = (Parts<2>::part)q; \
      return x > y ? x - y : y - x;                     \
    });                                                 \
  }                                                     \
  API u32 __nv_##name##4(u32 a, u32 b) {                \
    return total<4>(a, b, [](u32 p, u32 q) {            \
      int x = (Parts<4>::part)p, y = (Parts<4>::part)q; \
      return x > y ? x - y : y - x;                     \
    });                                                 \
  }
#define COMPARE(name, part, operation)             \
  BINARY(vcmp##name, part, x operation y ? -1 : 0) \
  BINARY(vset##name, part, x operation y ? 1 : 0)

BINARY(vadd, Unsigned, x + y)
BINARY(vaddss, Signed, clamped(x + y, low, high))
BINARY(vaddus, Unsigned, clamped(x + y, 0, top))
BINARY(vsub, Unsigned, x - y)
BINARY(vsubss, Signed, clamped(x - y, low, high))
BINARY(vsubus, Unsigned, clamped(x - y, 0, top))
// The mean of signed parts rounds halves away from zero.
BINARY(vavgs, Signed, (x + y + (x + y >= 0)) >> 1)
BINARY(vavgu, Unsigned, (x + y + 1) >> 1)
BINARY(vhaddu, Unsigned, (x + y) >> 1)
BINARY(vmaxs, Signed, x > y ? x : y)
BINARY(vmaxu, Unsigned, x > y ? x : y)
BINARY(vmins, Signed, x < y ? x : y)
BINARY(vminu, Unsigned, x < y ? x : y)
BINARY(vabsdiffs, Signed, x > y ? x - y : y - x)
BINARY(vabsdiffu, Unsigned, x > y ? x - y : y - x)
COMPARE(eq, Unsigned, ==)
COMPARE(ne, Unsigned, !=)
COMPARE(ges, Signed, >=)
COMPARE(geu, Unsigned, >=)
COMPARE(gts, Signed, >)
COMPARE(gtu, Unsigned, >)
COMPARE(les, Signed, <=)
COMPARE(leu, Unsigned, <=)
COMPARE(lts, Signed, <)
COMPARE(ltu, Unsigned, <)
UNARY(vneg, -x)
UNARY(vnegss, clamped(-x, low, high))
UNARY(vabs, x < 0 ? -x : x)
UNARY(vabsss, x < 0 ? clamped(-x, low, high) : x)
SUM(vsads, Signed)
SUM(vsadu, Unsigned)
}
