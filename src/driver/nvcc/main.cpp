#include <string>
#include <vector>

#include "driver/nvcc/cicc.h"
#include "driver/nvcc/nvcc.h"

// What bin/nvcc calls (src/driver/start/start.c).
extern "C" [[gnu::visibility("default")]] int heddle_main_nvcc(int argc, char** argv) {
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  const std::string name = argc > 0 ? argv[0] : "";
  if (name == "cicc" || name.ends_with("/cicc")) return heddle::driver::nvcc::cicc_main(words);
  return heddle::driver::nvcc::nvcc_main(words);
}
