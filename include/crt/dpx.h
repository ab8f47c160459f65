// The DPX functions (CUDA C++ Programming Guide, "DPX"; CUDA Math API, "SIMD Intrinsics"): three-way and
// fused minimum and maximum. Plain C++ that the code generators see through; correct on both sides and for
// every device.
#ifndef HEDDLE_CRT_DPX_H
#define HEDDLE_CRT_DPX_H

#define HEDDLE_DPX_ static __inline__ __host__ __device__ __attribute__((always_inline))

namespace heddle_dpx {
HEDDLE_DPX_ int greater(int a, int b) { return a > b ? a : b; }
HEDDLE_DPX_ int lesser(int a, int b) { return a < b ? a : b; }
HEDDLE_DPX_ unsigned int greater(unsigned int a, unsigned int b) { return a > b ? a : b; }
HEDDLE_DPX_ unsigned int lesser(unsigned int a, unsigned int b) { return a < b ? a : b; }
HEDDLE_DPX_ int wrapping_add(int a, int b) { return (int)((unsigned int)a + (unsigned int)b); }
HEDDLE_DPX_ unsigned int wrapping_add(unsigned int a, unsigned int b) { return a + b; }
// The two 16-bit halves of a word, by themselves.
template <class Half>
struct Halves {
  Half low, high;
};
template <class Half>
HEDDLE_DPX_ Halves<Half> split(unsigned int a) {
  return {(Half)(a & 0xffff), (Half)(a >> 16)};
}
HEDDLE_DPX_ unsigned int join(int low, int high) {
  return ((unsigned int)low & 0xffffu) | ((unsigned int)high << 16);
}
}  // namespace heddle_dpx

