// Copies from global to shared memory that do not wait (PTX ISA, "cp.async"), from compute capability 8.0 on;
// before it, and wherever source, target or alignment do not suit, plain ones. Under cooperative_groups,
// cuda_pipeline.h and cuda::pipeline.
#ifndef HEDDLE_CRT_ASYNC_COPY_H
#define HEDDLE_CRT_ASYNC_COPY_H

namespace heddle_async {

#define HEDDLE_ASYNC_ static __device__ __forceinline__
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && __CUDA_ARCH__ != 9999
#define HEDDLE_CP_ASYNC_ 1
#else
#define HEDDLE_CP_ASYNC_ 0
#endif

template <int size>
struct __attribute__((aligned(size), may_alias)) Unit {
  char part[size];
};

template <int unit>
HEDDLE_ASYNC_ void copy_plain(char* to, const char* from, size_t bytes, size_t rank, size_t size) {
  for (size_t i = rank * unit; i + unit <= bytes; i += size * unit)
    *(Unit<unit>*)(to + i) = *(const Unit<unit>*)(from + i);
}

// Copies source_bytes and fills with zeros up to `bytes`; both addresses are aligned to that.
template <int bytes>
HEDDLE_ASYNC_ void fill_plain(void* to, const void* from, unsigned int source_bytes) {
  if (source_bytes >= bytes)
    *(Unit<bytes>*)to = *(const Unit<bytes>*)from;
  else
    for (int i = 0; i < bytes; ++i)
      ((char*)to)[i] = (unsigned int)i < source_bytes ? ((const char*)from)[i] : (char)0;
}

// The same without waiting, from global to shared memory; bytes is 4, 8 or 16.
template <int bytes>
HEDDLE_ASYNC_ void copy_unit(void* to, const void* from, unsigned int source_bytes) {
#if HEDDLE_CP_ASYNC_
  const unsigned int shared = (unsigned int)__cvta_generic_to_shared(to);
  const size_t global = __cvta_generic_to_global(from);
  if (bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(global), "r"(source_bytes)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(shared), "l"(global),
                 "r"(source_bytes), "n"(bytes)
                 : "memory");
#else
  fill_plain<bytes>(to, from, source_bytes);
#endif
}
HEDDLE_ASYNC_ void commit() {
#if HEDDLE_CP_ASYNC_
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <unsigned int newer>
HEDDLE_ASYNC_ void wait_prior() {
#if HEDDLE_CP_ASYNC_
  asm volatile("cp.async.wait_group %0;" ::"n"(newer) : "memory");
#endif
}
// A number that is known when the program runs, of which PTX wants a constant: for all but the newest `newer`
// groups, or for more than was asked.
HEDDLE_ASYNC_ void wait_prior(size_t newer) {
  switch (newer) {
    case 0: return wait_prior<0>();
    case 1: return wait_prior<1>();
    case 2: return wait_prior<2>();
    case 3: return wait_prior<3>();
    case 4: return wait_prior<4>();
    case 5: return wait_prior<5>();
    case 6: return wait_prior<6>();
    case 7: return wait_prior<7>();
    default: return wait_prior<8>();
  }
}
HEDDLE_ASYNC_ void wait_all() {
#if HEDDLE_CP_ASYNC_
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// The share of thread `rank` of `size` in a copy by all of them.
HEDDLE_ASYNC_ void copy(void* target, const void* source, size_t bytes, size_t rank, size_t size) {
  char* to = (char*)target;
  const char* from = (const char*)source;
  const size_t alignment = (size_t)to | (size_t)from | bytes;
#if HEDDLE_CP_ASYNC_
  if (__isShared(target) && __isGlobal(source) && (alignment & 3) == 0) {
    if ((alignment & 15) == 0)
      for (size_t i = rank * 16; i < bytes; i += size * 16) copy_unit<16>(to + i, from + i, 16);
    else
      for (size_t i = rank * 4; i < bytes; i += size * 4) copy_unit<4>(to + i, from + i, 4);
    return;
  }
#endif
  if ((alignment & 15) == 0)
    copy_plain<16>(to, from, bytes, rank, size);
  else if ((alignment & 3) == 0)
    copy_plain<4>(to, from, bytes, rank, size);
  else
    copy_plain<1>(to, from, bytes, rank, size);
}

// A barrier's phase waits for the thread's copies so far: they bring along the arrival that this adds. A
// barrier elsewhere than in shared memory is not PTX's, and the thread waits itself.
HEDDLE_ASYNC_ void arrive_on(void* barrier) {
#if HEDDLE_CP_ASYNC_
  if (__isShared(barrier))
    asm volatile(
        "cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"((unsigned int)__cvta_generic_to_shared(barrier))
        : "memory");
  else
    wait_all();
#else
  (void)barrier;
#endif
}

template <bool>
struct Truth {};

// One object: trivially copyable, or one that has to be assigned.
template <class T>
HEDDLE_ASYNC_ void copy_object(T& to, const T& from, Truth<true>) {
  constexpr int unit = alignof(T) < 16 ? alignof(T) : 16;
#if HEDDLE_CP_ASYNC_
  if (unit >= 4 && __isShared(&to) && __isGlobal(&from)) {
    for (size_t i = 0; i < sizeof(T); i += unit)
      copy_unit<(unit < 4 ? 4 : unit)>((char*)&to + i, (const char*)&from + i, unit);
    return;
  }
#endif
  copy_plain<unit>((char*)&to, (const char*)&from, sizeof(T), 0, 1);
}
template <class T>
HEDDLE_ASYNC_ void copy_object(T& to, const T& from, Truth<false>) {
  to = from;
}

// An array of 4, 8 or 16 bytes, aligned to them, from one that may have fewer elements.
template <class T, size_t n, size_t m>
HEDDLE_ASYNC_ void copy_array(T (&to)[n], const T (&from)[m], Truth<true>) {
  if (__isShared(&to) && __isGlobal(&from))
    copy_unit<(int)sizeof(to)>(&to, &from, (unsigned int)sizeof(from));
  else
    fill_plain<(int)sizeof(to)>(&to, &from, (unsigned int)sizeof(from));
}
template <class T, size_t n, size_t m>
HEDDLE_ASYNC_ void copy_array(T (&to)[n], const T (&from)[m], Truth<false>) {
  for (size_t i = 0; i < n; ++i) to[i] = i < m ? from[i] : T();
}

#undef HEDDLE_CP_ASYNC_
#undef HEDDLE_ASYNC_

}  // namespace heddle_async

#endif
