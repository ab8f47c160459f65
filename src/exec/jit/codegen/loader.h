// A relocatable ELF object of x86-64 as code in memory. Our own, because code from the disk cache must start
// without LLVM: reading the object back is bounds checks and a few kinds of relocation.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exec/jit/abi/code.h"
#include "support/result.h"

namespace heddle::exec::jit {

// Pages are never writable and executable at once. `find`: the address of an undefined symbol or nullptr,
// which makes loading fail.
Result<std::shared_ptr<Code>, std::string> load_object(
    std::string bytes, const std::function<const void*(std::string_view)>& find);

}  // namespace heddle::exec::jit
