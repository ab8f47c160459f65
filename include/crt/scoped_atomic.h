// cuda::atomic and cuda::atomic_ref without libcu++: when a program brings CCCL, that one's headers are found
// first. Device: CUDA's atomic functions with fences around them as the order asks; host: the compiler's
// built-ins.
#ifndef HEDDLE_CRT_SCOPED_ATOMIC_H
#define HEDDLE_CRT_SCOPED_ATOMIC_H

#include <atomic>

namespace cuda {

enum thread_scope {
  thread_scope_system = 0,
  thread_scope_device = 1,
  thread_scope_block = 2,
  thread_scope_thread = 10
};

namespace std {
using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;
}  // namespace std
using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

namespace heddle_detail {

template <thread_scope scope>
__device__ __forceinline__ void fence() {
  if (scope == thread_scope_system)
    __threadfence_system();
  else if (scope == thread_scope_device)
    __threadfence();
  else if (scope == thread_scope_block)
    __threadfence_block();
}
template <thread_scope scope>
__device__ __forceinline__ void before(memory_order order) {
  if (order != memory_order_relaxed && order != memory_order_acquire) fence<scope>();
}
template <thread_scope scope>
__device__ __forceinline__ void after(memory_order order) {
  if (order != memory_order_relaxed && order != memory_order_release) fence<scope>();
}

// The word that holds an object of 1, 2, 4 or 8 bytes.
template <int bytes>
struct WordOf {
  typedef unsigned int type;
};
template <>
struct WordOf<8> {
  typedef unsigned long long type;
};

// A word at once, and no more than that: relaxed where PTX has the word (PTX ISA 6.0, sm_70).
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
#define HEDDLE_RELAXED_(words, bits, letter, type)                                                    \
  static __device__ __forceinline__ type load(const type* p) {                                        \
    type value;                                                                                       \
    asm volatile("ld.relaxed." words ".u" bits " %0, [%1];" : "=" letter(value) : "l"(p) : "memory"); \
    return value;                                                                                     \
  }                                                                                                   \
  static __device__ __forceinline__ void store(type* p, type value) {                                 \
    asm volatile("st.relaxed." words ".u" bits " [%0], %1;" ::"l"(p), letter(value) : "memory");      \
  }
#define HEDDLE_RELAXED_SCOPE_(scope, words)               \
  template <>                                             \
  struct Relaxed<scope> {                                 \
    HEDDLE_RELAXED_(words, "32", "r", unsigned int)       \
    HEDDLE_RELAXED_(words, "64", "l", unsigned long long) \
  };
template <thread_scope scope>
struct Relaxed;
HEDDLE_RELAXED_SCOPE_(thread_scope_system, "sys")
HEDDLE_RELAXED_SCOPE_(thread_scope_device, "gpu")
HEDDLE_RELAXED_SCOPE_(thread_scope_block, "cta")
HEDDLE_RELAXED_SCOPE_(thread_scope_thread, "cta")
#undef HEDDLE_RELAXED_SCOPE_
#undef HEDDLE_RELAXED_
#else
template <thread_scope scope>
struct Relaxed {
  template <class W>
  static __device__ __forceinline__ W load(const W* p) {
    return *(const volatile W*)p;
  }
  template <class W>
  static __device__ __forceinline__ void store(W* p, W value) {
    *(volatile W*)p = value;
  }
};
#endif

template <class T, thread_scope scope>
struct Device {
  typedef typename WordOf<sizeof(T)>::type Word;
  static_assert(sizeof(T) <= 8 && __is_trivially_copyable(T),
                "an atomic object is trivially copyable and has at most 8 bytes");

  static __device__ __forceinline__ Word* word(const T* p) {
    return (Word*)((size_t)p & ~(sizeof(Word) - 1));
  }
  static __device__ __forceinline__ int shift(const T* p) {
    return (int)((size_t)p & (sizeof(Word) - 1)) * 8;
  }
  static __device__ __forceinline__ T part(Word w, int shift) {
    w >>= shift;
    T value;
    __builtin_memcpy((void*)&value, &w, sizeof(T));
    return value;
  }
  static __device__ __forceinline__ Word with(Word w, T value, int shift) {
    Word bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    if (sizeof(T) == sizeof(Word)) return bits;
    const Word mask = (((Word)1 << (sizeof(T) % sizeof(Word) * 8)) - 1) << shift;
    return (w & ~mask) | bits << shift;
  }
  static __device__ __forceinline__ Word peek(const T* p) { return Relaxed<scope>::load(word(p)); }

