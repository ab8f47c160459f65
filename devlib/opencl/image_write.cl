// OpenCL C 1.0, 6.11.8: writing images on devices of compute capability 1.x, which store bytes to surfaces but have no
// conversion to an image's format (PTX ISA 9.7.11.2: sust.p needs sm_20). Numbers of cl.h in hexadecimal.
#include "opencl.h"

INLINE uint type_of(ulong image) {
  uint type;
  __asm__("suq.channel_data_type.b32 %0, [%1];" : "=r"(type) : "l"(image));
  return type;
}
INLINE uint order_of(ulong image) {
  uint order;
  __asm__("suq.channel_order.b32 %0, [%1];" : "=r"(order) : "l"(image));
  return order;
}

INLINE uint normalized(uint bits, float most, float least) {
  float value = __builtin_fminf(__builtin_fmaxf(as_float(bits), least), 1.0f) * most;
  return (uint)(int)__builtin_rintf(value);
}
INLINE uint clamped(uint bits, int least, int most) {
  int value = (int)bits;
  return (uint)(value < least ? least : value > most ? most : value);
}
INLINE uint half_of(uint bits) {
  ushort half_bits;
  __asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(half_bits) : "f"(as_float(bits)));
  return half_bits;
}

// A channel as the type codes it.
INLINE uint coded(uint bits, uint type) {
  switch (type) {
    case 0x10D0: return normalized(bits, 127.0f, -1.0f);
    case 0x10D1: return normalized(bits, 32767.0f, -1.0f);
    case 0x10D2: return normalized(bits, 255.0f, 0.0f);
    case 0x10D3: return normalized(bits, 65535.0f, 0.0f);
    case 0x10D7: return clamped(bits, -128, 127);
    case 0x10D8: return clamped(bits, -32768, 32767);
    case 0x10DA: return bits < 255 ? bits : 255;
    case 0x10DB: return bits < 65535 ? bits : 65535;
    case 0x10DD: return half_of(bits);
    default: return bits;
  }
}
INLINE uint bytes_of(uint type) {
  switch (type) {
    case 0x10D0:
    case 0x10D2:
    case 0x10D7:
    case 0x10DA: return 1;
    case 0x10D9:
    case 0x10DC:
    case 0x10DE: return 4;
    default: return 2;
  }
}

#define ONE(size, T, C) \
  __asm__ volatile("sust.b.2d." #size ".zero [%0, {%1, %2}], %3;" ::"l"(image), "r"(x), "r"(y), C((T)(c.x)))
#define TWO(size, T, C)                                                                                            \
  __asm__ volatile("sust.b.2d.v2." #size ".zero [%0, {%1, %2}], {%3, %4};" ::"l"(image), "r"(x), "r"(y), C((T)(c.x)), \
                   C((T)(c.y)))
#define FOUR(size, T, C)                                                                                            \
  __asm__ volatile("sust.b.2d.v4." #size ".zero [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(image), "r"(x), "r"(y),    \
                   C((T)(c.x)), C((T)(c.y)), C((T)(c.z)), C((T)(c.w)))
#define STORE(count)                                  \
  do {                                                \
    x *= (int)(count##_CHANNELS * bytes);             \
    if (bytes == 1)                                   \
      count(b8, ushort, "h");                         \
    else if (bytes == 2)                              \
      count(b16, ushort, "h");                        \
    else                                              \
      count(b32, uint, "r");                          \
  } while (0)
#define ONE_CHANNELS 1
#define TWO_CHANNELS 2
#define FOUR_CHANNELS 4

API void __heddle_write_texel(ulong image, int x, int y, uint4 colour) {
  const uint type = type_of(image), order = order_of(image);
  uint4 c = colour;
  if (type == 0x10D4 || type == 0x10D5) {  // RGB in 16 bits
    const float green = type == 0x10D4 ? 63.0f : 31.0f;
    c.x = normalized(c.x, 31.0f, 0.0f) << (type == 0x10D4 ? 11 : 10) | normalized(c.y, green, 0.0f) << 5 |
          normalized(c.z, 31.0f, 0.0f);
    x *= 2;
    ONE(b16, ushort, "h");
    return;
  }
  if (type == 0x10D6) {  // in 32
    c.x = normalized(c.x, 1023.0f, 0.0f) << 20 | normalized(c.y, 1023.0f, 0.0f) << 10 | normalized(c.z, 1023.0f, 0.0f);
    x *= 4;
    ONE(b32, uint, "r");
    return;
  }
  if (order == 0x10B1) c.x = c.w;        // A
  if (order == 0x10B3) c.y = c.w;        // RA
  if (order == 0x10B6) c = c.zyxw;       // BGRA
  if (order == 0x10B7) c = c.wxyz;       // ARGB
  if (order == 0x10C3) c = c.wzyx;       // ABGR
  c = (uint4)(coded(c.x, type), coded(c.y, type), coded(c.z, type), coded(c.w, type));
  const uint bytes = bytes_of(type);
  switch (order) {
    case 0x10B2:
    case 0x10B3: STORE(TWO); break;
    case 0x10B5:
    case 0x10B6:
    case 0x10B7:
    case 0x10C3: STORE(FOUR); break;
    default: STORE(ONE);
  }
}
