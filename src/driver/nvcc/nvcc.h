#pragma once

#include <string>
#include <vector>

namespace heddle::driver::nvcc {

// The whole program; `words` without its name.
int nvcc_main(std::vector<std::string> words);

}  // namespace heddle::driver::nvcc
