// Random numbers of the C++ library take logarithms of constants, which are computed when the program is compiled, as GCC does.
// RUN: %nvcc -O2 -c %s -o %t.o && nm %t.o | FileCheck %s
// CHECK-NOT: logl
// RUN: %nvcc -O2 -DTAKES %s -o %t && %t | FileCheck %s --check-prefix=TAKEN
// TAKEN: 0.693147180559945309 1 inf 2.30258509299404568
#include <cmath>
#include <cstdio>
#include <random>

#ifndef TAKES
float draw(std::mt19937& engine) { return std::uniform_real_distribution<float>(-1.f, 1.f)(engine); }
double draw_double(std::mt19937_64& engine) { return std::uniform_real_distribution<double>()(engine); }
#else
int main(int argc, char**) {
  printf("%.18Lg %d %Lg %.18Lg\n", std::log(2.0L), std::log(0.0L) < 0, -std::log(0.0L), std::log(10.0L * argc));
}
#endif
