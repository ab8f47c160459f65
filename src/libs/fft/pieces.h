// Pieces of a transform, on one thread or several.
#pragma once

#include <atomic>
#include <cstdint>
#include <new>

#include "libs/common/parallel.h"

namespace heddle::fft {

// Memory that a piece does not get is the whole transform's std::bad_alloc.
template <class Body>
void pieces(int64_t count, bool parallel, const Body& body) {
  if (!parallel || count <= 1) {
    for (int64_t i = 0; i < count; ++i) body(i);
    return;
  }
  std::atomic<bool> failed{false};
  libs::parallel(count, [&](int64_t i) {
    try {
      body(i);
    } catch (const std::bad_alloc&) {
      failed = true;
    }
  });
  if (failed) throw std::bad_alloc();
}

}  // namespace heddle::fft
