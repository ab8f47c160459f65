// How exec/jit comes to its compilers in libheddle.so.0.
#pragma once

#include <string>

#include "exec/jit/codegen/compilers.h"

namespace heddle::shared {

const exec::jit::Compilers* load_kernel_compilers(std::string& why);

}  // namespace heddle::shared
