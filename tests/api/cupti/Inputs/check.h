// What these programs are held to: the first thing that is not so ends one.
#pragma once

#include <cstdio>
#include <cstdlib>

#define CHECK(condition)                                            \
  do {                                                              \
    if (!(condition)) {                                             \
      std::printf("line %d: %s is not so\n", __LINE__, #condition); \
      std::exit(1);                                                 \
    }                                                               \
  } while (0)
