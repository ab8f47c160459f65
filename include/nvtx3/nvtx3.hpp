// NVTX for C++: ranges and marks that do nothing, see nvToolsExt.h.
#ifndef HEDDLE_NVTX3_HPP
#define HEDDLE_NVTX3_HPP

#include <string>

#include "nvToolsExt.h"

namespace nvtx3 {
inline namespace v1 {

struct domain {
  struct global {};
};
struct rgb {
  template <class... Any>
  constexpr explicit rgb(Any...) {}
};
struct argb {
  template <class... Any>
  constexpr explicit argb(Any...) {}
};
struct color {
  template <class Any>
  constexpr explicit color(Any) {}
};
struct category {
  template <class Any>
  constexpr explicit category(Any) {}
};
struct payload {
  template <class Any>
  constexpr explicit payload(Any) {}
};
struct message {
  template <class Any>
  explicit message(const Any&) {}
};
struct event_attributes {
  template <class... Any>
  explicit event_attributes(const Any&...) {}
};
template <class Domain = domain::global>
struct scoped_range_in {
  template <class... Any>
  explicit scoped_range_in(const Any&...) {}
  ~scoped_range_in() {}
  scoped_range_in(const scoped_range_in&) = delete;
};
typedef scoped_range_in<> scoped_range;
typedef scoped_range_in<> thread_range;
template <class Domain = domain::global>
struct unique_range_in {
  template <class... Any>
  explicit unique_range_in(const Any&...) {}
};
typedef unique_range_in<> unique_range;
template <class Domain = domain::global, class... Any>
void mark_in(const Any&...) {}
template <class... Any>
void mark(const Any&...) {}

}  // namespace v1
}  // namespace nvtx3

#define NVTX3_FUNC_RANGE() ((void)0)
#define NVTX3_FUNC_RANGE_IN(domain) ((void)0)

#endif
