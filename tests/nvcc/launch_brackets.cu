// Brackets of a launch may stand apart, as nvcc has it; everything else that looks like them stays.
// RUN: %nvcc %s -o %t && %t | FileCheck %s
// CHECK: 1 2 3 4 5 6
// A message's place is that of the source.
// RUN: not %nvcc -DWRONG -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: launch_brackets.cu:[[# @LINE + 32]]:25: error: use of undeclared identifier 'nowhere'
#include <cstdio>
#include <ostream>
#include <vector>
__managed__ int results[6];
__global__ void put(int at, int value) { results[at] = value; }
template <class T>
__global__ void put_as(int at, T value) {
  results[at] = static_cast<int>(value);
}
template <class T>
struct Shown;
template <class T>
std::ostream& operator<<(std::ostream& to, const Shown<T>& shown);
template <class T>
struct Shown {
  friend std::ostream& operator<< <T>(std::ostream&, const Shown<T>&);
  T value;
};
template <class T>
std::ostream& operator<<(std::ostream& to, const Shown<T>& shown) {
  return to << shown.value;
}
int main() {
  const std::vector<std::vector<std::vector<int> > > nested{{{1}}};
  const char* text = "k << < 1, 1 >> > (2)";  // k << <1, 1 >> >(2)
  void (*pointer)(int, int) = put;
  put << <1, 1 >> > (0, nested[0][0][0]);
  put<< <dim3(1), (8 >> 3) >> >(1, 2);
  put <<<1, 1 >> > (2, 3);
  put_as<float> << < 1, 1, 0, nullptr>>>(3, 4.5f);
#ifdef WRONG
  put << <1, 1 >> > (0, nowhere);
#endif
  (pointer) << <1, 1 >> > (4, 5);
  put<<<1, 1>>>(5, text[0] == 'k' && text[2] == '<' && text[4] == ' ' && text[5] == '<' ? 6 : 0);
  cudaDeviceSynchronize();
  for (const int result : results) std::printf("%d ", result);
}