// One function of 32 bits, in signed, signed with relu (never below zero) and unsigned form; and its two-way
// 16-bit forms.
HEDDLE_DPX_ int __viaddmax_s32(int a, int b, int c) {
  using namespace heddle_dpx;
  return greater(wrapping_add(a, b), c);
}
HEDDLE_DPX_ unsigned int __viaddmax_u32(unsigned int a, unsigned int b, unsigned int c) {
  using namespace heddle_dpx;
  return greater(wrapping_add(a, b), c);
}
HEDDLE_DPX_ int __viaddmax_s32_relu(int a, int b, int c) {
  using namespace heddle_dpx;
  return greater(greater(wrapping_add(a, b), c), 0);
}
HEDDLE_DPX_ unsigned int __viaddmax_s16x2(unsigned int a, unsigned int b, unsigned int c) {
  using namespace heddle_dpx;
  Halves<short> a_ = split<short>(a), b_ = split<short>(b), c_ = split<short>(c);
  return join(greater((int)(short)((int)a_.low + (int)b_.low), (int)c_.low),
              greater((int)(short)((int)a_.high + (int)b_.high), (int)c_.high));
}
HEDDLE_DPX_ unsigned int __viaddmax_s16x2_relu(unsigned int a, unsigned int b, unsigned int c) {
  using namespace heddle_dpx;
  Halves<short> a_ = split<short>(a), b_ = split<short>(b), c_ = split<short>(c);
  return join(greater(greater((int)(short)((int)a_.low + (int)b_.low), (int)c_.low), 0),
              greater(greater((int)(short)((int)a_.high + (int)b_.high), (int)c_.high), 0));
}
HEDDLE_DPX_ unsigned int __viaddmax_u16x2(unsigned int a, unsigned int b, unsigned int c) {
  using namespace heddle_dpx;
  Halves<unsigned short> a_ = split<unsigned short>(a), b_ = split<unsigned short>(b),
                         c_ = split<unsigned short>(c);
  return join(greater((int)(unsigned short)((int)a_.low + (int)b_.low), (int)c_.low),
              greater((int)(unsigned short)((int)a_.high + (int)b_.high), (int)c_.high));
}
HEDDLE_DPX_ int __vimax3_s32(int a, int b, int c) {
  using namespace heddle_dpx;
  return greater(greater(a, b), c);
}
HEDDLE_DPX_ unsigned int __vimax3_u32(unsigned int a, unsigned int b, unsigned int c) {
  using namespace heddle_dpx;
  return greater(greater(a, b), c);
}
HEDDLE_DPX_ int __vimax3_s32_relu(int a, int b, int c) {
  using namespace heddle_dpx;
  return greater(greater(greater(a, b), c), 0);
}
HEDDLE_DPX_ unsigned int __vimax3_s16x2(unsigned int a, unsigned int b, unsigned int c) {
  using namespace heddle_dpx;
  Halves<short> a_ = split<short>(a), b_ = split<short>(b), c_ = split<short>(c);
  return join(greater(greater((int)a_.low, (int)b_.low), (int)c_.low),
              greater(greater((int)a_.high, (int)b_.high), (int)c_.high));
}
HEDDLE_DPX_ unsigned int __vimax3_s16x2_relu(unsigned int a, unsigned int b, unsigned int c) {
  using namespace heddle_dpx;
  Halves<short> a_ = split<short>(a), b_ = split<short>(b), c_ = split<short>(c);
  return join(greater(greater(greater((int)a_.low, (int)b_.low), (int)c_.low), 0),
              greater(greater(greater((int)a_.high, (int)b_.high), (int)c_.high), 0));
}
HEDDLE_DPX_ unsigned int __vimax3_u16x2(unsigned int a, unsigned int b, unsigned int c) {
  using namespace heddle_dpx;
  Halves<unsigned short> a_ = split<unsigned short>(a), b_ = split<unsigned short>(b),
                         c_ = split<unsigned short>(c);
  return join(greater(greater((int)a_.low, (int)b_.low), (int)c_.low),
              greater(greater((int)a_.high, (int)b_.high), (int)c_.high));
}
HEDDLE_DPX_ int __vimax_s32_relu(int a, int b) {
  using namespace heddle_dpx;
  return greater(greater(a, b), 0);
}
HEDDLE_DPX_ unsigned int __vimax_s16x2_relu(unsigned int a, unsigned int b) {
  using namespace heddle_dpx;
  Halves<short> a_ = split<short>(a), b_ = split<short>(b);
  return join(greater(greater((int)a_.low, (int)b_.low), 0), greater(greater((int)a_.high, (int)b_.high), 0));
}
HEDDLE_DPX_ int __viaddmin_s32(int a, int b, int c) {
  using namespace heddle_dpx;
  return lesser(wrapping_add(a, b), c);
}
HEDDLE_DPX_ unsigned int __viaddmin_u32(unsigned int a, unsigned int b, unsigned int c) {
  using namespace heddle_dpx;
  return lesser(wrapping_add(a, b), c);
}
HEDDLE_DPX_ int __viaddmin_s32_relu(int a, int b, int c) {
  using namespace heddle_dpx;
  return greater(lesser(wrapping_add(a, b), c), 0);
}
HEDDLE_DPX_ unsigned int __viaddmin_s16x2(unsigned int a, unsigned int b, unsigned int c) {
  using namespace heddle_dpx;
  Halves<short> a_ = split<short>(a), b_ = split<short>(b), c_ = split<short>(c);
  return join(lesser((int)(short)((int)a_.low + (int)b_.low), (int)c_.low),
              lesser((int)(short)((int)a_.high + (int)b_.high), (int)c_.high));
}
HEDDLE_DPX_ unsigned int __viaddmin_s16x2_relu(unsigned int a, unsigned int b, unsigned int c) {
  using namespace heddle_dpx;
  Halves<short> a_ = split<short>(a), b_ = split<short>(b), c_ = split<short>(c);
  return join(greater(lesser((int)(short)((int)a_.low + (int)b_.low), (int)c_.low), 0),
              greater(lesser((int)(short)((int)a_.high + (int)b_.high), (int)c_.high), 0));
}
HEDDLE_DPX_ unsigned int __viaddmin_u16x2(unsigned int a, unsigned int b, unsigned int c) {
  using namespace heddle_dpx;
  Halves<unsigned short> a_ = split<unsigned short>(a), b_ = split<unsigned short>(b),
                         c_ = split<unsigned short>(c);
  return join(lesser((int)(unsigned short)((int)a_.low + (int)b_.low), (int)c_.low),
              lesser((int)(unsigned short)((int)a_.high + (int)b_.high), (int)c_.high));
}
HEDDLE_DPX_ int __vimin3_s32(int a, int b, int c) {
  using namespace heddle_dpx;
  return lesser(lesser(a, b), c);
}
HEDDLE_DPX_ unsigned int __vimin3_u32(unsigned int a, unsigned int b, unsigned int c) {
  using namespace heddle_dpx;
  return lesser(lesser(a, b), c);
}
HEDDLE_DPX_ int __vimin3_s32_relu(int a, int b, int c) {
  using namespace heddle_dpx;
  return greater(lesser(lesser(a, b), c), 0);
}
HEDDLE_DPX_ unsigned int __vimin3_s16x2(unsigned int a, unsigned int b, unsigned int c) {
  using namespace heddle_dpx;
  Halves<short> a_ = split<short>(a), b_ = split<short>(b), c_ = split<short>(c);
  return join(lesser(lesser((int)a_.low, (int)b_.low), (int)c_.low),
              lesser(lesser((int)a_.high, (int)b_.high), (int)c_.high));
}
HEDDLE_DPX_ unsigned int __vimin3_s16x2_relu(unsigned int a, unsigned int b, unsigned int c) {
  using namespace heddle_dpx;
  Halves<short> a_ = split<short>(a), b_ = split<short>(b), c_ = split<short>(c);
  return join(greater(lesser(lesser((int)a_.low, (int)b_.low), (int)c_.low), 0),
              greater(lesser(lesser((int)a_.high, (int)b_.high), (int)c_.high), 0));
}
HEDDLE_DPX_ unsigned int __vimin3_u16x2(unsigned int a, unsigned int b, unsigned int c) {
  using namespace heddle_dpx;
  Halves<unsigned short> a_ = split<unsigned short>(a), b_ = split<unsigned short>(b),
                         c_ = split<unsigned short>(c);
  return join(lesser(lesser((int)a_.low, (int)b_.low), (int)c_.low),
              lesser(lesser((int)a_.high, (int)b_.high), (int)c_.high));
}
HEDDLE_DPX_ int __vimin_s32_relu(int a, int b) {
  using namespace heddle_dpx;
  return greater(lesser(a, b), 0);
}
HEDDLE_DPX_ unsigned int __vimin_s16x2_relu(unsigned int a, unsigned int b) {
  using namespace heddle_dpx;
  Halves<short> a_ = split<short>(a), b_ = split<short>(b);
  return join(greater(lesser((int)a_.low, (int)b_.low), 0), greater(lesser((int)a_.high, (int)b_.high), 0));
}

