// What nvblas.conf says (NVBLAS, "Configuration"), read once, at the first call of a process.
#pragma once

#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace heddle::nvblas {

struct Settings {
  std::FILE* log = stderr;
  bool trace = false;
  void* host = nullptr;      // the library that NVBLAS_CPU_BLAS_LIB names
  std::vector<int> devices;  // none: device 0
  int tile = 2048;
  bool pins = false;
  std::set<std::string> disabled;       // by name, "SGEMM"
  std::map<std::string, float> ratios;  // the host's share
};

// Texts and their order are NVIDIA's (libnvblas 13.0): build systems and people look for them.
Settings read_settings();

}  // namespace heddle::nvblas
