// What it begins with is the system's.
#include <cstdio>
#include <where.h> /* a folder of the environment has it */
#ifndef SIZE
#define SIZE "system"
#endif
#ifndef NAME
#define NAME none
#endif
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

__global__ void one(int* to) { *to = 1; }

int main() {
  std::puts("found: " FROM ", size: " SIZE ", name: " TEXT(NAME));
  one<<<1, 1>>>(nullptr);
}
