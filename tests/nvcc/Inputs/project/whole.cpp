#include "host.h"

int whole_sum(int* sums, int count, int b);

int main() {
  constexpr int count = 256;
  static int sums[count];
  if (const int failed = whole_sum(sums, count, 1000)) return failed;
  return check(sums, count);
}
