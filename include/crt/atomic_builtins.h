// CUDA 12.8's atomic functions with an order and a scope, which are built into NVIDIA's compiler (CUDA C++
// Programming Guide, "Built-in Atomic Functions"). An operation is relaxed, between fences as the order asks:
// never weaker. Clusters are served by what serves the device.
#ifndef HEDDLE_CRT_ATOMIC_BUILTINS_H
#define HEDDLE_CRT_ATOMIC_BUILTINS_H

enum {
  __NV_ATOMIC_RELAXED,
  __NV_ATOMIC_CONSUME,
  __NV_ATOMIC_ACQUIRE,
  __NV_ATOMIC_RELEASE,
  __NV_ATOMIC_ACQ_REL,
  __NV_ATOMIC_SEQ_CST
};
enum {
  __NV_THREAD_SCOPE_THREAD,
  __NV_THREAD_SCOPE_BLOCK,
  __NV_THREAD_SCOPE_CLUSTER,
  __NV_THREAD_SCOPE_DEVICE,
  __NV_THREAD_SCOPE_SYSTEM
};

#define HEDDLE_BUILTIN_ static __device__ __forceinline__

HEDDLE_BUILTIN_ void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  if (order == __NV_ATOMIC_RELAXED || scope == __NV_THREAD_SCOPE_THREAD) return;
  if (scope == __NV_THREAD_SCOPE_BLOCK)
    __threadfence_block();
  else if (scope == __NV_THREAD_SCOPE_SYSTEM)
    __threadfence_system();
  else
    __threadfence();
}

