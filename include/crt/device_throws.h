// What the standard library calls to throw, for the constexpr functions of it that device code calls: a
// kernel has no exceptions, and ends there as by trap. Declared before the library's own, so that its
// templates find both.
#ifndef HEDDLE_CRT_DEVICE_THROWS_H
#define HEDDLE_CRT_DEVICE_THROWS_H

#if defined(__HEDDLE_CUDA__) && defined(__GLIBCXX__)

namespace std {

__attribute__((device, noreturn)) inline void __throw_bad_variant_access(const char*) { __builtin_trap(); }
__attribute__((device, noreturn)) inline void __throw_bad_variant_access(bool) { __builtin_trap(); }
__attribute__((device, noreturn)) inline void __throw_bad_optional_access() { __builtin_trap(); }
__attribute__((device, noreturn)) inline void __throw_bad_function_call() { __builtin_trap(); }
__attribute__((device, noreturn)) inline void __throw_logic_error(const char*) { __builtin_trap(); }
__attribute__((device, noreturn)) inline void __throw_invalid_argument(const char*) { __builtin_trap(); }
__attribute__((device, noreturn)) inline void __throw_length_error(const char*) { __builtin_trap(); }
__attribute__((device, noreturn)) inline void __throw_out_of_range(const char*) { __builtin_trap(); }
__attribute__((device, noreturn)) inline void __throw_out_of_range_fmt(const char*, ...) { __builtin_trap(); }

}  // namespace std

#endif

#endif
