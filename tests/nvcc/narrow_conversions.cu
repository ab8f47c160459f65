// Numbers with a point as integers that cannot hold them: converted to 32 bits, or to 64 where the integer has more, clamped to
// their range, of which narrower integers take the low part (PTX ISA, cvt; NVIDIA's compiler makes the same cvt of each).
// RUN: %nvcc -O3 %s -o %t && %t && env HEDDLE_EXECUTOR=interp %t
// RUN: %nvcc -G %s -o %t && %t
#include <cstdint>
#include <cstdio>
#include <cstring>

struct Bits {
  unsigned five : 5;
  int other : 5;
  unsigned char three : 3;
};
enum Small : unsigned char { none };
struct All {
  unsigned char u8;
  signed char s8;
  unsigned short u16;
  short s16;
  unsigned u32;
  int s32;
  unsigned long long u64;
  long long s64;
  bool truth;
  Small small;
  unsigned five, three;
  int other;
};

template <class Float>
__host__ __device__ __forceinline__ void all_of(Float x, All& out) {
  Bits bits;
  bits.five = x;
  bits.other = x;
  bits.three = x;
  out = {(unsigned char)x, (signed char)x,        (unsigned short)x, (short)x,  (unsigned)x, (int)x,
         (unsigned long long)x, (long long)x, (bool)x, (Small)x, bits.five, bits.three, bits.other};
}

constexpr int count = 14;
#define NUMBERS(x) \
  x(300) x(-1) x(256) x(127.9) x(70000) x(-40000) x(1e10) x(-1e10) x(1e30) x(-1e30) x(0.9) x(-0.9) x(3e9) x(__builtin_nan(""))

__global__ void at_run_time(const double* in, All* out) {
  all_of((float)in[threadIdx.x], out[threadIdx.x]);
  all_of(in[threadIdx.x], out[count + threadIdx.x]);
}
__global__ void when_compiled(All* out) {
#define FLOAT(x) all_of((float)(x), *out++);
#define DOUBLE(x) all_of((double)(x), *out++);
  NUMBERS(FLOAT)
  NUMBERS(DOUBLE)
}
// Not through a variable: the front end folds these.
__global__ void literals(int* out) {
  out[0] = (unsigned char)300.f, out[1] = (signed char)300.f, out[2] = (unsigned short)-1.f, out[3] = (short)70000.f;
  out[4] = (unsigned char)-1.0, out[5] = (short)-40000.0;
}

// cvt.rzi to so many bits, in integers alone.
uint64_t converted(double x, int bits, bool is_signed, bool wide_nan) {
  if (x != x) return wide_nan ? 1ull << (bits - 1) : 0;
  const double most = __builtin_ldexp(1, is_signed ? bits - 1 : bits), least = is_signed ? -most : 0;
  const uint64_t top = is_signed ? (1ull << (bits - 1)) - 1 : bits == 64 ? ~0ull : (1ull << bits) - 1;
  if (x >= most) return top;
  if (is_signed) return x <= least ? ~top : (uint64_t)(int64_t)x;
  return x <= 0 ? 0 : (uint64_t)x;
}

int main() {
  const double numbers[] = {
#define SAME(x) x,
      NUMBERS(SAME)};
  double* in;
  All *out, *folded;
  int* six;
  cudaMallocManaged(&in, sizeof numbers);
  cudaMallocManaged(&out, 2 * count * sizeof(All));
  cudaMallocManaged(&folded, 2 * count * sizeof(All));
  cudaMallocManaged(&six, 6 * sizeof(int));
  memcpy(in, numbers, sizeof numbers);
  at_run_time<<<1, count>>>(in, out);
  when_compiled<<<1, 1>>>(folded);
  literals<<<1, 1>>>(six);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  int wrong = 0;
  for (int i = 0; i < 2 * count; ++i) {
    const bool is_double = i >= count;
    const double x = is_double ? numbers[i - count] : (double)(float)numbers[i];
    const auto number = [&](int bits, bool is_signed) { return converted(x, bits, is_signed, is_double || bits == 64); };
    const uint32_t u = (uint32_t)number(32, false), s = (uint32_t)number(32, true);
    const int other = (int)(s << 27) >> 27;
    for (const All* one : {out + i, folded + i}) {
      const bool right = one->u8 == (uint8_t)u && one->s8 == (int8_t)s && one->u16 == (uint16_t)u && one->s16 == (int16_t)s &&
                         one->u32 == u && one->s32 == (int)s && one->u64 == number(64, false) &&
                         one->s64 == (int64_t)number(64, true) && one->truth == (x != 0) && one->small == (uint8_t)u &&
                         one->five == (u & 31) && one->three == (u & 7) && one->other == other;
      if (right) continue;
      ++wrong;
      printf("%g %s %s: u8 %d s8 %d u16 %d s16 %d u32 %x s32 %x u64 %llx s64 %llx %d %d %d %d %d\n", x,
             is_double ? "double" : "float", one == out + i ? "computed" : "folded", one->u8, one->s8, one->u16, one->s16,
             one->u32, one->s32, one->u64, one->s64, one->truth, one->small, one->five, one->three, one->other);
    }
  }
  const int expected[] = {44, 44, 0, 4464, 0, 25536};
  if (memcmp(six, expected, sizeof expected) != 0) {
    ++wrong;
    printf("literals: %d %d %d %d %d %d\n", six[0], six[1], six[2], six[3], six[4], six[5]);
  }
  return wrong != 0;
}