namespace heddle_atomic {

// Keeps a parameter out of deduction: a value becomes what the pointer points to.
template <class T>
struct As {
  typedef T type;
};

HEDDLE_BUILTIN_ void before(int order, int scope) {
  if (order >= __NV_ATOMIC_RELEASE) __nv_atomic_thread_fence(order, scope);
}
HEDDLE_BUILTIN_ void after(int order, int scope) {
  if (order != __NV_ATOMIC_RELEASE) __nv_atomic_thread_fence(order, scope);
}

struct alignas(16) Wide16 {
  unsigned long long low, high;
};
HEDDLE_BUILTIN_ bool operator==(const Wide16& a, const Wide16& b) {
  return a.low == b.low && a.high == b.high;
}
template <int bytes>
struct Bits;
template <>
struct Bits<1> : As<unsigned char> {};
template <>
struct Bits<2> : As<unsigned short> {};
template <>
struct Bits<4> : As<unsigned int> {};
template <>
struct Bits<8> : As<unsigned long long> {};
template <>
struct Bits<16> : As<Wide16> {};

// An object's bytes as a type that the instructions know, and back.
template <class To, class From>
HEDDLE_BUILTIN_ To as(const From& from) {
  static_assert(__is_trivially_copyable(From) && sizeof(From) == sizeof(To),
                "an atomic object is trivially copyable and has 1, 2, 4, 8 or 16 bytes");
  To to;
  __builtin_memcpy((void*)&to, &from, sizeof(To));
  return to;
}

// Loads and stores in one piece, and no more than that: relaxed where PTX has the word (PTX ISA 6.0, sm_70).
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
#define HEDDLE_PIECE_SCOPE_(words, ptx, type, register_, letter)                                          \
  {                                                                                                       \
    register_ value;                                                                                      \
    asm volatile("ld.relaxed." words "." ptx " %0, [%1];" : "=" letter(value) : "l"(address) : "memory"); \
    return (type)value;                                                                                   \
  }
#define HEDDLE_PUT_SCOPE_(words, ptx, register_, letter) \
  asm volatile("st.relaxed." words "." ptx " [%0], %1;" ::"l"(address), letter((register_)value) : "memory")
#define HEDDLE_PIECE_(type, ptx, register_, letter)                                                 \
  HEDDLE_BUILTIN_ type load(const type* address, int scope) {                                       \
    if (scope <= __NV_THREAD_SCOPE_BLOCK) HEDDLE_PIECE_SCOPE_("cta", ptx, type, register_, letter)  \
    if (scope == __NV_THREAD_SCOPE_SYSTEM) HEDDLE_PIECE_SCOPE_("sys", ptx, type, register_, letter) \
    HEDDLE_PIECE_SCOPE_("gpu", ptx, type, register_, letter)                                        \
  }                                                                                                 \
  HEDDLE_BUILTIN_ void store(type* address, type value, int scope) {                                \
    if (scope <= __NV_THREAD_SCOPE_BLOCK)                                                           \
      HEDDLE_PUT_SCOPE_("cta", ptx, register_, letter);                                             \
    else if (scope == __NV_THREAD_SCOPE_SYSTEM)                                                     \
      HEDDLE_PUT_SCOPE_("sys", ptx, register_, letter);                                             \
    else                                                                                            \
      HEDDLE_PUT_SCOPE_("gpu", ptx, register_, letter);                                             \
  }
HEDDLE_PIECE_(unsigned char, "u8", unsigned short, "h")
HEDDLE_PIECE_(unsigned short, "u16", unsigned short, "h")
HEDDLE_PIECE_(unsigned int, "u32", unsigned int, "r")
HEDDLE_PIECE_(unsigned long long, "u64", unsigned long long, "l")
#undef HEDDLE_PIECE_
#undef HEDDLE_PUT_SCOPE_
#undef HEDDLE_PIECE_SCOPE_
// The widest always for the system, the one scope of which it is certain that all narrower ones are in it.
HEDDLE_BUILTIN_ Wide16 load(const Wide16* address, int) {
  Wide16 value;
  asm volatile("{ .reg .b128 v; ld.relaxed.sys.b128 v, [%2]; mov.b128 {%0, %1}, v; }"
               : "=l"(value.low), "=l"(value.high)
               : "l"(address)
               : "memory");
  return value;
}
HEDDLE_BUILTIN_ void store(Wide16* address, Wide16 value, int) {
  asm volatile("{ .reg .b128 v; mov.b128 v, {%1, %2}; st.relaxed.sys.b128 [%0], v; }" ::"l"(address),
               "l"(value.low), "l"(value.high)
               : "memory");
}
#else
template <class Word>
HEDDLE_BUILTIN_ Word load(const Word* address, int) {
  return *(const volatile Word*)address;
}
template <class Word>
HEDDLE_BUILTIN_ void store(Word* address, Word value, int) {
  *(volatile Word*)address = value;
}
HEDDLE_BUILTIN_ Wide16 load(const Wide16* address, int) { return *address; }
HEDDLE_BUILTIN_ void store(Wide16* address, Wide16 value, int) { *address = value; }
#endif

// The functions of old, by scope. Before 6.0 there is one scope.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
#define HEDDLE_SCOPED_(function, ...)                                   \
  (scope <= __NV_THREAD_SCOPE_BLOCK    ? function##_block(__VA_ARGS__)  \
   : scope == __NV_THREAD_SCOPE_SYSTEM ? function##_system(__VA_ARGS__) \
                                       : function(__VA_ARGS__))
#else
#define HEDDLE_SCOPED_(function, ...) function(__VA_ARGS__)
#endif

template <class Word>
HEDDLE_BUILTIN_ Word exchange(Word* address, Word value, int scope) {
  return HEDDLE_SCOPED_(atomicExch, address, value);
}
template <class Word>
HEDDLE_BUILTIN_ Word compare_exchange(Word* address, Word expected, Word desired, int scope) {
  return HEDDLE_SCOPED_(atomicCAS, address, expected, desired);
}

// What arithmetic is done in: types of the same size are one.
template <class T, bool is_signed = (T)-1 < (T)0, int bytes = sizeof(T)>
struct Number;
template <class T>
struct Number<T, true, 4> : As<int> {};
template <class T>
struct Number<T, false, 4> : As<unsigned int> {};
template <class T>
struct Number<T, true, 8> : As<long long> {};
template <class T>
struct Number<T, false, 8> : As<unsigned long long> {};
template <>
struct Number<float, true, 4> : As<float> {};
template <>
struct Number<double, true, 8> : As<double> {};
// Sums of 64 bits are the same with and without a sign.
template <class T>
struct Summand : As<typename Number<T>::type> {};
template <>
struct Summand<long long> : As<unsigned long long> {};
template <>
struct Summand<long> : As<unsigned long long> {};

}  // namespace heddle_atomic