// The variants that also say which operand won: true when it is the first, equality included.
HEDDLE_DPX_ int __vibmax_s32(int a, int b, bool* pred) {
  *pred = a >= b;
  return *pred ? a : b;
}
HEDDLE_DPX_ unsigned int __vibmax_u32(unsigned int a, unsigned int b, bool* pred) {
  *pred = a >= b;
  return *pred ? a : b;
}
HEDDLE_DPX_ unsigned int __vibmax_s16x2(unsigned int a, unsigned int b, bool* pred_hi, bool* pred_lo) {
  using namespace heddle_dpx;
  Halves<short> a_ = split<short>(a), b_ = split<short>(b);
  *pred_hi = a_.high >= b_.high;
  *pred_lo = a_.low >= b_.low;
  return join(*pred_lo ? a_.low : b_.low, *pred_hi ? a_.high : b_.high);
}
HEDDLE_DPX_ unsigned int __vibmax_u16x2(unsigned int a, unsigned int b, bool* pred_hi, bool* pred_lo) {
  using namespace heddle_dpx;
  Halves<unsigned short> a_ = split<unsigned short>(a), b_ = split<unsigned short>(b);
  *pred_hi = a_.high >= b_.high;
  *pred_lo = a_.low >= b_.low;
  return join(*pred_lo ? a_.low : b_.low, *pred_hi ? a_.high : b_.high);
}
HEDDLE_DPX_ int __vibmin_s32(int a, int b, bool* pred) {
  *pred = a <= b;
  return *pred ? a : b;
}
HEDDLE_DPX_ unsigned int __vibmin_u32(unsigned int a, unsigned int b, bool* pred) {
  *pred = a <= b;
  return *pred ? a : b;
}
HEDDLE_DPX_ unsigned int __vibmin_s16x2(unsigned int a, unsigned int b, bool* pred_hi, bool* pred_lo) {
  using namespace heddle_dpx;
  Halves<short> a_ = split<short>(a), b_ = split<short>(b);
  *pred_hi = a_.high <= b_.high;
  *pred_lo = a_.low <= b_.low;
  return join(*pred_lo ? a_.low : b_.low, *pred_hi ? a_.high : b_.high);
}
HEDDLE_DPX_ unsigned int __vibmin_u16x2(unsigned int a, unsigned int b, bool* pred_hi, bool* pred_lo) {
  using namespace heddle_dpx;
  Halves<unsigned short> a_ = split<unsigned short>(a), b_ = split<unsigned short>(b);
  *pred_hi = a_.high <= b_.high;
  *pred_lo = a_.low <= b_.low;
  return join(*pred_lo ? a_.low : b_.low, *pred_hi ? a_.high : b_.high);
}

#undef HEDDLE_DPX_

#endif
