#pragma once
int check(const int* sums, int count);  // 0 when sums[i] is i + 1000, and says so
