// The step that compiles one .cu file for a device or for the host. It is a function call inside of nvcc;
// printed, and typed by people, it is the program nvvm/bin/cicc:
//     cicc -arch compute_52 -prec_div=1 -prec_sqrt=1 CLANG-ARGUMENT...
//     cicc --host CLANG-ARGUMENT...
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "beginnings/beginnings.h"
#include "frontend/cuda.h"

namespace heddle::driver::nvcc {

struct Cicc {
  std::optional<frontend::Target> target;  // nothing: the host
  beginnings::Source source;
  std::string output;
  bool shares_beginning = true;  // with other compilations (beginnings.h)

  std::string text() const;
  // The output is in the product; of a device it is PTX that is ready.
  frontend::Product run() const;
};

// The program itself.
int cicc_main(const std::vector<std::string>& words);

}  // namespace heddle::driver::nvcc