template <class T>
HEDDLE_BUILTIN_ T __nv_atomic_load_n(const volatile T* address, int order,
                                     int scope = __NV_THREAD_SCOPE_SYSTEM) {
  typedef typename heddle_atomic::Bits<sizeof(T)>::type Word;
  if (order == __NV_ATOMIC_SEQ_CST) heddle_atomic::before(order, scope);
  const Word value = heddle_atomic::load((const Word*)address, scope);
  heddle_atomic::after(order, scope);
  return heddle_atomic::as<T>(value);
}
template <class T>
HEDDLE_BUILTIN_ void __nv_atomic_load(const volatile T* address, typename heddle_atomic::As<T>::type* value,
                                      int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  *value = __nv_atomic_load_n(address, order, scope);
}
template <class T>
HEDDLE_BUILTIN_ void __nv_atomic_store_n(volatile T* address, typename heddle_atomic::As<T>::type value,
                                         int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  typedef typename heddle_atomic::Bits<sizeof(T)>::type Word;
  heddle_atomic::before(order, scope);
  heddle_atomic::store((Word*)address, heddle_atomic::as<Word>(value), scope);
  if (order == __NV_ATOMIC_SEQ_CST) heddle_atomic::after(order, scope);
}
template <class T>
HEDDLE_BUILTIN_ void __nv_atomic_store(volatile T* address, const typename heddle_atomic::As<T>::type* value,
                                       int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __nv_atomic_store_n(address, *value, order, scope);
}
template <class T>
HEDDLE_BUILTIN_ T __nv_atomic_exchange_n(volatile T* address, typename heddle_atomic::As<T>::type value,
                                         int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  typedef typename heddle_atomic::Bits<sizeof(T)>::type Word;
  heddle_atomic::before(order, scope);
  const Word old = heddle_atomic::exchange((Word*)address, heddle_atomic::as<Word>(value), scope);
  heddle_atomic::after(order, scope);
  return heddle_atomic::as<T>(old);
}
template <class T>
HEDDLE_BUILTIN_ void __nv_atomic_exchange(volatile T* address,
                                          const typename heddle_atomic::As<T>::type* value,
                                          typename heddle_atomic::As<T>::type* old, int order,
                                          int scope = __NV_THREAD_SCOPE_SYSTEM) {
  *old = __nv_atomic_exchange_n(address, *value, order, scope);
}
// In the stronger of the two orders.
template <class T>
HEDDLE_BUILTIN_ bool __nv_atomic_compare_exchange_n(volatile T* address,
                                                    typename heddle_atomic::As<T>::type* expected,
                                                    typename heddle_atomic::As<T>::type desired, bool,
                                                    int success, int failure,
                                                    int scope = __NV_THREAD_SCOPE_SYSTEM) {
  typedef typename heddle_atomic::Bits<sizeof(T)>::type Word;
  const bool both = success == __NV_ATOMIC_RELEASE && failure != __NV_ATOMIC_RELAXED;
  const int order = success < failure ? failure : both ? __NV_ATOMIC_ACQ_REL : success;
  const Word wanted = heddle_atomic::as<Word>(*expected);
  heddle_atomic::before(order, scope);
  const Word old =
      heddle_atomic::compare_exchange((Word*)address, wanted, heddle_atomic::as<Word>(desired), scope);
  heddle_atomic::after(order, scope);
  if (old == wanted) return true;
  *expected = heddle_atomic::as<T>(old);
  return false;
}
template <class T>
HEDDLE_BUILTIN_ bool __nv_atomic_compare_exchange(volatile T* address,
                                                  typename heddle_atomic::As<T>::type* expected,
                                                  const typename heddle_atomic::As<T>::type* desired,
                                                  bool weak, int success, int failure,
                                                  int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __nv_atomic_compare_exchange_n(address, expected, *desired, weak, success, failure, scope);
}

#define HEDDLE_FETCH_(name, function, Kind, sign)                                                            \
  template <class T>                                                                                         \
  HEDDLE_BUILTIN_ T __nv_atomic_fetch_##name(volatile T* address, typename heddle_atomic::As<T>::type value, \
                                             int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {              \
    typedef typename heddle_atomic::Kind<T>::type N;                                                         \
    heddle_atomic::before(order, scope);                                                                     \
    const N old = HEDDLE_SCOPED_(function, (N*)address, sign(N) value);                                      \
    heddle_atomic::after(order, scope);                                                                      \
    return (T)old;                                                                                           \
  }                                                                                                          \
  template <class T>                                                                                         \
  HEDDLE_BUILTIN_ void __nv_atomic_##name(volatile T* address, typename heddle_atomic::As<T>::type value,    \
                                          int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {                 \
    __nv_atomic_fetch_##name(address, value, order, scope);                                                  \
  }
HEDDLE_FETCH_(add, atomicAdd, Summand, )
HEDDLE_FETCH_(sub, atomicAdd, Summand, -)
HEDDLE_FETCH_(and, atomicAnd, Number, )
HEDDLE_FETCH_(or, atomicOr, Number, )
HEDDLE_FETCH_(xor, atomicXor, Number, )
HEDDLE_FETCH_(min, atomicMin, Number, )
HEDDLE_FETCH_(max, atomicMax, Number, )

#undef HEDDLE_FETCH_
#undef HEDDLE_SCOPED_
#undef HEDDLE_BUILTIN_

#endif
