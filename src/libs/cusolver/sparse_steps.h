// Sparse systems in steps: analysed, factored once, solved often. An info keeps what a step leaves for the
// next ones.
#pragma once

#include <any>
#include <mutex>

#include "libs/cusolver/sparse_factors.h"
#include "libs/cusolver/sparse_handle.h"

namespace heddle::cusolver::steps {

struct Info {
  std::mutex mutex;
  int rows = -1, columns = -1, count = -1;
  std::any matrix, factors;  // pointers to Rows<N>, and to SparseLu<N> and the like
};
struct LuHost : Info {};
struct QrHost : Info {};
struct QrDevice : Info {};
struct CholeskyHost : Info {};
struct CholeskyDevice : Info {};

template <class Kind, class Handle>
void create(Handle* info) {
  if (info == nullptr) libs::refuse_null("info");
  *info = libs::Handles<Kind>::all().template add<Handle>(std::make_shared<Kind>());
}
template <class Kind>
void destroy(const void* info) {
  if (info == nullptr) return;
  if (!libs::Handles<Kind>::all().remove(info)) refuse(Why::invalid_value, "no such info");
}

// Arrays of the host are read at once, those of the device when the stream gets there. All steps but solving
// wait: what they find out is the host's.
template <class Body>
void on_device(const void* handle, const char* name, const Body& body) {
  libs::Target(use_sparse(handle)->stream).submit_and_wait(name, [&body](Access& access) { body(access); });
}
inline void see(Access& access, const Pattern& pattern) {
  access.read(pattern.offsets, static_cast<uint64_t>(pattern.rows) + 1);
  access.read(pattern.places, static_cast<uint64_t>(pattern.count));
}
inline void check_tall(int m, int n) { require(m >= n, "there are fewer rows than columns"); }
inline void check_arrays(const Pattern& pattern) {
  if (pattern.offsets == nullptr || (pattern.count > 0 && pattern.places == nullptr))
    libs::refuse_null("an array of A");
}

template <class Kind>
void analysed(const void* info, const Pattern& pattern) {
  const auto found = object<Kind>(info);
  const std::lock_guard lock(found->mutex);
  found->rows = pattern.rows;
  found->columns = pattern.columns;
  found->count = pattern.count;
  found->matrix.reset();
  found->factors.reset();
}
template <class Kind>
void analyse_host(const void* handle, int m, int n, int count, const void* description, const int* offsets,
                  const int* places, const void* info) {
  use_sparse(handle);
  object<Kind>(info);
  cusparse::general(description);
  const Pattern pattern = pattern_of(m, n, count, description, offsets, places);
  check_arrays(pattern);
  pattern.check();
  analysed<Kind>(info, pattern);
}
template <class Kind>
void analyse_device(const void* handle, const char* name, int m, int n, int count, const void* description,
                    const int* offsets, const int* places, const void* info) {
  use_sparse(handle);
  object<Kind>(info);
  cusparse::general(description);
  const Pattern pattern = pattern_of(m, n, count, description, offsets, places);
  check_arrays(pattern);
  on_device(handle, name, [&](Access& access) {
    see(access, pattern);
    pattern.check();
  });
  analysed<Kind>(info, pattern);
}

template <class Kind>
std::shared_ptr<Kind> analysed_info(const void* handle, const void* info, int rows, int columns, int count) {
  use_sparse(handle);
  const auto found = object<Kind>(info);
  const std::lock_guard lock(found->mutex);
  require(found->rows == rows && found->columns == columns && found->count == count,
          "the info is of another matrix, or of none");
  return found;
}
// Workspaces are the host's own: what a program brings is left alone.
template <class Kind, class T>
void tell_sizes(const void* handle, int rows, int columns, int count, const void* description,
                const void* info, size_t* internal, size_t* workspace) {
  cusparse::general(description);
  analysed_info<Kind>(handle, info, rows, columns, count);
  if (internal == nullptr || workspace == nullptr) libs::refuse_null("a size");
  const auto entries = static_cast<size_t>(rows) + static_cast<size_t>(columns) + static_cast<size_t>(count);
  *internal = *workspace = (entries + 1) * sizeof(T);
}

template <class Factors>
void keep(Info& info, std::shared_ptr<const Factors> factors) {
  const std::lock_guard lock(info.mutex);
  info.factors = std::move(factors);
}
template <class Factors, class Kind>
std::shared_ptr<const Factors> kept(const void* info) {
  const auto found = object<Kind>(info);
  const std::lock_guard lock(found->mutex);
  const auto* const factors = std::any_cast<std::shared_ptr<const Factors>>(&found->factors);
  require(factors != nullptr, "the info has no factors of this type");
  return *factors;
}
template <class Factors, class Kind, class R>
void zero_pivot(const void* handle, const void* info, R tolerance, int* position) {
  use_sparse(handle);
  const auto factors = kept<Factors, Kind>(info);
  if (position == nullptr) libs::refuse_null("position");
  *position = factors->singular(tolerance);
}

template <class Factors, class N>
void solve(const Factors& factors, int rows, int columns, const N* b, N* x) {
  std::vector<N> y(b, b + rows);
  factors.solve(y);
  std::copy_n(y.begin(), columns, x);
}
template <class Factors, class Kind, class T>
void solve_host(const void* handle, const void* info, int rows, int columns, int count, const T* b, T* x) {
  analysed_info<Kind>(handle, info, rows, columns, count);
  const auto factors = kept<Factors, Kind>(info);
  if ((rows > 0 && b == nullptr) || (columns > 0 && x == nullptr)) libs::refuse_null("b or x");
  solve(*factors, rows, columns, native(b), native(x));
}
template <class Factors, class Kind, class T>
void solve_device(const void* handle, const char* name, const void* info, int rows, int columns, int count,
                  const T* b, T* x) {
  analysed_info<Kind>(handle, info, rows, columns, count);
  const auto factors = kept<Factors, Kind>(info);
  libs::Target(use_sparse(handle)->stream).submit(name, [=](Access& access) {
    access.read(b, static_cast<uint64_t>(rows));
    access.write(x, static_cast<uint64_t>(columns));
    solve(*factors, rows, columns, native(b), native(x));
  });
}
template <class Kind>
int count_of(const void* handle, const void* info) {
  use_sparse(handle);
  const auto found = object<Kind>(info);
  const std::lock_guard lock(found->mutex);
  return found->count;
}

}  // namespace heddle::cusolver::steps
