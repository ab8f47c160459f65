// m16n8k16 and the like, read off the word.
#pragma once

#include <string_view>

#include "isa/isa.h"

namespace heddle::exec::interp {

struct Shape {
  int m = 0, n = 0, k = 0;
};

inline Shape shape_of(isa::Word word) {
  Shape shape;
  int* number = nullptr;
  for (const char c : isa::spelling(word)) {
    if (c == 'm')
      number = &shape.m;
    else if (c == 'n')
      number = &shape.n;
    else if (c == 'k')
      number = &shape.k;
    else if (number != nullptr)
      *number = *number * 10 + (c - '0');
  }
  return shape;
}

}  // namespace heddle::exec::interp