  static __device__ __forceinline__ T load(const T* p, memory_order order) {
    if (order == memory_order_seq_cst) fence<scope>();
    const T value = part(peek(p), shift(p));
    after<scope>(order);
    return value;
  }
  // One loop serves every operation: `change` gives the new value from the old.
  template <class Change>
  static __device__ __forceinline__ T modify(T* p, Change change, memory_order order) {
    before<scope>(order);
    Word seen = peek(p), expected;
    do {
      expected = seen;
      seen = atomicCAS(word(p), expected, with(expected, change(part(expected, shift(p))), shift(p)));
    } while (seen != expected);
    after<scope>(order);
    return part(seen, shift(p));
  }
  static __device__ __forceinline__ bool compare_exchange(T* p, T& expected, T desired, memory_order order) {
    before<scope>(order);
    const Word wanted = with(0, expected, 0);
    Word seen = peek(p);
    bool done = false;
    while (!done && with(0, part(seen, shift(p)), 0) == wanted) {
      const Word old = atomicCAS(word(p), seen, with(seen, desired, shift(p)));
      done = old == seen;
      seen = old;
    }
    if (!done) expected = part(seen, shift(p));
    after<scope>(order);
    return done;
  }
  // Single instructions where there are any.
  static __device__ __forceinline__ T add(T* p, T value, memory_order order) {
    if (__is_integral(T) && sizeof(T) == sizeof(Word)) {
      before<scope>(order);
      Word bits;
      __builtin_memcpy(&bits, &value, sizeof(T) < sizeof(Word) ? sizeof(T) : sizeof(Word));
      const Word old = atomicAdd(word(p), bits);
      after<scope>(order);
      return part(old, 0);
    }
    return modify(p, [=](T old) { return (T)(old + value); }, order);
  }
};

}  // namespace heddle_detail

#if defined(__CUDA_ARCH__)
#define HEDDLE_SIDE_(device, host) device
#else
#define HEDDLE_SIDE_(device, host) host
#endif

// What atomic and atomic_ref have in common: operations on an address.
template <class T, thread_scope Scope>
struct heddle_atomic_operations {
  typedef T value_type;
  static constexpr bool is_always_lock_free = sizeof(T) <= 8;

  __host__ __device__ bool is_lock_free() const noexcept { return is_always_lock_free; }
  __host__ __device__ T load(memory_order order = memory_order_seq_cst) const noexcept {
#if defined(__CUDA_ARCH__)
    return heddle_detail::Device<T, Scope>::load(address_, order);
#else
    T value;
    __atomic_load(address_, &value, (int)order);
    return value;
#endif
  }
  __host__ __device__ void store(T value, memory_order order = memory_order_seq_cst) const noexcept {
#if defined(__CUDA_ARCH__)
    if (sizeof(T) >= 4) {
      heddle_detail::before<Scope>(order);
      const auto bits = heddle_detail::Device<T, Scope>::with(0, value, 0);
      heddle_detail::Relaxed<Scope>::store((decltype(bits + 0)*)address_, bits);
      if (order == memory_order_seq_cst) heddle_detail::fence<Scope>();
    } else {
      exchange(value, order);
    }
#else
    __atomic_store(address_, &value, (int)order);
#endif
  }
  __host__ __device__ T exchange(T value, memory_order order = memory_order_seq_cst) const noexcept {
#if defined(__CUDA_ARCH__)
    return heddle_detail::Device<T, Scope>::modify(address_, [=](T) { return value; }, order);
#else
    T old;
    __atomic_exchange(address_, &value, &old, (int)order);
    return old;
#endif
  }
  __host__ __device__ bool compare_exchange_strong(T& expected, T desired,
                                                   memory_order order = memory_order_seq_cst) const noexcept {
#if defined(__CUDA_ARCH__)
    return heddle_detail::Device<T, Scope>::compare_exchange(address_, expected, desired, order);
#else
    return __atomic_compare_exchange(address_, &expected, &desired, false, (int)order, __ATOMIC_SEQ_CST);
#endif
  }
  __host__ __device__ bool compare_exchange_strong(T& expected, T desired, memory_order success,
                                                   memory_order) const noexcept {
    return compare_exchange_strong(expected, desired, success);
  }
  __host__ __device__ bool compare_exchange_weak(T& expected, T desired,
                                                 memory_order order = memory_order_seq_cst) const noexcept {
    return compare_exchange_strong(expected, desired, order);
  }
  __host__ __device__ bool compare_exchange_weak(T& expected, T desired, memory_order success,
                                                 memory_order) const noexcept {
    return compare_exchange_strong(expected, desired, success);
  }
#define HEDDLE_FETCH_(name, expression)                                                                   \
  __host__ __device__ T fetch_##name(T value, memory_order order = memory_order_seq_cst) const noexcept { \
    auto change = [=](T old) { return (T)(expression); };                                                 \
    HEDDLE_SIDE_(return (heddle_detail::Device<T, Scope>::modify(address_, change, order)),               \
                        return on_host(change));                                                          \
  }
  HEDDLE_FETCH_(and, old& value)
  HEDDLE_FETCH_(or, old | value)
  HEDDLE_FETCH_(xor, old ^ value)
  HEDDLE_FETCH_(min, value < old ? value : old)
  HEDDLE_FETCH_(max, old < value ? value : old)
#undef HEDDLE_FETCH_
  __host__ __device__ T fetch_add(T value, memory_order order = memory_order_seq_cst) const noexcept {
    HEDDLE_SIDE_(return (heddle_detail::Device<T, Scope>::add(address_, value, order)),
                        return on_host([=](T old) { return (T)(old + value); }));
  }
  __host__ __device__ T fetch_sub(T value, memory_order order = memory_order_seq_cst) const noexcept {
    return fetch_add((T)(T() - value), order);
  }
  __host__ __device__ operator T() const noexcept { return load(); }
  __host__ __device__ T operator++() const noexcept { return (T)(fetch_add((T)1) + (T)1); }
  __host__ __device__ T operator++(int) const noexcept { return fetch_add((T)1); }
  __host__ __device__ T operator--() const noexcept { return (T)(fetch_sub((T)1) - (T)1); }
  __host__ __device__ T operator--(int) const noexcept { return fetch_sub((T)1); }
  __host__ __device__ T operator+=(T value) const noexcept { return (T)(fetch_add(value) + value); }
  __host__ __device__ T operator-=(T value) const noexcept { return (T)(fetch_sub(value) - value); }
  __host__ __device__ T operator&=(T value) const noexcept { return (T)(fetch_and(value) & value); }
  __host__ __device__ T operator|=(T value) const noexcept { return (T)(fetch_or(value) | value); }
  __host__ __device__ T operator^=(T value) const noexcept { return (T)(fetch_xor(value) ^ value); }
  __host__ __device__ void wait(T old, memory_order order = memory_order_seq_cst) const noexcept {
    while (load(order) == old) {
    }
  }
  __host__ __device__ void notify_one() const noexcept {}
  __host__ __device__ void notify_all() const noexcept {}

