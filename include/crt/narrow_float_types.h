// The classes of a 16-bit format: one number, and two in a word. Included by cuda_fp16.h and cuda_bf16.h,
// once each, under their macros.

#define HEDDLE_HD __host__ __device__

HEDDLE_NARROW_ HEDDLE_SCALAR HEDDLE_FROM(float)(const float a);
HEDDLE_NARROW_ HEDDLE_SCALAR HEDDLE_FROM(double)(const double a);
HEDDLE_NARROW_ float HEDDLE_TO(float)(const HEDDLE_SCALAR a);
#define HEDDLE_INTEGER_(name, type)                                  \
  HEDDLE_NARROW_ HEDDLE_SCALAR HEDDLE_FROM_(name, rn)(const type a); \
  HEDDLE_NARROW_ type HEDDLE_TO_(name, rz)(const HEDDLE_SCALAR a);
HEDDLE_INTEGER_(short, short)
HEDDLE_INTEGER_(ushort, unsigned short)
HEDDLE_INTEGER_(int, int)
HEDDLE_INTEGER_(uint, unsigned int)
HEDDLE_INTEGER_(ll, long long)
HEDDLE_INTEGER_(ull, unsigned long long)
#undef HEDDLE_INTEGER_
HEDDLE_NARROW_ signed char HEDDLE_TO_(char, rz)(const HEDDLE_SCALAR a);
HEDDLE_NARROW_ unsigned char HEDDLE_TO_(uchar, rz)(const HEDDLE_SCALAR a);

struct __attribute__((aligned(2))) HEDDLE_SCALAR {
 protected:
  unsigned short __x;

 public:
  HEDDLE_SCALAR() = default;
  HEDDLE_HD constexpr HEDDLE_SCALAR(const HEDDLE_RAW& raw) : __x(raw.x) {}
  HEDDLE_HD HEDDLE_SCALAR& operator=(const HEDDLE_RAW& raw) {
    __x = raw.x;
    return *this;
  }
  HEDDLE_HD volatile HEDDLE_SCALAR& operator=(const HEDDLE_RAW& raw) volatile {
    __x = raw.x;
    return *this;
  }
  HEDDLE_HD constexpr operator HEDDLE_RAW() const { return HEDDLE_RAW{__x}; }
  HEDDLE_HD operator HEDDLE_RAW() const volatile { return HEDDLE_RAW{__x}; }
  explicit HEDDLE_HD HEDDLE_SCALAR(const HEDDLE_OTHER a);

#ifdef HEDDLE_CONVERSIONS
  HEDDLE_HD HEDDLE_SCALAR(const float a) { __x = HEDDLE_FROM(float)(a).__x; }
  HEDDLE_HD HEDDLE_SCALAR(const double a) { __x = HEDDLE_FROM(double)(a).__x; }
#define HEDDLE_INTEGER_(name, type)                                                     \
  HEDDLE_HD HEDDLE_SCALAR(const type a) { __x = HEDDLE_FROM_(name, rn)(a).__x; }        \
  HEDDLE_HD HEDDLE_SCALAR& operator=(const type a) { return *this = HEDDLE_SCALAR(a); } \
  HEDDLE_HD operator type() const { return HEDDLE_TO_(name, rz)(*this); }
  HEDDLE_INTEGER_(short, short)
  HEDDLE_INTEGER_(ushort, unsigned short)
  HEDDLE_INTEGER_(int, int)
  HEDDLE_INTEGER_(uint, unsigned int)
  HEDDLE_INTEGER_(ll, long)
  HEDDLE_INTEGER_(ull, unsigned long)
  HEDDLE_INTEGER_(ll, long long)
  HEDDLE_INTEGER_(ull, unsigned long long)
#undef HEDDLE_INTEGER_
  HEDDLE_HD HEDDLE_SCALAR& operator=(const float a) {
    __x = HEDDLE_FROM(float)(a).__x;
    return *this;
  }
  HEDDLE_HD HEDDLE_SCALAR& operator=(const double a) {
    __x = HEDDLE_FROM(double)(a).__x;
    return *this;
  }

  HEDDLE_HD operator float() const { return HEDDLE_TO(float)(*this); }
  HEDDLE_HD constexpr operator bool() const { return (__x & 0x7fff) != 0; }
  HEDDLE_HD operator char() const { return HEDDLE_TO_(char, rz)(*this); }
  HEDDLE_HD operator signed char() const { return HEDDLE_TO_(char, rz)(*this); }
  HEDDLE_HD operator unsigned char() const { return HEDDLE_TO_(uchar, rz)(*this); }
#endif
};

struct __attribute__((aligned(4))) HEDDLE_VECTOR {
  HEDDLE_SCALAR x;
  HEDDLE_SCALAR y;

  HEDDLE_VECTOR() = default;
  HEDDLE_VECTOR(const HEDDLE_VECTOR&) = default;
  HEDDLE_VECTOR(HEDDLE_VECTOR&&) = default;
  HEDDLE_VECTOR& operator=(const HEDDLE_VECTOR&) = default;
  HEDDLE_VECTOR& operator=(HEDDLE_VECTOR&&) = default;
  HEDDLE_HD constexpr HEDDLE_VECTOR(const HEDDLE_SCALAR& a, const HEDDLE_SCALAR& b) : x(a), y(b) {}
  HEDDLE_HD HEDDLE_VECTOR(const HEDDLE_VECTOR_RAW& raw) : x(HEDDLE_RAW{raw.x}), y(HEDDLE_RAW{raw.y}) {}
  // A template, so that `v = {}` means a copy and nothing else.
  template <class Raw>
  HEDDLE_HD typename heddle_narrow::IfSame<Raw, HEDDLE_VECTOR_RAW, HEDDLE_VECTOR>::type& operator=(
      const Raw& raw) {
    x = HEDDLE_RAW{raw.x};
    y = HEDDLE_RAW{raw.y};
    return *this;
  }
  HEDDLE_HD operator HEDDLE_VECTOR_RAW() const { return HEDDLE_VECTOR_RAW{HEDDLE_RAW(x).x, HEDDLE_RAW(y).x}; }
};
