#include "host.h"

#include <cstdio>

int check(const int* sums, int count) {
  for (int i = 0; i < count; ++i) {
    if (sums[i] == i + 1000) continue;
    std::printf("sum %d is %d\n", i, sums[i]);
    return 1;
  }
  std::puts("all sums are right");
  return 0;
}