 protected:
  template <class Change>
  __host__ T on_host(Change change) const {
    T old = load();
    while (!compare_exchange_strong(old, change(old))) {
    }
    return old;
  }
  T* address_;
};

template <class T, thread_scope Scope = thread_scope_system>
struct atomic_ref : heddle_atomic_operations<T, Scope> {
  static constexpr size_t required_alignment = sizeof(T);
  __host__ __device__ explicit atomic_ref(T& object) { this->address_ = &object; }
  __host__ __device__ T operator=(T value) const noexcept {
    this->store(value);
    return value;
  }
};

template <class T, thread_scope Scope = thread_scope_system>
struct atomic {
  typedef T value_type;
  atomic() noexcept = default;
  __host__ __device__ constexpr atomic(T value) noexcept : value_(value) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;
  __host__ __device__ T operator=(T value) noexcept {
    store(value);
    return value;
  }
  __host__ __device__ operator T() const noexcept { return load(); }
  __host__ __device__ bool is_lock_free() const noexcept { return true; }
#define HEDDLE_FORWARD_(name)                                              \
  template <class... Arguments>                                            \
  __host__ __device__ auto name(Arguments&&... arguments) const noexcept { \
    return ref().name(static_cast<Arguments&&>(arguments)...);             \
  }
  HEDDLE_FORWARD_(load)
  HEDDLE_FORWARD_(store)
  HEDDLE_FORWARD_(exchange)
  HEDDLE_FORWARD_(compare_exchange_strong)
  HEDDLE_FORWARD_(compare_exchange_weak)
  HEDDLE_FORWARD_(fetch_add)
  HEDDLE_FORWARD_(fetch_sub)
  HEDDLE_FORWARD_(fetch_and)
  HEDDLE_FORWARD_(fetch_or)
  HEDDLE_FORWARD_(fetch_xor)
  HEDDLE_FORWARD_(fetch_min)
  HEDDLE_FORWARD_(fetch_max)
  HEDDLE_FORWARD_(wait)
  HEDDLE_FORWARD_(notify_one)
  HEDDLE_FORWARD_(notify_all)
  HEDDLE_FORWARD_(operator+=)
  HEDDLE_FORWARD_(operator-=)
  HEDDLE_FORWARD_(operator&=)
  HEDDLE_FORWARD_(operator|=)
  HEDDLE_FORWARD_(operator^=)
#undef HEDDLE_FORWARD_
  // Not among those above: the parameter of x++ must be an int, and no reference.
  __host__ __device__ T operator++() const noexcept { return ++ref(); }
  __host__ __device__ T operator--() const noexcept { return --ref(); }
  __host__ __device__ T operator++(int) const noexcept { return ref()++; }
  __host__ __device__ T operator--(int) const noexcept { return ref()--; }

 private:
  __host__ __device__ atomic_ref<T, Scope> ref() const {
    return atomic_ref<T, Scope>(const_cast<T&>(value_));
  }
  alignas(sizeof(T) <= 8 ? sizeof(T) : alignof(T)) T value_;
};

__host__ __device__ inline void atomic_thread_fence(memory_order order,
                                                    thread_scope scope = thread_scope_system) {
#if defined(__CUDA_ARCH__)
  if (order == memory_order_relaxed) return;
  if (scope == thread_scope_system)
    __threadfence_system();
  else if (scope == thread_scope_device)
    __threadfence();
  else if (scope == thread_scope_block)
    __threadfence_block();
#else
  (void)scope;
  ::std::atomic_thread_fence(order);
#endif
}

namespace std {
template <class T>
using atomic = ::cuda::atomic<T, thread_scope_system>;
template <class T>
using atomic_ref = ::cuda::atomic_ref<T, thread_scope_system>;
}  // namespace std

#undef HEDDLE_SIDE_

}  // namespace cuda

#endif
