// The line of a fault: of the program's own text, where an instruction came from a header of the toolkit.
#pragma once

#include <string>

#include "module/image.h"

namespace heddle::exec {

struct SourceLine {
  std::string file;  // empty: not known
  uint32_t line = 0, column = 0;
  bool own = false;  // not of a toolkit's or the compiler's header
};

// The innermost line of the instruction's that is the program's own: calls that were inlined are told by
// .loc's inlined_at (PTX ISA 11.5.3). Without one, the innermost of all.
SourceLine source_line(const module::Image& image, const module::Function& function, uint32_t instruction);

}  // namespace heddle::exec
